package io.seckill.launcher.sandbox;

import java.util.Locale;

/** What a buyer sees: one page, without any script. */
final class SandboxPage {

  /** Nothing but the page's own style sheet and form, and no frame around it. */
  static final String POLICY =
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none';"
          + " frame-ancestors 'none'";

  /** The style sheet. */
  static final String STYLE =
      """
      body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1c1c1c; background: #f3f4f6; }
      main { max-width: 28rem; margin: 3rem auto; padding: 1.5rem 2rem; background: #fff; }
      h1 { margin: 0; font-size: 1.4rem; }
      .note { margin: .25rem 0 1rem; color: #555; }
      dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
      dt { color: #555; }
      dd { margin: 0; overflow-wrap: anywhere; }
      button { padding: .6rem 1.4rem; font: inherit; color: #fff; background: #0a7a3b; border: 0; }
      button.other { color: #1c1c1c; background: #ddd; }
      """;

  private static final String FRAME =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Sandbox payment</title>
      <link rel="stylesheet" href="/style.css">
      </head>
      <body>
      <main>
      <h1>Sandbox payment</h1>
      <p class="note">A payment provider to try the shop with. No money moves.</p>
      %s</main>
      </body>
      </html>
      """;

  private static final String TERMS =
      """
      <dl>
      <dt>Amount</dt><dd>%s</dd>
      <dt>Order</dt><dd>%s</dd>
      <dt>Status</dt><dd>%s</dd>
      </dl>
      """;

  private static final String FORM =
      """
      <form method="post">
      <p>
      <button name="outcome" value="pay">Pay</button>
      <button name="outcome" value="fail" class="other">Let it fail</button>
      </p>
      <details>
      <summary>How the provider behaves</summary>
      <p><label>It tells the shop
      <select name="delayMs">
      <option value="0">at once</option>
      <option value="2000">after 2 seconds</option>
      <option value="10000">after 10 seconds</option>
      <option value="120000">after 2 minutes</option>
      </select></label></p>
      <p><label>It tells it
      <select name="copies">
      <option value="1">once</option>
      <option value="2">twice</option>
      <option value="5">five times</option>
      <option value="0">never: the shop has to ask</option>
      </select></label></p>
      <p><label>It tells
      <select name="wrongAmount">
      <option value="0">the right amount</option>
      <option value="1">a wrong amount</option>
      </select></label></p>
      <p><label>It refuses to give the money back
      <select name="refundRefusals">
      <option value="0">never</option>
      <option value="1">once</option>
      <option value="5">five times</option>
      </select></label></p>
      </details>
      </form>
      """;

  private SandboxPage() {}

  /**
   * The page of a payment.
   *
   * @param shopUrl where the shop is, empty while that is not known
   */
  static String of(SandboxPayment payment, String shopUrl) {
    SandboxPayment.Terms terms = payment.terms();
    boolean open = payment.status() == SandboxPayment.Status.OPEN;
    String back =
        open || shopUrl.isEmpty()
            ? ""
            : "<p><a href=\"%s/\">Back to the shop</a></p>\n".formatted(escaped(shopUrl));
    return FRAME.formatted(
        TERMS.formatted(
                amount(terms),
                escaped(terms.orderId()),
                payment.isRefunded() ? "paid, refunded" : word(payment.status()))
            + (open ? FORM : back));
  }

  /** A page that says one thing. */
  static String saying(String what) {
    return FRAME.formatted("<p>" + escaped(what) + "</p>\n");
  }

  private static String word(SandboxPayment.Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  private static String amount(SandboxPayment.Terms terms) {
    // Two digits after the point are right for nearly all currencies, and this is a sandbox.
    return "%d.%02d %s"
        .formatted(terms.amountMinor() / 100, terms.amountMinor() % 100, escaped(terms.currency()));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}

package io.seckill.launcher.sandbox;

import io.seckill.common.payment.CallbackSignature;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the sandbox does for the shop, which asks with a signature, and for buyers. Belongs to one
 * event loop.
 */
final class SandboxDesk {

  private static final int MAX_TEXT_CHARS = 128;

  private final CallbackSignature signature;
  private final SandboxCallbacks callbacks;
  private final Future<String> pages;
  private final SandboxBooks books = new SandboxBooks();

  /**
   * What the shop is answered.
   *
   * @param status of HTTP
   * @param body tells more
   */
  record Answer(int status, JsonObject body) {

    private static Answer refusal(int status, String why) {
      return new Answer(status, new JsonObject().put("error", why));
    }
  }

  /**
   * Opens a desk without payments.
   *
   * @param signature used by this event loop only
   * @param callbacks tells the shop
   * @param pages what a payment's name is appended to for its page; known before anybody asks
   */
  SandboxDesk(CallbackSignature signature, SandboxCallbacks callbacks, Future<String> pages) {
    this.signature = signature;
    this.callbacks = callbacks;
    this.pages = pages;
  }

  /**
   * The shop asks.
   *
   * @param what the last part of the path
   * @param signed the signature; null when there is none
   */
  Answer ask(String what, String signed, Buffer body) {
    if (!signature.verify(body.getBytes(), signed, System.currentTimeMillis())) {
      return Answer.refusal(401, "bad signature");
    }
    Optional<SandboxPayment.Terms> terms = termsOf(what, body);
    if (terms.isEmpty()) {
      return Answer.refusal(400, "bad request");
    }
    return switch (what) {
      case "start" -> start(terms.get());
      case "query" -> tell(terms.get());
      case "refund" -> giveBack(terms.get());
      default -> Answer.refusal(404, "no such request");
    };
  }

  /** Empty when the body is not of this request. */
  private static Optional<SandboxPayment.Terms> termsOf(String what, Buffer body) {
    try {
      JsonObject json = body.toJsonObject();
      SandboxPayment.Terms terms =
          new SandboxPayment.Terms(
              json.getString("paymentId"),
              json.getString("orderId"),
              json.getLong("amountMinor"),
              json.getString("currency"));
      boolean right =
          what.equals(json.getString("request"))
              && isText(terms.id())
              && isText(terms.orderId())
              && isText(terms.currency())
              && terms.amountMinor() >= 0;
      return right ? Optional.of(terms) : Optional.empty();
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      return Optional.empty();
    }
  }

  private static boolean isText(String text) {
    return text != null && text.matches("[A-Za-z0-9_-]{1," + MAX_TEXT_CHARS + "}");
  }

  private Answer start(SandboxPayment.Terms terms) {
    return books.start(terms).isPresent()
        ? new Answer(200, new JsonObject().put("redirectUrl", pages.result() + terms.id()))
        : conflict();
  }

  private Answer tell(SandboxPayment.Terms terms) {
    return new Answer(
        200,
        books
            .find(terms.id())
            .map(SandboxPayment::told)
            .orElseGet(() -> new JsonObject().put("status", "UNKNOWN")));
  }

  /** A sandbox that was started anew has forgotten what was paid; as no money moved, it obeys. */
  private Answer giveBack(SandboxPayment.Terms terms) {
    Optional<SandboxPayment> payment = books.find(terms.id());
    if (payment.isPresent()
        && (!payment.get().terms().equals(terms)
            || payment.get().status() != SandboxPayment.Status.PAID)) {
      return conflict();
    }
    if (payment.isPresent() && !payment.get().refund()) {
      return Answer.refusal(503, "refused, as the buyer wished");
    }
    return new Answer(200, new JsonObject().put("refunded", true));
  }

  private static Answer conflict() {
    return Answer.refusal(409, "the payment is another one");
  }

  /** A payment by its name, if it is known. */
  Optional<SandboxPayment> find(String id) {
    return books.find(id);
  }

  /**
   * The buyer decides; after the first time it changes nothing.
   *
   * @param form as a page's form is sent
   * @throws IllegalArgumentException when the form is not as the page offers it
   */
  void decide(SandboxPayment payment, Buffer form) {
    SandboxWish wish = SandboxWish.of(fieldsOf(form));
    if (payment.decide(wish)) {
      callbacks.tell(payment, wish);
    }
  }

  private static Map<String, String> fieldsOf(Buffer form) {
    Map<String, String> fields = new HashMap<>();
    for (String field : form.toString(StandardCharsets.UTF_8).split("&", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields.put(
            field.substring(0, equals),
            URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return fields;
  }
}

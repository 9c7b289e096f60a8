package io.seckill.gateway.api;

import com.fasterxml.jackson.core.JsonParser;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.OrderId;
import io.seckill.gateway.http.Json;
import java.io.IOException;
import java.util.regex.Pattern;

/** Reads what a provider says of a payment. Everything else is INVALID_REQUEST. */
final class PaymentNotices {

  private static final int MAX_ID_CHARS = 64;
  private static final int MAX_REF_CHARS = 128;

  /** Well above the dearest order: a wrong amount is to be seen as one, not as a bad request. */
  private static final long MAX_AMOUNT_MINOR = 1_000_000_000_000_000_000L;

  private static final Pattern PAYMENT_ID = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  private PaymentNotices() {}

  /**
   * Reads {@code {"paymentId","orderId","status","amountMinor","currency","providerRef"}}; only the
   * last may be missing.
   *
   * @throws SeckillException INVALID_REQUEST
   */
  static PaymentNotice read(byte[] body) {
    Parts parts = new Parts();
    Json.read(body, parts::read);
    return parts.notice();
  }

  private static final class Parts {

    private String paymentId;
    private OrderId orderId;
    private PaymentNotice.Status status;
    private Long amountMinor;
    private String currency;
    private String providerRef = "";

    boolean read(String name, JsonParser value) throws IOException {
      switch (name) {
        case "paymentId" -> paymentId = matching(PAYMENT_ID, value, name, MAX_ID_CHARS);
        case "orderId" -> orderId = order(Json.text(value, name, MAX_ID_CHARS));
        case "status" -> status = status(Json.text(value, name, MAX_ID_CHARS));
        case "amountMinor" -> amountMinor = Json.integer(value, name, 0, MAX_AMOUNT_MINOR);
        case "currency" -> currency = matching(CURRENCY, value, name, MAX_ID_CHARS);
        case "providerRef" -> providerRef = Json.text(value, name, MAX_REF_CHARS);
        default -> {
          return false;
        }
      }
      return true;
    }

    PaymentNotice notice() {
      require(paymentId, "paymentId");
      require(orderId, "orderId");
      require(status, "status");
      require(amountMinor, "amountMinor");
      require(currency, "currency");
      return new PaymentNotice(paymentId, orderId, status, amountMinor, currency, providerRef);
    }

    private static void require(Object value, String name) {
      if (value == null) {
        throw Json.invalid("'" + name + "' is missing.");
      }
    }

    private static String matching(Pattern form, JsonParser value, String name, int maxChars)
        throws IOException {
      String text = Json.text(value, name, maxChars);
      if (!form.matcher(text).matches()) {
        throw Json.invalid("'" + name + "' must match " + form + ".");
      }
      return text;
    }

    private static OrderId order(String text) {
      try {
        return OrderId.of(text);
      } catch (IllegalArgumentException e) {
        throw Json.invalid("'orderId' must be an order id.");
      }
    }

    private static PaymentNotice.Status status(String text) {
      return switch (text) {
        case "PAID" -> PaymentNotice.Status.PAID;
        case "FAILED" -> PaymentNotice.Status.FAILED;
        default -> throw Json.invalid("'status' must be PAID or FAILED.");
      };
    }
  }
}

package io.seckill.launcher.load;

import io.seckill.common.id.ItemId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;

/** Renders purchases of one item as bytes of HTTP. Immutable. */
final class PurchaseText {

  private static final int ROOM_FOR_THE_REST = 96;

  private final CrowdPeople people;
  private final byte[] start;
  private final byte[][] tails;

  PurchaseText(SocketAddress server, ItemId item, CrowdPeople people, int maxQuantity) {
    this.people = people;
    start =
        CrowdPeople.ascii(
            "POST /api/v1/items/"
                + item
                + "/purchases HTTP/1.1\r\nHost: "
                + server.host()
                + ":"
                + server.port()
                + "\r\nContent-Type: application/json\r\n");
    tails = new byte[maxQuantity + 1][];
    for (int quantity = 1; quantity <= maxQuantity; quantity++) {
      String body = "{\"quantity\":" + quantity + "}";
      tails[quantity] = CrowdPeople.ascii("Content-Length: " + body.length() + "\r\n\r\n" + body);
    }
  }

  /**
   * One purchase.
   *
   * @param key the idempotency key, empty for none
   */
  Buffer render(int buyer, String key, int quantity) {
    byte[] who = people.headersOf(buyer);
    Buffer bytes = Buffer.buffer(start.length + who.length + ROOM_FOR_THE_REST);
    bytes.appendBytes(start).appendBytes(who);
    if (!key.isEmpty()) {
      bytes.appendString("Idempotency-Key: " + key + "\r\n");
    }
    return bytes.appendBytes(tails[quantity]);
  }
}

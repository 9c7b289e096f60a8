package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.bus.ItemView;
import io.seckill.common.item.ItemRecord;
import io.seckill.gateway.board.ItemJson;
import java.io.IOException;

/** An item as an operator reads it: the ledger's record, and beside it what the board shows. */
final class RecordJson {

  private RecordJson() {}

  /**
   * Writes the fields.
   *
   * @param shown the item on the board, null when it is not there
   */
  static void write(JsonGenerator json, ItemRecord item, ItemView shown) throws IOException {
    ItemJson.writeDefinition(json, item.definition());
    json.writeStringField("state", item.state().name());
    json.writeNumberField("generation", item.generation());
    json.writeNumberField("stock", item.stock());
    json.writeNumberField("units", item.units());
    json.writeNumberField("reserve", item.reserve());
    if (item.cap() == ItemRecord.NO_CAP) {
      json.writeNullField("cap");
    } else {
      json.writeNumberField("cap", item.cap());
    }
    json.writeNumberField("outstandingMoves", item.outstanding().size());
    if (shown != null) {
      json.writeNumberField("remaining", shown.remaining());
      json.writeBooleanField("soldOut", shown.soldOut());
    }
  }
}

package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * An item's row.
 *
 * @param definition what the operator said
 * @param state where it stands
 * @param counters its numbers
 */
record ItemRow(ItemDefinition definition, ItemState state, Counters counters) {

  /** Columns of a definition, with which every statement that tells one begins. */
  static final int DEFINITION_COLUMNS = 11;

  /** The numbers of an item; see the table. */
  record Counters(
      long stock,
      long generation,
      long restocks,
      long unitsIn,
      long unitsOut,
      long reserve,
      long cap) {

    /** Units that shards were given and have not given back. */
    long granted() {
      return unitsIn - unitsOut;
    }

    boolean isCapped() {
      return cap != ItemRecord.NO_CAP;
    }
  }

  static ItemRow of(Row row) {
    int at = DEFINITION_COLUMNS;
    return new ItemRow(
        definitionOf(row),
        ItemState.valueOf(row.getString(at + 1)),
        new Counters(
            row.getLong(at),
            row.getLong(at + 2),
            row.getLong(at + 3),
            row.getLong(at + 4),
            row.getLong(at + 5),
            row.getLong(at + 6),
            row.getLong(at + 7)));
  }

  /** The definition that a row begins with. */
  static ItemDefinition definitionOf(Row row) {
    String group = row.getString(9);
    return new ItemDefinition(
        new ItemId(row.getLong(0)),
        row.getString(1),
        row.getLong(2),
        row.getString(3),
        row.getString(4),
        row.getInteger(5),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8),
        group.isEmpty() ? null : new ItemGroup(group, row.getInteger(10)));
  }

  /** Reads one by a statement that tells a whole row; null when there is none. */
  static Future<ItemRow> find(SqlClient client, Sql statement, ItemId id) {
    return run(client, statement, Tuple.of(id.value()))
        .map(rows -> rows.size() == 0 ? null : of(rows.iterator().next()));
  }

  ItemId id() {
    return definition.id();
  }

  ItemRecord toRecord(List<Move> outstanding) {
    return new ItemRecord(
        definition,
        state,
        counters.generation(),
        counters.stock(),
        counters.granted(),
        counters.reserve(),
        counters.cap(),
        outstanding);
  }
}

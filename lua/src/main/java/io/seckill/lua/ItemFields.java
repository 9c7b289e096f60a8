package io.seckill.lua;

import io.seckill.common.item.ItemDefinition;
import java.util.List;

/** The order in which scripts take an item's definition. */
final class ItemFields {

  private ItemFields() {}

  static void append(List<String> args, ItemDefinition item) {
    args.add(Long.toString(item.startsAtMs()));
    args.add(Long.toString(item.endsAtMs()));
    args.add(Integer.toString(item.limitPerUser()));
    args.add(item.name());
    args.add(Long.toString(item.priceMinor()));
    args.add(item.currency());
    args.add(item.picture());
    args.add(Long.toString(item.payWithinMs()));
    args.add(item.group() == null ? "" : item.group().id());
    args.add(item.group() == null ? "0" : Integer.toString(item.group().limitPerUser()));
  }
}

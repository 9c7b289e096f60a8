package io.seckill.common.item;

import io.seckill.common.id.ItemId;

/**
 * What an operator says of an item.
 *
 * @param id its id
 * @param name 1 … 200 characters
 * @param priceMinor price in minor units (分, cents), 0 … 10^12
 * @param currency three upper-case letters of ISO 4217
 * @param picture URL or path of a picture, 0 … 500 characters
 * @param limitPerUser units that one user may hold, 1 … 100
 * @param startsAtMs opening, epoch milliseconds
 * @param endsAtMs end, epoch milliseconds, after the opening; the instant itself is already over
 * @param payWithinMs time to pay from the storing of the order, milliseconds
 * @param group the group whose limit binds the item too; null without one
 */
public record ItemDefinition(
    ItemId id,
    String name,
    long priceMinor,
    String currency,
    String picture,
    int limitPerUser,
    long startsAtMs,
    long endsAtMs,
    long payWithinMs,
    ItemGroup group) {

  /** An item of no group. */
  public ItemDefinition(
      ItemId id,
      String name,
      long priceMinor,
      String currency,
      String picture,
      int limitPerUser,
      long startsAtMs,
      long endsAtMs,
      long payWithinMs) {
    this(
        id,
        name,
        priceMinor,
        currency,
        picture,
        limitPerUser,
        startsAtMs,
        endsAtMs,
        payWithinMs,
        null);
  }

  /** The same item with another limit. */
  public ItemDefinition withLimit(int limit) {
    return new ItemDefinition(
        id, name, priceMinor, currency, picture, limit, startsAtMs, endsAtMs, payWithinMs, group);
  }

  /** The same item in another window. */
  public ItemDefinition withWindow(long startsAt, long endsAt) {
    return new ItemDefinition(
        id,
        name,
        priceMinor,
        currency,
        picture,
        limitPerUser,
        startsAt,
        endsAt,
        payWithinMs,
        group);
  }
}

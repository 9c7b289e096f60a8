package io.seckill.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Decides which units travel between shards. Plain values in and out.
 *
 * <p>Several engine nodes plan at once, out of readings of about the same instant. What keeps them
 * from sending units to and fro: a sending shard refuses whoever has not seen its latest sending;
 * nothing moves by trend while anything of the item is on its way; and a trend has to show a
 * difference that is large beside the stock.
 */
final class TransferPlan {

  /** Shards that one dry shard is fed from at a time: each costs a transaction. */
  static final int MAX_SOURCES = 16;

  /** Shards of an item that one pass may begin to feed by trend. */
  static final int MAX_BY_TREND = 4;

  /** A shard that will be dry within this time is fed before it is. */
  private static final double HORIZON_S = 1.0;

  /** Transfers of fewer units are left to demand. */
  private static final long MIN_BY_TREND = 2;

  /** So few units, sold or wanted, say nothing of where buyers are: weight of every shard. */
  private static final double TOO_FEW_TO_TELL = 8;

  private TransferPlan() {}

  /**
   * Units that are to travel.
   *
   * @param from the shard that sends
   * @param to the shard that needs them
   * @param units how many at most, 1 or more
   * @param seenSent what the sending shard had sent in the reading that this was planned from
   */
  record Transfer(int from, int to, long units, long seenSent) {}

  /**
   * Feeds shards whose buyers wait. What they wait for may come from anywhere; what is sent beyond
   * that, so that the next buyers need not wait, only from shards that have more than their share.
   * A shard's share of what is left is as large as its part of what was sold and is waited for: so
   * all shards run dry together, and few transfers of many units do.
   *
   * <p>The shard that is served first may empty the others: units go where somebody waits for them.
   * So of two shards that each lack one unit, one is served.
   *
   * @param stocks as just read
   * @param needs units that each shard lacks for its waiting buyers; the shard that waits longest
   *     comes first
   * @param busy shards into which units are on their way already: they are neither fed nor emptied
   * @return transfers of at most {@value #MAX_SOURCES} shards into each needy one
   */
  static List<Transfer> onDemand(ItemStocks stocks, Map<Integer, Long> needs, Set<Integer> busy) {
    long[] left = left(stocks);
    long[] share =
        shares(
            stocks,
            shard -> stocks.shards().get(shard).held() + (double) needs.getOrDefault(shard, 0L));
    Set<Integer> kept = new HashSet<>(busy);
    List<Transfer> transfers = new ArrayList<>();
    needs.forEach(
        (to, need) -> {
          if (kept.add(to)) {
            long chunk = Math.max(need, share[to] - left[to]);
            long got = 0;
            for (int from : sources(left, share, kept)) {
              long wanted = Math.min(chunk - got, left[from]);
              long spare = Math.min(wanted, left[from] - share[from]);
              long units = Math.min(wanted, Math.max(need - got, spare));
              if (units <= 0) {
                break;
              }
              transfers.add(new Transfer(from, to, units, stocks.shards().get(from).sent()));
              left[from] -= units;
              got += units;
            }
          }
        });
    return transfers;
  }

  /** Who can send, first those that have most beyond their share. */
  private static List<Integer> sources(long[] left, long[] share, Set<Integer> kept) {
    return IntStream.range(0, left.length)
        .filter(from -> !kept.contains(from) && left[from] > 0)
        .boxed()
        .sorted(Comparator.<Integer>comparingLong(from -> left[from] - share[from]).reversed())
        .limit(MAX_SOURCES)
        .toList();
  }

  /**
   * Feeds shards that will soon be dry, from those that have more than their share, which is as
   * large as their part of what was sold. Each is fed up to its share at once, so that it is not
   * fed again and again.
   *
   * @param perSecond units that each shard sold a second lately
   * @return transfers into at most {@value #MAX_BY_TREND} shards and of at most {@value
   *     #MAX_SOURCES} into each; none while any unit is on its way
   */
  static List<Transfer> byTrend(ItemStocks stocks, double[] perSecond) {
    if (!stocks.selling() || !stocks.everywhere() || stocks.travelling() != 0) {
      return List.of();
    }
    long[] left = left(stocks);
    // Not by speed: a shard that was dry a moment ago sold slowly for want of units.
    long[] share = shares(stocks, shard -> stocks.shards().get(shard).held());
    List<Integer> poor =
        IntStream.range(0, left.length)
            .filter(
                shard ->
                    left[shard] < perSecond[shard] * HORIZON_S
                        && share[shard] - left[shard] >= Math.max(MIN_BY_TREND, share[shard] / 4))
            .boxed()
            .sorted(Comparator.comparingLong(shard -> left[shard]))
            .limit(MAX_BY_TREND)
            .toList();
    List<Transfer> transfers = new ArrayList<>();
    for (int to : poor) {
      long lack = share[to] - left[to];
      for (int from : sources(left, share, Set.copyOf(poor))) {
        long units = Math.min(lack, left[from] - share[from]);
        if (units < MIN_BY_TREND) {
          break;
        }
        transfers.add(new Transfer(from, to, units, stocks.shards().get(from).sent()));
        left[from] -= units;
        lack -= units;
      }
    }
    return transfers;
  }

  /**
   * Brings units from shards in which nobody waits in line to those in which somebody does and no
   * unit is: one to each (a debt that the shard has comes on top, because it is paid first), first
   * to the shard whose oldest waiter is the oldest, and so on until everybody has one or no unit is
   * left. Lines are about equally long, because users are spread evenly, so this is as good as
   * knowing all waiters.
   *
   * @param stocks as just read
   * @param busy shards into which units are on their way already: they are neither fed nor emptied
   * @return transfers of at most {@value #MAX_SOURCES} shards into each shard
   */
  static List<Transfer> toWaiters(ItemStocks stocks, Set<Integer> busy) {
    List<ItemStocks.Shard> shards = stocks.shards();
    long[] left = left(stocks);
    List<Integer> lines =
        IntStream.range(0, left.length)
            .filter(shard -> !busy.contains(shard))
            .filter(shard -> shards.get(shard).waiters() > 0 && left[shard] == 0)
            .boxed()
            .sorted(Comparator.comparingLong(shard -> shards.get(shard).oldest()))
            .toList();
    int[] sources =
        IntStream.range(0, left.length)
            .filter(shard -> !busy.contains(shard))
            .filter(shard -> shards.get(shard).waiters() == 0 && left[shard] > 0)
            .toArray();
    long units = Arrays.stream(sources).mapToLong(source -> left[source]).sum();
    long[] given = shareOut(units, lines, shards);
    List<Transfer> transfers = new ArrayList<>();
    int next = 0;
    for (int line : lines) {
      int from = next;
      while (given[line] > 0 && next < from + MAX_SOURCES) {
        int source = sources[next];
        long part = Math.min(given[line], left[source]);
        transfers.add(new Transfer(source, line, part, shards.get(source).sent()));
        given[line] -= part;
        left[source] -= part;
        if (left[source] > 0) {
          break;
        }
        next++;
      }
    }
    return transfers;
  }

  /** So many rounds that each one gives the same to all who still want some. */
  private static long[] shareOut(long units, List<Integer> lines, List<ItemStocks.Shard> shards) {
    long[] given = new long[shards.size()];
    List<Integer> wanting = lines;
    long left = units;
    while (left > 0 && !wanting.isEmpty()) {
      long each = Math.max(1, left / wanting.size());
      for (int line : wanting) {
        long more = Math.min(Math.min(each, left), wanted(shards.get(line)) - given[line]);
        given[line] += more;
        left -= more;
      }
      wanting = wanting.stream().filter(line -> given[line] < wanted(shards.get(line))).toList();
    }
    return given;
  }

  private static long wanted(ItemStocks.Shard line) {
    return line.waiters() + Math.max(0, -line.stock());
  }

  private static long[] left(ItemStocks stocks) {
    return stocks.shards().stream().mapToLong(ItemStocks.Shard::left).toArray();
  }

  /** What is left, split over the readable shards by how much is wanted in each. */
  private static long[] shares(ItemStocks stocks, IntToDoubleFunction wanted) {
    double[] weights =
        IntStream.range(0, stocks.shards().size())
            .mapToDouble(
                shard ->
                    stocks.shards().get(shard).readable()
                        ? TOO_FEW_TO_TELL + Math.max(0, wanted.applyAsDouble(shard))
                        : 0)
            .toArray();
    double all = Arrays.stream(weights).sum();
    long left = stocks.left();
    return Arrays.stream(weights).mapToLong(weight -> (long) (left * (weight / all))).toArray();
  }
}

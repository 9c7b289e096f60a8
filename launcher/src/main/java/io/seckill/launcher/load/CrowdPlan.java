package io.seckill.launcher.load;

import io.seckill.common.id.UserId;
import java.util.SplittableRandom;

/**
 * Who clicks when, and with which key and quantity: the same for the same size and seed, on every
 * machine. Immutable.
 *
 * <p>Everybody clicks at least once if there are clicks enough; who gets the others is left to
 * chance, and so is the order of all. Of ten people, four send each click of theirs with one key
 * (they double-click), three make a new key for each click (they want more, or their client is
 * poor) and three send none.
 */
public final class CrowdPlan {

  /** The key number of a click without a key. */
  static final int NO_KEY = -1;

  private static final int SAME_KEY_PERCENT = 40;
  private static final int NEW_KEYS_PERCENT = 30;
  private static final int ONE_UNIT_PERCENT = 60;

  private final String namePrefix;
  private final CrowdSize size;
  private final long seed;
  private final int[] buyers;
  private final int[] keys;

  private CrowdPlan(String namePrefix, CrowdSize size, long seed) {
    this.namePrefix = namePrefix;
    this.size = size;
    this.seed = seed;
    this.buyers = new int[size.requests()];
    this.keys = new int[size.requests()];
  }

  /**
   * Draws a plan.
   *
   * @param namePrefix what user ids begin with, so that two crowds are different people
   * @param size how many
   * @param seed decides all chance
   */
  public static CrowdPlan draw(String namePrefix, CrowdSize size, long seed) {
    CrowdPlan plan = new CrowdPlan(namePrefix, size, seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < size.requests(); i++) {
      plan.buyers[i] = i < size.users() ? i : random.nextInt(size.users());
    }
    for (int i = size.requests() - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = plan.buyers[i];
      plan.buyers[i] = plan.buyers[j];
      plan.buyers[j] = swapped;
    }
    int[] clicksOf = new int[size.users()];
    for (int i = 0; i < size.requests(); i++) {
      int buyer = plan.buyers[i];
      plan.keys[i] = plan.keyOf(buyer, clicksOf[buyer]++);
    }
    return plan;
  }

  /**
   * Whether a buyer pays what he wins: always the same, and of all buyers about this share.
   *
   * @param ratio 0 … 1
   */
  public boolean pays(int buyer, double ratio) {
    return chance(buyer, -1).nextDouble() < ratio;
  }

  /** How many people and clicks. */
  public CrowdSize size() {
    return size;
  }

  /** The seed it was drawn with. */
  public long seed() {
    return seed;
  }

  /**
   * A buyer's user id.
   *
   * @param buyer 0 … users−1
   */
  public UserId user(int buyer) {
    return new UserId(namePrefix + "-" + buyer);
  }

  /** Who clicks. */
  int buyer(int click) {
    return buyers[click];
  }

  /** The number of the key that he clicks with, or {@link #NO_KEY}. */
  int key(int click) {
    return keys[click];
  }

  /** How much a buyer asks for under a key: a repeat with the same key asks for the same. */
  int quantity(int buyer, int key) {
    if (size.limitPerUser() == 1) {
      return 1;
    }
    SplittableRandom random = chance(buyer, key + 2);
    return random.nextInt(100) < ONE_UNIT_PERCENT ? 1 : 1 + random.nextInt(size.limitPerUser());
  }

  private int keyOf(int buyer, int nth) {
    int style = chance(buyer, 0).nextInt(100);
    if (style < SAME_KEY_PERCENT) {
      return 0;
    }
    return style < SAME_KEY_PERCENT + NEW_KEYS_PERCENT ? nth : NO_KEY;
  }

  private SplittableRandom chance(int buyer, int purpose) {
    return new SplittableRandom(seed ^ (((long) buyer << 32) + purpose) * 0x9E3779B97F4A7C15L);
  }
}

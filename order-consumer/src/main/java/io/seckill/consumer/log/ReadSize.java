package io.seckill.consumer.log;

/**
 * How many stream entries the next read asks for, so that it brings about as many changes as are
 * wanted. A stream entry holds one change or hundreds, and a read can only count entries: what the
 * last read brought tells how large they are now.
 *
 * <p>Starts small and at most doubles, and only while reads are full, so that entries that suddenly
 * are larger bring more changes than wanted, but never more than the bound. Belongs to one event
 * loop.
 */
public final class ReadSize {

  /**
   * Entries of one read, whatever they hold: with the largest batches that an engine makes, 512
   * purchases, a read is at most 262,144 changes, which is some hundred megabytes for a moment. So
   * changes that have an entry each go into transactions of at most this many.
   */
  public static final int MAX_ENTRIES = 512;

  private static final int FIRST_ENTRIES = 16;

  private final int changes;
  private int entries;

  /**
   * Makes the size.
   *
   * @param changes how many changes a read should bring, 1 or more
   */
  public ReadSize(int changes) {
    this.changes = changes;
    this.entries = Math.min(changes, FIRST_ENTRIES);
  }

  /** How many entries to ask for, 1 to {@value #MAX_ENTRIES}. */
  public int entries() {
    return entries;
  }

  /**
   * A read is done.
   *
   * @param asked how many entries it asked for
   * @param readEntries stream entries that it brought
   * @param readChanges changes in them
   * @return whether it brought as many entries as were asked for: there may be more
   */
  boolean done(int asked, int readEntries, int readChanges) {
    boolean isFull = readEntries >= asked;
    if (readEntries > 0) {
      long fitting = (long) changes * readEntries / readChanges;
      long most = isFull ? Math.min(2L * asked, MAX_ENTRIES) : asked;
      entries = (int) Math.max(1, Math.min(fitting, most));
    }
    return isFull;
  }
}

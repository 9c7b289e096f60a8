package io.seckill.common.bus;

/**
 * Asks the ledger which held wins of a shard are to be released, oldest request first.
 *
 * @param region the region's number
 * @param shard the shard
 * @param afterId the last id of the page before, 0 for the first page
 * @param limit releases in a page, 1 … {@value #MAX_LIMIT}
 */
public record ReleasesQuery(int region, int shard, long afterId, int limit) {

  /** Most releases that one page has. */
  public static final int MAX_LIMIT = 500;
}

package io.seckill.consumer.store;

import io.seckill.common.id.ShardRef;

/** The shard's row has not reached the epoch of an entry; only an entry made by hand stays so. */
final class EpochUnknownException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  EpochUnknownException(ShardRef shard, long epoch) {
    super(
        "no engine has claimed epoch " + epoch + " of shard " + shard + " yet", null, false, false);
  }
}

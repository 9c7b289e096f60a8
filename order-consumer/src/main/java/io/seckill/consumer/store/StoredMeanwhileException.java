package io.seckill.consumer.store;

import io.seckill.common.id.ShardRef;

/**
 * Somebody else stored the same numbers in another form while a transaction was under way: the next
 * try finds them.
 */
final class StoredMeanwhileException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StoredMeanwhileException(ShardRef shard) {
    super("entries of shard " + shard + " were stored by another consumer", null, false, false);
  }
}

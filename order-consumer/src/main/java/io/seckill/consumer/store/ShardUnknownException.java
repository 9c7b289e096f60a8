package io.seckill.consumer.store;

import io.seckill.common.id.ShardRef;

/** The ledger has no row of the shard yet; storing waits for it. */
final class ShardUnknownException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ShardUnknownException(ShardRef shard) {
    super("no engine has claimed shard " + shard + " yet", null, false, false);
  }
}

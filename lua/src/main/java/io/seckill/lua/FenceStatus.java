package io.seckill.lua;

/** Why the fence let a script call not through. Nothing was written. */
public enum FenceStatus {
  /** Another server or another epoch than the caller believed in: read the head again. */
  FENCED,
  /** The shard is not in the state that the script needs. */
  FROZEN,
  /** The call came too late. */
  EXPIRED
}

package io.seckill.engine.sim;

/**
 * The guards of opening and repair. Each can be left out of a simulation, which must then find a
 * broken promise: a check that cannot fail proves nothing.
 */
enum Guard {
  /** Scripts refuse a caller of another epoch. */
  FENCE_ON_EPOCH,
  /** Scripts refuse a caller whose server is not the one that the shard was opened on. */
  FENCE_ON_RUN_ID,
  /** The ledger lets only the latest claim close epochs. */
  CLAIM_IS_A_LEASE,
  /** What a consumer brings beyond the end of a closed epoch is FAILED(LOST). */
  CLOSE_AT_SEQ,
  /** The end of an epoch comes down to what is left of it anywhere. */
  LOWER_THE_END,
  /** A log is stored in its order. */
  STORE_IN_ORDER,
  /** A Redis that knows less than the ledger is written anew. */
  FORGOT,
  /** A Redis that knows more than counts is written anew. */
  SURPLUS,
  /** A repair that stopped half way is begun again. */
  DAMAGED,
  /** A repair waits until what Redis still has is stored. */
  WAIT_FOR_STORED,
  /** Units sent out of turn count in the sums of a repair. */
  TRANSFERS_IN_SUMS,
  /** Closing an epoch sees transfers that Redis has forgotten. */
  TRANSFERS_IN_FORGOT,
  /** An entry beyond the end of its closed epoch cannot become a transfer. */
  TRANSFER_WITHIN_END,
  /** A shard that sent units is repaired although all else of it is lost. */
  SENDERS_IN_SNAPSHOT,
  /** Held units may exceed the grant by what is sent and not stored in its turn. */
  OUT_OF_TURN_IN_GRANT,
  /** A shard applies only the move after its last. */
  MOVES_IN_TURN,
  /** A release acts only on a record that is held. */
  RELEASE_ONCE,
  /** While anybody waits in line, nobody who comes wins. */
  LINE_COMES_FIRST,
  /** A repair writes the line. */
  LINE_IN_REPAIR,
  /** Whatever lets a waiter in takes the one who waits longest. */
  OLDEST_WAITER,
  /** What scripts have left is done later: units beside a line find it. */
  PROMOTE_LATER,
  /** An engine asks the ledger whether its epoch is still the latest. */
  CONFIRM
}

package io.seckill.consumer.store;

/** Where a dead letter stands. */
public enum LetterState {
  /** Waits for an operator; a win counts as held, because the buyer was told that he has it. */
  OPEN,
  /** The units of its win went back. */
  RELEASED,
  /** Its number lies beyond the end of its epoch: it never happened. */
  LOST,
  /** No entry of ours: it stands for no number of the log, and nothing follows from it. */
  FOREIGN
}

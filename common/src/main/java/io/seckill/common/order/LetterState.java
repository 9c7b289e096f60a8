package io.seckill.common.order;

/** Where a dead letter stands. */
public enum LetterState {
  /** Waits for an operator; a win counts as held, because the buyer was told that he has it. */
  OPEN,
  /**
   * Settled: its order is FAILED, and its win counts as held until its units went back. That of a
   * basket stays so when some of its items, and not all, are archived.
   */
  SETTLING,
  /** The units of its win went back, or all its items are archived; its order is FAILED. */
  RELEASED,
  /** What it said is stored under its name after all, and counts instead of it. */
  STORED,
  /** Settled, and there was no win whose units could go back. */
  CLOSED,
  /** Its number lies beyond the end of its epoch: it never happened. */
  LOST,
  /** No entry of ours: it stands for no number of the log, and nothing follows from it. */
  FOREIGN
}

package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;

/**
 * The part of a crowd that one event loop plays: every buyer whose number falls to this lane. A
 * buyer's clicks go out on whatever connection is free, so they overlap as a double click does.
 */
final class CrowdLane extends VerticleBase {

  /** With a second between them, longer than a sale of the size that fits on one machine lasts. */
  private static final int MAX_BUSY_TRIES = 10;

  private static final long REPEAT_AFTER_BREAK_MS = 20;

  /**
   * Which part of which crowd.
   *
   * @param number of this lane, from 0
   * @param of lanes in all
   * @param connections of this lane
   */
  record Part(int number, int of, int connections) {}

  private final Part part;
  private final CrowdPlan plan;
  private final PurchaseText text;
  private final CrowdRules rules;
  private final LongAdder answers;
  private final PurchaseAnswers judge = new PurchaseAnswers();
  private final LaneClock clock = new LaneClock();
  private final ArrayDeque<Click> ready = new ArrayDeque<>();
  private final Promise<LaneRecord> end = Promise.promise();
  private final BuyerLedger ledger;
  private LoadLane lane;
  private int cursor;
  private long begun;
  private long open;
  private long sendUntilNs;

  CrowdLane(Part part, CrowdPlan plan, PurchaseText text, CrowdRules rules, LongAdder answers) {
    this.part = part;
    this.plan = plan;
    this.text = text;
    this.rules = rules;
    this.answers = answers;
    this.ledger = new BuyerLedger(plan.size().users(), plan.size().limitPerUser(), rules.winners());
  }

  @Override
  public Future<?> start() {
    NetClient client = vertx.createNetClient(LoadOptions.sockets());
    lane = new LoadLane(vertx, client, rules.server(), this::next);
    return lane.open(part.connections());
  }

  @Override
  public Future<?> stop() {
    return lane.close();
  }

  /** Plays the part. May be called from any thread, once, after the start. */
  Future<LaneRecord> run() {
    context.runOnContext(
        v -> {
          sendUntilNs = System.nanoTime() + rules.sendFor().toNanos();
          vertx.setTimer(Math.max(rules.endAfter().toMillis(), 1), id -> finish());
          lane.start();
          endIfDone();
        });
    return end.future();
  }

  private Click next() {
    Click waited = ready.poll();
    if (waited != null) {
      return waited;
    }
    skipOthers();
    if (isExhausted()) {
      endIfDone();
      return null;
    }
    open++;
    begun++;
    return new Click(cursor++);
  }

  private void skipOthers() {
    int clicks = plan.size().requests();
    while (cursor < clicks && plan.buyer(cursor) % part.of() != part.number()) {
      cursor++;
    }
  }

  private boolean isExhausted() {
    return cursor >= plan.size().requests() || System.nanoTime() - sendUntilNs > 0;
  }

  private void endIfDone() {
    if (open == 0) {
      skipOthers();
      if (isExhausted()) {
        finish();
      }
    }
  }

  private void finish() {
    if (!end.future().isComplete()) {
      end.complete(ledger.close(begun, open, clock));
    }
  }

  /** What a buyer wants with one click, over all requests that it takes. */
  private final class Click implements LoadRequest {

    private final int number;
    private final int buyer;
    private final int keyNumber;
    private String key;
    private int quantity;
    private int busyTries;
    private boolean repeated;
    private long firstSentNs;

    Click(int number) {
      this.number = number;
      this.buyer = plan.buyer(number);
      this.keyNumber = plan.key(number);
      this.key = keyNumber == CrowdPlan.NO_KEY ? "" : "c-" + keyNumber;
      this.quantity = plan.quantity(buyer, keyNumber);
    }

    @Override
    public Buffer render() {
      if (firstSentNs == 0) {
        firstSentNs = System.nanoTime();
        clock.sent(firstSentNs);
      }
      return text.render(buyer, key, quantity);
    }

    @Override
    public void answered(HttpAnswer answer, long sentNs, long nowNs) {
      if (end.future().isComplete()) {
        return;
      }
      clock.answered(firstSentNs, nowNs);
      answers.increment();
      PurchaseAnswer meaning = judge.judge(answer);
      if (meaning instanceof PurchaseAnswer.Won won) {
        ledger.won(buyer, key, quantity, won);
        done();
      } else if (meaning instanceof PurchaseAnswer.Refused refused) {
        refused(refused);
      } else if (meaning instanceof PurchaseAnswer.Wrong wrong) {
        ledger.wrong(wrong.serverFailure(), wrong.why());
        ledger.failed(buyer);
        done();
      }
    }

    private void refused(PurchaseAnswer.Refused refusal) {
      switch (refusal.code()) {
        case BUSY -> followBusy(refusal);
        case OUTCOME_UNKNOWN -> {
          if (repeated) {
            ledger.unresolved(buyer);
            ledger.failed(buyer);
            done();
          } else {
            repeated = true;
            later(refusal.retryAfterMs());
          }
        }
        case INSUFFICIENT_STOCK -> takeLess();
        default -> {
          ledger.refused(buyer, quantity, refusal.code());
          done();
        }
      }
    }

    private void followBusy(PurchaseAnswer.Refused refusal) {
      if (busyTries == MAX_BUSY_TRIES) {
        ledger.refused(buyer, quantity, ErrorCode.BUSY);
        done();
        return;
      }
      busyTries++;
      firstSentNs = 0;
      later(refusal.retryAfterMs());
    }

    /** Too few for what he wanted: a buyer takes one. Another body needs another key. */
    private void takeLess() {
      if (quantity == 1) {
        ledger.refused(buyer, quantity, ErrorCode.INSUFFICIENT_STOCK);
        done();
        return;
      }
      quantity = 1;
      key = "less-" + number + "." + (keyNumber + 1);
      firstSentNs = 0;
      later(1);
    }

    @Override
    public void broken(String why) {
      if (end.future().isComplete()) {
        return;
      }
      ledger.broken(why);
      if (repeated) {
        ledger.failed(buyer);
        done();
      } else {
        repeated = true;
        later(REPEAT_AFTER_BREAK_MS);
      }
    }

    private void later(long waitMs) {
      vertx.setTimer(
          Math.max(1, Math.min(waitMs, LoadOptions.MAX_RETRY_AFTER_MS)),
          id -> {
            ready.add(this);
            lane.wake();
          });
    }

    private void done() {
      open--;
      endIfDone();
    }
  }
}

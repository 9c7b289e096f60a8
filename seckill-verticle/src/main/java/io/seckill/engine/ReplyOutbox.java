package io.seckill.engine;

import io.seckill.common.bus.PurchaseBatch;
import io.seckill.common.bus.PurchaseReplies;
import io.seckill.common.bus.PurchaseReplies.Answer;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends the answers of one turn of the event loop together, one message for each gateway. No answer
 * waits for another turn's. Belongs to one event loop.
 */
final class ReplyOutbox {

  private final EventBus bus;
  private final Context loop;
  private Map<String, List<Answer>> byAddress = new HashMap<>();

  ReplyOutbox(Vertx vertx) {
    this.bus = vertx.eventBus();
    this.loop = vertx.getOrCreateContext();
  }

  /** Takes an answer, to be sent at the end of this turn. */
  void add(String replyTo, Answer answer) {
    if (byAddress.isEmpty()) {
      loop.runOnContext(turn -> flush());
    }
    byAddress.computeIfAbsent(replyTo, first -> new ArrayList<>()).add(answer);
  }

  /**
   * Sends now what waits. Answers to a gateway that is gone are dropped: its buyers repeat with the
   * same key.
   */
  void flush() {
    Map<String, List<Answer>> ready = byAddress;
    byAddress = new HashMap<>();
    ready.forEach(
        (replyTo, answers) -> {
          for (int from = 0; from < answers.size(); from += PurchaseBatch.MAX_PURCHASES) {
            int to = Math.min(from + PurchaseBatch.MAX_PURCHASES, answers.size());
            bus.send(replyTo, new PurchaseReplies(answers.subList(from, to)));
          }
        });
  }
}

package io.seckill.engine;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What this node knows of items, shared by its verticles: written by the one that keeps the board,
 * read by all. Safe for use from all threads, because what it holds is immutable and replaced
 * whole.
 */
final class SoldOutState {

  private volatile Map<ItemId, ItemView> views = Map.of();
  private volatile Prover prover = new Prover(null, () -> Future.failedFuture("no board yet"));

  /** Who can look again, and on which event loop. */
  private record Prover(Context context, Supplier<Future<Void>> readTwice) {}

  /** Replaces all views. */
  void publish(Map<ItemId, ItemView> latest) {
    views = Map.copyOf(latest);
  }

  /** Says how to look at all shards twice at once. */
  void proveWith(Context context, Supplier<Future<Void>> readTwice) {
    prover = new Prover(context, readTwice);
  }

  /** The views as they are now. */
  Map<ItemId, ItemView> views() {
    return views;
  }

  /** Units left as of the latest board; 0 for an unknown item. */
  long remaining(ItemId item) {
    ItemView view = views.get(item);
    return view == null ? 0 : view.remaining();
  }

  /**
   * Whether any of the items is sold out, looking again where it is not known. To be called on an
   * event loop; completes there, within two rounds of reading.
   */
  Future<Boolean> prove(List<ItemId> items) {
    if (anySoldOut(items)) {
      return Future.succeededFuture(true);
    }
    Prover current = prover;
    if (current.context == null) {
      return Future.succeededFuture(false);
    }
    Context caller = Vertx.currentContext();
    Promise<Boolean> proof = Promise.promise();
    current.context.runOnContext(
        turn ->
            current
                .readTwice
                .get()
                .onComplete(
                    looked -> caller.runOnContext(back -> proof.complete(anySoldOut(items)))));
    return proof.future();
  }

  private boolean anySoldOut(List<ItemId> items) {
    for (ItemId item : items) {
      ItemView view = views.get(item);
      if (view != null && view.soldOut()) {
        return true;
      }
    }
    return false;
  }
}

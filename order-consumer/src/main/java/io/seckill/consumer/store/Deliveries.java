package io.seckill.consumer.store;

import io.seckill.common.id.EntryId;
import io.vertx.core.Future;
import java.util.List;

/**
 * Counts how often an entry was given out. Whoever counts must outlive the process: an entry that
 * nobody can store is tried again after every restart.
 */
@FunctionalInterface
public interface Deliveries {

  /**
   * Has an entry given out once more.
   *
   * @param place the number of the change
   * @return how often the entry that it is in was given out by now, to whomever
   */
  Future<Long> again(EntryId place);

  /**
   * Some of the changes that stand behind one in the log and can be read, next ones first; empty
   * when there are none.
   */
  default Future<List<Received>> behind(EntryId place) {
    return Future.succeededFuture(List.of());
  }
}

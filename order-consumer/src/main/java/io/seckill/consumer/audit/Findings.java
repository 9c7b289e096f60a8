package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Findings of one audit, each once, as many as a report carries. Belongs to one event loop. */
final class Findings {

  private static final int MAX = 100;

  private final Set<Finding> list = new LinkedHashSet<>();
  private boolean any;

  void add(Optional<Finding> finding) {
    finding.ifPresent(this::add);
  }

  void add(Finding finding) {
    any = true;
    if (list.size() < MAX) {
      list.add(finding);
    }
  }

  /** Whether a report has no room for more; one kind of fault must not be looked at for ever. */
  boolean isFull() {
    return list.size() >= MAX;
  }

  boolean isClean() {
    return !any;
  }

  List<Finding> list() {
    return List.copyOf(list);
  }
}

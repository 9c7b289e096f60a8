package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Findings of one audit, as many as a report carries. Belongs to one event loop. */
final class Findings {

  private static final int MAX = 100;

  private final List<Finding> list = new ArrayList<>();
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

  boolean isClean() {
    return !any;
  }

  List<Finding> list() {
    return list;
  }
}

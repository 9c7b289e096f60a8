package io.seckill.consumer.db;

import io.vertx.core.VertxException;
import io.vertx.mysqlclient.MySQLException;
import java.util.Set;

/** Sorts what MySQL fails with. Error numbers are the same in MySQL and MariaDB. */
public final class SqlFailures {

  private static final int DUPLICATE = 1062;

  /** Lock wait, deadlock, and a key that another transaction wrote first. */
  private static final Set<Integer> CONFLICTS = Set.of(1205, 1213, DUPLICATE);

  /**
   * What the data itself is refused for: bad null, truncated and out-of-range values, broken JSON,
   * broken foreign text, numbers that overflow.
   */
  private static final Set<Integer> DATA =
      Set.of(1048, 1264, 1265, 1292, 1366, 1406, 1690, 3140, 3141, 3156, 4025, 4038, 4174);

  private SqlFailures() {}

  /** Whether another transaction was in the way and the same work may succeed at once. */
  public static boolean isConflict(Throwable failure) {
    return failure instanceof MySQLException e && CONFLICTS.contains(e.getErrorCode());
  }

  /** Whether a key was there already. */
  public static boolean isDuplicate(Throwable failure) {
    return failure instanceof MySQLException e && e.getErrorCode() == DUPLICATE;
  }

  /** Whether the values can never be stored. */
  public static boolean isData(Throwable failure) {
    return failure instanceof ArithmeticException
        || (failure instanceof MySQLException e && DATA.contains(e.getErrorCode()));
  }

  /**
   * Whether our own code failed, and nobody knows why: what the server or the way to it says is no
   * such failure, and neither is a process without memory or with half of its classes.
   */
  public static boolean isUnexplained(Throwable failure) {
    boolean isProcess =
        failure instanceof LinkageError
            || (failure instanceof VirtualMachineError && !(failure instanceof StackOverflowError));
    return (failure instanceof RuntimeException || failure instanceof Error)
        && !(failure instanceof VertxException)
        && !isProcess;
  }

  /**
   * A bounded name for metrics and logs: the error number, or the kind of failure.
   *
   * @return such as {@code 1213} or {@code ClosedConnectionException}
   */
  public static String nameOf(Throwable failure) {
    return failure instanceof MySQLException e
        ? Integer.toString(e.getErrorCode())
        : failure.getClass().getSimpleName();
  }
}

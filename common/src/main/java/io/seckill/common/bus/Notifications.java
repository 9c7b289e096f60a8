package io.seckill.common.bus;

import io.seckill.common.order.NotificationState;
import java.util.List;

/**
 * A page of notifications.
 *
 * @param notifications by id ascending
 * @param more whether there are further ones
 */
public record Notifications(List<Notification> notifications, boolean more) {

  /** Copies the list. */
  public Notifications {
    notifications = List.copyOf(notifications);
  }

  /**
   * One notification.
   *
   * @param id rises with time; the receiver knows it by this
   * @param event what it tells
   * @param state how far it has come
   * @param tries calls that were begun since it was new, or an operator had it tried again
   * @param failure what the latest failed call said, empty when none failed
   */
  public record Notification(
      long id, OrderEvent event, NotificationState state, int tries, String failure) {}
}

package io.seckill.common.bus;

import io.seckill.common.order.NotificationState;

/**
 * Asks for a page of notifications.
 *
 * @param state those that stand so
 * @param after the id that ended the page before; 0 for the first page
 * @param limit 1 … 100
 */
public record NotificationsQuery(NotificationState state, long after, int limit) {}

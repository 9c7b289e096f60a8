package io.seckill.common.bus;

/**
 * Has a dead notification tried again, as often as a new one, under its id; of one that waits it
 * changes nothing. NOT_FOUND when there is none; CONFLICT when the receiver has taken it, or when
 * nobody is to be told. Asking again after a time-out is harmless.
 *
 * @param id of the notification
 */
public record NotificationRetry(long id) {}

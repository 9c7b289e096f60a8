/** Collects the facts of Redis and MySQL for the checkers of {@code common/audit}. */
package io.seckill.consumer.audit;

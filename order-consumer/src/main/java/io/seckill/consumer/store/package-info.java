/**
 * Writes log entries to MySQL: what a run of entries changes, in one transaction, whatever it
 * takes.
 */
package io.seckill.consumer.store;

/** The truth about regions, shards, items and moves. */
package io.seckill.consumer.ledger;

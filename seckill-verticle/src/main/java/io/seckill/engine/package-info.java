/**
 * The decision engine: batches purchases, opens shards, brings items to them and knows what is sold
 * out. The only part that changes stock.
 */
package io.seckill.engine;

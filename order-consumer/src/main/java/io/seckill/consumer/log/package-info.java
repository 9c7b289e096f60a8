/** Reads the logs of the region's shards, and acknowledges what is stored. */
package io.seckill.consumer.log;

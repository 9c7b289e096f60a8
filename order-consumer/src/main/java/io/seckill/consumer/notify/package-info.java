/** Tells gateways at once, and a receiver outside for certain, what became of orders. */
package io.seckill.consumer.notify;

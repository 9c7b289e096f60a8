/** Tells buyers what became of their wins. */
package io.seckill.consumer.orders;

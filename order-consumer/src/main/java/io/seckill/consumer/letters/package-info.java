/** Dead letters, as operators see and end them. */
package io.seckill.consumer.letters;

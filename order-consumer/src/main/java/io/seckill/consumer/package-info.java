/** Log to MySQL, orders, ledger and audit: the only role that touches MySQL. */
package io.seckill.consumer;

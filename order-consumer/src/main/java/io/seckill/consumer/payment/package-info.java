/** Paying for orders: payments, what the provider says of them, refunds, reconciliation. */
package io.seckill.consumer.payment;

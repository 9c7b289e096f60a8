/** The way to MySQL: pool, statements, migrations. */
package io.seckill.consumer.db;

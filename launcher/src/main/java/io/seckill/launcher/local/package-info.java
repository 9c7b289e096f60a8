/** A whole system on one machine: embedded servers, secrets, schema and a node. */
package io.seckill.launcher.local;

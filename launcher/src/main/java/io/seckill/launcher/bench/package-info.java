/**
 * Measures the engine beside its baselines on the same servers, without HTTP, and audits what it
 * sold: {@code bench engine} and {@code bench memory}. The verdict is the audit's; no speed enters
 * it.
 */
package io.seckill.launcher.bench;

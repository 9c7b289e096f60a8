/**
 * A payment provider to try the system with: it shows a page, signs callbacks, and fails as it is
 * told. No money moves.
 */
package io.seckill.launcher.sandbox;

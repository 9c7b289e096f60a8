// One click, one key. The key is kept over every retry and over a reload of the page, so however
// often the request has to be sent, it leads to one order.

import * as api from './api.js';

const PENDING = 'seckill.pending.';
const GIVE_UP_AFTER_MS = 30000;
const RETRYABLE = new Set(['BUSY', 'UNAVAILABLE', 'OUTCOME_UNKNOWN', 'RATE_LIMITED', 'REQUEST_TIMEOUT']);

/** The purchase of an item that has not had its answer, null when there is none. */
export function pending(itemId) {
  const stored = sessionStorage.getItem(PENDING + itemId);
  return stored ? JSON.parse(stored) : null;
}

/**
 * Buys, and repeats until there is an answer or half a minute is over.
 *
 * @param onRetry told of each refusal or lost connection that leads to a retry (a code, or null)
 * @returns {Promise<{orderId: string}>} the order; fails with Refused for a final refusal, and with
 *     a plain Error when no answer could be had: then the key is kept for the next click
 */
export async function buy(itemId, quantity, onRetry) {
  const wish = pending(itemId) ?? { quantity, key: freshKey() };
  sessionStorage.setItem(PENDING + itemId, JSON.stringify(wish));
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const win = await api.purchase(itemId, wish.quantity, wish.key);
      sessionStorage.removeItem(PENDING + itemId);
      return win;
    } catch (e) {
      const refused = e instanceof api.Refused;
      if (refused && !RETRYABLE.has(e.code)) {
        sessionStorage.removeItem(PENDING + itemId);
        throw e;
      }
      const waitMs = Math.max(refused ? e.retryAfterMs : 0, 500 * 2 ** Math.min(attempt, 3));
      if (Date.now() + waitMs > deadline) {
        throw new Error('no answer');
      }
      onRetry(refused ? e.code : null);
      // Spread, so that a crowd that was refused together does not come back together.
      await new Promise((resolve) => setTimeout(resolve, waitMs * (1 + Math.random() / 2)));
    }
  }
}

function freshKey() {
  // Not randomUUID: that exists on secure origins only, and a demo runs on plain HTTP.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

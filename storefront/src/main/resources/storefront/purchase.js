// One click, one key. The key is kept over every retry and over a reload of the page, so however
// often the request has to be sent, it leads to one order.

import * as api from './api.js';
import { patiently } from './retry.js';

const PENDING = 'seckill.pending.';

/** The purchase of an item that has not had its answer, null when there is none. */
export function pending(itemId) {
  const stored = sessionStorage.getItem(PENDING + itemId);
  return stored ? JSON.parse(stored) : null;
}

/**
 * Buys.
 *
 * @param onRetry told of each refusal or lost connection that leads to a retry (a code, or null)
 * @returns {Promise<{orderId: string}>} the order; fails with Refused for a final refusal, and with
 *     a plain Error when no answer could be had: then the key is kept for the next click
 */
export async function buy(itemId, quantity, onRetry) {
  const wish = pending(itemId) ?? { quantity, key: freshKey() };
  sessionStorage.setItem(PENDING + itemId, JSON.stringify(wish));
  try {
    const win = await patiently(() => api.purchase(itemId, wish.quantity, wish.key), onRetry);
    sessionStorage.removeItem(PENDING + itemId);
    return win;
  } catch (e) {
    if (e instanceof api.Refused) sessionStorage.removeItem(PENDING + itemId);
    throw e;
  }
}

function freshKey() {
  // Not randomUUID: that exists on secure origins only, and a demo runs on plain HTTP.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

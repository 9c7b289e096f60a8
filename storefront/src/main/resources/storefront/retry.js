// Asks again where a "no" may only mean "not now".

import { Refused } from './api.js';

const GIVE_UP_AFTER_MS = 30000;
const RETRYABLE = new Set(['BUSY', 'UNAVAILABLE', 'OUTCOME_UNKNOWN', 'RATE_LIMITED', 'REQUEST_TIMEOUT']);

/**
 * Calls, and repeats until there is an answer or half a minute is over. The call must be one that may
 * be sent any number of times.
 *
 * @param onRetry told of each refusal or lost connection that leads to a retry (a code, or null)
 * @returns what the call gives; fails with Refused for a final refusal, and with a plain Error when no
 *     answer could be had
 */
export async function patiently(call, onRetry) {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (e) {
      const refused = e instanceof Refused;
      if (refused && !RETRYABLE.has(e.code)) throw e;
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

// Speaks to the storefront API. Knows the session and the server's clock.

const SESSION = 'seckill.session';
const TIMEOUT_MS = 8000;

let offsetMs = 0;

/** A refusal by the API: a problem with its code, and when to come again. */
export class Refused extends Error {
  constructor(problem, retryAfterMs) {
    super(problem.code);
    this.code = problem.code;
    this.orderId = problem.orderId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server's time now, epoch milliseconds; good to about half a round trip. */
export function serverNow() {
  return Date.now() + offsetMs;
}

/** The session, null when there is none. */
export function session() {
  const stored = sessionStorage.getItem(SESSION);
  return stored ? JSON.parse(stored) : null;
}

/** Gets a development session when there is none; null where the server gives none. */
export async function ensureSession() {
  const known = session();
  if (known && Date.parse(known.expiresAt) > Date.now()) {
    return known;
  }
  try {
    const fresh = await call('POST', '/api/v1/dev/session');
    sessionStorage.setItem(SESSION, JSON.stringify(fresh));
    return fresh;
  } catch (e) {
    if (e instanceof Refused && e.code === 'NOT_FOUND') {
      return null;
    }
    throw e;
  }
}

/** Forgets a session that the server does not take any more. */
export function dropSession() {
  sessionStorage.removeItem(SESSION);
}

/** All items. */
export async function items() {
  const sent = Date.now();
  const page = await call('GET', '/api/v1/items');
  // A cache may hold the page for a second, so only a larger offset is news worth having.
  const estimate = Date.parse(page.serverTime) - (sent + Date.now()) / 2;
  offsetMs = offsetMs === 0 || estimate > offsetMs || estimate < offsetMs - 1500 ? estimate : offsetMs;
  return page.items;
}

/** Buys; the same key may be sent any number of times. */
export function purchase(itemId, quantity, key) {
  return call('POST', `/api/v1/items/${itemId}/purchases`, { quantity }, { 'Idempotency-Key': key });
}

/** One order. */
export function order(orderId) {
  return call('GET', `/api/v1/orders/${orderId}`);
}

/** The latest orders. */
export async function orders() {
  return (await call('GET', '/api/v1/orders')).orders;
}

async function call(method, path, body, more = {}) {
  const headers = { ...more };
  const known = session();
  if (known) {
    headers.Authorization = `Bearer ${known.token}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Refused(answer, Number(response.headers.get('Retry-After') ?? 0) * 1000);
  }
  return answer;
}

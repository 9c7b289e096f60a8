// Speaks to the storefront API. Knows the session and the server's clock.

const SESSION = 'seckill.session';
const TIMEOUT_MS = 8000;

// What the server's time is ahead of performance.now(), by the answer that tells most: when an answer
// comes, the time that it names has passed for certain, be it from a cache or slow on its way. The
// shortest round trip so far says how much more than that has passed.
let passedMs = -Infinity;
let shortestMs = Infinity;
let shownMs = -Infinity;

/** The signing-in that is under way, one for all calls that wait for it. */
let renewal = null;

/** A refusal by the API: a problem with its code, and when to come again. */
export class Refused extends Error {
  constructor(problem, retryAfterMs) {
    super(problem.code);
    this.code = problem.code;
    this.orderId = problem.orderId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server's time now, epoch milliseconds; good to about half a round trip, never turned back. */
export function serverNow() {
  if (passedMs === -Infinity) return Date.now();
  shownMs = Math.max(shownMs, performance.now() + passedMs + shortestMs / 2);
  return shownMs;
}

function hearTime(serverTime, sentAt, cameAt) {
  passedMs = Math.max(passedMs, Date.parse(serverTime) - cameAt);
  shortestMs = Math.min(shortestMs, cameAt - sentAt);
}

/** The session, null when there is none. */
export function session() {
  const stored = sessionStorage.getItem(SESSION);
  return stored ? JSON.parse(stored) : null;
}

/** Gets a development session when there is none; null where the server gives none. */
export async function ensureSession() {
  const known = session();
  return known && Date.parse(known.expiresAt) > serverNow() ? known : freshSession();
}

/** Signs in anew, as the same user where there was one, so that his orders and keys stay his. */
async function freshSession() {
  const user = session()?.user;
  try {
    const fresh = await call('POST', '/api/v1/dev/session', user ? { user } : undefined);
    sessionStorage.setItem(SESSION, JSON.stringify(fresh));
    return fresh;
  } catch (e) {
    if (e instanceof Refused && e.code === 'NOT_FOUND') {
      sessionStorage.removeItem(SESSION);
      return null;
    }
    throw e;
  }
}

/** All items. */
export async function items() {
  const sentAt = performance.now();
  const page = await call('GET', '/api/v1/items');
  hearTime(page.serverTime, sentAt, performance.now());
  return page.items;
}

/** Buys; the same key may be sent any number of times. */
export function purchase(itemId, quantity, key) {
  return callSignedIn('POST', `/api/v1/items/${itemId}/purchases`, { quantity }, { 'Idempotency-Key': key });
}

/** One order. */
export function order(orderId) {
  return callSignedIn('GET', `/api/v1/orders/${orderId}`);
}

/** Gives an order up; may be asked any number of times. */
export function cancelOrder(orderId) {
  return callSignedIn('DELETE', `/api/v1/orders/${orderId}`);
}

/** Begins to pay an order; asked again it gives the same payment. */
export function startPayment(orderId) {
  return callSignedIn('POST', `/api/v1/orders/${orderId}/payment`);
}

/** The latest orders. */
export async function orders() {
  return (await callSignedIn('GET', '/api/v1/orders')).orders;
}

/** The own place in line; refused as NOT_FOUND for whoever is not in it. */
export function place(itemId) {
  return callSignedIn('GET', `/api/v1/items/${itemId}/waitlist`);
}

/** Joins the line for an item that is sold out; may be asked any number of times. */
export function joinWaitlist(itemId) {
  return callSignedIn('POST', `/api/v1/items/${itemId}/waitlist`);
}

/** Leaves the line; may be asked any number of times. */
export function leaveWaitlist(itemId) {
  return callSignedIn('DELETE', `/api/v1/items/${itemId}/waitlist`);
}

/** Opens the stream of news; gives the response, whose body goes on until it is aborted. */
export async function openEvents(itemIds, lastId, signal) {
  await ensureSession();
  const query = itemIds ? `?items=${itemIds}` : '';
  return signedIn(async () => {
    const headers = bearer();
    if (lastId) headers['Last-Event-ID'] = lastId;
    const response = await fetch(`/api/v1/events${query}`, { headers, signal });
    if (!response.ok) throw await refusalOf(response);
    return response;
  });
}

/** Calls as somebody. */
function callSignedIn(method, path, body, more) {
  return signedIn(() => call(method, path, body, more));
}

/** Asks as somebody; a session that the server does not take any more is replaced, once. */
async function signedIn(ask) {
  const used = session()?.token;
  try {
    return await ask();
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== 'UNAUTHENTICATED') throw e;
    if (session()?.token === used) {
      renewal ??= freshSession().finally(() => { renewal = null; });
      if (!(await renewal)) throw e;
    }
    return ask();
  }
}

function bearer() {
  const known = session();
  return known ? { Authorization: `Bearer ${known.token}` } : {};
}

async function call(method, path, body, more = {}) {
  const headers = { ...bearer(), ...more };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw await refusalOf(response);
  return response.status === 204 ? null : response.json();
}

async function refusalOf(response) {
  return new Refused(
    await response.json(), Number(response.headers.get('Retry-After') ?? 0) * 1000);
}

// The buyer's orders: a row each. One that waits for payment shows how long it still does, and can be
// paid or given up.

import * as api from './api.js';
import { element, say } from './dom.js';
import { patiently } from './retry.js';
import { clock, money, orderRefusalText, words } from './text.js';

/** Rows by order id: the elements that change, and what was last said to the buyer. */
const rows = new Map();
const none = element('li');

/** Whether an order will change by itself within a while. */
export function isWaiting(order) {
  return order.status === 'ACCEPTED' || order.status === 'PENDING_PAYMENT'
    || order.status === 'REFUND_PENDING';
}

/**
 * Draws the list.
 *
 * @param root the list's element
 * @param orders newest first
 * @param nameOf the name of an item by its id
 * @param changed called when an order was changed here
 */
export function drawOrders(root, orders, nameOf, changed) {
  const present = new Set(orders.map((order) => order.orderId));
  for (const id of rows.keys()) {
    if (!present.has(id)) rows.delete(id);
  }
  const drawn = orders.map((order) => drawOrder(order, nameOf, changed));
  none.textContent = words().noOrders;
  const wanted = drawn.length > 0 ? drawn : [none];
  // Rows that stay are left where they are, so that a focused button keeps its focus.
  if (wanted.length !== root.children.length
      || wanted.some((row, i) => row !== root.children[i])) {
    root.replaceChildren(...wanted);
  }
}

function drawOrder(order, nameOf, changed) {
  let row = rows.get(order.orderId);
  if (!row) {
    row = makeRow(order.orderId, changed);
    rows.set(order.orderId, row);
  }
  const t = words();
  const lines = (order.lines ?? []).map((line) => `${nameOf(line.itemId)} × ${line.quantity}`);
  const pending = order.status === 'PENDING_PAYMENT' && order.payBy !== undefined;
  const leftMs = pending ? Date.parse(order.payBy) - api.serverNow() : 0;
  row.what.textContent = lines.join(', ');
  row.status.textContent = (order.status === 'CANCELLED' && t.reason[order.reason])
    || (t.status[order.status] ?? order.status);
  row.price.textContent = order.currency ? money(order.totalMinor, order.currency) : '';
  row.time.textContent = !pending ? '' : leftMs > 0 ? t.payWithin(clock(leftMs)) : t.timeIsOver;
  for (const [button, text] of [[row.pay, t.pay], [row.cancel, t.cancel]]) {
    button.hidden = !pending;
    button.disabled = row.busy || leftMs <= 0;
    button.textContent = text;
    button.setAttribute('aria-label', `${text}: ${row.what.textContent}`);
  }
  say(row.said, row.say());
  return row.root;
}

function makeRow(orderId, changed) {
  const row = {
    root: element('li', 'order'),
    what: element('span', 'what'),
    status: element('span', 'status'),
    price: element('span', 'price'),
    time: element('span', 'time'),
    pay: element('button', 'pay'),
    cancel: element('button', 'cancel'),
    said: element('span', 'said'),
    say: () => '',
    busy: false,
  };
  row.pay.type = 'button';
  row.cancel.type = 'button';
  row.said.setAttribute('role', 'status');
  row.pay.addEventListener('click', () => act(row, changed, async (onRetry) => {
    const payment = await patiently(() => api.startPayment(orderId), onRetry);
    window.location.assign(payment.redirectUrl);
  }));
  row.cancel.addEventListener('click', () => {
    if (window.confirm(words().cancelSure)) {
      act(row, changed, (onRetry) => patiently(() => api.cancelOrder(orderId), onRetry));
    }
  });
  row.root.append(row.what, row.status, row.price, element('code', '', orderId), row.time, row.pay,
    row.cancel, row.said);
  return row;
}

/** Does one thing to an order at a time, and lets the list be read anew whatever came of it. */
async function act(row, changed, what) {
  if (row.busy) return;
  row.busy = true;
  row.say = () => words().waiting;
  try {
    await what((code) => {
      row.say = () => words().retrying(code ? orderRefusalText(code) : words().network);
    });
    row.say = () => '';
  } catch (e) {
    row.say = e instanceof api.Refused ? () => orderRefusalText(e.code) : () => words().noAnswer;
  } finally {
    row.busy = false;
    changed();
  }
}

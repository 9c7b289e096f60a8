// The page: draws what the API says, as the server tells it and after each click. Where it does not
// tell by itself, the page asks once a second.

import * as api from './api.js';
import { element, say } from './dom.js';
import { follow, isLive } from './live.js';
import { drawOrders, isWaiting } from './orders.js';
import { buy, pending } from './purchase.js';
import { clock, languageTag, money, refusalText, switchLanguage, words } from './text.js';
import {
  drawLine, hearNews, isUnheard, isUnknown, lookForPlace, makeLine, waitedFor,
} from './waitlist.js';

const REFRESH_MS = 1000;

// While the server tells by itself what happens.
const LIVE_REFRESH_MS = 10000;

// One stream can name so many items; others are only polled.
const MAX_FOLLOWED = 20;

const PLACE_POLL_MS = 3000;
const ORDER_POLL_MS = 1000;
const MAX_ORDER_POLLS = 60;
const WAITING_ORDERS_POLL_MS = 3000;

const page = {
  title: document.getElementById('title'),
  who: document.getElementById('who'),
  language: document.getElementById('language'),
  notice: document.getElementById('notice'),
  items: document.getElementById('items'),
  ordersTitle: document.getElementById('orders-title'),
  orders: document.getElementById('orders'),
};

/** Cards by item id: the elements that change, and what was last said to the buyer. */
const cards = new Map();
let items = [];
let user = null;

/** Null until they were read once. */
let orders = null;

/** The reads of the orders that are under way and to come: at most one each. */
let reading = null;
let nextRead = null;

/** Where an item stands at the server's time. */
function phase(item) {
  const now = api.serverNow();
  if (item.state === 'ENDED' || now >= Date.parse(item.endsAt)) return 'over';
  if (item.state === 'CREATED' || item.state === 'PREPARED') return 'soon';
  if (now < Date.parse(item.startsAt)) return 'ahead';
  if (item.state === 'PAUSED') return 'paused';
  return item.soldOut ? 'soldOut' : 'open';
}

function makeCard(item) {
  const card = {
    root: element('article', 'item'),
    name: element('h2', 'name'),
    price: element('p', 'price'),
    phase: element('p', 'phase'),
    time: element('p', 'time'),
    left: element('p', 'left'),
    limit: element('p', 'limit'),
    form: element('form', 'buy'),
    quantityLabel: element('label'),
    quantity: element('select'),
    button: element('button'),
    said: element('p', 'said'),
    line: makeLine(item.itemId, () => draw()),
    say: () => '',
    busy: false,
  };
  card.quantity.id = `quantity-${item.itemId}`;
  card.quantityLabel.htmlFor = card.quantity.id;
  card.button.type = 'submit';
  card.said.setAttribute('role', 'status');
  card.form.append(card.quantityLabel, card.quantity, card.button);
  card.form.addEventListener('submit', (event) => {
    event.preventDefault();
    click(item.itemId, card);
  });
  if (item.picture) {
    const picture = element('img', 'picture');
    picture.src = item.picture;
    picture.alt = '';
    card.root.append(picture);
  }
  card.root.append(
    card.name, card.price, card.phase, card.time, card.left, card.limit, card.form, card.said,
    card.line.root);
  return card;
}

/** The most units that one click can ask for. */
function mostAtOnce(item) {
  return item.group ? Math.min(item.limitPerUser, item.group.limitPerUser) : item.limitPerUser;
}

/** An operator may change the limit while the page is open; what was chosen stays if it can. */
function offerQuantities(select, most) {
  if (select.length === most) return;
  const chosen = Math.min(Number(select.value) || 1, most);
  select.replaceChildren(
    ...Array.from({ length: most }, (_, i) => element('option', '', String(i + 1))));
  select.value = String(chosen);
}

function drawItem(item) {
  let card = cards.get(item.itemId);
  if (!card) {
    card = makeCard(item);
    cards.set(item.itemId, card);
    page.items.append(card.root);
  }
  const t = words();
  const at = phase(item);
  const now = api.serverNow();
  card.root.dataset.phase = at;
  card.name.textContent = item.name;
  card.price.textContent = money(item.priceMinor, item.currency);
  card.phase.textContent = t.phase[at];
  card.time.textContent =
    at === 'ahead' ? t.opensIn(clock(Date.parse(item.startsAt) - now))
      : at === 'open' || at === 'paused' ? t.endsIn(clock(Date.parse(item.endsAt) - now)) : '';
  card.left.textContent = at === 'open' ? t.left(item.remaining) : '';
  card.limit.textContent = item.group
    ? t.groupLimit(item.limitPerUser, item.group.limitPerUser) : t.limit(item.limitPerUser);
  card.quantityLabel.textContent = t.quantity;
  // What was sent and has no answer yet stays as it was: the next click sends the same again.
  const wish = pending(item.itemId);
  offerQuantities(card.quantity, Math.max(mostAtOnce(item), wish ? wish.quantity : 1));
  if (wish) card.quantity.value = String(wish.quantity);
  card.button.textContent = card.busy ? t.waiting : t.buy;
  // A click that has no answer yet may go on although the item has sold out meanwhile.
  card.button.disabled = card.busy || !user || !(at === 'open' || wish);
  card.quantity.disabled = card.busy || Boolean(wish) || mostAtOnce(item) === 1;
  say(card.said, card.say());
  drawLine(card.line, item, at === 'soldOut', Boolean(user));
}

function draw() {
  const t = words();
  document.documentElement.lang = languageTag();
  document.title = t.title;
  page.title.textContent = t.title;
  page.language.textContent = t.otherLanguage;
  page.ordersTitle.textContent = t.myOrders;
  say(page.who, user ? t.signedInAs(user) : '');
  const present = new Set(items.map((item) => item.itemId));
  for (const [id, card] of cards) {
    if (!present.has(id)) {
      card.root.remove();
      cards.delete(id);
    }
  }
  items.forEach(drawItem);
  if (orders) drawOrders(page.orders, orders, nameOf, readOrders);
}

/** The id stands for an item that is no longer shown. */
function nameOf(itemId) {
  return items.find((each) => each.itemId === itemId)?.name ?? itemId;
}

async function click(itemId, card) {
  if (card.busy) return;
  card.busy = true;
  card.say = () => '';
  draw();
  try {
    const win = await buy(itemId, Number(card.quantity.value), (code) => {
      card.say = () => words().retrying(code ? refusalText(code) : words().network);
      draw();
    });
    card.say = () => words().won(win.orderId);
    followOrder(win.orderId);
  } catch (e) {
    if (e instanceof api.Refused) {
      card.say = () => refusalText(e.code);
      if (e.code === 'UNAUTHENTICATED') await signIn();
      if (e.orderId) followOrder(e.orderId);
    } else {
      card.say = () => words().gaveUp;
    }
  } finally {
    card.busy = false;
    draw();
  }
}

/** Polls an order until it is stored: before that the list may not have it. */
async function followOrder(orderId) {
  for (let i = 0; i < MAX_ORDER_POLLS; i += 1) {
    await readOrders();
    try {
      if ((await api.order(orderId)).status !== 'ACCEPTED') break;
    } catch (e) {
      // A poll that fails is asked again; the order itself is safe.
    }
    await new Promise((resolve) => setTimeout(resolve, ORDER_POLL_MS));
  }
  await readOrders();
}

/** Reads the orders. One read answers all who ask while the one before is under way. */
function readOrders() {
  if (!reading) {
    reading = readOrdersNow().finally(() => { reading = null; });
    return reading;
  }
  nextRead ??= reading.then(() => {
    nextRead = null;
    return readOrders();
  });
  return nextRead;
}

async function readOrdersNow() {
  if (!user) return;
  try {
    orders = await api.orders();
  } catch (e) {
    return; // The list stays as it is; the next click or poll reads it again.
  }
  draw();
}

/** What the server tells by itself. */
function hear(name, told) {
  if (name === 'item') {
    const item = items.find((each) => each.itemId === told.itemId);
    if (!item) return;
    item.state = told.state;
    item.soldOut = told.soldOut;
    item.remaining = told.remaining;
    item.waiting = told.waiting;
    if (told.waiting === 0) hearOfPlace(told.itemId, null, 0);
  } else if (name === 'place') {
    hearOfPlace(told.itemId, told.place, told.waiting);
  } else if (name === 'order') {
    readOrders();
    if (told.promoted) lookForPlaces(waitedFor());
  }
  draw();
}

function hearOfPlace(itemId, place, waiting) {
  if (hearNews(itemId, place, waiting) && place === null) outOfLine(itemId);
}

/** Who is out of line without having left it has an order now, as a rule. */
async function outOfLine(itemId) {
  await readOrders();
  const card = cards.get(itemId);
  const his = orders?.find((order) => order.promoted && order.status === 'PENDING_PAYMENT'
    && order.lines?.some((line) => line.itemId === itemId));
  if (card && his) card.line.say = () => words().yourTurn;
  draw();
}

/** Where nobody tells them, places are asked for. */
async function readPlaces() {
  if (!user || document.hidden) return;
  const told = new Set(isLive() ? followed() : []);
  const wanted = new Set(waitedFor().filter((id) => !told.has(id) || isUnheard(id)));
  items.filter((item) => item.waiting > 0 && !told.has(item.itemId) && isUnknown(item.itemId))
    .forEach((item) => wanted.add(item.itemId));
  await lookForPlaces(wanted);
}

async function lookForPlaces(itemIds) {
  for (const itemId of itemIds) {
    if (await lookForPlace(itemId)) await outOfLine(itemId);
  }
  draw();
}

/** The items that one stream can name. */
function followed() {
  return items.slice(0, MAX_FOLLOWED).map((item) => item.itemId);
}

async function signIn() {
  const session = await api.ensureSession();
  user = session ? session.user : null;
  say(page.notice, user ? '' : words().signInNeeded);
}

async function refresh() {
  try {
    if (!user) await signIn();
    items = await api.items();
    if (user) follow(followed(), hear);
    if (user) say(page.notice, items.length === 0 ? words().noItems : '');
  } catch (e) {
    say(page.notice, words().offline);
  }
  draw();
}

page.language.addEventListener('click', () => {
  switchLanguage();
  draw();
});

draw();
await refresh();
await readOrders();
setInterval(draw, 250);
// An order is paid on another page, and its time may run out on this one.
setInterval(() => {
  if (!document.hidden && orders?.some(isWaiting)) readOrders();
}, WAITING_ORDERS_POLL_MS);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) readOrders();
});
setInterval(readPlaces, PLACE_POLL_MS);
let refreshedAt = performance.now();
setInterval(async () => {
  // The clock of the page is the server's, and items that are new are in nobody's stream.
  if (performance.now() - refreshedAt < (isLive() ? LIVE_REFRESH_MS : REFRESH_MS)) return;
  refreshedAt = Infinity;
  await refresh();
  refreshedAt = performance.now();
}, REFRESH_MS / 4);

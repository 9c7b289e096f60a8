// The line for an item that is sold out: joining, leaving, and the place in it.

import * as api from './api.js';
import { element, say } from './dom.js';
import { patiently } from './retry.js';
import { refusalText, words } from './text.js';

/** Places in line by item id; whoever is not there has none. */
const places = new Map();

/** Items whose place was asked for, or told, since the page was opened. */
const asked = new Set();

/** Items whose line was joined here, as long as the server's news have not said so. */
const unheard = new Set();

/** The place in line as it is known: {place, waiting}, or undefined. */
export function placeOf(itemId) {
  return places.get(itemId);
}

/** Items in whose line the buyer is. */
export function waitedFor() {
  return [...places.keys()];
}

/**
 * Whether the server's news do not know that the buyer is in line: somebody who is out again before
 * they do is told nothing.
 */
export function isUnheard(itemId) {
  return unheard.has(itemId);
}

/** The server told a place by itself; as hearPlace. */
export function hearNews(itemId, place, waiting) {
  unheard.delete(itemId);
  return hearPlace(itemId, place, waiting);
}

/** A place was told; null is for "no longer in line". Returns whether he was there before. */
function hearPlace(itemId, place, waiting) {
  const before = places.has(itemId);
  asked.add(itemId);
  if (place === null) {
    places.delete(itemId);
    unheard.delete(itemId);
  } else {
    places.set(itemId, { place, waiting });
  }
  return before;
}

/** Asks for the place in line; returns whether he was there before and is no longer. */
export async function lookForPlace(itemId) {
  try {
    const told = await api.place(itemId);
    hearPlace(itemId, told.place, told.waiting);
    return false;
  } catch (e) {
    if (!(e instanceof api.Refused) || e.code !== 'NOT_FOUND') return false;
    return hearPlace(itemId, null);
  }
}

/** Whether nobody has said yet if the buyer is in the line for this item. */
export function isUnknown(itemId) {
  return !asked.has(itemId);
}

/** The part of a card that shows the line. */
export function makeLine(itemId, changed) {
  const line = {
    root: element('div', 'line'),
    place: element('p', 'place'),
    button: element('button'),
    said: element('p', 'said'),
    say: () => '',
    busy: false,
  };
  line.button.type = 'button';
  line.said.setAttribute('role', 'status');
  line.button.addEventListener('click', () => act(itemId, line, changed));
  line.root.append(line.place, line.button, line.said);
  return line;
}

/** Draws it; it is there while the item is sold out or the buyer waits. */
export function drawLine(line, item, isSoldOut, isSignedIn) {
  const t = words();
  const mine = placeOf(item.itemId);
  line.root.hidden = !mine && !isSoldOut && !line.say();
  line.place.textContent = mine ? t.place(mine.place, mine.waiting)
    : item.waiting > 0 ? t.othersWait(item.waiting) : '';
  line.button.hidden = !mine && !isSoldOut;
  line.button.textContent = line.busy ? t.waiting : mine ? t.leaveLine : t.joinLine;
  line.button.setAttribute('aria-label', `${line.button.textContent}: ${item.name}`);
  line.button.disabled = line.busy || !isSignedIn;
  say(line.said, line.say());
}

async function act(itemId, line, changed) {
  if (line.busy) return;
  line.busy = true;
  line.say = () => '';
  changed();
  const retrying = (code) => {
    line.say = () => words().retrying(code ? refusalText(code) : words().network);
    changed();
  };
  try {
    if (placeOf(itemId)) {
      await patiently(() => api.leaveWaitlist(itemId), retrying);
      hearPlace(itemId, null);
      line.say = () => words().leftLine;
    } else {
      const told = await patiently(() => api.joinWaitlist(itemId), retrying);
      hearPlace(itemId, told.place, told.waiting);
      unheard.add(itemId);
      line.say = () => words().joinedLine;
    }
  } catch (e) {
    line.say = e instanceof api.Refused ? () => refusalText(e.code) : () => words().noAnswer;
  } finally {
    line.busy = false;
    changed();
  }
}

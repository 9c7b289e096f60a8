// News as it happens: one stream of server-sent events, read with fetch because it needs the token in
// a header. Whoever uses this polls as well, seldom while isLive() and often while not.

import * as api from './api.js';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30000;

// The server says something every 15 s at least.
const SILENCE_MS = 40000;

// Another page of the same buyer took this one's stream: there are only so many.
const REPLACED_WAIT_MS = 60000;

let live = false;
let stop = null;
let subscribed = '';
let lastId = '';

/** Whether news come by themselves right now. */
export function isLive() {
  return live;
}

/**
 * Keeps a stream open for these items, from now on.
 *
 * @param itemIds at most 20
 * @param hear gets the name of an event and its data
 */
export function follow(itemIds, hear) {
  const wanted = itemIds.join(',');
  if (stop && wanted === subscribed) return;
  stop?.abort();
  stop = new AbortController();
  subscribed = wanted;
  keepOpen(wanted, hear, stop.signal);
}

async function keepOpen(itemIds, hear, ended) {
  let waitMs = FIRST_WAIT_MS;
  while (!ended.aborted) {
    let reason = null;
    try {
      await read(itemIds, ended, (event) => {
        live = true;
        waitMs = FIRST_WAIT_MS;
        if (event.id) lastId = event.id;
        if (event.name === 'end') reason = JSON.parse(event.data).reason;
        else if (event.name) hear(event.name, JSON.parse(event.data));
      });
    } catch (e) {
      // Refused, or the connection was lost: both end in another try.
      waitMs = Math.max(waitMs, e instanceof api.Refused ? e.retryAfterMs : 0);
    }
    if (ended.aborted) return;
    live = false;
    const pauseMs = reason === 'REPLACED' ? REPLACED_WAIT_MS : waitMs;
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (1 + Math.random() / 2)));
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

/** Reads one stream to its end. */
async function read(itemIds, ended, hear) {
  const silent = new AbortController();
  const giveUp = () => silent.abort();
  ended.addEventListener('abort', giveUp);
  let timer = setTimeout(giveUp, SILENCE_MS);
  try {
    const response = await api.openEvents(itemIds, lastId, silent.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    hear({});
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(giveUp, SILENCE_MS);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop();
      blocks.forEach((block) => hear(parse(block)));
    }
  } finally {
    clearTimeout(timer);
    ended.removeEventListener('abort', giveUp);
  }
}

/** An event: our server writes each field once, on a line of its own. */
function parse(block) {
  const event = { name: '', id: '', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    const field = line.slice(0, colon);
    if (field === 'event') event.name = line.slice(colon + 2);
    else if (field === 'id') event.id = line.slice(colon + 2);
    else if (field === 'data') event.data = line.slice(colon + 2);
  }
  return event;
}

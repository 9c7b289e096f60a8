// All words of the page in both languages. Keys of refusals are the codes of the API.

const WORDS = {
  en: {
    title: 'Flash sale',
    otherLanguage: '中文',
    signedInAs: (user) => `Signed in as ${user}`,
    signInNeeded: 'Sign-in is needed: this server gives no development sessions.',
    offline: 'The shop cannot be reached right now; trying again.',
    noItems: 'Nothing is on sale.',
    myOrders: 'My orders',
    noOrders: 'No orders yet.',
    pay: 'Pay',
    cancel: 'Cancel order',
    cancelSure: 'Give this order up? Its units go to somebody else.',
    payWithin: (time) => `Pay within ${time}`,
    timeIsOver: 'The time to pay is over.',
    noAnswer: 'No answer could be had. Please try again.',
    opensIn: (time) => `Opens in ${time}`,
    endsIn: (time) => `Ends in ${time}`,
    left: (n) => `${n} left`,
    limit: (n) => `At most ${n} for each buyer`,
    groupLimit: (n, all) => `At most ${n} for each buyer, ${all} with all variants`,
    quantity: 'Quantity',
    buy: 'Buy now',
    waiting: 'Please wait …',
    retrying: (why) => `${why} Trying again …`,
    won: (id) => `Yours! Order ${id}`,
    gaveUp: 'No answer could be had. Press again: you will not be charged twice.',
    network: 'The connection was lost.',
    joinLine: 'Join the waitlist',
    leaveLine: 'Leave the waitlist',
    joinedLine: 'You are in line. What comes back goes to the next one, with time to pay.',
    leftLine: 'You have left the line.',
    place: (n, all) => `You are number ${n} of ${all} in line.`,
    othersWait: (n) => `${n} waiting in line`,
    yourTurn: 'It is your turn! An order waits for your payment.',
    phase: {
      soon: 'Coming soon', ahead: 'Not open yet', open: 'On sale', paused: 'Paused',
      soldOut: 'Sold out', over: 'Over',
    },
    status: {
      ACCEPTED: 'being stored', PENDING_PAYMENT: 'waiting for payment', PAID: 'paid',
      CANCELLED: 'cancelled', FAILED: 'could not be fulfilled', REFUND_PENDING: 'refund on its way',
      REFUNDED: 'refunded',
    },
    reason: {
      user: 'cancelled by you', timeout: 'not paid in time', admin: 'cancelled by the shop',
    },
    refusal: {
      NOT_READY: 'This item is not ready yet.',
      NOT_STARTED: 'The sale has not opened yet.',
      ENDED: 'The sale is over.',
      PAUSED: 'The sale is paused for a moment.',
      SOLD_OUT: 'Sold out.',
      INSUFFICIENT_STOCK: 'Fewer are left than you asked for.',
      LIMIT_REACHED: 'You have, or with this would have, more than one buyer may have.',
      RATE_LIMITED: 'That was too fast.',
      BUSY: 'Very many people are here right now.',
      UNAVAILABLE: 'A part of the shop is away for a moment.',
      OUTCOME_UNKNOWN: 'We do not know yet whether you got it.',
      UNAUTHENTICATED: 'Your session is over; please sign in again.',
      NOT_FOUND: 'This item is gone.',
      CONFLICT: 'You asked for something else before.',
      NOT_SOLD_OUT: 'Units are left: buy one.',
      WAITLIST_FULL: 'The waitlist is full.',
      other: (code) => `That did not work (${code}).`,
    },
    orderRefusal: {
      OUTCOME_UNKNOWN: 'We do not know yet whether it was done.',
      NOT_FOUND: 'This order is not there.',
      CONFLICT: 'This order cannot do that now.',
    },
  },
  zh: {
    title: '限时秒杀',
    otherLanguage: 'English',
    signedInAs: (user) => `当前用户：${user}`,
    signInNeeded: '需要登录：此服务器不提供开发会话。',
    offline: '暂时无法连接商店，正在重试。',
    noItems: '暂无商品。',
    myOrders: '我的订单',
    noOrders: '还没有订单。',
    pay: '去付款',
    cancel: '取消订单',
    cancelSure: '确定放弃此订单吗？商品将让给其他人。',
    payWithin: (time) => `请在 ${time} 内付款`,
    timeIsOver: '付款时间已过。',
    noAnswer: '没有得到答复，请重试。',
    opensIn: (time) => `距开始 ${time}`,
    endsIn: (time) => `距结束 ${time}`,
    left: (n) => `剩余 ${n} 件`,
    limit: (n) => `每人限购 ${n} 件`,
    groupLimit: (n, all) => `每人限购 ${n} 件，所有款式合计 ${all} 件`,
    quantity: '数量',
    buy: '立即抢购',
    waiting: '请稍候……',
    retrying: (why) => `${why}正在重试……`,
    won: (id) => `抢到了！订单号 ${id}`,
    gaveUp: '没有得到答复。请再点一次，不会重复下单。',
    network: '连接中断。',
    joinLine: '加入候补',
    leaveLine: '退出候补',
    joinedLine: '已加入候补。有库存退回时按顺序分配，您有时间付款。',
    leftLine: '已退出候补。',
    place: (n, all) => `候补第 ${n} 位，共 ${all} 人。`,
    othersWait: (n) => `候补 ${n} 人`,
    yourTurn: '轮到您了！请尽快付款。',
    phase: {
      soon: '即将上架', ahead: '尚未开始', open: '抢购中', paused: '已暂停', soldOut: '已售罄',
      over: '已结束',
    },
    status: {
      ACCEPTED: '正在生成', PENDING_PAYMENT: '待付款', PAID: '已付款', CANCELLED: '已取消',
      FAILED: '无法完成', REFUND_PENDING: '退款中', REFUNDED: '已退款',
    },
    reason: { user: '您已取消', timeout: '超时未付款', admin: '商家已取消' },
    refusal: {
      NOT_READY: '商品尚未就绪。',
      NOT_STARTED: '活动尚未开始。',
      ENDED: '活动已结束。',
      PAUSED: '活动暂停中。',
      SOLD_OUT: '已售罄。',
      INSUFFICIENT_STOCK: '剩余数量不足。',
      LIMIT_REACHED: '超出每人限购数量。',
      RATE_LIMITED: '操作太频繁。',
      BUSY: '当前人数过多。',
      UNAVAILABLE: '部分服务暂时不可用。',
      OUTCOME_UNKNOWN: '暂时无法确认结果。',
      UNAUTHENTICATED: '会话已过期，请重新登录。',
      NOT_FOUND: '商品不存在。',
      CONFLICT: '与您之前的请求不一致。',
      NOT_SOLD_OUT: '还有库存，请直接购买。',
      WAITLIST_FULL: '候补已满。',
      other: (code) => `操作未成功（${code}）。`,
    },
    orderRefusal: {
      OUTCOME_UNKNOWN: '暂时无法确认操作结果。',
      NOT_FOUND: '订单不存在。',
      CONFLICT: '此订单目前无法进行该操作。',
    },
  },
};

const STORED = 'seckill.language';
let language = localStorage.getItem(STORED) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');

/** The words of the present language. */
export function words() {
  return WORDS[language] ?? WORDS.en;
}

/** The language tag of the page. */
export function languageTag() {
  return language === 'zh' ? 'zh-CN' : 'en';
}

/** Changes to the other language and remembers it. */
export function switchLanguage() {
  language = language === 'zh' ? 'en' : 'zh';
  localStorage.setItem(STORED, language);
}

/** What a refusal to change or pay an order means. */
export function orderRefusalText(code) {
  const own = words().orderRefusal;
  return Object.hasOwn(own, code) ? own[code] : refusalText(code);
}

/** What a refusal to sell means. */
export function refusalText(code) {
  const known = words().refusal;
  return Object.hasOwn(known, code) && code !== 'other' ? known[code] : known.other(code);
}

/** Money in minor units as people read it. */
export function money(minor, currency) {
  const format = new Intl.NumberFormat(languageTag(), { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits;
  return format.format(minor / 10 ** digits);
}

/** A span of time as h:mm:ss. */
export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (n) => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}

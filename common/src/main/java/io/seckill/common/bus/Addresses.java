package io.seckill.common.bus;

/** The addresses of the event bus. Each names the role that answers. */
public final class Addresses {

  /**
   * Engine: {@link PurchaseBatch} → {@link Done}: it has them. What becomes of each is sent to the
   * batch's {@code replyTo}. {@link PurchaseSender} knows how to ask.
   */
  public static final String PURCHASE = "seckill.engine.purchase";

  /**
   * The start of the address of each {@link PurchaseSender}, sent there: {@link PurchaseReplies}.
   */
  public static final String PURCHASE_REPLIES_PREFIX = "seckill.purchase.replies.";

  /**
   * Engine: {@link WaitlistJoin} → {@link WaitlistPlace}; refused as a purchase is, and with
   * NOT_SOLD_OUT or WAITLIST_FULL.
   */
  public static final String JOIN_WAITLIST = "seckill.engine.waitlist.join";

  /** Engine: {@link WaitlistLeave} → {@link Done}: he does not wait, also when he never did. */
  public static final String LEAVE_WAITLIST = "seckill.engine.waitlist.leave";

  /** Engine: {@link PlacesQuery} → {@link Places}. */
  public static final String WAITLIST_PLACES = "seckill.engine.waitlist.places";

  /** Engine: {@link ItemChange} → {@link ItemChanged}: every shard that can be reached has it. */
  public static final String CHANGE_ITEM = "seckill.engine.item.change";

  /** Engine: {@link SalesChange} → {@link SalesRecord}: every shard that can be reached has it. */
  public static final String CHANGE_SALES = "seckill.engine.sales.change";

  /**
   * Engine: {@link BoardRequest} → {@link Board}: the board now, for a gateway that just started.
   */
  public static final String BOARD_NOW = "seckill.engine.board.now";

  /** Engine, published: {@link Board}, several times a second and at once when an item turns. */
  public static final String BOARD = "seckill.engine.board";

  /** Ledger: {@link RegionJoin} → {@link RegionJoined}. */
  public static final String LEDGER_JOIN = "seckill.ledger.region.join";

  /** Ledger: {@link ShardClaim} → {@link ShardClaimed}. */
  public static final String LEDGER_CLAIM_SHARD = "seckill.ledger.shard.claim";

  /** Ledger: {@link EpochClose} → {@link EpochClosed}. */
  public static final String LEDGER_CLOSE_EPOCH = "seckill.ledger.shard.close";

  /** Ledger: {@link ShardSnapshotQuery} → {@link ShardSnapshot}. */
  public static final String LEDGER_SHARD_SNAPSHOT = "seckill.ledger.shard.snapshot";

  /** Ledger: {@link ShardReceiptsQuery} → {@link ShardReceipts}. */
  public static final String LEDGER_SHARD_RECEIPTS = "seckill.ledger.shard.receipts";

  /** Ledger: {@link ShardOpen} → {@link Done}. */
  public static final String LEDGER_OPEN_SHARD = "seckill.ledger.shard.open";

  /** Ledger: {@link ItemCreate} → {@link ItemRecords} with one record. */
  public static final String LEDGER_CREATE_ITEM = "seckill.ledger.item.create";

  /** Ledger: {@link ShardHoldingsQuery} → {@link ShardHoldings}. */
  public static final String LEDGER_SHARD_HOLDINGS = "seckill.ledger.shard.holdings";

  /** Ledger: {@link ShardWaitersQuery} → {@link ShardWaiters}. */
  public static final String LEDGER_SHARD_WAITERS = "seckill.ledger.shard.waiters";

  /** Ledger: {@link TransferStore} → {@link TransferStored}. */
  public static final String LEDGER_STORE_TRANSFER = "seckill.ledger.transfer.store";

  /** Ledger: {@link ReleasesQuery} → {@link Releases}. */
  public static final String LEDGER_RELEASES = "seckill.ledger.releases";

  /** Ledger, published: {@link ReleasesWaiting}, as soon as there is something to release. */
  public static final String RELEASES = "seckill.ledger.releases.waiting";

  /** Ledger: {@link SalesChange} → {@link SalesRecord}: written, Redis has not heard of it. */
  public static final String LEDGER_CHANGE_SALES = "seckill.ledger.sales.change";

  /** Ledger: {@link SalesQuery} → {@link SalesRecord}. */
  public static final String LEDGER_SALES = "seckill.ledger.sales";

  /**
   * Ledger: {@link ItemChange} → {@link ItemChanged}: the change is written, Redis has not heard of
   * it.
   */
  public static final String LEDGER_CHANGE_ITEM = "seckill.ledger.item.change";

  /** Ledger: {@link ItemQuery} → {@link ItemRecords}. */
  public static final String LEDGER_ITEMS = "seckill.ledger.items";

  /** Orders: {@link OrderQuery} → {@link OrderViews} with one view, or NOT_FOUND. */
  public static final String ORDER = "seckill.orders.one";

  /** Orders: {@link OrdersQuery} → {@link OrderViews}, newest first. */
  public static final String ORDERS = "seckill.orders.list";

  /** Orders: {@link OrdersChangedQuery} → {@link OrderEvents}, oldest change first. */
  public static final String ORDERS_CHANGED = "seckill.orders.changed";

  /** Orders: {@link OrderCancel} → {@link OrderViews} with the order as it is afterwards. */
  public static final String CANCEL_ORDER = "seckill.orders.cancel";

  /** Orders: {@link OrderRefund} → {@link OrderViews} with the order as it is afterwards. */
  public static final String REFUND_ORDER = "seckill.orders.refund";

  /** Orders, published: {@link OrderEvents}, after each commit that stored or changed orders. */
  public static final String ORDER_EVENTS = "seckill.orders.events";

  /** Payments: {@link PaymentStart} → {@link PaymentStarted}. */
  public static final String START_PAYMENT = "seckill.payments.start";

  /** Payments: {@link PaymentNotice} → {@link Done}: it is written. */
  public static final String PAYMENT_NOTICE = "seckill.payments.notice";

  /** Orders: {@link DeadLettersQuery} → {@link DeadLetters}. */
  public static final String DEAD_LETTERS = "seckill.letters.list";

  /** Orders: {@link DeadLetterQuery} → {@link DeadLetter}. */
  public static final String DEAD_LETTER = "seckill.letters.one";

  /** Orders: {@link DeadLetterChange} → {@link DeadLetter} as it is afterwards. */
  public static final String CHANGE_DEAD_LETTER = "seckill.letters.change";

  /** Notifications: {@link NotificationsQuery} → {@link Notifications}. */
  public static final String NOTIFICATIONS = "seckill.notifications.list";

  /** Notifications: {@link NotificationRetry} → {@link Done}. */
  public static final String RETRY_NOTIFICATION = "seckill.notifications.retry";

  /** Audit: {@link AuditRequest} → {@link AuditReport}. */
  public static final String AUDIT = "seckill.audit.run";

  private Addresses() {}
}

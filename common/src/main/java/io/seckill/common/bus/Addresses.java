package io.seckill.common.bus;

/** The addresses of the event bus. Each names the role that answers. */
public final class Addresses {

  /** Engine: {@link PurchaseRequest} → {@link PurchaseReply}. */
  public static final String PURCHASE = "seckill.engine.purchase";

  /** Engine: {@link ItemChange} → {@link ItemView}: preheat, restock, pause, resume, end. */
  public static final String CHANGE_ITEM = "seckill.engine.item.change";

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

  /**
   * Ledger: {@link ItemChange} → {@link ItemRecords} with one record: the change is written, Redis
   * has not heard of it.
   */
  public static final String LEDGER_CHANGE_ITEM = "seckill.ledger.item.change";

  /** Ledger: {@link ItemQuery} → {@link ItemRecords}. */
  public static final String LEDGER_ITEMS = "seckill.ledger.items";

  /** Orders: {@link OrderQuery} → {@link OrderViews} with one view, or NOT_FOUND. */
  public static final String ORDER = "seckill.orders.one";

  /** Orders: {@link OrdersQuery} → {@link OrderViews}, newest first. */
  public static final String ORDERS = "seckill.orders.list";

  /** Audit: {@link AuditRequest} → {@link AuditReport}. */
  public static final String AUDIT = "seckill.audit.run";

  private Addresses() {}
}

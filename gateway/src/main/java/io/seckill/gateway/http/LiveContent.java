package io.seckill.gateway.http;

/**
 * What an answer goes on to say after its head, for as long as both sides want. All calls come on
 * the event loop of the connection.
 */
public interface LiveContent {

  /** The head and the reply's body are on their way; from now on there may be more. */
  void begin(LiveBody body);

  /**
   * Nothing more can be said. Called exactly once for each reply, also when it never began: because
   * the client had gone by then, or had asked with HEAD.
   *
   * @param tooSlow whether the client was cut off because it did not read
   */
  void over(boolean tooSlow);
}

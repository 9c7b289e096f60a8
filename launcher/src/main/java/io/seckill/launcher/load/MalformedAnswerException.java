package io.seckill.launcher.load;

/** What the server sent is no HTTP/1.1 answer that we asked for. The connection is of no use. */
final class MalformedAnswerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MalformedAnswerException(String message) {
    super(message, null, false, false);
  }
}

package io.seckill.embedded;

/** There is no embedded server for this platform. */
public final class NoServerHereException extends EmbeddedServerException {

  private static final long serialVersionUID = 1L;

  NoServerHereException(String message) {
    super(message);
  }
}

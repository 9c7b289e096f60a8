package io.seckill.gateway.http;

/** Who may call an endpoint. */
public enum Access {
  /** Anybody; no token is looked at. */
  ANYBODY,
  /** Whoever has a good token. */
  USER,
  /** Whoever has a good token with the role of operators. */
  ADMIN
}

package io.seckill.gateway.http;

/** Who may call an endpoint. */
public enum Access {
  /** Anybody; no token is looked at. */
  ANYBODY,
  /** Whoever signed the body: no token is looked at, the endpoint checks the signature. */
  SIGNED,
  /** Whoever has a good token. */
  USER,
  /** Whoever has a good token with the role of operators. */
  ADMIN
}

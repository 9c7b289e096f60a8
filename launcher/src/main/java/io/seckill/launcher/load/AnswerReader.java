package io.seckill.launcher.load;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads answers off one connection on which one request is under way at a time. Knows as much of
 * HTTP/1.1 as our gateway speaks: a status line, header lines, and a body of {@code Content-Length}
 * bytes. Anything else, {@code Transfer-Encoding} included, is refused loudly and never guessed at.
 *
 * <p>For one event loop.
 */
final class AnswerReader implements HttpAnswer {

  /** No answer of ours comes near; it bounds what a broken server can make us keep. */
  private static final int MAX_BYTES = 256 * 1024;

  private static final int STATUS_LINE_BYTES = 13;
  private static final byte[] VERSION = "HTTP/1.1 ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONTENT_LENGTH = "content-length".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] RETRY_AFTER = "retry-after".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONNECTION = "connection".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CLOSE = "close".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRANSFER_ENCODING =
      "transfer-encoding".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[2_048];
  private int end;
  private int scanned;
  private int bodyStart;
  private int bodyLength;
  private int status;
  private long retryAfterMs;
  private boolean closes;

  AnswerReader() {
    clear();
  }

  /** Forgets the answer, for the next one. */
  void clear() {
    end = 0;
    scanned = 0;
    bodyStart = -1;
    bodyLength = -1;
    status = 0;
    retryAfterMs = -1;
    closes = false;
  }

  /**
   * Takes what has arrived.
   *
   * @return whether a whole answer is there now
   * @throws MalformedAnswerException when this can never become one
   */
  boolean offer(Buffer data) {
    append(data);
    if (bodyStart < 0 && !findBody()) {
      return false;
    }
    int surplus = end - bodyStart - bodyLength;
    if (surplus > 0) {
      throw new MalformedAnswerException(surplus + " bytes after the answer");
    }
    return surplus == 0;
  }

  /** Whether the server closes the connection after this answer. */
  boolean closes() {
    return closes;
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public long retryAfterMs() {
    return retryAfterMs;
  }

  @Override
  public int bodyLength() {
    return bodyLength;
  }

  @Override
  public boolean bodyEquals(byte[] other) {
    return other.length == bodyLength
        && Arrays.equals(bytes, bodyStart, bodyStart + bodyLength, other, 0, bodyLength);
  }

  @Override
  public Buffer body() {
    return Buffer.buffer(Arrays.copyOfRange(bytes, bodyStart, bodyStart + bodyLength));
  }

  private void append(Buffer data) {
    int needed = end + data.length();
    if (needed > MAX_BYTES) {
      throw new MalformedAnswerException("an answer of more than " + MAX_BYTES + " bytes");
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length * 2));
    }
    data.getBytes(0, data.length(), bytes, end);
    end = needed;
  }

  /** Looks for the empty line that ends the header; reads the header when it is there. */
  private boolean findBody() {
    for (int i = Math.max(scanned, 3); i < end; i++) {
      if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n') {
        bodyStart = i + 1;
        readStatusLine();
        readHeaders(i - 1);
        return true;
      }
    }
    scanned = end;
    return false;
  }

  private void readStatusLine() {
    boolean ours =
        bodyStart >= STATUS_LINE_BYTES
            && Arrays.equals(bytes, 0, VERSION.length, VERSION, 0, VERSION.length);
    if (!ours) {
      throw new MalformedAnswerException("no HTTP/1.1 status line");
    }
    status = (int) number(VERSION.length, VERSION.length + 3);
    if (status < 100 || status > 599) {
      throw new MalformedAnswerException("status " + status);
    }
  }

  private void readHeaders(int headEnd) {
    int line = nextLine(0);
    while (line < headEnd) {
      int next = nextLine(line);
      readHeader(line, next - 2);
      line = next;
    }
    if (bodyLength < 0) {
      if (status != 204 && status != 304) {
        throw new MalformedAnswerException("an answer without Content-Length");
      }
      bodyLength = 0;
    }
  }

  private void readHeader(int from, int to) {
    int colon = from;
    while (colon < to && bytes[colon] != ':') {
      colon++;
    }
    int value = colon + 1;
    while (value < to && bytes[value] == ' ') {
      value++;
    }
    // By length first: most headers are none of these.
    switch (colon - from) {
      case 14 -> {
        if (is(CONTENT_LENGTH, from)) {
          long length = number(value, to);
          if (bodyLength >= 0 || length > MAX_BYTES) {
            throw new MalformedAnswerException("Content-Length " + length);
          }
          bodyLength = (int) length;
        }
      }
      case 11 -> {
        if (is(RETRY_AFTER, from)) {
          retryAfterMs = number(value, to) * 1_000;
        }
      }
      case 10 -> {
        if (is(CONNECTION, from) && to - value == CLOSE.length && is(CLOSE, value)) {
          closes = true;
        }
      }
      case 17 -> {
        if (is(TRANSFER_ENCODING, from)) {
          throw new MalformedAnswerException("an answer with Transfer-Encoding");
        }
      }
      default -> {
        // Not ours to judge.
      }
    }
  }

  private int nextLine(int from) {
    int i = from;
    while (bytes[i] != '\n') {
      i++;
    }
    return i + 1;
  }

  private boolean is(byte[] lowerCase, int from) {
    for (int i = 0; i < lowerCase.length; i++) {
      int c = bytes[from + i];
      int lower = c >= 'A' && c <= 'Z' ? c + 32 : c;
      if (lower != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }

  private long number(int from, int to) {
    if (to <= from || to - from > 9) {
      throw new MalformedAnswerException("a header that should be a number");
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        throw new MalformedAnswerException("a header that should be a number");
      }
      value = value * 10 + (bytes[i] - '0');
    }
    return value;
  }
}

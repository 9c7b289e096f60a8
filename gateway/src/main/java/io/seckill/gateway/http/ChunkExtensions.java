package io.seckill.gateway.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes legal extensions off chunks before Netty sees them. Servers have to ignore extensions that
 * they do not know (RFC 9112 §7.1.1), and none is known here; but Netty 4.2 refuses one whose last
 * value is a token, such as {@code 10;a=b}. All other lines are left to Netty, which tells good
 * from bad.
 *
 * <p>Follows the bytes of one chunked body. Belongs to one connection and its event loop.
 */
final class ChunkExtensions {

  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
  private static final Pattern EXTENSION =
      Pattern.compile(
          "[ \\t]*+;[ \\t]*+"
              + TOKEN
              + "([ \\t]*+=[ \\t]*+("
              + TOKEN
              + "|\"[^\"\\\\\\x00-\\x08\\x0a-\\x1f\\x7f]*+"
              + "(?:\\\\[\\t\\x20-\\x7e\\x80-\\xff][^\"\\\\\\x00-\\x08\\x0a-\\x1f\\x7f]*+)*+\"))?+");

  private static final int DELIMITER_BYTES = 2;

  /** Bytes until the next line with a size; 0 when that line is next. */
  private long bytesToLine;

  /** After the chunk of size 0 there are trailers, no further sizes. */
  private boolean lastChunkSeen;

  /**
   * Blanks the extensions of the size line that stands at the buffer's start, if a whole one does.
   *
   * @return bytes of that line with its end; 0 when none is there
   */
  int blank(ByteBuf buffer) {
    if (bytesToLine > 0 || lastChunkSeen) {
      return 0;
    }
    int start = buffer.readerIndex();
    int end = buffer.indexOf(start, buffer.writerIndex(), (byte) '\n');
    if (end <= start || buffer.getByte(end - 1) != '\r') {
      return 0;
    }
    int semicolon = buffer.indexOf(start, end - 1, (byte) ';');
    if (semicolon >= 0 && isLegal(buffer, semicolon, end - 1)) {
      for (int i = semicolon; i < end - 1; i++) {
        buffer.setByte(i, ' ');
      }
    }
    bytesToLine = size(buffer, start, end - 1) + DELIMITER_BYTES;
    lastChunkSeen = bytesToLine == DELIMITER_BYTES;
    return end + 1 - start;
  }

  /** Tells how many bytes behind that line have been consumed. */
  void consumed(int bytes) {
    bytesToLine = Math.max(0, bytesToLine - bytes);
  }

  private static boolean isLegal(ByteBuf buffer, int from, int end) {
    String text = buffer.toString(from, end - from, StandardCharsets.ISO_8859_1);
    Matcher extension = EXTENSION.matcher(text);
    int next = 0;
    while (next < text.length() && extension.region(next, text.length()).lookingAt()) {
      next = extension.end();
    }
    return next == text.length();
  }

  /** The leading hexadecimal digits; where there is nonsense, Netty refuses the line. */
  private static long size(ByteBuf buffer, int from, int end) {
    long size = 0;
    for (int i = from; i < end && size < Integer.MAX_VALUE; i++) {
      byte c = buffer.getByte(i);
      int digit = Character.digit((char) (c & 0xff), 16);
      if (digit >= 0) {
        size = size * 16 + digit;
      } else if ((c != ' ' && c != '\t') || size > 0) {
        return size;
      }
    }
    return size;
  }
}

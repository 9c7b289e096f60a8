package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerReaderTest {

  private static final String BUSY =
      String.join(
          "\r\n",
          "HTTP/1.1 503 Service Unavailable",
          "content-type: application/problem+json",
          "Retry-After: 2",
          "Content-Length: 5",
          "",
          "{...}");

  private final AnswerReader reader = new AnswerReader();

  @Test
  void offerShouldReadAnAnswerInOnePiece() {
    assertThat(reader.offer(Buffer.buffer(BUSY))).isTrue();

    assertThat(reader.status()).isEqualTo(503);
    assertThat(reader.retryAfterMs()).isEqualTo(2_000);
    assertThat(reader.body().toString()).isEqualTo("{...}");
    assertThat(reader.bodyEquals("{...}".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
        .isTrue();
    assertThat(reader.closes()).isFalse();
  }

  @Test
  void offerShouldReadAnAnswerByteByByte() {
    for (int i = 0; i < BUSY.length() - 1; i++) {
      assertThat(reader.offer(Buffer.buffer(BUSY.substring(i, i + 1)))).isFalse();
    }
    assertThat(reader.offer(Buffer.buffer("}"))).isTrue();
    assertThat(reader.body().toString()).isEqualTo("{...}");
  }

  @Test
  void clearShouldForgetWhatOneAnswerSaid() {
    reader.offer(Buffer.buffer(BUSY));
    reader.clear();

    assertThat(reader.offer(Buffer.buffer("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")))
        .isTrue();
    assertThat(reader.status()).isEqualTo(204);
    assertThat(reader.retryAfterMs()).isEqualTo(-1);
    assertThat(reader.bodyLength()).isZero();
    assertThat(reader.closes()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n.",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n..",
        "HTTP/1.1 2x0 OK\r\nContent-Length: 1\r\n\r\n.",
        "HTTP/1.1 999 OK\r\nContent-Length: 1\r\n\r\n.",
        "garbage\r\n\r\n",
      })
  void offerShouldRefuseWhatIsNoAnswerOfOurs(String text) {
    assertThatThrownBy(() -> reader.offer(Buffer.buffer(text)))
        .isInstanceOf(MalformedAnswerException.class);
  }
}

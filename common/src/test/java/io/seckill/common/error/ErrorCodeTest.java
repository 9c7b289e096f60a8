package io.seckill.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {

  /** Clients hold on to these names: the list may grow, a line never changes. */
  private static final Map<Integer, List<String>> PUBLISHED =
      Map.of(
          400, List.of("INVALID_REQUEST"),
          401, List.of("UNAUTHENTICATED"),
          403,
              List.of(
                  "FORBIDDEN", "BLOCKED", "PASS_REQUIRED", "CHALLENGE_REQUIRED", "NOT_RESERVED"),
          404, List.of("NOT_FOUND"),
          409,
              List.of(
                  "NOT_READY",
                  "NOT_STARTED",
                  "ENDED",
                  "PAUSED",
                  "SOLD_OUT",
                  "LIMIT_REACHED",
                  "CONFLICT"),
          413, List.of("PAYLOAD_TOO_LARGE"),
          415, List.of("UNSUPPORTED_MEDIA_TYPE"),
          429, List.of("RATE_LIMITED"),
          503, List.of("BUSY", "UNAVAILABLE", "OUTCOME_UNKNOWN"));

  @Test
  void publishedCodesShouldKeepNameAndStatus() {
    PUBLISHED.forEach(
        (status, names) ->
            assertThat(names)
                .allSatisfy(
                    name ->
                        assertThat(ErrorCode.byName(name))
                            .get()
                            .extracting(ErrorCode::httpStatus)
                            .isEqualTo(status)));
  }

  @ParameterizedTest(name = "{index}")
  @EnumSource(ErrorCode.class)
  void everyCodeShouldBeACleanRefusal(ErrorCode code) {
    assertThat(code.httpStatus()).isBetween(400, 503).isNotEqualTo(500);
    assertThat(code.title()).matches("[A-Z].*[^.]\\.");
    assertThat(ErrorCode.byName(code.name())).contains(code);
    if (code.httpStatus() == 429 || code.httpStatus() == 503) {
      assertThat(code.retryable()).isTrue();
    }
  }

  @Test
  void outcomeShouldBeUnknownForOneCodeOnly() {
    assertThat(Stream.of(ErrorCode.values()).filter(code -> !code.outcomeKnown()))
        .containsExactly(ErrorCode.OUTCOME_UNKNOWN);
  }

  @Test
  void byNameShouldNotGuess() {
    assertThat(ErrorCode.byName("sold_out")).isEmpty();
    assertThat(ErrorCode.byName("")).isEmpty();
  }

  @Test
  void exceptionShouldCarryNoStackTrace() {
    assertThat(new SeckillException(ErrorCode.BUSY, "x").getStackTrace()).isEmpty();
  }
}

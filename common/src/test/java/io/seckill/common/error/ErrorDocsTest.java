package io.seckill.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.Docs;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorDocsTest {

  @Test
  void errorsPageShouldSayWhatTheTableSays() throws IOException {
    List<List<String>> table =
        Arrays.stream(ErrorCode.values())
            .map(
                code ->
                    List.of(
                        code.name(),
                        Integer.toString(code.httpStatus()),
                        code.retryable() ? "yes" : "no",
                        code.outcomeKnown() ? "known" : "unknown",
                        code.title()))
            .toList();
    assertThat(Docs.rows("errors.md"))
        .as("docs/errors.md has a row for each ErrorCode, in its order")
        .containsExactlyElementsOf(table);
  }
}

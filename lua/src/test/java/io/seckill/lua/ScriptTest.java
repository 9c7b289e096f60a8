package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScriptTest {

  static List<String> scripts() {
    return ScriptFiles.scripts();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void scriptShouldHaveItsIncludesAndItsHeader(String name) {
    Script script = Script.load(name);
    assertThat(script.name()).isEqualTo(name);
    assertThat(script.text())
        .doesNotContain("@include")
        .startsWith("-- Purpose: ")
        .contains("\n-- KEYS: ", "\n-- ARGV: ", "\n-- Returns: ", "\n-- Cost: ");
    // Files are for Redis 6.2: no shebang; and numbers that Lua might round never become a text by
    // themselves.
    assertThat(script.text()).doesNotStartWith("#!").doesNotContain("tostring(");
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void scriptShouldHaveATypedClass(String name) throws ClassNotFoundException {
    StringBuilder type = new StringBuilder("io.seckill.lua.");
    for (String word : name.split("_", -1)) {
      type.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
    }
    assertThat(Class.forName(type.toString())).isFinal();
  }

  @Test
  void loadShouldFailWhenThereIsNoSuchFile() {
    assertThatThrownBy(() -> Script.load("no_such_script"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("no_such_script");
  }
}

package io.seckill.common.config;

import java.util.List;

/**
 * A value as somebody wrote it, before it is bound.
 *
 * @param texts one text; for a list any number
 * @param list whether it was written as a list, not as one text
 * @param source where it was written, for people
 */
record Setting(List<String> texts, boolean list, String source) {

  /** The source of a value that nobody has set. */
  static final String DEFAULT_SOURCE = "default";

  Setting {
    texts = List.copyOf(texts);
  }

  static Setting of(String text, String source) {
    return new Setting(List.of(text), false, source);
  }

  /** The value for people: quoted where needed, stars for secrets, never a control character. */
  String shown(ConfigKey key) {
    boolean userInfo = texts.stream().anyMatch(text -> text.contains("@") && text.contains("://"));
    if (key.kind() == ConfigKey.Kind.SECRET || userInfo) {
      // An address with a user part may hold a password that belongs elsewhere.
      return texts.stream().allMatch(String::isEmpty) ? "\"\"" : "***";
    }
    if (list || key.kind() == ConfigKey.Kind.LIST) {
      return texts.stream().map(Texts::quoted).toList().toString();
    }
    return switch (key.kind()) {
      case INT, LONG, BOOLEAN, WORD -> Texts.quotedUnlessPlain(texts.get(0));
      case TEXT, SECRET, LIST -> Texts.quoted(texts.get(0));
    };
  }
}

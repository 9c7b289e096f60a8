package io.seckill.common.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One key of the configuration, as the record components spell it.
 *
 * @param name {@code redis.callTimeoutMs}
 * @param kind what its value is
 * @param min smallest value of a number, else 0
 * @param max largest value of a number, else 0
 * @param words what a word may be, in lower case; empty for other kinds
 */
record ConfigKey(String name, Kind kind, long min, long max, List<String> words) {

  static final String ENVIRONMENT_PREFIX = "SECKILL_";
  static final String PROPERTY_PREFIX = "seckill.";

  /** What a value is. */
  enum Kind {
    INT,
    LONG,
    BOOLEAN,
    WORD,
    TEXT,
    SECRET,
    LIST
  }

  /** Every key of {@link SeckillConfig}, in the order in which the records declare them. */
  static List<ConfigKey> all() {
    List<ConfigKey> keys = new ArrayList<>();
    collect(SeckillConfig.class, "", keys);
    return List.copyOf(keys);
  }

  private static void collect(Class<?> type, String prefix, List<ConfigKey> keys) {
    for (RecordComponent component : type.getRecordComponents()) {
      String name = prefix + component.getName();
      if (isSection(component)) {
        collect(component.getType(), name + '.', keys);
      } else {
        keys.add(of(name, component));
      }
    }
  }

  /** Whether a component holds further keys instead of a value. */
  static boolean isSection(RecordComponent component) {
    return component.getType().isRecord() && component.getType() != Secret.class;
  }

  private static ConfigKey of(String name, RecordComponent component) {
    Kind kind = kindOf(component);
    Range range = component.getAnnotation(Range.class);
    boolean number = kind == Kind.INT || kind == Kind.LONG;
    if (number != (range != null)) {
      throw new IllegalStateException(name + ": numbers, and only they, have a @Range");
    }
    return number
        ? new ConfigKey(name, kind, range.min(), range.max(), List.of())
        : new ConfigKey(name, kind, 0, 0, wordsOf(component.getType()));
  }

  private static List<String> wordsOf(Class<?> type) {
    return type.isEnum()
        ? Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
            .toList()
        : List.of();
  }

  private static Kind kindOf(RecordComponent component) {
    Class<?> type = component.getType();
    if (type == int.class) {
      return Kind.INT;
    }
    if (type == long.class) {
      return Kind.LONG;
    }
    if (type == boolean.class) {
      return Kind.BOOLEAN;
    }
    if (type.isEnum()) {
      return Kind.WORD;
    }
    if (type == String.class) {
      return Kind.TEXT;
    }
    if (type == Secret.class) {
      return Kind.SECRET;
    }
    if (component.getGenericType() instanceof ParameterizedType list
        && list.getRawType() == List.class
        && list.getActualTypeArguments()[0] == String.class) {
      return Kind.LIST;
    }
    throw new IllegalStateException("no configuration value can be a " + type.getName());
  }

  /** {@code SECKILL_REDIS_CALL_TIMEOUT_MS}: dots and humps become underscores. */
  String environmentName() {
    StringBuilder out = new StringBuilder(ENVIRONMENT_PREFIX);
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isUpperCase(c)) {
        out.append('_');
      }
      out.append(c == '.' ? '_' : c);
    }
    return out.toString().toUpperCase(Locale.ROOT);
  }

  /** {@code seckill.redis.callTimeoutMs}. */
  String propertyName() {
    return PROPERTY_PREFIX + name;
  }

  /** What may stand there, as a phrase that follows "must be". */
  String allowed() {
    return switch (kind) {
      case INT, LONG -> "an integer from " + min + " to " + max + ", digits only";
      case BOOLEAN -> "true or false";
      case WORD -> "one of " + String.join(", ", words);
      case TEXT, SECRET -> "one text";
      case LIST -> "a list of texts";
    };
  }
}

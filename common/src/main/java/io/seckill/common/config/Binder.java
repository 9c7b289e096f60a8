package io.seckill.common.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns texts into the records. What cannot be bound is told as a problem and stands in with its
 * default, so that the rest can still be looked at.
 */
final class Binder {

  private final Map<String, ConfigKey> keys;
  private final Map<String, Setting> settings;
  private final Map<String, Setting> defaults;
  private final List<String> problems;
  private final Set<String> unbound = new HashSet<>();

  /**
   * Prepares a binding.
   *
   * @param keys every key by its name
   * @param settings the value that counts, for each key
   * @param defaults the default of each key
   * @param problems gets a line for each problem
   */
  Binder(
      Map<String, ConfigKey> keys,
      Map<String, Setting> settings,
      Map<String, Setting> defaults,
      List<String> problems) {
    this.keys = keys;
    this.settings = settings;
    this.defaults = defaults;
    this.problems = problems;
  }

  SeckillConfig bind() {
    return (SeckillConfig) section(SeckillConfig.class, "");
  }

  /** Keys whose value could not be bound. */
  Set<String> unbound() {
    return unbound;
  }

  /** {@code key = value (place)}. */
  static String written(ConfigKey key, Setting setting) {
    return key.name() + " = " + setting.shown(key) + " (" + setting.source() + ")";
  }

  private Object section(Class<?> type, String prefix) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = prefix + components[i].getName();
      values[i] =
          ConfigKey.isSection(components[i])
              ? section(components[i].getType(), name + '.')
              : ofType(components[i].getType(), value(keys.get(name)));
    }
    try {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (NoSuchMethodException
        | InstantiationException
        | IllegalAccessException
        | InvocationTargetException e) {
      throw new IllegalStateException("a record binds through its constructor: " + type, e);
    }
  }

  /** A word becomes the constant that it names. */
  private static Object ofType(Class<?> type, Object value) {
    if (!type.isEnum()) {
      return value;
    }
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.toString().equalsIgnoreCase((String) value))
        .findFirst()
        .orElseThrow();
  }

  private Object value(ConfigKey key) {
    Setting setting = settings.get(key.name());
    try {
      return parse(key, setting);
    } catch (IllegalArgumentException e) {
      if (setting.equals(defaults.get(key.name()))) {
        throw new IllegalStateException("the default of " + key.name() + " is not allowed", e);
      }
      problems.add(written(key, setting) + ": must be " + key.allowed());
      unbound.add(key.name());
      return parse(key, defaults.get(key.name()));
    }
  }

  private static Object parse(ConfigKey key, Setting setting) {
    if (key.kind() == ConfigKey.Kind.LIST) {
      return setting.list() ? setting.texts() : split(setting.texts().get(0));
    }
    if (setting.list()) {
      throw new IllegalArgumentException("a list where one value belongs");
    }
    String text = setting.texts().get(0);
    return switch (key.kind()) {
      case INT -> Math.toIntExact(integer(key, text));
      case LONG -> integer(key, text);
      case BOOLEAN -> bool(text);
      case WORD -> word(key, text);
      case TEXT -> text;
      case SECRET -> new Secret(text);
      case LIST -> throw new IllegalStateException("a list was split already");
    };
  }

  private static List<String> split(String text) {
    return text.isBlank()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(String::trim).toList();
  }

  private static boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }

  private static String word(ConfigKey key, String text) {
    if (!key.words().contains(text)) {
      throw new IllegalArgumentException("not one of the words");
    }
    return text;
  }

  private static long integer(ConfigKey key, String text) {
    if (!text.matches("0|-?[1-9][0-9]{0,18}")) {
      throw new IllegalArgumentException("not an exact integer");
    }
    long value = Long.parseLong(text);
    if (value < key.min() || value > key.max()) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }
}

package io.seckill.common.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one YAML document into flat keys. Works on tokens, not on a tree, so that every scalar
 * keeps the spelling it was written in ({@code 010} must not become 8) and every problem has its
 * line.
 */
final class YamlSettings {

  private final String name;
  private final YAMLParser parser;
  private final List<String> problems;
  private final Map<String, Setting> settings = new LinkedHashMap<>();

  /** Sections that have a name and nothing in them, with their place. */
  private final Map<String, String> empty = new LinkedHashMap<>();

  private YamlSettings(String name, YAMLParser parser, List<String> problems) {
    this.name = name;
    this.parser = parser;
    this.problems = problems;
  }

  /**
   * Reads a document.
   *
   * @param name how the file is called in messages
   * @param yaml its text
   * @param problems gets a line for each problem
   */
  static YamlSettings read(String name, String yaml, List<String> problems) {
    try (YAMLParser parser = new YAMLFactory().createParser(yaml)) {
      YamlSettings reader = new YamlSettings(name, parser, problems);
      reader.document();
      return reader;
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      problems.add(name + ":" + line + ": not valid YAML: " + firstLine(e.getOriginalMessage()));
    } catch (IOException e) {
      problems.add(name + ": cannot be read: " + e.getMessage());
    }
    return new YamlSettings(name, null, problems);
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** The values by key, in the order of the file. */
  Map<String, Setting> settings() {
    return settings;
  }

  /** Keys that were written without any value, with their place. */
  Map<String, String> empty() {
    return empty;
  }

  private void document() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null || (first == JsonToken.VALUE_NULL && parser.nextToken() == null)) {
      return;
    }
    if (first != JsonToken.START_OBJECT) {
      problems.add(here() + ": a configuration is a mapping of keys to values");
      return;
    }
    section("");
    if (parser.nextToken() != null) {
      problems.add(here() + ": a configuration is one document; remove what follows \"---\"");
    }
  }

  private void section(String prefix) throws IOException {
    Map<String, Integer> lines = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = prefix + parser.currentName();
      Integer before = lines.putIfAbsent(key, line());
      if (before != null) {
        problems.add(here() + ": " + Texts.quoted(key) + " stands already in line " + before);
      }
      value(key, parser.nextToken());
    }
  }

  private void value(String key, JsonToken token) throws IOException {
    String place = here();
    switch (token) {
      case START_OBJECT -> section(key + '.');
      case START_ARRAY -> put(key, new Setting(list(key), true, place));
      case VALUE_NULL -> empty.put(key, place);
      default -> put(key, Setting.of(scalar(key), place));
    }
  }

  private void put(String key, Setting setting) {
    settings.putIfAbsent(key, setting);
  }

  private List<String> list(String key) throws IOException {
    List<String> texts = new ArrayList<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
      if (t.isScalarValue() && t != JsonToken.VALUE_NULL) {
        texts.add(scalar(key));
      } else {
        problems.add(here() + ": " + Texts.quoted(key) + " is a list of texts, nothing deeper");
        parser.skipChildren();
      }
    }
    return texts;
  }

  private String scalar(String key) throws IOException {
    if (parser.isCurrentAlias()) {
      problems.add(here() + ": " + Texts.quoted(key) + " uses an alias; write the value out");
    }
    return parser.getText();
  }

  private String here() {
    return name + ":" + line();
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }
}

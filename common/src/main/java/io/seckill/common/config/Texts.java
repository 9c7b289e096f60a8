package io.seckill.common.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** How foreign text is shown to an operator, and which word he probably meant. */
public final class Texts {

  /** Longer values say nothing more in a message. */
  private static final int MAX_SHOWN = 120;

  private static final int MAX_EDITS = 3;

  private Texts() {}

  /** In quotes, control and invisible characters escaped, cut at {@value #MAX_SHOWN}. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < Math.min(text.length(), MAX_SHOWN); i++) {
      char c = text.charAt(i);
      boolean visible = c >= ' ' && c < 127;
      if (visible || Character.isLetterOrDigit(c)) {
        out.append(c == '"' ? "\\\"" : c);
      } else {
        out.append(String.format("\\u%04x", (int) c));
      }
    }
    return out.append(text.length() > MAX_SHOWN ? "…\"" : "\"").toString();
  }

  /** As it is when it is a plain word or number, else quoted. */
  static String quotedUnlessPlain(String text) {
    return text.matches("[A-Za-z0-9.-]{1,40}") ? text : quoted(text);
  }

  /** The candidate that is fewest edits away; upper and lower case count as the same. */
  static String nearest(String word, Collection<String> candidates) {
    return candidates.stream()
        .min(Comparator.comparingInt(candidate -> edits(word, candidate)))
        .orElseThrow();
  }

  /** Whether a word may be the other, misspelled: some letters differ, not most of them. */
  public static boolean isNear(String word, String candidate) {
    return edits(word, candidate) <= Math.min(MAX_EDITS, candidate.length() / 2);
  }

  /** The reason in words, without names of classes. */
  static String whyUnreadable(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "this user may not read it";
    }
    if (failure instanceof CharacterCodingException) {
      return "it is not text in UTF-8";
    }
    return failure.getMessage();
  }

  /** Edit distance after Levenshtein: insertions, deletions and replacements of one character. */
  static int edits(String from, String to) {
    String a = from.toLowerCase(Locale.ROOT);
    String b = to.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}

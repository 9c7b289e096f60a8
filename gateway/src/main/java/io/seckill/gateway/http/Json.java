package io.seckill.gateway.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Strict JSON in, JSON out, without trees. Reading takes exactly one object in UTF-8: no byte order
 * mark, no comments, no repeated or unknown field, nothing behind it, no number that is not an
 * exact integer. What is wrong is INVALID_REQUEST with a sentence that never quotes the input.
 */
public final class Json {

  /** Our bodies are at most two levels deep; one more is only there to be refused by name. */
  private static final int MAX_DEPTH = 4;

  private static final int MAX_NUMBER_CHARS = 20;
  private static final int MAX_STRING_CHARS = 2_048;
  private static final int MAX_NAME_CHARS = 64;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // Names come from strangers: keep them out of the shared symbol table.
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER_CHARS)
                  .maxStringLength(MAX_STRING_CHARS)
                  .maxNameLength(MAX_NAME_CHARS)
                  .build())
          .build();

  private Json() {}

  /** Takes one field in; the parser stands on its value. */
  @FunctionalInterface
  public interface FieldReader {
    /** Returns false when the name is not known. */
    boolean read(String name, JsonParser value) throws IOException;
  }

  /** Writes the fields of an object. */
  @FunctionalInterface
  public interface Fields {
    /** Writes them. */
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * Reads a body that is one object.
   *
   * @throws SeckillException INVALID_REQUEST
   */
  public static void read(byte[] body, FieldReader fields) {
    try (JsonParser parser = FACTORY.createParser(decode(body))) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw invalid("The body must be one JSON object.");
      }
      readFields(parser, fields);
      if (parser.nextToken() != null) {
        throw invalid("Something follows the JSON object.");
      }
    } catch (IOException e) {
      throw invalid("The body is not valid JSON.");
    }
  }

  /** Reads the fields of an object; the parser stands on its opening brace. */
  public static void readFields(JsonParser parser, FieldReader fields) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw invalid("An object is expected.");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      if (!fields.read(name, parser)) {
        throw invalid("The body has a field that is not known.");
      }
    }
  }

  /** An exact integer within bounds: {@code 1.0}, {@code 1e0} and {@code "1"} are none. */
  public static long integer(JsonParser value, String name, long min, long max) throws IOException {
    if (value.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      long number = value.getLongValue();
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw invalid("'" + name + "' must be an integer from " + min + " to " + max + ".");
  }

  /** An exact integer within bounds, or null for {@code null}. */
  public static Long integerOrNull(JsonParser value, String name, long min, long max)
      throws IOException {
    return value.currentToken() == JsonToken.VALUE_NULL ? null : integer(value, name, min, max);
  }

  /** A string of at most so many characters. */
  public static String text(JsonParser value, String name, int maxChars) throws IOException {
    if (value.currentToken() == JsonToken.VALUE_STRING && value.getTextLength() <= maxChars) {
      return value.getText();
    }
    throw invalid("'" + name + "' must be a string of at most " + maxChars + " characters.");
  }

  /** One object as JSON text. */
  public static Buffer object(Fields fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return Buffer.buffer(out.toByteArray());
  }

  /** INVALID_REQUEST with a sentence for the caller. */
  public static SeckillException invalid(String detail) {
    return new SeckillException(ErrorCode.INVALID_REQUEST, detail);
  }

  private static String decode(byte[] body) {
    try {
      // A decoder that reports: Jackson alone would guess UTF-16 and skip a byte order mark.
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
      return text.toString();
    } catch (CharacterCodingException e) {
      throw invalid("The body is not UTF-8.");
    }
  }
}

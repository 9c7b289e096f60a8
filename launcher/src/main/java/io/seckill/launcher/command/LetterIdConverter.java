package io.seckill.launcher.command;

import io.seckill.common.id.LetterId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a dead letter. */
final class LetterIdConverter implements ITypeConverter<LetterId> {

  @Override
  public LetterId convert(String text) {
    try {
      return LetterId.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "a dead letter is named <region>:<shard>:<epoch>:<seq>, not '" + text + "'");
    }
  }
}

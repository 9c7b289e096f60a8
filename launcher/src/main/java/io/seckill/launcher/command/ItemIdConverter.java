package io.seckill.launcher.command;

import io.seckill.common.id.ItemId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an item id. */
final class ItemIdConverter implements ITypeConverter<ItemId> {

  @Override
  public ItemId convert(String text) {
    try {
      return ItemId.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("an item id is a positive integer, not '" + text + "'");
    }
  }
}

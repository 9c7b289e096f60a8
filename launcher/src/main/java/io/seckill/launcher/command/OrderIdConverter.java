package io.seckill.launcher.command;

import io.seckill.common.id.OrderId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an order id. */
final class OrderIdConverter implements ITypeConverter<OrderId> {

  @Override
  public OrderId convert(String text) {
    try {
      return OrderId.of(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "an order id has " + OrderId.LENGTH + " digits and capital letters, not '" + text + "'");
    }
  }
}

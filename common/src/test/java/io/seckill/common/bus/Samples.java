package io.seckill.common.bus;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemGroup;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fills any message with telling values, by its components: large numbers, quotes and letters
 * beyond ASCII, two elements in each collection, the last constant of each enum. So a message that
 * is added to the list is held to a round trip without anybody thinking of it.
 */
final class Samples {

  private long number = 9_007_199_254_740_993L;

  private Samples() {}

  /** The message with every component filled, then once for each component that may be null. */
  static List<Record> of(Class<? extends Record> message) {
    RecordComponent[] components = message.getRecordComponents();
    Object[] full = new Samples().values(components);
    List<Record> samples = new ArrayList<>();
    samples.add(build(message, full));
    for (int i = 0; i < components.length; i++) {
      Object value = full[i];
      boolean scalar = !(value instanceof Collection) && !(value instanceof Map);
      if (scalar && !components[i].getType().isPrimitive()) {
        Object[] without = full.clone();
        without[i] = null;
        samples.add(build(message, without));
      }
    }
    return samples;
  }

  private Object[] values(RecordComponent[] components) {
    return Arrays.stream(components).map(c -> value(c.getGenericType())).toArray();
  }

  private Object value(Type type) {
    if (type instanceof ParameterizedType generic) {
      return collection(generic);
    }
    Class<?> plain = (Class<?>) type;
    if (plain == long.class || plain == Long.class) {
      return number++;
    }
    if (plain == int.class) {
      return (int) (number++ % 1_000) + 1;
    }
    if (plain == boolean.class) {
      return true;
    }
    if (plain == String.class) {
      return "\"手机\"\n\u0000 " + number++;
    }
    if (plain == ItemId.class) {
      return new ItemId(number++);
    }
    if (plain == UserId.class) {
      return new UserId("007");
    }
    if (plain == EntryId.class) {
      return new EntryId(EntryId.MAX_EPOCH, EntryId.MAX_SEQ);
    }
    if (plain == Quantity.class) {
      return new Quantity(100);
    }
    if (plain == OrderId.class) {
      return new OrderId("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    }
    if (plain == IdempotencyKey.class) {
      return new IdempotencyKey("a:1");
    }
    if (plain == ItemGroup.class) {
      return new ItemGroup("phone-15_blue.x", 100);
    }
    if (plain.isEnum()) {
      Object[] constants = plain.getEnumConstants();
      return constants[constants.length - 1];
    }
    if (plain.isRecord()) {
      return build(plain, values(plain.getRecordComponents()));
    }
    throw new AssertionError("teach Samples how to make a " + plain);
  }

  private Object collection(ParameterizedType generic) {
    Type[] of = generic.getActualTypeArguments();
    Type raw = generic.getRawType();
    if (raw == List.class) {
      return List.of(value(of[0]), value(of[0]));
    }
    if (raw == Set.class) {
      return new HashSet<>(List.of(value(of[0]), value(of[0])));
    }
    if (raw == Map.class || raw == SortedMap.class) {
      Map<Object, Object> map = new TreeMap<>();
      map.put(value(of[0]), value(of[1]));
      map.put(value(of[0]), value(of[1]));
      return map;
    }
    throw new AssertionError("teach Samples how to make a " + generic);
  }

  private static Record build(Class<?> type, Object[] values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      return (Record) constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new AssertionError(type + " refuses " + Arrays.toString(values), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot make a " + type, e);
    }
  }
}

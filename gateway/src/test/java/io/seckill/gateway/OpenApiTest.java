package io.seckill.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.item.ItemState;
import io.seckill.common.order.OrderStatus;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Holds {@code openapi.yaml} against the routes and the error table, both ways. */
class OpenApiTest {

  /** Served, but no part of the API. */
  private static final Set<String> PAGES = Set.of("/");

  private final JsonNode contract = read();
  private final GatewayRole role =
      new GatewayRole(
          TestConfigs.all(TestConfigs.jwt(), TestConfigs.gateway(), TestConfigs.admission()),
          new SimpleMeterRegistry());

  @Test
  void everyRouteShouldBeInTheContractAndEveryOperationARoute() {
    assertThat(operations().keySet()).isEqualTo(routes().keySet());
  }

  @Test
  void everyOperationShouldSayWhoMayCallItAndOnWhichPort() {
    Set<String> admin =
        role.adminEndpoints(null).stream().map(OpenApiTest::nameOf).collect(Collectors.toSet());
    operations()
        .forEach(
            (name, operation) -> {
              Access access = routes().get(name).access();
              JsonNode security = operation.path("security");
              boolean open = security.isArray() && security.isEmpty();
              assertThat(open).as(name).isEqualTo(access == Access.ANYBODY);
              assertThat(security.path(0).has("signature"))
                  .as(name)
                  .isEqualTo(access == Access.SIGNED);
              assertThat(operation.at("/tags/0").asText().equals("admin"))
                  .as(name)
                  .isEqualTo(admin.contains(name));
              assertThat(access == Access.ADMIN).as(name).isEqualTo(admin.contains(name));
            });
  }

  @Test
  void everyOperationShouldSayWhetherItTakesABody() {
    operations()
        .forEach(
            (name, operation) -> {
              JsonNode body = operation.path("requestBody");
              BodyRule rule = routes().get(name).body();
              assertThat(body.isMissingNode()).as(name).isEqualTo(rule == BodyRule.NONE);
              assertThat(body.path("required").asBoolean())
                  .as(name)
                  .isEqualTo(rule == BodyRule.REQUIRED);
            });
  }

  @Test
  void everyOperationShouldHaveTheRefusalsOfItsLayers() {
    operations()
        .forEach(
            (name, operation) -> {
              Endpoint endpoint = routes().get(name);
              Set<String> statuses = new TreeSet<>();
              operation.path("responses").fieldNames().forEachRemaining(statuses::add);
              assertThat(statuses).as(name).contains("429");
              assertThat(statuses.contains("401"))
                  .as(name)
                  .isEqualTo(endpoint.access() != Access.ANYBODY);
              assertThat(statuses.containsAll(List.of("400", "408", "413", "415")))
                  .as(name)
                  .isEqualTo(endpoint.body() != BodyRule.NONE);
            });
  }

  @Test
  void theErrorTableShouldBeTheSame() {
    assertThat(texts(contract.at("/components/schemas/ErrorCode/enum")))
        .containsExactlyElementsOf(names(ErrorCode.values()));
    Map<String, Set<String>> expected = new TreeMap<>();
    for (ErrorCode code : ErrorCode.values()) {
      expected
          .computeIfAbsent(Integer.toString(code.httpStatus()), unused -> new TreeSet<>())
          .add(code.name());
    }
    Map<String, Set<String>> found = new TreeMap<>();
    contract
        .at("/components/responses")
        .fields()
        .forEachRemaining(
            entry ->
                found.put(entry.getKey(), new TreeSet<>(texts(entry.getValue().path("x-codes")))));
    assertThat(found).isEqualTo(expected);
  }

  @Test
  void theStatesShouldBeTheSame() {
    assertThat(texts(contract.at("/components/schemas/OrderStatus/enum")))
        .containsExactlyElementsOf(names(OrderStatus.values()));
    assertThat(texts(contract.at("/components/schemas/ItemState/enum")))
        .containsExactlyElementsOf(names(ItemState.values()));
  }

  @Test
  void everyReferenceShouldLeadSomewhere() {
    List<String> dangling = new ArrayList<>();
    collectReferences(contract).stream()
        .filter(
            reference ->
                !reference.startsWith("#/")
                    || contract.at(reference.substring(1)) instanceof MissingNode)
        .forEach(dangling::add);
    assertThat(dangling).isEmpty();
  }

  private static List<String> collectReferences(JsonNode node) {
    List<String> found = new ArrayList<>(node.findValuesAsText("$ref"));
    assertThat(found).isNotEmpty();
    return found;
  }

  private Map<String, JsonNode> operations() {
    Map<String, JsonNode> operations = new TreeMap<>();
    contract
        .path("paths")
        .fields()
        .forEachRemaining(
            path ->
                path.getValue()
                    .fields()
                    .forEachRemaining(
                        method -> {
                          if (!method.getKey().equals("parameters")) {
                            operations.put(
                                method.getKey().toUpperCase(Locale.ROOT) + ' ' + path.getKey(),
                                method.getValue());
                          }
                        }));
    return operations;
  }

  private Map<String, Endpoint> routes() {
    List<Endpoint> all = new ArrayList<>(role.publicEndpoints(null, null));
    all.addAll(role.adminEndpoints(null));
    return all.stream()
        .filter(
            endpoint -> !PAGES.contains(endpoint.path()) && !endpoint.path().startsWith("/assets/"))
        .collect(Collectors.toMap(OpenApiTest::nameOf, Function.identity()));
  }

  private static String nameOf(Endpoint endpoint) {
    return endpoint.method().name() + ' ' + endpoint.path();
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  private static JsonNode read() {
    try (InputStream in = OpenApiTest.class.getResourceAsStream("/openapi.yaml")) {
      return new YAMLMapper().readTree(in);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.seckill.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableTest {

  private record Route(HttpMethod method, String path) implements Endpoint {
    @Override
    public Access access() {
      return Access.ANYBODY;
    }

    @Override
    public Future<Reply> handle(Exchange exchange) {
      throw new UnsupportedOperationException();
    }
  }

  private static final Route ROOT = new Route(HttpMethod.GET, "/");
  private static final Route LIST = new Route(HttpMethod.GET, "/api/v1/items");
  private static final Route CREATE = new Route(HttpMethod.POST, "/api/v1/items");
  private static final Route BUY = new Route(HttpMethod.POST, "/api/v1/items/{id}/purchases");

  private final RouteTable routes = new RouteTable(List.of(ROOT, LIST, CREATE, BUY));

  @Test
  void findShouldMatchMethodAndPath() {
    assertThat(routes.find(HttpMethod.GET, "/")).isEqualTo(found(ROOT));
    assertThat(routes.find(HttpMethod.GET, "/api/v1/items")).isEqualTo(found(LIST));
    assertThat(routes.find(HttpMethod.HEAD, "/api/v1/items")).isEqualTo(found(LIST));
    assertThat(routes.find(HttpMethod.POST, "/api/v1/items")).isEqualTo(found(CREATE));
    assertThat(routes.find(HttpMethod.POST, "/api/v1/items/7/purchases"))
        .isEqualTo(found(BUY, "7"));
  }

  @Test
  void findShouldNameTheMethodsOfAPath() {
    assertThat(routes.find(HttpMethod.DELETE, "/api/v1/items"))
        .isEqualTo(new RouteTable.OtherMethod("GET, HEAD, POST, OPTIONS"));
    assertThat(routes.find(HttpMethod.valueOf("TRACE"), "/api/v1/items/7/purchases"))
        .isEqualTo(new RouteTable.OtherMethod("POST, OPTIONS"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "//",
        "/api",
        "/api/v1/items/",
        "/api/v1//items",
        "//api/v1/items",
        "/API/v1/items",
        "/api/v1/items;a=b",
        "/api/v1/./items",
        "/x/../api/v1/items",
        "/api%2fv1/items",
        "/api/v1/%69tems",
        "/api/v1/items//purchases",
        "/api/v1/items/7/purchases/",
        "/api/v1/items/7/purchases#x",
        "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18",
      })
  void AU_05_otherSpellingsShouldMatchNothing(String path) {
    assertThat(routes.find(HttpMethod.GET, path)).isEqualTo(new RouteTable.Unknown());
    assertThat(routes.find(HttpMethod.POST, path)).isEqualTo(new RouteTable.Unknown());
  }

  @Test
  void constructorShouldRefuseTwoEndpointsInOnePlace() {
    assertThatThrownBy(() -> new RouteTable(List.of(LIST, LIST)))
        .isInstanceOf(IllegalStateException.class);
  }

  private static RouteTable.Found found(Endpoint endpoint, String... parameters) {
    return new RouteTable.Found(endpoint, List.of(parameters));
  }
}

package io.seckill.gateway;

import static io.seckill.gateway.GatewayIT.problem;
import static io.seckill.gateway.RunningGateway.ORDER;
import static io.seckill.gateway.RunningGateway.get;
import static io.seckill.gateway.RunningGateway.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.order.NotificationState;
import io.seckill.gateway.RawHttp.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see of notifications and do to them, over real sockets. */
class NotificationRoutesIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NOTIFICATIONS = "/api/v1/admin/notifications";

  private static RunningGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    gateway = RunningGateway.start();
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @BeforeEach
  void reset() {
    gateway.changes().clear();
  }

  private static String operator() {
    return "Authorization: Bearer " + gateway.adminToken() + "\r\n";
  }

  private static Response call(String request) throws Exception {
    return RawHttp.once(gateway.adminPort(), request);
  }

  @Test
  void notificationsShouldBeListedPageByPage() throws Exception {
    Response response = call(get(NOTIFICATIONS, operator()));
    assertThat(response.status()).isEqualTo(200);
    JsonNode page = JSON.readTree(response.body());
    assertThat(page.path("next").asText()).isEqualTo("7");
    JsonNode one = page.path("notifications").path(0);
    assertThat(one.toString())
        .isEqualTo(
            "{\"id\":\"7\",\"state\":\"DEAD\",\"tries\":12,\"failure\":\"HTTP 500\","
                + "\"at\":\"2023-11-14T22:13:20.123Z\",\"user\":\"ann\",\"orderId\":\""
                + ORDER.value()
                + "\",\"status\":\"PAID\",\"promoted\":true}");

    call(get(NOTIFICATIONS + "?state=PENDING&after=999999999999999999&limit=100", operator()));

    assertThat(gateway.changes())
        .containsExactly(
            new NotificationsQuery(NotificationState.DEAD, 0, 20),
            new NotificationsQuery(NotificationState.PENDING, 999_999_999_999_999_999L, 100));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state=NO",
        "state=dead",
        "after=0",
        "after=-1",
        "after=x",
        "after=9999999999999999999",
        "limit=0",
        "limit=101",
        "x=1",
        "limit=1&limit=2"
      })
  void whatCannotBeAPageShouldBeRefused(String query) throws Exception {
    problem(call(get(NOTIFICATIONS + "?" + query, operator())), ErrorCode.INVALID_REQUEST);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void retryShouldReachTheConsumer() throws Exception {
    Response response = call(post(NOTIFICATIONS + "/7/retry", operator(), ""));
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"id\":\"7\",\"state\":\"PENDING\"}");
    assertThat(gateway.changes()).containsExactly(new NotificationRetry(7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"8", "0", "-7", "07", "x", "9999999999999999999", "..", "%00"})
  void whatIsNoNotificationShouldNotBeThere(String id) throws Exception {
    problem(call(post(NOTIFICATIONS + "/" + id + "/retry", operator(), "")), ErrorCode.NOT_FOUND);
  }

  @Test
  void AU_04_notificationsShouldBeForOperatorsOnly() throws Exception {
    problem(call(get(NOTIFICATIONS, "")), ErrorCode.UNAUTHENTICATED);
    String buyer = "Authorization: Bearer " + gateway.token("ann") + "\r\n";
    problem(call(get(NOTIFICATIONS, buyer)), ErrorCode.FORBIDDEN);
    problem(call(post(NOTIFICATIONS + "/7/retry", buyer, "")), ErrorCode.FORBIDDEN);
    problem(
        RawHttp.once(gateway.publicPort(), get(NOTIFICATIONS, operator())), ErrorCode.NOT_FOUND);
    assertThat(gateway.changes()).isEmpty();
  }
}

package io.seckill.launcher.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.launcher.UsageException;
import io.seckill.launcher.local.RunInfo;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningSystemTest {

  private static final Map<String, String> ENVIRONMENT =
      Map.of("SECKILL_ADMIN_URL", "http://far:8081/", "SECKILL_ADMIN_TOKEN", "t2");

  @TempDir private Path folder;

  @Test
  void findShouldPreferTheLocalRun() {
    runInfo(ProcessHandle.current().pid());
    assertThat(RunningSystem.find(folder, ENVIRONMENT))
        .isEqualTo(new RunningSystem("http://127.0.0.1:8081", "t1"));
  }

  @Test
  void findShouldTakeTheEnvironmentWhenNothingRunsHere() {
    assertThat(RunningSystem.find(folder, ENVIRONMENT))
        .isEqualTo(new RunningSystem("http://far:8081", "t2"));
  }

  @Test
  void findShouldNotBelieveAFileWhoseProcessIsGone() {
    runInfo(Integer.MAX_VALUE);
    assertThat(RunningSystem.find(folder, ENVIRONMENT).adminUrl()).isEqualTo("http://far:8081");
    assertThatThrownBy(() -> RunningSystem.find(folder, Map.of()))
        .hasMessageContaining("left over")
        .hasMessageContaining("./seckill run");
  }

  @Test
  void findShouldWantBothHalvesOfTheEnvironment() {
    assertThatThrownBy(() -> RunningSystem.find(folder, Map.of("SECKILL_ADMIN_TOKEN", "t2")))
        .hasMessageStartingWith("SECKILL_ADMIN_URL is not set");
    assertThatThrownBy(
            () ->
                RunningSystem.find(
                    folder, Map.of("SECKILL_ADMIN_TOKEN", "t", "SECKILL_ADMIN_URL", "far:8081")))
        .hasMessageContaining("http://127.0.0.1:8081");
  }

  @Test
  void findShouldRefuseATokenThatNoHeaderTakesAndNotShowIt() {
    assertThatThrownBy(
            () ->
                RunningSystem.find(
                    folder,
                    Map.of("SECKILL_ADMIN_TOKEN", "t5\nt6", "SECKILL_ADMIN_URL", "http://far")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("SECKILL_ADMIN_TOKEN")
        .hasMessageNotContainingAny("t5", "t6");
  }

  @Test
  void toStringShouldLeaveTheTokenOut() {
    assertThat(new RunningSystem("http://far", "t2").toString()).doesNotContain("t2");
  }

  private void runInfo(long pid) {
    new RunInfo(
            "http://127.0.0.1:8080", "http://127.0.0.1:8081", "http://127.0.0.1:9090", "t1", pid)
        .write(folder);
  }
}

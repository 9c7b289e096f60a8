package io.seckill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnpackCacheTest {

  @TempDir Path root;

  @BeforeEach
  void moveTheCache() {
    System.setProperty(UnpackCache.PROPERTY, root.toString());
  }

  @AfterEach
  void moveItBack() {
    System.clearProperty(UnpackCache.PROPERTY);
  }

  @Test
  void fillsOnceWhenManyAskAtOnce() throws Exception {
    AtomicInteger fills = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Path>> folders = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        folders.add(
            threads.submit(
                () ->
                    UnpackCache.folder(
                        "thing",
                        folder -> {
                          fills.incrementAndGet();
                          Files.writeString(folder.resolve("file"), "content");
                        })));
      }
      for (Future<Path> folder : folders) {
        assertThat(folder.get(10, TimeUnit.SECONDS).resolve("file")).hasContent("content");
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fills).hasValue(1);
  }

  @Test
  void fillsAgainAfterAFillThatBroke() {
    UnpackCache.Filler broken =
        folder -> {
          Files.writeString(folder.resolve("half"), "x");
          throw new IOException("disk full");
        };
    assertThatThrownBy(() -> UnpackCache.folder("thing", broken))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("disk full")
        .hasMessageContaining(UnpackCache.PROPERTY);

    Path folder =
        UnpackCache.folder("thing", path -> Files.writeString(path.resolve("whole"), "y"));

    assertThat(folder.resolve("half")).doesNotExist();
    assertThat(folder.resolve("whole")).exists();
  }
}

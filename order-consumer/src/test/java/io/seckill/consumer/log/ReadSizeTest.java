package io.seckill.consumer.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadSizeTest {

  private final ReadSize size = new ReadSize(1_000);

  /** Reads as much as is asked for, from a log that has enough. */
  private int readFull(int changesOfEach) {
    int asked = size.entries();
    assertThat(size.done(asked, asked, asked * changesOfEach)).isTrue();
    return asked * changesOfEach;
  }

  @Test
  void readShouldBringAboutWhatIsWantedWhateverEntriesHold() {
    for (int each : new int[] {128, 7, 512, 1_000}) {
      for (int i = 0; i < 10; i++) {
        readFull(each);
      }
      assertThat(readFull(each)).as("entries of %s changes", each).isBetween(489, 1_000);
    }
  }

  @Test
  void readShouldStaySmallWhileNobodyKnowsHowLargeEntriesAre() {
    assertThat(size.entries()).isEqualTo(16);
    assertThat(new ReadSize(5).entries()).isEqualTo(5);
  }

  @Test
  void readShouldAtMostDouble() {
    readFull(1_000);
    assertThat(size.entries()).isEqualTo(1);
    readFull(1);
    assertThat(size.entries()).isEqualTo(2);
    readFull(1);
    assertThat(size.entries()).isEqualTo(4);
  }

  @Test
  void readShouldNotGrowWhileEntriesAreFew() {
    for (int i = 0; i < 20; i++) {
      assertThat(size.done(size.entries(), 3, 3)).isFalse();
      assertThat(size.done(size.entries(), 0, 0)).isFalse();
    }
    assertThat(size.entries()).isEqualTo(16);
  }

  @Test
  void readShouldNeverAskForMoreThanItsBound() {
    for (int i = 0; i < 20; i++) {
      readFull(1);
    }
    assertThat(size.entries()).isEqualTo(ReadSize.MAX_ENTRIES);
  }
}

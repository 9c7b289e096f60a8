package io.seckill.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Folders that are filled once per machine user and then only read: unpacked server binaries and
 * empty data folders.
 *
 * <p>They are in {@code ~/.cache/seckill}, or where the system property {@value #PROPERTY} says. A
 * folder is filled under another name and then renamed in one step, so its final name is the mark
 * that it is complete: a fill that was killed is done again. Processes and threads that want the
 * same folder wait for each other.
 */
public final class UnpackCache {

  /** System property that moves the cache. */
  public static final String PROPERTY = "seckill.embedded.cache";

  /**
   * Unpacking takes some 5 s on a slow disk; somebody who holds the lock for longer than this is
   * stuck.
   */
  private static final Duration LOCK_BOUND = Duration.ofMinutes(3);

  private static final Map<String, Object> LOCKS = new ConcurrentHashMap<>();

  private UnpackCache() {}

  /** Puts the content into an empty folder. */
  @FunctionalInterface
  public interface Filler {
    /** Fills {@code folder}, which exists and is empty. */
    void fill(Path folder) throws IOException;
  }

  /** Returns the cache's root folder, which may not exist yet. */
  public static Path root() {
    String property = System.getProperty(PROPERTY);
    return property != null
        ? Path.of(property)
        : Path.of(System.getProperty("user.home"), ".cache", "seckill");
  }

  /**
   * Returns the complete folder {@code name}, filled by {@code filler} if it was not there. The
   * name must say all that the content depends on (version, platform), for an existing folder is
   * taken as it is.
   *
   * @throws EmbeddedServerException when it cannot be filled
   */
  public static Path folder(String name, Filler filler) {
    Path folder = root().resolve(name);
    if (Files.isDirectory(folder)) {
      return folder;
    }
    synchronized (LOCKS.computeIfAbsent(folder.toString(), key -> new Object())) {
      try {
        fillOnce(folder, filler);
      } catch (IOException e) {
        throw new EmbeddedServerException(
            "Cannot unpack %s (%s). It needs about 400 MB of free disk there; another place can be named by -D%s=<folder>."
                .formatted(folder, e, PROPERTY),
            e);
      }
    }
    return folder;
  }

  private static void fillOnce(Path folder, Filler filler) throws IOException {
    Files.createDirectories(folder.getParent());
    Path lockFile = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = await(channel, lockFile)) {
      if (!lock.isValid() || Files.isDirectory(folder)) {
        return;
      }
      Path part = folder.resolveSibling(folder.getFileName() + ".part");
      FileTrees.delete(part);
      Files.createDirectory(part);
      filler.fill(part);
      Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static FileLock await(FileChannel channel, Path lockFile) throws IOException {
    long deadline = System.nanoTime() + LOCK_BOUND.toNanos();
    while (true) {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return lock;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "another process has held " + lockFile + " for " + LOCK_BOUND.toSeconds() + " s");
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for " + lockFile, e);
      }
    }
  }
}

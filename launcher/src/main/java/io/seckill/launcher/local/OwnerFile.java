package io.seckill.launcher.local;

import io.seckill.launcher.LaunchException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Small JSON files that only their owner may read, written in one step. */
final class OwnerFile {

  /** What is larger is not ours. */
  private static final long MAX_BYTES = 64 * 1024;

  private OwnerFile() {}

  static void write(Path file, JsonObject content) {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.deleteIfExists(part);
      Files.createFile(part, ownerOnly());
      Files.writeString(part, content.encodePrettily() + "\n");
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new LaunchException("cannot write " + file + " (" + e + ")", e);
    }
  }

  /** Empty when there is no such file. */
  static Optional<JsonObject> read(Path file) {
    try {
      if (Files.notExists(file)) {
        return Optional.empty();
      }
      if (Files.size(file) > MAX_BYTES) {
        throw new LaunchException(file + " is too large to be ours: remove it");
      }
      return Optional.of(new JsonObject(Files.readString(file)));
    } catch (IOException e) {
      throw new LaunchException("cannot read " + file + " (" + e + ")", e);
    } catch (DecodeException e) {
      throw new LaunchException(file + " is not JSON: remove it, or bring its backup back", e);
    }
  }

  private static FileAttribute<?>[] ownerOnly() {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}

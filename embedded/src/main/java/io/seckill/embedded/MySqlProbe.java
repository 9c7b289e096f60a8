package io.seckill.embedded;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Tells when a server of the MySQL family is ready: it greets each connection with its version.
 *
 * @param pidFile written by the server after it has bound its port; tells it from a stranger on the
 *     same port
 */
public record MySqlProbe(Path pidFile) implements ServerPlan.Probe {

  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final int BOUND_MS = 1_000;
  private static final int HANDSHAKE_V10 = 10;
  private static final int MAX_GREETING = 1_024;

  @Override
  public Optional<String> version(int port, long pid) throws IOException {
    if (Files.notExists(pidFile) || !Files.readString(pidFile).strip().equals(Long.toString(pid))) {
      return Optional.empty();
    }
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(BOUND_MS);
      socket.connect(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), BOUND_MS);
      return greeting(new DataInputStream(socket.getInputStream()));
    }
  }

  /**
   * A packet is a length of three bytes, a number, and the payload: protocol version 10, then the
   * version up to a 0.
   */
  private static Optional<String> greeting(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
    in.readByte();
    if (length > MAX_GREETING || in.readByte() != HANDSHAKE_V10) {
      return Optional.empty();
    }
    byte[] rest = in.readNBytes(length - 1);
    int end = 0;
    while (end < rest.length && rest[end] != 0) {
      end++;
    }
    return Optional.of(new String(rest, 0, end, StandardCharsets.US_ASCII));
  }
}

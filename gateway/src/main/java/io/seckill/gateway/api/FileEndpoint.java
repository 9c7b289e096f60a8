package io.seckill.gateway.api;

import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Serves one file of the class path, read once. Each file is a route of its own, so no path ever
 * reaches a file system.
 */
public final class FileEndpoint implements Endpoint {

  /** Nothing but what comes with the page, and no frame around it. */
  private static final CharSequence PAGE_POLICY =
      HttpHeaders.createOptimized(
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:;"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

  private static final CharSequence CONTENT_SECURITY_POLICY =
      HttpHeaders.createOptimized("content-security-policy");
  private static final CharSequence REFERRER_POLICY =
      HttpHeaders.createOptimized("referrer-policy");

  /** Files may change with the next release: a cache asks, and is told 304. */
  private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache");

  private static final String STOREFRONT = "storefront/";

  private final String path;
  private final Reply whole;
  private final Reply unchanged;
  private final String etag;

  private FileEndpoint(String path, String contentType, byte[] bytes) {
    this.path = path;
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    etag = '"' + Long.toHexString(crc.getValue()) + '-' + bytes.length + '"';
    Map<CharSequence, CharSequence> headers =
        Map.of(
            HttpHeaders.CACHE_CONTROL,
            NO_CACHE,
            HttpHeaders.ETAG,
            HttpHeaders.createOptimized(etag),
            CONTENT_SECURITY_POLICY,
            PAGE_POLICY,
            REFERRER_POLICY,
            "no-referrer");
    whole = new Reply(200, HttpHeaders.createOptimized(contentType), Buffer.buffer(bytes), headers);
    unchanged = Reply.empty(304, headers);
  }

  /** The contract of this API. */
  public static FileEndpoint openApi() {
    byte[] bytes = read("openapi.yaml").orElseThrow();
    return new FileEndpoint("/openapi.yaml", "application/yaml", bytes);
  }

  /**
   * The shop page: {@code /} and every file that {@code storefront/files.txt} names, one a line,
   * under {@code /assets/}. Empty when no page is on the class path.
   */
  public static List<Endpoint> storefront() {
    List<Endpoint> files = new ArrayList<>();
    read(STOREFRONT + "index.html")
        .ifPresent(page -> files.add(new FileEndpoint("/", typeOf("index.html"), page)));
    read(STOREFRONT + "files.txt").map(names -> new String(names, StandardCharsets.UTF_8)).stream()
        .flatMap(String::lines)
        .filter(name -> !name.isBlank())
        .forEach(name -> files.add(asset(name.strip())));
    return files;
  }

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public Access access() {
    return Access.ANYBODY;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return Future.succeededFuture(
        etag.equals(exchange.header(HttpHeaders.IF_NONE_MATCH)) ? unchanged : whole);
  }

  private static FileEndpoint asset(String name) {
    byte[] bytes =
        read(STOREFRONT + name)
            .orElseThrow(
                () -> new IllegalStateException("storefront/files.txt names a missing " + name));
    return new FileEndpoint("/assets/" + name, typeOf(name), bytes);
  }

  private static String typeOf(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> "application/octet-stream";
    };
  }

  private static Optional<byte[]> read(String resource) {
    try (InputStream in = FileEndpoint.class.getClassLoader().getResourceAsStream(resource)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}

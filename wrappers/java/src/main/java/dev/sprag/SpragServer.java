package dev.sprag;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A server with its objects in memory, on a free port of this machine.
 *
 * <p>Its standard input is a pipe of this process: when this process ends, even by a crash, the pipe closes, and the server stops and
 * removes its folder.
 */
public final class SpragServer implements AutoCloseable {
  private static final long STOP_SECONDS = 15;

  private final Process process;
  private final Map<String, String> ready;
  private final String token;
  private final HttpClient client;

  private SpragServer(Process process, Map<String, String> ready) throws IOException {
    this.process = process;
    this.ready = ready;
    this.token = Files.readString(Path.of(ready.get("tokenFile"))).strip();
    this.client = HttpClient.newBuilder().sslContext(sslContext()).build();
  }

  /** Starts a server with nothing but what every server has. */
  public static SpragServer start() {
    return builder().start();
  }

  /** A server before it starts. */
  public static Builder builder() {
    return new Builder();
  }

  /** The address: {@code https://127.0.0.1:34567}. */
  public String url() {
    return ready.get("url");
  }

  /** A kubeconfig of the administrator. */
  public Path kubeconfig() {
    return Path.of(ready.get("kubeconfig"));
  }

  /** The certificate of the server's authority, as PEM. */
  public String certificateAuthority() {
    return ready.get("certificateAuthority");
  }

  /** The bearer token of the administrator. */
  public String token() {
    return token;
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** The version of sprag. */
  public String version() {
    return ready.get("version");
  }

  /** The release of Kubernetes that it emulates: {@code 1.37}. */
  public String kubernetesVersion() {
    return ready.get("kubernetesVersion");
  }

  /**
   * Sends a request as the administrator.
   *
   * @param body JSON; null for none
   */
  public HttpResponse<String> request(String method, String path, String body) {
    HttpRequest.BodyPublisher publisher =
        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url() + path))
            .method(method, publisher)
            .header("Authorization", "Bearer " + token)
            .header("Accept", "application/json");
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for an answer", error);
    }
  }

  /** A context that trusts this server and no other. */
  public SSLContext sslContext() {
    try {
      CertificateFactory certificates = CertificateFactory.getInstance("X.509");
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      byte[] pem = certificateAuthority().getBytes(StandardCharsets.US_ASCII);
      int number = 0;
      for (Certificate certificate : certificates.generateCertificates(new ByteArrayInputStream(pem))) {
        trusted.setCertificateEntry("ca-" + number++, certificate);
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException error) {
      throw new IllegalStateException("the certificate of the server cannot be used", error);
    }
  }

  /** Ends the server, which removes its folder. Does nothing the second time. */
  @Override
  public void close() {
    end(process);
  }

  /** The sprag binary: the environment variable {@code SPRAG}, or {@code sprag} on the {@code PATH}. */
  public static String findBinary() {
    String named = System.getenv("SPRAG");
    if (named != null && !named.isEmpty()) {
      return named;
    }
    String name = File.separatorChar == '\\' ? "sprag.exe" : "sprag";
    String path = System.getenv("PATH");
    for (String part : path == null ? new String[0] : path.split(File.pathSeparator)) {
      File candidate = new File(part, name);
      if (candidate.isFile() && candidate.canExecute()) {
        return candidate.getPath();
      }
    }
    throw new IllegalStateException(
        "there is no sprag on the PATH: install it, or set SPRAG to the path of the binary");
  }

  /** A server before it starts. */
  public static final class Builder {
    private final List<String> flags = new ArrayList<>();
    private String binary;
    private Duration timeout = Duration.ofSeconds(30);

    private Builder() {}

    /** Loads the CustomResourceDefinitions of a file or folder. */
    public Builder crds(Path path) {
      return args("--crds", path.toString());
    }

    /** Adds flags of {@code sprag serve}. */
    public Builder args(String... more) {
      flags.addAll(List.of(more));
      return this;
    }

    /** Runs this binary in place of the one that is found. */
    public Builder binary(String path) {
      binary = path;
      return this;
    }

    /** How long the server may take to be ready; 30 seconds. */
    public Builder timeout(Duration limit) {
      timeout = limit;
      return this;
    }

    /** Answers as a release of Kubernetes: {@code 1.34}; the newest if it is not called. */
    public Builder kubernetesVersion(String release) {
      return args("--kubernetes-version", release);
    }

    /** Starts it, and returns when it is ready. */
    public SpragServer start() {
      String program = binary == null ? findBinary() : binary;
      List<String> command = new ArrayList<>(List.of(program, "serve", "--temporary", "--listen", "127.0.0.1:0"));
      command.addAll(List.of("--exit-with-stdin", "--output", "json"));
      command.addAll(flags);
      Process process;
      try {
        process = new ProcessBuilder(command).start();
      } catch (IOException error) {
        throw new UncheckedIOException("cannot start " + program + ": " + error.getMessage(), error);
      }
      try {
        return new SpragServer(process, ReadyFile.parse(ready(process)));
      } catch (IOException error) {
        end(process);
        throw new UncheckedIOException("cannot start " + program + ": " + error.getMessage(), error);
      } catch (RuntimeException error) {
        end(process);
        throw error;
      }
    }

    /** The line that the server prints when it is ready. */
    private String ready(Process process) {
      CompletableFuture<String> log = inBackground(process.getErrorStream()::readAllBytes);
      BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
      CompletableFuture<String> line = inBackground(() -> String.valueOf(lines.readLine()).getBytes(StandardCharsets.UTF_8));
      try {
        String read = line.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (read.startsWith("{")) {
          return read;
        }
        String message = log.get(STOP_SECONDS, TimeUnit.SECONDS);
        throw new IllegalStateException("sprag serve ended with code " + process.waitFor() + ": " + message);
      } catch (TimeoutException late) {
        process.destroyForcibly();
        throw new IllegalStateException("sprag serve was not ready after " + timeout + ": " + log.join());
      } catch (ExecutionException error) {
        throw new IllegalStateException("the output of sprag serve cannot be read", error.getCause());
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while the server started", error);
      }
    }

    /** Reads in a thread of its own, which ends with the process that writes: a pipe has no time limit. */
    private static CompletableFuture<String> inBackground(Callable<byte[]> read) {
      CompletableFuture<String> text = new CompletableFuture<>();
      Thread reader =
          new Thread(
              () -> {
                try {
                  text.complete(new String(read.call(), StandardCharsets.UTF_8).strip());
                } catch (Exception error) {
                  text.completeExceptionally(error);
                }
              });
      reader.setDaemon(true);
      reader.start();
      return text;
    }
  }

  private static void end(Process process) {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (IOException error) {
      process.destroyForcibly();
    } catch (InterruptedException error) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

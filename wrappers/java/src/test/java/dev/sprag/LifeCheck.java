package dev.sprag;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What needs no JUnit: the life of a server. Each check throws when it fails. */
public final class LifeCheck {
  private LifeCheck() {}

  /** Runs all checks, or with the argument {@code crash} starts a server and dies. */
  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      SpragServer server = SpragServer.start();
      System.out.println(server.url() + " " + server.kubeconfig());
      System.out.flush();
      Runtime.getRuntime().halt(9);
    }
    endsWhenItIsClosed();
    endsWhenTheTestCrashes();
    runsBesideOthers();
    saysWhatStopsItFromStarting();
    readsMembersOfLaterVersions();
    System.out.println("5 checks passed");
  }

  static void endsWhenItIsClosed() throws Exception {
    SpragServer server = SpragServer.start();
    ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
    String minor = server.kubernetesVersion().split("\\.")[1];
    String version = server.request("GET", "/version", null).body();
    check(version.contains("\"minor\":\"" + minor + "\"") || version.contains("\"minor\": \"" + minor + "\""), version);
    check(Files.exists(server.kubeconfig()), "there is a kubeconfig");
    server.close();
    server.close();
    check(!process.isAlive() && !Files.exists(server.kubeconfig()), "nothing is left");
  }

  static void endsWhenTheTestCrashes() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process crashing =
        new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "dev.sprag.LifeCheck", "crash").start();
    String[] said = new String(crashing.getInputStream().readAllBytes()).strip().split(" ");
    URI server = URI.create(said[0]);
    Path folder = Path.of(said[1]).getParent();
    check(crashing.waitFor() == 9, "it crashed");
    // Not by its id: who has nobody to wait for it may stay in the table of processes for a while.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while ((answers(server) || Files.exists(folder)) && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    check(!answers(server), "it goes on at " + server);
    check(!Files.exists(folder), "its folder is left: " + folder);
  }

  static void runsBesideOthers() throws Exception {
    int count = System.getenv("SPRAG_FULL") == null ? 8 : 50;
    ExecutorService pool = Executors.newFixedThreadPool(8);
    List<Future<SpragServer>> lives = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      String own = "own-" + number;
      lives.add(pool.submit(() -> life(own)));
    }
    for (Future<SpragServer> life : lives) {
      SpragServer server = life.get();
      check(!Files.exists(server.kubeconfig().getParent()), "the folder of " + server.pid() + " is left");
      check(ProcessHandle.of(server.pid()).map(process -> !process.isAlive()).orElse(true), server.pid() + " runs");
    }
    pool.shutdown();
  }

  private static SpragServer life(String own) {
    try (SpragServer server = SpragServer.start()) {
      server.request("POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + own + "\"}}");
      String names = server.request("GET", "/api/v1/namespaces", null).body();
      check(names.split("\"name\":\\s*\"own-").length == 2, names);
      return server;
    }
  }

  static void saysWhatStopsItFromStarting() {
    try (SpragServer server = SpragServer.builder().args("--history", "never").start()) {
      throw new AssertionError("it runs at " + server.url());
    } catch (IllegalStateException error) {
      check(error.getMessage().contains("ended with code 2") && error.getMessage().contains("is not a time"), error.getMessage());
    }
  }

  static void readsMembersOfLaterVersions() {
    Map<String, String> read = ReadyFile.parse("{ \"a\\n\\u0041\": \"x\\\"}\", \"b\": {\"c\": [1, \"}\"]}, \"d\": 12 }\n");
    check(read.equals(Map.of("a\nA", "x\"}", "d", "12")), read.toString());
  }

  private static boolean answers(URI server) {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}

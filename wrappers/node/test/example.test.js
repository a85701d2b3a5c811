// Run with `node --test`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { start } from "../index.js";

const CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", maximum: 10 } } } },
          },
        },
      },
    ],
  },
};
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const widget = (size) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size } });

function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

describe("widgets", () => {
  let folder, server;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "widgets-"));
    await writeFile(join(folder, "widgets.json"), JSON.stringify(CRD));
    server = await start({ crds: [folder] });
  });

  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  test("one is stored", async () => {
    await server.request("POST", WIDGETS, widget(3));
    const list = await server.request("GET", WIDGETS);
    assert.deepEqual(list.items.map((item) => item.metadata.name), ["a"]);
  });

  test("one that is too large is refused", async () => {
    const refused = server.request("POST", WIDGETS, widget(11));
    await assert.rejects(refused, { code: 422, message: /should be less than or equal to 10/ });
  });
});

test("a server ends when it is stopped", async () => {
  const server = await start();
  const version = await server.request("GET", "/version");
  assert.equal(version.minor, server.kubernetesVersion.split(".")[1]);
  assert.ok(runs(server.pid) && existsSync(server.kubeconfig));
  await server.stop();
  await server.stop();
  assert.ok(!runs(server.pid) && !existsSync(server.kubeconfig));
});

test("nothing is left when the test crashes", { skip: process.platform === "win32" }, async () => {
  const index = new URL("../index.js", import.meta.url);
  const script = `import {start} from ${JSON.stringify(index.href)};
    const server = await start();
    process.stdout.write(server.url + " " + server.kubeconfig, () => process.kill(process.pid, "SIGKILL"));`;
  const crashed = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const [url, kubeconfig] = crashed.stdout.split(" ");
  const port = Number(url.split(":").at(-1));
  assert.ok(port > 0, crashed.stderr);
  // Not by its id: who has nobody to wait for it may stay in the table of processes for a while.
  const left = async () => (await answers(port)) || existsSync(dirname(kubeconfig));
  for (let waited = 0; (await left()) && waited < 60_000; waited += 10) await sleep(10);
  assert.ok(!(await left()));
});

test("many servers run beside each other", async () => {
  const count = process.env.SPRAG_FULL ? 50 : 8;
  const life = async (number) => {
    const server = await start();
    await server.request("POST", "/api/v1/namespaces", { metadata: { name: `own-${number}` } });
    const { items } = await server.request("GET", "/api/v1/namespaces");
    const own = items.map((item) => item.metadata.name).filter((name) => name.startsWith("own-"));
    await server.stop();
    return { own, left: runs(server.pid) || existsSync(dirname(server.kubeconfig)) };
  };
  const lives = await Promise.all(Array.from({ length: count }, (_, number) => life(number)));
  assert.deepEqual(lives, Array.from({ length: count }, (_, number) => ({ own: [`own-${number}`], left: false })));
});

test("an older release answers", async () => {
  const server = await start({ kubernetesVersion: "1.34" });
  assert.equal(server.kubernetesVersion, "1.34");
  const service = { metadata: { name: "1web" }, spec: { ports: [{ port: 80 }] } };
  const refused = server.request("POST", "/api/v1/namespaces/default/services", service);
  await assert.rejects(refused, /a DNS-1035 label must consist of/);
  await server.stop();
});

test("the command is the binary", () => {
  const cli = fileURLToPath(new URL("../cli.js", import.meta.url));
  const run = (args, options) => spawnSync(process.execPath, [cli, ...args], { encoding: "utf8", ...options });
  assert.match(run(["--version"]).stdout, /^sprag \d/);
  const refused = run(["validate", "-"], { input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n" });
  assert.equal(refused.status, 1, refused.stderr);
  if (!process.env.SPRAG) return; // The package of the platform is installed.
  const missing = run(["--version"], { env: { PATH: "" } });
  assert.deepEqual([missing.status, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /error: there is no package sprag-.* beside this one/);
});

test("what stops a server from starting is said", async () => {
  await assert.rejects(start({ args: ["--history", "never"] }), /ended with code 2: .*is not a time/);
  await assert.rejects(start({ binary: "/nowhere" }), /cannot start \/nowhere/);
});

// Run with `node --test`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

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

test("a server ends when the test crashes", { skip: process.platform === "win32" }, async () => {
  const index = new URL("../index.js", import.meta.url);
  const script = `import {start} from ${JSON.stringify(index.href)};
    const server = await start();
    process.stdout.write(server.url, () => process.kill(process.pid, "SIGKILL"));`;
  const crashed = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const port = Number(crashed.stdout.split(":").at(-1));
  assert.ok(port > 0, crashed.stderr);
  // Not by its id: who has nobody to wait for it may stay in the table of processes for a while.
  for (let waited = 0; (await answers(port)) && waited < 60_000; waited += 10) await sleep(10);
  assert.ok(!(await answers(port)));
});

test("what stops a server from starting is said", async () => {
  await assert.rejects(start({ args: ["--history", "never"] }), /ended with code 2: .*is not a time/);
  await assert.rejects(start({ binary: "/nowhere" }), /cannot start \/nowhere/);
});

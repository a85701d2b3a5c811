// Run with `vitest run` in a project that has this package, vitest and @kubernetes/client-node.

import { CoreV1Api } from "@kubernetes/client-node";
import { expect } from "vitest";

import { test, testWith } from "sprag/vitest";

test("each test has a namespace", async ({ kubeConfig, namespace }) => {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const body = { metadata: { name: "settings" }, data: { a: "b" } };
  await core.createNamespacedConfigMap({ namespace, body });
  const read = await core.readNamespacedConfigMap({ namespace, name: "settings" });
  expect(read.data).toEqual({ a: "b" });
  await expect(core.createNamespacedConfigMap({ namespace, body })).rejects.toThrow("already exists");
});

test("objects of another test are elsewhere", async ({ server, namespace }) => {
  const maps = await server.request("GET", `/api/v1/namespaces/${namespace}/configmaps`);
  expect(maps.items.map((item) => item.metadata.name)).not.toContain("settings");
});

const older = testWith({ kubernetesVersion: "1.34" });
older("an older release answers", async ({ server }) => {
  expect(server.kubernetesVersion).toBe("1.34");
});

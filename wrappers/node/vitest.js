// Fixtures of vitest: a server for each worker, a namespace for each test, a KubeConfig where @kubernetes/client-node is installed.

import { test as base } from "vitest";

import { start } from "./index.js";

/** `test` with the fixtures `server`, `namespace` and `kubeConfig`; `options` are those of `start`. */
export function testWith(options) {
  return base.extend({
    server: [
      async ({}, use) => {
        const server = await start(options);
        await use(server);
        await server.stop();
      },
      { scope: "worker" },
    ],
    namespace: async ({ server }, use) => {
      const made = await server.request("POST", "/api/v1/namespaces", { metadata: { generateName: "test-" } });
      await use(made.metadata.name);
      await server.request("DELETE", `/api/v1/namespaces/${made.metadata.name}`);
    },
    kubeConfig: async ({ server }, use) => {
      const { KubeConfig } = await import("@kubernetes/client-node");
      const config = new KubeConfig();
      config.loadFromFile(server.kubeconfig);
      await use(config);
    },
  });
}

export const test = testWith({});

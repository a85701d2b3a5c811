import type { KubeConfig } from "@kubernetes/client-node";
import type { TestAPI } from "vitest";

import type { Options, Server } from "./index.js";

/** What tests ask for by name: `test("…", async ({ server, namespace }) => { … })`. */
export interface Fixtures {
  /** A server that the tests of one worker share. */
  server: Server;
  /** The name of a namespace that the test has to itself. */
  namespace: string;
  /** For the clients of `@kubernetes/client-node`, as the administrator of `server`. */
  kubeConfig: KubeConfig;
}

/** `test` of vitest with the fixtures, on servers that start with these options. */
export declare function testWith(options: Options): TestAPI<Fixtures>;

/** `test` of vitest with the fixtures. */
export declare const test: TestAPI<Fixtures>;

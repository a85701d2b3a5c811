/// <reference lib="esnext.disposable" />

/** How to start a server. */
export interface Options {
  /** Files or folders with CustomResourceDefinitions. */
  crds?: string[];
  /** The release of Kubernetes to answer as: `1.34`; the newest if there is none. */
  kubernetesVersion?: string;
  /** More flags of `sprag serve`. */
  args?: string[];
  /** The sprag binary, in place of the one that `findBinary` finds. */
  binary?: string;
  /** The environment of the server, in place of that of this process. */
  env?: Record<string, string | undefined>;
  /** How many milliseconds the server may take to be ready; 30000. */
  timeout?: number;
}

/** A server with its objects in memory, on a free port of this machine. */
export declare class Server {
  private constructor();
  /** The address: `https://127.0.0.1:34567`. */
  readonly url: string;
  /** The path of a kubeconfig of the administrator. */
  readonly kubeconfig: string;
  /** The certificate of the server's authority, as PEM. */
  readonly ca: string;
  /** The bearer token of the administrator. */
  readonly token: string;
  /** The process id. */
  readonly pid: number;
  /** The version of sprag. */
  readonly version: string;
  /** The release of Kubernetes that it emulates: `1.37`. */
  readonly kubernetesVersion: string;
  /** Sends a request as the administrator; the decoded answer. Errors of the server are `ApiError`s. */
  request<T = any>(method: string, path: string, body?: unknown, contentType?: string): Promise<T>;
  /** Ends the server, and removes its folder. Does nothing the second time. */
  stop(): Promise<void>;
  /** Does what `stop` does, for `await using server = await start()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server answered with an error. */
export declare class ApiError extends Error {
  /** The code of HTTP. */
  readonly code: number;
  /** The `Status` object, or text. */
  readonly status: any;
}

/** The server did not start: the message ends with what it wrote to standard error. */
export declare class StartError extends Error {}

/** Starts a server; it is ready when the promise resolves. */
export declare function start(options?: Options): Promise<Server>;

/** The sprag binary: the environment variable SPRAG, the package of this platform, or `sprag` on the PATH. */
export declare function findBinary(): string;

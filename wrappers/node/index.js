// Starts `sprag serve`, waits until it is ready, and ends it.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

import { findBinary } from "./binary.js";

export { findBinary };

const STOP_MS = 15_000;
// What is kept of standard error, to say why a server did not start.
const LOG_BYTES = 64 * 1024;

export class StartError extends Error {
  name = "StartError";
}

export class ApiError extends Error {
  name = "ApiError";

  constructor(code, status) {
    super(`${code}: ${status?.message ?? status}`);
    this.code = code;
    this.status = status;
  }
}

export class Server {
  #child;
  #ended;
  #stopped;

  constructor(child, ended, ready, token) {
    this.#child = child;
    this.#ended = ended;
    this.url = ready.url;
    this.kubeconfig = ready.kubeconfig;
    this.ca = ready.certificateAuthority;
    this.token = token;
    this.pid = ready.pid;
    this.version = ready.version;
    this.kubernetesVersion = ready.kubernetesVersion;
  }

  request(method, path, body, contentType = "application/json") {
    const headers = { authorization: `Bearer ${this.token}`, accept: "application/json" };
    const data = body === undefined ? undefined : JSON.stringify(body);
    if (data !== undefined) {
      headers["content-type"] = contentType;
      headers["content-length"] = Buffer.byteLength(data);
    }
    return new Promise((resolve, reject) => {
      // No agent: a connection that is kept would keep the test alive.
      const request = https.request(this.url + path, { method, headers, ca: this.ca, agent: false }, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          const decoded = decode(Buffer.concat(parts).toString());
          if (answer.statusCode >= 400) reject(new ApiError(answer.statusCode, decoded));
          else resolve(decoded);
        });
      });
      request.on("error", reject);
      request.end(data);
    });
  }

  stop() {
    this.#stopped ??= end(this.#child, this.#ended);
    return this.#stopped;
  }
}

// Older releases of Node have no such symbol.
if (Symbol.asyncDispose) {
  Server.prototype[Symbol.asyncDispose] = function () {
    return this.stop();
  };
}

export async function start({ crds = [], args = [], kubernetesVersion, binary = findBinary(), env, timeout = 30_000 } = {}) {
  // The server keeps its files in a folder of its own and removes it when it stops.
  const flags = ["serve", "--temporary", "--listen", "127.0.0.1:0", "--exit-with-stdin", "--output", "json"];
  if (kubernetesVersion !== undefined) flags.push("--kubernetes-version", kubernetesVersion);
  flags.push(...crds.flatMap((path) => ["--crds", path]), ...args);
  // The pipe to standard input closes when this process ends, even by a crash, and the server stops.
  const child = spawn(binary, flags, { stdio: ["pipe", "pipe", "pipe"], env, windowsHide: true });
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(`cannot start ${binary}: ${error.message}`));
    child.on("close", (code, signal) => resolve(`sprag serve ended with ${signal ?? `code ${code}`}`));
  });
  child.stdin.on("error", () => {});
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (part) => (log = (log + part).slice(-LOG_BYTES)));
  try {
    const late = sleep(timeout, `sprag serve was not ready after ${timeout} ms`, { ref: false });
    const line = await Promise.race([firstLine(child.stdout), Promise.race([ended, late]).then(failed(() => log))]);
    const ready = JSON.parse(line);
    return new Server(child, ended, ready, (await readFile(ready.tokenFile, "utf8")).trim());
  } catch (error) {
    child.kill("SIGKILL");
    await ended;
    throw error;
  }
}

// The object that the server prints when it is ready; never resolves if there is none.
function firstLine(stream) {
  return new Promise((resolve) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
      if (text.includes("\n")) resolve(text);
    });
  });
}

function failed(log) {
  return (why) => {
    throw new StartError(`${why}: ${log().trim()}`);
  };
}

async function end(child, ended) {
  child.stdin.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(timer);
}

function decode(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

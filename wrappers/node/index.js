// Starts `sprag serve`, waits until it is ready, and ends it.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import https from "node:https";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 5;
const STOP_MS = 15_000;

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

export function findBinary() {
  if (process.env.SPRAG) return process.env.SPRAG;
  const name = process.platform === "win32" ? "sprag.exe" : "sprag";
  const candidates = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = candidates.find(isExecutable);
  if (!found) {
    throw new StartError("there is no sprag on the PATH: install it, or set SPRAG to the path of the binary");
  }
  return found;
}

export class Server {
  #child;
  #ended;
  #folder;
  #stopped;

  constructor(child, ended, folder, ready, token) {
    this.#child = child;
    this.#ended = ended;
    this.#folder = folder;
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
    this.#stopped ??= end(this.#child, this.#ended, this.#folder);
    return this.#stopped;
  }
}

// Older releases of Node have no such symbol.
if (Symbol.asyncDispose) {
  Server.prototype[Symbol.asyncDispose] = function () {
    return this.stop();
  };
}

export async function start({ crds = [], args = [], binary = findBinary(), env, timeout = 30_000 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "sprag-"));
  const ready = join(folder, "ready.json");
  const log = await open(join(folder, "log"), "w");
  const flags = ["serve", "--storage", "memory", "--listen", "127.0.0.1:0", "--data-dir", join(folder, "data")];
  flags.push("--ready-file", ready, "--exit-with-stdin", ...crds.flatMap((path) => ["--crds", path]), ...args);
  // The pipe closes when this process ends, even by a crash, and the server stops.
  const child = spawn(binary, flags, { stdio: ["pipe", "ignore", log.fd], env, windowsHide: true });
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(`cannot start ${binary}: ${error.message}`));
    child.on("exit", (code, signal) => resolve(`sprag serve ended with ${signal ?? `code ${code}`}`));
  });
  child.stdin.on("error", () => {});
  try {
    const document = JSON.parse(await appeared(ready, ended, join(folder, "log"), timeout));
    const token = (await readFile(document.tokenFile, "utf8")).trim();
    return new Server(child, ended, folder, document, token);
  } catch (error) {
    await end(child, ended, folder);
    throw error;
  } finally {
    await log.close();
  }
}

// The text of the ready file, which appears whole.
async function appeared(ready, ended, log, timeout) {
  const deadline = Date.now() + timeout;
  let why;
  ended.then((text) => (why = text));
  for (;;) {
    try {
      return await readFile(ready, "utf8");
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    if (why === undefined && Date.now() > deadline) why = `sprag serve was not ready after ${timeout} ms`;
    if (why !== undefined) throw new StartError(`${why}: ${(await readFile(log, "utf8")).trim()}`);
    await sleep(POLL_MS);
  }
}

async function end(child, ended, folder) {
  child.stdin.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(timer);
  await rm(folder, { recursive: true, force: true });
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function decode(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

#!/usr/bin/env node
// Runs the sprag binary: `npx sprag validate .`. Its exit code is ours, its signals too.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { findBinary } from "./binary.js";

let binary;
try {
  binary = findBinary();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(2);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // The terminal sends SIGINT to the binary as well, which decides what it means.
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: cannot start ${binary}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

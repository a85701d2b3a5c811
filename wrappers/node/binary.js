// Finds the sprag binary: SPRAG, the package of this platform, or the PATH.

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const NAME = process.platform === "win32" ? "sprag.exe" : "sprag";

/** The name of the package that holds the binary for a platform, such as `sprag-linux-x64`. */
export function platformPackage(platform = process.platform, arch = process.arch) {
  return `sprag-${platform}-${arch}`;
}

export function findBinary() {
  if (process.env.SPRAG) return process.env.SPRAG;
  const found = ofPlatformPackage() ?? onPath();
  if (found) return found;
  throw new Error(
    `there is no package ${platformPackage()} beside this one and no sprag on the PATH: ` +
      "install with optional dependencies, or set SPRAG to the path of the binary",
  );
}

function ofPlatformPackage() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${platformPackage()}/package.json`);
    const path = join(dirname(manifest), NAME);
    return isExecutable(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function onPath() {
  const candidates = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, NAME));
  // `npx` puts the script of this package on the PATH, as `node_modules/.bin/sprag`.
  return candidates.find((path) => !/node_modules[\\/]\.bin[\\/]/.test(path) && isExecutable(path));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

"""Runs the sprag binary of this package: `python -m sprag_k8s validate .`."""

from __future__ import annotations

import os
import subprocess
import sys

from ._server import StartError, find_binary


def main() -> int:
    try:
        command = [find_binary(), *sys.argv[1:]]
    except StartError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if os.name != "nt":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

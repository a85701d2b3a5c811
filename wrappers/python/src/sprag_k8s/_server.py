"""Starts `sprag serve`, waits until it is ready, and ends it."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Iterable, Mapping

STOP_SECONDS = 15.0
NAME = "sprag.exe" if os.name == "nt" else "sprag"


class StartError(RuntimeError):
    """The server did not start: the message ends with what it wrote to standard error."""


class ApiError(RuntimeError):
    """The server answered with an error: `code` of HTTP, and the `Status` object."""

    def __init__(self, code: int, status: Any) -> None:
        message = status.get("message") if isinstance(status, dict) else status
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status


def find_binary() -> str:
    """The sprag binary: the environment variable SPRAG, the one that was installed with this package, or `sprag` on the PATH."""
    named = os.environ.get("SPRAG")
    if named:
        return named
    for folder in _script_folders():
        candidate = folder / NAME
        # Not a script: `sprag` on PyPI is another project.
        if candidate.is_file() and not _is_script(candidate):
            return str(candidate)
    found = shutil.which(NAME)
    if found is None:
        raise StartError("no sprag binary is installed with this package or on the PATH: set SPRAG to the path of one")
    return found


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def _script_folders() -> list[Path]:
    """The folders where installers put the binary of this package."""
    folders = [Path(sysconfig.get_path("scripts"))]
    if sys.version_info >= (3, 10):
        folders.append(Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))))
    # `pip install --target FOLDER` makes FOLDER/bin, `--prefix` a bin beside lib/python3.x/site-packages.
    here = Path(__file__).resolve().parent
    folders.append(here.parent / "bin")
    folders += [parent.parent / "bin" for parent in here.parents if parent.name == "lib"]
    return folders


class Server:
    """A server with its objects in memory, on a free port of this machine.

    It runs from `start()` to `stop()`, or within a `with` statement. Its standard input is a pipe of this process: when this
    process ends, even by a crash, the pipe closes, and the server stops and removes its folder.

    `crds` are files or folders with CustomResourceDefinitions, `kubernetes_version` is the release to answer as (`1.34`; the newest
    if there is none), `args` are more flags of `sprag serve`.
    """

    #: The address: `https://127.0.0.1:34567`.
    url: str
    #: The path of a kubeconfig of the administrator.
    kubeconfig: str
    #: The certificate of the server's authority, as PEM.
    ca: str
    #: The bearer token of the administrator.
    token: str
    #: The process id.
    pid: int
    #: The version of sprag.
    version: str
    #: The release of Kubernetes that it emulates: `1.37`.
    kubernetes_version: str

    def __init__(
        self,
        crds: Iterable[str | os.PathLike[str]] = (),
        args: Iterable[str] = (),
        *,
        kubernetes_version: str | None = None,
        binary: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._flags = [flag for path in crds for flag in ("--crds", os.fspath(path))]
        if kubernetes_version is not None:
            self._flags += ["--kubernetes-version", kubernetes_version]
        self._flags += args
        self._binary = binary
        self._env = env
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Starts it, and returns when it is ready."""
        if self._process is not None:
            raise StartError("the server runs already")
        # It has no name, so that nothing is left behind however this process ends.
        with tempfile.TemporaryFile(prefix="sprag-") as log:
            try:
                self._take(self._launch(log))
            except BaseException:
                self.stop()
                raise
        return self

    def stop(self) -> None:
        """Ends it; its folder is gone when this returns. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """Sends a request as the administrator and returns the decoded answer. Errors of the server are `ApiError`s."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/json")
        if data is not None:
            request.add_header("Content-Type", content_type)
        # No proxy of the environment stands between this machine and itself.
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.ssl_context())
        )
        try:
            with opener.open(request) as answer:
                return _decoded(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(error.code, _decoded(error.read())) from None

    def ssl_context(self) -> ssl.SSLContext:
        """A context that trusts this server and no other."""
        return ssl.create_default_context(cadata=self.ca)

    def _launch(self, log: IO[bytes]) -> dict[str, Any]:
        """Starts the process; what it says of itself when it is ready."""
        command = [self._binary or find_binary(), "serve", "--temporary", "--listen", "127.0.0.1:0"]
        command += ["--exit-with-stdin", "--output", "json", *self._flags]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=None if self._env is None else dict(self._env),
            )
        except OSError as error:
            raise StartError(f"cannot start {command[0]}: {error}") from error
        self._process = process
        lines: list[bytes] = []
        # A pipe cannot be read with a time limit on every system.
        reader = threading.Thread(target=lambda: lines.append(_first_line(process.stdout)), daemon=True)
        reader.start()
        reader.join(self._timeout)
        if lines and lines[0]:
            return json.loads(lines[0])
        why = f"was not ready after {self._timeout} s"
        if lines:
            why = f"ended with code {process.wait()}"
        else:
            process.kill()
            reader.join()
        log.seek(0)
        raise StartError(f"sprag serve {why}: {log.read().decode(errors='replace').strip()}")

    def _take(self, ready: dict[str, Any]) -> None:
        self.url = ready["url"]
        self.kubeconfig = ready["kubeconfig"]
        self.ca = ready["certificateAuthority"]
        self.token = Path(ready["tokenFile"]).read_text(encoding="utf-8").strip()
        self.pid = ready["pid"]
        self.version = ready["version"]
        self.kubernetes_version = ready["kubernetesVersion"]


def _first_line(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    return stream.readline()


def _decoded(body: bytes) -> Any:
    text = body.decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text

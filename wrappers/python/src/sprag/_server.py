"""Starts `sprag serve`, waits until it is ready, and ends it."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Iterable, Mapping

POLL_SECONDS = 0.005
STOP_SECONDS = 15.0


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
    """The sprag binary: the environment variable SPRAG, or `sprag` on the PATH."""
    named = os.environ.get("SPRAG")
    if named:
        return named
    found = shutil.which("sprag")
    if found is None:
        raise StartError("there is no sprag on the PATH: install it, or set SPRAG to the path of the binary")
    return found


class Server:
    """A server with its objects in memory, on a free port of this machine.

    It runs from `start()` to `stop()`, or within a `with` statement. Its standard input is a pipe of this process: when this
    process ends, even by a crash, the pipe closes and the server stops.

    `crds` are files or folders with CustomResourceDefinitions, `args` more flags of `sprag serve`.
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
        binary: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._crds = [os.fspath(path) for path in crds]
        self._args = list(args)
        self._binary = binary
        self._env = env
        self._timeout = timeout
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Starts it, and returns when it is ready."""
        if self._process is not None:
            raise StartError("the server runs already")
        self._folder = tempfile.TemporaryDirectory(prefix="sprag-")
        try:
            self._launch(Path(self._folder.name))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends it, and removes its folder. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

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

    def _launch(self, folder: Path) -> None:
        ready = folder / "ready.json"
        command = [self._binary or find_binary(), "serve", "--storage", "memory", "--listen", "127.0.0.1:0"]
        command += ["--data-dir", str(folder / "data"), "--ready-file", str(ready), "--exit-with-stdin"]
        for path in self._crds:
            command += ["--crds", path]
        log = folder / "log"
        with log.open("wb") as stderr:
            try:
                self._process = subprocess.Popen(
                    command + self._args,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    env=None if self._env is None else dict(self._env),
                )
            except OSError as error:
                raise StartError(f"cannot start {command[0]}: {error}") from error
        self._take(self._wait(ready, log))

    def _wait(self, ready: Path, log: Path) -> dict[str, Any]:
        assert self._process is not None
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                # The file appears whole.
                return json.loads(ready.read_text(encoding="utf-8"))
            except FileNotFoundError:
                pass
            code = self._process.poll()
            said = log.read_text(encoding="utf-8", errors="replace").strip()
            if code is not None:
                raise StartError(f"sprag serve ended with code {code}: {said}")
            if time.monotonic() > deadline:
                raise StartError(f"sprag serve was not ready after {self._timeout} s: {said}")
            time.sleep(POLL_SECONDS)

    def _take(self, ready: dict[str, Any]) -> None:
        self.url = ready["url"]
        self.kubeconfig = ready["kubeconfig"]
        self.ca = ready["certificateAuthority"]
        self.token = Path(ready["tokenFile"]).read_text(encoding="utf-8").strip()
        self.pid = ready["pid"]
        self.version = ready["version"]
        self.kubernetes_version = ready["kubernetesVersion"]


def _decoded(body: bytes) -> Any:
    text = body.decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text

"""Fixtures of pytest: `sprag_server`, one server for the whole run, `sprag_namespace`, a namespace of it for each test, and
`sprag_own_server`, a server for each test."""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from ._server import Server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("sprag_crds", "files or folders with CustomResourceDefinitions for the servers of tests", type="paths")
    parser.addini("sprag_kubernetes_version", "the release of Kubernetes that the servers of tests answer as")
    parser.addini("sprag_args", "more flags of `sprag serve` for the servers of tests", type="args")


def _configured(config: pytest.Config) -> Server:
    return Server(
        crds=config.getini("sprag_crds"),
        args=config.getini("sprag_args"),
        kubernetes_version=config.getini("sprag_kubernetes_version") or None,
    )


@pytest.fixture(scope="session")
def sprag_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that runs until the last test has ended."""
    with _configured(request.config) as server:
        yield server


@pytest.fixture
def sprag_own_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that this test has to itself."""
    with _configured(request.config) as server:
        yield server


@pytest.fixture
def sprag_namespace(sprag_server: Server) -> Iterator[str]:
    """The name of a namespace that this test has to itself."""
    namespace: dict[str, Any] = {"metadata": {"generateName": "test-"}}
    made = sprag_server.request("POST", "/api/v1/namespaces", namespace)
    name = made["metadata"]["name"]
    yield name
    sprag_server.request("DELETE", f"/api/v1/namespaces/{name}")

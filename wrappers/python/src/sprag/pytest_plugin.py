"""Fixtures of pytest: `sprag_server`, one server for the whole run, and `sprag_namespace`, a namespace for each test."""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from ._server import Server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("sprag_crds", "files or folders with CustomResourceDefinitions for sprag_server", type="paths")
    parser.addini("sprag_args", "more flags of `sprag serve` for sprag_server", type="args")


@pytest.fixture(scope="session")
def sprag_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that runs until the last test has ended."""
    config = request.config
    with Server(crds=config.getini("sprag_crds"), args=config.getini("sprag_args")) as server:
        yield server


@pytest.fixture
def sprag_namespace(sprag_server: Server) -> Iterator[str]:
    """The name of a namespace that this test has to itself."""
    namespace: dict[str, Any] = {"metadata": {"generateName": "test-"}}
    made = sprag_server.request("POST", "/api/v1/namespaces", namespace)
    name = made["metadata"]["name"]
    yield name
    sprag_server.request("DELETE", f"/api/v1/namespaces/{name}")

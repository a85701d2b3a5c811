"""A Kubernetes API server for tests, in milliseconds.

    with sprag_k8s.Server(crds=["config/crd"]) as server:
        server.request("GET", "/api/v1/namespaces")
"""

from ._server import ApiError, Server, StartError, find_binary

__all__ = ["ApiError", "Server", "StartError", "find_binary"]
__version__ = "0.1.0"

"""The fixtures of pytest; `unittest` finds nothing here."""

try:
    import pytest
except ImportError:
    # `unittest` imports this file, too.
    pytest = None


def test_each_test_has_a_namespace(sprag_server, sprag_namespace):
    path = f"/api/v1/namespaces/{sprag_namespace}/configmaps"
    sprag_server.request("POST", path, {"metadata": {"name": "settings"}, "data": {"colour": "red"}})
    assert sprag_server.request("GET", f"{path}/settings")["data"] == {"colour": "red"}


def test_objects_of_another_test_are_elsewhere(sprag_server, sprag_namespace):
    path = f"/api/v1/namespaces/{sprag_namespace}/configmaps"
    names = [item["metadata"]["name"] for item in sprag_server.request("GET", path)["items"]]
    assert "settings" not in names


def test_a_server_of_its_own_has_no_objects_of_others(sprag_server, sprag_own_server):
    assert sprag_own_server.url != sprag_server.url
    names = [item["metadata"]["name"] for item in sprag_own_server.request("GET", "/api/v1/namespaces")["items"]]
    assert not [name for name in names if name.startswith("test-")]


def test_the_client_of_kubernetes_works(sprag_server, sprag_namespace):
    kubernetes = pytest.importorskip("kubernetes")
    client = kubernetes.config.new_client_from_config(sprag_server.kubeconfig)
    core = kubernetes.client.CoreV1Api(client)
    settings = kubernetes.client.V1ConfigMap(metadata=kubernetes.client.V1ObjectMeta(name="settings"), data={"a": "b"})
    core.create_namespaced_config_map(sprag_namespace, settings)
    assert core.read_namespaced_config_map("settings", sprag_namespace).data == {"a": "b"}
    with pytest.raises(kubernetes.client.ApiException, match="409"):
        core.create_namespaced_config_map(sprag_namespace, settings)

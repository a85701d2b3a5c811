"""The fixtures of pytest; `unittest` finds nothing here."""


def test_each_test_has_a_namespace(sprag_server, sprag_namespace):
    path = f"/api/v1/namespaces/{sprag_namespace}/configmaps"
    sprag_server.request("POST", path, {"metadata": {"name": "settings"}, "data": {"colour": "red"}})
    assert sprag_server.request("GET", f"{path}/settings")["data"] == {"colour": "red"}


def test_objects_of_another_test_are_elsewhere(sprag_server, sprag_namespace):
    path = f"/api/v1/namespaces/{sprag_namespace}/configmaps"
    names = [item["metadata"]["name"] for item in sprag_server.request("GET", path)["items"]]
    assert "settings" not in names

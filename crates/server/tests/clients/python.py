"""What programs do with the Python client: typed and custom objects, patches, watches, errors."""

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()
WIDGETS = ("example.com", "v1", "default", "widgets")


def refused(code, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiException as error:
        assert error.status == code, error
    else:
        raise AssertionError(f"{call} was not refused")


def widget(name, size):
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": size}}


def typed_objects():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="snake")))
    made = core.create_namespaced_config_map("snake", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="m"), data={"a": "1"}))
    assert made.metadata.uid
    made.data = {"a": "2"}
    assert core.replace_namespaced_config_map("m", "snake", made).data == {"a": "2"}
    patched = core.patch_namespaced_config_map("m", "snake", {"data": {"b": "3"}})
    assert patched.data == {"a": "2", "b": "3"}, patched.data
    assert len(core.list_config_map_for_all_namespaces(label_selector="none=such").items) == 0
    refused(404, core.read_namespaced_config_map, "missing", "snake")
    refused(409, core.create_namespaced_config_map, "snake", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="m")))
    secret = client.V1Secret(metadata=client.V1ObjectMeta(generate_name="s-"), string_data={"key": "value"})
    assert core.create_namespaced_secret("snake", secret).data == {"key": "dmFsdWU="}
    core.delete_namespace("snake")


def custom_objects():
    made = custom.create_namespaced_custom_object(*WIDGETS, widget("w", 1))
    made["spec"]["size"] = 2
    assert custom.replace_namespaced_custom_object(*WIDGETS, "w", made)["metadata"]["generation"] == 2
    patched = custom.patch_namespaced_custom_object(*WIDGETS, "w", {"spec": {"title": "t"}})
    assert patched["spec"] == {"size": 2, "title": "t"}, patched
    refused(422, custom.patch_namespaced_custom_object, *WIDGETS, "w", {"spec": {"size": -1}})
    custom.patch_namespaced_custom_object_status(*WIDGETS, "w", {"status": {"ready": 1}})
    scale = custom.get_namespaced_custom_object_scale(*WIDGETS, "w")
    assert (scale["spec"]["replicas"], scale["status"]["replicas"]) == (2, 1), scale
    refused(400, custom.create_namespaced_custom_object, *WIDGETS, dict(widget("x", 1), zebra=1), field_validation="Strict")
    assert extensions.read_custom_resource_definition("widgets.example.com").spec.names.kind == "Widget"


def watches():
    start = custom.list_namespaced_custom_object(*WIDGETS)["metadata"]["resourceVersion"]
    custom.create_namespaced_custom_object(*WIDGETS, widget("seen", 1))
    custom.delete_namespaced_custom_object(*WIDGETS, "seen")
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, *WIDGETS, resource_version=start, timeout_seconds=5
    )
    events = [(event["type"], event["object"]["metadata"]["name"]) for _, event in zip(range(2), stream)]
    assert events == [("ADDED", "seen"), ("DELETED", "seen")], events


typed_objects()
custom_objects()
watches()
print("done")

//! Protobuf in and out: what typed clients of Go send for kinds that are compiled into them.

use http::header::{CONTENT_TYPE, ETAG};
use serde_json::{Value, json};
use sprag_decode::protobuf;
use sprag_shape::{Shapes, TypeId, messages, meta};

use crate::definitions::{CRDS, WIDGETS, widget, widgets};
use crate::harness::server;
use crate::http::{APPLY_PATCH, Answer, Client, JSON, MERGE_PATCH, text};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The type of a kind that every server has.
fn shape_of(kind: &str) -> (Shapes, TypeId) {
    if kind == "CustomResourceDefinition" {
        return (sprag_schema::crd::shapes::shapes().clone(), sprag_schema::crd::shapes::definition());
    }
    let definitions = sprag_kinds::definitions();
    let definition = definitions.iter().find(|definition| definition.kind == kind).unwrap();
    let (shapes, id) = definition.message(&definition.storage_version).unwrap();
    (shapes.clone(), id)
}

fn value(object: &Value) -> sprag_value::Value {
    sprag_value::json::parse(object.to_string().as_bytes()).unwrap()
}

fn plain(value: &sprag_value::Value) -> Value {
    serde_json::from_str(&sprag_value::json::to_string(value)).unwrap()
}

/// An object as a client sends it.
fn sealed(object: &Value) -> Vec<u8> {
    let (shapes, id) = shape_of(text(object, "/kind"));
    let message = protobuf::encode(&shapes, id, &value(object)).unwrap();
    protobuf::seal(text(object, "/apiVersion"), text(object, "/kind"), &message)
}

/// The object in an envelope, with its type.
fn opened(bytes: &[u8]) -> Value {
    let envelope = protobuf::open(bytes).unwrap();
    let (shapes, id) = match messages::of_kind(&envelope.kind) {
        Some(id) => (messages::shapes().clone(), id),
        None => shape_of(&envelope.kind),
    };
    let mut object = plain(&protobuf::decode(&shapes, id, envelope.message).unwrap());
    object["apiVersion"] = json!(envelope.api_version);
    object["kind"] = json!(envelope.kind);
    object
}

/// The object of an answer, which must be in protobuf.
#[track_caller]
fn answered(answer: &Answer, code: u16) -> Value {
    assert_eq!((answer.code, answer.header(CONTENT_TYPE)), (code, PROTOBUF), "{}", answer.text());
    opened(&answer.body)
}

async fn post(client: &Client, path: &str, object: &Value) -> Answer {
    client.ask("POST", path).accept(PROTOBUF).body(PROTOBUF, sealed(object)).send().await
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"},
        "binaryData": {"b": "AQI="}})
}

#[tokio::test]
async fn objects_are_created_changed_and_deleted() {
    let server = server().await;
    let client = server.client();
    let created = answered(&post(&client, MAPS, &map("m")).await, 201);
    let path = format!("{MAPS}/m");
    assert_eq!(created, client.get(&path).await.expect(200), "the same object in JSON");
    assert_eq!(created["binaryData"]["b"], "AQI=");

    let mut changed = created.clone();
    changed["data"]["k"] = json!("w");
    let put = client.ask("PUT", &path).accept(PROTOBUF).body(PROTOBUF, sealed(&changed)).send().await;
    assert_eq!(answered(&put, 200)["data"]["k"], "w");
    let patched = client.ask("PATCH", &path).accept(PROTOBUF).body(MERGE_PATCH, r#"{"data":{"k":"x"}}"#).send().await;
    assert_eq!(answered(&patched, 200)["data"]["k"], "x");

    let stale = client.ask("PUT", &path).accept(PROTOBUF).body(PROTOBUF, sealed(&created)).send().await;
    assert_eq!(answered(&stale, 409)["reason"], "Conflict");
    let deleted = client.ask("DELETE", &path).accept(PROTOBUF).send().await;
    assert_eq!(answered(&deleted, 200)["status"], "Success");
    let gone = answered(&client.ask("GET", &path).accept(PROTOBUF).send().await, 404);
    assert_eq!((&gone["code"], &gone["details"]["name"]), (&json!(404), &json!("m")));
    server.stop().await;
}

#[tokio::test]
async fn rules_of_a_kind_hold_for_protobuf_too() {
    let server = server().await;
    let client = server.client();
    let mut bad = map("m");
    bad["data"] = json!({"a/b": ""});
    let refused = answered(&post(&client, MAPS, &bad).await, 422);
    assert_eq!(refused["details"]["causes"][0]["field"], "data[a/b]");
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}});
    let created = answered(&post(&client, "/api/v1/namespaces", &namespace).await, 201);
    assert_eq!(created["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(created["status"]["phase"], "Active");
    server.stop().await;
}

#[tokio::test]
async fn bodies_that_are_something_else_are_refused_in_upstreams_words() {
    let server = server().await;
    let client = server.client();
    let refused = async |body: Vec<u8>| {
        let answer = client.ask("POST", MAPS).body(PROTOBUF, body).send().await;
        answer.expect(400);
        answer.message()
    };
    let unrecognized = "the object provided is unrecognized (must be of type ConfigMap)";
    assert_eq!(refused(Vec::new()).await, format!("{unrecognized}: empty data (<empty>)"));
    assert_eq!(refused(b"k8s\0".to_vec()).await, format!("{unrecognized}: empty body (6b387300)"));
    assert_eq!(
        refused(b"{}".to_vec()).await,
        format!(
            "{unrecognized}: provided data does not appear to be a protobuf message, expected prefix \
             [107 56 115 0] ({{}})"
        )
    );
    let handled = |kind: &str| format!("{kind} in version \"v1\" cannot be handled as a ConfigMap");
    let seal = |version: &str, kind: &str, message: &[u8]| protobuf::seal(version, kind, message);
    assert_eq!(refused(seal("v1", "ConfigMap", b"\x0a")).await, format!("{}: unexpected EOF", handled("ConfigMap")));
    assert_eq!(
        refused(seal("v1", "ConfigMap", b"\x08\x01")).await,
        format!("{}: proto: wrong wireType = 0 for field ObjectMeta", handled("ConfigMap"))
    );
    assert_eq!(
        refused(seal("v1", "Secret", b"")).await,
        format!("{}: converting (v1.Secret) to (core.ConfigMap): unknown conversion", handled("Secret"))
    );
    let unknown = refused(seal("v1", "Frob", b"")).await;
    assert!(unknown.contains("no kind \"Frob\" is registered for version \"v1\" in scheme"), "{unknown}");
    let internal = refused(seal("__internal", "ConfigMap", b"")).await;
    assert!(internal.contains("object *core.ConfigMap does not implement the protobuf marshalling"), "{internal}");
    // Neither type nor anything else is taken from the path.
    let nothing = client.ask("POST", MAPS).body(PROTOBUF, protobuf::seal("", "", b"")).send().await.expect(422);
    assert_eq!(nothing["details"]["causes"][0]["field"], "metadata.name");
    server.stop().await;
}

#[tokio::test]
async fn the_client_says_what_it_accepts() {
    let server = server().await;
    let client = server.client();
    client.post(MAPS, &map("m")).await.expect(201);
    let path = format!("{MAPS}/m");
    let form = async |accept: &str| {
        let answer = client.ask("GET", &path).accept(accept).send().await;
        (answer.code, answer.header(CONTENT_TYPE).to_owned())
    };
    let ok = |form: &str| (200, form.to_owned());
    assert_eq!(form("application/vnd.kubernetes.protobuf,application/json").await, ok(PROTOBUF));
    assert_eq!(form("application/json,application/vnd.kubernetes.protobuf").await, ok(JSON));
    assert_eq!(form("application/json;q=0.5,application/vnd.kubernetes.protobuf;q=0.9").await, ok(PROTOBUF));
    assert_eq!(form("application/vnd.kubernetes.protobuf;q=0.5, */*").await, ok(JSON));
    assert_eq!(form("application/vnd.kubernetes.protobuf;stream=watch").await, ok(PROTOBUF));
    assert_eq!(form("*/*").await, ok(JSON));
    let table = "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1";
    let refused = answered_or_json(&client.ask("GET", &path).accept(table).send().await);
    assert_eq!(
        refused["message"],
        "only the following media types are accepted: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf"
    );
    let tables = format!("{table},application/json;as=Table;g=meta.k8s.io;v=v1");
    let answer = client.ask("GET", &path).accept(&tables).send().await;
    assert_eq!((answer.header(CONTENT_TYPE), &answer.expect(200)["kind"]), (JSON, &json!("Table")));
    server.stop().await;
}

fn answered_or_json(answer: &Answer) -> Value {
    assert_eq!(answer.code, 406);
    if answer.header(CONTENT_TYPE) == PROTOBUF { opened(&answer.body) } else { answer.json() }
}

#[tokio::test]
async fn lists_and_metadata_have_messages_of_their_own() {
    let server = server().await;
    let client = server.client();
    for name in ["a", "b"] {
        client.post(MAPS, &map(name)).await.expect(201);
    }
    let ask = |accept: &'static str| client.ask("GET", MAPS).accept(accept).send();
    let list = ask(PROTOBUF).await;
    let envelope = protobuf::open(&list.body).unwrap();
    assert_eq!((&*envelope.api_version, &*envelope.kind), ("v1", "ConfigMapList"));
    let (metadata, items) = list_parts(envelope.message);
    let version = client.get(MAPS).await.expect(200)["metadata"]["resourceVersion"].clone();
    assert_eq!(
        plain(&protobuf::decode(meta::shapes(), meta::LIST_META, metadata).unwrap())["resourceVersion"],
        version
    );
    let (shapes, id) = shape_of("ConfigMap");
    let names: Vec<Value> = items
        .iter()
        .map(|item| plain(&protobuf::decode(&shapes, id, item).unwrap())["metadata"]["name"].clone())
        .collect();
    assert_eq!(names, ["a", "b"]);

    let metadata = ask("application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").await;
    let metadata = answered(&metadata, 200);
    assert_eq!(
        (&metadata["kind"], &metadata["apiVersion"]),
        (&json!("PartialObjectMetadataList"), &json!("meta.k8s.io/v1"))
    );
    assert_eq!(metadata["items"][1]["metadata"]["name"], "b");
    let old = ask("application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1").await;
    let envelope = protobuf::open(&old.body).unwrap();
    let id = messages::partial_object_metadata_list_v1beta1().unwrap();
    let old = plain(&protobuf::decode(messages::shapes(), id, envelope.message).unwrap());
    assert_eq!(old["items"][0]["metadata"]["name"], "a");
    let empty = client.ask("GET", "/api/v1/namespaces/none/configmaps").accept(PROTOBUF).send().await;
    assert_eq!(list_parts(protobuf::open(&empty.body).unwrap().message).1.len(), 0);
    server.stop().await;
}

/// Lists beyond a megabyte are sent in pieces, and tell their length before.
#[tokio::test]
async fn large_lists_are_whole_messages_too() {
    let server = server().await;
    let client = server.client();
    for number in 0..30 {
        let mut map = map(&format!("m{number:02}"));
        map["data"]["text"] = json!("x".repeat(50_000 + number));
        client.post(MAPS, &map).await.expect(201);
    }
    let (shapes, id) = shape_of("ConfigMap");
    let expected = client.get(MAPS).await.expect(200);
    for method in ["GET", "DELETE"] {
        let list = client.ask(method, MAPS).accept(PROTOBUF).send().await;
        assert_eq!((list.code, list.header(CONTENT_TYPE)), (200, PROTOBUF));
        let (metadata, items) = list_parts(protobuf::open(&list.body).unwrap().message);
        let metadata = plain(&protobuf::decode(meta::shapes(), meta::LIST_META, metadata).unwrap());
        assert_eq!(metadata["resourceVersion"], expected["metadata"]["resourceVersion"]);
        let items: Vec<Value> = items.iter().map(|item| plain(&protobuf::decode(&shapes, id, item).unwrap())).collect();
        assert_eq!(json!(items), expected["items"], "{method}");
    }
    assert_eq!(client.get(MAPS).await.expect(200)["items"], json!([]));
    server.stop().await;
}

/// Metadata and items of a list, read without its type.
fn list_parts(message: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let mut metadata = &message[..0];
    let mut items = Vec::new();
    let mut rest = message;
    while let [tag, after @ ..] = rest {
        let (length, after) = length(after);
        let (field, after) = after.split_at(length);
        match *tag {
            0x0a => metadata = field,
            0x12 => items.push(field),
            other => panic!("field {other} of a list"),
        }
        rest = after;
    }
    (metadata, items)
}

fn length(bytes: &[u8]) -> (usize, &[u8]) {
    let end = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap();
    let length = bytes[..=end].iter().rev().fold(0, |length, byte| length << 7 | usize::from(byte & 0x7f));
    (length, &bytes[end + 1..])
}

#[tokio::test]
async fn events_come_in_frames() {
    let server = server().await;
    let client = server.client();
    let path = format!("{MAPS}?watch=1&timeoutSeconds=1");
    client.post(MAPS, &map("m")).await.expect(201);
    for accept in [PROTOBUF, "application/vnd.kubernetes.protobuf;stream=watch"] {
        let answer = client.ask("GET", &path).accept(accept).send().await;
        assert_eq!(answer.header(CONTENT_TYPE), "application/vnd.kubernetes.protobuf;stream=watch");
        let events = frames(&answer.body);
        assert!(events.iter().any(|(kind, object)| kind == "ADDED" && object["metadata"]["name"] == "m"), "{events:?}");
        assert!(events.iter().all(|(_, object)| object["kind"] == "ConfigMap"), "{events:?}");
    }
    let metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let events = frames(&client.ask("GET", &path).accept(metadata).send().await.body);
    assert!(events.iter().all(|(_, object)| object["kind"] == "PartialObjectMetadata"), "{events:?}");
    let expired = client.ask("GET", &format!("{path}&resourceVersion=x")).accept(PROTOBUF).send().await;
    assert_eq!(answered(&expired, 500)["kind"], "Status");
    server.stop().await;
}

fn frames(mut bytes: &[u8]) -> Vec<(String, Value)> {
    let mut events = Vec::new();
    while let Some((size, rest)) = bytes.split_first_chunk::<4>() {
        let (event, rest) = rest.split_at(usize::try_from(u32::from_be_bytes(*size)).unwrap());
        assert_eq!(event[0], 0x0a);
        let (kind_length, after) = length(&event[1..]);
        let (kind, object) = after.split_at(kind_length);
        assert_eq!(object[0], 0x12);
        let (raw_length, raw) = length(&object[1..]);
        assert_eq!((raw.len(), raw[0]), (raw_length, 0x0a));
        let (object_length, object) = length(&raw[1..]);
        assert_eq!(object.len(), object_length);
        events.push((String::from_utf8(kind.to_vec()).unwrap(), opened(object)));
        bytes = rest;
    }
    assert!(bytes.is_empty());
    events
}

#[tokio::test]
async fn options_of_deletes_can_be_protobuf_for_every_resource() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    client.post(MAPS, &map("m")).await.expect(201);
    // A precondition on a uid that nobody has.
    let options = protobuf::seal("v1", "DeleteOptions", b"\x12\x06\x0a\x04nope");
    for path in [format!("{MAPS}/m"), format!("{WIDGETS}/w")] {
        let delete = |body: Vec<u8>| client.ask("DELETE", &path).body(PROTOBUF, body).send();
        delete(options.clone()).await.expect(409);
        delete(protobuf::seal("v1", "ConfigMap", b"")).await.expect(400);
        delete(b"k8s\0\x0a".to_vec()).await.expect(400);
        delete(protobuf::seal("v1", "DeleteOptions", b"\x22\x0aBackground")).await.expect(200);
    }
    server.stop().await;
}

#[tokio::test]
async fn definitions_are_protobuf_and_what_they_define_is_not() {
    let server = server().await;
    let client = server.client();
    let mut definition = widgets();
    let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    schema["spec"]["properties"]["open"] = json!({"type": "object", "additionalProperties": {"type": "string"}});
    schema["spec"]["properties"]["shut"] = json!({"type": "array", "items": {"type": "string", "default": "d"}});
    let created = answered(&post(&client, CRDS, &definition).await, 201);
    let name = text(&definition, "/metadata/name");
    let stored = client.get(&format!("{CRDS}/{name}")).await.expect(200);
    assert_eq!(created["spec"], stored["spec"]);
    let open = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/open/additionalProperties/type";
    assert_eq!(text(&stored, open), "string");
    let got = client.ask("GET", &format!("{CRDS}/{name}")).accept(PROTOBUF).send().await;
    assert_eq!(answered(&got, 200)["spec"], stored["spec"]);

    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    let path = format!("{WIDGETS}/w");
    let both = client.ask("GET", &path).accept("application/vnd.kubernetes.protobuf, application/json").send().await;
    assert_eq!((both.header(CONTENT_TYPE), both.code), (JSON, 200));
    let only = client.ask("GET", &path).accept(PROTOBUF).send().await;
    assert_eq!(answered(&only, 406)["reason"], "NotAcceptable");
    let metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let metadata = client.ask("GET", &path).accept(metadata).send().await;
    assert_eq!(answered(&metadata, 200)["metadata"]["name"], "w");
    let body = client.ask("POST", WIDGETS).body(PROTOBUF, protobuf::seal("example.com/v1", "Widget", b"")).send().await;
    body.expect(415);
    assert_eq!(
        body.message(),
        "the body of the request was in an unknown format - accepted media types include: application/json, \
         application/yaml"
    );
    server.stop().await;
}

#[tokio::test]
async fn discovery_is_protobuf_for_those_who_ask() {
    let server = server().await;
    let client = server.client();
    for path in ["/api", "/apis", "/api/v1", "/apis/rbac.authorization.k8s.io", "/apis/rbac.authorization.k8s.io/v1"] {
        let document = answered(&client.ask("GET", path).accept(PROTOBUF).send().await, 200);
        let mut plain = client.get(path).await.expect(200);
        // Some documents say no version, as upstream's.
        plain["apiVersion"] = json!(text(&plain, "/apiVersion"));
        assert_eq!(document, plain, "{path}");
    }
    let aggregated = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let document = client.ask("GET", "/apis").accept(&format!("{PROTOBUF}{aggregated}")).send().await;
    assert_eq!(document.header(CONTENT_TYPE), format!("{PROTOBUF}{aggregated}"));
    let plain = client.ask("GET", "/apis").accept(&format!("{JSON}{aggregated}")).send().await;
    assert_eq!(opened(&document.body), plain.expect(200));
    assert_eq!(document.header(ETAG), plain.header(ETAG));
    server.stop().await;
}

#[tokio::test]
async fn scales_of_custom_resources_are_read_but_not_answered() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    client.post(WIDGETS, &widget("w", 1)).await.expect(201);
    let path = format!("{WIDGETS}/w/scale");
    let scale = client.get(&path).await.expect(200);
    let mut changed = scale.clone();
    changed["spec"]["replicas"] = json!(4);
    let (shapes, id) = sprag_rest::scale_shape();
    let message = protobuf::encode(shapes, id, &value(&changed)).unwrap();
    let body = protobuf::seal("autoscaling/v1", "Scale", &message);
    let put =
        client.ask("PUT", &path).accept("application/vnd.kubernetes.protobuf,application/json").body(PROTOBUF, body);
    let put = put.send().await;
    assert_eq!((put.header(CONTENT_TYPE), &put.expect(200)["spec"]["replicas"]), (JSON, &json!(4)));
    server.stop().await;
}

#[tokio::test]
async fn openapi_documents_of_version_3_are_protobuf_for_those_who_ask() {
    let server = server().await;
    let client = server.client();
    let ask = |accept: &'static str| client.ask("GET", "/openapi/v3/api/v1").accept(accept).send();
    let json = ask(JSON).await;
    for name in ["v3.v1.0", "v3@v1.0"] {
        let accept = format!("application/com.github.proto-openapi.spec.{name}+protobuf");
        let document = client.ask("GET", "/openapi/v3/api/v1").accept(&accept).send().await;
        assert_eq!(document.header(CONTENT_TYPE), "application/com.github.proto-openapi.spec.v3.v1.0+protobuf");
        assert!(document.body.starts_with(b"\n\x053.0.0"), "the version is the first field");
        assert_eq!(document.header(ETAG), json.header(ETAG), "as upstream's, of the document in JSON");
        let hash = json.header(ETAG).trim_matches('"').to_owned();
        let same = client.ask("GET", &format!("/openapi/v3/api/v1?hash={hash}")).accept(&accept).send().await;
        assert_eq!((same.code, same.body), (200, document.body));
    }
    assert_eq!(ask("text/html").await.code, 406);
    assert_eq!(client.ask("GET", "/openapi/v3/api/v9").accept("text/html").send().await.code, 404);
    server.stop().await;
}

/// Tests the other requests of typed clients.
#[tokio::test]
async fn protobuf_goes_with_everything_else_of_a_request() {
    let server = server().await;
    let client = server.client();
    for name in ["a", "b", "c"] {
        client.post(MAPS, &map(name)).await.expect(201);
    }
    let get = |path: String| client.ask("GET", &path).accept(PROTOBUF).send();
    let page = get(format!("{MAPS}?limit=1")).await;
    let (metadata, items) = list_parts(protobuf::open(&page.body).unwrap().message);
    let metadata = plain(&protobuf::decode(meta::shapes(), meta::LIST_META, metadata).unwrap());
    assert_eq!((items.len(), &metadata["remainingItemCount"]), (1, &json!(2)));
    let next = get(format!("{MAPS}?limit=5&continue={}", text(&metadata, "/continue"))).await;
    assert_eq!(list_parts(protobuf::open(&next.body).unwrap().message).1.len(), 2);

    let strict = format!("{MAPS}?fieldValidation=Strict&dryRun=All&fieldManager=me");
    let typed = "application/vnd.kubernetes.protobuf; charset=utf-8";
    let answer = client.ask("POST", &strict).accept(PROTOBUF).body(typed, sealed(&map("d"))).send().await;
    let created = answered(&answer, 201);
    assert_eq!(created["metadata"]["managedFields"][0]["fieldsV1"]["f:data"], json!({".": {}, "f:k": {}}));
    client.get(&format!("{MAPS}/d")).await.expect(404);

    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "e"}, "data": {"k": "applied"}});
    let path = format!("{MAPS}/e?fieldManager=me");
    let answer = client.ask("PATCH", &path).accept(PROTOBUF).body(APPLY_PATCH, applied.to_string()).send().await;
    assert_eq!(answered(&answer, 201)["data"]["k"], "applied");

    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}});
    let mut namespace = answered(&post(&client, "/api/v1/namespaces", &namespace).await, 201);
    namespace["status"]["conditions"] = json!([{"type": "X", "status": "True", "lastTransitionTime": null}]);
    let put = |path: &'static str, object: &Value| {
        client.ask("PUT", path).accept(PROTOBUF).body(PROTOBUF, sealed(object)).send()
    };
    let mut namespace = answered(&put("/api/v1/namespaces/n/status", &namespace).await, 200);
    assert_eq!(namespace["status"]["conditions"][0]["type"], "X");
    namespace["spec"]["finalizers"] = json!([]);
    assert_eq!(answered(&put("/api/v1/namespaces/n/finalize", &namespace).await, 200)["spec"], json!({}));

    let gone = client.ask("DELETE", MAPS).accept(PROTOBUF).send().await;
    let envelope = protobuf::open(&gone.body).unwrap();
    assert_eq!((&*envelope.kind, list_parts(envelope.message).1.len()), ("ConfigMapList", 4));
    server.stop().await;
}

/// Two groups have the same events; each has messages of its own.
#[tokio::test]
async fn an_event_is_a_message_in_both_of_its_groups() {
    let server = server().await;
    let client = server.client();
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"}, "reason": "R", "message": "M",
        "type": "Normal", "source": {"component": "c"}, "count": 2, "firstTimestamp": "2024-01-02T03:04:05Z",
        "lastTimestamp": "2024-01-02T03:04:06Z", "reportingComponent": "", "reportingInstance": ""});
    let path = "/namespaces/default/events";
    let created = post(&client, &format!("/api/v1{path}"), &event).await;
    assert_eq!(answered(&created, 201)["count"], 2);
    let other = client.ask("GET", &format!("/apis/events.k8s.io/v1{path}/e")).accept(PROTOBUF).send().await;
    let envelope = protobuf::open(&other.body).unwrap();
    assert_eq!((&*envelope.api_version, &*envelope.kind), ("events.k8s.io/v1", "Event"));
    let definitions = sprag_kinds::definitions();
    let events = definitions.iter().find(|definition| definition.group() == "events.k8s.io").unwrap();
    let (shapes, id) = events.message("v1").unwrap();
    let other = plain(&protobuf::decode(shapes, id, envelope.message).unwrap());
    assert_eq!((&other["note"], &other["deprecatedCount"]), (&json!("M"), &json!(2)));
    server.stop().await;
}

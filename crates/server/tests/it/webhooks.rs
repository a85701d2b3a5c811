//! Webhooks that hang, lie, send garbage or call back: a clear error in time, and other requests go on.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair, SanType};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use sprag_server::{Limits, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use crate::harness::{Home, TestServer, eventually};
use crate::http::{Client, text};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/// The action of a webhook on the connection after it has read a review.
#[derive(Clone)]
pub(crate) enum Manner {
    /// Answers with this text, `UID` in it replaced by the identity of the review.
    Answer(String),
    /// Sends this, whatever it is, and closes the connection.
    Raw(Vec<u8>),
    /// Never answers.
    Hang,
    /// Sends an answer without an end.
    Endless,
    /// Redirects to itself.
    Loop,
    /// Converts objects to the version that is asked for, and changes nothing else.
    Convert,
    /// Creates another object of the kind that it is asked about, and allows the first if the other is created.
    Recurse(Arc<OnceLock<Client>>),
}

/// A webhook with a certificate that signs itself.
pub(crate) struct Hook {
    address: SocketAddr,
    certificate: String,
    serving: JoinHandle<()>,
    /// The number of reviews that came.
    calls: Arc<AtomicUsize>,
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A certificate for the address and the service of the webhook.
fn certificate() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.subject_alt_names =
        vec![SanType::IpAddress([127, 0, 0, 1].into()), SanType::DnsName("hook.default.svc".try_into().unwrap())];
    params
}

impl Hook {
    pub(crate) async fn start(manner: Manner) -> Hook {
        Hook::with_certificate(manner, certificate()).await
    }

    async fn with_certificate(manner: Manner, params: CertificateParams) -> Hook {
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, manner, calls) = (acceptor.clone(), manner.clone(), counter.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, manner, &calls).await;
                    }
                });
            }
        });
        Hook { address, certificate: certificate.pem(), serving, calls }
    }

    fn url(&self) -> String {
        format!("https://{}/hook", self.address)
    }

    /// The `clientConfig` of a webhook that is this one.
    pub(crate) fn client_config(&self) -> Value {
        json!({"url": self.url(), "caBundle": sprag_value::base64::encode(self.certificate.as_bytes())})
    }

    /// A webhook for configmaps in a namespace.
    fn webhook(&self, timeout: i64) -> Value {
        json!({
            "name": "a.example.com",
            "clientConfig": self.client_config(),
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
            "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": timeout,
        })
    }
}

/// Reads requests, and answers as the webhook does.
async fn serve(
    mut stream: tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    manner: Manner,
    calls: &AtomicUsize,
) {
    let mut read = Vec::new();
    loop {
        let Some(review) = request(&mut stream, &mut read).await else { return };
        calls.fetch_add(1, Ordering::Relaxed);
        let answer = match &manner {
            Manner::Answer(text) => {
                let uid = review["request"]["uid"].as_str().unwrap_or_default();
                let body = text.replace("UID", uid);
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            Manner::Convert => {
                let mut objects = review["request"]["objects"].clone();
                for object in objects.as_array_mut().into_iter().flatten() {
                    object["apiVersion"] = review["request"]["desiredAPIVersion"].clone();
                }
                let body = json!({
                    "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
                    "response": {"uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": objects},
                });
                let body = body.to_string();
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            Manner::Raw(bytes) => {
                let _ = stream.write_all(bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Manner::Hang => {
                sleep(Duration::from_mins(1)).await;
                return;
            }
            Manner::Endless => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
                while stream.write_all(&[b' '; 1 << 14]).await.is_ok() {}
                return;
            }
            Manner::Recurse(client) => {
                let inner = client.get().unwrap().post(MAPS, &json!({"metadata": {"generateName": "r-"}})).await;
                let (uid, is_created) = (&review["request"]["uid"], inner.code == 201);
                let why = if is_created { String::new() } else { inner.message() };
                // The text of the innermost error, not one for each level.
                let why = why.rsplit("denied the request: ").next().unwrap_or_default();
                let body = json!({
                    "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                    "response": {"uid": uid, "allowed": is_created, "status": {"message": why}},
                });
                let body = body.to_string();
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            Manner::Loop => {
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /hook\r\nContent-Length: 0\r\n\r\n".to_owned()
            }
        };
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The body of the next request on a connection.
async fn request(
    stream: &mut tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    read: &mut Vec<u8>,
) -> Option<Value> {
    loop {
        if let Some(head) = read.windows(4).position(|end| end == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let end = head + 4 + length.unwrap_or(0);
            if read.len() >= end {
                let body = serde_json::from_slice(&read[head + 4..end]).unwrap_or_default();
                read.drain(..end);
                return Some(body);
            }
        }
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
}

fn allowed() -> String {
    r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID","allowed":true}}"#
        .to_owned()
}

fn denied() -> String {
    r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"UID","allowed":false}}"#
        .to_owned()
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

async fn server() -> TestServer {
    Home::memory().await.unwrap().start_with(|server| server.admission_plugins(&[], &["ServiceAccount"]).unwrap()).await
}

/// A server whose configmaps a webhook judges.
async fn judged(hook: &Hook, timeout: i64) -> (TestServer, Client) {
    let server = server().await;
    let client = server.client();
    let configuration = json!({"metadata": {"name": "c"}, "webhooks": [hook.webhook(timeout)]});
    client.post(CONFIGURATIONS, &configuration).await.expect(201);
    (server, client)
}

/// Checks what becomes of a create that a webhook judges.
async fn check(manner: Manner, timeout: i64, code: u16, message: &str) {
    let hook = Hook::start(manner).await;
    let (server, client) = judged(&hook, timeout).await;
    let answer = client.post(MAPS, &map("a")).await;
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    let text = body["message"].as_str().unwrap_or_default().replace(&hook.address.to_string(), "HOST");
    assert_eq!((answer.code, text.as_str()), (code, message));
    server.stop().await;
}

const CALLING: &str = r#"Internal error occurred: failed calling webhook "a.example.com": failed to call webhook:"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_with_a_certificate_that_signs_itself_is_trusted() {
    check(Manner::Answer(allowed()), 5, 201, "").await;
}

/// The answer of a webhook that changes the object.
fn patching(patch: &Value) -> String {
    let patch = sprag_value::base64::encode(patch.to_string().as_bytes());
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": {"uid": "UID", "allowed": true, "patchType": "JSONPatch", "patch": patch, "warnings": ["patched"]},
    })
    .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_changes_what_its_selector_selects() {
    let patch = json!([{"op": "add", "path": "/data", "value": {"by": "webhook"}}]);
    let hook = Hook::start(Manner::Answer(patching(&patch))).await;
    let server = server().await;
    let client = server.client();
    let mut webhook = hook.webhook(5);
    webhook["objectSelector"] = json!({"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]});
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let answer = client.post(MAPS, &map("a")).await;
    assert_eq!(answer.headers["warning"], "299 - \"patched\"");
    assert_eq!(answer.expect(201)["data"]["by"], "webhook");
    let skipped = json!({"metadata": {"name": "b", "labels": {"skip": ""}}});
    assert_eq!(client.post(MAPS, &skipped).await.expect(201).get("data"), None);
    // Without its configuration it is not asked any more.
    client.delete(&format!("{MUTATING}/c")).await.expect(200);
    assert_eq!(client.post(MAPS, &map("c")).await.expect(201).get("data"), None);
    server.stop().await;
}

/// What creating an object is answered with while a webhook patches it: the code, and the message or the object.
async fn create_patched(client: &Client, patch: &Value, path: &str, object: &Value) -> (u16, String) {
    let hook = Hook::start(Manner::Answer(patching(patch))).await;
    let mut webhook = hook.webhook(5);
    webhook["rules"] = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["configmaps", "parts"]}]);
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let answer = client.post(path, object).await;
    client.delete(&format!("{MUTATING}/c")).await.expect(200);
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    if answer.code != 201 {
        // Upstream passes errors of conversions on as they are, without a reason.
        let reason = body["reason"].as_str().unwrap_or("none");
        return (answer.code, format!("{reason}: {}", body["message"].as_str().unwrap_or_default()));
    }
    client.delete(&format!("{path}/{}", object["metadata"]["name"].as_str().unwrap())).await.expect(200);
    (answer.code, format!("{} {}", body["apiVersion"].as_str().unwrap(), body["metadata"]["name"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_a_webhook_makes_another_kind_is_read_as_that_kind() {
    let server = server().await;
    let client = server.client();
    let map = json!({"metadata": {"name": "a"}, "data": {"a": "b!"}});
    let kind = |kind: &str| json!([{"op": "replace", "path": "/kind", "value": kind}]);
    let both = |api_version: &str, kind: &str| {
        json!([
            {"op": "replace", "path": "/apiVersion", "value": api_version},
            {"op": "replace", "path": "/kind", "value": kind},
            {"op": "add", "path": "/spec", "value": {"replicas": "x"}},
        ])
    };
    let version = |version: &str| json!([{"op": "replace", "path": "/apiVersion", "value": version}]);
    let nameless = json!([{"op": "remove", "path": "/apiVersion"}, {"op": "remove", "path": "/kind"}]);
    let number = "InternalError: Internal error occurred: json: cannot unmarshal string into Go struct field \
                  DeploymentSpec.spec.replicas of type int32";
    for (patch, code, expected) in [
        (kind("Secret"), 500, "InternalError: Internal error occurred: illegal base64 data at input byte 1"),
        (kind("Pod"), 500, "none: converting (v1.Pod) to (core.ConfigMap): unknown conversion"),
        (kind("Status"), 500, "none: converting (v1.Status) to (core.ConfigMap): unknown conversion"),
        (both("apps/v1", "Deployment"), 500, number),
        (
            both("coordination.k8s.io/v1", "Lease"),
            500,
            "none: converting (v1.Lease) to (core.ConfigMap): unknown conversion",
        ),
        (version("a/b/c"), 500, "InternalError: Internal error occurred: unexpected GroupVersion string: a/b/c"),
        // What is left out is as it was.
        (version(""), 201, "v1 \"a\""),
        (nameless, 201, "v1 \"a\""),
    ] {
        assert_eq!(create_patched(&client, &patch, MAPS, &map).await, (code, expected.to_owned()), "{patch}");
    }
    server.stop().await;
}

const PARTS: &str = "/apis/example.com/v1/namespaces/default/parts";

fn part() -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Part", "metadata": {"name": "a"}})
}

/// Creates the definition of parts, in two versions that differ in nothing, and waits until they are served.
async fn define_parts(client: &Client) {
    let version = |name: &str, storage: bool| {
        let spec = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        json!({"name": name, "served": true, "storage": storage, "schema": schema})
    };
    let definition = json!({
        "metadata": {"name": "parts.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "parts", "kind": "Part"},
            "versions": [version("v1", true), version("v2", false)],
        },
    });
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.expect(201);
    eventually("the definition is served", async || (client.get(PARTS).await.code == 200).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_may_change_the_version_of_a_custom_resource_and_not_its_group() {
    let server = server().await;
    let client = server.client();
    define_parts(&client).await;
    let unsuitable =
        |kind: &str| format!("none: {kind} is unstructured and is not suitable for converting to \"example.com/v1\"");
    let unserved = "none: request to convert CR from an invalid group/version: example.com/v3".to_owned();
    for (said, code, expected) in [
        ("example.com/v2", 201, "example.com/v1 \"a\"".to_owned()),
        ("example.com/v3", 500, unserved),
        ("other.example.com/v1", 500, unsuitable("other.example.com/v1, Kind=Part")),
        ("v9", 500, unsuitable("/v9, Kind=Part")),
        ("", 500, unsuitable("/, Kind=Part")),
    ] {
        let patch = json!([{"op": "replace", "path": "/apiVersion", "value": said}]);
        assert_eq!(create_patched(&client, &patch, PARTS, &part()).await, (code, expected), "{said}");
    }
    server.stop().await;
}

// DIVERGENCES.md: upstream takes the null for a value of the wrong type.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_cannot_null_a_member_of_a_custom_resource() {
    let server = server().await;
    let client = server.client();
    define_parts(&client).await;
    let patch = json!([{"op": "add", "path": "/spec", "value": null}]);
    let expected = (201, "example.com/v1 \"a\"".to_owned());
    assert_eq!(create_patched(&client, &patch, PARTS, &part()).await, expected);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn managed_fields_that_a_webhook_spoiled_are_put_back() {
    let patch = json!([{"op": "add", "path": "/metadata/managedFields", "value": [{"manager": "x"}]}]);
    let hook = Hook::start(Manner::Answer(patching(&patch))).await;
    let server = server().await;
    let client = server.client();
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [hook.webhook(5)]})).await.expect(201);
    let answer = client.post(MAPS, &json!({"metadata": {"name": "a"}, "data": {"a": "b"}})).await;
    let warnings: Vec<_> = answer.headers.get_all("warning").iter().map(|text| text.to_str().unwrap()).collect();
    let spoiled = "299 - \".metadata.managedFields was in an invalid state after admission; this could be caused by an \
                   outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`\"";
    assert_eq!(warnings, ["299 - \"patched\"", spoiled]);
    assert_eq!(answer.expect(201)["metadata"]["managedFields"][0]["operation"], "Update");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_in_place_of_a_review_is_an_error() {
    let status = r#"{"apiVersion":"v1","kind":"Status","status":"Success"}"#;
    let expected = format!("{CALLING} converting (v1.Status) to (v1.AdmissionReview): unknown conversion");
    check(Manner::Answer(status.to_owned()), 5, 500, &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_changes_the_scale_of_a_deployment() {
    let patch = json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]);
    let hook = Hook::start(Manner::Answer(patching(&patch))).await;
    let server = server().await;
    let client = server.client();
    let mut webhook = hook.webhook(5);
    webhook["rules"] = json!([{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["deployments/scale"]}]);
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let labels = json!({"app": "web"});
    let deployment = json!({
        "metadata": {"name": "d"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
    });
    client.post(deployments, &deployment).await.expect(201);
    let (merge, scale) = ("application/merge-patch+json", format!("{deployments}/d/scale"));
    let scaled = client.patch(&scale, merge, &json!({"spec": {"replicas": 7}})).await.expect(200);
    assert_eq!(scaled["spec"]["replicas"], 3);
    assert_eq!(client.get(&format!("{deployments}/d")).await.expect(200)["spec"]["replicas"], 3);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_leads_to_a_webhook() {
    let hook = Hook::start(Manner::Answer(denied())).await;
    let server = server().await;
    let client = server.client();
    let service = json!({
        "metadata": {"name": "hook"}, "spec": {"type": "ExternalName", "externalName": "localhost"},
    });
    client.post("/api/v1/namespaces/default/services", &service).await.expect(201);
    let mut webhook = hook.webhook(5);
    webhook["clientConfig"].as_object_mut().unwrap().remove("url");
    webhook["clientConfig"]["service"] =
        json!({"namespace": "default", "name": "hook", "port": hook.address.port(), "path": "/x"});
    client.post(CONFIGURATIONS, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let body = client.post(MAPS, &map("a")).await.expect(400);
    assert_eq!(body["message"], "admission webhook \"a.example.com\" denied the request without explanation");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_of_a_webhook_see_namespaces() {
    let hook = Hook::start(Manner::Answer(denied())).await;
    let server = server().await;
    let client = server.client();
    let mut webhook = hook.webhook(5);
    webhook["rules"] = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "DELETE"], "resources": ["namespaces"]}]);
    let is_team = "(object == null ? oldObject : object).metadata.name.startsWith('team-')";
    webhook["matchConditions"] = json!([
        {"name": "team", "expression": is_team},
        {"name": "own", "expression": "request.namespace == request.name && request.resource.resource == 'namespaces'"},
    ]);
    client.post(CONFIGURATIONS, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let namespaces = "/api/v1/namespaces";
    client.post(namespaces, &map("other")).await.expect(201);
    client.post(namespaces, &map("team-a")).await.expect(400);
    client.delete(&format!("{namespaces}/other")).await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_gone_can_be_ignored() {
    let hook = Hook::start(Manner::Hang).await;
    let server = server().await;
    let client = server.client();
    let mut webhook = hook.webhook(5);
    webhook["failurePolicy"] = "Ignore".into();
    webhook["clientConfig"]["url"] = "https://127.0.0.1:1/".into();
    client.post(CONFIGURATIONS, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    client.post(MAPS, &map("a")).await.expect(201);
    let metrics = client.get("/metrics").await.text();
    let counted = r#"apiserver_admission_webhook_fail_open_count{name="a.example.com",type="validating"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_an_error() {
    let malformed = format!(
        "{CALLING} Post \"https://HOST/hook?timeout=5s\": net/http: HTTP/1.x transport connection broken: malformed HTTP response"
    );
    check(Manner::Raw(b"garbage\r\n\r\n".to_vec()), 5, 500, &malformed).await;
    let closed = format!("{CALLING} Post \"https://HOST/hook?timeout=5s\": EOF");
    check(Manner::Raw(Vec::new()), 5, 500, &closed).await;
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec();
    let unread = "unexpected error when reading response body. Please retry. Original error: unexpected EOF";
    check(Manner::Raw(cut), 5, 500, &format!("{CALLING} {unread}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_lies_is_an_error() {
    let invalid =
        r#"Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response:"#;
    let other = allowed().replace("UID", "other");
    let hook = Hook::start(Manner::Answer(other)).await;
    let (server, client) = judged(&hook, 5).await;
    let body = client.post(MAPS, &map("a")).await.expect(500);
    let message = body["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("{invalid} expected response.uid=\"")), "{message}");
    assert!(message.ends_with("\", got \"other\""), "{message}");
    server.stop().await;
    let absent = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#.to_owned();
    check(Manner::Answer(absent), 5, 500, &format!("{invalid} webhook response was absent")).await;
    // Somebody else's kind, JSON that is no object, and a patch from a webhook that only judges.
    let pod = r#"{"apiVersion":"v1","kind":"Pod"}"#.to_owned();
    let unknown =
        "no kind \"Pod\" is registered for version \"v1\" in scheme \"k8s.io/apiserver/pkg/util/webhook/client.go:74\"";
    check(Manner::Answer(pod), 5, 500, &format!("{CALLING} {unknown}")).await;
    let patched = patching(&json!([{"op": "add", "path": "/data", "value": {}}]));
    check(Manner::Answer(patched), 5, 500, &format!("{invalid} validating webhook may not return response.patch"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_cut_off() {
    let too_long = "unexpected error when reading response body. Please retry. Original error: the answer is longer than \
                    4194304 bytes";
    check(Manner::Endless, 10, 500, &format!("{CALLING} {too_long}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_end() {
    let stopped = format!("{CALLING} Post \"https://HOST/hook\": stopped after 10 redirects");
    check(Manner::Loop, 5, 500, &stopped).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_hangs_keeps_nobody_else_waiting() {
    let hook = Hook::start(Manner::Hang).await;
    let (server, client) = judged(&hook, 1).await;
    let started = Instant::now();
    let waiting = tokio::spawn({
        let client = server.client();
        async move { client.post(MAPS, &map("a")).await }
    });
    for at in 0..20 {
        client.post("/api/v1/namespaces/default/secrets", &map(&format!("s{at}"))).await.expect(201);
    }
    assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
    let answer = waiting.await.unwrap();
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.code == 500 && text.contains("context deadline exceeded"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(5));
    server.stop().await;
}

/// Checks what is wrong with the certificate of a webhook that is called by a host and judged by a bundle, its own unless another is
/// given.
async fn check_certificate(params: CertificateParams, host: &str, bundle: Option<&str>, expected: &str) {
    let hook = Hook::with_certificate(Manner::Answer(allowed()), params).await;
    let server = server().await;
    let client = server.client();
    let mut webhook = hook.webhook(5);
    webhook["clientConfig"]["url"] = format!("https://{host}:{}/", hook.address.port()).into();
    if let Some(bundle) = bundle {
        webhook["clientConfig"]["caBundle"] = sprag_value::base64::encode(bundle.as_bytes()).into();
    }
    client.post(CONFIGURATIONS, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let body = client.post(MAPS, &map("a")).await.expect(500);
    let message = body["message"].as_str().unwrap();
    let port = hook.address.port();
    let begin =
        format!("{CALLING} Post \"https://{host}:{port}/?timeout=5s\": tls: failed to verify certificate: x509: ");
    let why = message.strip_prefix(&begin).unwrap_or_else(|| panic!("{message}"));
    // The time of the test is not known.
    let (before, after) = match why.split_once("current time ").and_then(|(_, rest)| rest.split_once(' ')) {
        Some((time, _)) => why.split_once(time).unwrap(),
        None => (why, ""),
    };
    let why = if after.is_empty() { why.to_owned() } else { format!("{before}NOW{after}") };
    assert_eq!(why, expected);
    // Other requests go on.
    client.post("/api/v1/namespaces/default/secrets", &map("s")).await.expect(201);
    server.stop().await;
}

/// The certificate of an authority that signed nothing, with this name.
fn other_authority(name: &str, is_ca: bool) -> String {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    if is_ca {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_somebody_else_is_refused() {
    let unknown = "certificate signed by unknown authority";
    check_certificate(certificate(), "127.0.0.1", Some(&other_authority("others", true)), unknown).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_of_the_same_name_is_named() {
    let named = |why: &str| {
        format!(
            "certificate signed by unknown authority (possibly because of \"x509: {why}\" while trying to verify candidate \
             authority certificate \"rcgen self signed cert\")"
        )
    };
    let (own, expected) = ("rcgen self signed cert", named("ECDSA verification failure"));
    check_certificate(certificate(), "127.0.0.1", Some(&other_authority(own, true)), &expected).await;
    let expected = named("invalid signature: parent certificate cannot sign this kind of certificate");
    check_certificate(certificate(), "127.0.0.1", Some(&other_authority(own, false)), &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_for_another_name_is_refused() {
    let valid = "certificate is valid for hook.default.svc, not localhost";
    check_certificate(certificate(), "localhost", None, valid).await;
    // The name comes before who signed it.
    check_certificate(certificate(), "localhost", Some(&other_authority("others", true)), valid).await;
    let mut by_name = CertificateParams::default();
    by_name.distinguished_name.push(DnType::CommonName, "localhost");
    let legacy = "certificate relies on legacy Common Name field, use SANs instead";
    check_certificate(by_name.clone(), "localhost", None, legacy).await;
    let none = "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs";
    check_certificate(by_name, "127.0.0.1", None, none).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_another_time_is_refused() {
    let mut expired = certificate();
    (expired.not_before, expired.not_after) = (rcgen::date_time_ymd(2020, 1, 2), rcgen::date_time_ymd(2021, 3, 4));
    let after = "certificate has expired or is not yet valid: current time NOW is after 2021-03-04T00:00:00Z";
    check_certificate(expired.clone(), "127.0.0.1", None, after).await;
    // The time comes before the name and before who signed it.
    check_certificate(expired, "localhost", Some(&other_authority("others", true)), after).await;
    let mut early = certificate();
    (early.not_before, early.not_after) = (rcgen::date_time_ymd(2090, 1, 2), rcgen::date_time_ymd(2091, 3, 4));
    let before = "certificate has expired or is not yet valid: current time NOW is before 2090-01-02T00:00:00Z";
    check_certificate(early, "127.0.0.1", None, before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_may_call_back_into_the_server() {
    let server = server().await;
    let client = server.client();
    // The server is its own webhook: the request that comes back is refused, and the first one is answered.
    let webhook = json!({
        "name": "a.example.com",
        "clientConfig": {
            "url": format!("https://{}{MAPS}", server.running.address()),
            "caBundle": sprag_value::base64::encode(server.running.ca().as_bytes()),
        },
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
        "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 5,
    });
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [webhook]})).await.expect(201);
    let body = client.post(MAPS, &map("a")).await.expect(500);
    assert!(body["message"].as_str().unwrap().starts_with(CALLING), "{body}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_calls_itself_through_the_server_gets_an_error() {
    let caller = Arc::new(OnceLock::new());
    let hook = Hook::start(Manner::Recurse(caller.clone())).await;
    let (server, client) = judged(&hook, 4).await;
    assert!(caller.set(server.client()).is_ok());
    let started = Instant::now();
    let waiting = tokio::spawn({
        let client = server.client();
        async move { client.post(MAPS, &map("a")).await }
    });
    // Others write while the calls wait for one another.
    for at in 0..20 {
        client.post("/api/v1/namespaces/default/secrets", &map(&format!("s{at}"))).await.expect(201);
    }
    assert!(started.elapsed() < Duration::from_millis(1900), "{:?}", started.elapsed());
    let answer = waiting.await.unwrap();
    assert_eq!(answer.code, 400, "{}", answer.text());
    let refused = "admission webhook \"a.example.com\" denied the request: ";
    let url = format!("Post \"{}?timeout=4s\": 80 calls of this webhook have no answer yet", hook.url());
    assert_eq!(answer.message(), format!("{refused}{CALLING} {url}"));
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    // None of the objects is there, and the next request is as good as the first.
    let maps = client.get(MAPS).await.expect(200);
    let names: Vec<&str> = maps["items"].as_array().unwrap().iter().map(|map| text(map, "/metadata/name")).collect();
    assert!(names.iter().all(|name| *name == "kube-root-ca.crt"), "{names:?}");
    client.delete(&format!("{CONFIGURATIONS}/c")).await.expect(200);
    client.post(MAPS, &map("a")).await.expect(201);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_is_deleted_ends_no_call_and_begins_none() {
    let hook = Hook::start(Manner::Hang).await;
    let (server, client) = judged(&hook, 2).await;
    let started = Instant::now();
    let waiting = tokio::spawn({
        let client = server.client();
        async move { client.post(MAPS, &map("a")).await }
    });
    sleep(Duration::from_millis(300)).await;
    client.delete(&format!("{CONFIGURATIONS}/c")).await.expect(200);
    client.post(MAPS, &map("b")).await.expect(201);
    assert!(started.elapsed() < Duration::from_millis(1900), "{:?}", started.elapsed());
    let answer = waiting.await.unwrap();
    let why = format!("{CALLING} Post \"{}?timeout=2s\": context deadline exceeded", hook.url());
    assert_eq!((answer.code, answer.message()), (500, why));
    server.stop().await;
}

/// Checks the labels of an object that a policy and a webhook change, each of which may be asked again.
async fn check_reinvocation(policy: &str, webhook: &str, expected: &str) {
    let hook = Hook::start(Manner::Answer(patching(&json!([
        {"op": "add", "path": "/metadata/labels/hook", "value": "yes"},
        {"op": "add", "path": "/metadata/labels/calls", "value": "1"},
    ]))))
    .await;
    let server = server().await;
    let client = server.client();
    let rules =
        json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]);
    // The second call of the webhook is seen by what it overwrites.
    let expression = "Object{metadata: Object.metadata{labels: {'policy': 'hook' in object.metadata.labels ? 'after' : 'before', \
                      'calls': '0'}}}";
    let mutation = json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}});
    let spec = json!({
        "matchConstraints": {"resourceRules": rules}, "reinvocationPolicy": policy, "mutations": [mutation],
    });
    let group = "/apis/admissionregistration.k8s.io/v1";
    let policy = json!({"metadata": {"name": "p"}, "spec": spec});
    client.post(&format!("{group}/mutatingadmissionpolicies"), &policy).await.expect(201);
    let binding = json!({"metadata": {"name": "p"}, "spec": {"policyName": "p"}});
    client.post(&format!("{group}/mutatingadmissionpolicybindings"), &binding).await.expect(201);
    let mut called = hook.webhook(5);
    called["reinvocationPolicy"] = json!(webhook);
    client.post(MUTATING, &json!({"metadata": {"name": "c"}, "webhooks": [called]})).await.expect(201);
    let map = json!({"metadata": {"name": "a", "labels": {"a": "b"}}});
    let labels = client.post(MAPS, &map).await.expect(201)["metadata"]["labels"].clone();
    assert_eq!(labels.to_string(), expected);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_and_webhooks_are_asked_again_after_one_another() {
    check_reinvocation("IfNeeded", "IfNeeded", r#"{"a":"b","calls":"1","hook":"yes","policy":"after"}"#).await;
    check_reinvocation("IfNeeded", "Never", r#"{"a":"b","calls":"0","hook":"yes","policy":"after"}"#).await;
    check_reinvocation("Never", "IfNeeded", r#"{"a":"b","calls":"1","hook":"yes","policy":"before"}"#).await;
    check_reinvocation("Never", "Never", r#"{"a":"b","calls":"1","hook":"yes","policy":"before"}"#).await;
}

/// Creates the definition of gadgets, in two versions that a webhook converts, and waits until they are served.
async fn define_gadgets(client: &Client, hook: &Hook) {
    let version = |name: &str, storage: bool| {
        let spec = json!({"type": "object", "properties": {"color": {"type": "string"}}});
        let schema =
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"spec": spec}});
        json!({
            "name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema},
            "selectableFields": [{"jsonPath": ".spec.color"}],
        })
    };
    let definition = json!({
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [version("v1", true), version("v2", false)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": hook.webhook(1)["clientConfig"],
            }},
        },
    });
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.expect(201);
    let gadgets = "/apis/example.com/v1/namespaces/default/gadgets";
    let gadget = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}});
    eventually("the definition is served", async || (client.post(gadgets, &gadget).await.code == 201).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_cannot_be_converted_for_a_webhook_is_an_error() {
    let refusal = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "response": {"uid": "UID", "result": {"status": "Failure", "message": "no way"}, "convertedObjects": []},
    });
    let (converter, hook) =
        (Hook::start(Manner::Answer(refusal.to_string())).await, Hook::start(Manner::Answer(allowed())).await);
    let server = server().await;
    let client = server.client();
    define_gadgets(&client, &converter).await;
    let mut webhook = hook.webhook(1);
    webhook["rules"] = json!([{"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["gadgets"]}]);
    let configuration = json!({"metadata": {"name": "c"}, "webhooks": [webhook]});
    let gadget = json!({"apiVersion": "example.com/v2", "kind": "Gadget", "metadata": {"name": "h"}});
    let why = "Internal error occurred: conversion webhook for example.com/v2, Kind=Gadget failed: no way";
    for (configurations, message) in
        [(CONFIGURATIONS, why.to_owned()), (MUTATING, format!("Internal error occurred: {why}"))]
    {
        client.post(configurations, &configuration).await.expect(201);
        let answer = client.post("/apis/example.com/v2/namespaces/default/gadgets", &gadget).await.expect(500);
        assert_eq!(answer["message"], message);
        client.delete(&format!("{configurations}/c")).await.expect(200);
    }
    server.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_converter_that_hangs_keeps_nobody_else_waiting() {
    let hook = Hook::start(Manner::Hang).await;
    let server = server().await;
    let client = server.client();
    define_gadgets(&client, &hook).await;
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client();
            tokio::spawn(async move { client.get("/apis/example.com/v2/namespaces/default/gadgets/g").await })
        })
        .collect();
    let started = Instant::now();
    for at in 0..20 {
        client.post(MAPS, &map(&format!("m{at}"))).await.expect(201);
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    waiting.iter().for_each(JoinHandle::abort);
    drop(hook);
    server.drop().await;
}

const ALLOTTED: &str = "Timeout: request did not complete within the allotted timeout";

/// As upstream's `filters.WithRequestDeadline`: the time that a client gives covers the webhooks of its request.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_takes_no_longer_than_it_asks_for() {
    let hook = Hook::start(Manner::Hang).await;
    let (server, client) = judged(&hook, 30).await;
    let path = format!("{MAPS}?timeout=300ms");
    let answer = client.post(&path, &map("a")).await;
    assert_eq!(answer.header(http::header::CONTENT_TYPE), "text/plain; charset=utf-8");
    let expected = json!({
        "metadata": {}, "status": "Failure", "message": ALLOTTED, "reason": "Timeout", "details": {}, "code": 504,
    });
    assert_eq!(answer.expect(504), expected);
    // A large object is handled off the threads of the runtime.
    for bytes in [40 << 10, 300 << 10] {
        let large = json!({"metadata": {"name": "a"}, "data": {"d": "x".repeat(bytes)}});
        assert_eq!(client.post(&path, &large).await.expect(504)["message"], ALLOTTED);
    }
    client.get(&format!("{MAPS}/a")).await.expect(404);
    server.stop().await;
}

/// As upstream's dispatchers, which fail open only while the request has time.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_timeout_leads_past_no_webhook() {
    let hook = Hook::start(Manner::Hang).await;
    for configurations in [CONFIGURATIONS, MUTATING] {
        let server = server().await;
        let client = server.client();
        let mut webhook = hook.webhook(30);
        webhook["failurePolicy"] = json!("Ignore");
        let configuration = json!({"metadata": {"name": "c"}, "webhooks": [webhook]});
        client.post(configurations, &configuration).await.expect(201);
        for timeout in ["1ns", "1ms", "50ms", "300ms"] {
            let answer = client.post(&format!("{MAPS}?timeout={timeout}"), &map("a")).await;
            assert_eq!(answer.expect(504)["message"], ALLOTTED, "{timeout}");
        }
        client.get(&format!("{MAPS}/a")).await.expect(404);
        server.stop().await;
    }
}

/// As upstream's handlers, whose `requestTimeoutUpperBound` is less than the time of other requests.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_has_less_time_than_other_requests() {
    let hook = Hook::start(Manner::Hang).await;
    let limits = Limits { write: Duration::from_millis(300), ..Limits::default() };
    let plugins = |server: Server| server.limits(limits).admission_plugins(&[], &["ServiceAccount"]).unwrap();
    let server = Home::memory().await.unwrap().start_with(plugins).await;
    let client = server.client();
    let configuration = json!({"metadata": {"name": "c"}, "webhooks": [hook.webhook(30)]});
    client.post(CONFIGURATIONS, &configuration).await.expect(201);
    let status = client.post(MAPS, &map("a")).await.expect(504);
    let why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
    assert_eq!((&status["kind"], &status["message"]), (&json!("Status"), &json!(why)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_writes_wait_for_no_webhook_of_others() {
    let hook = Hook::start(Manner::Hang).await;
    let (server, client) = judged(&hook, 30).await;
    let large = json!({"metadata": {"name": "a"}, "data": {"d": "x".repeat(300 << 10)}});
    let waiting: Vec<_> = (0..16)
        .map(|_| {
            let (client, large) = (server.client(), large.clone());
            tokio::spawn(async move { client.post(MAPS, &large).await })
        })
        .collect();
    eventually("all wait", async || (hook.calls.load(Ordering::Relaxed) == 16).then_some(())).await;
    // Bodies that are judged by nobody.
    let small = json!({"metadata": {"name": "s"}, "stringData": {"d": "x".repeat(40 << 10)}});
    client.post("/api/v1/namespaces/default/secrets", &small).await.expect(201);
    waiting.iter().for_each(JoinHandle::abort);
    server.stop().await;
}

const GADGETS: &str = "/apis/example.com/v2/namespaces/default/gadgets";

/// A list asks a webhook that does not answer once, not once for each object.
#[tokio::test(flavor = "multi_thread")]
async fn a_converter_that_does_not_answer_is_called_once_for_a_list() {
    let hook = Hook::start(Manner::Hang).await;
    let server = server().await;
    let client = server.client();
    define_gadgets(&client, &hook).await;
    for number in 0..5 {
        let gadget =
            json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": format!("g{number}")}});
        client.post("/apis/example.com/v1/namespaces/default/gadgets", &gadget).await.expect(201);
    }
    let before = hook.calls.load(Ordering::Relaxed);
    let answer = client.get(&format!("{GADGETS}?timeout=500ms")).await;
    assert_eq!(answer.expect(504)["message"], ALLOTTED);
    assert_eq!(hook.calls.load(Ordering::Relaxed) - before, 1);
    let answer = client.get(&format!("{GADGETS}/g1?timeout=500ms")).await;
    assert_eq!(answer.expect(504)["message"], ALLOTTED);
    server.drop().await;
    // Where nobody listens, each object has the error that it would have by itself.
    let server = self::server().await;
    let client = server.client();
    let gone = Hook::start(Manner::Hang).await;
    define_gadgets(&client, &gone).await;
    let address = gone.address;
    gone.serving.abort();
    eventually("nobody listens", async || tokio::net::TcpStream::connect(address).await.is_err().then_some(())).await;
    let second = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "h"}});
    client.post("/apis/example.com/v1/namespaces/default/gadgets", &second).await.expect(201);
    let status = client.get(GADGETS).await.expect(500);
    assert_eq!(
        (&status["reason"], status["details"]["causes"].as_array().unwrap().len()),
        (&json!("StorageReadError"), 2)
    );
    let message = status["message"].as_str().unwrap();
    assert!(message.contains("connection refused") && message.ends_with(" (and 1 more)"), "{message}");
    server.drop().await;
}

/// The fields of many objects are converted for a selector in one call, and are known from then on.
#[tokio::test(flavor = "multi_thread")]
async fn a_selector_has_objects_converted_together() {
    let hook = Hook::start(Manner::Convert).await;
    let server = server().await;
    let client = server.client();
    define_gadgets(&client, &hook).await;
    for number in 0..40 {
        let color = if number % 4 == 0 { "red" } else { "blue" };
        let name = format!("g{number}");
        let gadget = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": {"color": color}});
        client.post("/apis/example.com/v1/namespaces/default/gadgets", &gadget).await.expect(201);
    }
    let mut calls = Vec::new();
    for _ in 0..2 {
        let before = hook.calls.load(Ordering::Relaxed);
        let found = client.get(&format!("{GADGETS}?fieldSelector=spec.color%3Dred")).await.expect(200);
        assert_eq!(found["items"].as_array().unwrap().len(), 10);
        assert_eq!(found["items"][0]["apiVersion"], "example.com/v2");
        calls.push(hook.calls.load(Ordering::Relaxed) - before);
    }
    // One for the fields, one for what is shown.
    assert_eq!(calls, [2, 1]);
    server.drop().await;
}

/// Requests and watches that a dead webhook would have to convert for wait; health, other kinds and the end of namespaces do not.
#[tokio::test(flavor = "multi_thread")]
async fn a_converter_that_hangs_takes_no_more_than_its_turns() {
    let hook = Hook::start(Manner::Hang).await;
    let server = server().await;
    let client = server.client();
    define_gadgets(&client, &hook).await;
    client.post("/api/v1/namespaces", &map("other")).await.expect(201);
    let in_other = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "o"}});
    client.post("/apis/example.com/v1/namespaces/other/gadgets", &in_other).await.expect(201);
    let waiting: Vec<_> = (0..100)
        .map(|number| {
            let client = server.client();
            let path = if number % 2 == 0 { format!("{GADGETS}/g") } else { GADGETS.to_owned() };
            tokio::spawn(async move { client.get(&path).await })
        })
        .collect();
    let mut watches = Vec::new();
    for _ in 0..40 {
        watches.push(client.watch(&format!("{GADGETS}?watch=true")).await);
    }
    eventually("the turns are taken", async || (hook.calls.load(Ordering::Relaxed) >= 32).then_some(())).await;
    assert_eq!(client.get("/readyz").await.code, 200);
    client.post(MAPS, &map("m")).await.expect(201);
    client.get("/apis/example.com/v1/namespaces/default/gadgets/g").await.expect(200);
    client.delete("/api/v1/namespaces/other").await.expect(200);
    eventually("the namespace ends", async || (client.get("/api/v1/namespaces/other").await.code == 404).then_some(()))
        .await;
    assert_eq!(hook.calls.load(Ordering::Relaxed), 32);
    waiting.iter().for_each(JoinHandle::abort);
    drop(hook);
    server.drop().await;
}

const PAGE: &str = include_str!("../../../../docs/admission.md");

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_of_the_page_works() {
    let hook = Hook::start(Manner::Answer(denied())).await;
    let server = server().await;
    let client = server.client();
    let (_, block) = PAGE.split_once("```yaml file=webhook.yaml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let configuration = block
        .replace("https://127.0.0.1:9443/validate", &hook.url())
        .replace("Q0EK", &sprag_value::base64::encode(hook.certificate.as_bytes()));
    client.ask("POST", CONFIGURATIONS).body("application/yaml", configuration).send().await.expect(201);
    let refused = client.post(MAPS, &map("a")).await.expect(400);
    assert_eq!(refused["message"], "admission webhook \"labels.example.com\" denied the request without explanation");
    server.stop().await;
}

#[test]
fn the_page_explains_what_webhooks_do_wrong() {
    // The reasons that the tests above expect.
    for reason in [
        "context deadline exceeded",
        "certificate signed by unknown authority",
        "(possibly because of \"x509: ECDSA verification failure\" while trying to verify candidate authority certificate",
        "certificate is valid for hook.default.svc, not localhost",
        "certificate relies on legacy Common Name field, use SANs instead",
        "because it doesn't contain any IP SANs",
        "certificate has expired or is not yet valid: current time",
        "EOF",
        "malformed HTTP response",
        "stopped after 10 redirects",
        "expected response.uid=",
        "received invalid webhook response: webhook response was absent",
    ] {
        assert!(PAGE.contains(&format!("| `{reason}")), "{reason}");
    }
}

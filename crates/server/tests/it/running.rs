//! Servers as processes: authentication, protocols, shutdown.

use std::cell::Cell;
use std::sync::Arc;

use http::Request;
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, HeaderName,
    IF_NONE_MATCH, VARY,
};
use serde_json::json;
use sprag_rest::{Definition, Stage};
use sprag_server::{AuthorizationMode, Server};
use sprag_storage::Memory;
use sprag_storage::testing::Scratch;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::harness::{Home, PATIENCE, TestServer, server};
use crate::http::{Answer, text};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn only_those_who_have_the_token_are_let_in() {
    let server = server().await;
    for token in [None, Some("wrong"), Some("")] {
        let client = server.client().with_token(token);
        for path in ["/api", "/apis", MAPS, "/openapi/v2", "/openapi/v3", "/metrics", "/nowhere"] {
            let answer = client.get(path).await;
            assert_eq!(answer.expect(401)["reason"], "Unauthorized", "{path}");
        }
    }
    server.client().get(MAPS).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn whoever_asks_is_told_whether_the_server_lives() {
    let server = server().await;
    let client = server.client().with_token(None);
    for path in ["/healthz", "/livez", "/readyz", "/readyz/ping", "/livez/etcd", "/readyz/shutdown"] {
        let answer = client.get(path).await;
        assert_eq!((answer.code, &*answer.text()), (200, "ok"), "{path}");
    }
    for path in ["/livez/shutdown", "/healthz/nope"] {
        assert_eq!(client.get(path).await.code, 404, "{path}");
    }
    assert_eq!(client.get("/version").await.expect(200)["major"], "1");
    server.stop().await;
}

#[tokio::test]
async fn checks_of_the_health_are_counted() {
    let server = server().await;
    let client = server.client();
    for path in ["/readyz", "/readyz?exclude=log", "/readyz/ping", "/livez"] {
        assert_eq!(client.get(path).await.code, 200, "{path}");
    }
    let counted = client.get("/metrics/slis").await.text();
    for line in [
        r#"kubernetes_healthcheck{name="ping",type="livez"} 1"#,
        r#"kubernetes_healthchecks_total{name="log",status="success",type="readyz"} 1"#,
        r#"kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 2"#,
    ] {
        assert!(counted.lines().any(|counted| counted == line), "{line} in {counted}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_server_names_its_platform_as_go_does() {
    let server = server().await;
    let version = server.client().get("/version").await.expect(200);
    let (system, processor) = text(&version, "/platform").split_once('/').unwrap();
    assert_eq!(system, std::env::consts::OS);
    assert!(!["x86_64", "aarch64"].contains(&processor), "{processor}");
    server.stop().await;
}

#[tokio::test]
async fn answers_without_a_body_say_whether_they_may_be_kept() {
    let server = server().await;
    let client = server.client();
    for (path, accept, code) in
        [("/openapi/v3/nope", "", 404), ("/openapi/v2", "text/html", 406), ("/openapi/v3/api/v1?hash=x", "", 301)]
    {
        let answer = client.ask("GET", path).accept(accept).send().await;
        assert_eq!(
            (answer.code, &*answer.text(), answer.header(CACHE_CONTROL)),
            (code, "", "no-cache, private"),
            "{path}"
        );
    }
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let tag = client.ask("GET", "/apis").accept(aggregated).send().await.header(ETAG).to_owned();
    let known = client.ask("GET", "/apis").accept(aggregated).header(IF_NONE_MATCH, &tag).send().await;
    assert_eq!((known.code, &*known.text(), known.header(CACHE_CONTROL)), (304, "", "public"));
    assert_eq!((known.header(ETAG), known.header(VARY)), (&*tag, "Accept"));
    server.stop().await;
}

#[tokio::test]
async fn a_server_without_its_store_is_not_well() {
    let Some(mut home) = Home::etcd().await else { return };
    let server = home.start().await;
    let client = server.client();
    if let Home::Etcd(cluster) = &mut home {
        cluster.kill(0).unwrap();
    }
    let answer = client.get("/livez").await;
    let expected = "[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[-]etcd failed: reason withheld\n";
    assert_eq!(answer.code, 500);
    assert!(
        answer.text().starts_with(expected) && answer.text().ends_with("livez check failed\n"),
        "{}",
        answer.text()
    );
    assert_eq!(client.get("/readyz/etcd-readiness").await.code, 500);
    assert_eq!(client.get("/livez?exclude=etcd").await.code, 200);
    assert_eq!(client.get("/readyz/ping").await.code, 200);
    server.drop().await;
}

#[tokio::test]
async fn the_document_of_everything_is_json_or_protobuf() {
    let server = server().await;
    let client = server.client();
    let ask = |accept: &str| client.ask("GET", "/openapi/v2").accept(accept);
    let json = ask("*/*").send().await;
    assert_eq!(json.header(CONTENT_TYPE), "application/json");
    assert_eq!(json.expect(200)["swagger"], "2.0");
    for name in ["v2@v1.0", "v2.v1.0"] {
        let accept = format!("application/com.github.proto-openapi.spec.{name}+protobuf");
        let protobuf = ask(&accept).send().await;
        assert_eq!(protobuf.header(CONTENT_TYPE), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
        assert!(protobuf.body.starts_with(b"\n\x032.0"), "the version is the first field");
        assert_ne!(protobuf.header(ETAG), json.header(ETAG));
        let again = ask(&accept).header(IF_NONE_MATCH, protobuf.header(ETAG)).send().await;
        assert_eq!((again.code, &*again.text()), (304, ""));
    }
    assert_eq!(ask("application/yaml").send().await.code, 406);
    server.stop().await;
}

/// What upstream's `run_swagger_tests` looks for.
#[tokio::test]
async fn the_document_of_everything_describes_lists_and_watches() {
    let server = server().await;
    let text = server.client().get("/openapi/v2").await.text();
    for part in ["list of returned", "List of services", "Watch for changes to the described resources"] {
        assert!(text.contains(part), "{part}");
    }
    server.stop().await;
}

/// Clients that read text, `kubectl get --raw` piped to a shell's tools for one, may rely on the order.
#[tokio::test]
async fn members_of_lists_statuses_and_discovery_have_the_order_of_upstream() {
    let server = server().await;
    let client = server.client();
    let begins = async |path: &str, accept: &str, expected: &str| {
        let text = client.ask("GET", path).accept(accept).send().await.text();
        assert!(text.starts_with(expected), "{path}: {text}");
    };
    begins("/api", "", r#"{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"#).await;
    begins("/apis", "", r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":""#).await;
    begins(
        "/apis/apps",
        "",
        r#"{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"#,
    )
    .await;
    let resources = r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"controllerrevisions","singularName":"controllerrevision","namespaced":true,"kind":"ControllerRevision","verbs":["#;
    begins("/apis/apps/v1", "", resources).await;
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let document = r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":""#;
    begins("/apis", aggregated, document).await;
    let text = client.ask("GET", "/api").accept(aggregated).send().await.text();
    let resource = r#"{"version":"v1","resources":[{"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]},"#;
    assert!(text.contains(resource), "{text}");
    let missing = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \"no\" not found","reason":"NotFound","details":{"name":"no","kind":"configmaps"},"code":404}"#;
    begins(&format!("{MAPS}/no"), "", missing).await;
    begins(&format!("{MAPS}/no?pretty=true"), "", "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n").await;

    for name in ["a", "b"] {
        client.post(MAPS, &json!({"metadata": {"name": name}})).await.expect(201);
    }
    let list = r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":""#;
    begins(MAPS, "", list).await;
    let page = client.get(&format!("{MAPS}?limit=1")).await.text();
    let after = page.split_once(r#"","continue":""#).and_then(|(head, rest)| {
        assert!(head.starts_with(list), "{page}");
        rest.split_once('"')
    });
    assert!(after.unwrap().1.starts_with(r#","remainingItemCount":1},"items":[{"metadata":{"#), "{page}");
    begins(&format!("{MAPS}?pretty=true"), "", "{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n").await;
    let partial = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    begins(MAPS, partial, r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"#).await;

    // Objects themselves, and lists of custom resources, which are maps upstream, are sorted.
    begins(&format!("{MAPS}/a"), "", r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"#).await;
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let crd = json!({
        "metadata": {"name": "boxes.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "boxes", "kind": "Box"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &crd).await.expect(201);
    let boxes = "/apis/example.com/v1/boxes";
    for name in ["a", "b"] {
        let object = json!({"apiVersion": "example.com/v1", "kind": "Box", "metadata": {"name": name}});
        client.post(boxes, &object).await.expect(201);
    }
    let object = r#"{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Box","metadata":{"#;
    begins(boxes, "", object).await;
    let text = client.get(&format!("{boxes}?limit=1")).await.text();
    let (_, tail) = text.split_once(r#"],"kind":"BoxList","metadata":{"continue":""#).unwrap();
    assert!(tail.contains(r#"","remainingItemCount":1,"resourceVersion":""#), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn a_server_can_deny_everything_to_others_than_its_administrator() {
    let home = Home::memory().await.unwrap();
    let server = home.start_with(|server| server.authorization(AuthorizationMode::AlwaysDeny)).await;
    let refused = server.client().with_token(None).get(MAPS).await;
    let expected = "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\" in API group \"\" \
                    in the namespace \"default\": alwaysdeny: Everything is forbidden.";
    assert_eq!(refused.header(http::HeaderName::from_static("x-content-type-options")), "nosniff");
    assert_eq!(refused.expect(403)["message"], expected);
    // Its administrator is in system:masters, which every mode lets pass.
    server.client().get(MAPS).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn a_server_keeps_its_identity_in_its_folder() {
    let home = Home::memory().await.unwrap();
    let folder = Scratch::new("identity").unwrap();
    let first = home.start_with(|server| server.data_dir(folder.path())).await;
    let ca = first.running.ca().to_owned();
    let token = first.running.token().to_owned();
    let written = std::fs::read_to_string(first.running.kubeconfig().unwrap()).unwrap();
    assert_eq!(written, first.running.kubeconfig_text());
    first.stop().await;
    let second = home.start_with(|server| server.data_dir(folder.path())).await;
    assert_eq!((second.running.ca(), second.running.token()), (&*ca, &*token));
    second.stop().await;
}

#[tokio::test]
async fn both_versions_of_http_are_spoken() {
    let server = server().await;
    let client = server.client();
    client.get("/version").await.expect(200);
    let mut sender = client.http1().await;
    for _ in 0..2 {
        let request = Request::get("/version").header(HOST, "localhost").body(http_body_util::Full::default());
        let answer = sender.send_request(request.unwrap()).await.unwrap();
        Answer::read("GET /version".into(), answer).await.expect(200);
    }
    server.stop().await;
}

#[tokio::test]
async fn large_answers_are_compressed_for_those_who_can_read_them() {
    let server = server().await;
    let client = server.client();
    for number in 0..3 {
        let object = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": format!("large-{number}")},
            "data": {"text": "x".repeat(100_000)},
        });
        client.post(MAPS, &object).await.expect(201);
    }
    let plain = client.get(MAPS).await;
    assert_eq!(plain.header(CONTENT_ENCODING), "");
    let packed = client.ask("GET", MAPS).header(ACCEPT_ENCODING, "gzip").send().await;
    assert_eq!((packed.code, packed.header(CONTENT_ENCODING)), (200, "gzip"));
    assert!(packed.body.len() < plain.body.len() / 10, "{} bytes", packed.body.len());
    let mut unpacked = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let small = client.ask("GET", "/version").header(ACCEPT_ENCODING, "gzip").send().await;
    assert_eq!(small.header(CONTENT_ENCODING), "");
    server.stop().await;
}

#[tokio::test]
async fn requests_have_ids() {
    const ID: HeaderName = HeaderName::from_static("audit-id");
    let server = server().await;
    let client = server.client();
    let given = client.ask("GET", "/version").header(ID, "mine").send().await;
    assert_eq!(given.header(ID), "mine");
    let first = client.get("/version").await;
    let second = client.get("/version").await;
    assert_ne!(first.header(ID), "");
    assert_ne!(first.header(ID), second.header(ID));
    server.stop().await;
}

#[tokio::test]
async fn requests_are_counted() {
    let server = server().await;
    let client = server.client();
    client.get(MAPS).await.expect(200);
    let metrics = client.get("/metrics").await.text();
    let line = metrics.lines().find(|line| line.starts_with("apiserver_request_total{") && line.contains("configmaps"));
    assert!(line.is_some_and(|line| line.contains(r#"verb="LIST""#) && line.ends_with(" 1")), "{line:?}");
    server.stop().await;
}

/// A server with features switched.
async fn switched(switches: &str) -> TestServer {
    Home::memory().await.unwrap().start_with(|server| server.switch_features(switches)).await
}

#[tokio::test]
async fn features_of_the_server_can_be_switched_off() {
    let on = server().await;
    let off = switched(
        "APIResponseCompression=false,StorageVersionHash=false,OpenAPIEnums=false,WatchList=false,ClusterTrustBundle=false,\
         PodCertificateRequest=false,StorageVersionMigrator=false",
    )
    .await;
    let large = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"text": "x".repeat(200_000)}});
    let watch = format!("{MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1");
    for (server, is_on) in [(&on, true), (&off, false)] {
        let client = server.client();
        client.post(MAPS, &large).await.expect(201);
        let packed = client.ask("GET", MAPS).header(ACCEPT_ENCODING, "gzip").send().await;
        assert_eq!(packed.header(CONTENT_ENCODING) == "gzip", is_on);
        assert_eq!(client.get("/api/v1").await.text().contains("storageVersionHash"), is_on);
        assert_eq!(client.get("/openapi/v3/api/v1").await.text().contains(r#""enum":["#), is_on);
        assert_eq!(client.get("/apis/certificates.k8s.io/v1").await.text().contains("clustertrustbundles"), is_on);
        assert_eq!(client.get("/apis/certificates.k8s.io/v1").await.text().contains("podcertificaterequests"), is_on);
        assert_eq!(client.get("/apis/storagemigration.k8s.io/v1").await.code, if is_on { 200 } else { 404 });
    }
    let refused = off.client().get(&watch).await;
    assert_eq!(refused.code, 422);
    let why = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    assert!(refused.text().contains(why), "{}", refused.text());
    on.stop().await;
    off.stop().await;
}

#[tokio::test]
async fn feature_gates_are_shown_with_stage_and_state() {
    let gates = sprag_server::gates().with("WidgetPriority", Stage::Alpha).with("WidgetColor", Stage::Beta);
    let home = Home::memory().await.unwrap();
    let server = home.start_with(|server| server.gates(gates).switch_features("WidgetColor=false")).await;
    let metrics = server.client().get("/metrics").await.text();
    let shown: Vec<&str> = metrics.lines().filter(|line| line.contains("kubernetes_feature_enabled")).collect();
    assert_eq!(
        shown,
        [
            "# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.",
            "# TYPE kubernetes_feature_enabled gauge",
            r#"kubernetes_feature_enabled{name="APIServerIdentity",stage="BETA"} 1"#,
            r#"kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0"#,
            r#"kubernetes_feature_enabled{name="AllBeta",stage="BETA"} 0"#,
            r#"kubernetes_feature_enabled{name="CRDValidationRatcheting",stage=""} 1"#,
            r#"kubernetes_feature_enabled{name="DeclarativeValidation",stage=""} 1"#,
            r#"kubernetes_feature_enabled{name="DeclarativeValidationBeta",stage="BETA"} 1"#,
            r#"kubernetes_feature_enabled{name="WidgetColor",stage="BETA"} 0"#,
            r#"kubernetes_feature_enabled{name="WidgetPriority",stage="ALPHA"} 0"#,
        ]
    );
    server.stop().await;
}

#[tokio::test]
async fn a_resource_that_depends_on_an_undeclared_gate_is_refused_at_start() {
    let definition = sprag_kinds::definitions().into_iter().find(|known| known.kind == "ConfigMap").unwrap();
    let definition = Definition { feature_gates: vec!["WidgetPriorty".to_owned()], ..definition };
    let server = Server::new(Arc::new(Memory::new())).feature_gate("WidgetPriority", Stage::Alpha).resource(definition);
    let error = server.start().await.err().unwrap().to_string();
    assert_eq!(
        error,
        "configmaps depends on feature gate WidgetPriorty, which is not declared: declare it, for instance with \
         feature_gate(\"WidgetPriorty\", Stage::Alpha), or correct the tag (declared: APIServerIdentity, AllAlpha, \
         AllBeta, CRDValidationRatcheting, DeclarativeValidation, DeclarativeValidationBeta, \
         WidgetPriority)"
    );
}

/// A request in flight when the server is asked to stop is answered; then the connection is closed.
#[tokio::test]
async fn requests_under_way_are_finished_before_the_server_stops() {
    let home = Home::memory().await.unwrap();
    let server = home.start().await;
    let client = server.client();
    let token = server.running.token().to_owned();
    let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"late"}}"#;
    let mut watch = client.watch(&format!("{MAPS}?watch=true")).await;
    let mut stream = client.connect("http/1.1").await;
    let head = format!(
        "POST {MAPS} HTTP/1.1\r\nhost: x\r\n{AUTHORIZATION}: Bearer {token}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let (first, rest) = body.split_at(10);
    stream.write_all(format!("{head}{first}").as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    // The server has begun to read the request when it has answered a later one.
    client.get("/version").await.expect(200);

    let has_stopped = Cell::new(false);
    let stopping = async {
        server.stop().await;
        has_stopped.set(true);
    };
    let finishing = async {
        assert_eq!(watch.next().await, None);
        assert!(!has_stopped.get(), "the server waits for the request");
        stream.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("the connection is closed").ok();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    };
    tokio::join!(stopping, finishing);

    let again = home.start().await;
    let stored = again.client().get(&format!("{MAPS}/late")).await.expect(200);
    assert_eq!(text(&stored, "/metadata/name"), "late");
    again.stop().await;
}

#[tokio::test]
async fn a_server_that_is_dropped_stops() {
    let server = server().await;
    let mut watch = server.client().watch(&format!("{MAPS}?watch=true")).await;
    server.drop().await;
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn a_request_for_the_head_gets_no_body() {
    let server = server().await;
    let client = server.client();
    for (path, code) in [("/version", 405), ("/healthz", 200), ("/api/v1/namespaces/default", 405)] {
        let answer = client.ask("HEAD", path).send().await;
        assert_eq!((answer.code, answer.body.len()), (code, 0), "{path}");
    }
    server.stop().await;
}

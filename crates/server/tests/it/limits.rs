//! Clients that send too much, too deep, too slowly, or nonsense.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::harness::{PATIENCE, server};
use crate::http::{APPLY_PATCH, JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, YAML};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The longest time that a request may take while others dawdle.
const AT_ONCE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn bodies_have_a_limit() {
    let server = server().await;
    let client = server.client();
    let body = " ".repeat(3 * 1024 * 1024 + 1);
    for (method, path, content_type) in [
        ("POST", MAPS.to_owned(), JSON),
        ("POST", MAPS.to_owned(), YAML),
        ("PUT", format!("{MAPS}/x"), JSON),
        ("PATCH", format!("{MAPS}/x"), MERGE_PATCH),
        ("PATCH", format!("{MAPS}/x?fieldManager=m"), APPLY_PATCH),
        ("DELETE", format!("{MAPS}/x"), JSON),
    ] {
        let answer = client.ask(method, &path).body(content_type, body.clone()).send().await;
        let status = answer.expect(413);
        assert_eq!(status["reason"], "RequestEntityTooLarge", "{method}");
        assert!(answer.message().contains("limit is 3145728"), "{}", answer.message());
    }
    server.stop().await;
}

#[tokio::test]
async fn nesting_has_a_limit() {
    let server = server().await;
    let client = server.client();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
    client.post(MAPS, &object).await.expect(201);
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    for deep in [nested("[", "]"), nested(r#"{"a":"#, "}").replace(":}", ":1}")] {
        let object = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"y"}},"deep":{deep}}}"#);
        let operations = format!(r#"[{{"op":"add","path":"/data","value":{deep}}}]"#);
        let item = format!("{MAPS}/x");
        for (method, path, content_type, body) in [
            ("POST", MAPS, JSON, &object),
            ("POST", MAPS, YAML, &object),
            ("PUT", &item, JSON, &object),
            ("PATCH", &item, MERGE_PATCH, &object),
            ("PATCH", &item, STRATEGIC_PATCH, &object),
            ("PATCH", &item, JSON_PATCH, &operations),
            ("PATCH", &format!("{item}?fieldManager=m"), APPLY_PATCH, &object),
            ("DELETE", &item, JSON, &object),
        ] {
            let answer = client.ask(method, path).body(content_type, body.clone()).send().await;
            assert!((400..500).contains(&answer.code), "{method} {content_type}: {} {}", answer.code, answer.text());
            assert!(answer.body.len() < 10_000, "{method} {content_type}: {} bytes", answer.body.len());
        }
    }
    client.get(&format!("{MAPS}/x")).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn heads_of_requests_have_a_limit() {
    let server = server().await;
    let client = server.client();
    let long = "x".repeat(1024 * 1024);
    for head in [format!("GET /version HTTP/1.1\r\nx-long: {long}\r\n\r\n"), format!("GET /{long} HTTP/1.1\r\n\r\n")] {
        let mut stream = client.connect("http/1.1").await;
        // The server may hang up before it has read everything.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = [0; 12];
        timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("an answer").unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    }
    client.get("/version").await.expect(200);
    server.stop().await;
}

/// Clients that stop in the middle of something harm only themselves.
#[tokio::test]
async fn slow_clients_do_not_keep_others_waiting() {
    let server = server().await;
    let client = server.client();
    let mut slow = Vec::new();
    for beginning in ["GET /ver", "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"] {
        for _ in 0..20 {
            let mut stream = client.connect("http/1.1").await;
            stream.write_all(beginning.as_bytes()).await.unwrap();
            slow.push(stream);
        }
    }
    let unread = client.watch(&format!("{MAPS}?watch=true")).await;
    for number in 0..200 {
        let text = "x".repeat(10_000);
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}, "data": {"text": text}});
        timeout(AT_ONCE, server.client().post(MAPS, &object)).await.expect("an answer at once").expect(201);
    }
    drop((slow, unread));
    server.stop().await;
}

#[tokio::test]
async fn nonsense_on_the_wire_is_survived() {
    let server = server().await;
    for nonsense in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x16\x03\x01\xff\xff garbage", b"\0\0\0\0"] {
        let mut stream = tokio::net::TcpStream::connect(server.running.address()).await.unwrap();
        stream.write_all(nonsense).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("the connection is closed").ok();
    }
    let mut stream = server.client().connect("http/1.1").await;
    stream.write_all(b"\x01\x02 nonsense\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("the connection is closed").ok();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    server.client().get("/version").await.expect(200);
    server.stop().await;
}

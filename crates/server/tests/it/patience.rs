//! Limits of clients: connections, time, memory and concurrent requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::header::{CONNECTION, HeaderName, RETRY_AFTER};
use serde_json::json;
use sprag_server::Limits;
use sprag_storage::{Clock, SystemClock};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use crate::harness::{Home, PATIENCE, TestServer, server};
use crate::http::{Answer, Client, JSON};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SHORT: Duration = Duration::from_millis(300);

async fn server_with(limits: Limits) -> TestServer {
    Home::memory().await.unwrap().start_with(|server| server.limits(limits)).await
}

/// Waits until the server has closed a connection; returns what it sent before.
async fn closed(stream: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let mut rest = Vec::new();
    // A connection that is cut may end in an error.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("the connection is closed");
    rest
}

async fn fill(client: &Client, count: usize, bytes: usize) {
    for number in 0..count {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number:03}")},
            "data": {"text": "x".repeat(bytes)},
        });
        client.post(MAPS, &object).await.expect(201);
    }
}

/// A request that is written by hand on a connection of its own.
async fn write(server: &TestServer, method: &str, path: &str, more: &str) -> TlsStream<TcpStream> {
    let mut stream = server.client().connect("http/1.1").await;
    let token = server.running.token();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n{more}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn silent_connections_are_closed() {
    let server = server_with(Limits { handshake: SHORT, first_request: SHORT, idle: SHORT, ..Limits::default() }).await;
    let mut plain = TcpStream::connect(server.running.address()).await.unwrap();
    let mut first = server.client().connect("http/1.1").await;
    let mut second = server.client().connect("h2").await;
    let mut used = write(&server, "GET", "/version", "").await;
    closed(&mut plain).await;
    closed(&mut first).await;
    closed(&mut second).await;
    assert!(closed(&mut used).await.starts_with(b"HTTP/1.1 200"));
    // A watch is neither silent nor idle, however long nothing happens.
    let client = server.client();
    let mut watch = client.watch(&format!("{MAPS}?watch=true")).await;
    sleep(SHORT * 3).await;
    fill(&server.client(), 1, 1).await;
    assert_eq!(watch.next().await.unwrap()["type"], "ADDED");
    server.stop().await;
}

#[tokio::test]
async fn bodies_that_stop_are_given_up() {
    let server = server_with(Limits { body_pause: SHORT, ..Limits::default() }).await;
    let mut slow = write(&server, "POST", MAPS, "content-type: application/json\r\ncontent-length: 100\r\n").await;
    slow.write_all(b"{").await.unwrap();
    let answer = String::from_utf8(closed(&mut slow).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert!(answer.contains("Timeout: request did not complete within requested timeout"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn health_is_answered_when_all_connections_are_taken() {
    let server = server_with(Limits { connections: 2, ..Limits::default() }).await;
    let taken = [server.client().connect("h2").await, server.client().connect("http/1.1").await];
    for path in ["/livez", "/readyz", "/healthz"] {
        assert_eq!(server.client().get(path).await.code, 200, "{path}");
    }
    let refused = server.client().get("/api/v1/namespaces").await;
    assert_eq!((refused.code, refused.text().as_str()), (429, "Too many requests, please try again later.\n"));
    assert_eq!(refused.header(RETRY_AFTER), "1");
    drop(taken);
    crate::harness::eventually("a connection is free", async || {
        (server.client().get("/api/v1/namespaces").await.code == 200).then_some(())
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn requests_beyond_the_queue_are_refused() {
    let server = server_with(Limits { writes: 1, ..Limits::default() }).await;
    let mut slow = Vec::new();
    for _ in 0..2 {
        slow.push(write(&server, "POST", MAPS, "content-type: application/json\r\ncontent-length: 100\r\n").await);
        sleep(Duration::from_millis(50)).await;
    }
    let client = server.client();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
    let refused = client.post(MAPS, &object).await;
    assert_eq!(refused.text(), "Too many requests, please try again later.\n");
    assert_eq!((refused.code, refused.header(RETRY_AFTER)), (429, "1"));
    assert_eq!(refused.header(HeaderName::from_static("x-content-type-options")), "nosniff");
    client.get(MAPS).await.expect(200);
    let watch = client.watch(&format!("{MAPS}?watch=true")).await;
    drop((slow, watch));
    crate::harness::eventually("there is room", async || (client.post(MAPS, &object).await.code == 201).then_some(()))
        .await;
    server.stop().await;
}

#[tokio::test]
async fn a_watch_may_last_for_ever() {
    let server = server().await;
    let client = server.client();
    let mut watch = client.watch(&format!("{MAPS}?watch=true&timeoutSeconds=9223372036854775807")).await;
    fill(&client, 1, 1).await;
    assert_eq!(watch.next().await.unwrap()["type"], "ADDED");
    server.stop().await;
}

/// A clock that breaks stands for any bug in a handler.
struct BrokenClock(AtomicBool);

impl Clock for BrokenClock {
    fn now(&self) -> u64 {
        assert!(!self.0.load(Ordering::Relaxed), "the clock is broken");
        SystemClock.now()
    }
}

#[tokio::test]
async fn a_panic_is_answered_and_counted() {
    let clock = Arc::new(BrokenClock(AtomicBool::new(false)));
    let home = Home::memory().await.unwrap();
    let server = home.start_with(|server| server.clock(clock.clone()).controllers(false)).await;
    let client = server.client();
    clock.0.store(true, Ordering::Relaxed);
    let answer = client.get(MAPS).await;
    clock.0.store(false, Ordering::Relaxed);
    let status = answer.expect(500);
    assert_eq!(status["message"], "This request caused apiserver to panic. Look in the logs for details.");
    assert_eq!(status["reason"], "InternalError");
    client.get(MAPS).await.expect(200);
    assert!(client.get("/metrics").await.text().contains("\napiserver_request_panics_total 1\n"));
    server.stop().await;
}

#[tokio::test]
async fn a_list_that_nobody_reads_is_cut() {
    let server = server_with(Limits { stall: SHORT, ..Limits::default() }).await;
    fill(&server.client(), 30, 1_000_000).await;
    let mut stuck = write(&server, "GET", MAPS, "connection: close\r\n").await;
    sleep(Duration::from_secs(4)).await;
    let sent = closed(&mut stuck).await.len();
    assert!(sent < 29_000_000, "all {sent} bytes were sent");
    server.stop().await;
}

#[tokio::test]
async fn a_watch_that_nobody_reads_ends_in_time() {
    let server = server().await;
    fill(&server.client(), 30, 1_000_000).await;
    let started = Instant::now();
    let mut stuck = write(&server, "GET", &format!("{MAPS}?watch=true&timeoutSeconds=1"), "").await;
    sleep(Duration::from_millis(2_500)).await;
    let sent = closed(&mut stuck).await.len();
    assert!(sent < 29_000_000 && started.elapsed() < Duration::from_secs(6), "{sent} bytes, {:?}", started.elapsed());
    server.stop().await;
}

#[tokio::test]
async fn a_server_stops_while_clients_are_stuck() {
    let server = server().await;
    fill(&server.client(), 30, 1_000_000).await;
    let mut stuck = vec![
        write(&server, "GET", MAPS, "").await,
        write(&server, "GET", &format!("{MAPS}?watch=true"), "").await,
        write(&server, "POST", MAPS, "content-type: application/json\r\ncontent-length: 100\r\n").await,
    ];
    stuck.push(server.client().connect("h2").await);
    let silent = TcpStream::connect(server.running.address()).await.unwrap();
    sleep(SHORT).await;
    let started = Instant::now();
    server.stop().await;
    assert!(started.elapsed() < Duration::from_secs(4), "it took {:?}", started.elapsed());
    drop((stuck, silent));
}

/// Refusals that come before the body is read reach the client, and the connection can be used again.
#[tokio::test]
async fn refusals_do_not_break_connections() {
    let server = server().await;
    let client = server.client();
    for (code, token, path, content_type) in [
        (401, "forged", MAPS, JSON),
        (404, "", "/apis/nobody.knows/v1/things", JSON),
        (404, "", "/nowhere", JSON),
        (415, "", MAPS, "text/nonsense"),
    ] {
        for size in [2, 1_000_000] {
            let token = if token.is_empty() { server.running.token() } else { token };
            let mut sender = client.http1().await;
            let request = http::Request::post(path)
                .header("host", "x")
                .header("authorization", format!("Bearer {token}"))
                .header("content-type", content_type)
                .body(http_body_util::Full::from(vec![b' '; size]))
                .unwrap();
            let answer = sender.send_request(request).await.unwrap();
            let answer = Answer::read(path.to_owned(), answer).await;
            assert_eq!((answer.code, answer.header(CONNECTION)), (code, ""), "{path}");
            let next =
                http::Request::get("/version").header("host", "x").body(http_body_util::Full::default()).unwrap();
            sender.ready().await.unwrap();
            assert_eq!(sender.send_request(next).await.unwrap().status(), 200, "after {code} for {path}");
        }
    }
    // A client that expects `100 Continue` receives the rejection instead.
    let mut stream = write(&server, "POST", "/nowhere", "expect: 100-continue\r\ncontent-length: 1000000\r\n").await;
    let answer = String::from_utf8(closed(&mut stream).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("connection: close"), "{answer}");
    server.stop().await;
}

/// Lists of several pieces say what lists of one piece say.
#[tokio::test]
async fn lists_in_pieces_are_whole() {
    let server = server().await;
    let client = server.client();
    fill(&client, 40, 9_000).await;
    let whole = client.get(MAPS).await.expect(200);
    let items = whole["items"].as_array().unwrap();
    assert_eq!(items.len(), 40);
    let mut pages = Vec::new();
    let mut token = String::new();
    loop {
        let page = client.get(&format!("{MAPS}?limit=3&continue={token}")).await.expect(200);
        pages.extend(page["items"].as_array().unwrap().clone());
        token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(&pages, items);
    assert_eq!(client.get(&format!("{MAPS}?pretty=true")).await.expect(200), whole);
    let yaml = client.ask("GET", MAPS).accept("application/yaml").send().await;
    let parsed = from_yaml(&yaml.text());
    assert_eq!(parsed, whole);
    for include in ["Object", "Metadata", "None"] {
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        let path = format!("{MAPS}?includeObject={include}");
        let table = client.ask("GET", &path).accept(table).send().await.expect(200);
        let names: Vec<_> = table["rows"].as_array().unwrap().iter().map(|row| row["cells"][0].clone()).collect();
        let expected: Vec<_> = items.iter().map(|item| item["metadata"]["name"].clone()).collect();
        assert_eq!(names, expected);
        assert_eq!(table["metadata"]["resourceVersion"], whole["metadata"]["resourceVersion"]);
        assert!(table["columnDefinitions"].as_array().is_some_and(|columns| !columns.is_empty()));
    }
    let partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let partial = client.ask("GET", MAPS).accept(partial).send().await.expect(200);
    assert_eq!(partial["items"].as_array().unwrap().len(), 40);
    assert_eq!(partial["items"][39]["metadata"], items[39]["metadata"]);
    server.stop().await;
}

fn from_yaml(text: &str) -> serde_json::Value {
    let value = sprag_decode::yaml::decode(text.as_bytes()).expect("a list in YAML");
    serde_json::from_str(&sprag_value::json::to_string(&value)).unwrap()
}

//! Answers over HTTP/2 whose clients do not read them, and connections of clients that nobody knows.

use std::time::Duration;

use serde_json::json;
use sprag_server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use crate::harness::{Home, PATIENCE, TestServer, eventually};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const ACKNOWLEDGED: u8 = 1;
const END_OF_STREAM_AND_HEADERS: u8 = 5;

/// A client that writes its frames by hand.
struct Frames {
    stream: TlsStream<TcpStream>,
    authorization: Option<String>,
}

/// A frame of the server.
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Frames {
    /// A connection whose client lets the server send so many bytes of each answer.
    async fn connect(server: &TestServer, window: u32, token: Option<&str>) -> Frames {
        let stream = server.client().connect("h2").await;
        let mut frames = Frames { stream, authorization: token.map(|token| format!("Bearer {token}")) };
        frames.stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
        let [a, b, c, d] = window.to_be_bytes();
        frames.send(SETTINGS, 0, 0, &[0, 4, a, b, c, d]).await;
        frames
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        self.stream.write_all(&frame).await.unwrap();
    }

    async fn get(&mut self, stream: u32, path: &str) {
        let mut headers = vec![(":method", "GET"), (":scheme", "https"), (":authority", "x"), (":path", path)];
        headers.extend(self.authorization.as_deref().map(|value| ("authorization", value)));
        let mut block = Vec::new();
        for (name, value) in headers {
            block.push(0);
            for text in [name, value] {
                block.push(u8::try_from(text.len()).ok().filter(|length| *length < 127).expect("a short header"));
                block.extend(text.as_bytes());
            }
        }
        self.send(HEADERS, END_OF_STREAM_AND_HEADERS, stream, &block).await;
    }

    /// The next frame; none when the server hangs up. Pings are answered.
    async fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        timeout(PATIENCE, self.stream.read_exact(&mut head)).await.expect("a frame in time").ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        timeout(PATIENCE, self.stream.read_exact(&mut payload)).await.expect("a frame in time").ok()?;
        if kind == PING && flags & ACKNOWLEDGED == 0 {
            self.send(PING, ACKNOWLEDGED, 0, &payload).await;
        }
        Some(Frame { kind, flags, stream: u32::from_be_bytes(stream), payload })
    }

    /// Reads until a frame of a kind comes on a stream; returns the bytes of answers before it.
    async fn until(&mut self, kind: u8, stream: u32) -> usize {
        let mut data = 0;
        loop {
            let frame = self.next().await.unwrap_or_else(|| panic!("no frame of kind {kind} on {stream}"));
            if frame.kind == kind && frame.stream == stream {
                return data;
            }
            if frame.kind == DATA {
                data += frame.payload.len();
            }
        }
    }
}

#[tokio::test]
async fn answers_that_nobody_reads_are_reset() {
    let limits = Limits { stall: Duration::from_millis(300), ..Limits::default() };
    let server = Home::memory().await.unwrap().start_with(|server| server.limits(limits)).await;
    for name in ["a", "b"] {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x".repeat(200_000)},
        });
        server.client().post(MAPS, &map).await.expect(201);
    }
    let item = format!("{MAPS}/a");
    let watch = format!("{MAPS}?watch=true");
    for path in ["/openapi/v2", "/openapi/v3/apis/apps/v1", &item, &format!("{item}?pretty=true"), MAPS, &watch] {
        for window in [0, 1, 70_000] {
            let mut frames = Frames::connect(&server, window, Some(server.running.token())).await;
            frames.get(1, path).await;
            let sent = frames.until(RESET, 1).await;
            assert!(sent <= window as usize, "{sent} bytes of {path} in a window of {window}");
            // The connection itself is as good as before.
            frames.get(3, "/version").await;
            frames.until(HEADERS, 3).await;
        }
    }
    eventually("nothing is unread", async || {
        let metrics = server.client().get("/metrics").await.text();
        metrics.contains("\nsprag_unread_answer_bytes 0\n").then_some(())
    })
    .await;
    server.stop().await;
}

/// A client that takes its time, but takes something in time, gets everything.
#[tokio::test]
async fn answers_that_are_read_in_small_windows_are_whole() {
    let limits = Limits { stall: PATIENCE, ..Limits::default() };
    let server = Home::memory().await.unwrap().start_with(|server| server.limits(limits)).await;
    for length in [1, 16_000, 17_000, 65_000, 66_000, 200_000] {
        let name = format!("m{length}");
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x".repeat(length)},
        });
        server.client().post(MAPS, &map).await.expect(201);
        for path in [format!("{MAPS}/{name}"), MAPS.to_owned()] {
            let expected = server.client().get(&path).await.body;
            for window in [1000, 65_535] {
                let mut frames = Frames::connect(&server, window, Some(server.running.token())).await;
                frames.get(1, &path).await;
                let mut body = Vec::new();
                loop {
                    let frame = frames.next().await.expect("a frame");
                    if (frame.kind, frame.stream) != (DATA, 1) {
                        continue;
                    }
                    body.extend(&frame.payload);
                    if frame.flags & 1 == 1 {
                        break;
                    }
                    let taken = u32::try_from(frame.payload.len()).unwrap().to_be_bytes();
                    if taken != [0; 4] {
                        frames.send(8, 0, 0, &taken).await;
                        frames.send(8, 0, 1, &taken).await;
                    }
                }
                assert!(body == expected, "{path} in windows of {window}");
            }
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn connections_of_unknown_clients_take_no_further_requests() {
    let gate = |on: bool| format!("UnauthenticatedHTTP2DOSMitigation={on}");
    for (is_on, token, path) in [(true, None, "/version"), (true, Some("forged"), "/api"), (false, None, "/version")] {
        let home = Home::memory().await.unwrap();
        let server = home.start_with(|server| server.switch_features(gate(is_on))).await;
        let mut frames = Frames::connect(&server, 65_535, token).await;
        frames.get(1, path).await;
        if is_on {
            frames.until(GO_AWAY, 0).await;
            while frames.next().await.is_some() {}
        } else {
            frames.until(HEADERS, 1).await;
            frames.get(3, path).await;
            frames.until(HEADERS, 3).await;
        }
        let mut known = Frames::connect(&server, 65_535, Some(server.running.token())).await;
        for stream in [1, 3] {
            known.get(stream, path).await;
            known.until(HEADERS, stream).await;
        }
        server.stop().await;
    }
}

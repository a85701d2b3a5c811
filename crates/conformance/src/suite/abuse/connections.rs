//! Connections that are opened and not used.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::frames::{PREFACE, SETTINGS};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(silent_after_the_handshake),
    case!(silent_before_the_handshake),
    case!(silent_after_the_preface),
    case!(slow_heads),
    case!(slow_bodies),
    Case { files: Some(200), ..case!(more_connections_than_files) },
];

/// By then a silent connection is closed: 10 s after the last sign of life, and a bit.
const CLOSED_WITHIN: Duration = Duration::from_secs(14);

/// Waits until the server closes connections on which something was sent.
async fn closed<S: tokio::io::AsyncRead + Unpin>(streams: Vec<S>, within: Duration) -> Outcome {
    let started = Instant::now();
    let count = streams.len();
    for mut stream in streams {
        let mut rest = Vec::new();
        let left = within.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        if timeout(left, stream.read_to_end(&mut rest)).await.is_err() {
            return Err(format!("a connection is still open after {within:?}"));
        }
    }
    Ok(format!("{count} closed within {:.1} s", started.elapsed().as_secs_f64()))
}

async fn silent_after_the_handshake(arena: &Arena) -> Outcome {
    let mut silent = Vec::new();
    for number in 0..arena.count(100, 2_000) {
        silent.push(arena.connect(if number % 2 == 0 { "http/1.1" } else { "h2" }).await?);
    }
    arena.get("/readyz").await?.expect(200)?;
    arena.get("/api/v1/namespaces").await?.expect(200)?;
    closed(silent, CLOSED_WITHIN).await
}

async fn silent_before_the_handshake(arena: &Arena) -> Outcome {
    let mut silent = Vec::new();
    for _ in 0..arena.count(200, 2_000) {
        silent.push(arena.tcp().await?);
    }
    arena.get("/api/v1/namespaces").await?.expect(200)?;
    closed(silent, CLOSED_WITHIN).await
}

async fn silent_after_the_preface(arena: &Arena) -> Outcome {
    let mut silent = Vec::new();
    for _ in 0..arena.count(50, 500) {
        let mut stream = arena.connect("h2").await?;
        stream.write_all(&[PREFACE, SETTINGS].concat()).await.map_err(|error| error.to_string())?;
        silent.push(stream);
    }
    closed(silent, CLOSED_WITHIN).await
}

/// Heads of requests of which a few bytes come now and then.
async fn slow_heads(arena: &Arena) -> Outcome {
    let mut slow = Vec::new();
    for _ in 0..arena.count(50, 500) {
        let mut stream = arena.connect("http/1.1").await?;
        stream.write_all(b"GET /version HT").await.map_err(|error| error.to_string())?;
        slow.push(stream);
    }
    for _ in 0..5 {
        sleep(Duration::from_secs(1)).await;
        for stream in &mut slow {
            // The server may have hung up, which is what it should do.
            let _ = stream.write_all(b"T").await;
        }
    }
    arena.get("/api/v1/namespaces").await?.expect(200)?;
    closed(slow, CLOSED_WITHIN).await
}

/// Bodies that stop in the middle.
async fn slow_bodies(arena: &Arena) -> Outcome {
    let mut slow = Vec::new();
    let head = arena.head("POST", "/api/v1/namespaces", "content-type: application/json\r\ncontent-length: 1000000\r\n");
    for _ in 0..arena.count(50, 190) {
        let mut stream = arena.connect("http/1.1").await?;
        stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
        stream.write_all(b"{\"a\":").await.map_err(|error| error.to_string())?;
        slow.push(stream);
    }
    let namespace = serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quick"}});
    arena.post("/api/v1/namespaces", &namespace).await?.expect(201)?;
    // The rest of the body is waited for twice: to be read, and to be thrown away.
    closed(slow, CLOSED_WITHIN + Duration::from_secs(6)).await
}

/// More silent connections than the server may have files: health checks are answered from the reserve.
async fn more_connections_than_files(arena: &Arena) -> Outcome {
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(arena.tcp().await?);
    }
    let started = Instant::now();
    for path in ["/livez", "/readyz", "/healthz"] {
        arena.get(path).await?.expect(200)?;
    }
    let health = started.elapsed();
    sleep(CLOSED_WITHIN).await;
    arena.get("/api/v1/namespaces").await?.expect(200)?;
    Ok(format!("health answered within {} ms while full", health.as_millis()))
}

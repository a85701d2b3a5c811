//! Clients that ask and do not read.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::frames::{PREFACE, get, window_of_nothing};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(lists_that_nobody_reads),
    case!(streams_without_window),
    case!(tables_that_nobody_reads),
    case!(compressed_lists_that_nobody_reads),
    case!(messages_that_nobody_reads),
    Case { arguments: &["--history-memory", "16Mi"], ..case!(watches_that_nobody_reads) },
    case!(a_stuck_watch_ends_in_time),
    case!(a_stuck_list_ends_in_time),
    case!(a_stop_waits_for_nobody_who_is_stuck),
    case!(slow_readers_get_everything),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
/// Megabytes that the case itself puts into the store, which are not the readers' doing.
const OBJECT: usize = 250_000;

/// Fills the store with about so many MB; no reader should add to that.
async fn fill(arena: &Arena, megabytes: usize) -> Result<(), String> {
    let mut client = arena.client().await?;
    for number in 0..megabytes * 4 {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")},
            "data": {"text": "x".repeat(OBJECT)},
        });
        client.ask("POST", MAPS, "application/json", object.to_string()).await?.expect(201)?;
    }
    Ok(())
}

async fn stuck(arena: &Arena, path: &str, more: &str) -> Result<TlsStream<TcpStream>, String> {
    let mut stream = arena.connect("http/1.1").await?;
    stream.write_all(arena.head("GET", path, more).as_bytes()).await.map_err(|error| error.to_string())?;
    Ok(stream)
}

/// Measures the memory that readers cost beyond the content of the store, in MB.
async fn cost(arena: &Arena, filled: f64, readers: usize) -> Outcome {
    let mut peak = 0.0_f64;
    for _ in 0..50 {
        peak = peak.max(arena.memory() - filled);
        sleep(Duration::from_millis(20)).await;
    }
    let text = format!("{readers} readers cost {peak:.1} MB");
    if peak > 100.0 { Err(text) } else { Ok(text) }
}

async fn lists_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena, arena.count(20, 50)).await?;
    unread_lists(arena, arena.count(20, 100), "").await
}

/// The cost of so many readers of the same list that read nothing, with these headers.
async fn unread_lists(arena: &Arena, readers: usize, headers: &str) -> Outcome {
    let filled = arena.memory();
    let mut streams = Vec::new();
    for _ in 0..readers {
        streams.push(stuck(arena, MAPS, headers).await?);
    }
    cost(arena, filled, readers).await
}

async fn streams_without_window(arena: &Arena) -> Outcome {
    fill(arena, arena.count(20, 50)).await?;
    let filled = arena.memory();
    let mut stream = arena.connect("h2").await?;
    let mut bytes = [PREFACE, &window_of_nothing()].concat();
    for number in 0..100 {
        bytes.extend(get(arena, number * 2 + 1, MAPS, &[]));
    }
    stream.write_all(&bytes).await.map_err(|error| error.to_string())?;
    cost(arena, filled, 100).await
}

async fn tables_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena, arena.count(10, 50)).await?;
    let filled = arena.memory();
    let mut streams = Vec::new();
    for include in ["Object", "Metadata", "None"] {
        for _ in 0..arena.count(4, 10) {
            streams.push(stuck(arena, &format!("{MAPS}?includeObject={include}"), &format!("accept: {TABLE}\r\n")).await?);
        }
    }
    streams.push(stuck(arena, MAPS, "accept: application/yaml\r\n").await?);
    streams.push(stuck(arena, &format!("{MAPS}?pretty=true"), "").await?);
    let readers = streams.len();
    cost(arena, filled, readers).await
}

async fn compressed_lists_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena, arena.count(10, 50)).await?;
    unread_lists(arena, arena.count(10, 50), "accept-encoding: gzip\r\n").await
}

async fn messages_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena, arena.count(10, 50)).await?;
    unread_lists(arena, arena.count(10, 50), "accept: application/vnd.kubernetes.protobuf\r\n").await
}

/// Watches of which some are tables, stuck, while a large object changes again and again.
async fn watches_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena, 1).await?;
    let mut streams = Vec::new();
    for number in 0..arena.count(20, 50) {
        let more = if number % 2 == 0 { format!("accept: {TABLE}\r\n") } else { String::new() };
        streams.push(stuck(arena, &format!("{MAPS}?watch=true&includeObject=Object"), &more).await?);
    }
    sleep(Duration::from_millis(200)).await;
    let filled = arena.memory();
    let mut client = arena.client().await?;
    for number in 0..arena.count(40, 200) {
        let patch = json!({"data": {"text": format!("{number}").repeat(200_000)}}).to_string();
        client.ask("PATCH", &format!("{MAPS}/m0"), "application/merge-patch+json", patch).await?.expect(200)?;
    }
    cost(arena, filled, streams.len()).await
}

/// The time until the server hangs up on a client that did not read.
async fn hung_up(mut stream: TlsStream<TcpStream>, started: Instant, at_most: Duration) -> Outcome {
    // Nothing is read until it is late; what is left in buffers is read then, and the end comes behind it.
    sleep(at_most.saturating_sub(started.elapsed())).await;
    let mut rest = Vec::new();
    let ended = timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await;
    match ended {
        Ok(_) if rest.len() < 30 << 20 => Ok(format!("cut after at most {at_most:?}, {} KiB were sent", rest.len() >> 10)),
        Ok(_) => Err(format!("everything was sent: {} bytes", rest.len())),
        Err(_) => Err(format!("it is still open after {at_most:?}")),
    }
}

async fn a_stuck_watch_ends_in_time(arena: &Arena) -> Outcome {
    fill(arena, 40).await?;
    let started = Instant::now();
    let stream = stuck(arena, &format!("{MAPS}?watch=true&timeoutSeconds=2"), "").await?;
    hung_up(stream, started, Duration::from_secs(5)).await
}

async fn a_stuck_list_ends_in_time(arena: &Arena) -> Outcome {
    fill(arena, 40).await?;
    let started = Instant::now();
    let stream = stuck(arena, MAPS, "connection: close\r\n").await?;
    hung_up(stream, started, Duration::from_secs(33)).await
}

async fn a_stop_waits_for_nobody_who_is_stuck(arena: &Arena) -> Outcome {
    fill(arena, 20).await?;
    let mut streams = Vec::new();
    for path in [MAPS.to_owned(), format!("{MAPS}?watch=true"), format!("{MAPS}?includeObject=Object")] {
        for more in ["", "accept-encoding: gzip\r\n", "accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n"] {
            streams.push(stuck(arena, &path, more).await?);
        }
    }
    let mut body = arena.connect("http/1.1").await?;
    let head = arena.head("POST", MAPS, "content-type: application/json\r\ncontent-length: 100\r\n");
    body.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
    streams.push(body);
    streams.push(arena.connect("h2").await?);
    let silent = arena.tcp().await?;
    sleep(Duration::from_millis(300)).await;
    let took = arena.stop(Duration::from_secs(4)).await?;
    drop((streams, silent));
    Ok(format!("stopped after {} ms", took.as_millis()))
}

/// A client that reads slowly, but reads, gets all of its list.
async fn slow_readers_get_everything(arena: &Arena) -> Outcome {
    fill(arena, 10).await?;
    let mut stream = stuck(arena, MAPS, "connection: close\r\n").await?;
    let mut text = Vec::new();
    let mut piece = vec![0; 256 << 10];
    loop {
        let read = timeout(Duration::from_secs(5), stream.read(&mut piece)).await.map_err(|_| "no more comes")?;
        match read {
            Ok(0) | Err(_) => break,
            Ok(read) => text.extend_from_slice(&piece[..read]),
        }
        sleep(Duration::from_millis(5)).await;
    }
    let objects = text.windows(8).filter(|window| window == b"\"text\":\"").count();
    if objects == 40 && text.ends_with(b"0\r\n\r\n") {
        Ok(format!("{} MB in pieces", text.len() >> 20))
    } else {
        Err(format!("{objects} objects in {} bytes", text.len()))
    }
}

//! Malformed HTTP/2 frames.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(rapid_reset),
    case!(headers_without_end),
    case!(pings_without_end),
    case!(settings_without_end),
    case!(frames_of_no_stream),
];

pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(super) const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS_TYPE: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Settings under which the server may send no byte of a body.
pub(super) fn window_of_nothing() -> Vec<u8> {
    window_of(0)
}

/// Settings under which the server may send so many bytes of each body.
pub(super) fn window_of(bytes: u32) -> Vec<u8> {
    let [a, b, c, d] = bytes.to_be_bytes();
    frame(SETTINGS_TYPE, 0, 0, &[0, 4, a, b, c, d])
}

/// A GET by the administrator, with headers written out and not compressed.
pub(super) fn get(arena: &Arena, stream: u32, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let authorization = format!("Bearer {}", arena.token);
    anonymous_get(stream, path, &[&[("authorization", authorization.as_str())], more].concat())
}

/// The same without credentials.
pub(super) fn anonymous_get(stream: u32, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    let usual = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", path)];
    for (name, value) in usual.iter().chain(more) {
        block.push(0);
        for text in [name, value] {
            let length = text.len();
            if length < 127 {
                block.push(u8::try_from(length).unwrap_or(0));
            } else {
                block.push(127);
                let mut rest = length - 127;
                while rest >= 128 {
                    block.push(u8::try_from(rest % 128).unwrap_or(0) | 128);
                    rest /= 128;
                }
                block.push(u8::try_from(rest).unwrap_or(0));
            }
            block.extend(text.as_bytes());
        }
    }
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &block)
}

async fn open(arena: &Arena) -> Result<TlsStream<TcpStream>, String> {
    let mut stream = arena.connect("h2").await?;
    stream.write_all(&[PREFACE, SETTINGS].concat()).await.map_err(|error| error.to_string())?;
    Ok(stream)
}

/// Sends until the server hangs up or everything is sent, reading beside; then others must be served.
async fn flood(arena: &Arena, frames: impl Iterator<Item = Vec<u8>>) -> Outcome {
    let stream = open(arena).await?;
    let (mut reading, mut writing) = tokio::io::split(stream);
    let reader = tokio::spawn(async move {
        let mut sink = vec![0; 64 << 10];
        while reading.read(&mut sink).await.is_ok_and(|read| read > 0) {}
    });
    let mut sent = 0;
    let mut hung_up = false;
    for frame in frames {
        match timeout(Duration::from_secs(20), writing.write_all(&frame)).await {
            Ok(Ok(())) => sent += 1,
            Ok(Err(_)) => {
                hung_up = true;
                break;
            }
            Err(_) => return Err("the server neither reads nor hangs up".into()),
        }
    }
    hung_up |= reader.is_finished();
    reader.abort();
    arena.get("/api/v1/namespaces").await?.expect(200)?;
    Ok(format!("{sent} frames, {}", if hung_up { "hung up on" } else { "survived" }))
}

async fn rapid_reset(arena: &Arena) -> Outcome {
    let streams = u32::try_from(arena.count(5_000, 100_000)).unwrap_or(0);
    let frames = (0..streams).map(|number| {
        let stream = number * 2 + 1;
        [get(arena, stream, "/api/v1/namespaces", &[]), frame(RESET, 0, stream, &[0, 0, 0, 8])].concat()
    });
    flood(arena, frames).await
}

async fn headers_without_end(arena: &Arena) -> Outcome {
    let count = arena.count(2_000, 50_000);
    let part = [&[0, 1, b'x', 127, 0x81, 0x3e][..], &[b'y'; 8192 - 128]].concat();
    let first = frame(HEADERS, END_STREAM, 1, &part[..0]);
    let rest = (0..count).map(move |_| frame(CONTINUATION, 0, 1, &part));
    flood(arena, [first].into_iter().chain(rest)).await
}

async fn pings_without_end(arena: &Arena) -> Outcome {
    let count = arena.count(20_000, 1_000_000);
    flood(arena, (0..count / 100).map(|_| frame(PING, 0, 0, &[0; 8]).repeat(100))).await
}

async fn settings_without_end(arena: &Arena) -> Outcome {
    let count = arena.count(20_000, 1_000_000);
    flood(arena, (0..count / 100).map(|_| frame(SETTINGS_TYPE, 0, 0, &[0, 1, 0, 0, 16, 0]).repeat(100))).await
}

async fn frames_of_no_stream(arena: &Arena) -> Outcome {
    let frames = (0..arena.count(1_000, 50_000)).map(|number| {
        let stream = u32::try_from(number).unwrap_or(0) * 2 + 1;
        match number % 3 {
            0 => frame(WINDOW_UPDATE, 0, stream, &[0x7f, 0xff, 0xff, 0xff]),
            1 => frame(0, 0, stream, &[0; 100]),
            _ => frame(RESET, 0, stream, &[0; 4]),
        }
    });
    flood(arena, frames).await
}

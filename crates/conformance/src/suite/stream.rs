//! Lines of an answer that goes on, such as that of a watch.

use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// The reasons why a stream ended early.
pub(super) enum Cut {
    /// The connection is gone.
    Connection(String),
    /// The server sent what it should not.
    Wrong(String),
}

/// Sends a request and passes each line of its answer to a function, until a time or the end of the connection. The response
/// head and the chunked coding are lines, too.
pub(super) async fn lines(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &str,
    until: Instant,
    mut read: impl FnMut(&str) -> Result<(), Cut>,
) -> Result<(), Cut> {
    let lost = |error: std::io::Error| Cut::Connection(error.to_string());
    stream.write_all(request.as_bytes()).await.map_err(lost)?;
    let mut text = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        match timeout(left, stream.read(&mut piece)).await {
            Err(_) | Ok(Ok(0)) => break,
            Ok(Ok(count)) => text.extend_from_slice(&piece[..count]),
            Ok(Err(error)) => return Err(lost(error)),
        }
        let Some(end) = text.iter().rposition(|byte| *byte == b'\n') else { continue };
        for line in String::from_utf8_lossy(&text[..end]).lines() {
            read(line)?;
        }
        text.drain(..=end);
    }
    Ok(())
}

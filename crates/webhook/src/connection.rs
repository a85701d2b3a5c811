//! Connections with webhooks.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::trust;

/// A connection that carries one request at a time.
pub(crate) type Connection = SendRequest<Full<Bytes>>;

/// Connects with an address. A certificate must be valid for the host.
pub(crate) async fn connect(address: &str, host: &str, tls: Option<Arc<ClientConfig>>) -> Result<Connection, String> {
    let stream = dial(address).await?;
    let Some(tls) = tls else { return handshake(TokioIo::new(stream)).await };
    let name = ServerName::try_from(host.to_owned()).map_err(|error| format!("tls: {error}"))?;
    match TlsConnector::from(tls).connect(name, stream).await {
        Ok(stream) => handshake(TokioIo::new(stream)).await,
        Err(error) => Err(tls_error(&error)),
    }
}

async fn handshake<S>(stream: TokioIo<S>) -> Result<Connection, String>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = http1::handshake(stream).await.map_err(|error| error.to_string())?;
    tokio::spawn(connection);
    Ok(sender)
}

// As Go's net.Dialer, which tries all addresses and tells the first error.
async fn dial(address: &str) -> Result<TcpStream, String> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let addresses =
        tokio::net::lookup_host(address).await.map_err(|_| format!("dial tcp: lookup {host}: no such host"))?;
    let mut first = None;
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Small requests must not wait for each other.
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                return Ok(stream);
            }
            Err(error) => {
                first.get_or_insert_with(|| format!("dial tcp {address}: connect: {}", io_text(&error)));
            }
        }
    }
    Err(first.unwrap_or_else(|| format!("dial tcp: lookup {host}: no such host")))
}

fn tls_error(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(inner) => trust::explain(inner),
        None if error.kind() == io::ErrorKind::UnexpectedEof => "EOF".to_owned(),
        None => io_text(error),
    }
}

/// An error of the system in Go's words.
pub(crate) fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionReset => "connection reset by peer".to_owned(),
        io::ErrorKind::BrokenPipe => "broken pipe".to_owned(),
        io::ErrorKind::NetworkUnreachable => "network is unreachable".to_owned(),
        io::ErrorKind::HostUnreachable => "no route to host".to_owned(),
        io::ErrorKind::AddrNotAvailable => "cannot assign requested address".to_owned(),
        io::ErrorKind::TimedOut => "connection timed out".to_owned(),
        _ => error.to_string(),
    }
}

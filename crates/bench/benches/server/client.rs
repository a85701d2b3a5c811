//! A client that costs little: one connection, one request at a time, HTTP/1.1 over TLS.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::Outcome;
use crate::process::Endpoint;

/// A connection to the server.
pub(crate) struct Client {
    stream: BufReader<StreamOwned<ClientConnection, TcpStream>>,
    token: String,
    body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(server: &Endpoint) -> Outcome<Client> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(server.authority.as_bytes()) {
            roots.add(certificate?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let tls = ClientConnection::new(Arc::new(config), ServerName::from(server.address.ip()))?;
        let tcp = TcpStream::connect(server.address)?;
        tcp.set_nodelay(true)?;
        let stream = BufReader::with_capacity(64 << 10, StreamOwned::new(tls, tcp));
        Ok(Client { stream, token: server.token.clone(), body: Vec::new() })
    }

    /// Sends a request and reads the whole answer; anything but success is an error.
    pub(crate) fn send(&mut self, method: &str, path: &str, content_type: Option<&str>, body: &[u8]) -> Outcome<&[u8]> {
        let length = self.exchange(method, path, content_type, body)?;
        self.body.resize(length.unwrap_or(0), 0);
        self.stream.read_exact(&mut self.body)?;
        // Long lists come in chunks, of which an empty one is the last.
        let mut body = std::mem::take(&mut self.body);
        while length.is_none() && self.chunk(&mut body)? > 0 {}
        self.body = body;
        Ok(&self.body)
    }

    /// Begins a watch.
    pub(crate) fn watch(&mut self, path: &str) -> Outcome<()> {
        let length = self.exchange("GET", &format!("{path}?watch=true"), None, b"")?;
        if length.is_some() { Err("a watch with a length".into()) } else { Ok(()) }
    }

    /// The next line of a watch.
    pub(crate) fn next_line(&mut self) -> Outcome<Vec<u8>> {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            self.chunk(&mut line)?;
        }
        Ok(line)
    }

    /// Appends the next chunk of an answer; returns its length.
    fn chunk(&mut self, body: &mut Vec<u8>) -> Outcome<usize> {
        let mut size = String::new();
        if self.stream.read_line(&mut size)? == 0 {
            return Err("the server closed the connection".into());
        }
        let size = usize::from_str_radix(size.trim(), 16)?;
        let start = body.len();
        body.resize(start + size, 0);
        self.stream.read_exact(&mut body[start..])?;
        self.stream.read_exact(&mut [0; 2])?;
        Ok(size)
    }

    /// Sends a request and reads the head of the answer; returns the length of the body, if it has one.
    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Outcome<Option<usize>> {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n",
            self.token,
            body.len()
        );
        if let Some(content_type) = content_type {
            request.push_str("Content-Type: ");
            request.push_str(content_type);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes)?;
        self.stream.get_mut().flush()?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let is_good = line.split(' ').nth(1).is_some_and(|code| code.starts_with('2'));
        let status = line.trim().to_owned();
        let mut length = None;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(value.trim().parse()?);
            }
        }
        if is_good {
            return Ok(length);
        }
        let mut why = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut why)?;
        Err(format!("{method} {path}: {status}: {}", String::from_utf8_lossy(&why)).into())
    }
}

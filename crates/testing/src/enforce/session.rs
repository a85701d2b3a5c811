//! Requests to one server, one after the other.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use http_body_util::BodyExt;
use sprag_rest::Definition;
use sprag_server::{InProcess, Server};
use sprag_value::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::remote::Remote;

/// Timeout of a server's answer.
const PATIENCE: Duration = Duration::from_mins(1);
const JSON: &str = "application/json";
pub(super) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(super) const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// A server that can be asked.
pub(super) struct Session<'s> {
    runtime: Rc<Runtime>,
    server: Endpoint<'s>,
    requests: Cell<usize>,
}

enum Endpoint<'s> {
    Started(InProcess),
    InProcess(&'s InProcess),
    Remote(Remote),
}

/// The answer of a server.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) code: u16,
    /// The object, list or status; null if it is no JSON.
    pub(super) body: Value,
}

/// An error of one field.
pub(super) struct Cause<'a> {
    pub(super) reason: &'a str,
    pub(super) field: &'a str,
    pub(super) message: &'a str,
}

impl Response {
    pub(super) fn is_ok(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The code with what the server said.
    pub(super) fn said(&self) -> String {
        let message = self.body.get("message").and_then(Value::as_str).unwrap_or_default();
        format!("{} {message}", self.code)
    }

    /// The errors of fields.
    pub(super) fn causes(&self) -> Vec<Cause<'_>> {
        let causes = self.body.lookup(&["details", "causes"]).and_then(Value::as_array);
        causes.map(|causes| causes.iter().map(Cause::of).collect()).unwrap_or_default()
    }
}

impl<'a> Cause<'a> {
    fn of(cause: &'a Value) -> Cause<'a> {
        let part = |name| cause.get(name).and_then(Value::as_str).unwrap_or_default();
        Cause { reason: part("reason"), field: part("field"), message: part("message") }
    }
}

impl<'s> Session<'s> {
    pub(super) fn runtime() -> Result<Rc<Runtime>, String> {
        Builder::new_current_thread().enable_all().build().map(Rc::new).map_err(|error| error.to_string())
    }

    pub(super) fn start(runtime: &Rc<Runtime>, server: Server) -> Result<Session<'s>, String> {
        let server = runtime.block_on(server.in_process()).map_err(|error| error.to_string())?;
        Ok(Session { runtime: runtime.clone(), server: Endpoint::Started(server), requests: Cell::default() })
    }

    pub(super) fn in_process(runtime: &Rc<Runtime>, server: &'s InProcess) -> Session<'s> {
        Session { runtime: runtime.clone(), server: Endpoint::InProcess(server), requests: Cell::default() }
    }

    pub(super) fn remote(runtime: &Rc<Runtime>, server: Remote) -> Session<'s> {
        Session { runtime: runtime.clone(), server: Endpoint::Remote(server), requests: Cell::default() }
    }

    /// Returns the definitions of the server, if it is in this process.
    pub(super) fn definitions(&self) -> Vec<Arc<Definition>> {
        match &self.server {
            Endpoint::Started(server) => server.registry().definitions(),
            Endpoint::InProcess(server) => server.registry().definitions(),
            Endpoint::Remote(_) => Vec::new(),
        }
    }

    /// Reports whether a feature is on, if the server is in this process.
    pub(super) fn enabled(&self, gate: &str) -> Option<bool> {
        match &self.server {
            Endpoint::Started(server) => Some(server.registry().gates().enabled(gate)),
            Endpoint::InProcess(server) => Some(server.registry().gates().enabled(gate)),
            Endpoint::Remote(_) => None,
        }
    }

    pub(super) fn get(&self, path: &str) -> Result<Response, String> {
        self.send("GET", path, JSON, Bytes::new())
    }

    pub(super) fn post(&self, path: &str, object: &Value) -> Result<Response, String> {
        self.send("POST", path, JSON, json::to_string(object).into())
    }

    pub(super) fn put(&self, path: &str, object: &Value) -> Result<Response, String> {
        self.send("PUT", path, JSON, json::to_string(object).into())
    }

    pub(super) fn patch(&self, path: &str, kind: &str, patch: &Value) -> Result<Response, String> {
        self.send("PATCH", path, kind, json::to_string(patch).into())
    }

    pub(super) fn delete(&self, path: &str) -> Result<Response, String> {
        self.send("DELETE", path, JSON, Bytes::new())
    }

    /// The object or document at a path, which has to be there.
    pub(super) fn read(&self, path: &str) -> Result<Value, String> {
        let answer = self.get(path)?;
        if answer.is_ok() { Ok(answer.body) } else { Err(format!("GET {path}: {}", answer.said())) }
    }

    /// Returns the number of requests made.
    pub(super) fn requests(&self) -> usize {
        self.requests.get()
    }

    fn send(&self, method: &str, path: &str, kind: &str, body: Bytes) -> Result<Response, String> {
        self.requests.set(self.requests.get() + 1);
        let request = Request::builder().method(method).uri(path).header(ACCEPT, JSON).header(CONTENT_TYPE, kind);
        let request = request.body(body).map_err(|error| format!("{method} {path}: {error}"))?;
        let answer = async {
            let (code, body) = match &self.server {
                Endpoint::Started(server) => collect(server.answer(request).await).await?,
                Endpoint::InProcess(server) => collect(server.answer(request).await).await?,
                Endpoint::Remote(server) => collect(server.send(request).await?).await?,
            };
            Ok(Response { code, body: json::parse(&body).unwrap_or_default() })
        };
        let answer = self.runtime.block_on(async { timeout(PATIENCE, answer).await });
        let answer: Result<Response, String> = answer.unwrap_or_else(|_| Err("no answer in time".to_owned()));
        answer.map_err(|error| format!("{method} {path}: {error}"))
    }
}

async fn collect<B>(answer: http::Response<B>) -> Result<(u16, Bytes), String>
where
    B: BodyExt<Error: std::fmt::Display>,
{
    let code = answer.status().as_u16();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
    Ok((code, body.to_bytes()))
}

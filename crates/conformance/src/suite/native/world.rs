//! A server in this process, over a store that holds what a case says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT, WARNING};
use http_body_util::BodyExt;
use sprag_rest::{Definition, GroupResource, Release, User, split_api_version};
use sprag_server::{Authentication, InProcess, Server};
use sprag_storage::{Key, ManualClock, Memory, Retention, Revision, Store, Write};
use sprag_testing::Sequence;
use sprag_value::{Value, json};
use tokio::runtime::Runtime;

/// Every request says so; it becomes the manager of fields.
const AGENT: &str = "conformance";

/// The token of the administrator who recorded the answers.
const TOKEN: &str = "oracle-token";

/// The time at which a server starts, that of the recording: 2026-11-16. Some tables show how long ago something was.
const START: Duration = Duration::from_hours(498_552);

/// A server and its store.
pub(in crate::suite) struct World<'r> {
    runtime: &'r Runtime,
    server: Arc<InProcess>,
    store: Arc<Memory>,
    clock: Arc<ManualClock>,
    /// The objects of the case, in the store.
    held: Vec<Held>,
    namespaces: BTreeSet<String>,
}

struct Held {
    key: Key,
    text: Bytes,
    revision: Revision,
}

/// A request.
#[derive(Clone, Debug, Default)]
pub(in crate::suite) struct Asked {
    pub(in crate::suite) method: String,
    pub(in crate::suite) path: String,
    pub(in crate::suite) content_type: Option<String>,
    pub(in crate::suite) accept: Option<String>,
    pub(in crate::suite) body: String,
}

/// An answer of ours.
#[derive(Clone, Debug)]
pub(in crate::suite) struct Reply {
    pub(in crate::suite) code: u16,
    /// Texts of the Warning headers.
    pub(in crate::suite) warnings: Vec<String>,
    pub(in crate::suite) content_type: String,
    pub(in crate::suite) body: Bytes,
}

impl Reply {
    /// The body as JSON; null if it is not JSON.
    pub(in crate::suite) fn json(&self) -> Value {
        json::parse(&self.body).unwrap_or_default()
    }
}

/// A kind that is served, in one version.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) definition: Arc<Definition>,
    pub(super) version: String,
}

impl Served {
    /// The path of all objects, of one (with a name), or of what is below it.
    pub(super) fn path(&self, namespace: &str, name: &str, subresource: &str) -> String {
        let GroupResource { group, resource } = &self.definition.resource;
        let mut path = match group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        };
        if self.definition.namespaced() && !namespace.is_empty() {
            let _ = write!(path, "/namespaces/{}", escaped(namespace));
        }
        for part in [resource.as_str(), name, subresource].into_iter().filter(|part| !part.is_empty()) {
            let _ = write!(path, "/{}", escaped(part));
        }
        path
    }
}

impl<'r> World<'r> {
    /// A fresh server.
    pub(super) fn new(runtime: &'r Runtime, release: Release) -> Result<World<'r>, String> {
        World::with(runtime, release, Ok)
    }

    /// The same with the default admission plug-ins, as `default-admission.json` was recorded.
    pub(in crate::suite) fn with_plugins(runtime: &'r Runtime, release: Release) -> Result<World<'r>, String> {
        World::with(runtime, release, |server| {
            server.admission_plugins(&[], &["ServiceAccount"]).map_err(|error| error.to_string())
        })
    }

    fn with(
        runtime: &'r Runtime,
        release: Release,
        finish: impl FnOnce(Server) -> Result<Server, String>,
    ) -> Result<World<'r>, String> {
        let clock = Arc::new(ManualClock::default());
        clock.advance(START);
        let store = Arc::new(Memory::with(Retention::default(), clock.clone()));
        // As the reference was recorded: nothing beside the server tidies up.
        let mut authentication = Authentication::default();
        let groups = vec!["system:masters".to_owned()];
        let admin = User { name: "admin".to_owned(), uid: "admin-uid".to_owned(), groups, extra: Vec::new() };
        authentication.static_tokens.push((TOKEN.to_owned(), admin));
        // Cases that ask for a port of nodes fail when it was given to another service by chance.
        let server = Server::new(store.clone()).gates(sprag_server::gates_of(release));
        let server = server.clock(clock.clone()).entropy(Arc::new(Sequence::default()));
        let server = finish(server.controllers(false).authentication(authentication))?.in_process();
        let server = Arc::new(runtime.block_on(server).map_err(|error| format!("no server: {error}"))?);
        Ok(World { runtime, server, store, clock, held: Vec::new(), namespaces: BTreeSet::new() })
    }

    /// The kind, if it is served.
    pub(super) fn served(&self, api_version: &str, kind: &str) -> Option<Served> {
        let (group, version) = split_api_version(api_version);
        let definitions = self.server.registry().definitions();
        let definition = definitions.into_iter().find(|definition| {
            definition.kind == kind
                && definition.group() == group
                && definition.version(version).is_some_and(|version| version.served)
        })?;
        Some(Served { definition, version: version.to_owned() })
    }

    /// The kind of a resource, if it is served.
    pub(super) fn kind_of(&self, api_version: &str, plural: &str) -> Option<String> {
        let (group, version) = split_api_version(api_version);
        let definition = self.server.registry().definition(&GroupResource::new(group, plural))?;
        definition.version(version).filter(|version| version.served)?;
        Some(definition.kind.clone())
    }

    /// Lets time pass.
    pub(super) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Creates a namespace that a case names, if it is a valid one.
    pub(in crate::suite) fn ensure_namespace(&mut self, name: &str) {
        if !name.is_empty() && self.namespaces.insert(name.to_owned()) {
            // An invalid name is refused, as the reference does.
            let _ = self.runtime.block_on(self.server.registry().ensure_namespace(name));
        }
    }

    /// Makes the store hold these objects, and none of those it held for other cases.
    pub(super) fn hold(&mut self, objects: &[(&Served, &str)]) -> Result<(), String> {
        let mut wanted = Vec::new();
        for (served, text) in objects {
            let object = json::parse(text.as_bytes()).map_err(|error| format!("stored object: {error}"))?;
            let namespace = meta(&object, "namespace");
            let name = meta(&object, "name");
            let GroupResource { group, resource } = served.definition.place();
            let key = if served.definition.namespaced() {
                self.ensure_namespace(namespace);
                Key::namespaced(group, resource, namespace, name)
            } else {
                Key::cluster(group, resource, name)
            };
            wanted.push((key.map_err(|error| format!("stored object: {error}"))?, *text));
        }
        for old in std::mem::take(&mut self.held) {
            if wanted.iter().any(|(key, text)| *key == old.key && text.as_bytes() == old.text) {
                self.held.push(old);
            } else {
                self.write(Write::delete(old.key, old.revision))?;
            }
        }
        for (key, text) in wanted {
            if !self.held.iter().any(|held| held.key == key) {
                let text = Bytes::copy_from_slice(text.as_bytes());
                let revision = self.put(&key, &text)?;
                self.held.push(Held { key, text, revision });
            }
        }
        Ok(())
    }

    /// The resource version of the first object that the store holds for the case.
    pub(super) fn live_version(&self) -> String {
        self.held.first().map(|held| held.revision.to_string()).unwrap_or_default()
    }

    fn put(&self, key: &Key, text: &Bytes) -> Result<Revision, String> {
        let found = self.store.get(key).wait().map_err(|error| error.to_string())?;
        self.write(match found.entry {
            Some(entry) => Write::update(key.clone(), entry.revision, text.clone()),
            None => Write::create(key.clone(), text.clone()),
        })
    }

    fn write(&self, write: Write) -> Result<Revision, String> {
        self.store.write(write).wait().map(|event| event.revision).map_err(|error| format!("the store: {error}"))
    }

    /// Sends a request and reads its whole answer.
    pub(in crate::suite) fn send(&self, asked: &Asked) -> Result<Reply, String> {
        self.runtime.block_on(send(&self.server, asked))
    }

    /// Sends requests side by side: watches and waits take their time only once.
    pub(super) fn send_all(&self, asked: Vec<Asked>) -> Vec<Result<Reply, String>> {
        self.runtime.block_on(async {
            let tasks: Vec<_> = asked
                .into_iter()
                .map(|asked| {
                    let server = self.server.clone();
                    tokio::spawn(async move { send(&server, &asked).await })
                })
                .collect();
            let mut replies = Vec::new();
            for task in tasks {
                replies.push(task.await.map_err(|error| error.to_string()).and_then(|reply| reply));
            }
            replies
        })
    }

    /// Sends a request and does not wait for the events of a watch.
    pub(super) fn send_head(&self, asked: &Asked) -> Result<Reply, String> {
        self.runtime.block_on(async {
            let answer = self.server.answer(request(asked)?).await;
            Ok(head_of(&answer, Bytes::new()))
        })
    }
}

async fn send(server: &InProcess, asked: &Asked) -> Result<Reply, String> {
    let answer = server.answer(request(asked)?).await;
    let reply = head_of(&answer, Bytes::new());
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
    Ok(Reply { body: body.to_bytes(), ..reply })
}

fn request(asked: &Asked) -> Result<Request<Bytes>, String> {
    let request =
        Request::builder().method(asked.method.as_str()).uri(asked.path.as_str()).header(USER_AGENT, AGENT);
    let mut request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
    for (name, value) in [(CONTENT_TYPE, &asked.content_type), (ACCEPT, &asked.accept)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    let body = Bytes::copy_from_slice(asked.body.as_bytes());
    request.body(body).map_err(|error| format!("{} {}: {error}", asked.method, asked.path))
}

fn head_of<B>(answer: &http::Response<B>, body: Bytes) -> Reply {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers();
    Reply {
        code: answer.status().as_u16(),
        warnings: headers.get_all(WARNING).iter().map(|value| warning(&text(value))).collect(),
        content_type: headers.get(CONTENT_TYPE).map(text).unwrap_or_default(),
        body,
    }
}

/// The text of a Warning header: `299 - "…"`.
pub(super) fn warning(header: &str) -> String {
    let quoted = header.strip_prefix("299 - \"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(header);
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

/// A text of an object's metadata.
pub(super) fn meta<'v>(object: &'v Value, name: &str) -> &'v str {
    object.lookup(&["metadata", name]).and_then(Value::as_str).unwrap_or_default()
}

/// A part of a path as it is sent.
pub(super) fn escaped(part: &str) -> String {
    let mut text = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => text.push(char::from(byte)),
            _ => _ = write!(text, "%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_unescaped() {
        assert_eq!(warning(r#"299 - "unknown field \"a\\b\"""#), r#"unknown field "a\b""#);
    }

    #[test]
    fn paths_are_escaped() {
        assert_eq!(escaped("system:a b/é"), "system:a%20b%2F%C3%A9");
    }
}

//! A client in this process, and a folder that it has open.

#![expect(clippy::needless_pass_by_value, reason = "parameters are made where they are sent")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sprag_analysis::NewPolicyEngine;
use sprag_language_server::{Connection, Host, Problem, ServerError, Settings, serve};

/// The longest wait for a message.
const PATIENCE: Duration = Duration::from_mins(2);

/// A folder that is removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("sprag-editor-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().canonicalize().unwrap().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.0.join(name).display())
    }

    /// Makes a repository and commits all there is; false where git is absent.
    pub(crate) fn commit(&self) -> bool {
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.current_dir(&self.0).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
            command.output().is_ok_and(|output| output.status.success())
        };
        git(&["init", "-q"]) && git(&["add", "-A"]) && git(&["commit", "-q", "--no-gpg-sign", "-m", "all"])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Settings that nobody changed.
struct Plain;

impl Host for Plain {
    fn settings(&self, _: &Path) -> Result<Settings, Problem> {
        Ok(Settings::default())
    }

    fn check(&self, _: &Path, _: &str) -> Option<Problem> {
        None
    }

    fn policy_engine(&self) -> Option<NewPolicyEngine> {
        None
    }
}

/// A client that has a folder open.
pub(crate) struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Result<(), ServerError>>>,
    count: i32,
    versions: HashMap<String, i32>,
    /// The last diagnostics of each text.
    published: HashMap<String, Value>,
}

impl Client {
    /// Starts a server over a folder, as a client that knows snippets and does not watch files.
    pub(crate) fn start(folder: &Folder) -> Client {
        let (server, client) = Connection::memory();
        let server = thread::spawn(move || serve(&server, Arc::new(Plain)));
        let mut client = Client {
            connection: Some(client),
            server: Some(server),
            count: 0,
            versions: HashMap::new(),
            published: HashMap::new(),
        };
        let root = format!("file://{}", folder.path().display());
        let capabilities = json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
        let folders = json!([{"uri": root, "name": "a"}]);
        client.request(
            "initialize",
            json!({"processId": null, "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities}),
        );
        client.notify("initialized", json!({}));
        client
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().unwrap()
    }

    fn send(&self, message: Value) {
        self.connection().sender.send(serde_json::from_value(message).unwrap()).unwrap();
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    /// Takes the next message; its answer, if it is one to this request.
    fn take(&mut self, wanted: Option<i32>) -> Option<Value> {
        let message = self.connection().receiver.recv_timeout(PATIENCE).expect("no message comes");
        let message = serde_json::to_value(message).unwrap();
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = message["params"].clone();
            self.published.insert(params["uri"].as_str().unwrap().to_owned(), params);
        }
        let is_answer = message.get("method").is_none() && wanted.is_some_and(|id| message["id"] == id);
        is_answer.then_some(message)
    }

    /// The answer to a request.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let id = self.count;
        self.send(json!({"id": id, "method": method, "params": params}));
        loop {
            if let Some(answer) = self.take(Some(id)) {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].clone();
            }
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.versions.insert(uri.to_owned(), 1);
        let language = if uri.contains("types.go") { "go" } else { "yaml" };
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}),
        );
    }

    /// Sends edits of ranges, each as `[first line, first character, last line, last character, text]`.
    pub(crate) fn edit(&mut self, uri: &str, changes: Value) {
        let version = self.versions.get_mut(uri).unwrap();
        *version += 1;
        let version = *version;
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}),
        );
    }

    pub(crate) fn replace(&mut self, uri: &str, text: &str) {
        self.edit(uri, json!([{"text": text}]));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// Waits for the diagnostics of the latest text, and returns how long that took.
    pub(crate) fn wait(&mut self, uri: &str) -> Duration {
        let started = Instant::now();
        let version = self.versions[uri];
        while self.published.get(uri).is_none_or(|params| params["version"] != version) {
            self.take(None);
        }
        started.elapsed()
    }

    /// Waits until all texts are checked.
    pub(crate) fn settle(&mut self, uri: &str) {
        let zero = json!({"line": 0, "character": 0});
        self.request(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": uri}, "range": {"start": zero, "end": zero}, "context": {"diagnostics": []}}),
        );
    }

    /// The diagnostics of the latest text.
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        self.wait(uri);
        self.settle(uri);
        self.published[uri]["diagnostics"].as_array().unwrap().clone()
    }

    /// The same as `line:character-line:character severity message`, counted from 0.
    pub(crate) fn shown(&mut self, uri: &str) -> Vec<String> {
        self.diagnostics(uri).iter().map(shown).collect()
    }

    pub(crate) fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        self.request(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Says goodbye.
    pub(crate) fn stop(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join().unwrap().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server ends with the connection.
        self.connection.take();
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

fn shown(diagnostic: &Value) -> String {
    let place = |end: &str| {
        let position = &diagnostic["range"][end];
        format!("{}:{}", position["line"], position["character"])
    };
    let severity = ["", "error", "warning", "information", "hint"]
        [usize::try_from(diagnostic["severity"].as_u64().unwrap()).unwrap()];
    format!("{}-{} {severity} {}", place("start"), place("end"), diagnostic["message"].as_str().unwrap())
}

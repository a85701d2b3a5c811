//! The same objects over HTTP: the responses in every version and with every setting of the gates.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt as _;
use sprag_rest::DEFAULT_NAMESPACE;
use sprag_server::{InProcess, Server};
use sprag_storage::Memory;
use sprag_value::{Value, json};

use super::Migration;
use super::equivalence::{in_version, parse};
use super::judge::{Bench, Setting};

impl Migration {
    /// Sends an object to a server, as a dry run, and checks that the answer has exactly the errors that the object has in process: in
    /// every version, with every setting of the gates.
    ///
    /// An old object is stored first, so it has to be valid.
    ///
    /// # Panics
    ///
    /// If an answer differs.
    #[track_caller]
    pub fn assert_equivalent_over_http(&self, new: &str, old: Option<&str>) {
        let new = parse(new);
        let old = old.map(parse);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
        for setting in Setting::ALL {
            for features in self.features() {
                let problems = runtime.block_on(self.compare_over_http(setting, *features, &new, old.as_ref()));
                assert!(problems.is_empty(), "{}: {}", setting.name(), problems.join("\n"));
            }
        }
    }

    async fn compare_over_http(
        &self,
        setting: Setting,
        features: bool,
        new: &Value,
        old: Option<&Value>,
    ) -> Vec<String> {
        let gates = || setting.gates(&self.gates, features);
        let bench = Bench::new(&self.definition, gates());
        let server = Server::new(Arc::new(Memory::new())).gates(gates()).resource(self.definition.clone());
        let server = server.in_process().await.unwrap_or_else(|error| panic!("the server does not start: {error}"));
        let mut problems = Vec::new();
        for (version, _) in self.versions() {
            let new = in_version(&self.definition, new, version);
            let old = old.map(|old| in_version(&self.definition, old, version));
            let expected = bench.judge(version, "", &new, old.as_ref());
            let mut expected: Vec<String> = expected.enforced.iter().map(ToString::to_string).collect();
            let mut said = self.send(&server, version, new, old.as_ref()).await;
            expected.sort();
            said.sort();
            if said != expected {
                problems.push(format!("{version}: in process {expected:?}, over HTTP {said:?}"));
            }
        }
        problems
    }

    /// The errors in the answer to a write.
    async fn send(&self, server: &InProcess, version: &str, mut new: Value, old: Option<&Value>) -> Vec<String> {
        let group = self.definition.group();
        let plural = &self.definition.resource.resource;
        let scope =
            if self.definition.namespaced() { format!("namespaces/{DEFAULT_NAMESPACE}/") } else { String::new() };
        let collection = format!("/apis/{group}/{version}/{scope}{plural}");
        let name = sprag_rest::meta::name(&new).to_owned();
        let Some(old) = old else {
            let (status, answer) = request(server, "POST", &format!("{collection}?dryRun=All"), &new).await;
            return errors(status, &answer);
        };
        let (status, stored) = request(server, "POST", &collection, old).await;
        if status >= 300 {
            return vec![format!("the old object is refused: {}", json::to_string(&stored))];
        }
        let revision = stored.lookup(&["metadata", "resourceVersion"]).cloned().unwrap_or_default();
        if let Some(metadata) = new.get_mut("metadata") {
            metadata.insert("resourceVersion", revision);
        }
        let (status, answer) = request(server, "PUT", &format!("{collection}/{name}?dryRun=All"), &new).await;
        request(server, "DELETE", &format!("{collection}/{name}"), &Value::object()).await;
        errors(status, &answer)
    }
}

async fn request(server: &InProcess, method: &str, uri: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(uri).header("content-type", "application/json");
    let request = request.body(Bytes::from(json::to_string(body))).unwrap_or_else(|error| panic!("{uri}: {error}"));
    let answer = server.answer(request).await;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    (status, json::parse(&body).unwrap_or_default())
}

/// The causes of a refusal as texts of errors.
fn errors(status: u16, answer: &Value) -> Vec<String> {
    if status < 300 {
        return Vec::new();
    }
    let causes = answer.lookup(&["details", "causes"]).and_then(Value::as_array);
    let Some(causes) = causes else { return vec![json::to_string(answer)] };
    let text = |cause: &Value, key: &str| cause.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    causes.as_slice().iter().map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message"))).collect()
}

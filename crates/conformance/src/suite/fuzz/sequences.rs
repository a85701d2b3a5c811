//! Sequences of requests to a whole server without sockets: mostly valid objects, in every form of body, and what clients
//! do with them next.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use sprag_decode::yaml;
use sprag_rest::Definition;
use sprag_server::{InProcess, Server};
use sprag_storage::Memory;
use sprag_value::{Value, json};

use super::grammar;
use super::readers::Outcome;
use super::source::Source;

/// The number of requests in a sequence.
const REQUESTS: usize = 30;
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DOCUMENTS: [&str; 8] = ["/api", "/apis", "/openapi/v2", "/openapi/v3", "/version", "/metrics", "/readyz?verbose", "/"];

/// Kinds that random values of their types are valid of.
const SIMPLE: [&str; 6] = ["clusterroles", "configmaps", "leases", "roles", "secrets", "serviceaccounts"];

/// A server and what its objects are like.
struct World<'s> {
    server: InProcess,
    source: &'s mut Source,
    kinds: Vec<Arc<Definition>>,
    /// The schema of what is below `spec` of the custom resources.
    spec: Value,
    accepted: usize,
}

/// The answer.
struct Answered {
    code: u16,
    body: Value,
}

pub(super) fn requests(source: &mut Source) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let server = Server::new(Arc::new(Memory::new())).in_process().await.map_err(|error| error.to_string())?;
        let kinds = server.registry().definitions();
        let spec = grammar::schema(source, 3);
        let mut world = World { server, source, kinds, spec, accepted: 0 };
        world.define().await?;
        for _ in 0..REQUESTS {
            world.request().await?;
        }
        Ok(world.accepted * 2 > REQUESTS)
    })
}

impl World<'_> {
    async fn define(&mut self) -> Result<(), String> {
        for number in 0..2 {
            let definition = grammar::definition(self.source, number, &self.spec.clone());
            self.send("POST", DEFINITIONS, "application/json", json::to_string(&definition).into_bytes()).await?;
        }
        Ok(())
    }

    async fn request(&mut self) -> Result<(), String> {
        let (collection, object) = self.object();
        let name = object.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().to_owned();
        let place = format!("{collection}/{}", escaped(&name));
        match self.source.below(12) {
            0..4 => {
                let (content, body) = self.body(&object);
                let created = self.send("POST", &collection, content, body).await?;
                if created.code == 201 {
                    self.read_back(&place, &created.body).await?;
                }
            }
            4 => {
                let (content, body) = self.body(&object);
                self.send("PUT", &place, content, body).await?;
            }
            5 => {
                let patch = json::to_string(&grammar::json_patch(self.source, &object));
                self.send("PATCH", &place, "application/json-patch+json", patch.into_bytes()).await?;
            }
            6 => {
                let content = *self.source.pick(&["application/merge-patch+json", "application/strategic-merge-patch+json"]);
                let patch = json::to_string(&grammar::part(self.source, &object));
                self.send("PATCH", &place, content, patch.into_bytes()).await?;
            }
            7 => {
                let force = if self.source.chance(50) { "&force=true" } else { "" };
                let path = format!("{place}?fieldManager=fuzz-{}{force}", self.source.below(3));
                let applied = yaml::to_string(&object);
                self.send("PATCH", &path, "application/apply-patch+yaml", applied.into_bytes()).await?;
            }
            8 => drop(self.send("DELETE", &place, "application/json", Vec::new()).await?),
            9 => {
                let query = self.query();
                self.send("GET", &format!("{collection}{query}"), "", Vec::new()).await?;
            }
            10 => drop(self.send("GET", &place, "", Vec::new()).await?),
            _ => {
                let path = *self.source.pick(&DOCUMENTS);
                self.send("GET", path, "", Vec::new()).await?;
            }
        }
        Ok(())
    }

    /// A collection and an object for it.
    fn object(&mut self) -> (String, Value) {
        let name = self.source.name();
        if self.source.chance(50) {
            let number = self.source.below(2);
            let spec = grammar::instance(self.source, &self.spec.clone(), 5);
            let mut object = Value::object();
            object.insert("apiVersion", "example.com/v1");
            object.insert("kind", format!("Kind{number}"));
            object.insert("metadata", grammar::metadata(self.source, &name));
            object.insert("spec", spec);
            return (format!("/apis/example.com/v1/namespaces/default/kind{number}s"), object);
        }
        let is_simple = |definition: &&Arc<Definition>| SIMPLE.contains(&definition.resource.resource.as_str());
        let is_wanted = self.source.chance(70);
        let kinds: Vec<_> = self.kinds.iter().filter(|definition| !is_wanted || is_simple(definition)).collect();
        let definition = (*self.source.pick(&kinds)).clone();
        let version = definition.storage_version.clone();
        let object = grammar::object(self.source, &definition, &version, &name);
        let group = definition.group();
        let resource = &definition.resource.resource;
        let top = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let namespace = if definition.namespaced() { "/namespaces/default" } else { "" };
        (format!("{top}{namespace}/{resource}"), object)
    }

    /// The object in one of the forms that bodies have, damaged now and then.
    fn body(&mut self, object: &Value) -> (&'static str, Vec<u8>) {
        let (content, text) = match self.source.below(3) {
            0 => ("application/yaml", yaml::to_string(object)),
            _ => ("application/json", json::to_string(object)),
        };
        let content = if self.source.chance(2) { "application/vnd.kubernetes.protobuf" } else { content };
        let body = if self.source.chance(5) { self.source.damage(text.as_bytes()) } else { text.into_bytes() };
        (content, body)
    }

    /// Parameters of a list.
    fn query(&mut self) -> String {
        let word = escaped(&self.source.word());
        match self.source.below(8) {
            0 => format!("?labelSelector=a+in+({word},b),!c"),
            1 => format!("?fieldSelector=metadata.name%3D{word}"),
            2 => format!("?limit={}", self.source.below(3)),
            3 => format!("?continue={word}"),
            4 => format!("?resourceVersion={word}&resourceVersionMatch=Exact"),
            5 => "?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan".to_owned(),
            _ => String::new(),
        }
    }

    /// Checks that the created object can be read, under its name and at its version.
    async fn read_back(&mut self, place: &str, created: &Value) -> Result<(), String> {
        let found = self.send("GET", place, "", Vec::new()).await?;
        // Objects of some kinds are answers only; a name may have been made up by the server.
        if found.code == 200 && found.body != *created {
            let found = json::to_string(&found.body);
            let created = json::to_string(created);
            return Err(format!("{place} was created as {created} and is {found}"));
        }
        Ok(())
    }

    async fn send(&mut self, method: &str, path: &str, content: &str, body: Vec<u8>) -> Result<Answered, String> {
        let shown = String::from_utf8_lossy(&body).into_owned();
        let mut request = Request::builder().method(method).uri(path);
        if !content.is_empty() {
            request = request.header("content-type", content);
        }
        // A request with an invalid URI is never sent.
        let Ok(request) = request.body(Bytes::from(body)) else { return Ok(Answered { code: 0, body: Value::Null }) };
        let answer: Response<_> = Box::pin(self.server.answer(request)).await;
        let code = answer.status().as_u16();
        let is_json = answer.headers().get("content-type").is_some_and(|ty| ty.as_bytes().starts_with(b"application/json"));
        let is_watch = path.contains("watch=true");
        let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
        let body = body.to_bytes();
        let problem = |what: &str| {
            let body = String::from_utf8_lossy(&body[..body.len().min(2000)]).into_owned();
            Err(format!("{method} {path} with {content} {shown:?}: {what}: {code} {body}"))
        };
        // As upstream's BindingREST.Create: its errors are an aggregate, which is no Status of its own.
        let is_upstreams = path.ends_with("/bindings") && method == "POST";
        if code >= 500 && !is_upstreams {
            return problem("a server error");
        }
        let parsed = match json::parse(&body) {
            Ok(parsed) => parsed,
            Err(_) if is_json && !is_watch && !body.is_empty() => return problem("no JSON"),
            Err(_) => Value::Null,
        };
        if code >= 400 && is_json && parsed.get("kind").and_then(Value::as_str) != Some("Status") {
            return problem("no Status");
        }
        self.accepted += usize::from(code < 300);
        Ok(Answered { code, body: parsed })
    }
}

/// The text as part of a path.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

//! The server under test, and who asks it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use sprag_server::{Running, ServeArgs};
use sprag_storage::testing::Scratch;
use sprag_value::{Value, json};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::stub::Stub;
use super::wire::{Request, Setup};
use crate::recorded::Document;
use crate::suite::access::forge::SIGNING_KEY;
use crate::suite::http::client::{Client, Credentials, Endpoint, Received};

/// The longest time until a new definition is served.
const MAX_POLL: Duration = Duration::from_secs(15);
/// The time between two attempts.
const POLL: Duration = Duration::from_millis(20);

/// The flags of the recorded server that decide about answers.
const FLAGS: [&str; 8] = [
    "--advertise-address=10.9.9.9",
    "--listen=127.0.0.1:0",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-signing-key-file=DIR/signing-key.pem",
    "--token-auth-file=DIR/tokens.csv",
    "--disable-admission-plugins=ServiceAccount",
    "--storage=memory",
    "--no-controllers",
];

/// A server with everything that `setup.json` creates.
pub(super) struct Site {
    server: Running,
    url: String,
    ca: String,
    /// The webhooks.
    pub(super) stub: Stub,
    /// The plural name and whether it is namespaced, by API version and kind.
    resources: Mutex<BTreeMap<(String, String), (String, bool)>>,
    _folder: Scratch,
}

impl Site {
    /// Starts a server for a file, and prepares it.
    pub(super) async fn start(recorded: &Path, file: &str, stub: Stub) -> Result<Site, String> {
        let setup: Setup = Document::open(&recorded.join("setup.json"))?.read()?;
        let with_rbac = file == "validating-policies-rbac";
        let folder = Scratch::new("admission").map_err(|error| error.to_string())?;
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).map_err(|error| format!("{name}: {error}"))
        };
        write("signing-key.pem", SIGNING_KEY)?;
        write("tokens.csv", &tokens(&setup))?;
        let path = folder.path().display().to_string();
        let mut flags = vec!["serve".to_owned(), format!("--data-dir={path}/data")];
        flags.extend(FLAGS.map(|flag| flag.replace("DIR", &path)));
        flags.push(format!("--authorization-mode={}", if with_rbac { "RBAC" } else { "AlwaysAllow" }));
        let args = ServeArgs::try_parse_from(flags).map_err(|error| error.to_string())?;
        let server = args.start(|server| server).await.map_err(|error| format!("no server: {error}"))?;
        let url = format!("https://{}", server.address());
        let ca = server.ca().to_owned();
        let site = Site { server, url, ca, stub, resources: Mutex::default(), _folder: folder };
        let mut admin = site.client("admin")?;
        // The file about conversion brings its own definitions.
        let objects = setup.objects.iter().filter(|_| file != "conversion");
        for object in objects.chain(setup.rbac_objects.iter().filter(|_| with_rbac)) {
            site.create(&mut admin, object).await?;
        }
        Ok(site)
    }

    pub(super) async fn stop(self) {
        self.server.shutdown().await;
    }

    /// A client of one of the identities.
    pub(super) fn client(&self, name: &str) -> Result<Client, String> {
        let credentials = Credentials::of_token(&token(name));
        Ok(Client::new(Arc::new(Endpoint::new(&self.url, self.ca.as_bytes(), &credentials)?)))
    }

    /// Prepares a case: an object to create, or a request to send as it is.
    pub(super) async fn prepare(&self, admin: &mut Client, item: &Value) -> Result<(), String> {
        match item.get("request") {
            None => self.create(admin, item).await,
            Some(request) => {
                let text = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
                let request = Request {
                    method: text("method").unwrap_or_default(),
                    path: text("path").unwrap_or_default(),
                    body: request.get("body").cloned(),
                    content_type: text("contentType"),
                };
                succeeded(&request.path, &send(admin, &request).await?)
            }
        }
    }

    /// Creates an object; a definition is served when this returns.
    async fn create(&self, admin: &mut Client, object: &Value) -> Result<(), String> {
        let path = self.collection(admin, object).await?;
        let body = Some(object.clone());
        let request = Request { method: "POST".to_owned(), path: path.clone(), body, content_type: None };
        succeeded(&path, &send(admin, &request).await?)?;
        if object.get("kind").and_then(Value::as_str) != Some("CustomResourceDefinition") {
            return Ok(());
        }
        let path = format!("{path}/{}", text(object, &["metadata", "name"]));
        let started = Instant::now();
        loop {
            let answer = admin.get(&path).await?;
            if String::from_utf8_lossy(&answer.body).contains(r#""type":"Established""#) {
                return Ok(());
            }
            if started.elapsed() > MAX_POLL {
                return Err(format!("{path} is not established"));
            }
            sleep(POLL).await;
        }
    }

    /// The path of the collection that an object belongs to.
    async fn collection(&self, admin: &mut Client, object: &Value) -> Result<String, String> {
        let api = text(object, &["apiVersion"]);
        let kind = text(object, &["kind"]);
        let root = if api.contains('/') { format!("/apis/{api}") } else { format!("/api/{api}") };
        let key = (api.to_owned(), kind.to_owned());
        let mut resources = self.resources.lock().await;
        if !resources.contains_key(&key) {
            let answer = admin.get(&root).await?;
            let list = json::parse(&answer.body).map_err(|error| format!("{root}: {error}"))?;
            for resource in list.get("resources").and_then(Value::as_array).into_iter().flatten() {
                let name = text(resource, &["name"]);
                let kind = text(resource, &["kind"]);
                if !name.contains('/') {
                    let namespaced = resource.get("namespaced").and_then(Value::as_bool) == Some(true);
                    resources.insert((api.to_owned(), kind.to_owned()), (name.to_owned(), namespaced));
                }
            }
        }
        let (name, namespaced) = resources.get(&key).ok_or_else(|| format!("{api} {kind} is not served"))?;
        if !namespaced {
            return Ok(format!("{root}/{name}"));
        }
        let namespace = text(object, &["metadata", "namespace"]);
        let namespace = if namespace.is_empty() { "default" } else { namespace };
        Ok(format!("{root}/namespaces/{namespace}/{name}"))
    }
}

/// Sends a request.
pub(super) async fn send(client: &mut Client, request: &Request) -> Result<Received, String> {
    let body = request.body.as_ref().map(json::to_string_plain);
    let content_type = request.content_type.as_deref().unwrap_or("application/json");
    let headers = body.iter().map(|_| ("Content-Type", content_type));
    client.send(&request.method, &request.path, headers, body.clone().unwrap_or_default()).await
}

/// The token file.
fn tokens(setup: &Setup) -> String {
    let mut lines = String::new();
    for identity in &setup.identities {
        let _ = write!(lines, "{},{},{}", token(&identity.name), identity.user, identity.uid);
        if !identity.groups.is_empty() {
            let _ = write!(lines, ",\"{}\"", identity.groups.join(","));
        }
        lines.push('\n');
    }
    lines
}

fn token(name: &str) -> String {
    format!("tok-{name}")
}

fn succeeded(path: &str, answer: &Received) -> Result<(), String> {
    if (200..300).contains(&answer.code) {
        return Ok(());
    }
    Err(format!("setup: {path}: {}: {}", answer.code, String::from_utf8_lossy(&answer.body)))
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

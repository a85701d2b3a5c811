//! The server under test, and who asks it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use sprag_server::{Running, ServeArgs};
use sprag_storage::testing::Scratch;
use sprag_value::json;
use tokio::time::{Instant, sleep};

use super::forge::SIGNING_KEY;
use super::identities::Identities;
use super::wire::{As, Identity, Request, SetupStep};
use crate::recorded::Document;
use crate::suite::http::client::{Client, Credentials, Endpoint, Received};

/// The longest time that an answer is waited for that comes after others.
pub(super) const MAX_POLL: Duration = Duration::from_secs(15);
/// The time between two attempts.
pub(super) const POLL: Duration = Duration::from_millis(20);

/// The flags of the recorded server that decide about answers.
const FLAGS: [&str; 15] = [
    "--advertise-address=10.9.9.9",
    "--listen=127.0.0.1:0",
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-signing-key-file=DIR/signing-key.pem",
    "--client-ca-file=DIR/client-ca.pem",
    "--token-auth-file=DIR/tokens.csv",
    "--requestheader-client-ca-file=DIR/request-header-ca.pem",
    "--requestheader-allowed-names=front-proxy",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--disable-admission-plugins=ServiceAccount",
    "--no-controllers",
];

/// The options in which the servers of a file differ.
#[derive(Clone, Copy, Default)]
pub(super) struct Options {
    /// True if requests without a credential are refused.
    pub(super) anonymous_off: bool,
    /// True if objects outlive the server, which begins without those of `setup.json`.
    pub(super) kept: bool,
}

/// A server with everything that `setup.json` creates, and the identities of `identities.json`. As when it was recorded no
/// controller runs, so the setup writes the rules of aggregated roles, too.
pub(super) struct Site {
    server: Option<Running>,
    url: String,
    ca: String,
    identities: Identities,
    options: Options,
    folder: Scratch,
}

impl Site {
    /// Starts a server and prepares it.
    pub(super) async fn start(recorded: &Path, options: Options) -> Result<Site, String> {
        let identities: BTreeMap<String, Identity> = Document::open(&recorded.join("identities.json"))?.read()?;
        let identities = Identities::new(&identities)?;
        let folder = Scratch::new("access").map_err(|error| error.to_string())?;
        let files = [
            ("signing-key.pem", SIGNING_KEY),
            ("client-ca.pem", &identities.client_ca),
            ("request-header-ca.pem", &identities.request_header_ca),
            ("tokens.csv", &identities.tokens),
        ];
        for (name, text) in files {
            write(&folder.path().join(name), text)?;
        }
        let url = String::new();
        let ca = String::new();
        let mut site = Site { server: None, url, ca, identities, options, folder };
        site.restart().await?;
        if !options.kept {
            site.set_up(recorded).await?;
            site.request_tokens().await?;
        }
        Ok(site)
    }

    /// Stops the server, and starts one on the same store.
    pub(super) async fn restart(&mut self) -> Result<(), String> {
        if let Some(server) = self.server.take() {
            server.shutdown().await;
        }
        let folder = self.folder.path().display().to_string();
        let mut flags = vec!["serve".to_owned(), format!("--data-dir={folder}/data")];
        flags.extend(FLAGS.map(|flag| flag.replace("DIR", &folder)));
        flags.push(format!("--storage={}", if self.options.kept { "embedded" } else { "memory" }));
        if self.options.anonymous_off {
            flags.push("--anonymous-auth=false".to_owned());
        }
        let args = ServeArgs::try_parse_from(flags).map_err(|error| error.to_string())?;
        let server = args.start(|server| server).await.map_err(|error| format!("no server: {error}"))?;
        (self.url, self.ca) = (format!("https://{}", server.address()), server.ca().to_owned());
        self.server = Some(server);
        Ok(())
    }

    pub(super) async fn stop(mut self) {
        if let Some(server) = self.server.take() {
            server.shutdown().await;
        }
    }

    /// Runs `setup.json`.
    async fn set_up(&self, recorded: &Path) -> Result<(), String> {
        let steps: Vec<SetupStep> = Document::open(&recorded.join("setup.json"))?.read()?;
        let mut admin = self.client(&Credentials::of_token("tok-admin"))?;
        for mut step in steps {
            step.request.headers.extend(step.content_type.map(|value| ("Content-Type".to_owned(), value)));
            let answer = send(&mut admin, &step.request).await?;
            if !(200..300).contains(&answer.code) {
                let method = &step.request.method;
                let path = &step.request.path;
                let body = String::from_utf8_lossy(&answer.body);
                return Err(format!("setup: {method} {path}: {}: {body}", answer.code));
            }
        }
        let mut viewer = self.client(&self.identities.credentials["viewer-a"])?;
        let started = Instant::now();
        while viewer.get("/api/v1/namespaces/a/configmaps").await?.code != 200 {
            if started.elapsed() > MAX_POLL {
                return Err("setup: viewer-a may not list configmaps in a".to_owned());
            }
            sleep(POLL).await;
        }
        Ok(())
    }

    /// Gets the tokens of identities that are service accounts.
    async fn request_tokens(&mut self) -> Result<(), String> {
        for (name, account) in self.identities.accounts.clone() {
            let token = self.token(&account).await?;
            self.identities.credentials.insert(name, Credentials::of_token(&token));
        }
        Ok(())
    }

    /// A token of a service account, `namespace/name`.
    async fn token(&self, account: &str) -> Result<String, String> {
        let (namespace, name) = account.split_once('/').ok_or_else(|| format!("{account:?} is no account"))?;
        let mut admin = self.client(&Credentials::of_token("tok-admin"))?;
        let body = r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":7200}}"#;
        let request = Request {
            method: "POST".to_owned(),
            path: format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"),
            headers: Vec::new(),
            body: json::parse(body.as_bytes()).ok(),
        };
        let answer = send(&mut admin, &request).await?;
        let body = json::parse(&answer.body).unwrap_or_default();
        let token = body.lookup(&["status", "token"]).and_then(|token| token.as_str());
        token.map(str::to_owned).ok_or_else(|| format!("no token of {account}: {}", answer.code))
    }

    /// The credentials of a user.
    pub(super) async fn credentials(&self, who: &As) -> Result<Credentials, String> {
        let named = |name: &String| self.identities.credentials.get(name).ok_or_else(|| format!("nobody is {name:?}"));
        match who {
            As::Named(name) => named(name).cloned(),
            As::Shown { token_request: Some(account), .. } => Ok(Credentials::of_token(&self.token(account).await?)),
            As::Shown { cert, token, .. } => Ok(Credentials {
                token: token.clone(),
                certificate: cert.as_ref().map(named).transpose()?.and_then(|named| named.certificate.clone()),
            }),
        }
    }

    pub(super) fn client(&self, credentials: &Credentials) -> Result<Client, String> {
        Ok(Client::new(Arc::new(Endpoint::new(&self.url, self.ca.as_bytes(), credentials)?)))
    }

    /// A kubeconfig of a user, in the namespace `a`.
    pub(super) fn kubeconfig(&self, credentials: &Credentials) -> String {
        let encoded = |text: &str| sprag_value::base64::encode(text.as_bytes());
        let mut user = Vec::new();
        user.extend(credentials.token.iter().map(|token| format!(r#""token":"{token}""#)));
        user.extend(credentials.certificate.iter().map(|(certificate, key)| {
            let certificate = encoded(certificate);
            let key = encoded(key);
            format!(r#""client-certificate-data":"{certificate}","client-key-data":"{key}""#)
        }));
        format!(
            r#"{{"apiVersion":"v1","kind":"Config","current-context":"c",
                "clusters":[{{"name":"c","cluster":{{"server":"{}","certificate-authority-data":"{}"}}}}],
                "users":[{{"name":"u","user":{{{}}}}}],
                "contexts":[{{"name":"c","context":{{"cluster":"c","user":"u","namespace":"a"}}}}]}}"#,
            self.url,
            encoded(&self.ca),
            user.join(",")
        )
    }

    /// A folder that goes with the site.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Sends a request: objects as JSON, texts as they are.
pub(super) async fn send(client: &mut Client, request: &Request) -> Result<Received, String> {
    let (headers, body) = sent(request);
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    client.send(&request.method, &request.path, headers, body).await
}

/// Headers and body of a request.
pub(super) fn sent(request: &Request) -> (Vec<(String, String)>, String) {
    let body = match &request.body {
        None => String::new(),
        Some(body) => body.as_str().map_or_else(|| json::to_string_plain(body), str::to_owned),
    };
    let mut headers = request.headers.clone();
    if request.body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    (headers, body)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

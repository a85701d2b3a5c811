//! The objects that a controller manager creates in each namespace: the service account `default`, and the server's
//! root certificate, which pods mount beside their tokens.

use sprag_registry::{Registry, WatchKind, WatchStream};
use sprag_rest::{ListOptions, Request, Result, User, WriteOptions, meta};
use sprag_value::Value;

const ACCOUNT: &str = "default";
const CERTIFICATE: &str = "kube-root-ca.crt";
const CERTIFICATE_KEY: &str = "ca.crt";
/// As upstream's rootcacertpublisher has it.
const DESCRIPTION: (&str, &str) = (
    "kubernetes.io/description",
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service \
     IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
);
/// The field manager of controllers.
pub(crate) const MANAGER: &str = "kube-controller-manager";

/// Keeps the default service account and the root certificate in every namespace.
// As upstream's serviceaccount.ServiceAccountsController and rootcacertpublisher.Publisher.
pub struct NamespaceAccounts {
    registry: Registry,
    certificate: String,
}

impl NamespaceAccounts {
    /// A controller that publishes this certificate of an authority.
    pub fn new(registry: Registry, certificate: String) -> NamespaceAccounts {
        NamespaceAccounts { registry, certificate }
    }

    /// Completes all namespaces. Certificates of servers that started earlier on the same store are replaced.
    pub async fn sync_all(&self) -> Result<()> {
        let user = User::default();
        let namespaces = self.registry.list(&request("namespaces", "", "", &user), &ListOptions::default()).await?;
        let active = namespaces.items.iter().filter(|found| is_active(found));
        let synced = active.map(|found| self.sync(meta::name(found), |_| true));
        futures_util::future::try_join_all(synced).await.map(drop)
    }

    /// Completes namespaces as they come, and again when what they should have is changed or deleted, until a watch ends.
    pub async fn run(&self) -> Result<()> {
        let mut namespaces = self.watch("namespaces", "").await?;
        let mut accounts = self.watch("serviceaccounts", ACCOUNT).await?;
        let mut certificates = self.watch("configmaps", CERTIFICATE).await?;
        loop {
            let (event, is_namespace) = tokio::select! {
                event = namespaces.next() => (event, true),
                event = accounts.next() => (event, false),
                event = certificates.next() => (event, false),
            };
            let Some(event) = event else { return Ok(()) };
            match (event.kind, is_namespace) {
                (WatchKind::Error, _) => return Ok(()),
                (WatchKind::Added | WatchKind::Modified, true) if is_active(&event.object) => {
                    self.sync(meta::name(&event.object), is_foreign).await?;
                }
                (WatchKind::Modified | WatchKind::Deleted, false) => {
                    let namespace = meta::namespace(&event.object);
                    let user = User::default();
                    match self.registry.get(&request("namespaces", "", namespace, &user), "").await {
                        Ok(found) if is_active(&found) => self.sync(namespace, is_foreign).await?,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    async fn watch(&self, resource: &str, name: &str) -> Result<WatchStream> {
        let user = User::default();
        let field_selector = if name.is_empty() { String::new() } else { format!("metadata.name={name}") };
        let options = ListOptions { field_selector, ..ListOptions::default() };
        self.registry.watch(&request(resource, "", "", &user), &options).await
    }

    /// Completes one namespace. A config map with another certificate is changed if `replaces` says so.
    async fn sync(&self, namespace: &str, replaces: impl Fn(&Value) -> bool) -> Result<()> {
        let made = self.create("serviceaccounts", namespace, meta::bare("v1", "ServiceAccount", ACCOUNT)).await;
        made.map(drop).or_else(|error| if is_late(&error) { Ok(()) } else { Err(error) })?;
        let mut wanted = meta::bare("v1", "ConfigMap", CERTIFICATE);
        let mut annotations = Value::object();
        annotations.insert(DESCRIPTION.0, DESCRIPTION.1);
        if let Some(metadata) = wanted.get_mut("metadata") {
            metadata.insert("annotations", annotations);
        }
        let mut data = Value::object();
        data.insert(CERTIFICATE_KEY, self.certificate.as_str());
        wanted.insert("data", data);
        match self.create("configmaps", namespace, wanted.clone()).await {
            Ok(true) => Ok(()),
            Ok(false) => self.restore(namespace, &wanted, replaces).await,
            Err(error) if is_late(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn restore(&self, namespace: &str, wanted: &Value, replaces: impl Fn(&Value) -> bool) -> Result<()> {
        let user = User::default();
        let request = request("configmaps", namespace, CERTIFICATE, &user);
        let mut stored = match self.registry.get(&request, "").await {
            Err(error) if error.is_not_found() => return Ok(()),
            stored => stored?,
        };
        if stored.get("data") == wanted.get("data") || !replaces(&stored) {
            return Ok(());
        }
        stored.insert("data", wanted.get("data").cloned().unwrap_or_default());
        match self.registry.update(&request, stored, &WriteOptions::by(MANAGER)).await {
            // Somebody else changed it, so another event comes.
            Err(error) if error.is_conflict() || error.is_not_found() => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// Creates an object; whether there was none.
    async fn create(&self, resource: &str, namespace: &str, object: Value) -> Result<bool> {
        let user = User::default();
        match self.registry.create(&request(resource, namespace, "", &user), object, &WriteOptions::by(MANAGER)).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_already_exists() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// True if the namespace was deleted in between.
fn is_late(error: &sprag_rest::ApiError) -> bool {
    error.is_not_found() || error.code() == 403
}

/// True if the certificate was not written by a server.
///
/// Servers on one store have authorities of their own. Each would undo the write of the other for ever if they did not leave
/// each other's certificates alone; upstream elects the one controller manager that publishes.
fn is_foreign(stored: &Value) -> bool {
    let data = format!("f:{CERTIFICATE_KEY}");
    let managers = stored.lookup(&["metadata", "managedFields"]).and_then(Value::as_array);
    let is_servers = |entry: &Value| {
        let manager = entry.get("manager").and_then(Value::as_str);
        manager == Some(MANAGER) && entry.lookup(&["fieldsV1", "f:data", &data]).is_some()
    };
    !managers.is_some_and(|managers| managers.iter().any(is_servers))
}

fn is_active(namespace: &Value) -> bool {
    namespace.lookup(&["status", "phase"]).and_then(Value::as_str) != Some("Terminating")
}

/// A request of a controller about an object of the core group.
pub(crate) fn request<'a>(resource: &'a str, namespace: &'a str, name: &'a str, user: &'a User) -> Request<'a> {
    Request { group: "", version: "v1", resource, namespace, name, subresource: "", user }
}

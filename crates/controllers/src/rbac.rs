//! Keeps decisions in step with the stored roles and bindings.

use std::sync::Arc;

use sprag_authorization::{Access, Rbac};
use sprag_registry::Follower;
use sprag_storage::Key;
use sprag_value::Value;
use tokio::sync::watch;

/// The group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";
/// Its resources.
const RESOURCES: [(&str, &str); 4] =
    [(GROUP, "clusterroles"), (GROUP, "roles"), (GROUP, "clusterrolebindings"), (GROUP, "rolebindings")];

/// The RBAC objects as they are stored.
pub struct RbacFollower {
    /// The decisions.
    pub access: Arc<Access>,
    changes: watch::Sender<()>,
}

impl RbacFollower {
    /// Decides by no roles and bindings yet.
    pub fn new(access: Access) -> RbacFollower {
        RbacFollower { access: Arc::new(access), changes: watch::Sender::new(()) }
    }

    /// Signals every change of roles and bindings.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }
}

impl Follower for RbacFollower {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &RESOURCES
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        let mut rbac = Rbac::default();
        for (key, object) in &objects {
            rbac.set(kind(key), key.namespace().unwrap_or_default(), key.name(), Some(object));
        }
        self.access.replace(rbac);
        self.changes.send_replace(());
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.access.set(kind(key), key.namespace().unwrap_or_default(), key.name(), object.as_ref());
        self.changes.send_replace(());
    }
}

fn kind(key: &Key) -> &'static str {
    match key.resource() {
        "clusterroles" => "ClusterRole",
        "roles" => "Role",
        "clusterrolebindings" => "ClusterRoleBinding",
        _ => "RoleBinding",
    }
}

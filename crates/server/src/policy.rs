//! Keeps decisions in step with the stored roles and bindings.
//!
//! Every write of this process to the group `rbac.authorization.k8s.io` goes through [`FollowedStore`]: it is in force before it is
//! answered. What other servers write to the same store comes by [`Policy::run`].

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use sprag_access::{Access, Rbac};
use sprag_storage::{
    Entry, Error as StoreError, Event, Found, Health, Key, ListOptions, Notice, Page, Reply, Revision, Scope, Store,
    Watch, Write,
};
use sprag_value::{Value, json};
use tokio::sync::{Mutex, watch};

/// The group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";
/// Its resources, and their kinds.
const KINDS: [(&str, &str); 4] = [
    ("clusterroles", "ClusterRole"),
    ("roles", "Role"),
    ("clusterrolebindings", "ClusterRoleBinding"),
    ("rolebindings", "RoleBinding"),
];

/// What is decided by, as it is stored.
pub(crate) struct Policy {
    pub(crate) access: Arc<Access>,
    /// Held while something is read and taken over, so that nothing older takes the place of something newer.
    turn: Mutex<()>,
    changes: watch::Sender<()>,
}

impl Policy {
    pub(crate) fn new(access: Access) -> Policy {
        Policy { access: Arc::new(access), turn: Mutex::default(), changes: watch::Sender::new(()) }
    }

    /// Tells of every change of roles and bindings.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Takes over all that is stored; returns as of when.
    pub(crate) async fn load(&self, store: &dyn Store) -> Result<Revision, StoreError> {
        let _turn = self.turn.lock().await;
        let (mut rbac, mut revision) = (Rbac::default(), None);
        for (resource, kind) in KINDS {
            let Some(scope) = scope(resource) else { continue };
            let page = store.list(&scope, ListOptions::default()).await?;
            for entry in &page.entries {
                set(kind, &entry.key, Some(entry), &mut |kind, namespace, name, object| {
                    rbac.set(kind, namespace, name, object);
                });
            }
            // Events after the first list may be told twice, which changes nothing.
            revision.get_or_insert(page.revision);
        }
        self.access.replace(rbac);
        self.changes.send_replace(());
        Ok(revision.unwrap_or(Revision::FIRST))
    }

    /// Takes over what is stored under a key now.
    async fn refresh(&self, store: &dyn Store, key: &Key) -> Result<(), StoreError> {
        let Some((_, kind)) = KINDS.iter().find(|(resource, _)| *resource == key.resource()) else { return Ok(()) };
        let _turn = self.turn.lock().await;
        let found = store.get(key).await?;
        set(kind, key, found.entry.as_deref(), &mut |kind, namespace, name, object| {
            self.access.set(kind, namespace, name, object);
        });
        self.changes.send_replace(());
        Ok(())
    }

    /// Follows what others write. Ends when the store fails; call it again after a while.
    pub(crate) async fn run(&self, store: &dyn Store) -> Result<(), StoreError> {
        let after = self.load(store).await?;
        let scopes = KINDS.iter().filter_map(|(resource, _)| scope(resource));
        let mut changes = select_all(scopes.map(|scope| store.watch(&scope, after)));
        while let Some(notice) = changes.next().await {
            if let Notice::Event(event) = notice? {
                self.refresh(store, &event.key).await?;
            }
        }
        Ok(())
    }
}

fn scope(resource: &str) -> Option<Scope> {
    Scope::resource(GROUP, resource).ok()
}

/// Takes over an object by kind, namespace and name, or forgets it.
type Take<'t> = dyn FnMut(&str, &str, &str, Option<&Value>) + 't;

/// Hands over an entry. One that cannot be read gives nothing.
fn set(kind: &str, key: &Key, entry: Option<&Entry>, take: &mut Take<'_>) {
    let object = entry.and_then(|entry| match json::parse(&entry.value) {
        Ok(object) => Some(object),
        Err(error) => {
            tracing::error!(%error, key = key.as_str(), "a role or binding cannot be read and gives nothing");
            None
        }
    });
    take(kind, key.namespace().unwrap_or_default(), key.name(), object.as_ref());
}

/// A store whose roles and bindings are in force when their write is answered.
pub(crate) struct FollowedStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) policy: Arc<Policy>,
}

impl Store for FollowedStore {
    fn get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        self.store.get(key)
    }

    fn list<'a>(&'a self, scope: &'a Scope, options: ListOptions) -> Reply<'a, Page> {
        self.store.list(scope, options)
    }

    fn count<'a>(&'a self, scope: &'a Scope) -> Reply<'a, usize> {
        self.store.count(scope)
    }

    fn write(&self, write: Write) -> Reply<'_, Event> {
        if write.key().group() != GROUP {
            return self.store.write(write);
        }
        Reply::running(async move {
            let event = self.store.write(write).await?;
            if let Err(error) = self.policy.refresh(&*self.store, &event.key).await {
                tracing::error!(%error, key = event.key.as_str(), "a role or binding is not in force yet");
            }
            Ok(event)
        })
    }

    fn watch(&self, scope: &Scope, after: Revision) -> Watch {
        self.store.watch(scope, after)
    }

    fn request_progress(&self) {
        self.store.request_progress();
    }

    fn answers_progress_requests(&self) -> bool {
        self.store.answers_progress_requests()
    }

    fn revision(&self) -> Reply<'_, Revision> {
        self.store.revision()
    }

    fn compact(&self, before: Revision) -> Reply<'_, ()> {
        self.store.compact(before)
    }

    fn health(&self) -> Health {
        self.store.health()
    }
}

#[cfg(test)]
mod tests {
    use sprag_access::{Attributes, AuthorizationMode, Authorizer as _, ResourceTarget, Target};
    use sprag_rest::User;
    use sprag_storage::Memory;

    use super::*;

    const ROLE: &str = r#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}"#;
    const BINDING: &str = r#"{"roleRef":{"kind":"Role","name":"reader"},"subjects":[{"kind":"User","name":"ann"}]}"#;

    fn may_read(policy: &Policy) -> bool {
        let ann = User { name: "ann".into(), ..User::default() };
        let pods = ResourceTarget { resource: "pods", namespace: "team", ..ResourceTarget::default() };
        policy.access.allows(&Attributes { user: &ann, verb: "get", target: Target::Resource(pods) })
    }

    fn key(resource: &str, name: &str) -> Key {
        Key::namespaced(GROUP, resource, "team", name).unwrap()
    }

    #[tokio::test]
    async fn a_write_is_in_force_when_it_is_answered() {
        let policy = Arc::new(Policy::new(Access::new(AuthorizationMode::Rbac)));
        let store = FollowedStore { store: Arc::new(Memory::new()), policy: policy.clone() };
        let mut changes = policy.changes();
        changes.mark_unchanged();
        store.write(Write::create(key("roles", "reader"), ROLE.into())).await.unwrap();
        assert!(changes.has_changed().unwrap() && !may_read(&policy));
        let bound = store.write(Write::create(key("rolebindings", "b"), BINDING.into())).await.unwrap();
        assert!(may_read(&policy));
        store.write(Write::delete(key("rolebindings", "b"), bound.revision)).await.unwrap();
        assert!(!may_read(&policy));
        // What cannot be read gives nothing.
        store.write(Write::create(key("rolebindings", "b"), "{".into())).await.unwrap();
        assert!(!may_read(&policy));
    }

    #[tokio::test]
    async fn what_is_stored_and_what_others_write_is_followed() {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        store.write(Write::create(key("roles", "reader"), ROLE.into())).await.unwrap();
        store.write(Write::create(key("rolebindings", "b"), BINDING.into())).await.unwrap();
        let policy = Arc::new(Policy::new(Access::new(AuthorizationMode::Rbac)));
        policy.load(&*store).await.unwrap();
        assert!(may_read(&policy));
        let mut changes = policy.changes();
        let following = tokio::spawn({
            let (policy, store) = (policy.clone(), store.clone());
            async move { policy.run(&*store).await }
        });
        changes.changed().await.unwrap();
        let role = store.get(&key("roles", "reader")).await.unwrap().entry.unwrap();
        store.write(Write::delete(role.key.clone(), role.revision)).await.unwrap();
        while may_read(&policy) {
            changes.changed().await.unwrap();
        }
        following.abort();
    }
}

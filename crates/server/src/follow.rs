//! Keeps followers in step with what is stored.
//!
//! Every write of this process goes through [`FollowedStore`]: followers know it before it is answered. What other servers write to
//! the same store comes by [`Followers::run`].

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use sprag_admission::builtin::QuotaNamespaces;
use sprag_registry::Follower;
use sprag_storage::{
    Entry, Error as StoreError, Event, Found, Health, Key, ListOptions, Notice, Page, Reply, Revision, Scope, Store,
    Watch, Write,
};
use sprag_value::{Value, json};
use tokio::sync::Mutex;

/// All followers of a server.
#[derive(Default)]
pub(crate) struct Followers {
    followers: Vec<Arc<dyn Follower>>,
    /// Held while something is read and taken over, so that nothing older takes the place of something newer.
    turn: Mutex<()>,
}

impl Followers {
    pub(crate) fn new(followers: Vec<Arc<dyn Follower>>) -> Followers {
        Followers { followers, turn: Mutex::default() }
    }

    /// Those who know the objects of a resource.
    fn of<'f>(&'f self, group: &str, resource: &str) -> impl Iterator<Item = &'f Arc<dyn Follower>> {
        self.followers.iter().filter(move |follower| {
            follower.resources().iter().any(|(its_group, its)| *its_group == group && *its == resource)
        })
    }

    /// Loads all stored objects; returns their revision.
    pub(crate) async fn load(&self, store: &dyn Store) -> Result<Revision, StoreError> {
        let _turn = self.turn.lock().await;
        let mut revision = None;
        for follower in &self.followers {
            let mut objects = Vec::new();
            for scope in scopes(&**follower) {
                let page = store.list(&scope, ListOptions::default()).await?;
                objects.extend(page.entries.iter().filter_map(|entry| Some((entry.key.clone(), read(entry)?))));
                // Events after the first list may arrive twice, which is harmless.
                revision.get_or_insert(page.revision);
            }
            follower.replace(objects);
        }
        Ok(revision.unwrap_or(Revision::FIRST))
    }

    /// Loads the current entry of a key.
    async fn refresh(&self, store: &dyn Store, key: &Key) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let found = store.get(key).await?;
        let object = found.entry.as_deref().and_then(read);
        for follower in self.of(key.group(), key.resource()) {
            follower.set(key, object.clone());
        }
        Ok(())
    }

    /// Follows what others write. Ends when the store fails; call it again after a while.
    pub(crate) async fn run(&self, store: &dyn Store) -> Result<(), StoreError> {
        let after = self.load(store).await?;
        let mut scopes: Vec<Scope> = self.followers.iter().flat_map(|follower| scopes(&**follower)).collect();
        scopes.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        scopes.dedup();
        let mut changes = select_all(scopes.iter().map(|scope| store.watch(scope, after)));
        while let Some(notice) = changes.next().await {
            if let Notice::Event(event) = notice? {
                self.refresh(store, &event.key).await?;
            }
        }
        Ok(())
    }
}

fn scopes(follower: &dyn Follower) -> impl Iterator<Item = Scope> {
    follower.resources().iter().filter_map(|(group, resource)| Scope::resource(group, resource).ok())
}

/// A stored object. One that cannot be read is not there for followers.
fn read(entry: &Entry) -> Option<Value> {
    json::parse(&entry.value)
        .inspect_err(|error| {
            tracing::error!(%error, key = entry.key.as_str(), "an object cannot be read and has no effect");
        })
        .ok()
}

/// A store whose objects are known to followers when their write is answered.
pub(crate) struct FollowedStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) followers: Arc<Followers>,
    /// Quotas, which count objects of all resources.
    pub(crate) quotas: Arc<QuotaNamespaces>,
}

impl FollowedStore {
    /// Writes, and lets followers know.
    fn followed(&self, write: Write) -> Reply<'_, Event> {
        let key = write.key();
        if self.followers.of(key.group(), key.resource()).next().is_none() {
            return self.store.write(write);
        }
        Reply::running(async move {
            let event = self.store.write(write).await?;
            if let Err(error) = self.followers.refresh(&*self.store, &event.key).await {
                tracing::error!(%error, key = event.key.as_str(), "a write is stored and not in force yet");
            }
            Ok(event)
        })
    }
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
        let key = write.key();
        if self.quotas.counts(key) {
            return Reply::running(async move {
                let event = self.followed(write).await?;
                self.quotas.written(&event.key);
                Ok(event)
            });
        }
        self.followed(write)
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
    use sprag_access::{Access, Attributes, AuthorizationMode, Authorizer as _, ResourceTarget, Target};
    use sprag_rest::User;
    use sprag_storage::Memory;

    use super::*;
    use crate::policy::Policy;

    const GROUP: &str = "rbac.authorization.k8s.io";

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
        let followers = Arc::new(Followers::new(vec![policy.clone()]));
        let quotas = Arc::default();
        let store = FollowedStore { store: Arc::new(Memory::new()), followers, quotas };
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
        let followers = Arc::new(Followers::new(vec![policy.clone()]));
        followers.load(&*store).await.unwrap();
        assert!(may_read(&policy));
        let mut changes = policy.changes();
        let following = tokio::spawn({
            let (followers, store) = (followers.clone(), store.clone());
            async move { followers.run(&*store).await }
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

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
    Entry, Error as StoreError, Event, Key, Layer, ListOptions, Notice, Reply, Revision, Scope, Store, Write,
};
use sprag_value::{Value, json};
use tokio::sync::Mutex;

/// All followers of a server.
#[derive(Default)]
pub struct Followers {
    followers: Vec<Arc<dyn Follower>>,
    /// Held while something is read and taken over, so that nothing older takes the place of something newer.
    turn: Mutex<()>,
}

impl Followers {
    /// Followers that know nothing yet.
    pub fn new(followers: Vec<Arc<dyn Follower>>) -> Followers {
        Followers { followers, turn: Mutex::default() }
    }

    /// Those who know the objects of a resource.
    fn of<'f>(&'f self, group: &str, resource: &str) -> impl Iterator<Item = &'f Arc<dyn Follower>> {
        self.followers.iter().filter(move |follower| {
            follower.resources().iter().any(|(its_group, its)| *its_group == group && *its == resource)
        })
    }

    /// Loads all stored objects; returns their revision.
    pub async fn load(&self, store: &dyn Store) -> Result<Revision, StoreError> {
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
    pub async fn run(&self, store: &dyn Store) -> Result<(), StoreError> {
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
pub struct FollowedStore {
    /// The store behind it.
    pub store: Arc<dyn Store>,
    /// Those who are told of writes.
    pub followers: Arc<Followers>,
    /// Quotas, which count objects of all resources.
    pub quotas: Arc<QuotaNamespaces>,
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

impl Layer for FollowedStore {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    fn on_write(&self, write: Write) -> Reply<'_, Event> {
        let key = write.key();
        if self.quotas.counts(key) {
            return Reply::running(async move {
                let key = write.key().clone();
                let outcome = self.followed(write).await;
                self.quotas.written(&key);
                outcome
            });
        }
        self.followed(write)
    }
}

#[cfg(test)]
mod tests {
    use sprag_admission::builtin::{QuotaController, ResourceQuota};
    use sprag_authorization::{Access, Attributes, AuthorizationMode, Authorizer as _, ResourceTarget, Target};
    use sprag_registry::{AdmissionPlugin, Admitted, Registry};
    use sprag_rest::User;
    use sprag_storage::Memory;

    use super::*;
    use crate::rbac::RbacFollower;

    const GROUP: &str = "rbac.authorization.k8s.io";

    const ROLE: &str = r#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}"#;
    const BINDING: &str = r#"{"roleRef":{"kind":"Role","name":"reader"},"subjects":[{"kind":"User","name":"ann"}]}"#;

    fn may_read(policy: &RbacFollower) -> bool {
        let ann = User { name: "ann".into(), ..User::default() };
        let pods = ResourceTarget { resource: "pods", namespace: "team", ..ResourceTarget::default() };
        policy.access.allows(&Attributes { user: &ann, verb: "get", target: Target::Resource(pods) })
    }

    fn key(resource: &str, name: &str) -> Key {
        Key::namespaced(GROUP, resource, "team", name).unwrap()
    }

    #[tokio::test]
    async fn a_write_is_in_force_when_it_is_answered() {
        let policy = Arc::new(RbacFollower::new(Access::new(AuthorizationMode::Rbac)));
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
        // An unreadable binding grants nothing.
        store.write(Write::create(key("rolebindings", "b"), "{".into())).await.unwrap();
        assert!(!may_read(&policy));
    }

    #[tokio::test]
    async fn what_is_stored_and_what_others_write_is_followed() {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        store.write(Write::create(key("roles", "reader"), ROLE.into())).await.unwrap();
        store.write(Write::create(key("rolebindings", "b"), BINDING.into())).await.unwrap();
        let policy = Arc::new(RbacFollower::new(Access::new(AuthorizationMode::Rbac)));
        let followers = Arc::new(Followers::new(vec![policy.clone()]));
        followers.load(&*store).await.unwrap();
        assert!(may_read(&policy));
        let mut changes = policy.changes();
        let following = tokio::spawn({
            let followers = followers.clone();
            let store = store.clone();
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

    /// Holds up config maps between what they are charged for and the store.
    struct Hold(tokio::sync::Semaphore);

    impl AdmissionPlugin for Hold {
        fn handles(&self, attributes: &sprag_registry::Attributes<'_>) -> bool {
            attributes.definition.kind == "ConfigMap" && attributes.object.is_some()
        }

        fn validate<'a>(&'a self, _: sprag_registry::Attributes<'a>) -> Admitted<'a, Vec<String>> {
            Box::pin(async {
                self.0.acquire().await.unwrap().forget();
                Ok(Vec::new())
            })
        }
    }

    #[tokio::test]
    async fn what_is_charged_and_not_stored_is_not_given_back() {
        let quotas = Arc::new(QuotaNamespaces::default());
        let followers = Arc::new(Followers::new(vec![quotas.clone()]));
        let store = FollowedStore { store: Arc::new(Memory::new()), followers, quotas: quotas.clone() };
        let hold = Arc::new(Hold(tokio::sync::Semaphore::new(0)));
        let plugin = Arc::new(ResourceQuota::new(quotas.clone()));
        let mut registry = Registry::builder(Arc::new(store)).admission(plugin).admission(hold.clone());
        for definition in sprag_kinds::definitions() {
            registry = registry.resource(definition);
        }
        let registry = registry.build();
        let user = User::default();
        let request = |resource, namespace, name| sprag_rest::Request {
            group: "",
            version: "v1",
            resource,
            namespace,
            name,
            subresource: "",
            user: &user,
        };
        let create = async |resource, namespace, body: &str| {
            let definition = registry.definition(&sprag_rest::GroupResource::new("", resource)).unwrap();
            let mut body = json::parse(body.as_bytes()).unwrap();
            body.insert("apiVersion", "v1");
            body.insert("kind", definition.kind.as_str());
            registry.create(&request(resource, namespace, ""), body, &sprag_rest::WriteOptions::default()).await
        };
        let used = async || {
            let quota = registry.get(&request("resourcequotas", "team", "q"), "").await.unwrap();
            quota.lookup(&["status", "used", "configmaps"]).and_then(Value::as_str).map(str::to_owned)
        };
        create("namespaces", "", r#"{"metadata":{"name":"team"}}"#).await.unwrap();
        let quota = r#"{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"1"}}}"#;
        create("resourcequotas", "team", quota).await.unwrap();
        let controller = QuotaController::new(registry.clone(), quotas);
        assert!(controller.sync("team").await.unwrap());
        assert_eq!(used().await.as_deref(), Some("0"));
        let first = create("configmaps", "team", r#"{"metadata":{"name":"a"}}"#);
        let others = async {
            while used().await.as_deref() != Some("1") {
                tokio::task::yield_now().await;
            }
            // Counted now, there would be none, and a second one would fit.
            assert!(!controller.sync("team").await.unwrap());
            assert!(!controller.sync_alone("team").await.unwrap());
            assert_eq!(used().await.as_deref(), Some("1"));
            let second = create("configmaps", "team", r#"{"metadata":{"name":"b"}}"#).await;
            assert!(second.unwrap_err().to_string().contains("exceeded quota: q"));
            hold.0.add_permits(1);
        };
        let (first, ()) = tokio::join!(first, others);
        first.unwrap();
        assert!(controller.sync("team").await.unwrap());
        assert_eq!(used().await.as_deref(), Some("1"));
        // A delete gives its charge back.
        registry.delete(&request("configmaps", "team", "a"), &sprag_rest::DeleteOptions::default()).await.unwrap();
        assert!(controller.sync_alone("team").await.unwrap());
        assert_eq!(used().await.as_deref(), Some("0"));
    }
}

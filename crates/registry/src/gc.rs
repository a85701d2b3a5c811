//! The garbage collector: what becomes of objects whose owners go.
//!
//! One pass looks at the owners, finalizers and uids of all objects, which the caches know without decoding, and does
//! what follows from them:
//! - an object none of whose owners exist is deleted;
//! - references to owners that do not exist are dropped when others do;
//! - dependents of an object that is deleted in the foreground are deleted first, and it goes with the last that blocks it;
//! - dependents of an object that is to leave orphans lose their reference to it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sprag_rest::{
    ApiError, DeleteOptions, GroupResource, Input, Propagation, Request, Result, User, WriteOptions, split_api_version,
};
use sprag_storage::{Key, ListOptions as StoreListOptions, Scope};
use sprag_value::{Text, Value};

use crate::cache::Index;
use crate::registry::{Installed, Registry};
use sprag_rest::meta::{self, FOREGROUND_FINALIZER, ORPHAN_FINALIZER};

/// How many passes one call makes at most; each goes one level down the owners.
const MAX_PASSES: usize = 64;

/// Deletes, orphans and releases objects as their owners ask for.
pub struct GarbageCollector {
    registry: Registry,
    user: User,
}

/// An object as the collector sees it.
struct Node {
    installed: Arc<Installed>,
    key: Key,
    index: Arc<Index>,
}

/// What is to be done with an object.
enum Action {
    Delete(Propagation),
    /// Drops references to these owners.
    Release(Vec<Text>),
    /// Drops a finalizer of ours.
    Finish(&'static str),
}

/// All objects, and who depends on whom.
struct Graph {
    nodes: Vec<Node>,
    by_uid: HashMap<Text, usize>,
    dependents: HashMap<Text, Vec<usize>>,
    kinds: BTreeMap<(String, String), Arc<Installed>>,
}

impl GarbageCollector {
    /// A collector for all resources of a registry.
    pub fn new(registry: Registry) -> GarbageCollector {
        let user =
            User { name: "system:serviceaccount:kube-system:generic-garbage-collector".into(), ..User::default() };
        GarbageCollector { registry, user }
    }

    /// Does what there is to do until nothing is left. Returns how many objects were changed or deleted.
    pub async fn collect(&self) -> Result<usize> {
        let mut done = 0;
        for _ in 0..MAX_PASSES {
            let changed = self.pass().await?;
            if changed == 0 {
                break;
            }
            done += changed;
        }
        Ok(done)
    }

    async fn pass(&self) -> Result<usize> {
        let graph = self.graph().await?;
        let mut done = 0;
        for node in graph.nodes.iter().filter(|node| node.index.deleting || node.has_owners()) {
            for action in self.actions(&graph, node).await? {
                done += usize::from(self.act(node, &action).await?);
            }
        }
        Ok(done)
    }

    async fn graph(&self) -> Result<Graph> {
        let mut graph =
            Graph { nodes: Vec::new(), by_uid: HashMap::new(), dependents: HashMap::new(), kinds: BTreeMap::new() };
        // One state of the store: an owner is never newer than what is known of its dependents.
        let mut at = None;
        for installed in self.registry.all() {
            let definition = &installed.definition;
            graph.kinds.insert((definition.group().to_owned(), definition.kind.clone()), installed.clone());
            let place = definition.place();
            let Ok(scope) = Scope::resource(&place.group, &place.resource) else { continue };
            let options = StoreListOptions { at, ..StoreListOptions::default() };
            let page = self.registry.0.store.list(&scope, options).await.map_err(ApiError::internal)?;
            at = Some(page.revision);
            for entry in page.entries {
                let index = installed.cache.get(definition, &entry)?;
                graph.add(Node { installed: installed.clone(), key: entry.key.clone(), index });
            }
        }
        graph.name_owners();
        Ok(graph)
    }

    async fn actions(&self, graph: &Graph, node: &Node) -> Result<Vec<Action>> {
        let mut actions = Vec::new();
        let has = |finalizer: &str| list(&node.index.finalizers).iter().any(|present| *present == finalizer);
        if node.index.deleting && has(ORPHAN_FINALIZER) && graph.dependents_of(node).next().is_none() {
            actions.push(Action::Finish(ORPHAN_FINALIZER));
        }
        if node.index.deleting && has(FOREGROUND_FINALIZER) && !graph.is_blocked(node) {
            actions.push(Action::Finish(FOREGROUND_FINALIZER));
        }
        actions.extend(self.action_of_owners(graph, node).await?);
        Ok(actions)
    }

    /// What follows for an object from the state of its owners.
    async fn action_of_owners(&self, graph: &Graph, node: &Node) -> Result<Option<Action>> {
        let (mut solid, mut waiting, mut gone) = (0, 0, Vec::new());
        let mut orphaned = Vec::new();
        for owner in list(&node.index.owners) {
            let uid = owner.get("uid").and_then(Value::as_str).unwrap_or_default();
            match graph.owner(uid) {
                Some(owner) if owner.leaves_orphans() => orphaned.push(uid.into()),
                Some(owner) if owner.waits() => waiting += 1,
                Some(_) => solid += 1,
                None if self.exists(graph, node, owner, uid).await? => solid += 1,
                None => gone.push(uid.into()),
            }
        }
        if !orphaned.is_empty() {
            return Ok(Some(Action::Release(orphaned)));
        }
        let deleting = node.index.deleting;
        Ok(match (solid, waiting, gone.is_empty()) {
            (0, 0, false) if !deleting => Some(Action::Delete(Propagation::Background)),
            (0, 1.., _) if !deleting => Some(Action::Delete(Propagation::Foreground)),
            (1.., _, false) => Some(Action::Release(gone)),
            _ => None,
        })
    }

    /// Whether an owner that the pass did not see exists: it may be newer than the pass, or of a kind that is not ours to
    /// judge.
    async fn exists(&self, graph: &Graph, node: &Node, owner: &Value, uid: &str) -> Result<bool> {
        let text = |member: &str| owner.get(member).and_then(Value::as_str).unwrap_or_default();
        let group = split_api_version(text("apiVersion")).0;
        let Some(installed) = graph.kinds.get(&(group.to_owned(), text("kind").to_owned())) else { return Ok(true) };
        let definition = &installed.definition;
        let GroupResource { group, resource } = definition.place();
        let key = match (definition.namespaced(), node.key.namespace()) {
            (true, Some(namespace)) => Key::namespaced(group, resource, namespace, text("name")),
            (true, None) => return Ok(true),
            (false, _) => Key::cluster(group, resource, text("name")),
        };
        let Ok(key) = key else { return Ok(false) };
        let found = self.registry.0.store.get(&key).await.map_err(ApiError::internal)?;
        let Some(entry) = found.entry else { return Ok(false) };
        Ok(installed.cache.get(definition, &entry)?.uid == *uid)
    }

    /// Does one thing; whether it changed anything.
    async fn act(&self, node: &Node, action: &Action) -> Result<bool> {
        let definition = &node.installed.definition;
        let request = Request {
            group: definition.group(),
            version: &definition.storage_version,
            resource: &definition.resource.resource,
            namespace: node.key.namespace().unwrap_or_default(),
            name: node.key.name(),
            subresource: "",
            user: &self.user,
        };
        let outcome = match action {
            Action::Delete(propagation) => {
                let options = DeleteOptions {
                    uid: Some(node.index.uid.to_string()),
                    resource_version: Some(node.index.revision.to_string()),
                    ..DeleteOptions::propagation(*propagation)
                };
                self.registry.resolve_stored(&request)?.delete(request.name, &options).await.map(|_| ())
            }
            Action::Release(owners) => {
                let is_kept = |owner: &Value| {
                    let uid = owner.get("uid").and_then(Value::as_str).unwrap_or_default();
                    !owners.iter().any(|released| *released == *uid)
                };
                self.rewrite(&request, node, "ownerReferences", &is_kept).await
            }
            Action::Finish(finalizer) => {
                self.rewrite(&request, node, "finalizers", &|present: &Value| *present != *finalizer).await
            }
        };
        match outcome {
            Ok(()) => Ok(true),
            // Somebody else was faster; the next pass sees what there is.
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps some elements of a list in an object's metadata.
    async fn rewrite(
        &self,
        request: &Request<'_>,
        node: &Node,
        member: &str,
        keep: &(dyn Fn(&Value) -> bool + Send + Sync),
    ) -> Result<()> {
        let change = |object: &mut Value| meta::retain(object, member, keep);
        let options = WriteOptions::default();
        let input = Input::change(&change, &node.index.uid, &options);
        self.registry.resolve_stored(request)?.update(&input).await.map(|_| ())
    }
}

impl Graph {
    fn add(&mut self, node: Node) {
        let at = self.nodes.len();
        for owner in list(&node.index.owners) {
            if let Some(uid) = owner.get("uid").and_then(Value::as_str) {
                self.dependents.entry(uid.into()).or_default().push(at);
            }
        }
        self.nodes.push(node);
    }

    /// Makes objects known by their uids, where any is asked for.
    fn name_owners(&mut self) {
        if !self.dependents.is_empty() {
            self.by_uid = self.nodes.iter().enumerate().map(|(at, node)| (node.index.uid.clone(), at)).collect();
        }
    }

    fn owner(&self, uid: &str) -> Option<&Node> {
        self.by_uid.get(uid).and_then(|at| self.nodes.get(*at))
    }

    fn dependents_of(&self, node: &Node) -> impl Iterator<Item = &Node> {
        let dependents = self.dependents.get(&node.index.uid).map(Vec::as_slice).unwrap_or_default();
        dependents.iter().filter_map(|at| self.nodes.get(*at))
    }

    /// Whether an object waits for dependents that block its end.
    fn is_blocked(&self, node: &Node) -> bool {
        self.dependents_of(node).any(|dependent| {
            list(&dependent.index.owners).iter().any(|owner| {
                owner.get("uid").is_some_and(|uid| *uid == *node.index.uid.as_str())
                    && owner.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false)
            })
        })
    }
}

impl Node {
    fn has_owners(&self) -> bool {
        !list(&self.index.owners).is_empty()
    }

    fn leaves_orphans(&self) -> bool {
        self.index.deleting && self.has(ORPHAN_FINALIZER)
    }

    fn waits(&self) -> bool {
        self.index.deleting && self.has(FOREGROUND_FINALIZER)
    }

    fn has(&self, finalizer: &str) -> bool {
        list(&self.index.finalizers).iter().any(|present| *present == finalizer)
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(|array| &array[..]).unwrap_or_default()
}

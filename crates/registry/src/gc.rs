//! The garbage collector: what becomes of objects whose owners go.
//!
//! One pass looks at the owners, finalizers and uids of all objects, which the caches know without decoding, and does
//! what follows from them:
//! - an object none of whose owners exist is deleted;
//! - references to owners that do not exist, or wait for their dependents, are dropped when others stay;
//! - dependents of an object that is deleted in the foreground are deleted first, and it goes with the last that blocks it;
//!   in a circle of owners, one stops to block;
//! - dependents of an object that is to leave orphans lose their reference to it.
//!
//! An owner is what a reference says: of this kind and name, in the namespace of the dependent, with this uid.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sprag_rest::{
    ApiError, DeleteOptions, GroupResource, Input, Propagation, Request, Result, User, WriteOptions, split_api_version,
};
use sprag_storage::{Key, ListOptions as StoreListOptions, Scope};
use sprag_value::{Array, Text, Value};

use crate::cache::Index;
use crate::registry::{Installed, Registry};
use crate::uid::Uid;
use sprag_rest::meta::{self, FOREGROUND_FINALIZER, ORPHAN_FINALIZER};

/// The member of metadata with references to owners.
const OWNERS: &str = "ownerReferences";
/// Maximum number of objects that are changed at the same time.
// As upstream's --concurrent-gc-syncs.
const WORKERS: usize = 20;
/// After so many failures the other objects of a resource in a namespace are left to the next call: a webhook that does not answer
/// fails after a while for each of them.
const MOST_FAILURES: usize = 3;
/// Other tasks go on after so many objects were looked at.
const LOOKED_AT: usize = 100;
/// Maximum passes per call; each goes one level down the ownership graph.
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

/// The action on an object.
enum Action {
    Delete(Propagation),
    /// Drops references to these owners.
    Release(Vec<Text>),
    /// Lets owners go before the object.
    Unblock,
    /// Drops a finalizer of ours.
    Finish(&'static str),
}

/// The state of an owner, as far as it matters to dependents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// It exists and stays, or goes without waiting.
    Solid,
    /// It waits for its dependents to go.
    Waiting,
    /// It does not exist.
    Gone,
    /// Of a kind that is not ours to judge.
    Unknown,
}

/// Failures of a pass, by resource and namespace.
#[derive(Default)]
struct Troubles(Mutex<HashMap<(GroupResource, String), usize>>);

impl Troubles {
    fn note(&self, node: &Node) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(Troubles::place(node)).or_default() += 1;
    }

    fn are_many(&self, node: &Node) -> bool {
        let troubles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !troubles.is_empty() && troubles.get(&Troubles::place(node)).is_some_and(|failures| *failures >= MOST_FAILURES)
    }

    fn place(node: &Node) -> (GroupResource, String) {
        let namespace = node.key.namespace().unwrap_or_default();
        (node.installed.definition.resource.clone(), namespace.to_owned())
    }
}

/// All objects, and who depends on whom.
struct Graph {
    nodes: Vec<Node>,
    by_uid: HashMap<Uid, usize>,
    dependents: HashMap<Uid, Vec<usize>>,
    kinds: BTreeMap<(String, String), Arc<Installed>>,
}

impl GarbageCollector {
    /// A collector for all resources of a registry.
    pub fn new(registry: Registry) -> GarbageCollector {
        let user =
            User { name: "system:serviceaccount:kube-system:generic-garbage-collector".into(), ..User::default() };
        GarbageCollector { registry, user }
    }

    /// Does what there is to do until nothing is left. Returns how many objects were changed or deleted. An object that
    /// cannot be changed keeps no other from its end; the error of the last pass is returned.
    pub async fn collect(&self) -> Result<usize> {
        let mut done = 0;
        for _ in 0..MAX_PASSES {
            let (changed, failed) = self.pass().await?;
            done += changed;
            match failed {
                None if changed == 0 => break,
                Some(error) if changed == 0 => return Err(error),
                _ => {}
            }
        }
        Ok(done)
    }

    /// Looks at all objects once. Returns how many were changed or deleted, and the first error if there were any.
    async fn pass(&self) -> Result<(usize, Option<ApiError>)> {
        let graph = &self.graph().await?;
        let troubles = &Troubles::default();
        let is_concerned = |node: &&Node| node.index.deleting || node.has_owners();
        let concerned: Vec<&Node> = graph.nodes.iter().filter(is_concerned).collect();
        let mut concerned = concerned.into_iter();
        let mut running = FuturesUnordered::new();
        let (mut done, mut failed) = (0, None);
        loop {
            while running.len() < WORKERS
                && let Some(node) = concerned.next()
            {
                running.push(self.actions_done(graph, node, troubles));
            }
            let Some(outcome) = running.next().await else { break };
            self.registry.give_way().await;
            let (changed, error) = outcome?;
            done += changed;
            failed = failed.or(error);
        }
        Ok((done, failed))
    }

    /// Does what there is to do with an object. Returns how often it was changed, and the first error if there were any.
    async fn actions_done(&self, graph: &Graph, node: &Node, troubles: &Troubles) -> Result<(usize, Option<ApiError>)> {
        let (mut done, mut failed) = (0, None);
        for action in self.actions(graph, node).await? {
            if troubles.are_many(node) {
                break;
            }
            match self.act(node, &action).await {
                Ok(changed) => done += usize::from(changed),
                Err(error) => {
                    troubles.note(node);
                    failed = failed.or(Some(error));
                }
            }
        }
        Ok((done, failed))
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
            for (at, entry) in page.entries.into_iter().enumerate() {
                if at % LOOKED_AT == 0 {
                    self.registry.give_way().await;
                }
                let index = installed.cache.get(definition, &entry)?;
                graph.add(Node { installed: installed.clone(), key: entry.key.clone(), index });
            }
        }
        graph.name_owners();
        Ok(graph)
    }

    async fn actions(&self, graph: &Graph, node: &Node) -> Result<Vec<Action>> {
        let mut actions = Vec::new();
        if node.leaves_orphans() && graph.dependents_of(node).next().is_none() {
            actions.push(Action::Finish(ORPHAN_FINALIZER));
        }
        if node.waits() && !graph.is_blocked(node) {
            actions.push(Action::Finish(FOREGROUND_FINALIZER));
        }
        let orphaned = graph.owners_that_leave(node);
        if !orphaned.is_empty() {
            actions.push(Action::Release(orphaned));
        } else if !node.index.deleting {
            actions.extend(self.action_of_owners(graph, node).await?);
        }
        Ok(actions)
    }

    /// The action on an object given the state of its owners.
    // As upstream's GarbageCollector.attemptToDeleteItem.
    async fn action_of_owners(&self, graph: &Graph, node: &Node) -> Result<Option<Action>> {
        let mut solid = false;
        let mut waiting = false;
        let mut leaving = Vec::new();
        for owner in list(node.index.owners()) {
            match self.owner(graph, node, owner).await? {
                Owner::Solid => solid = true,
                Owner::Unknown => return Ok(None),
                state => {
                    waiting |= state == Owner::Waiting;
                    leaving.push(uid(owner).into());
                }
            }
        }
        if leaving.is_empty() {
            return Ok(None);
        }
        Ok(Some(if solid {
            Action::Release(leaving)
        } else if waiting && graph.dependents_of(node).any(Node::waits) && node.blocks() {
            // A dependent that waits for this object is itself waited for: a cycle.
            Action::Unblock
        } else if waiting && graph.dependents_of(node).next().is_some() {
            Action::Delete(Propagation::Foreground)
        } else {
            Action::Delete(node.propagation())
        }))
    }

    /// The state of what a reference of an object names.
    // As upstream's GarbageCollector.isDangling.
    async fn owner(&self, graph: &Graph, node: &Node, owner: &Value) -> Result<Owner> {
        let text = |member: &str| owner.get(member).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = split_api_version(text("apiVersion"));
        let Some(installed) = graph.kinds.get(&(group.to_owned(), text("kind").to_owned())) else {
            return Ok(Owner::Unknown);
        };
        let definition = &installed.definition;
        if !definition.version(version).is_some_and(|version| version.served) {
            return Ok(Owner::Unknown);
        }
        let GroupResource { group, resource } = definition.place();
        let key = match (definition.namespaced(), node.key.namespace()) {
            (true, Some(namespace)) => Key::namespaced(group, resource, namespace, text("name")),
            (true, None) => return Ok(Owner::Unknown),
            (false, _) => Key::cluster(group, resource, text("name")),
        };
        let Ok(key) = key else { return Ok(Owner::Gone) };
        if let Some(seen) = graph.owner(uid(owner)).filter(|seen| seen.key == key) {
            return Ok(seen.as_owner());
        }
        // It may be newer than the pass.
        let found = self.registry.0.store.get(&key).await.map_err(ApiError::internal)?;
        let Some(entry) = found.entry else { return Ok(Owner::Gone) };
        let index = installed.cache.get(definition, &entry)?;
        let found = Node { installed: installed.clone(), key, index };
        Ok(if found.index.uid == Uid::from(uid(owner)) { found.as_owner() } else { Owner::Gone })
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
                let target = self.registry.resolve_stored(&request)?;
                target.delete(request.name, &options, Some(request.name)).await.map(|_| ())
            }
            Action::Release(owners) => {
                let is_kept = |owner: &Value| !owners.iter().any(|released| *released == *uid(owner));
                self.change(&request, node, &|object| meta::retain(object, OWNERS, is_kept)).await
            }
            Action::Unblock => self.change(&request, node, &unblock_owners).await,
            Action::Finish(finalizer) => {
                let is_kept = |present: &Value| *present != *finalizer;
                self.change(&request, node, &|object| meta::retain(object, "finalizers", is_kept)).await
            }
        };
        match outcome {
            Ok(()) => Ok(true),
            // Somebody else was faster; the next pass sees what there is.
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn change(
        &self,
        request: &Request<'_>,
        node: &Node,
        change: &(dyn Fn(&mut Value) + Send + Sync),
    ) -> Result<()> {
        let options = WriteOptions::default();
        let uid = node.index.uid.to_string();
        let input = Input::change(change, &uid, &options);
        self.registry.resolve_stored(request)?.update(&input).await.map(|_| ())
    }
}

impl Graph {
    fn add(&mut self, node: Node) {
        let at = self.nodes.len();
        for owner in list(node.index.owners()) {
            self.dependents.entry(uid(owner).into()).or_default().push(at);
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
        self.by_uid.get(&uid.into()).and_then(|at| self.nodes.get(*at))
    }

    fn dependents_of(&self, node: &Node) -> impl Iterator<Item = &Node> {
        let dependents = self.dependents.get(&node.index.uid).map(Vec::as_slice).unwrap_or_default();
        dependents.iter().filter_map(|at| self.nodes.get(*at))
    }

    /// The owners of an object that leave their dependents as orphans.
    fn owners_that_leave(&self, node: &Node) -> Vec<Text> {
        let leaves = |owner: &&Value| self.owner(uid(owner)).is_some_and(Node::leaves_orphans);
        list(node.index.owners()).iter().filter(leaves).map(|owner| uid(owner).into()).collect()
    }

    /// True if an object waits for dependents that block its end.
    fn is_blocked(&self, node: &Node) -> bool {
        self.dependents_of(node).any(|dependent| {
            list(dependent.index.owners())
                .iter()
                .any(|owner| node.index.uid == Uid::from(uid(owner)) && is_blocking(owner))
        })
    }
}

impl Node {
    fn has_owners(&self) -> bool {
        !list(self.index.owners()).is_empty()
    }

    fn leaves_orphans(&self) -> bool {
        self.index.deleting && self.has(ORPHAN_FINALIZER)
    }

    fn waits(&self) -> bool {
        self.index.deleting && self.has(FOREGROUND_FINALIZER)
    }

    /// True if it keeps any owner from its end.
    fn blocks(&self) -> bool {
        list(self.index.owners()).iter().any(is_blocking)
    }

    fn as_owner(&self) -> Owner {
        if self.waits() { Owner::Waiting } else { Owner::Solid }
    }

    /// The deletion propagation, which finalizers may request before the delete.
    fn propagation(&self) -> Propagation {
        if self.has(ORPHAN_FINALIZER) {
            Propagation::Orphan
        } else if self.has(FOREGROUND_FINALIZER) {
            Propagation::Foreground
        } else {
            Propagation::Background
        }
    }

    fn has(&self, finalizer: &str) -> bool {
        list(self.index.finalizers()).iter().any(|present| *present == finalizer)
    }
}

fn uid(owner: &Value) -> &str {
    owner.get("uid").and_then(Value::as_str).unwrap_or_default()
}

fn is_blocking(owner: &Value) -> bool {
    owner.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false)
}

/// The object with references that let its owners go.
fn unblock_owners(object: &mut Value) {
    let unblocked = |owner: &Value| {
        let mut owner = owner.clone();
        if is_blocking(&owner) {
            owner.insert("blockOwnerDeletion", false);
        }
        owner
    };
    let owners: Array = meta::get(object, OWNERS).map(list).unwrap_or_default().iter().map(unblocked).collect();
    meta::set(object, OWNERS, owners);
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(|array| &array[..]).unwrap_or_default()
}

//! Keeps what a registry serves in step with the definitions in its store.
//!
//! All decisions are made of what is stored and written back with compare-and-swap, so any number of servers can do this
//! over one store.

mod finish;
mod known;
mod load;
mod names;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use sprag_registry::{Registry, WatchKind};
use sprag_rest::{ApiError, GroupResource, ListOptions, Request, Result, User, WriteOptions, meta};
use sprag_schema::accept::{Approval, has_bad_ca_bundle};
use sprag_schema::crd::{Crd, Names};
use sprag_value::{Time, Value};

use self::known::{Definitions, Known};
pub use self::load::load;
use sprag_crd::condition::{self, Condition};
use sprag_crd::{CLEANUP_FINALIZER, GROUP, PLURAL, VERSION};
use sprag_crd::{Compiled, compiled_resource};
use sprag_crd::{ConversionClient, Converter};

/// The field manager that writes the status of definitions.
const MANAGER: &str = "kube-apiserver";
/// Maximum rounds of one reconciliation: names that become free let other definitions have them.
const MAX_ROUNDS: usize = 64;

/// Serves what the stored definitions define.
pub struct DefinitionController {
    registry: Registry,
    user: User,
    /// Calls conversion webhooks.
    conversions: Option<Arc<dyn ConversionClient>>,
    known: Mutex<Definitions>,
    /// Held while everything is brought into step: a second look at the same time would undo what the first has served.
    turn: tokio::sync::Mutex<()>,
}

/// The served resource of a definition.
struct Served {
    resource: GroupResource,
    state: State,
    compiled: Arc<Compiled>,
}

/// The state by which definitions of different resources are told apart.
#[derive(PartialEq)]
struct State {
    uid: String,
    generation: i64,
    names: Names,
    is_deleting: bool,
}

impl State {
    fn of(definition: &Value, crd: &Crd) -> State {
        State {
            uid: meta::uid(definition).to_owned(),
            generation: meta::generation(definition),
            names: crd.status.accepted_names.clone(),
            is_deleting: meta::is_deleting(definition),
        }
    }
}

impl DefinitionController {
    /// A controller of a registry, which has [`definitions`](sprag_crd::definitions) among its resources.
    pub fn new(registry: Registry) -> DefinitionController {
        let user = User {
            name: "system:apiserver".into(),
            groups: vec!["system:masters".into(), "system:authenticated".into()],
            ..User::default()
        };
        DefinitionController {
            registry,
            user,
            conversions: None,
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The same with a client for conversion webhooks. Without one, versions of objects differ in nothing but their names.
    #[must_use]
    pub fn with_conversions(self, client: Arc<dyn ConversionClient>) -> DefinitionController {
        DefinitionController { conversions: Some(client), ..self }
    }

    /// Brings everything into step with the store: conditions and accepted names of definitions, what is served, and the
    /// end of definitions that are being deleted. Objects that wait for finalizers are left to a later call.
    pub async fn sync(&self) -> Result<()> {
        let _turn = self.turn.lock().await;
        self.rounds().await
    }

    /// The same for one definition that was written, and for those that wait for names which became free with that. Costs the
    /// same however many definitions there are.
    pub async fn sync_definition(&self, name: &str) -> Result<()> {
        let _turn = self.turn.lock().await;
        for _ in 0..MAX_ROUNDS {
            let has_changed = self.look_at(name).await?;
            if !has_changed {
                break;
            }
        }
        let freed = self.known().take_freed(name);
        if freed { self.rounds().await } else { Ok(()) }
    }

    async fn rounds(&self) -> Result<()> {
        for _ in 0..MAX_ROUNDS {
            if !self.round().await? {
                break;
            }
        }
        Ok(())
    }

    /// Looks at a definition once; tells whether it changed.
    async fn look_at(&self, name: &str) -> Result<bool> {
        let mut has_changed = self.refresh_definition(name).await?;
        has_changed |= self.settle(&[name.to_owned()]).await?;
        self.serve(name);
        has_changed |= self.finish(name).await?;
        Ok(has_changed)
    }

    /// Reconciles on every change of definitions. Ends when the store fails; call it again after a while.
    pub async fn run(&self) -> Result<()> {
        loop {
            let first = ListOptions { limit: 1, ..ListOptions::default() };
            let list = self.registry.list(&self.request("", ""), &first).await?;
            let options = ListOptions { resource_version: list.resource_version, ..ListOptions::default() };
            let mut watch = self.registry.watch(&self.request("", ""), &options).await?;
            self.sync().await?;
            let mut has_seen_any = false;
            while let Some(event) = watch.next().await {
                if event.kind == WatchKind::Error {
                    break;
                }
                has_seen_any = true;
                if event.kind != WatchKind::Bookmark {
                    self.sync_definition(meta::name(&event.object)).await?;
                }
            }
            if !has_seen_any {
                return Err(ApiError::internal("the watch of definitions ended"));
            }
        }
    }

    /// Looks at every definition once; tells whether something changed that others may depend on.
    async fn round(&self) -> Result<bool> {
        let mut has_changed = self.refresh().await?;
        let names = self.known().by_age();
        has_changed |= self.settle(&names).await?;
        for name in names {
            self.serve(&name);
            has_changed |= self.finish(&name).await?;
        }
        Ok(has_changed)
    }

    /// Brings the status of definitions up to date; tells whether any was not. Each is decided on with those before it
    /// decided; then all are written at once.
    async fn settle(&self, names: &[String]) -> Result<bool> {
        let mut writes = Vec::new();
        for name in names {
            let settled = settled(&self.known(), name, self.registry.now());
            if let Some(settled) = settled {
                self.note(settled.clone());
                writes.push(self.update_status(settled));
            }
        }
        let has_changed = !writes.is_empty();
        for written in join_all(writes).await {
            written?;
        }
        Ok(has_changed)
    }

    /// Reads what has changed in the store; tells whether something is gone.
    async fn refresh(&self) -> Result<bool> {
        let revisions = self.registry.list_revisions(&self.request("", "")).await?;
        for (name, revision) in &revisions {
            if self.known().get(name).is_some_and(|known| known.revision == *revision) {
                continue;
            }
            match self.registry.get(&self.request(name, ""), "").await {
                Ok(definition) => self.note(definition),
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error),
            }
        }
        let present: BTreeSet<&String> = revisions.iter().map(|(name, _)| name).collect();
        let gone: Vec<String> = self.known().names().filter(|name| !present.contains(name)).cloned().collect();
        for name in &gone {
            self.forget(name);
        }
        Ok(!gone.is_empty())
    }

    /// Reads a definition; tells whether it is gone.
    async fn refresh_definition(&self, name: &str) -> Result<bool> {
        match self.registry.get(&self.request(name, ""), "").await {
            Ok(definition) => {
                self.note(definition);
                Ok(false)
            }
            Err(error) if error.is_not_found() => Ok(self.forget(name)),
            Err(error) => Err(error),
        }
    }

    fn note(&self, definition: Value) {
        self.known().note(definition);
    }

    /// Writes a status; a conflict is ignored, since the change triggers another reconciliation.
    async fn update_status(&self, definition: Value) -> Result<Option<Value>> {
        let name = meta::name(&definition).to_owned();
        let request = self.request(&name, "status");
        match self.registry.update(&request, definition, &WriteOptions::by(MANAGER)).await {
            Ok(answer) => {
                self.note(answer.object.clone());
                Ok(Some(answer.object))
            }
            Err(error) => {
                // The decision was not stored.
                if let Some(known) = self.known().get_mut(&name) {
                    known.revision = 0;
                }
                if matches!(error.code(), 404 | 409) { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Serves what a definition defines, if it is established; nothing happens if it is served already.
    fn serve(&self, name: &str) {
        let mut all = self.known();
        let Some(known) = all.get_mut(name) else { return };
        if !known.crd.status.established {
            if let Some(served) = known.served.take() {
                self.registry.remove(&served.resource);
            }
            return;
        }
        let state = State::of(&known.definition, &known.crd);
        if known.served.as_ref().is_some_and(|served| served.state == state) {
            return;
        }
        let before = known.served.take();
        let compiled =
            before.as_ref().map(|served| &served.compiled).filter(|compiled| compiled.fits(&known.definition));
        let compiled =
            compiled.cloned().unwrap_or_else(|| Arc::new(Compiled::new(&known.definition, self.registry.gates())));
        let converter = self.conversions.as_ref().and_then(|client| Converter::of(&known.definition, client));
        let definition = compiled_resource(&known.crd, &compiled, converter);
        // A definition does not take the place of what the server has by itself.
        if self.registry.definition(&definition.resource).is_some_and(|present| present.conventions.has_routes) {
            return;
        }
        known.served = Some(Served { resource: definition.resource.clone(), state, compiled });
        self.registry.install(definition);
    }

    /// Forgets a definition; tells whether it was known.
    fn forget(&self, name: &str) -> bool {
        let known = self.known().forget(name);
        let was_known = known.is_some();
        if let Some(served) = known.and_then(|known| known.served) {
            self.registry.remove(&served.resource);
        }
        was_known
    }

    fn known(&self) -> MutexGuard<'_, Definitions> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request<'a>(&'a self, name: &'a str, subresource: &'a str) -> Request<'a> {
        Request { group: GROUP, version: VERSION, resource: PLURAL, namespace: "", name, subresource, user: &self.user }
    }
}

/// A definition with its status brought up to date, if that changes it.
fn settled(all: &Definitions, name: &str, now: Time) -> Option<Value> {
    let Known { crd, definition, .. } = all.get(name)?;
    let mut conditions = Vec::new();
    let mut accepted = None;
    if crd.names != crd.status.accepted_names {
        let (names, condition) = names::decide(crd, all.used(&crd.group)?);
        accepted = Some(names).filter(|names| *names != crd.status.accepted_names);
        conditions.push(condition);
    }
    let are_names_accepted = match conditions.first() {
        Some(condition) => condition.status == "True",
        None => condition::is_true(definition, "NamesAccepted"),
    };
    if !crd.status.established {
        conditions.push(established(crd, are_names_accepted));
    }
    conditions.extend(approval(crd));
    conditions.retain(|condition| !condition.holds(definition));
    if conditions.is_empty() && accepted.is_none() {
        return None;
    }
    let mut new = definition.clone();
    for condition in &conditions {
        condition::set(&mut new, condition, now);
    }
    if let Some(names) = &accepted {
        names::set_accepted(&mut new, names);
    }
    Some(new)
}

/// Sets `Established`, which is permanent, once names are accepted and the conversion webhook has a valid CA bundle.
fn established(crd: &Crd, are_names_accepted: bool) -> Condition {
    let (status, reason, message) = if !are_names_accepted {
        ("False", "NotAccepted", "not all names are accepted")
    } else if has_bad_ca_bundle(crd) {
        ("False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
    } else {
        ("True", "InitialNamesAccepted", "the initial names have been accepted")
    };
    Condition { ty: "Established", status, reason, message: message.into() }
}

/// Returns the approval condition of a definition of a protected group; `None` for other groups.
fn approval(crd: &Crd) -> Option<Condition> {
    let (approval, message) = Approval::of(crd)?;
    let (status, reason) = match approval {
        Approval::Given => ("True", "ApprovedAnnotation"),
        Approval::Bypassed => ("False", "UnapprovedAnnotation"),
        Approval::Missing => ("False", "MissingAnnotation"),
        Approval::Invalid => ("False", "InvalidAnnotation"),
    };
    Some(Condition { ty: "KubernetesAPIApprovalPolicyConformant", status, reason, message: message.into() })
}

fn has_cleanup_finalizer(definition: &Value) -> bool {
    meta::finalizers(definition).any(|finalizer| finalizer == CLEANUP_FINALIZER)
}

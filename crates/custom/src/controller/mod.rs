//! Keeps what a registry serves in step with the definitions in its store.
//!
//! All decisions are made of what is stored and written back with compare-and-swap, so any number of servers can do this
//! over one store.

mod finish;
mod names;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sprag_registry::{
    ApiError, GroupResource, ListOptions, Registry, Request, Result, User, WatchKind, WriteOptions, meta,
};
use sprag_schema::accept::Approval;
use sprag_schema::crd::Crd;
use sprag_value::{Time, Value};

use crate::condition::{self, Condition};
use crate::definition::{CLEANUP_FINALIZER, GROUP, PLURAL, VERSION};
use crate::instance::{resource, without_schemas};

/// Who writes the status of definitions, in the books on fields.
const MANAGER: &str = "kube-apiserver";
/// How often everything is looked at again in one go: names that become free let others have them.
const MAX_ROUNDS: usize = 64;

/// Serves what the stored definitions define.
pub struct Controller {
    registry: Registry,
    user: User,
    served: Mutex<BTreeMap<String, Served>>,
}

/// What is served for a definition.
struct Served {
    resource: GroupResource,
    /// What it was made of, without what does not matter to it.
    source: Value,
}

impl Controller {
    /// A controller of a registry, which has [`definitions`](crate::definitions) among its resources.
    pub fn new(registry: Registry) -> Controller {
        let user = User {
            name: "system:apiserver".into(),
            groups: vec!["system:masters".into(), "system:authenticated".into()],
            ..User::default()
        };
        Controller { registry, user, served: Mutex::default() }
    }

    /// Brings everything into step with the store: conditions and accepted names of definitions, what is served, and the
    /// end of definitions that are being deleted. Objects that wait for finalizers are left to a later call.
    pub async fn sync(&self) -> Result<()> {
        for _ in 0..MAX_ROUNDS {
            if !self.round().await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Does so on every change of definitions, whoever makes it. Ends when the store fails; call it again after a while.
    pub async fn run(&self) -> Result<()> {
        loop {
            self.sync().await?;
            let list =
                self.registry.list(&self.request("", ""), &ListOptions { limit: 1, ..ListOptions::default() }).await?;
            let options = ListOptions { resource_version: list.resource_version, ..ListOptions::default() };
            // What happened between the two is seen now.
            self.sync().await?;
            let mut watch = self.registry.watch(&self.request("", ""), &options).await?;
            let mut has_seen_any = false;
            while let Some(event) = watch.next().await {
                if event.kind == WatchKind::Error {
                    break;
                }
                has_seen_any = true;
                self.sync().await?;
            }
            if !has_seen_any {
                return Err(ApiError::internal("the watch of definitions ended"));
            }
        }
    }

    /// Looks at every definition once; tells whether something changed that others may depend on.
    async fn round(&self) -> Result<bool> {
        let list = self.registry.list(&self.request("", ""), &ListOptions::default()).await?;
        let mut definitions = list.items;
        definitions.sort_by(|a, b| age_and_name(a).cmp(&age_and_name(b)));
        let mut has_changed = self.forget_missing(&definitions);
        for at in 0..definitions.len() {
            if let Some(changed) = self.settle(&definitions, at).await? {
                definitions[at] = changed;
                has_changed = true;
            }
            self.serve(&definitions[at]);
            has_changed |= self.finish(&definitions[at]).await?;
        }
        Ok(has_changed)
    }

    /// Brings the status of a definition up to date; what it is then, if it changed.
    async fn settle(&self, definitions: &[Value], at: usize) -> Result<Option<Value>> {
        let definition = &definitions[at];
        let Ok(crd) = Crd::read(&without_schemas(definition)) else { return Ok(None) };
        let mut new = definition.clone();
        let now = self.registry.now();
        if crd.names != crd.status.accepted_names {
            let used = names::Used::of(definitions, &crd.group);
            let (accepted, condition) = names::decide(&crd, &used);
            names::set_accepted(&mut new, &accepted);
            set_unless_held(&mut new, &condition, now);
        }
        establish(&mut new, now);
        if let Some(condition) = approval(&crd) {
            set_unless_held(&mut new, &condition, now);
        }
        if new == *definition {
            return Ok(None);
        }
        self.update_status(new).await
    }

    /// Writes a status; nothing if somebody else changed the definition, which is then looked at again.
    async fn update_status(&self, definition: Value) -> Result<Option<Value>> {
        let name = meta::name(&definition).to_owned();
        let request = self.request(&name, "status");
        match self.registry.update(&request, definition, &WriteOptions::by(MANAGER)).await {
            Ok(answer) => Ok(Some(answer.object)),
            Err(error) if matches!(error.code(), 404 | 409) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Serves what a definition defines, if it is established; nothing happens if it is served already.
    fn serve(&self, definition: &Value) {
        let name = meta::name(definition);
        if !condition::is_true(definition, "Established") {
            self.forget(name);
            return;
        }
        let source = source(definition);
        if self.served().get(name).is_some_and(|served| served.source == source) {
            return;
        }
        let Ok(resource) = resource(definition, self.registry.gates()) else { return };
        // A definition does not take the place of what the server has by itself.
        if self.registry.definition(&resource.resource).is_some_and(|present| !present.custom) {
            return;
        }
        let served = Served { resource: resource.resource.clone(), source };
        self.registry.install(resource);
        self.served().insert(name.to_owned(), served);
    }

    /// Does not serve any more what has no definition; tells whether there was any.
    fn forget_missing(&self, definitions: &[Value]) -> bool {
        let is_there = |name: &String| definitions.iter().any(|definition| meta::name(definition) == name);
        let gone: Vec<String> = self.served().keys().filter(|name| !is_there(name)).cloned().collect();
        gone.iter().for_each(|name| self.forget(name));
        !gone.is_empty()
    }

    fn forget(&self, name: &str) {
        let served = self.served().remove(name);
        if let Some(served) = served {
            self.registry.remove(&served.resource);
        }
    }

    fn served(&self) -> MutexGuard<'_, BTreeMap<String, Served>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request<'a>(&'a self, name: &'a str, subresource: &'a str) -> Request<'a> {
        Request { group: GROUP, version: VERSION, resource: PLURAL, namespace: "", name, subresource, user: &self.user }
    }
}

/// Older definitions have the older rights to names.
fn age_and_name(definition: &Value) -> (&str, &str) {
    (meta::text(definition, "creationTimestamp"), meta::name(definition))
}

/// What matters to the resource that a definition defines.
fn source(definition: &Value) -> Value {
    let accepted = definition.lookup(&["status", "acceptedNames"]).cloned().unwrap_or_default();
    let spec = definition.get("spec").cloned().unwrap_or_default();
    Value::from_iter([("uid", meta::uid(definition).into()), ("spec", spec), ("acceptedNames", accepted)])
}

/// A definition whose names are accepted is established, for good.
fn establish(definition: &mut Value, now: Time) {
    if condition::is_true(definition, "Established") {
        return;
    }
    let condition = if condition::is_true(definition, "NamesAccepted") {
        Condition {
            ty: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted".into(),
        }
    } else {
        Condition {
            ty: "Established",
            status: "False",
            reason: "NotAccepted",
            message: "not all names are accepted".into(),
        }
    };
    set_unless_held(definition, &condition, now);
}

/// Whether a definition of a protected group is approved; nothing for other groups.
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

fn set_unless_held(definition: &mut Value, condition: &Condition, now: Time) {
    if !condition.holds(definition) {
        condition::set(definition, condition, now);
    }
}

fn has_cleanup_finalizer(definition: &Value) -> bool {
    meta::finalizers(definition).any(|finalizer| finalizer == CLEANUP_FINALIZER)
}

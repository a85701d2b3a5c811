//! One resource of a server, with an object that the server takes.

use std::cell::{OnceCell, RefCell};
use std::thread::sleep;
use std::time::Duration;

use sprag_value::Value;

use super::discover::{NAMESPACE, Resource};
use super::edit::{difference, is_set, set, value_at};
use super::repair::send_repaired;
use super::schema::{Schema, Step};
use super::session::{MERGE_PATCH, Response, Session};

/// The time within which an object is gone, if controllers have to release it.
const GONE_WITHIN: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of retries after a conflict.
const CONFLICTS: usize = 5;
/// Maximum number of changes of a spec that are tried.
const MAX_CHANGES: usize = 300;
/// The number of fields of a status that are set at once.
const STATUS_FIELDS: usize = 6;
/// The members of objects that are neither what is wanted nor what is.
pub(super) const ENVELOPE: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// One resource under test.
pub(super) struct Case<'s> {
    pub(super) session: &'s Session<'s>,
    pub(super) resource: &'s Resource,
    /// The version that objects are written in.
    pub(super) version: &'s str,
    pub(super) schema: Schema,
    /// An object that the server takes.
    pub(super) base: Value,
    seed: Option<Value>,
    change: OnceCell<Option<Change>>,
    status: OnceCell<Option<Value>>,
    notes: RefCell<Vec<String>>,
}

/// A change of an object that the server takes.
#[derive(Clone, Debug)]
pub(super) struct Change {
    path: Vec<Step>,
    value: Value,
}

impl Change {
    /// Makes the change.
    pub(super) fn apply(&self, schema: &Schema, object: &mut Value) {
        set(object, schema, &self.path, self.value.clone());
    }
}

impl<'s> Case<'s> {
    /// A resource with an object that the server takes: its seed, or one made of its schema.
    pub(super) fn new(
        session: &'s Session<'s>,
        resource: &'s Resource,
        schema: Schema,
        seed: Option<&Value>,
    ) -> Result<Case<'s>, String> {
        let version = resource.versions[0].name.as_str();
        let mut base = seed.cloned().unwrap_or_else(|| first_object(&schema));
        let status = base.remove("status");
        base.insert("apiVersion", resource.api_version(version));
        base.insert("kind", resource.kind.as_str());
        set_meta(&mut base, "name", || "enforce".into());
        if resource.namespaced {
            set_meta(&mut base, "namespace", || NAMESPACE.into());
        }
        let collection = format!("{}?dryRun=All", resource.collection(version));
        let (base, answer) = send_repaired(&schema, base, &[], |object| session.post(&collection, object))?;
        if !answer.is_ok() {
            return Err(format!("no object that the server takes: {}; give one as a seed", answer.said()));
        }
        let seed = seed.map(|_| status.unwrap_or_default());
        let change = OnceCell::new();
        let status = OnceCell::new();
        let notes = RefCell::default();
        Ok(Case { session, resource, version, schema, base, seed, change, status, notes })
    }

    /// Says that something could not be looked at.
    pub(super) fn note(&self, what: &str) {
        let note = format!("{}: {what}", self.resource);
        if !self.notes.borrow().contains(&note) {
            self.notes.borrow_mut().push(note);
        }
    }

    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_inner()
    }

    pub(super) fn collection(&self) -> String {
        self.resource.collection(self.version)
    }

    pub(super) fn name(&self) -> &str {
        self.base.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()
    }

    /// The path of the object, in the version of the case.
    pub(super) fn path(&self) -> String {
        self.path_in(self.version)
    }

    pub(super) fn path_in(&self, version: &str) -> String {
        format!("{}/{}", self.resource.collection(version), self.name())
    }

    /// Asks what would become of a new object.
    pub(super) fn dry_create(&self, object: &Value) -> Result<Response, String> {
        self.session.post(&format!("{}?dryRun=All", self.collection()), object)
    }

    /// Asks what would become of a changed object.
    pub(super) fn dry_update(&self, object: &Value) -> Result<Response, String> {
        self.session.put(&format!("{}?dryRun=All", self.path()), object)
    }

    /// Creates the object anew, whatever was there.
    pub(super) fn create(&self) -> Result<Value, String> {
        self.create_as(&self.base)
    }

    pub(super) fn create_as(&self, object: &Value) -> Result<Value, String> {
        self.remove()?;
        let answer = self.session.post(&self.collection(), object)?;
        if answer.is_ok() { self.get() } else { Err(format!("it cannot be created: {}", answer.said())) }
    }

    pub(super) fn get(&self) -> Result<Value, String> {
        self.session.read(&self.path())
    }

    /// Replaces the object and returns what became of it, or why not.
    pub(super) fn update(&self, object: &Value) -> Result<Response, String> {
        self.put(&self.path(), object)
    }

    pub(super) fn update_status(&self, object: &Value) -> Result<Response, String> {
        self.put(&format!("{}/status", self.path()), object)
    }

    /// Replaces the object, or its status. Whoever else writes it, as controllers do, is let go first.
    fn put(&self, path: &str, object: &Value) -> Result<Response, String> {
        let mut object = object.clone();
        for _ in 0..CONFLICTS {
            let answer = self.session.put(path, &object)?;
            let conflicts = answer.code == 409 && object.lookup(&["metadata", "resourceVersion"]).is_some();
            if !conflicts {
                return Ok(answer);
            }
            let version = self.get()?.lookup(&["metadata", "resourceVersion"]).cloned().unwrap_or_default();
            if let Some(metadata) = object.get_mut("metadata") {
                metadata.insert("resourceVersion", version);
            }
        }
        self.session.put(path, &object)
    }

    /// Deletes the object and what keeps it.
    pub(super) fn remove(&self) -> Result<(), String> {
        let path = self.path();
        for round in 0..GONE_WITHIN {
            let there = self.session.get(&path)?;
            if there.code == 404 {
                return Ok(());
            }
            if there.body.lookup(&["metadata", "finalizers"]).is_some() {
                let free = sprag_value::json::parse(br#"{"metadata":{"finalizers":null}}"#).unwrap_or_default();
                self.session.patch(&path, MERGE_PATCH, &free)?;
            }
            self.session.delete(&format!("{path}?gracePeriodSeconds=0"))?;
            if self.resource.to_string() == "namespaces" {
                let mut namespace = there.body;
                namespace.insert("spec", Value::object());
                self.session.put(&format!("{path}/finalize"), &namespace)?;
            }
            if round > 2 {
                sleep(INTERVAL);
            }
        }
        Err(format!("{path} is not deleted"))
    }

    /// A change of what is wanted that the server takes as an update of a stored object.
    pub(super) fn change(&self, stored: &Value) -> Option<&Change> {
        self.change.get_or_init(|| self.find_change(stored)).as_ref()
    }

    /// The same, or a change that the server rejects if it accepts none.
    pub(super) fn any_change(&self, stored: &Value) -> Option<Change> {
        self.change(stored).cloned().or_else(|| self.changes(stored).into_iter().next())
    }

    fn find_change(&self, stored: &Value) -> Option<Change> {
        let taken = self.changes(stored).into_iter().take(MAX_CHANGES).find(|change| {
            let mut object = stored.clone();
            change.apply(&self.schema, &mut object);
            let taken = self.dry_update(&object).ok().filter(Response::is_ok);
            taken.is_some_and(|taken| self.wanted().iter().any(|member| taken.body.get(member) != stored.get(member)))
        });
        if taken.is_none() {
            self.note("no change of what is wanted is taken as an update");
        }
        taken
    }

    /// The members that say what is wanted: the spec, or of kinds without one all others.
    pub(super) fn wanted(&self) -> Vec<String> {
        let names = self.schema.properties().into_iter().map(|(name, _)| name);
        let names: Vec<String> = names.filter(|name| !ENVELOPE.contains(&name.as_str())).collect();
        if names.iter().any(|name| name == "spec") { vec!["spec".to_owned()] } else { names }
    }

    /// Changes that may be taken: of fields that are set, then of fields that are not.
    fn changes(&self, stored: &Value) -> Vec<Change> {
        let (set, unset): (Vec<_>, Vec<_>) =
            self.leaves(|member| !ENVELOPE.contains(&member)).into_iter().partition(|path| is_set(stored, path));
        let altered = set.into_iter().flat_map(|path| {
            let values = value_at(stored, &path).map(|value| others(value, self.schema.at(&path))).unwrap_or_default();
            values.into_iter().map(move |value| Change { path: path.clone(), value })
        });
        let added = unset.into_iter().filter_map(|path| {
            let value = self.schema.at(&path)?.sample();
            Some(Change { path, value })
        });
        altered.chain(added).collect()
    }

    /// The paths of fields below some members of the object.
    pub(super) fn leaves(&self, members: impl Fn(&str) -> bool) -> Vec<Vec<Step>> {
        let chosen = |path: &Vec<Step>| matches!(path.first(), Some(Step::Field(name)) if members(name));
        self.schema.leaves().into_iter().filter(chosen).collect()
    }

    /// A status that `/status` takes and the object does not have yet.
    pub(super) fn status(&self, stored: &Value) -> Option<&Value> {
        self.status.get_or_init(|| self.find_status(stored)).as_ref()
    }

    fn find_status(&self, stored: &Value) -> Option<Value> {
        let path = format!("{}/status?dryRun=All", self.path());
        let given = self.seed.clone().unwrap_or_default();
        let mut found = stored.clone();
        if !given.is_null() {
            found.insert("status", given);
            let taken = self.session.put(&path, &found).ok().filter(Response::is_ok);
            if taken.is_some_and(|taken| taken.body.get("status") != stored.get("status")) {
                return found.remove("status");
            }
            self.note("the status of its seed is not taken");
            found = stored.clone();
        }
        let mut fields = 0;
        for leaf in self.leaves(|member| member == "status") {
            if fields == STATUS_FIELDS {
                break;
            }
            let Some(schema) = self.schema.at(&leaf) else { continue };
            let mut object = found.clone();
            set(&mut object, &self.schema, &leaf, schema.sample());
            let sent = send_repaired(&self.schema, object, &leaf, |object| self.session.put(&path, object));
            let Ok((object, answer)) = sent else { continue };
            let before = found.get("status").unwrap_or(&Value::Null);
            if answer.is_ok() && difference(before, answer.body.get("status").unwrap_or(&Value::Null)).is_some() {
                found.insert("status", object.get("status").cloned().unwrap_or_default());
                fields += 1;
            }
        }
        if fields == 0 {
            self.note("no status is taken; give one as a seed");
            return None;
        }
        found.remove("status")
    }
}

/// An object with what its schema requires, of the spec, too.
fn first_object(schema: &Schema) -> Value {
    let mut object = schema.sample();
    if let Some(spec) = schema.property("spec").filter(|_| object.get("spec").is_none()) {
        object.insert("spec", spec.sample());
    }
    object.insert("metadata", Value::object());
    object
}

/// Sets a member of the metadata unless it is there.
fn set_meta(object: &mut Value, name: &str, value: impl FnOnce() -> Value) {
    if object.get("metadata").and_then(Value::as_object).is_none() {
        object.insert("metadata", Value::object());
    }
    if let Some(metadata) = object.get_mut("metadata").filter(|metadata| metadata.get(name).is_none()) {
        metadata.insert(name, value());
    }
}

/// Values that a field may have instead.
fn others(value: &Value, schema: Option<Schema>) -> Vec<Value> {
    let choices = schema.map(|schema| schema.choices()).unwrap_or_default();
    match value {
        _ if !choices.is_empty() => choices.into_iter().filter(|choice| choice != value).collect(),
        Value::Bool(value) => vec![(!value).into()],
        Value::Int(value) => vec![(value.saturating_add(1)).into(), (value.saturating_sub(1)).into()],
        Value::String(text) => vec![format!("{text}x").into(), "b".into(), "2".into()],
        _ => Vec::new(),
    }
}

//! Computes the object and its managed fields after apply and after every other write.

use std::borrow::Cow;

use sprag_shape::{Shapes, TypeId, to_go_json};
use sprag_value::{Array, Text, Time, Value, json};

use crate::PatchError;
use crate::apply::fields::reconcile::has_parts_of_atomics;
use crate::apply::fields::set::FieldSet;
use crate::apply::owners::cap::cap_updaters;
use crate::apply::owners::first_fields::first_fields;
use crate::apply::owners::last_applied;
use crate::apply::owners::managed::{self, Managed, ManagerId, Operation, Owned};
use crate::apply::owners::own_fields::{Owners, writes_own_fields};
use crate::apply::owners::owned_set::OwnedSet;
use crate::apply::owners::updater::{ApplyError, Typed, Updater};
use crate::apply::types::ty::Ty;
use crate::apply::types::validate::{Duplicates, validate, validate_like};

/// The manager of everything that was there before the first apply of an object without managers.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The versions of a resource.
pub trait Versions {
    /// The type of objects in this version, `apps/v1`; nothing when the version is not known.
    fn shape(&self, api_version: &str) -> Option<(&Shapes, TypeId)>;

    /// The object in another version.
    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConvertError>;

    /// The reset fields of this endpoint: it does not change them, so its writers do not own them.
    fn reset_fields(&self, api_version: &str) -> Option<&FieldSet> {
        let _ = api_version;
        None
    }
}

/// Conversion errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// The version is not known any more; managers that own fields in it are dropped.
    #[error("the version is not known")]
    UnknownVersion,
    /// The conversion failed.
    #[error("{0}")]
    Failed(String),
}

/// The endpoint that a request goes to.
#[derive(Clone, Copy)]
pub struct Resource<'a> {
    /// The versions of its objects.
    pub versions: &'a dyn Versions,
    /// The version of the request, `apps/v1`.
    pub api_version: &'a str,
    /// The kind of its objects.
    pub kind: &'a str,
    /// The subresource, empty for the object itself.
    pub subresource: &'a str,
    /// Objects are written with the members that a Go value always has, so that a new one has them, too.
    pub writes_zero_values: bool,
    /// An update with an empty list of `managedFields` resets ownership.
    pub empty_managed_fields_reset: bool,
    /// Owners stay as they are where they cannot be settled; else there are none then.
    pub keeps_unsettled_owners: bool,
}

impl<'a> Resource<'a> {
    /// Merges an applied object into the stored one, in the version of the request; `live` is nothing when there is
    /// none yet.
    pub fn apply(
        &self,
        live: Option<&Value>,
        applied: &Value,
        manager: &str,
        force: bool,
        now: Time,
    ) -> Result<Value, PatchError> {
        let live = self.live_or_empty(live);
        let live = live.as_ref();
        let managed = Managed::of(live)
            .map_err(|error| PatchError::BadRequest(format!("failed to decode managed fields: {error}")))?;
        self.check_applied(applied)?;
        let mut live_object = live.clone();
        managed::set_entries(&mut live_object, Array::new());
        let request = Request { resource: self, live: live_object, applied, manager, now };
        let mut object = match request.apply(managed.clone(), force) {
            Err(Failure::Conflict(owners)) if manager == last_applied::MANAGER => {
                match last_applied::remaining(self, &request.live, owners) {
                    owners if owners.is_empty() => request.apply(managed, true),
                    owners => Err(Failure::Conflict(owners)),
                }
            }
            result => result,
        }
        .map_err(PatchError::from)?;
        if manager == last_applied::MANAGER {
            last_applied::refresh(&mut object, applied);
        }
        Ok(object)
    }

    /// Settles who owns what after any other write made `new` of `live`. Whatever goes wrong with that is no reason
    /// to refuse the write: the owners are then left as they were, or forgotten.
    pub fn update(&self, live: Option<&Value>, new: Value, manager: &str, now: Time) -> Value {
        let live = self.live_or_empty(live);
        let live = live.as_ref();
        let managed = self.managed_for_update(live, &new);
        let mut object = new;
        managed::set_entries(&mut object, Array::new());
        let is_create = live.lookup(&["metadata", "uid"]).and_then(Value::as_str).is_none_or(str::is_empty);
        if managed.is_empty() && !is_create {
            return object;
        }
        let before = managed::entries(live);
        let mut live = live.clone();
        managed::set_entries(&mut live, Array::new());
        match self.updated(&live, &object, managed, manager, now) {
            Ok(managed) => managed.put(&mut object),
            Err(_) if self.keeps_unsettled_owners => managed::set_entries(&mut object, before),
            Err(_) => {}
        }
        object
    }

    fn live_or_empty<'l>(&self, live: Option<&'l Value>) -> Cow<'l, Value> {
        live.map_or_else(|| Cow::Owned(self.empty()), Cow::Borrowed)
    }

    /// The object before there is one.
    fn empty(&self) -> Value {
        let shape = if self.writes_zero_values { self.versions.shape(self.api_version) } else { None };
        let mut object = match shape {
            Some((shapes, id)) => json::parse(to_go_json(shapes, id, &Value::object()).as_bytes()).unwrap_or_default(),
            None => Value::object(),
        };
        object.insert("apiVersion", self.api_version);
        object.insert("kind", self.kind);
        object
    }

    /// The owners that the writer sent, if it may and did, else those of the stored object.
    fn managed_for_update(&self, live: &Value, new: &Value) -> Managed {
        let stored = || Managed::of(live).unwrap_or_default();
        if !self.subresource.is_empty() {
            return stored();
        }
        let sent = new.lookup(&["metadata", "managedFields"]).and_then(Value::as_array);
        match sent.map(Array::as_slice) {
            Some([]) if self.empty_managed_fields_reset => Managed::default(),
            Some([Value::Object(entry)]) if entry.is_empty() => Managed::default(),
            _ => Managed::of(new).ok().filter(|managed| !managed.is_empty()).unwrap_or_else(stored),
        }
    }

    fn updated(
        &self,
        live: &Value,
        new: &Value,
        mut managed: Managed,
        manager: &str,
        now: Time,
    ) -> Result<Managed, String> {
        let updater = Updater { versions: self.versions };
        let writer = self.manager_id(manager, Operation::Update);
        if managed.is_empty()
            && let Some(set) = self.first_fields(live, new)
        {
            if !set.is_empty() {
                managed.0.insert(writer, Owned { set, api_version: self.api_version.into(), time: Some(now) });
            }
            return Ok(managed);
        }
        if let Some(has_written) = self.writes_own_fields(live, new, &managed, &writer) {
            if let Some(own) = managed.0.get_mut(&writer).filter(|_| has_written) {
                own.time = Some(now);
            }
            return Ok(managed);
        }
        let failed = |which: &str, object: &Value, error: &str| {
            format!("failed to convert {which} object ({}) to smd typed: {error}", self.object_text(object))
        };
        let new = self.typed(new, Duplicates::Allowed).map_err(|error| failed("new", new, &error))?;
        let live = self.typed_like(live, &new.value).map_err(|error| failed("live", live, &error))?;
        updater.update(&live, &new, self.api_version, &mut managed, writer, now)?;
        cap_updaters(&mut managed);
        Ok(managed)
    }

    fn manager_id(&self, manager: &str, operation: Operation) -> ManagerId {
        ManagerId {
            manager: Text::from(if manager.is_empty() { "unknown" } else { manager }),
            operation,
            api_version: if operation == Operation::Apply { Text::new() } else { self.api_version.into() },
            subresource: self.subresource.into(),
        }
    }

    fn check_applied(&self, applied: &Value) -> Result<(), PatchError> {
        let text = |name: &str| applied.get(name).and_then(Value::as_str).unwrap_or("");
        let version = text("apiVersion");
        let kind = text("kind");
        if version != self.api_version || kind != self.kind {
            return Err(PatchError::BadRequest(format!("invalid object type: {}", type_text(version, kind))));
        }
        // Upstream sees no managers where one of them is no object.
        let managed = applied.lookup(&["metadata", "managedFields"]).and_then(Value::as_array);
        if managed.is_some_and(|managed| managed.iter().all(|manager| manager.as_object().is_some())) {
            return Err(PatchError::BadRequest("metadata.managedFields must be nil".into()));
        }
        Ok(())
    }

    /// `namespace/name; group/version, Kind=kind` of an object after its conversion.
    fn object_text(&self, object: &Value) -> String {
        let metadata = |name: &str| object.lookup(&["metadata", name]).and_then(Value::as_str).unwrap_or("");
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
        format!("{}/{}; {}", metadata("namespace"), metadata("name"), type_text(self.api_version, kind))
    }

    /// The object in the version of the request, with its type.
    pub(super) fn typed(&self, object: &Value, duplicates: Duplicates) -> Result<Typed<'a>, String> {
        let typed = self.converted(object)?;
        validate(typed.ty, &typed.value, duplicates)?;
        Ok(typed)
    }

    /// The same for an object that may well resemble one that has the type.
    fn typed_like(&self, object: &Value, like: &Value) -> Result<Typed<'a>, String> {
        let typed = self.converted(object)?;
        validate_like(typed.ty, &typed.value, like)?;
        Ok(typed)
    }

    fn converted(&self, object: &Value) -> Result<Typed<'a>, String> {
        let ty = self.ty().ok_or("the version of the request is not known")?;
        let value = if self.is_requested(object) {
            object.clone()
        } else {
            self.versions.convert(object, self.api_version).map_err(|error| error.to_string())?
        };
        Ok(Typed { ty, value })
    }

    /// The fields that the first writer owns, if they can be computed without sets.
    fn first_fields(&self, live: &Value, new: &Value) -> Option<OwnedSet> {
        if !(self.is_requested(live) && self.is_requested(new)) {
            return None;
        }
        let fields = first_fields(self.ty()?, live, new, self.versions.reset_fields(self.api_version))?;
        Some(OwnedSet::stored(fields))
    }

    /// True if the writer changes fields that it owns; `None` if ownership may change, which needs the sets.
    fn writes_own_fields(&self, live: &Value, new: &Value, managed: &Managed, writer: &ManagerId) -> Option<bool> {
        if !(self.is_requested(live) && self.is_requested(new)) {
            return None;
        }
        let ty = self.ty()?;
        let mut own = None;
        let mut others = Vec::new();
        for (id, owned) in managed.0.iter() {
            let fields = owned.set.as_stored().filter(|_| owned.api_version == self.api_version)?;
            if fields.is_empty() || has_parts_of_atomics(ty, fields) {
                return None;
            }
            if id == writer { own = Some(fields) } else { others.push(fields) }
        }
        let owners = Owners { writer: own?, others };
        writes_own_fields(ty, live, new, &owners, self.versions.reset_fields(self.api_version))
    }

    /// The type of objects in the version of the request.
    fn ty(&self) -> Option<Ty<'a>> {
        self.versions.shape(self.api_version).map(|(shapes, id)| Ty::root(shapes, id))
    }

    fn is_requested(&self, object: &Value) -> bool {
        object.get("apiVersion").is_some_and(|found| *found == *self.api_version)
    }
}

/// One apply, which may have to be tried twice.
struct Request<'r, 'a> {
    resource: &'r Resource<'a>,
    /// The stored object without its managers.
    live: Value,
    applied: &'r Value,
    manager: &'r str,
    now: Time,
}

enum Failure {
    Conflict(crate::apply::owners::conflict::Owners),
    Other(PatchError),
}

impl From<Failure> for PatchError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflict(owners) => ApplyError::Conflict(owners).into(),
            Failure::Other(error) => error,
        }
    }
}

impl Request<'_, '_> {
    fn apply(&self, mut managed: Managed, force: bool) -> Result<Value, Failure> {
        let resource = self.resource;
        if managed.is_empty() {
            let empty = resource.empty();
            managed = resource.updated(&empty, &self.live, managed, BEFORE_FIRST_APPLY, self.now).map_err(|error| {
                let text = format!("failed to create manager for existing fields: {error}");
                Failure::Other(PatchError::Internal(text))
            })?;
        }
        let applied = resource.typed(self.applied, Duplicates::Refused).map_err(|error| {
            let object = resource.object_text(self.applied);
            Failure::Other(PatchError::BadRequest(format!("failed to create typed patch object ({object}): {error}")))
        })?;
        let live = resource.typed_like(&self.live, &applied.value).map_err(|error| {
            let object = resource.object_text(&self.live);
            Failure::Other(PatchError::Internal(format!("failed to create typed live object ({object}): {error}")))
        })?;
        let id = resource.manager_id(self.manager, Operation::Apply);
        let updater = Updater { versions: resource.versions };
        let new =
            updater.apply(&live, &applied, resource.api_version, &mut managed, &id, force).map_err(
                |error| match error {
                    ApplyError::Conflict(owners) => Failure::Conflict(owners),
                    failed @ ApplyError::Failed(_) => Failure::Other(failed.into()),
                },
            )?;
        let mut object = match new {
            Some(object) => {
                if let Some(owned) = managed.0.get_mut(&id) {
                    owned.time = Some(self.now);
                }
                object
            }
            None => live.value,
        };
        managed.put(&mut object);
        Ok(object)
    }
}

/// `group/version, Kind=kind`.
fn type_text(version: &str, kind: &str) -> String {
    match version.matches('/').count() {
        0 => format!("/{version}, Kind={kind}"),
        1 => format!("{version}, Kind={kind}"),
        _ => "/, Kind=".into(),
    }
}

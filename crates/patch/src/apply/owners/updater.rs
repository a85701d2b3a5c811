//! Updates managed fields after a change.

use std::collections::BTreeMap;

use sprag_value::{Text, Time, Value};

use crate::PatchError;
use crate::apply::fields::compare::{Comparison, compare};
use crate::apply::fields::of_value::fields;
use crate::apply::fields::path::equal_values;
use crate::apply::fields::reconcile::{has_parts_of_atomics, reconcile};
use crate::apply::fields::set::FieldSet;
use crate::apply::fields::strip;
use crate::apply::merge::prune;
use crate::apply::merge::values::merge;
use crate::apply::owners::conflict::{Owners, conflicts};
use crate::apply::owners::managed::{Managed, ManagerId, Owned};
use crate::apply::owners::same_fields::has_same_fields;
use crate::apply::resource::{ConvertError, Versions};
use crate::apply::types::ty::Ty;
use crate::apply::types::validate::{Duplicates, validate};

/// A value that has its type.
#[derive(Clone)]
pub(in crate::apply) struct Typed<'v> {
    pub(in crate::apply) ty: Ty<'v>,
    pub(in crate::apply) value: Value,
}

/// Errors of apply.
pub(in crate::apply) enum ApplyError {
    Conflict(Owners),
    Failed(String),
}

impl From<String> for ApplyError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

impl From<ApplyError> for PatchError {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Conflict(owners) => Self::Conflict(conflicts(&owners)),
            ApplyError::Failed(text) => Self::Internal(text),
        }
    }
}

/// The rules of ownership over the versions of one resource.
#[derive(Clone, Copy)]
pub(in crate::apply) struct Updater<'v> {
    pub(in crate::apply) versions: &'v dyn Versions,
}

impl<'v> Updater<'v> {
    /// The object in a version, with its type.
    pub(in crate::apply) fn convert(self, object: &Value, version: &str) -> Result<Typed<'v>, ConvertError> {
        let (shapes, id) = self.versions.shape(version).ok_or(ConvertError::UnknownVersion)?;
        let ty = Ty::root(shapes, id);
        if object.get("apiVersion").is_some_and(|found| *found == *version) {
            return Ok(Typed { ty, value: object.clone() });
        }
        let value = self.versions.convert(object, version)?;
        validate(ty, &value, Duplicates::Refused).map_err(ConvertError::Failed)?;
        Ok(Typed { ty, value })
    }

    /// Settles who owns what after `live` became `new` by the hand of one writer.
    pub(in crate::apply) fn update(
        self,
        live: &Typed<'v>,
        new: &Typed<'v>,
        version: &str,
        managed: &mut Managed,
        writer: ManagerId,
        now: Time,
    ) -> Result<(), String> {
        self.reconcile(live, managed)?;
        let own = managed.0.remove(&writer);
        let compared = match self.take_over(live, new, version, managed, None, true) {
            Ok(compared) => compared,
            Err(ApplyError::Failed(text)) => return Err(text),
            Err(ApplyError::Conflict(_)) => return Ok(()),
        };
        let written = compared.modified.union(&compared.added);
        let gained = strip::strip(&written);
        let (mut set, time) = own.map_or_else(|| (FieldSet::new().into(), None), |own| (own.set, own.time));
        // The writer loses unowned fields, too; it would get back the rest of its fields at once.
        set.subtract(&written.difference(&gained));
        set.subtract(&compared.removed);
        set.add(&gained);
        if !set.is_empty() {
            let time = if gained.is_empty() { time } else { Some(now) };
            managed.0.insert(writer, Owned { set, api_version: version.into(), time });
        }
        Ok(())
    }

    /// The object with what is applied and without what the manager does not apply any more; nothing when that is
    /// what it was.
    pub(in crate::apply) fn apply(
        self,
        live: &Typed<'v>,
        applied: &Typed<'v>,
        version: &str,
        managed: &mut Managed,
        manager: &ManagerId,
        force: bool,
    ) -> Result<Option<Value>, ApplyError> {
        self.reconcile(live, managed)?;
        let merged = merge(live.ty, &live.value, &applied.value);
        if self.applies_same_fields(applied, version, managed, manager) {
            let new = Typed { ty: live.ty, value: merged };
            self.take_over(live, &new, version, managed, Some(manager), force)?;
            return Ok((!equal_values(&live.value, &new.value)).then_some(new.value));
        }
        let mut set = fields(applied.ty, &applied.value);
        if let Some(reset) = self.versions.reset_fields(version) {
            set = set.recursive_difference(reset);
        }
        let last = managed.0.get(manager).cloned();
        let time = last.as_ref().and_then(|last| last.time);
        managed.0.insert(manager.clone(), Owned { set: set.into(), api_version: version.into(), time });
        let merged = Typed { ty: live.ty, value: merged };
        let new = match &last {
            Some(last) => prune::prune(self, merged, managed, manager, last)
                .map_err(|error| format!("failed to prune fields: {error}"))?,
            None => merged,
        };
        self.take_over(live, &new, version, managed, Some(manager), force)?;
        if let Some(owned) = managed.0.get_mut(manager) {
            let set = strip::strip(&owned.set);
            if set.is_empty() {
                managed.0.remove(manager);
            } else {
                owned.set = match last {
                    Some(last) if last.set.is(&set) => last.set,
                    _ => set.into(),
                };
            }
        }
        Ok((!equal_values(&live.value, &new.value)).then_some(new.value))
    }

    /// True if a manager surely applies the fields that it applied before, and nobody owns any in another version.
    fn applies_same_fields(self, applied: &Typed<'v>, version: &str, managed: &Managed, manager: &ManagerId) -> bool {
        let last = managed.0.get(manager).and_then(|last| last.set.as_stored());
        managed.0.values().all(|owned| owned.api_version == *version)
            && last.is_some_and(|last| {
                has_same_fields(applied.ty, &applied.value, last, self.versions.reset_fields(version))
            })
    }

    /// Adapts all sets to the types as they are now; drops managers in versions that are not known.
    fn reconcile(self, live: &Typed<'v>, managed: &mut Managed) -> Result<(), String> {
        let mut unknown = Vec::new();
        for (id, owned) in managed.0.iter_mut() {
            match self.convert(&live.value, &owned.api_version) {
                Ok(typed) => {
                    if owned.set.as_stored().is_none_or(|fields| has_parts_of_atomics(typed.ty, fields))
                        && let Some(set) = reconcile(typed.ty, &owned.set)
                    {
                        owned.set = set.into();
                    }
                }
                Err(ConvertError::UnknownVersion) => unknown.push(id.clone()),
                Err(ConvertError::Failed(text)) => return Err(text),
            }
        }
        for id in unknown {
            managed.0.remove(&id);
        }
        Ok(())
    }

    /// Takes changed fields from all managers but one. It is an error when there are any and this is not forced.
    fn take_over(
        self,
        old: &Typed<'v>,
        new: &Typed<'v>,
        version: &str,
        managed: &mut Managed,
        workflow: Option<&ManagerId>,
        force: bool,
    ) -> Result<Comparison, ApplyError> {
        let compared = compare(old.ty, &old.value, &new.value).without(self.versions.reset_fields(version));
        if managed.is_empty() {
            return Ok(compared);
        }
        let mut by_version: BTreeMap<Text, Option<Changes>> =
            BTreeMap::from([(version.into(), Some(Changes::of(&compared)))]);
        let mut conflicts = Owners::new();
        for (id, owned) in managed.0.iter().filter(|(id, _)| Some(*id) != workflow) {
            if !by_version.contains_key(&owned.api_version) {
                let changes = self.changes_in(&owned.api_version, old, new)?;
                by_version.insert(owned.api_version.clone(), changes);
            }
            if let Some(Some(changes)) = by_version.get(&owned.api_version).filter(|_| !force)
                && owned.set.touches(&changes.written)
            {
                conflicts.insert(id.clone(), owned.set.intersection(&changes.written));
            }
        }
        if !conflicts.is_empty() {
            return Err(ApplyError::Conflict(conflicts));
        }
        managed.0.retain(|id, owned| {
            if Some(id) != workflow {
                let Some(Some(changes)) = by_version.get(&owned.api_version) else { return false };
                owned.set.subtract(&changes.written);
                owned.set.subtract(&changes.removed);
            }
            !owned.set.is_empty()
        });
        Ok(compared)
    }

    /// Returns the changes in another version; `None` if that version is unknown.
    fn changes_in(self, version: &str, old: &Typed<'v>, new: &Typed<'v>) -> Result<Option<Changes>, String> {
        let convert = |which: &str, object: &Typed<'v>| match self.convert(&object.value, version) {
            Ok(typed) => Ok(Some(typed)),
            Err(ConvertError::UnknownVersion) => Ok(None),
            Err(ConvertError::Failed(text)) => Err(format!("failed to convert {which} object: {text}")),
        };
        let (Some(old), Some(new)) = (convert("old", old)?, convert("new", new)?) else { return Ok(None) };
        let compared = compare(old.ty, &old.value, &new.value).without(self.versions.reset_fields(version));
        Ok(Some(Changes::of(&compared)))
    }
}

/// Changes as owners see them.
struct Changes {
    written: FieldSet,
    removed: FieldSet,
}

impl Changes {
    fn of(compared: &Comparison) -> Self {
        Self { written: compared.modified.union(&compared.added), removed: compared.removed.clone() }
    }
}

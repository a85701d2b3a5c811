//! Removes fields that a manager no longer applies, unless another manager owns them.

use std::collections::BTreeMap;
use std::fmt::Display;

use sprag_value::Text;

use crate::apply::fields::named::with_declared;
use crate::apply::fields::of_value::fields;
use crate::apply::fields::set::FieldSet;
use crate::apply::merge::remove::remove;
use crate::apply::owners::managed::{Managed, ManagerId, Owned};
use crate::apply::owners::updater::{Typed, Updater};
use crate::apply::resource::ConvertError;

/// The merged object without what is not applied any more.
pub(in crate::apply) fn prune<'v>(
    updater: Updater<'v>,
    merged: Typed<'v>,
    managed: &Managed,
    manager: &ManagerId,
    last: &Owned,
) -> Result<Typed<'v>, String> {
    let Some(now) = managed.0.get(manager) else { return Ok(merged) };
    // An applier that still applies all its fields removes nothing. Conversions may lose fields, so this is decided
    // from the sets only if no conversion is needed.
    let one_version =
        last.api_version == now.api_version && managed.0.values().all(|owned| owned.api_version == now.api_version);
    if last.set.is_empty() || (one_version && last.set.is_subset(&now.set)) {
        return Ok(merged);
    }
    let what = "merged object to last applied version";
    let Some(merged_then) = convert(updater, &merged, &last.api_version, &what)? else { return Ok(merged) };
    let mut pruned = merged_then.clone();
    pruned.value = remove(pruned.ty, &pruned.value, &with_declared(pruned.ty, &last.set));
    let pruned = add_back_owned(updater, merged_then.clone(), pruned, managed, &last.api_version)
        .map_err(|error| format!("failed add back owned items: {error}"))?;
    let pruned = add_back_dangling(updater, merged_then, &pruned, last)
        .map_err(|error| format!("failed add back dangling items: {error}"))?;
    updater.convert(&pruned.value, &now.api_version).map_err(|error| error.to_string())
}

/// The object in a version; nothing when the version is not known.
fn convert<'v>(
    updater: Updater<'v>,
    object: &Typed<'v>,
    version: &str,
    what: &dyn Display,
) -> Result<Option<Typed<'v>>, String> {
    match updater.convert(&object.value, version) {
        Ok(typed) => Ok(Some(typed)),
        Err(ConvertError::UnknownVersion) => Ok(None),
        Err(ConvertError::Failed(text)) => Err(format!("failed to convert {what}: {text}")),
    }
}

/// Adds back what any manager owns, in the version of the removal first.
fn add_back_owned<'v>(
    updater: Updater<'v>,
    mut merged: Typed<'v>,
    mut pruned: Typed<'v>,
    managed: &Managed,
    version: &Text,
) -> Result<Typed<'v>, String> {
    let mut by_version: BTreeMap<&Text, FieldSet> = BTreeMap::new();
    for owned in managed.0.values() {
        let set = by_version.entry(&owned.api_version).or_default();
        *set = set.union(&owned.set);
    }
    let first = by_version.remove(version).map(|set| (version, set));
    for (version, owned) in first.into_iter().chain(by_version) {
        let Some(merged_there) =
            convert(updater, &merged, version, &format_args!("merged object at version {version}"))?
        else {
            continue;
        };
        merged = merged_there;
        let Some(pruned_there) =
            convert(updater, &pruned, version, &format_args!("pruned object at version {version}"))?
        else {
            continue;
        };
        let named = |set: &FieldSet| with_declared(merged.ty, set);
        let kept = named(&fields(pruned_there.ty, &pruned_there.value)).union(&named(&owned));
        let gone = named(&fields(merged.ty, &merged.value)).difference(&kept);
        pruned = Typed { ty: merged.ty, value: remove(merged.ty, &merged.value, &gone) };
    }
    Ok(pruned)
}

/// Removes only what the manager owned itself.
fn add_back_dangling<'v>(
    updater: Updater<'v>,
    merged: Typed<'v>,
    pruned: &Typed<'v>,
    last: &Owned,
) -> Result<Typed<'v>, String> {
    let what = "pruned object to last applied version";
    let Some(pruned) = convert(updater, pruned, &last.api_version, &what)? else { return Ok(merged) };
    let named = |set: &FieldSet| with_declared(merged.ty, set);
    let gone = named(&fields(merged.ty, &merged.value)).difference(&named(&fields(pruned.ty, &pruned.value)));
    let gone = gone.intersection(&named(&last.set));
    let value = remove(merged.ty, &merged.value, &gone);
    Ok(Typed { value, ..merged })
}

//! The definitions as they were last seen, the names they have, and who waits for names.

use std::collections::{BTreeMap, BTreeSet};

use sprag_rest::meta;
use sprag_schema::crd::{Crd, Names};
use sprag_value::{Text, Value};

use super::Served;
use sprag_crd::without_schemas;

/// All definitions by name.
#[derive(Default)]
pub(super) struct Definitions {
    by_name: BTreeMap<String, Known>,
    used: BTreeMap<Text, Used>,
    /// Those whose wanted names are not those that they have.
    waiting: BTreeSet<String>,
    /// True if a name became free that another definition may want.
    freed: bool,
}

/// A definition as it was last seen, and what is served for it.
pub(super) struct Known {
    pub(super) revision: u64,
    pub(super) definition: Value,
    /// The definition without schemas.
    pub(super) crd: Crd,
    pub(super) served: Option<Served>,
}

/// The names that definitions of a group have, with how many have them.
#[derive(Default)]
pub(super) struct Used {
    resources: BTreeMap<Text, usize>,
    kinds: BTreeMap<Text, usize>,
}

impl Used {
    /// True if a definition has this name of a resource.
    pub(super) fn has_resource(&self, name: &Text) -> bool {
        self.resources.contains_key(name)
    }

    /// True if a definition has this name of a kind.
    pub(super) fn has_kind(&self, name: &Text) -> bool {
        self.kinds.contains_key(name)
    }

    fn add(&mut self, names: &Names) {
        resources(names).for_each(|name| *self.resources.entry(name.clone()).or_default() += 1);
        kinds(names).for_each(|name| *self.kinds.entry(name.clone()).or_default() += 1);
    }

    /// Takes names away; tells whether one of them became free.
    fn remove(&mut self, names: &Names) -> bool {
        let mut freed = false;
        resources(names).for_each(|name| freed |= count_down(&mut self.resources, name));
        kinds(names).for_each(|name| freed |= count_down(&mut self.kinds, name));
        freed
    }
}

fn resources(names: &Names) -> impl Iterator<Item = &Text> {
    [&names.plural, &names.singular].into_iter().chain(&names.short_names)
}

fn kinds(names: &Names) -> impl Iterator<Item = &Text> {
    [&names.kind, &names.list_kind].into_iter()
}

fn count_down(names: &mut BTreeMap<Text, usize>, name: &Text) -> bool {
    let Some(count) = names.get_mut(name) else { return false };
    *count -= 1;
    let is_free = *count == 0;
    if is_free {
        names.remove(name);
    }
    is_free
}

impl Definitions {
    pub(super) fn get(&self, name: &str) -> Option<&Known> {
        self.by_name.get(name)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Known> {
        self.by_name.get_mut(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    /// The names that definitions of a group have.
    pub(super) fn used(&self, group: &Text) -> Option<&Used> {
        self.used.get(group)
    }

    /// Notes a definition as it is now. One that cannot be read was never accepted, and defines nothing.
    pub(super) fn note(&mut self, definition: Value) {
        let Ok(crd) = Crd::read(&without_schemas(&definition)) else { return };
        let name = meta::name(&definition).to_owned();
        let revision = meta::text(&definition, "resourceVersion").parse().unwrap_or(0);
        self.used.entry(crd.group.clone()).or_default().add(&crd.status.accepted_names);
        let before = self.forget(&name);
        if crd.names != crd.status.accepted_names {
            self.waiting.insert(name.clone());
        }
        let served = before.and_then(|before| before.served);
        self.by_name.insert(name, Known { revision, definition, crd, served });
    }

    /// Forgets a definition.
    pub(super) fn forget(&mut self, name: &str) -> Option<Known> {
        let known = self.by_name.remove(name)?;
        self.waiting.remove(name);
        if let Some(used) = self.used.get_mut(&known.crd.group) {
            self.freed |= used.remove(&known.crd.status.accepted_names);
        }
        Some(known)
    }

    /// True if a name became free, since this was asked last, while others than this definition wait for names.
    pub(super) fn take_freed(&mut self, name: &str) -> bool {
        std::mem::take(&mut self.freed) && self.waiting.iter().any(|waiting| waiting != name)
    }

    /// Names in the order of age: older definitions have the older rights to names.
    pub(super) fn by_age(&self) -> Vec<String> {
        let age = |known: &Known| meta::text(&known.definition, "creationTimestamp").to_owned();
        let mut names: Vec<(String, &String)> = self.by_name.iter().map(|(name, known)| (age(known), name)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name.clone()).collect()
    }
}

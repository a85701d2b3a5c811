//! Finds the types below which anything is checked.

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::Tag;
use sprag_program::{DefId, TypeId};
use sprag_tags::Registry;
use sprag_tags::types::{DefKind, Type, Universe};

use crate::reference::{chain, has_rule};
use crate::walk::{dialect_of, parse};

/// Tags that only record facts.
const FACTS: [&str; 6] = [
    "k8s:opaqueType",
    "k8s:listMapKey",
    "k8s:customUnique",
    "k8s:unionDiscriminator",
    "k8s:modeDiscriminator",
    "k8s:enumExclude",
];

/// The parts of a type that are closed to rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Opacity {
    pub(crate) whole: bool,
    pub(crate) key: bool,
    pub(crate) val: bool,
}

impl Opacity {
    pub(crate) fn of(registry: &Registry, tags: &[Tag]) -> Opacity {
        let mut opacity = Opacity::default();
        for tag in tags.iter().filter(|tag| registry.find(&tag.name).is_some()) {
            let names: Vec<&str> = chain(tag).map(|tag| tag.name.as_str()).collect();
            if names.last() != Some(&"k8s:opaqueType") {
                continue;
            }
            opacity.key |= names.contains(&"k8s:eachKey");
            opacity.val |= names.contains(&"k8s:eachVal");
            opacity.whole |= !names.contains(&"k8s:eachKey") && !names.contains(&"k8s:eachVal");
        }
        opacity
    }

    fn or(self, other: Opacity) -> Opacity {
        Opacity { whole: self.whole || other.whole, key: self.key || other.key, val: self.val || other.val }
    }
}

/// Remembers what was found out.
#[derive(Default)]
pub(crate) struct Coverage {
    known: BTreeMap<(TypeId, Opacity), bool>,
}

impl Coverage {
    /// Reports whether anything at or below a type is checked.
    pub(crate) fn has_rules(&mut self, universe: &Universe, registry: &Registry, ty: TypeId, opacity: Opacity) -> bool {
        let start = (ty, opacity);
        let mut seen = BTreeSet::new();
        let mut work = vec![start];
        while let Some(state) = work.pop() {
            if state.1.whole || !seen.insert(state) {
                continue;
            }
            let found = match self.known.get(&state) {
                Some(known) => *known,
                None => expand(universe, registry, state, &mut work),
            };
            if found {
                self.known.insert(start, true);
                return true;
            }
        }
        self.known.extend(seen.into_iter().map(|state| (state, false)));
        false
    }
}

/// True if a type has rules of its own; otherwise what to look at next is added to `work`.
fn expand(
    universe: &Universe,
    registry: &Registry,
    (ty, opacity): (TypeId, Opacity),
    work: &mut Vec<(TypeId, Opacity)>,
) -> bool {
    let part = |closed: bool| Opacity { whole: closed, ..Opacity::default() };
    match universe.ty(ty) {
        Type::Def(def) => return expand_def(universe, registry, *def, opacity, work),
        Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) => work.push((*inner, opacity)),
        Type::List(elem) | Type::Array(_, elem) => work.push((*elem, part(opacity.val))),
        Type::Map(_, key, value) => work.extend([(*key, part(opacity.key)), (*value, part(opacity.val))]),
        _ => {}
    }
    false
}

fn expand_def(
    universe: &Universe,
    registry: &Registry,
    def: DefId,
    opacity: Opacity,
    work: &mut Vec<(TypeId, Opacity)>,
) -> bool {
    let dialect = dialect_of(universe, def);
    let tags = parse(dialect, &universe.def(def).tags);
    let opacity = opacity.or(Opacity::of(registry, &tags));
    if opacity.whole {
        return false;
    }
    if tags.iter().any(|tag| yields_check(registry, tag)) {
        return true;
    }
    match &universe.def(def).kind {
        DefKind::Typedef(target) => work.push((*target, opacity)),
        DefKind::Struct(fields) => {
            for field in fields {
                let tags = parse(dialect, &field.field.tags);
                if has_rule(registry, &tags) {
                    return true;
                }
                work.push((field.ty, opacity.or(Opacity::of(registry, &tags))));
            }
        }
        _ => {}
    }
    false
}

fn yields_check(registry: &Registry, tag: &Tag) -> bool {
    registry.find(&tag.name).is_some() && chain(tag).last().is_some_and(|last| !FACTS.contains(&last.name.as_str()))
}

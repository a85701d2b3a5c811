//! Additions of controller-gen's markers to definitions.
//!
//! Does not know: files, the rules of `+k8s:` tags. Works on the types as they were read, because markers say things about fields that rules do not
//! see.

mod kinds;
mod plural;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::model::{Builtin, TagLine};
use sprag_idl::tag_name;
use sprag_program::{DefId, TypeId};
use sprag_tags::kubebuilder::{Found, Marker, find};
use sprag_tags::types::{FieldDef, PackageInfo, Type, Universe};
use sprag_value::Value;

pub(crate) use self::kinds::KindMarks;
use self::kinds::kind_marks;
pub(crate) use self::plural::pluralize;
use self::values::add;
pub(crate) use self::values::merge;

/// The markers of types, fields and kinds.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    pub(crate) types: BTreeMap<DefId, Marks>,
    pub(crate) fields: BTreeMap<(DefId, usize), Marks>,
    pub(crate) kinds: BTreeMap<DefId, KindMarks>,
    /// The declared type that a type expression names, pointers removed.
    pub(crate) named: BTreeMap<TypeId, DefId>,
    /// Integers as controller-gen describes them: the format, and whether they have a sign.
    pub(crate) integers: BTreeMap<TypeId, (Option<&'static str>, bool)>,
    /// The structs that hold metadata of an object.
    pub(crate) metadata: Vec<DefId>,
}

/// The markers of values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Keywords of the schema.
    pub(crate) keywords: Vec<(&'static str, Value)>,
    /// Keywords of the schema of elements.
    pub(crate) items: Vec<(&'static str, Value)>,
    /// CEL rules.
    pub(crate) rules: Vec<Value>,
    /// CEL rules of elements.
    pub(crate) item_rules: Vec<Value>,
    /// True if a field has to be there.
    pub(crate) required: Option<bool>,
    /// True if the schema says nothing but what markers say.
    pub(crate) schemaless: bool,
    /// Markers that could not be read, or have no counterpart.
    pub(crate) left: Vec<String>,
}

impl Marked {
    /// Reads the markers of all types. Types without any marker of controller-gen are not marked at all, so that nothing changes for them.
    pub fn read(universe: &Universe) -> Marked {
        let is_marker = |line: &TagLine| line.text.starts_with("kubebuilder:");
        let is_marked = |lines: &[TagLine]| lines.iter().any(is_marker);
        let has_marks = universe.packages().iter().any(|package| is_marked(&package.tags))
            || universe.defs().any(|(def, data)| {
                is_marked(&data.tags)
                    || is_marked(&data.detached_tags)
                    || universe.fields(def).iter().any(|field| is_marked(&field.field.tags))
            });
        let mut marked = Marked::default();
        if !has_marks {
            return marked;
        }
        for (def, data) in universe.defs() {
            let package = universe.package_of(def);
            // A typedef of a typedef has the markers of both, as controller-gen's references have.
            let targets = data.chain.iter().rev().map(|target| universe.def(*target));
            let lines = targets.flat_map(|target| target.detached_tags.iter().chain(&target.tags));
            let own = marks(lines.chain(data.detached_tags.iter().chain(&data.tags)));
            marked.types.insert(def, own);
            marked.kinds.insert(def, kind_marks(data.detached_tags.iter().chain(&data.tags)));
            if universe.def_name(def).ends_with("/meta/v1.ObjectMeta") {
                marked.metadata.push(def);
            }
            for (at, field) in universe.fields(def).iter().enumerate() {
                let mut own = marks(&field.field.tags);
                own.required = Some(is_required(package, field));
                marked.fields.insert((def, at), own);
                note_types(universe, field.ty, &mut marked);
            }
            if let Some(ty) = universe.type_of_def(def) {
                note_types(universe, ty, &mut marked);
            }
        }
        marked
    }

    /// True if there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.types.is_empty()
    }
}

/// As controller-gen's structToSchema has it: fields are required unless they say otherwise or are left out when empty.
fn is_required(package: &PackageInfo, field: &FieldDef) -> bool {
    let source = &field.field;
    let has = |lines: &[TagLine], name: &str| lines.iter().any(|line| tag_name(&line.text) == Some(name));
    let own = |name: &str| has(&source.tags, name);
    if own("kubebuilder:validation:Optional") {
        return false;
    }
    if own("kubebuilder:validation:Required") {
        return true;
    }
    if own("optional") || own("k8s:optional") {
        return false;
    }
    if own("required") || own("k8s:required") {
        return true;
    }
    !has(&package.tags, "kubebuilder:validation:Optional") && !source.inline && !source.omitempty && !source.omitzero
}

/// Notes which declared type each part of a type expression names.
fn note_types(universe: &Universe, ty: TypeId, marked: &mut Marked) {
    let mut work = vec![ty];
    let mut seen = BTreeSet::new();
    while let Some(ty) = work.pop() {
        if marked.named.contains_key(&ty) || !seen.insert(ty) {
            continue;
        }
        if let Some(integer) = universe.builtin(ty).and_then(integer) {
            marked.integers.insert(ty, integer);
        }
        let mut inner = ty;
        while let Type::Pointer(next) | Type::Boxed(next) | Type::Nullable(next) = universe.ty(inner) {
            inner = *next;
        }
        match universe.ty(inner) {
            Type::Def(def) => {
                marked.named.insert(ty, *def);
                // The elements of a declared list have types of their own.
                let elem = universe.elem(ty).filter(|elem| *elem != ty);
                work.extend(elem);
            }
            Type::List(elem) | Type::Array(_, elem) => work.push(*elem),
            Type::Map(_, key, value) => work.extend([*key, *value]),
            _ => {}
        }
    }
}

/// As controller-gen's builtinToType has it.
fn integer(builtin: Builtin) -> Option<(Option<&'static str>, bool)> {
    let (bits, signed) = builtin.int_bits()?;
    let format = match (builtin, bits) {
        (Builtin::Int | Builtin::Uint, _) => None,
        (_, 32) => Some("int32"),
        (_, 64) => Some("int64"),
        _ => None,
    };
    Some((format, signed))
}

fn marks<'l>(lines: impl IntoIterator<Item = &'l TagLine>) -> Marks {
    let mut marks = Marks::default();
    for line in lines {
        match find(line) {
            Found::Known(marker) => add(&mut marks, &marker),
            Found::Unknown(name) => marks.left.push(format!("+{name}")),
            Found::Other => plain(&mut marks, line),
        }
    }
    marks
}

/// Markers without a namespace that controller-gen reads beside those that all generators do.
fn plain(marks: &mut Marks, line: &TagLine) {
    // All generators read these with `=`; controller-gen also reads `:=`.
    let (name, value) = line.text.split_once(":=").unwrap_or((line.text.as_str(), ""));
    let value = value.trim().trim_matches('"');
    match name {
        "nullable" => marks.keywords.push(("nullable", true.into())),
        "listType" => marks.keywords.push(("x-kubernetes-list-type", value.into())),
        "mapType" | "structType" => marks.keywords.push(("x-kubernetes-map-type", value.into())),
        "listMapKey" => {
            let keys = marks.keywords.iter_mut().find(|(keyword, _)| *keyword == "x-kubernetes-list-map-keys");
            match keys {
                Some((_, keys)) => {
                    keys.push(value);
                }
                None => marks.keywords.push(("x-kubernetes-list-map-keys", [Value::from(value)].into_iter().collect())),
            }
        }
        _ => {}
    }
}

/// A marker that cannot be translated.
fn leave(marks: &mut Marks, marker: &Marker<'_>) {
    marks.left.push(format!("+{}", marker.line.text));
}

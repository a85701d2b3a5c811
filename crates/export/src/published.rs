//! Additions of rules to the schemas of types, for the documents of a server that has those types.
//!
//! Each type keeps its own schema there, so what is added is by type, and holds the same keywords and CEL rules as a definition.

use std::collections::{BTreeMap, BTreeSet};

use sprag_checks::Options;
use sprag_program::{DefId, Form, Program, ProgramParts, TypeId};
use sprag_value::Value;

use crate::kubebuilder::Marked;
use crate::rules::{Rules, Spot};
use crate::structure::Structure;

/// Returns the additions to their schemas by the rules of a type and of those below it, by type name: `v1.WidgetSpec`.
///
/// Only what is to be added is there: keywords, `required`, and CEL rules, in `properties`, `items` and `additionalProperties` where they
/// belong to values below. Rules of another type are in its own entry.
pub fn published(program: &Program, root: DefId) -> BTreeMap<String, Value> {
    let parts = program.to_parts();
    let options = Options::default();
    let marked = Marked::default();
    let mut added = BTreeMap::new();
    for def in structs_below(&parts, root) {
        let plain = Structure::new(&parts, &marked).structure(def);
        let mut ruled = plain.clone();
        let mut rules = Rules { parts: &parts, program, options: &options, by_type: true, left: Vec::new() };
        rules.add_type(&mut ruled, def, &Spot::default());
        if let Some(difference) = difference(&plain.0, &ruled.0) {
            added.insert(program.type_name(def).to_owned(), difference);
        }
    }
    added
}

/// A struct and all structs that its fields hold.
fn structs_below(parts: &ProgramParts, root: DefId) -> BTreeSet<DefId> {
    let mut found = BTreeSet::new();
    let mut work = vec![root];
    while let Some(def) = work.pop() {
        if found.insert(def) {
            work.extend(parts.defs[def.index()].members.iter().filter_map(|member| innermost(parts, member.ty)));
        }
    }
    found
}

fn innermost(parts: &ProgramParts, mut ty: TypeId) -> Option<DefId> {
    loop {
        ty = match parts.types[ty.index()].form {
            Form::Struct(def) => return Some(def),
            Form::List(elem) | Form::Map(_, elem) => elem,
            _ => return None,
        };
    }
}

/// The members of a schema that another one does not have, or has with other values.
fn difference(plain: &Value, ruled: &Value) -> Option<Value> {
    let mut added = Value::object();
    for (keyword, value) in ruled.as_object()? {
        let before = plain.get(keyword);
        if before == Some(value) {
            continue;
        }
        let is_schema = matches!(keyword.as_str(), "properties" | "items" | "additionalProperties");
        let changed = match before.filter(|_| is_schema) {
            Some(before) if keyword.as_str() == "properties" => properties(before, value),
            Some(before) => difference(before, value),
            None => Some(value.clone()),
        };
        if let Some(changed) = changed {
            added.insert(keyword.as_str(), changed);
        }
    }
    added.as_object().is_some_and(|members| !members.is_empty()).then_some(added)
}

fn properties(plain: &Value, ruled: &Value) -> Option<Value> {
    let mut added = Value::object();
    for (name, schema) in ruled.as_object()? {
        let changed = plain.get(name).map_or_else(|| Some(schema.clone()), |before| difference(before, schema));
        if let Some(changed) = changed {
            added.insert(name.as_str(), changed);
        }
    }
    added.as_object().is_some_and(|members| !members.is_empty()).then_some(added)
}

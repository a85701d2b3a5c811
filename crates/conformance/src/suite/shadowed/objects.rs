//! Random objects of random types: small values, so that rules find something as often as not.

use sprag_program::{DefId, Form, ProgramParts, TypeId};
use sprag_value::{Array, Value};

use super::super::fuzz::Source;
use super::types::OPTIONS;

const TEXTS: [&str; 7] = ["", "a", "b", "bb", "ccc", "A!", "x-1"];
const NUMBERS: [i64; 6] = [-1, 0, 1, 2, 3, 5];

/// A create, or an update where there is an old object.
pub(super) struct Case {
    pub(super) new: Value,
    pub(super) old: Value,
    pub(super) options: Vec<(&'static str, bool)>,
}

impl Case {
    pub(super) fn random(source: &mut Source, parts: &ProgramParts, root: DefId) -> Case {
        let objects = Objects { parts };
        let ty = parts.defs[root.index()].ty;
        let new = objects.value(source, ty);
        let old = if source.chance(50) { objects.changed(source, ty, &new) } else { Value::Null };
        Case { new, old, options: OPTIONS.iter().map(|name| (*name, source.chance(50))).collect() }
    }
}

struct Objects<'p> {
    parts: &'p ProgramParts,
}

impl Objects<'_> {
    fn value(&self, source: &mut Source, ty: TypeId) -> Value {
        match self.parts.types[ty.index()].form {
            Form::Text | Form::NamedText => Value::from(*source.pick(&TEXTS)),
            Form::Int => Value::from(*source.pick(&NUMBERS)),
            Form::Bool => Value::from(source.chance(50)),
            Form::Float => Value::from(0.5),
            Form::Bytes => Value::from("eA=="),
            Form::Any => Value::object(),
            Form::List(elem) => (0..source.below(4)).map(|_| self.value(source, elem)).collect::<Array>().into(),
            Form::Map(_, elem) => {
                let mut map = Value::object();
                for _ in 0..source.below(4) {
                    let key = *source.pick(&TEXTS);
                    map.insert(key, self.value(source, elem));
                }
                map
            }
            Form::Struct(def) => {
                let mut object = Value::object();
                for member in &self.parts.defs[def.index()].members {
                    let Some(name) = member.json.as_deref().filter(|name| *name != "metadata") else { continue };
                    if source.chance(75) {
                        object.insert(name, self.value(source, member.ty));
                    }
                }
                object
            }
        }
    }

    /// A value that differs from another one in some places.
    fn changed(&self, source: &mut Source, ty: TypeId, old: &Value) -> Value {
        if source.chance(10) {
            return self.value(source, ty);
        }
        match (self.parts.types[ty.index()].form, old) {
            (Form::List(elem), Value::Array(items)) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.changed(source, elem, item)).collect();
                if source.chance(20) {
                    let at = source.below(items.len() + 1);
                    items.insert(at, self.value(source, elem));
                }
                if source.chance(20) && !items.is_empty() {
                    items.remove(source.below(items.len()));
                }
                items.into_iter().collect()
            }
            (Form::Map(_, elem), Value::Object(members)) => {
                let kept = members.iter().filter(|_| !source.chance(10)).map(|(key, value)| (key.clone(), value.clone()));
                let kept: Vec<_> = kept.collect();
                kept.into_iter().map(|(key, value)| (key, self.changed(source, elem, &value))).collect()
            }
            (Form::Struct(def), Value::Object(_)) => {
                let mut object = Value::object();
                for member in &self.parts.defs[def.index()].members {
                    let Some(name) = &member.json else { continue };
                    match old.get(name) {
                        Some(value) if !source.chance(10) => {
                            object.insert(name.as_str(), self.changed(source, member.ty, value));
                        }
                        None if source.chance(10) && name != "metadata" => {
                            object.insert(name.as_str(), self.value(source, member.ty));
                        }
                        _ => {}
                    }
                }
                object
            }
            _ if source.chance(25) => self.value(source, ty),
            _ => old.clone(),
        }
    }
}

//! The places of a type's values in an object, and of a rule.

use sprag_program::{Check, DeclaredRule, DefId, FieldRef, Form, Program, Rule, TypeId};
use sprag_value::Value;

use super::Generator;

/// A step into an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A way into an object.
pub(crate) type Way = Vec<Step>;

/// A rule with the place it applies to: a struct, or a field of one.
#[derive(Clone)]
pub(crate) struct Target<'p> {
    /// The struct.
    pub(crate) owner: DefId,
    /// Its field; none for rules of the struct as a whole.
    pub(crate) field: Option<FieldRef>,
    /// The checks between the place and the rule.
    pub(crate) around: Vec<&'p Check>,
    pub(crate) rule: &'p Rule,
}

/// The value at the end of a way.
pub(crate) fn follow<'v>(value: &'v mut Value, way: &[Step]) -> Option<&'v mut Value> {
    way.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(at) => value.as_array_mut().and_then(|items| items.get_mut(*at)),
    })
}

impl Generator<'_> {
    /// The ways to all structs of a type.
    pub(crate) fn structs(&self, object: &Value, wanted: DefId) -> Vec<Way> {
        let mut found = Vec::new();
        self.collect(object, self.program.type_of(self.root), wanted, &mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, value: &Value, ty: TypeId, wanted: DefId, way: &mut Way, found: &mut Vec<Way>) {
        match self.program.layout_of(ty).form {
            Form::Struct(def) => {
                if value.as_object().is_none() {
                    return;
                }
                if def == wanted {
                    found.push(way.clone());
                }
                for (_, ty, name) in self.program.fields(def) {
                    match name {
                        None => self.collect(value, ty, wanted, way, found),
                        Some(name) => {
                            let Some(inner) = value.get(name) else { continue };
                            way.push(Step::Key(name.to_owned()));
                            self.collect(inner, ty, wanted, way, found);
                            way.pop();
                        }
                    }
                }
            }
            Form::List(elem) => {
                let items = value.as_array().map_or(&[][..], |items| items.as_slice());
                for (at, item) in items.iter().enumerate() {
                    way.push(Step::Index(at));
                    self.collect(item, elem, wanted, way, found);
                    way.pop();
                }
            }
            Form::Map(_, elem) => {
                for (key, item) in value.as_object().into_iter().flat_map(|members| members.iter()) {
                    way.push(Step::Key(key.as_str().to_owned()));
                    self.collect(item, elem, wanted, way, found);
                    way.pop();
                }
            }
            _ => {}
        }
    }
}

/// The places that a rule applies to: its own, or, for a type that is not a struct, the fields of that type.
pub(crate) fn targets<'p>(program: &'p Program, rule: &DeclaredRule<'p>) -> Vec<Target<'p>> {
    let is_struct = matches!(program.layout_of(program.type_of(rule.def)).form, Form::Struct(_));
    if is_struct {
        let owner = rule.def;
        let field = rule.field;
        return vec![Target { owner, field, around: rule.around.clone(), rule: &rule.check.rule }];
    }
    let mut found = Vec::new();
    for field in program.plan().types.iter().flatten().flat_map(|plan| &plan.fields) {
        let checks = field.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&field.descend);
        for check in checks {
            let mut way = Vec::new();
            if leads_to(check, rule.def, &mut way) {
                way.extend(rule.around.iter().copied());
                let owner = field.field.def;
                let field = Some(field.field);
                found.push(Target { owner, field, around: way, rule: &rule.check.rule });
            }
        }
    }
    found
}

/// Tells if a check runs the validator of a type, and collects the checks around that call.
fn leads_to<'p>(check: &'p Check, def: DefId, around: &mut Vec<&'p Check>) -> bool {
    if matches!(check.rule, Rule::Type(found) if found == def) {
        return true;
    }
    around.push(check);
    if check.rule.inner().into_iter().any(|inner| leads_to(inner, def, around)) {
        return true;
    }
    around.pop();
    false
}

//! Apply configurations of mutating admission policies: merged into an object without any owners.

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::apply::fields::path::PathElement;
use crate::apply::merge::values::merge;
use crate::apply::types::ty::{Form, Keys, Scalar, Ty};
use crate::apply::types::validate::{Duplicates, validate};

/// The object with everything that a configuration sets. The error is in the words of the reference.
///
/// Nulls are not values of any type here: expressions that make configurations have no way to leave a field out but not to name it.
// As upstream's patch.ApplyStructuredMergeDiff.
pub fn merge_configuration(shapes: &Shapes, ty: TypeId, live: &Value, configuration: &Value) -> Result<Value, String> {
    let ty = Ty::root(shapes, ty);
    let mut walk = Walk { path: Vec::new(), nulls: Vec::new(), atomics: Vec::new() };
    walk.value(ty, configuration);
    let typed = match walk.nulls.as_slice() {
        [] => validate(ty, configuration, Duplicates::Refused),
        [error] => Err(error.clone()),
        errors => Err(format!("errors:\n  {}", errors.join("\n  "))),
    };
    typed.map_err(|why| format!("failed to convert patch object to typed object: {why}"))?;
    if !walk.atomics.is_empty() {
        let atomics = walk.atomics.join(", ");
        return Err(format!("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {atomics}"));
    }
    validate(ty, live, Duplicates::Allowed)
        .map_err(|why| format!("failed to convert original object to typed object: {why}"))?;
    Ok(merge(ty, live, configuration))
}

/// Finds what is set as a whole, and nulls.
// As upstream's patch.findAtomics.
struct Walk {
    path: Vec<PathElement>,
    nulls: Vec<String>,
    atomics: Vec<String>,
}

impl Walk {
    fn value(&mut self, ty: Ty<'_>, value: &Value) {
        match (ty.form(Some(value)), value) {
            (Form::Map(map), Value::Object(members)) => {
                if map.atomic {
                    self.atomics.push(self.shown());
                }
                for (name, value) in members {
                    let declared = map.declared_member(name);
                    let (Some(member), path) = (declared.or(map.element), PathElement::Field(name.clone())) else {
                        continue;
                    };
                    self.path.push(path);
                    match value {
                        Value::Null => self.null(member),
                        value if declared.is_some() => self.value(member, value),
                        value => self.nulls_of(member, value),
                    }
                    self.path.pop();
                }
            }
            (Form::List(list), Value::Array(elements)) => {
                if matches!(list.keys, Keys::Atomic) {
                    self.atomics.push(self.shown());
                }
                for (index, element) in elements.iter().enumerate() {
                    self.path.push(PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX)));
                    self.value(list.elem, element);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    /// Members of maps are not looked into for what is set as a whole.
    fn nulls_of(&mut self, ty: Ty<'_>, value: &Value) {
        let known = self.atomics.len();
        self.value(ty, value);
        self.atomics.truncate(known);
    }

    fn null(&mut self, ty: Ty<'_>) {
        let path = self.shown();
        self.nulls.push(match ty.form(None) {
            Form::Map(_) => format!("{path}: expected map, got &{{NULL_VALUE}}"),
            Form::List(_) => format!("{path}: expected list, got &{{NULL_VALUE}}"),
            Form::Scalar(scalar) => {
                let expected = match scalar {
                    Scalar::Numeric => "numeric (int or float)",
                    Scalar::String => "string",
                    Scalar::Boolean => "boolean",
                    Scalar::Any => return,
                };
                format!("{path}: expected {expected}, got &value.valueUnstructured{{Value:0}}")
            }
        });
    }

    fn shown(&self) -> String {
        self.path.iter().map(PathElement::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use sprag_shape::{Field, Kind, ListType, TypeRef, TypeShape};
    use sprag_value::json;

    use super::*;

    /// An object with a text, a list that is one value and a list of names.
    fn shapes() -> Shapes {
        let [text, atomic, set] = [0, 1, 2].map(TypeId).map(TypeRef::value);
        let list = |list: ListType| TypeShape::new("", Kind::List { elem: text, list });
        let fields = vec![
            Field::new("name", "Name", text),
            Field::new("args", "Args", atomic),
            Field::new("names", "Names", set),
        ];
        Shapes::new(vec![
            TypeShape::new("", Kind::String),
            list(ListType::Atomic),
            list(ListType::Set),
            TypeShape::new("Thing", Kind::of_fields(fields.into())),
        ])
    }

    #[track_caller]
    fn check(live: &str, configuration: &str, expected: Result<&str, &str>) {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
        let merged = merge_configuration(&shapes(), TypeId(3), &parse(live), &parse(configuration));
        let merged = merged.map(|merged| json::to_string_plain(&merged));
        assert_eq!(merged.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn configurations_are_merged_by_the_shape() {
        check(r#"{"name":"a","names":["x"]}"#, r#"{"names":["y"]}"#, Ok(r#"{"name":"a","names":["x","y"]}"#));
        check(
            "{}",
            r#"{"args":["x"]}"#,
            Err("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .args"),
        );
        check(
            "{}",
            r#"{"name":5}"#,
            Err("failed to convert patch object to typed object: .name: expected string, got \
                 &value.valueUnstructured{Value:5}"),
        );
        check(
            "{}",
            r#"{"names":null}"#,
            Err("failed to convert patch object to typed object: .names: expected list, got &{NULL_VALUE}"),
        );
    }
}

//! Types of values: what a schema would say about them, as far as they show it.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_cel::{DeclField, DeclType, ListKind, Name, Type, TypeProvider};
use sprag_value::{Object, Value};

/// The largest request that the API server reads, in bytes; it bounds the sizes of values without declared limits.
const MAX_REQUEST_BYTES: u64 = 3 << 20;

/// The name of the type of the outermost value; those of its parts start with it. It is the name of no variable, since names with
/// dots are looked up as types before they are looked up as members.
const ROOT: &str = "selfType";

/// Maximum length of a path; deeper values have no type of their own.
const MAX_PATH_BYTES: usize = 4096;

/// Members whose names are data rather than fields.
const MAPS: &[&str] = &["annotations", "labels", "matchLabels", "nodeSelector"];

/// Types with fields, by name.
#[derive(Default)]
pub(super) struct Inferred {
    pub(super) root: Option<Arc<DeclType>>,
    objects: BTreeMap<String, Arc<DeclType>>,
}

impl Inferred {
    /// The one type that all these values have.
    pub(super) fn of(values: &[&Value]) -> Inferred {
        let mut inferred = Inferred::default();
        if !values.is_empty() {
            inferred.root = Some(Arc::new(inferred.merge(values, ROOT)));
        }
        inferred
    }

    /// Reports whether a finding of the checker may be due to an inferred type: a field that happens to be absent, or
    /// members that are data.
    pub(super) fn may_be_wrong(message: &str) -> bool {
        message.starts_with("undefined field") || message.contains(ROOT)
    }

    fn merge(&mut self, values: &[&Value], path: &str) -> DeclType {
        if path.len() > MAX_PATH_BYTES {
            return DeclType::untyped();
        }
        let nullable = values.iter().any(|value| value.is_null());
        let present: Vec<&Value> = values.iter().copied().filter(|value| !value.is_null()).collect();
        let ty = self.merge_present(&present, path);
        if nullable { ty.nullable() } else { ty }
    }

    fn merge_present(&mut self, values: &[&Value], path: &str) -> DeclType {
        let all = |kind: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| kind(value));
        if all(|value| matches!(value, Value::Bool(_))) {
            DeclType::scalar(Type::Bool, 0)
        } else if all(|value| matches!(value, Value::Int(_))) {
            DeclType::scalar(Type::Int, 0)
        } else if all(|value| matches!(value, Value::Int(_) | Value::Float(_))) {
            DeclType::scalar(Type::Double, 0)
        } else if all(|value| matches!(value, Value::String(_))) {
            DeclType::scalar(Type::String, MAX_REQUEST_BYTES - 2)
        } else if all(|value| value.as_array().is_some()) {
            let elements: Vec<&Value> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
            let element = self.merge(&elements, &format!("{path}.@idx"));
            let most = (MAX_REQUEST_BYTES - 2) / (smallest(&element) + 1);
            DeclType::list(Arc::new(element), most, ListKind::Atomic)
        } else if all(|value| value.as_object().is_some()) {
            let objects: Vec<&Object> = values.iter().filter_map(|value| value.as_object()).collect();
            self.merge_objects(&objects, path)
        } else {
            DeclType::untyped()
        }
    }

    fn merge_objects(&mut self, objects: &[&Object], path: &str) -> DeclType {
        let mut members: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (key, value) in objects.iter().flat_map(|object| object.iter()) {
            members.entry(key.as_str()).or_default().push(value);
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        if members.is_empty() || MAPS.contains(&name) || !members.keys().all(|key| is_identifier(key)) {
            let values: Vec<&Value> = members.into_values().flatten().collect();
            let value = self.merge(&values, &format!("{path}.@key"));
            let most = (MAX_REQUEST_BYTES - 2) / (smallest(&value) + 6);
            let key = DeclType::scalar(Type::String, 0);
            return DeclType::map(Arc::new(key), Arc::new(value), most);
        }
        let mut fields = Vec::new();
        for (key, values) in members {
            let ty = Arc::new(self.merge(&values, &format!("{path}.{key}")));
            fields.push(DeclField { name: key.to_owned(), key: key.to_owned(), ty });
        }
        let ty = DeclType::object(Name::from(path), fields, 0);
        self.objects.insert(path.to_owned(), Arc::new(ty.clone()));
        ty
    }
}

impl TypeProvider for Inferred {
    fn object(&self, name: &str) -> Option<&DeclType> {
        self.objects.get(name).map(|ty| &**ty)
    }

    fn sizes(&self) -> Option<&DeclType> {
        self.root.as_deref()
    }
}

/// True if a member can be selected under its own name.
fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The fewest bytes that a value takes as JSON.
fn smallest(ty: &DeclType) -> u64 {
    match ty.ty {
        Type::Int | Type::Double | Type::Dyn => 1,
        Type::Bool => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(values: &[&str], expect: &Expect) {
        let values: Vec<Value> =
            values.iter().map(|text| sprag_value::json::parse(text.as_bytes()).expect("rows are JSON")).collect();
        let inferred = Inferred::of(&values.iter().collect::<Vec<_>>());
        let mut lines = vec![inferred.root.as_ref().map_or("nothing".to_owned(), |root| root.ty.to_string())];
        for (name, ty) in &inferred.objects {
            let fields: Vec<String> =
                ty.fields().iter().map(|field| format!("{}: {}", field.name, field.ty.ty)).collect();
            lines.push(format!("{name} {{{}}}", fields.join(", ")));
        }
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn objects_have_the_fields_of_all_values() {
        check(
            &[r#"{"a": 1, "l": [{"x": 1}, {"y": "b"}]}"#, r#"{"b": true, "a": null}"#],
            &expect![[r"
                selfType
                selfType {a: int, b: bool, l: list(selfType.l.@idx)}
                selfType.l.@idx {x: int, y: string}"]],
        );
    }

    #[test]
    fn numbers_mix_and_other_types_do_not() {
        check(&["[1, 2.5]"], &expect!["list(double)"]);
        check(&["[1, \"a\"]"], &expect!["list(dyn)"]);
        check(&["[]"], &expect!["list(dyn)"]);
        check(&["null"], &expect!["dyn"]);
        check(&[], &expect!["nothing"]);
    }

    #[test]
    fn members_that_are_data_make_a_map() {
        check(
            &[r#"{"labels": {"app": "x"}, "config": {"a.b/c": 1}, "empty": {}}"#],
            &expect![[r"
                selfType
                selfType {config: map(string, int), empty: map(string, dyn), labels: map(string, string)}"]],
        );
    }
}

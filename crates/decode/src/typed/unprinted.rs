//! The parts of a Go value that its JSON does not show: lists and maps that were given and are empty, and amounts
//! without a suffix.

use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::{MAX_DEPTH, Quantity, Value, from_value};

/// A value that is not the one that is printed of it. Rules see it, and neither stores nor clients do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprinted {
    path: Vec<Step>,
    given: Value,
    /// The serialized value; `None` if omitted.
    printed: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
}

impl Unprinted {
    /// Puts the value that was given in place of what is printed of it, unless something else is there by now.
    pub fn restore(&self, object: &mut Value) {
        replace(object, &self.path, self.printed.as_ref(), Some(&self.given));
    }

    /// True if the value is in this member of the object.
    pub fn is_below(&self, member: &str) -> bool {
        matches!(self.path.first(), Some(Step::Member(first)) if first == member)
    }

    /// Undoes [`Unprinted::restore`].
    pub fn print(&self, object: &mut Value) {
        replace(object, &self.path, Some(&self.given), self.printed.as_ref());
    }
}

/// All such values of an object.
#[cold]
pub(super) fn unprinted(shapes: &Shapes, id: TypeId, value: &Value) -> Vec<Unprinted> {
    let mut finder = Finder { shapes, path: Vec::new(), found: Vec::new() };
    finder.value(TypeRef::value(id), value);
    finder.found
}

/// True if an amount is printed as another one.
pub(super) fn is_misprinted(amount: &Quantity, printed: &Value) -> bool {
    from_value::<Quantity>(printed).is_ok_and(|printed| printed != *amount)
}

struct Finder<'a> {
    shapes: &'a Shapes,
    path: Vec<Step>,
    found: Vec<Unprinted>,
}

impl Finder<'_> {
    fn value(&mut self, ty: TypeRef, value: &Value) {
        if self.path.len() > MAX_DEPTH {
            return;
        }
        match (&self.shapes.get(ty.id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => {
                let shapes = self.shapes;
                for (field, member) in shapes.joined(ty.id, members) {
                    let Some(member) = member else { continue };
                    let is_collection = matches!(shapes.get(field.ty.id).kind, Kind::List { .. } | Kind::Map { .. });
                    self.below(Step::Member(field.json.to_string()), |finder| {
                        if is_collection && !member.is_null() && shapes.omits(field, Some(member)) {
                            finder.push(member.clone(), None);
                        } else {
                            finder.value(field.ty, member);
                        }
                    });
                }
            }
            (Kind::List { elem, .. }, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(Step::Item(index), |finder| finder.value(*elem, item));
                }
            }
            (Kind::Map { value: elem, .. }, Value::Object(members)) => {
                for (key, member) in members {
                    self.below(Step::Member(key.to_string()), |finder| finder.value(*elem, member));
                }
            }
            (Kind::Quantity, _) => {
                let Ok(amount) = from_value::<Quantity>(value) else { return };
                let printed = Value::from(amount.to_string());
                if is_misprinted(&amount, &printed) {
                    self.push(value.clone(), Some(printed));
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: Step, visit: impl FnOnce(&mut Self)) {
        self.path.push(step);
        visit(self);
        self.path.pop();
    }

    fn push(&mut self, given: Value, printed: Option<Value>) {
        self.found.push(Unprinted { path: self.path.clone(), given, printed });
    }
}

/// Replaces the value at a path, if it is the one that is expected there. A path that is not there any more is left alone.
fn replace(value: &mut Value, path: &[Step], expected: Option<&Value>, by: Option<&Value>) {
    match path {
        [] => {}
        [Step::Member(name)] if value.as_object().is_some() && value.get(name) == expected => match by {
            Some(by) => drop(value.insert(name.as_str(), by.clone())),
            None => drop(value.remove(name)),
        },
        [Step::Item(index)] if value.at(*index).is_some() && value.at(*index) == expected => {
            if let (Some(item), Some(by)) = (value.as_array_mut().and_then(|items| items.get_mut(*index)), by) {
                *item = by.clone();
            }
        }
        [Step::Member(name), rest @ ..] => {
            if let Some(member) = value.get_mut(name) {
                replace(member, rest, expected, by);
            }
        }
        [Step::Item(index), rest @ ..] => {
            if let Some(item) = value.as_array_mut().and_then(|items| items.get_mut(*index)) {
                replace(item, rest, expected, by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_shape::meta::{OBJECT_META, shapes};
    use sprag_value::json;

    use crate::typed::decode_json;

    #[test]
    fn empty_lists_and_maps_are_restored_and_printed_away_again() {
        let text = br#"{"name":"a","labels":{},"finalizers":[],"annotations":{"b":"c"},"ownerReferences":null}"#;
        let decoded = decode_json(shapes(), OBJECT_META, text).unwrap();
        let printed = r#"{"annotations":{"b":"c"},"name":"a"}"#;
        assert_eq!(json::to_string(&decoded.value), printed);
        let mut object = decoded.value;
        decoded.unprinted.iter().for_each(|value| value.restore(&mut object));
        assert_eq!(json::to_string(&object), r#"{"annotations":{"b":"c"},"finalizers":[],"labels":{},"name":"a"}"#);
        // Changes in between are kept.
        object.insert("labels", json::parse(br#"{"x":"y"}"#).unwrap());
        decoded.unprinted.iter().for_each(|value| value.print(&mut object));
        assert_eq!(json::to_string(&object), r#"{"annotations":{"b":"c"},"labels":{"x":"y"},"name":"a"}"#);
    }
}

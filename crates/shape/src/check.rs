//! Checks that a table is coherent.

use std::collections::BTreeSet;

use sprag_value::json::{self, JsonError};

use crate::shapes::{lookup_of, type_id};
use crate::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};

/// The error of a table of types, and the type it is in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("type {id} {name:?}: {fault}", id = .id.0)]
pub struct ShapeError {
    /// The type.
    pub id: TypeId,
    /// Its name.
    pub name: String,
    /// The kind of error.
    pub fault: Fault,
}

/// The errors of a table of types.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A reference leads out of the table.
    #[error("refers to type {}, which does not exist", .0.0)]
    MissingType(TypeId),
    /// An embedded field is not a struct.
    #[error("embeds field {0}, which is not a struct")]
    EmbedsNoStruct(String),
    /// Two fields of one struct have the same JSON name.
    #[error("declares the JSON name {0:?} twice")]
    RepeatedName(String),
    /// Two fields of one struct have the same number in protobuf.
    #[error("gives the protobuf number {0} twice")]
    RepeatedNumber(u32),
    /// The lookup does not agree with the fields.
    #[error("has a lookup that does not match its fields")]
    StaleLookup,
    /// A default is not JSON.
    #[error("field {field} has a default that is not JSON: {error}")]
    BrokenDefault {
        /// The JSON name of the field.
        field: String,
        /// The JSON error.
        error: JsonError,
    },
    /// The key of a list is not a field of its elements.
    #[error("has a list keyed by {0:?}, which its elements do not have")]
    MissingKey(String),
}

impl Shapes {
    /// Everything that is wrong with the table; nothing when it is coherent.
    pub fn check(&self) -> Vec<ShapeError> {
        let mut errors = Vec::new();
        for (at, ty) in self.types().iter().enumerate() {
            let id = type_id(at);
            let mut faults = Vec::new();
            self.check_type(id, ty, &mut faults);
            errors.extend(faults.into_iter().map(|fault| ShapeError { id, name: ty.name.to_string(), fault }));
        }
        errors
    }

    fn check_type(&self, id: TypeId, ty: &TypeShape, faults: &mut Vec<Fault>) {
        match &ty.kind {
            Kind::List { elem, list } => {
                self.check_reference(*elem, faults);
                self.check_list(*elem, list, faults);
            }
            Kind::Map { key, value } => {
                self.check_reference(*key, faults);
                self.check_reference(*value, faults);
            }
            Kind::Struct { fields, lookup } => {
                let mut names = BTreeSet::new();
                let mut numbers = BTreeSet::new();
                for field in fields.iter() {
                    self.check_field(field, faults);
                    if !field.inline && !names.insert(&field.json) {
                        faults.push(Fault::RepeatedName(field.json.to_string()));
                    }
                    if field.protobuf != 0 && !numbers.insert(field.protobuf) {
                        faults.push(Fault::RepeatedNumber(field.protobuf));
                    }
                }
                if lookup_of(self.types(), id) != lookup.as_ref() {
                    faults.push(Fault::StaleLookup);
                }
            }
            _ => {}
        }
    }

    fn check_field(&self, field: &Field, faults: &mut Vec<Fault>) {
        self.check_reference(field.ty, faults);
        let kind = &self.get(field.ty.id).kind;
        if field.inline && !matches!(kind, Kind::Struct { .. }) {
            faults.push(Fault::EmbedsNoStruct(field.name.to_string()));
        }
        if let Kind::List { elem, .. } = kind {
            self.check_list(*elem, &field.list, faults);
        }
        if !field.default.is_empty()
            && let Err(error) = json::parse(field.default.as_bytes())
        {
            faults.push(Fault::BrokenDefault { field: field.json.to_string(), error });
        }
    }

    fn check_reference(&self, ty: TypeRef, faults: &mut Vec<Fault>) {
        if ty.id.0 as usize >= self.types().len() {
            faults.push(Fault::MissingType(ty.id));
        }
    }

    fn check_list(&self, elem: TypeRef, list: &ListType, faults: &mut Vec<Fault>) {
        let ListType::Map(keys) = list else { return };
        let missing = keys.iter().filter(|key| self.field(elem.id, key).is_none());
        faults.extend(missing.map(|key| Fault::MissingKey(key.to_string())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_coherent_table_has_no_errors() {
        assert_eq!(sample::shapes().check(), []);
        assert_eq!(sample::STATIC.check(), []);
    }

    #[test]
    fn every_fault_is_named() {
        let no_keys = || TypeRef::value(TypeId(2));
        let fields = vec![
            Field::new("a", "A", TypeRef::value(TypeId(9))),
            Field::new("a", "B", TypeRef::value(TypeId(0))).default("{"),
            Field::embedded("C", TypeRef::value(TypeId(0))),
            Field::new("d", "D", no_keys()).list(ListType::Map(vec!["k".into()].into())),
        ];
        let shapes = Shapes::new(vec![
            TypeShape::new("", Kind::String),
            TypeShape::new("T", Kind::of_fields(fields.into())),
            TypeShape::new("", Kind::List { elem: TypeRef::value(TypeId(1)), list: ListType::Unset }),
        ]);
        let errors: Vec<String> = shapes.check().iter().map(|error| error.fault.to_string()).collect();
        assert_eq!(
            errors,
            [
                "refers to type 9, which does not exist",
                "field a has a default that is not JSON: unexpected end of JSON input",
                "declares the JSON name \"a\" twice",
                "embeds field C, which is not a struct",
                "has a list keyed by \"k\", which its elements do not have",
            ]
        );
    }

    #[test]
    fn a_static_table_without_lookups_is_stale() {
        static FIELDS: [Field; 1] = [Field::new("a", "A", TypeRef::value(TypeId(0)))];
        static TYPES: [TypeShape; 1] = [TypeShape::new("T", Kind::of_fields(std::borrow::Cow::Borrowed(&FIELDS)))];
        let errors = Shapes::from_static(&TYPES).check();
        assert_eq!(errors.first().map(|error| &error.fault), Some(&Fault::StaleLookup));
        assert_eq!(errors[0].to_string(), "type 0 \"T\": has a lookup that does not match its fields");
    }
}

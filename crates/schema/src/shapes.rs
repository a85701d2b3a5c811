//! The shapes of a schema, as patches, server-side apply and published schemas read them.

use std::borrow::Cow;

use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape, UnknownFields, meta};
use sprag_value::{Text, json};

use crate::props::{Props, PropsOrBool};

/// The shapes of a whole resource, and which of them is its own. They come after those of its metadata.
pub(crate) fn shapes(props: &Props) -> (Shapes, TypeId) {
    let mut table = Table { types: meta::shapes().types().to_vec() };
    let root = table.object(props, true);
    (Shapes::new(table.types), root)
}

struct Table {
    types: Vec<TypeShape>,
}

impl Table {
    fn add(&mut self, shape: TypeShape) -> TypeId {
        let id = u32::try_from(self.types.len()).expect("a schema of four billion types does not fit into memory");
        self.types.push(shape);
        TypeId(id)
    }

    /// The shape of a schema.
    fn shape(&mut self, props: &Props) -> TypeRef {
        let id = match props.ty.as_str() {
            _ if props.int_or_string => self.plain(props, Kind::IntOrString),
            "object" => self.object_or_map(props),
            "array" => {
                let elem = props.item_schema().map(|items| self.shape(items));
                let elem = elem.unwrap_or_else(|| TypeRef::value(self.add(TypeShape::new("", Kind::Any))));
                self.plain(props, Kind::List { elem, list: list_type(props) })
            }
            "string" if matches!(props.format.as_str(), "" | "byte") => self.plain(props, Kind::String),
            // Text of a format may be any scalar to those who own fields; validation says otherwise.
            "string" => self.plain(props, Kind::Scalar),
            "boolean" => self.plain(props, Kind::Bool),
            "integer" => self.plain(props, Kind::Int { bits: 64, signed: true }),
            "number" => self.plain(props, Kind::Float { bits: 64 }),
            _ => self.plain(props, Kind::Any),
        };
        TypeRef { id, nullable: props.nullable }
    }

    fn plain(&mut self, props: &Props, kind: Kind) -> TypeId {
        let shape = described(props, kind);
        self.add(shape)
    }

    fn object_or_map(&mut self, props: &Props) -> TypeId {
        let value = match &props.additional_properties {
            Some(PropsOrBool::Props(values)) => self.shape(values),
            Some(PropsOrBool::Bool(true)) => TypeRef::value(self.add(TypeShape::new("", Kind::Any))),
            _ => return self.object(props, props.embedded_resource),
        };
        let key = TypeRef::value(self.add(TypeShape::new("", Kind::String)));
        self.plain(props, Kind::Map { key, value })
    }

    fn object(&mut self, props: &Props, is_resource: bool) -> TypeId {
        let mut fields = Vec::with_capacity(props.properties.len());
        if is_resource {
            for name in ["apiVersion", "kind"] {
                let ty = TypeRef::value(self.add(TypeShape::new("", Kind::String)));
                fields.push(Field::new(name, name, ty));
            }
            fields.push(Field::new("metadata", "metadata", TypeRef::value(meta::OBJECT_META)));
        }
        for (name, property) in &props.properties {
            if !fields.iter().any(|field| field.json == name.as_str()) {
                fields.push(self.field(name, property, props));
            }
        }
        let mut shape = described(props, Kind::of_fields(fields.into()));
        shape.unknown = match props.preserve_unknown_fields {
            Some(true) => UnknownFields::Preserve,
            _ => UnknownFields::Prune,
        };
        self.add(shape)
    }

    fn field(&mut self, name: &Text, props: &Props, parent: &Props) -> Field {
        let ty = self.shape(props);
        let name = name.as_str().to_owned();
        let mut field = Field::owned(Cow::Owned(name.clone()), Cow::Owned(name), ty);
        field.required = parent.required.iter().any(|required| required.as_str() == field.json);
        field.default = props.default.as_ref().map(json::to_string_plain).unwrap_or_default().into();
        field.doc = props.description.to_string().into();
        field
    }
}

/// A shape with what a schema says about the whole value.
fn described(props: &Props, kind: Kind) -> TypeShape {
    let mut shape = TypeShape::new("", kind);
    shape.doc = props.description.to_string().into();
    shape.atomic = props.map_type.as_deref() == Some("atomic");
    let texts = props.enumeration.iter().filter_map(|value| value.as_str());
    shape.enum_values = texts.map(|text| Cow::Owned(text.to_owned())).collect::<Vec<_>>().into();
    shape
}

fn list_type(props: &Props) -> ListType {
    match props.list_type.as_deref() {
        Some("set") => ListType::Set,
        Some("map") => {
            let keys: Vec<_> = props.list_map_keys.iter().map(|key| Cow::Owned(key.to_string())).collect();
            ListType::Map(keys.into())
        }
        Some("atomic") => ListType::Atomic,
        _ => ListType::Unset,
    }
}

#[cfg(test)]
mod tests {
    use sprag_shape::{Kind, ListType, UnknownFields};

    use super::shapes;
    use crate::props::Props;

    #[test]
    fn schemas_have_shapes() {
        let text = br#"{"type": "object", "properties": {
            "spec": {"type": "object", "required": ["l"], "x-kubernetes-preserve-unknown-fields": true, "properties": {
                "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                    "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"k": {"type": "string"}}}},
                "n": {"type": "integer", "nullable": true, "default": 1, "description": "a number"},
                "p": {"x-kubernetes-int-or-string": true},
                "d": {"type": "string", "format": "date"}, "b": {"type": "string", "format": "byte"},
                "m": {"type": "object", "additionalProperties": {"type": "string"}}}}}}"#;
        let props = Props::read(&sprag_value::json::parse(text).unwrap()).unwrap();
        let (shapes, root) = shapes(&props);
        assert!(shapes.check().is_empty());
        let spec = shapes.field(root, "spec").unwrap();
        assert_eq!(shapes.get(spec.ty.id).unknown, UnknownFields::Preserve);
        let field = |name: &str| shapes.field(spec.ty.id, name).unwrap();
        let list = field("l");
        assert!(list.required && !field("n").required);
        let Kind::List { elem, list: ListType::Map(keys) } = &shapes.get(list.ty.id).kind else { panic!("not keyed") };
        assert_eq!(keys[0], "k");
        assert!(shapes.get(elem.id).atomic);
        assert_eq!((field("n").default.as_ref(), field("n").ty.nullable), ("1", true));
        assert_eq!(shapes.get(field("p").ty.id).kind, Kind::IntOrString);
        assert_eq!(shapes.get(field("d").ty.id).kind, Kind::Scalar);
        assert_eq!(shapes.get(field("b").ty.id).kind, Kind::String);
        assert!(matches!(shapes.get(field("m").ty.id).kind, Kind::Map { .. }));
        let metadata = shapes.field(root, "metadata").unwrap();
        assert!(shapes.field(metadata.ty.id, "ownerReferences").is_some());
    }
}

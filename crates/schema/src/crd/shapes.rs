//! The shape of the type for a decoder, and the findings of decoding a manifest.
//!
//! Go names, JSON names and list types are those of `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1`.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_decode::Finding;
use sprag_decode::typed::{self, Misfit};
use sprag_release::{Fact, Release};
use sprag_shape::{Field, Kind, ListType, Message, Patch, Shapes, TypeId, TypeRef, TypeShape, meta};
use sprag_value::{Object, Text, Value};

/// The table of types behind a definition.
pub fn shapes() -> &'static Shapes {
    &TABLE.shapes
}

/// The same as a release has it.
pub fn shapes_of(release: Release) -> &'static Shapes {
    if release.has(Fact::DefinitionsObserveGenerations) { shapes() } else { &UNOBSERVED }
}

/// The types without the generation that conditions and statuses are about.
static UNOBSERVED: LazyLock<Shapes> = LazyLock::new(|| {
    let mut types = shapes().types().to_vec();
    for ty in &mut types {
        if let Kind::Struct { fields, .. } = &mut ty.kind {
            fields.to_mut().retain(|field| field.json != "observedGeneration");
        }
    }
    Shapes::new(types)
});

/// The definition in [`shapes`].
pub fn definition() -> TypeId {
    TABLE.definition
}

/// Checks that every member of a manifest has the right type, and finds unknown ones.
///
/// Like upstream's, the check does not look for unknown members below `items`, `additionalProperties` and their like,
/// which are read by code of their own.
pub fn check(manifest: &Value) -> Result<Vec<Finding>, Misfit> {
    let mut decoded =
        typed::decode(shapes(), definition(), manifest).map_err(|misfit| first_error(misfit, manifest))?;
    coerce_schemas(&mut decoded.value)?;
    Ok(decoded.findings)
}

/// The error for a manifest that does not fit the type: types with their own Go unmarshaller end the decoding with their error, whatever
/// was found before.
pub fn first_error(misfit: Misfit, manifest: &Value) -> Misfit {
    coerce_schemas(&mut manifest.clone()).err().unwrap_or(misfit)
}

/// Brings what is below `items`, `additionalProperties` and their like into form, in a manifest that was read into the
/// type: what nobody knows there is dropped and not mentioned.
pub fn coerce_schemas(manifest: &mut Value) -> Result<(), Misfit> {
    let Some(spec) = manifest.get_mut("spec") else { return Ok(()) };
    for (index, version) in elements(spec, "versions") {
        let schema = version.get_mut("schema").and_then(|schema| schema.get_mut("openAPIV3Schema"));
        let place = SchemaPlace {
            go: "spec.versions.schema.openAPIV3Schema".to_owned(),
            path: format!("spec.versions[{index}].schema.openAPIV3Schema"),
        };
        schema.map_or(Ok(()), |schema| coerce_schema(schema, &place))?;
    }
    Ok(())
}

/// The elements of a member that is a list, with their positions.
fn elements<'v>(value: &'v mut Value, member: &str) -> impl Iterator<Item = (usize, &'v mut Value)> {
    let list = match value.get_mut(member) {
        Some(Value::Array(elements)) => elements.as_mut_slice(),
        _ => &mut [],
    };
    list.iter_mut().enumerate()
}

/// The entries of a member that is a map.
fn entries<'v>(value: &'v mut Value, member: &str) -> impl Iterator<Item = (&'v Text, &'v mut Value)> {
    let map = match value.get_mut(member) {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    };
    map.into_iter().flat_map(Object::iter_mut)
}

/// The place of a schema in a manifest.
struct SchemaPlace {
    /// As Go names it: without keys and indices.
    go: String,
    /// As it is found in the manifest.
    path: String,
}

impl SchemaPlace {
    /// The schema of a keyword.
    fn keyword(&self, keyword: &str) -> SchemaPlace {
        SchemaPlace { go: format!("{}.{keyword}", self.go), path: format!("{}.{keyword}", self.path) }
    }

    /// One of the schemas of a keyword with a list.
    fn element(&self, keyword: &str, index: usize) -> SchemaPlace {
        SchemaPlace { path: format!("{}.{keyword}[{index}]", self.path), ..self.keyword(keyword) }
    }

    /// One of the schemas of a keyword with a map.
    fn entry(&self, keyword: &str, key: &str) -> SchemaPlace {
        SchemaPlace { path: format!("{}.{keyword}[{key}]", self.path), ..self.keyword(keyword) }
    }
}

struct Table {
    shapes: Shapes,
    definition: TypeId,
    /// `v1.JSONSchemaProps`.
    schema: TypeId,
    /// `[]string`.
    strings: TypeId,
}

static TABLE: LazyLock<Table> = LazyLock::new(build);

/// The fields of a schema that are read by code of their own, and their possible values.
const UNIONS: [(&str, Union); 3] =
    [("items", Union::OneOrMany), ("additionalProperties", Union::OrBool), ("additionalItems", Union::OrBool)];
/// The fields of a schema that hold other schemas.
const SCHEMAS: [&str; 1] = ["not"];
const SCHEMA_LISTS: [&str; 3] = ["allOf", "oneOf", "anyOf"];
const SCHEMA_MAPS: [&str; 3] = ["properties", "patternProperties", "definitions"];

#[derive(Clone, Copy)]
enum Union {
    /// A schema or a list of them; anything else is taken for nothing.
    OneOrMany,
    /// A schema or a truth value.
    OrBool,
}

/// Reads what the table leaves open in a schema that fits it.
fn coerce_schema(schema: &mut Value, at: &SchemaPlace) -> Result<(), Misfit> {
    for (keyword, union) in UNIONS {
        let Some(value) = schema.get_mut(keyword).filter(|value| !value.is_null()) else { continue };
        match (union, value) {
            (_, value @ Value::Object(_)) => coerce_typed(TABLE.schema, value, &at.keyword(keyword))?,
            (Union::OneOrMany, Value::Array(schemas)) => {
                let mut schemas = schemas.as_mut_slice().iter_mut().enumerate();
                schemas
                    .try_for_each(|(index, schema)| coerce_typed(TABLE.schema, schema, &at.element(keyword, index)))?;
            }
            (Union::OneOrMany, _) | (Union::OrBool, Value::Bool(_)) => {}
            (Union::OrBool, _) => {
                let text = "boolean or JSON schema expected".to_owned();
                return Err(Misfit { text, path: at.keyword(keyword).path });
            }
        }
    }
    for (key, dependency) in entries(schema, "dependencies") {
        let at = at.entry("dependencies", key);
        match dependency {
            Value::Object(_) => coerce_typed(TABLE.schema, dependency, &at)?,
            Value::Array(_) => coerce_typed(TABLE.strings, dependency, &at)?,
            _ => {}
        }
    }
    for keyword in SCHEMAS {
        schema.get_mut(keyword).map_or(Ok(()), |inner| coerce_schema(inner, &at.keyword(keyword)))?;
    }
    for keyword in SCHEMA_LISTS {
        elements(schema, keyword).try_for_each(|(index, inner)| coerce_schema(inner, &at.element(keyword, index)))?;
    }
    for keyword in SCHEMA_MAPS {
        entries(schema, keyword).try_for_each(|(key, inner)| coerce_schema(inner, &at.entry(keyword, key)))?;
    }
    Ok(())
}

/// Reads a value that is read on its own, and puts its place into the error.
fn coerce_typed(id: TypeId, value: &mut Value, at: &SchemaPlace) -> Result<(), Misfit> {
    match typed::decode_parsed(shapes(), id, value) {
        Ok(decoded) => {
            *value = decoded.value;
            coerce_schema(value, at)
        }
        Err(misfit) => coerce_schema(value, at).and_then(|()| Err(misfit_at(at, &misfit))),
    }
}

/// An error of code that reads on its own: Go names the place from the start, and the struct that this code belongs to.
fn misfit_at(at: &SchemaPlace, misfit: &Misfit) -> Misfit {
    let target = format!("into Go struct field JSONSchemaProps.{}", at.go);
    let text = match misfit.text.split_once("into Go struct field ") {
        Some((start, field)) => match field.split_once('.') {
            Some((_, inner)) => format!("{start}{target}.{inner}"),
            None => misfit.text.clone(),
        },
        None => misfit.text.replace("into Go value", &target),
    };
    let dot = if misfit.path.is_empty() || misfit.path.starts_with('[') { "" } else { "." };
    Misfit { text, path: format!("{}{dot}{}", at.path, misfit.path) }
}

/// Collects types and hands out their ids.
struct Builder(Vec<TypeShape>);

impl Builder {
    fn add(&mut self, name: &'static str, kind: Kind) -> TypeId {
        self.0.push(TypeShape::new(name, kind));
        TypeId(u32::try_from(self.0.len() - 1).expect("the table is small"))
    }

    fn set_message(&mut self, id: TypeId, message: Message) {
        self.0[id.0 as usize].message = message;
    }

    fn structure(&mut self, name: &'static str, fields: Vec<Field>) -> TypeId {
        self.add(name, Kind::of_fields(fields.into()))
    }

    fn list(&mut self, name: &'static str, elem: TypeId, list: ListType) -> TypeId {
        self.add(name, Kind::List { elem: TypeRef::value(elem), list })
    }

    fn map(&mut self, name: &'static str, key: TypeId, value: TypeId) -> TypeId {
        self.add(name, Kind::Map { key: TypeRef::value(key), value: TypeRef::value(value) })
    }
}

/// Types without parts.
struct Scalars {
    string: TypeId,
    bool: TypeId,
    int32: TypeId,
    int64: TypeId,
    float64: TypeId,
    bytes: TypeId,
    strings: TypeId,
    time: TypeId,
}

fn field(json: &'static str, name: &'static str, id: TypeId) -> Field {
    Field::new(json, name, TypeRef::value(id))
}

fn optional(json: &'static str, name: &'static str, id: TypeId) -> Field {
    field(json, name, id).omit_empty()
}

fn pointer(json: &'static str, name: &'static str, id: TypeId) -> Field {
    Field::new(json, name, TypeRef::pointer(id)).omit_empty()
}

fn build() -> Table {
    let mut types = Builder(meta::shapes().types().to_vec());
    let string = types.add("", Kind::String);
    let scalars = Scalars {
        string,
        bool: types.add("", Kind::Bool),
        int32: types.add("", Kind::Int { bits: 32, signed: true }),
        int64: types.add("", Kind::Int { bits: 64, signed: true }),
        float64: types.add("", Kind::Float { bits: 64 }),
        bytes: types.add("", Kind::Bytes),
        strings: types.list("", string, ListType::Atomic),
        time: types.add("v1.Time", Kind::Time),
    };
    let schema = schema(&mut types, &scalars);
    let spec = spec(&mut types, &scalars, schema);
    let status = status(&mut types, &scalars);
    let definition = types.structure(
        "v1.CustomResourceDefinition",
        vec![
            Field::embedded("TypeMeta", TypeRef::value(meta::TYPE_META)),
            optional("metadata", "ObjectMeta", meta::OBJECT_META).protobuf(1),
            field("spec", "Spec", spec).protobuf(2).required(),
            optional("status", "Status", status).protobuf(3),
        ],
    );
    Table { strings: scalars.strings, shapes: Shapes::new(types.0), definition, schema }
}

fn spec(types: &mut Builder, scalars: &Scalars, schema: TypeId) -> TypeId {
    let scope = types.add("v1.ResourceScope", Kind::String);
    let names = names(types, scalars);
    let version = version(types, scalars, schema);
    let versions = types.list("", version, ListType::Atomic);
    let conversion = conversion(types, scalars);
    types.structure(
        "v1.CustomResourceDefinitionSpec",
        vec![
            field("group", "Group", scalars.string).protobuf(1).required(),
            field("names", "Names", names).protobuf(3).required(),
            field("scope", "Scope", scope).protobuf(4).required(),
            field("versions", "Versions", versions).protobuf(7).required(),
            pointer("conversion", "Conversion", conversion).protobuf(9),
            optional("preserveUnknownFields", "PreserveUnknownFields", scalars.bool).protobuf(10),
        ],
    )
}

fn names(types: &mut Builder, scalars: &Scalars) -> TypeId {
    types.structure(
        "v1.CustomResourceDefinitionNames",
        vec![
            field("plural", "Plural", scalars.string).protobuf(1).required(),
            optional("singular", "Singular", scalars.string).protobuf(2),
            optional("shortNames", "ShortNames", scalars.strings).protobuf(3),
            field("kind", "Kind", scalars.string).protobuf(4).required(),
            optional("listKind", "ListKind", scalars.string).protobuf(5),
            optional("categories", "Categories", scalars.strings).protobuf(6),
        ],
    )
}

fn version(types: &mut Builder, scalars: &Scalars, schema: TypeId) -> TypeId {
    let validation = types.structure(
        "v1.CustomResourceValidation",
        vec![pointer("openAPIV3Schema", "OpenAPIV3Schema", schema).protobuf(1)],
    );
    let subresources = subresources(types, scalars);
    let column = types.structure(
        "v1.CustomResourceColumnDefinition",
        vec![
            field("name", "Name", scalars.string).protobuf(1).required(),
            field("type", "Type", scalars.string).protobuf(2).required(),
            optional("format", "Format", scalars.string).protobuf(3),
            optional("description", "Description", scalars.string).protobuf(4),
            optional("priority", "Priority", scalars.int32).protobuf(5),
            field("jsonPath", "JSONPath", scalars.string).protobuf(6).required(),
        ],
    );
    let columns = types.list("", column, ListType::Atomic);
    let selectable = types
        .structure("v1.SelectableField", vec![field("jsonPath", "JSONPath", scalars.string).protobuf(1).required()]);
    let selectables = types.list("", selectable, ListType::Atomic);
    types.structure(
        "v1.CustomResourceDefinitionVersion",
        vec![
            field("name", "Name", scalars.string).protobuf(1).required(),
            field("served", "Served", scalars.bool).protobuf(2).required(),
            field("storage", "Storage", scalars.bool).protobuf(3).required(),
            optional("deprecated", "Deprecated", scalars.bool).protobuf(7),
            pointer("deprecationWarning", "DeprecationWarning", scalars.string).protobuf(8),
            pointer("schema", "Schema", validation).protobuf(4),
            pointer("subresources", "Subresources", subresources).protobuf(5),
            optional("additionalPrinterColumns", "AdditionalPrinterColumns", columns).protobuf(6),
            optional("selectableFields", "SelectableFields", selectables).protobuf(9),
        ],
    )
}

fn subresources(types: &mut Builder, scalars: &Scalars) -> TypeId {
    let status = types.structure("v1.CustomResourceSubresourceStatus", Vec::new());
    let scale = types.structure(
        "v1.CustomResourceSubresourceScale",
        vec![
            field("specReplicasPath", "SpecReplicasPath", scalars.string).protobuf(1).required(),
            field("statusReplicasPath", "StatusReplicasPath", scalars.string).protobuf(2).required(),
            pointer("labelSelectorPath", "LabelSelectorPath", scalars.string).protobuf(3),
        ],
    );
    types.structure(
        "v1.CustomResourceSubresources",
        vec![pointer("status", "Status", status).protobuf(1), pointer("scale", "Scale", scale).protobuf(2)],
    )
}

fn conversion(types: &mut Builder, scalars: &Scalars) -> TypeId {
    let strategy = types.add("v1.ConversionStrategyType", Kind::String);
    let service = types.structure(
        "v1.ServiceReference",
        vec![
            field("namespace", "Namespace", scalars.string).protobuf(1).required(),
            field("name", "Name", scalars.string).protobuf(2).required(),
            pointer("path", "Path", scalars.string).protobuf(3),
            pointer("port", "Port", scalars.int32).protobuf(4),
        ],
    );
    let client = types.structure(
        "v1.WebhookClientConfig",
        vec![
            pointer("url", "URL", scalars.string).protobuf(3),
            pointer("service", "Service", service).protobuf(1),
            optional("caBundle", "CABundle", scalars.bytes).protobuf(2),
        ],
    );
    let webhook = types.structure(
        "v1.WebhookConversion",
        vec![
            pointer("clientConfig", "ClientConfig", client).protobuf(2),
            field("conversionReviewVersions", "ConversionReviewVersions", scalars.strings).protobuf(3).required(),
        ],
    );
    types.structure(
        "v1.CustomResourceConversion",
        vec![
            field("strategy", "Strategy", strategy).protobuf(1).required(),
            pointer("webhook", "Webhook", webhook).protobuf(2),
        ],
    )
}

fn status(types: &mut Builder, scalars: &Scalars) -> TypeId {
    let condition_type = types.add("v1.CustomResourceDefinitionConditionType", Kind::String);
    let condition_status = types.add("v1.ConditionStatus", Kind::String);
    let condition = types.structure(
        "v1.CustomResourceDefinitionCondition",
        vec![
            field("type", "Type", condition_type).protobuf(1).required(),
            field("status", "Status", condition_status).protobuf(2).required(),
            optional("lastTransitionTime", "LastTransitionTime", scalars.time).protobuf(3),
            optional("reason", "Reason", scalars.string).protobuf(4),
            optional("message", "Message", scalars.string).protobuf(5),
            optional("observedGeneration", "ObservedGeneration", scalars.int64).protobuf(6),
        ],
    );
    let conditions = types.list("", condition, ListType::Map(vec!["type".into()].into()));
    let names = names(types, scalars);
    types.structure(
        "v1.CustomResourceDefinitionStatus",
        vec![
            field("conditions", "Conditions", conditions).protobuf(1),
            field("acceptedNames", "AcceptedNames", names).protobuf(2),
            field("storedVersions", "StoredVersions", scalars.strings).protobuf(3),
            optional("observedGeneration", "ObservedGeneration", scalars.int64).protobuf(4),
        ],
    )
}

fn schema(types: &mut Builder, scalars: &Scalars) -> TypeId {
    // Schemas contain schemas: the place is taken before their fields are known.
    let schema = types.structure("v1.JSONSchemaProps", Vec::new());
    let mut fields = limits(types, scalars);
    fields.extend(schemas(types, scalars, schema));
    fields.extend(extensions(types, scalars));
    types.0[schema.0 as usize].kind = Kind::of_fields(fields.into());
    schema
}

/// Keywords whose values hold no schemas.
fn limits(types: &mut Builder, scalars: &Scalars) -> Vec<Field> {
    let url = types.add("v1.JSONSchemaURL", Kind::String);
    let json = types.add("v1.JSON", Kind::Any);
    types.set_message(json, Message::Json);
    let values = types.list("", json, ListType::Atomic);
    let docs = types.structure(
        "v1.ExternalDocumentation",
        vec![
            optional("description", "Description", scalars.string).protobuf(1),
            optional("url", "URL", scalars.string).protobuf(2),
        ],
    );
    vec![
        optional("id", "ID", scalars.string).protobuf(1),
        optional("$schema", "Schema", url).protobuf(2),
        pointer("$ref", "Ref", scalars.string).protobuf(3),
        optional("description", "Description", scalars.string).protobuf(4),
        optional("type", "Type", scalars.string).protobuf(5),
        optional("format", "Format", scalars.string).protobuf(6),
        optional("title", "Title", scalars.string).protobuf(7),
        pointer("default", "Default", json).protobuf(8),
        pointer("maximum", "Maximum", scalars.float64).protobuf(9),
        optional("exclusiveMaximum", "ExclusiveMaximum", scalars.bool).protobuf(10),
        pointer("minimum", "Minimum", scalars.float64).protobuf(11),
        optional("exclusiveMinimum", "ExclusiveMinimum", scalars.bool).protobuf(12),
        pointer("maxLength", "MaxLength", scalars.int64).protobuf(13),
        pointer("minLength", "MinLength", scalars.int64).protobuf(14),
        optional("pattern", "Pattern", scalars.string).protobuf(15),
        pointer("maxItems", "MaxItems", scalars.int64).protobuf(16),
        pointer("minItems", "MinItems", scalars.int64).protobuf(17),
        optional("uniqueItems", "UniqueItems", scalars.bool).protobuf(18),
        pointer("multipleOf", "MultipleOf", scalars.float64).protobuf(19),
        optional("enum", "Enum", values).protobuf(20),
        pointer("maxProperties", "MaxProperties", scalars.int64).protobuf(21),
        pointer("minProperties", "MinProperties", scalars.int64).protobuf(22),
        optional("required", "Required", scalars.strings).protobuf(23),
        pointer("externalDocs", "ExternalDocs", docs).protobuf(35),
        pointer("example", "Example", json).protobuf(36),
        optional("nullable", "Nullable", scalars.bool).protobuf(37),
    ]
}

/// Keywords whose values hold schemas. Those that are read by code of their own are open here.
fn schemas(types: &mut Builder, scalars: &Scalars, schema: TypeId) -> Vec<Field> {
    let key = types.add("", Kind::String);
    let one_or_many = types.add("v1.JSONSchemaPropsOrArray", Kind::Any);
    let or_bool = types.add("v1.JSONSchemaPropsOrBool", Kind::Any);
    let or_strings = types.add("v1.JSONSchemaPropsOrStringArray", Kind::Any);
    let list = types.list("", schema, ListType::Atomic);
    let one = || pointer("", "Schema", schema);
    let many = field("", "JSONSchemas", list).protobuf(2);
    types.set_message(one_or_many, Message::Union(vec![one().protobuf(1), many].into()));
    let allows = field("", "Allows", scalars.bool).protobuf(1);
    types.set_message(or_bool, Message::Union(vec![allows, one().protobuf(2)].into()));
    let property = field("", "Property", scalars.strings).protobuf(2);
    types.set_message(or_strings, Message::Union(vec![one().protobuf(1), property].into()));
    let map = types.map("", key, schema);
    let dependencies = types.map("v1.JSONSchemaDependencies", key, or_strings);
    let definitions = types.map("v1.JSONSchemaDefinitions", key, schema);
    vec![
        pointer("items", "Items", one_or_many).protobuf(24),
        optional("allOf", "AllOf", list).protobuf(25),
        optional("oneOf", "OneOf", list).protobuf(26),
        optional("anyOf", "AnyOf", list).protobuf(27),
        pointer("not", "Not", schema).protobuf(28),
        optional("properties", "Properties", map).protobuf(29),
        pointer("additionalProperties", "AdditionalProperties", or_bool).protobuf(30),
        optional("patternProperties", "PatternProperties", map).protobuf(31),
        optional("dependencies", "Dependencies", dependencies).protobuf(32),
        pointer("additionalItems", "AdditionalItems", or_bool).protobuf(33),
        optional("definitions", "Definitions", definitions).protobuf(34),
    ]
}

fn extensions(types: &mut Builder, scalars: &Scalars) -> Vec<Field> {
    let reason = types.add("v1.FieldValueErrorReason", Kind::String);
    types.0[reason.0 as usize].enum_values =
        ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]
            .map(Cow::Borrowed)
            .to_vec()
            .into();
    let rule = types.structure(
        "v1.ValidationRule",
        vec![
            field("rule", "Rule", scalars.string).protobuf(1).required(),
            optional("message", "Message", scalars.string).protobuf(2),
            optional("messageExpression", "MessageExpression", scalars.string).protobuf(3),
            pointer("reason", "Reason", reason).protobuf(4),
            optional("fieldPath", "FieldPath", scalars.string).protobuf(5),
            pointer("optionalOldSelf", "OptionalOldSelf", scalars.bool).protobuf(6),
        ],
    );
    let rules = types.list("v1.ValidationRules", rule, ListType::Map(vec!["rule".into()].into()));
    vec![
        pointer("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", scalars.bool).protobuf(38),
        optional("x-kubernetes-embedded-resource", "XEmbeddedResource", scalars.bool).protobuf(39),
        optional("x-kubernetes-int-or-string", "XIntOrString", scalars.bool).protobuf(40),
        optional("x-kubernetes-list-map-keys", "XListMapKeys", scalars.strings).protobuf(41),
        pointer("x-kubernetes-list-type", "XListType", scalars.string).protobuf(42),
        pointer("x-kubernetes-map-type", "XMapType", scalars.string).protobuf(43),
        optional("x-kubernetes-validations", "XValidations", rules).protobuf(44).patch(Patch::merge("rule")),
    ]
}

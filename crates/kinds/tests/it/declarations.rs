//! All declared types, read as source: they are lowered without findings, and their shapes are those that upstream's
//! schema documents describe.

#![expect(clippy::unwrap_used, reason = "tests fail where their material is not what it should be")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sprag_build::load::{LoadOptions, Loaded, load};
use sprag_rest::Release;
use sprag_shape::{Field, Kind, ListType, MapType, Patch, Shapes, TypeId};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Foreign, Hooks, LowerOptions, Mistakes, ShapeTable, Untagged, lower, releases_of};
use sprag_value::{Object, Value, json};

const FACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/native/schema-facts.json");

/// The module behind the beginning of names of definitions.
const PACKAGES: [(&str, &str); 24] = [
    ("sprag_kinds::admissionregistration::v1", "io.k8s.api.admissionregistration.v1."),
    ("sprag_kinds::apiregistration::v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1."),
    ("sprag_kinds::apps::v1", "io.k8s.api.apps.v1."),
    ("sprag_kinds::authentication::v1", "io.k8s.api.authentication.v1."),
    ("sprag_kinds::authorization::v1", "io.k8s.api.authorization.v1."),
    ("sprag_kinds::autoscaling::v1", "io.k8s.api.autoscaling.v1."),
    ("sprag_kinds::autoscaling::v2", "io.k8s.api.autoscaling.v2."),
    ("sprag_kinds::batch::v1", "io.k8s.api.batch.v1."),
    ("sprag_kinds::certificates::v1", "io.k8s.api.certificates.v1."),
    ("sprag_kinds::coordination::v1", "io.k8s.api.coordination.v1."),
    ("sprag_kinds::core::v1", "io.k8s.api.core.v1."),
    ("sprag_kinds::discovery::v1", "io.k8s.api.discovery.v1."),
    ("sprag_kinds::events::v1", "io.k8s.api.events.v1."),
    ("sprag_kinds::flowcontrol::v1", "io.k8s.api.flowcontrol.v1."),
    ("sprag_kinds::meta::v1", "io.k8s.apimachinery.pkg.apis.meta.v1."),
    ("sprag_kinds::networking::v1", "io.k8s.api.networking.v1."),
    ("sprag_kinds::node::v1", "io.k8s.api.node.v1."),
    ("sprag_kinds::policy::v1", "io.k8s.api.policy.v1."),
    ("sprag_kinds::rbac::v1", "io.k8s.api.rbac.v1."),
    ("sprag_kinds::resource::v1", "io.k8s.api.resource.v1."),
    ("sprag_kinds::scheduling::v1", "io.k8s.api.scheduling.v1."),
    ("sprag_kinds::scheduling::v1alpha3", "io.k8s.api.scheduling.v1alpha3."),
    ("sprag_kinds::storage::v1", "io.k8s.api.storage.v1."),
    ("sprag_kinds::storagemigration::v1", "io.k8s.api.storagemigration.v1."),
];

/// Reads every file with declarations, whatever features are on.
fn declared() -> Loaded {
    let groups = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<PathBuf> = Vec::new();
    for group in groups.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let all = group.read_dir().unwrap().map(|entry| entry.unwrap().path());
        files.extend(all.filter(|file| file.is_file() && is_declaration(file)));
    }
    files.sort();
    load(&files, &LoadOptions::default()).unwrap()
}

fn is_declaration(file: &Path) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem == "types" || stem.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

fn universe() -> Universe {
    let loaded = declared();
    assert_eq!(loaded.findings.len(), 0, "{:?}", loaded.findings);
    Universe::new(loaded.packages.clone(), |package| loaded.is_given(package))
}

#[test]
fn all_files_are_lowered_without_findings() {
    let loaded = declared();
    let universe = Universe::new(loaded.packages.clone(), |package| loaded.is_given(package));
    let options = LowerOptions {
        dialect: Some(Dialect::Kubernetes),
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let registry = sprag_build::registry([concat!(env!("CARGO_MANIFEST_DIR"), "/src/tags.yaml")]).unwrap();
    let lowering = lower(&universe, &registry, options);
    let findings = universe.findings().iter().chain(&loaded.findings).chain(&lowering.findings);
    let texts: Vec<String> = findings
        .map(|finding| {
            format!(
                "{}: {}",
                loaded.sources.locate(finding.span).map_or(String::new(), |at| at.to_string()),
                finding.message
            )
        })
        .collect();
    assert_eq!(texts, Vec::<String>::new());
    assert_eq!(ShapeTable::new(&universe).shapes.check(), []);
}

/// The fields of `TypeMeta`, which are in the envelope of a message, not in the message.
const WITHOUT_NUMBER: [&str; 3] =
    ["DeleteOptions.type_meta", "PersistentVolumeClaim.kind", "PersistentVolumeClaim.api_version"];

#[test]
fn every_field_but_embedded_type_metadata_has_a_protobuf_number() {
    let universe = universe();
    for (id, def) in universe.defs().filter(|(id, _)| universe.package_of(*id).included) {
        let mut numbers = BTreeMap::new();
        for field in universe.fields(id) {
            let name = format!("{}.{}", def.name, field.field.name);
            let number = field.field.tags.iter().find_map(|line| line.text.strip_prefix("protobuf="));
            let Some(number) = number else {
                assert!(WITHOUT_NUMBER.contains(&name.as_str()), "{name} has no number");
                continue;
            };
            let number: u32 = number.parse().unwrap();
            assert!(numbers.insert(number, name.clone()).is_none(), "{name} has the number of another field");
        }
    }
}

#[test]
fn no_field_is_optional_and_required() {
    let universe = universe();
    let required = ["k8s:required", "kinds:required", "kinds:present"];
    for (id, def) in universe.defs().filter(|(id, _)| universe.package_of(*id).included) {
        for field in universe.fields(id) {
            let has = |name: &str| field.field.tags.iter().any(|line| line.text.split(['=', '(']).next() == Some(name));
            let contradicts = has("optional") && (has("required") || required.iter().any(|name| has(name)));
            assert!(!contradicts, "{}.{}", def.name, field.field.name);
        }
    }
}

/// Adds the text of all Rust files of a folder.
fn read_all(folder: &Path, into: &mut String) {
    for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            read_all(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn functions_that_types_name_are_those_of_the_code() {
    let mut sources = String::new();
    read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../checks/src/object_meta"), &mut sources);
    let tags = sources.lines().filter_map(|line| line.trim_start().strip_prefix("/// +sprag:validatedBy="));
    let named: BTreeSet<&str> = tags.collect();
    assert!(named.len() > 100, "{named:?}");
    // A comment at the code says `As upstream's validation.ValidatePodSpec`.
    let comments = sources.lines().filter(|line| line.contains("//") && !line.contains("+sprag:validatedBy"));
    let words: BTreeSet<&str> =
        comments.flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric())).collect();
    let unknown: Vec<&&str> = named.difference(&words).collect();
    assert!(unknown.is_empty(), "no comment names {unknown:?}");
}

#[test]
fn every_type_and_field_is_documented_in_one_paragraph_of_prose() {
    let universe = universe();
    for (id, def) in universe.defs().filter(|(id, _)| universe.package_of(*id).included) {
        let docs = universe.fields(id).iter().map(|field| (&field.field.doc, field.field.name.as_str()));
        for (doc, name) in docs.chain([(&def.doc, "")]) {
            let prose = doc.split("\n\nDeprecated: ").next().unwrap_or_default();
            assert!(!prose.is_empty() && !prose.contains("\n\n"), "{}.{name}: {doc:?}", def.name);
        }
    }
}

#[test]
fn shapes_are_those_of_the_recorded_definitions() {
    let Ok(text) = std::fs::read(FACTS) else {
        eprintln!("skipped: shared/conformance/native/schema-facts.json is missing");
        return;
    };
    let facts = json::parse(&text).unwrap();
    let universe = universe();
    let declared = Declared::new(&universe);
    let mut differences = Vec::new();
    let mut compared = 0;
    for (name, expected) in facts.get("definitions").and_then(Value::as_object).unwrap() {
        if let Some(id) = declared.find(name) {
            compared += 1;
            declared.compare(name, id, expected, &mut differences);
        }
    }
    assert!(compared > 280, "only {compared} definitions were compared");
    assert_eq!(differences, Vec::<String>::new());
}

/// The shapes of declared types, by name of their definition.
struct Declared {
    shapes: Shapes,
    ids: BTreeMap<String, TypeId>,
    names: BTreeMap<TypeId, String>,
}

impl Declared {
    fn new(universe: &Universe) -> Declared {
        let table = ShapeTable::new(universe);
        let mut types = table.shapes.types().to_vec();
        let mut ids = BTreeMap::new();
        for (def, data) in universe.defs() {
            let id = table.type_ref(universe, universe.type_of_def(def).unwrap()).id;
            for older in universe.fields(def) {
                if let (Kind::Struct { fields, .. }, false) =
                    (&mut types[id.0 as usize].kind, releases_of(&older.field.tags).contains(Release::NEWEST))
                {
                    fields.to_mut().retain(|field| field.json != older.field.path_name());
                }
            }
            let path = &universe.package_of(def).path;
            let Some((_, prefix)) = PACKAGES.iter().find(|(module, _)| module == path) else { continue };
            let ty = universe.type_of_def(def).unwrap();
            ids.insert(format!("{prefix}{}", data.name), table.type_ref(universe, ty).id);
        }
        let names = ids.iter().map(|(name, id)| (*id, name.clone())).collect();
        Declared { shapes: Shapes::new(types), ids, names }
    }

    fn find(&self, name: &str) -> Option<TypeId> {
        self.ids.get(name).copied().filter(|id| matches!(self.shapes.get(*id).kind, Kind::Struct { .. }))
    }

    fn compare(&self, name: &str, id: TypeId, expected: &Value, differences: &mut Vec<String>) {
        let mut check = |what: String, actual: Option<Value>, expected: Option<&Value>| {
            if actual.as_ref() != expected {
                let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), json::to_string);
                differences.push(format!(
                    "{name} {what}: declared {}, recorded {}",
                    text(actual.as_ref()),
                    text(expected)
                ));
            }
        };
        let ty = self.shapes.get(id);
        check("mapType".into(), ty.atomic.then(|| "atomic".into()), expected.get("mapType"));
        let mut required = Vec::new();
        self.add_required(id, &mut required);
        check("required".into(), (!required.is_empty()).then(|| required.into()), expected.get("required"));
        let none = Object::default();
        let recorded = expected.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let fields: BTreeMap<&str, &Field> =
            self.shapes.sorted_fields(id).map(|field| (field.json.as_ref(), field)).collect();
        // The server adds these to what is an object of its own.
        let is_added = |property: &str| expected.get("gvk").is_some() && matches!(property, "apiVersion" | "kind");
        for (property, expected) in
            recorded.iter().filter(|(property, _)| fields.contains_key(property.as_str()) || !is_added(property))
        {
            let actual = fields.get(property.as_str()).map(|field| self.property(field));
            check(property.to_string(), actual, Some(expected));
        }
        for property in fields.keys().filter(|property| !recorded.contains_key(property)) {
            check((*property).to_owned(), Some(self.property(fields[property])), None);
        }
    }

    fn add_required(&self, id: TypeId, names: &mut Vec<String>) {
        for field in self.shapes.get(id).fields() {
            if field.inline {
                self.add_required(field.ty.id, names);
            } else if field.required {
                names.push(field.json.to_string());
            }
        }
    }

    fn property(&self, field: &Field) -> Value {
        if field.json == "metadata" && self.shapes.get(field.ty.id).kind == Kind::Any {
            let metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
            return Object::from([("default", Value::object()), ("ref", metadata.into())]).into();
        }
        let mut facts = self.facts(field.ty.id);
        if let Some(default) = self.default(field) {
            facts.insert("default", default);
        }
        match field.map {
            MapType::Unset => {}
            MapType::Atomic => drop(facts.insert("mapType", "atomic")),
            MapType::Granular => drop(facts.insert("mapType", "granular")),
        }
        add_list_type(&mut facts, self.shapes.list_type(field));
        add_patch(&mut facts, &field.patch);
        facts
    }

    /// The declared default that is published, or the zero value of what is always there.
    fn default(&self, field: &Field) -> Option<Value> {
        if !field.default.is_empty() && !field.hides_default {
            return Some(json::parse(field.default.as_bytes()).unwrap());
        }
        let is_always_there = !field.ty.nullable && !field.omit_empty;
        match &self.shapes.get(field.ty.id).kind {
            Kind::Struct { .. } if !field.ty.nullable => Some(Value::object()),
            Kind::String if is_always_there => Some("".into()),
            Kind::Bool if is_always_there => Some(false.into()),
            Kind::Int { .. } if is_always_there => Some(0.into()),
            _ => None,
        }
    }

    fn facts(&self, id: TypeId) -> Value {
        if let Some(name) = self.definition(id) {
            return Object::from([("ref", Value::from(name))]).into();
        }
        let ty = self.shapes.get(id);
        let mut facts = Value::object();
        facts.insert("type", self.type_name(id));
        let part = |id: TypeId| self.definition(id).unwrap_or_else(|| self.type_name(id).to_owned());
        if let Kind::Int { bits, .. } = ty.kind {
            facts.insert("format", format!("int{bits}"));
        }
        if ty.kind == Kind::Bytes {
            facts.insert("format", "byte");
        }
        if let Kind::List { elem, .. } = ty.kind {
            facts.insert("items", part(elem.id));
            add_enum(&mut facts, "itemsEnum", self.shapes.get(elem.id).enum_values.iter());
        }
        if let Kind::Map { value, .. } = ty.kind {
            facts.insert("values", part(value.id));
        }
        add_enum(&mut facts, "enum", ty.enum_values.iter());
        facts
    }

    /// The definition that properties of a type refer to.
    fn definition(&self, id: TypeId) -> Option<String> {
        let machinery = |name: &str| Some(format!("io.k8s.apimachinery.pkg.{name}"));
        match (&self.shapes.get(id).kind, self.names.get(&id)) {
            (Kind::Struct { .. } | Kind::RawExtension, Some(name)) => Some(name.clone()),
            (Kind::Quantity, _) => machinery("api.resource.Quantity"),
            (Kind::IntOrString, _) => machinery("util.intstr.IntOrString"),
            (Kind::Time, _) => machinery("apis.meta.v1.Time"),
            (Kind::MicroTime, _) => machinery("apis.meta.v1.MicroTime"),
            (Kind::RawExtension, None) => machinery("runtime.RawExtension"),
            _ => None,
        }
    }

    fn type_name(&self, id: TypeId) -> &'static str {
        match self.shapes.get(id).kind {
            Kind::String | Kind::Bytes => "string",
            Kind::Bool => "boolean",
            Kind::Int { .. } => "integer",
            Kind::List { .. } => "array",
            Kind::Map { .. } => "object",
            _ => "unknown",
        }
    }
}

fn add_enum<'v>(facts: &mut Value, name: &str, values: impl ExactSizeIterator<Item = &'v sprag_shape::Str>) {
    if values.len() > 0 {
        facts.insert(name, values.map(|value| Value::from(value.as_ref())).collect::<Vec<_>>());
    }
}

fn add_list_type(facts: &mut Value, list: &ListType) {
    let name = match list {
        ListType::Unset => return,
        ListType::Atomic => "atomic",
        ListType::Set => "set",
        ListType::Map(keys) => {
            facts.insert("listMapKeys", keys.iter().map(|key| Value::from(key.as_ref())).collect::<Vec<_>>());
            "map"
        }
    };
    facts.insert("listType", name);
}

fn add_patch(facts: &mut Value, patch: &Patch) {
    let strategy = match (patch.merge, patch.retain_keys) {
        (true, true) => "merge,retainKeys",
        (true, false) => "merge",
        (false, true) => "retainKeys",
        (false, false) if patch.replaces_object => "replace",
        (false, false) => return,
    };
    facts.insert("patchStrategy", strategy);
    if !patch.merge_key.is_empty() {
        facts.insert("patchMergeKey", patch.merge_key.as_ref());
    }
}

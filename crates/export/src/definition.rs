//! Definitions around schemas: names, versions, columns, subresources, and the check that a cluster takes them.

use std::collections::BTreeMap;

use sprag_plan::{Program, ProgramParts, Resource, ResourceScope};
use sprag_schema::accept;
use sprag_schema::crd::{Crd, prepare};
use sprag_validate::Options;
use sprag_value::Value;

use crate::rules::{Rules, Spot};
use crate::schema::Schema;
use crate::structure::Structure;

/// Definitions of all kinds of a program.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The definitions, sorted by name, each as a cluster takes it.
    pub definitions: Vec<Value>,
    /// The rules that they do not have.
    pub untranslated: Vec<Untranslated>,
    /// Kinds that have no definition, and why.
    pub refused: Vec<String>,
}

/// A rule of the types that a definition cannot have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Untranslated {
    /// The kind.
    pub kind: String,
    /// The version.
    pub version: String,
    /// The path of the field; empty for the object itself.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// The reason.
    pub why: String,
}

/// What the types do not say.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The group of kinds whose package names none.
    pub group: Option<String>,
    /// The state of feature gates and other options. Fields of gates that are not on are left out; rules that depend on other
    /// options that are not set are listed as untranslated.
    pub options: Options,
}

/// Makes a definition of each kind of a program.
pub fn definitions(parts: &ProgramParts, settings: &Settings) -> Exported {
    let mut exported = Exported::default();
    let mut kinds: BTreeMap<(&str, &str), Vec<(&str, &Resource)>> = BTreeMap::new();
    for resource in &parts.resources {
        let name = resource.go_type.trim_start_matches('*');
        let group = resource.group.as_ref().or(settings.group.as_ref());
        match (group.filter(|group| !group.is_empty()), &resource.version) {
            (Some(group), Some(version)) => {
                kinds.entry((group, &resource.kind)).or_default().push((version, resource));
            }
            (None, _) => exported.refused.push(format!(
                "{name}: its package names no API group: put `+groupName=example.com` above the package clause, or give a group"
            )),
            (_, None) => exported.refused.push(format!(
                "{name}: its package is not named like a version: put it into a folder or module called v1 or the like"
            )),
        }
    }
    let program = Program::new(parts.clone());
    let exporter = Exporter { parts, program: &program, options: &settings.options };
    for ((group, kind), mut versions) in kinds {
        // The most stable and newest version first, as upstream's version.CompareKubeAwareVersionStrings has it.
        versions.sort_by_key(|(version, _)| std::cmp::Reverse(priority(version)));
        match exporter.definition(group, kind, &versions) {
            Ok((definition, left)) => {
                exported.definitions.push(definition);
                exported.untranslated.extend(left);
            }
            Err(problem) => exported.refused.push(format!("{kind}.{group}: {problem}")),
        }
    }
    exported.untranslated.sort();
    exported
}

struct Exporter<'p> {
    parts: &'p ProgramParts,
    program: &'p Program,
    options: &'p Options,
}

impl Exporter<'_> {
    /// A definition that a cluster takes. Rules that cost too much are left out.
    fn definition(
        &self,
        group: &str,
        kind: &str,
        versions: &[(&str, &Resource)],
    ) -> Result<(Value, Vec<Untranslated>), String> {
        let mut too_costly: BTreeMap<String, String> = BTreeMap::new();
        loop {
            let (definition, left) = self.attempt(group, kind, versions, &too_costly);
            let refused = refusals(&definition)?;
            let rules: Vec<_> = refused.iter().filter_map(|error| rule_at(&definition, error)).collect();
            if refused.is_empty() {
                return Ok((definition, left));
            }
            let before = too_costly.len();
            too_costly.extend(rules);
            if too_costly.len() == before {
                return Err(format!("a cluster would refuse the definition: {}", refused.join(", ")));
            }
        }
    }

    fn attempt(
        &self,
        group: &str,
        kind: &str,
        versions: &[(&str, &Resource)],
        too_costly: &BTreeMap<String, String>,
    ) -> (Value, Vec<Untranslated>) {
        let mut left = Vec::new();
        let mut declared = Vec::new();
        for (at, (version, resource)) in versions.iter().enumerate() {
            let untranslated = |path: String, rule: String, why: String| Untranslated {
                kind: kind.to_owned(),
                version: (*version).to_owned(),
                path,
                rule,
                why,
            };
            let mut structure = Structure::new(self.parts);
            let mut schema = structure.object(resource.def);
            let mut rules = Rules { parts: self.parts, program: self.program, options: self.options, left: Vec::new() };
            rules.add_type(&mut schema, resource.def, &Spot::default());
            schema.retain_rules(&|rule| !too_costly.contains_key(rule));
            let cyclic = structure.recursive.into_iter().map(|name| {
                untranslated(name, "rules of the type".into(), "it contains itself, and schemas end somewhere".into())
            });
            left.extend(cyclic);
            left.extend(rules.left.into_iter().map(|left| untranslated(left.path, left.rule, left.why)));
            declared.push(version_of(version, resource, schema, at == 0));
        }
        let (first_version, first) = versions[0];
        left.extend(too_costly.iter().map(|(rule, path)| Untranslated {
            kind: kind.to_owned(),
            version: first_version.to_owned(),
            path: path.clone(),
            rule: rule.clone(),
            why: "it may cost more than rules are allowed to: bound the lists, maps and texts that it reads".into(),
        }));
        (definition(group, kind, first, declared), left)
    }
}

fn definition(group: &str, kind: &str, resource: &Resource, versions: Vec<Value>) -> Value {
    let plural = resource.plural();
    let names = object([
        ("kind", kind.into()),
        ("listKind", format!("{kind}List").into()),
        ("plural", plural.as_str().into()),
        ("singular", kind.to_lowercase().into()),
    ]);
    let scope = if resource.facts.scope == Some(ResourceScope::Cluster) { "Cluster" } else { "Namespaced" };
    object([
        ("apiVersion", "apiextensions.k8s.io/v1".into()),
        ("kind", "CustomResourceDefinition".into()),
        ("metadata", object([("name", format!("{plural}.{group}").into())])),
        (
            "spec",
            object([
                ("group", group.into()),
                ("names", names),
                ("scope", scope.into()),
                ("versions", versions.into_iter().collect()),
            ]),
        ),
    ])
}

fn version_of(name: &str, resource: &Resource, schema: Schema, is_storage: bool) -> Value {
    let facts = &resource.facts;
    let mut version = object([
        ("name", name.into()),
        ("served", true.into()),
        ("storage", is_storage.into()),
        ("schema", object([("openAPIV3Schema", schema.0)])),
    ]);
    let path = |path: &[String]| path.iter().flat_map(|part| [".", part]).collect::<String>();
    if !facts.columns.is_empty() {
        let columns = facts.columns.iter().map(|column| {
            let mut shown = object([
                ("name", column.name.as_str().into()),
                ("type", column.ty.name().into()),
                ("jsonPath", path(&column.path).into()),
            ]);
            if !column.format.is_empty() {
                shown.insert("format", column.format.as_str());
            }
            if !column.description.is_empty() {
                shown.insert("description", column.description.as_str());
            }
            if column.priority != 0 {
                shown.insert("priority", i64::from(column.priority));
            }
            shown
        });
        version.insert("additionalPrinterColumns", columns.collect::<Value>());
    }
    if !facts.selectable.is_empty() {
        let fields = facts.selectable.iter().map(|field| object([("jsonPath", path(field).into())]));
        version.insert("selectableFields", fields.collect::<Value>());
    }
    if facts.has_status {
        version.insert("subresources", object([("status", Value::object())]));
    }
    version
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let mut object = Value::object();
    for (key, value) in members {
        object.insert(key, value);
    }
    object
}

/// The paths of what a cluster would refuse in a definition.
fn refusals(definition: &Value) -> Result<Vec<String>, String> {
    let mut definition = definition.clone();
    prepare::set_defaults(&mut definition);
    prepare::for_create(&mut definition);
    let crd = Crd::read(&definition).map_err(|error| error.to_string())?;
    Ok(accept::create(&crd).errors.iter().map(ToString::to_string).collect())
}

/// The CEL rule that an error is about, and the path of the field that has it.
fn rule_at(definition: &Value, error: &str) -> Option<(String, String)> {
    let (path, _) = error.split_once(": ")?;
    let path = path.strip_suffix(".rule").unwrap_or(path);
    // As upstream's hub type has it, all versions share a schema that they have in common.
    let path = path.replace("spec.validation.", "spec.versions[0].schema.");
    let (mut value, mut field, mut is_property) = (definition, String::new(), false);
    for step in steps(&path) {
        match step {
            _ if is_property => field.extend(if field.is_empty() { ["", step] } else { [".", step] }),
            "items" | "additionalProperties" => field += "[*]",
            _ => {}
        }
        is_property = step == "properties" && !is_property;
        value = match step.parse::<usize>() {
            Ok(index) if value.as_array().is_some() => value.at(index)?,
            _ => value.get(step)?,
        };
    }
    Some((value.get("rule")?.as_str()?.to_owned(), field))
}

/// The steps of a path such as `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[', ']']).filter(|step| !step.is_empty())
}

/// Sorts versions: stable ones above beta above alpha, then by number.
fn priority(version: &str) -> (u8, u64, u64) {
    let rest = version.trim_start_matches('v');
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    let major = digits(rest);
    match (rest.split_once("alpha"), rest.split_once("beta")) {
        (Some((_, minor)), _) => (0, major, digits(minor)),
        (_, Some((_, minor))) => (1, major, digits(minor)),
        _ => (2, major, 0),
    }
}

//! Definitions around schemas: names, versions, columns, subresources, and the check that a cluster takes them.

use std::collections::{BTreeMap, BTreeSet};

use sprag_checks::Options;
use sprag_program::{DefId, Form, Program, ProgramParts, Resource, ResourceScope, TypeId};
use sprag_release::Releases;
use sprag_schema::accept;
use sprag_schema::crd::{Crd, prepare};
use sprag_value::Value;

use crate::kubebuilder::{KindMarks, Marked, pluralize};
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

/// Settings of a definition that the types do not carry.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The group of kinds whose package names none.
    pub group: Option<String>,
    /// The state of feature gates and other options. Fields of gates that are not on are left out; rules that depend on other
    /// options that are not set are listed as untranslated.
    pub options: Options,
    /// The values of controller-gen's markers.
    pub marked: Marked,
    /// Accepts the groups of built-in kinds, such as `batch` and the empty one, which definitions of custom resources cannot have.
    pub any_group: bool,
    /// The releases of Kubernetes that have to take the definitions.
    pub releases: Releases,
}

/// Makes a definition of each kind of a program.
pub fn definitions(parts: &ProgramParts, settings: &Settings) -> Exported {
    let mut exported = Exported::default();
    let mut kinds: BTreeMap<(&str, &str), Vec<(&str, &Resource)>> = BTreeMap::new();
    let marks = |resource: &Resource| settings.marked.kinds.get(&resource.def).cloned().unwrap_or_default();
    for resource in parts.resources.iter().filter(|resource| !marks(resource).is_skipped) {
        let name = resource.go_type.trim_start_matches('*');
        let group = resource.group.as_ref().or(settings.group.as_ref());
        match (group.filter(|group| settings.any_group || !group.is_empty()), &resource.version) {
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
    let exporter = Exporter {
        parts,
        program: &program,
        options: &settings.options,
        marked: &settings.marked,
        any_group: settings.any_group,
        releases: settings.releases,
    };
    for ((group, kind), mut versions) in kinds {
        if settings.marked.is_empty() {
            // The most stable and newest version first, as upstream's version.CompareKubeAwareVersionStrings has it.
            versions.sort_by_key(|(version, _)| std::cmp::Reverse(priority(version)));
        } else {
            // As controller-gen's Parser.NeedCRDFor.
            versions.sort_by_key(|(version, _)| *version);
        }
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

/// The paths of values whose rules cost more than a cluster allows, with those rules.
type TooCostly = BTreeSet<(String, String)>;

/// The group that a definition is checked with where its own does not matter.
const STAND_IN_GROUP: &str = "example.com";

struct Exporter<'p> {
    parts: &'p ProgramParts,
    program: &'p Program,
    options: &'p Options,
    marked: &'p Marked,
    any_group: bool,
    releases: Releases,
}

impl Exporter<'_> {
    /// A definition that a cluster takes. Rules that cost too much are left out.
    fn definition(
        &self,
        group: &str,
        kind: &str,
        versions: &[(&str, &Resource)],
    ) -> Result<(Value, Vec<Untranslated>), String> {
        let mut too_costly = TooCostly::new();
        loop {
            let (definition, left) = self.attempt(group, kind, versions, &too_costly);
            let refused = refusals(&definition, self.any_group, self.releases)?;
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
        too_costly: &TooCostly,
    ) -> (Value, Vec<Untranslated>) {
        let mut left = Vec::new();
        let mut declared = Vec::new();
        let marks = |resource: &Resource| self.marked.kinds.get(&resource.def);
        let storage = versions.iter().position(|(_, resource)| marks(resource).is_some_and(|marks| marks.is_storage));
        for (at, (version, resource)) in versions.iter().enumerate() {
            let untranslated = |path: String, rule: String, why: String| Untranslated {
                kind: kind.to_owned(),
                version: (*version).to_owned(),
                path,
                rule,
                why,
            };
            let mut structure = Structure::new(self.parts, self.marked);
            let mut schema = structure.object(resource.def);
            let parts = self.parts;
            let program = self.program;
            let options = self.options;
            let mut rules = Rules { parts, program, options, by_type: false, left: Vec::new() };
            rules.add_type(&mut schema, resource.def, &Spot::default());
            schema.retain_rules(&|path, rule| !too_costly.contains(&(path.to_owned(), rule.to_owned())));
            let cyclic = structure.recursive.into_iter().map(|name| {
                untranslated(name, "rules of the type".into(), "it contains itself, and schemas end somewhere".into())
            });
            left.extend(cyclic);
            left.extend(rules.left.into_iter().map(|left| untranslated(left.path, left.rule, left.why)));
            let mut declaration = version_of(version, resource, schema, at == storage.unwrap_or(0));
            if let Some(marks) = marks(resource) {
                mark_version(&mut declaration, marks);
            }
            declared.push(declaration);
        }
        let (first_version, first) = versions[0];
        let plural = if self.marked.is_empty() { first.plural() } else { pluralize(&kind.to_lowercase()) };
        left.extend(too_costly.iter().map(|(path, rule)| Untranslated {
            kind: kind.to_owned(),
            version: first_version.to_owned(),
            path: path.clone(),
            rule: rule.clone(),
            why: "it may cost more than rules are allowed to: bound the lists, maps and texts that it reads".into(),
        }));
        let mut definition = definition(group, kind, &plural, first, declared);
        for (_, resource) in versions {
            if let Some(marks) = marks(resource) {
                mark_definition(&mut definition, marks, group);
            }
        }
        left.extend(self.left_markers(kind, versions));
        (definition, left)
    }
}

impl Exporter<'_> {
    /// The markers that have no counterpart.
    fn left_markers(&self, kind: &str, versions: &[(&str, &Resource)]) -> Vec<Untranslated> {
        let mut left = Vec::new();
        for (version, resource) in versions {
            let mut work = vec![resource.def];
            let mut seen = BTreeSet::new();
            while let Some(def) = work.pop() {
                if !seen.insert(def) {
                    continue;
                }
                let layout = &self.parts.defs[def.index()];
                let mut add = |path: String, rule: &String| {
                    let why = "a definition has no counterpart, or the marker cannot be read".to_owned();
                    let kind = kind.to_owned();
                    let version = (*version).to_owned();
                    left.push(Untranslated { kind, version, path, rule: rule.clone(), why });
                };
                let name = self.parts.shapes.get(self.parts.types[layout.ty.index()].shape).name.clone().into_owned();
                self.marked
                    .types
                    .get(&def)
                    .into_iter()
                    .flat_map(|marks| &marks.left)
                    .for_each(|rule| add(name.clone(), rule));
                for (at, member) in layout.members.iter().enumerate() {
                    let marks = self.marked.fields.get(&(def, at));
                    let field = format!("{name}.{}", member.json.as_deref().unwrap_or_default());
                    marks.into_iter().flat_map(|marks| &marks.left).for_each(|rule| add(field.clone(), rule));
                    work.extend(self.structs_in(member.ty));
                }
            }
        }
        left
    }

    /// The struct that a type holds, itself or as elements.
    fn structs_in(&self, mut ty: TypeId) -> Option<DefId> {
        loop {
            match self.parts.types[ty.index()].form {
                Form::Struct(def) => return Some(def),
                Form::List(elem) | Form::Map(_, elem) => ty = elem,
                _ => return None,
            }
        }
    }
}

/// Applies markers to a version.
fn mark_version(version: &mut Value, marks: &KindMarks) {
    if !marks.columns.is_empty() {
        version.insert("additionalPrinterColumns", marks.columns.iter().cloned().collect::<Value>());
    }
    if !marks.selectable.is_empty() {
        let fields = marks.selectable.iter().map(|path| object([("jsonPath", path.as_str().into())]));
        version.insert("selectableFields", fields.collect::<Value>());
    }
    if marks.is_unserved {
        version.insert("served", false);
    }
    if let Some(warning) = &marks.deprecated {
        version.insert("deprecated", true);
        if !warning.is_empty() {
            version.insert("deprecationWarning", warning.as_str());
        }
    }
    // As controller-gen has it, a field called status is not enough.
    let mut subresources = Value::object();
    if marks.has_status {
        subresources.insert("status", Value::object());
    }
    if let Some(scale) = &marks.scale {
        subresources.insert("scale", scale.clone());
    }
    version.remove("subresources");
    if marks.has_status || marks.scale.is_some() {
        version.insert("subresources", subresources);
    }
}

/// Applies markers to a definition as a whole.
fn mark_definition(definition: &mut Value, marks: &KindMarks, group: &str) {
    let texts = |texts: &[String]| texts.iter().map(|text| Value::from(text.as_str())).collect::<Value>();
    let Some(spec) = definition.get_mut("spec") else { return };
    if let Some(scope) = &marks.scope {
        spec.insert("scope", scope.as_str());
    }
    if let Some(names) = spec.get_mut("names") {
        for (member, text) in [("plural", &marks.plural), ("singular", &marks.singular)] {
            if let Some(text) = text {
                names.insert(member, text.as_str());
            }
        }
        for (member, list) in [("shortNames", &marks.short_names), ("categories", &marks.categories)] {
            if !list.is_empty() {
                names.insert(member, texts(list));
            }
        }
    }
    let Some(metadata) = definition.get_mut("metadata") else { return };
    if let Some(plural) = &marks.plural {
        metadata.insert("name", format!("{plural}.{group}"));
    }
    for (member, pairs) in [("annotations", &marks.annotations), ("labels", &marks.labels)] {
        if !pairs.is_empty() {
            let pairs: Value = pairs.iter().map(|(key, value)| (key.as_str(), Value::from(value.as_str()))).collect();
            metadata.insert(member, pairs);
        }
    }
}

fn definition(group: &str, kind: &str, plural: &str, resource: &Resource, versions: Vec<Value>) -> Value {
    let names = object([
        ("kind", kind.into()),
        ("listKind", format!("{kind}List").into()),
        ("plural", plural.into()),
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

/// The paths of what a cluster would refuse in a definition, with its group or in any.
fn refusals(definition: &Value, any_group: bool, releases: Releases) -> Result<Vec<String>, String> {
    let mut definition = definition.clone();
    if any_group {
        let plural = definition.lookup(&["spec", "names", "plural"]).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{plural}.{STAND_IN_GROUP}");
        definition.get_mut("spec").map(|spec| spec.insert("group", STAND_IN_GROUP));
        definition.get_mut("metadata").map(|metadata| metadata.insert("name", name));
    }
    // Groups below k8s.io need an approval, which its reviewers annotate.
    if let Some(metadata) = definition.get_mut("metadata") {
        metadata.insert("annotations", object([("api-approved.kubernetes.io", "unapproved, pending review".into())]));
    }
    prepare::set_defaults(&mut definition);
    prepare::for_create(&mut definition);
    let crd = Crd::read(&definition).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    // The newest first, whose texts are told if others say the same.
    for release in releases.iter().collect::<Vec<_>>().into_iter().rev() {
        let errors = accept::create(&crd, release).errors;
        let errors = errors.iter().map(ToString::to_string);
        all.extend(errors.filter(|error| !all.contains(error)).collect::<Vec<_>>());
    }
    Ok(all)
}

/// The path of the field whose CEL rule an error is about, and the rule.
fn rule_at(definition: &Value, error: &str) -> Option<(String, String)> {
    let (path, _) = error.split_once(": ")?;
    let path = path.strip_suffix(".rule").unwrap_or(path);
    // As upstream's hub type has it, all versions share a schema that they have in common.
    let path = path.replace("spec.validation.", "spec.versions[0].schema.");
    let mut value = definition;
    let mut field = String::new();
    let mut is_property = false;
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
    Some((field, value.get("rule")?.as_str()?.to_owned()))
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

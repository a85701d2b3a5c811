//! Facts in the declaration of a resource beside its rules: scope, parts, gated fields, selectors, columns.

use sprag_idl::model::{Builtin, TagLine};
use sprag_idl::{Finding, Scalar, Syntax, Tag, TagValue, parse_tag, raw_value, tag_name};
use sprag_program::{
    Column, ColumnType, DefId, GatedField, GatedStep, NameFormat, ResourceFacts, ResourceScope, TypeId,
};
use sprag_value::MAX_DEPTH;

use crate::markers::NAME_FORMAT;
use crate::types::{Def, DefKind, FieldDef, Type, Universe};

/// The tags on fields that say something about the resource.
pub(crate) const FIELD_TAGS: [&str; 3] = ["k8s:featureGate", "k8s:selectableField", "k8s:printerColumn"];

/// Tells if values of a type are whole objects: structs with metadata.
pub fn is_resource(universe: &Universe, def: DefId) -> bool {
    matches!(universe.def(def).kind, DefKind::Struct(_)) && universe.member(def, "metadata").is_some()
}

/// Reads the facts in the declarations of resources.
pub struct ResourceReader<'u> {
    universe: &'u Universe,
    /// The declared types that have, or lead to, a field with one of [`FIELD_TAGS`].
    lead_to_tags: Vec<bool>,
}

/// Number of fields of one resource that are looked at; types that share types can have very many paths.
const MAX_FIELDS: usize = 100_000;

impl<'u> ResourceReader<'u> {
    /// Looks through all types once.
    pub fn new(universe: &'u Universe) -> ResourceReader<'u> {
        ResourceReader { universe, lead_to_tags: lead_to_tags(universe) }
    }

    /// The facts in the declaration of a type.
    pub fn facts(&self, def: DefId) -> ResourceFacts {
        self.walk(def).facts
    }

    /// Tags that stand where they cannot mean anything.
    pub(crate) fn findings(&self, def: DefId) -> Vec<Finding> {
        self.walk(def).findings
    }

    fn walk(&self, def: DefId) -> Walk<'_> {
        let universe = self.universe;
        let (name_format, findings) = name_format(universe.def(def));
        let facts = ResourceFacts {
            scope: scope(universe.def(def)),
            name_format,
            has_spec: universe.member(def, "spec").is_some(),
            has_status: universe.member(def, "status").is_some(),
            ..ResourceFacts::default()
        };
        let mut walk = Walk { reader: self, path: Vec::new(), open: vec![def], left: MAX_FIELDS + 1, facts, findings };
        if self.lead_to_tags[def.index()] {
            for field in universe.fields(def).iter().filter(|field| field.field.path_name() != "metadata") {
                walk.field(field);
            }
        }
        if walk.left == 0 {
            let message = format!(
                "type {} has more than {MAX_FIELDS} paths to tagged fields; not all of them are gated, selectable or shown",
                universe.def(def).name
            );
            walk.findings.push(Finding::error(universe.def(def).span, message));
        }
        walk
    }
}

/// The form of names that a type declares.
fn name_format(def: &Def) -> (Option<NameFormat>, Vec<Finding>) {
    let mut tags = def.detached_tags.iter().chain(&def.tags);
    let Some(line) = tags.find(|line| tag_name(&line.text) == Some(NAME_FORMAT)) else { return (None, Vec::new()) };
    let name = raw_value(&line.text).unwrap_or_default().trim();
    let format = NameFormat::ALL.into_iter().find(|format| format.name() == name);
    let known = NameFormat::ALL.map(NameFormat::name).join(", ");
    let unknown = || Finding::error(line.span, format!("+{NAME_FORMAT}={name}: known formats of names are {known}"));
    (format, format.is_none().then(unknown).into_iter().collect())
}

/// The scope that the `+genclient` tags of a type declare.
fn scope(def: &Def) -> Option<ResourceScope> {
    let has = |name: &str| def.detached_tags.iter().chain(&def.tags).any(|line| tag_name(&line.text) == Some(name));
    if has("genclient:nonNamespaced") {
        return Some(ResourceScope::Cluster);
    }
    has("genclient").then_some(ResourceScope::Namespaced)
}

fn lead_to_tags(universe: &Universe) -> Vec<bool> {
    let is_tag = |line: &TagLine| tag_name(&line.text).is_some_and(|name| FIELD_TAGS.contains(&name));
    let has_tag = |def: DefId| universe.fields(def).iter().any(|field| field.field.tags.iter().any(is_tag));
    let mut leads: Vec<bool> = universe.defs().map(|(def, _)| has_tag(def)).collect();
    let mut holders: Vec<Vec<DefId>> = vec![Vec::new(); leads.len()];
    for (holder, _) in universe.defs() {
        for held in universe.defs_in(holder) {
            holders[held.index()].push(holder);
        }
    }
    let mut work: Vec<usize> = (0..leads.len()).filter(|at| leads[*at]).collect();
    while let Some(at) = work.pop() {
        for holder in &holders[at] {
            if !std::mem::replace(&mut leads[holder.index()], true) {
                work.push(holder.index());
            }
        }
    }
    leads
}

struct Walk<'a> {
    reader: &'a ResourceReader<'a>,
    path: Vec<GatedStep>,
    /// The structs around; one that contains itself is looked at once.
    open: Vec<DefId>,
    left: usize,
    facts: ResourceFacts,
    findings: Vec<Finding>,
}

impl Walk<'_> {
    fn field(&mut self, field: &FieldDef) {
        let source = &field.field;
        if source.ignored || !source.exported {
            return;
        }
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        if source.inline {
            return self.below(field.ty);
        }
        self.path.push(GatedStep::Field(source.path_name().to_owned()));
        for line in &source.tags {
            self.tag(field, line);
        }
        self.below(field.ty);
        self.path.pop();
    }

    fn below(&mut self, ty: TypeId) {
        let universe = self.reader.universe;
        match universe.ty(universe.native(ty).base) {
            Type::List(elem) | Type::Array(_, elem) | Type::Map(_, _, elem) => {
                self.path.push(GatedStep::Each);
                self.below(*elem);
                self.path.pop();
            }
            // Objects that nest deeper are not read, so neither are the fields of their types.
            Type::Def(def)
                if self.reader.lead_to_tags[def.index()] && self.open.len() < MAX_DEPTH && !self.open.contains(def) =>
            {
                self.open.push(*def);
                for field in universe.fields(*def) {
                    self.field(field);
                }
                self.open.pop();
            }
            _ => {}
        }
    }

    fn tag(&mut self, field: &FieldDef, line: &TagLine) {
        let Some(name) = tag_name(&line.text).filter(|name| FIELD_TAGS.contains(name)) else { return };
        let Ok(tag) = parse_tag(&line.text, line.span, Syntax::Kep) else { return };
        if name == "k8s:featureGate" {
            let TagValue::Scalar(gate) = &tag.value else { return };
            return self.facts.gated.push(GatedField { gate: gate.text(), path: self.path.clone() });
        }
        let Some(path) = self.plain_path() else {
            let message = format!("+{name} stands below a list or map, where it cannot name one value");
            return self.findings.push(Finding::error(line.span, message));
        };
        if name == "k8s:selectableField" {
            self.facts.selectable.push(path);
        } else {
            self.facts.columns.push(self.column(field, &tag, path));
        }
    }

    fn plain_path(&self) -> Option<Vec<String>> {
        self.path
            .iter()
            .map(|step| match step {
                GatedStep::Field(name) => Some(name.clone()),
                GatedStep::Each => None,
            })
            .collect()
    }

    fn column(&self, field: &FieldDef, tag: &Tag, path: Vec<String>) -> Column {
        let text = |name: &str| match tag.named(name) {
            Some(Scalar::String(text) | Scalar::Int(text)) => text.clone(),
            _ => String::new(),
        };
        let ty = match self.reader.universe.builtin(field.ty) {
            Some(Builtin::Bool) => ColumnType::Boolean,
            Some(Builtin::Float32 | Builtin::Float64) => ColumnType::Number,
            Some(builtin) if builtin.int_bits().is_some() => ColumnType::Integer,
            _ => ColumnType::String,
        };
        let name = match text("name") {
            name if name.is_empty() => capitalized(field.field.path_name()),
            name => name,
        };
        Column {
            name,
            ty,
            format: text("format"),
            description: field.field.doc.clone(),
            priority: text("priority").parse().unwrap_or(0),
            path,
        }
    }
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

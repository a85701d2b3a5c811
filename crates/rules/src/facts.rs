//! What the declaration of a resource says beside its rules: parts, gated fields, selectors, columns.

use sprag_idl::model::{Builtin, TagLine};
use sprag_idl::{Finding, Scalar, Syntax, Tag, TagValue, parse_tag, tag_name};
use sprag_plan::{DefId, TypeId};

use crate::types::{DefKind, FieldDef, Type, Universe};

/// What the declaration of a resource's type says.
#[derive(Clone, Debug, Default)]
pub struct ResourceFacts {
    /// Whether it has a `spec`.
    pub has_spec: bool,
    /// Whether it has a `status`.
    pub has_status: bool,
    /// The fields that belong to a feature.
    pub gated: Vec<GatedField>,
    /// The paths of fields that selectors may name.
    pub selectable: Vec<Vec<String>>,
    /// The columns of tables.
    pub columns: Vec<ColumnFact>,
    /// Tags in places where they cannot mean anything.
    pub findings: Vec<Finding>,
}

/// A field that belongs to a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatedField {
    /// The feature.
    pub gate: String,
    /// Where the field is.
    pub path: Vec<Step>,
}

/// A step on the way to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of this JSON name.
    Field(String),
    /// Every element of a list or map.
    Each,
}

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnFact {
    /// The heading.
    pub name: String,
    /// The `OpenAPI` type of the cells.
    pub kind: &'static str,
    /// The format of the cells.
    pub format: String,
    /// What it shows.
    pub description: String,
    /// 0 for columns that narrow tables show, too.
    pub priority: i32,
    /// The path of the field.
    pub path: Vec<String>,
}

/// Whether values of a type are whole objects: structs with metadata.
pub fn is_resource(universe: &Universe, def: DefId) -> bool {
    matches!(universe.def(def).kind, DefKind::Struct(_)) && universe.member(def, "metadata").is_some()
}

/// What the declaration of a resource's type says.
pub fn resource_facts(universe: &Universe, def: DefId) -> ResourceFacts {
    let facts = ResourceFacts {
        has_spec: universe.member(def, "spec").is_some(),
        has_status: universe.member(def, "status").is_some(),
        ..ResourceFacts::default()
    };
    let mut walk = Walk { universe, path: Vec::new(), open: vec![def], left: MAX_FIELDS, facts };
    for field in universe.fields(def).iter().filter(|field| field.field.path_name() != "metadata") {
        walk.field(field);
    }
    walk.facts
}

/// How many fields of one resource are looked at; types that share types can have very many paths.
const MAX_FIELDS: usize = 100_000;

struct Walk<'a> {
    universe: &'a Universe,
    path: Vec<Step>,
    /// The structs around; one that contains itself is looked at once.
    open: Vec<DefId>,
    left: usize,
    facts: ResourceFacts,
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
        self.path.push(Step::Field(source.path_name().to_owned()));
        for line in &source.tags {
            self.tag(field, line);
        }
        self.below(field.ty);
        self.path.pop();
    }

    fn below(&mut self, ty: TypeId) {
        let base = self.universe.native(ty).base;
        match self.universe.ty(base) {
            Type::List(elem) | Type::Array(_, elem) | Type::Map(_, _, elem) => {
                self.path.push(Step::Each);
                self.below(*elem);
                self.path.pop();
            }
            Type::Def(def) if !self.open.contains(def) => {
                self.open.push(*def);
                for field in self.universe.fields(*def) {
                    self.field(field);
                }
                self.open.pop();
            }
            _ => {}
        }
    }

    fn tag(&mut self, field: &FieldDef, line: &TagLine) {
        let Some(name @ ("k8s:featureGate" | "k8s:selectableField" | "k8s:printerColumn")) = tag_name(&line.text)
        else {
            return;
        };
        let Ok(tag) = parse_tag(&line.text, line.span, Syntax::Kep) else { return };
        if name == "k8s:featureGate" {
            let TagValue::Scalar(gate) = &tag.value else { return };
            return self.facts.gated.push(GatedField { gate: gate.text(), path: self.path.clone() });
        }
        let Some(path) = self.plain_path() else {
            let message = format!("+{name} stands below a list or map, where it cannot name one value");
            return self.facts.findings.push(Finding::error(line.span, message));
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
                Step::Field(name) => Some(name.clone()),
                Step::Each => None,
            })
            .collect()
    }

    fn column(&self, field: &FieldDef, tag: &Tag, path: Vec<String>) -> ColumnFact {
        let text = |name: &str| match tag.named(name) {
            Some(Scalar::String(text) | Scalar::Int(text)) => text.clone(),
            _ => String::new(),
        };
        let kind = match self.universe.builtin(field.ty) {
            Some(Builtin::Bool) => "boolean",
            Some(Builtin::Float32 | Builtin::Float64) => "number",
            Some(builtin) if builtin.int_bits().is_some() => "integer",
            _ => "string",
        };
        let name = match text("name") {
            name if name.is_empty() => capitalized(field.field.path_name()),
            name => name,
        };
        ColumnFact {
            name,
            kind,
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

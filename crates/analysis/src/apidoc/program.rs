//! Trees of the types of a program: documentation and types from shapes, rules from the plan.

use std::collections::BTreeMap;

use sprag_field::Stage;
use sprag_program::{Check, Cohort, DefId, FieldPlan, FieldRef, Form, Program, Resource, Rule, TypeId};
use sprag_rest::Releases;
use sprag_shape::{Kind, TypeId as ShapeId, TypeRef, TypeShape};

use super::rule_words::{tag, values};
use super::{Node, RuleNote, in_releases};

/// Reads trees of a program.
pub struct Reader<'p> {
    /// The program.
    pub program: &'p Program,
    /// True if fields of object metadata are listed.
    pub enters_metadata: bool,
    /// The fields that only some releases have.
    pub ranges: &'p BTreeMap<(ShapeId, String), Releases>,
}

/// A rule and the fields that lead to where it holds.
struct Placed {
    fields: Vec<String>,
    note: RuleNote,
    /// The values that it allows, if it lists them.
    values: Option<Vec<String>>,
}

/// The context of a check.
#[derive(Clone)]
struct Around {
    /// The fields that lead to the value.
    fields: Vec<String>,
    /// The wrapping tags, each with `=+` behind it.
    tags: String,
    /// The wrapping conditions in plain words.
    words: Vec<String>,
    stage: Stage,
    origin: String,
}

impl Reader<'_> {
    /// A kind with everything below it.
    pub fn resource(&self, resource: &Resource) -> Node {
        let shape = self.program.shapes().get(resource.shape);
        let own = self.type_rules(resource.def, &Around::from("own tag"));
        let (here, below): (Vec<Placed>, Vec<Placed>) = own.into_iter().partition(|rule| rule.fields.is_empty());
        Node {
            name: resource.kind.clone(),
            ty: "object".to_owned(),
            doc: shape.doc.to_string(),
            rules: here.into_iter().map(|rule| rule.note).chain(code(shape)).collect(),
            fields: self.fields(resource.def, &mut vec![resource.def], below),
            releases: in_releases(resource.releases),
            ..Node::default()
        }
    }

    fn fields(&self, def: DefId, open: &mut Vec<DefId>, mut handed: Vec<Placed>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (field, ty, json) in self.program.fields(def) {
            let Some(name) = json else {
                if let Some(inner) = self.innermost(ty).filter(|inner| !open.contains(inner)) {
                    open.push(inner);
                    nodes.extend(self.fields(inner, open, Vec::new()));
                    open.pop();
                }
                continue;
            };
            let (own, rest) = handed.into_iter().partition(|rule| rule.fields.first().is_some_and(|f| f == name));
            handed = rest;
            nodes.push(self.field(field, ty, name, open, own));
        }
        nodes
    }

    fn field(&self, field: FieldRef, ty: TypeId, name: &str, open: &mut Vec<DefId>, handed: Vec<Placed>) -> Node {
        let shapes = self.program.shapes();
        let owner = self.program.shape_of(field.def);
        let shape = shapes.field(owner, name);
        let mut rules = self.field_rules(field);
        let values = rules.iter_mut().filter(|rule| rule.fields.is_empty()).find_map(|rule| rule.values.take());
        let values = values.unwrap_or_default();
        rules.extend(handed.into_iter().map(|mut rule| {
            rule.fields.remove(0);
            rule
        }));
        let (here, below): (Vec<Placed>, Vec<Placed>) = rules.into_iter().partition(|rule| rule.fields.is_empty());
        let innermost = self.innermost(ty);
        let code = innermost.and_then(|def| code(shapes.get(self.program.shape_of(def))));
        let inner = innermost.filter(|inner| !open.contains(inner) && self.enters(*inner));
        let fields = inner.map_or(Vec::new(), |inner| {
            open.push(inner);
            let fields = self.fields(inner, open, below);
            open.pop();
            fields
        });
        Node {
            name: name.to_owned(),
            ty: shape.map_or(String::new(), |shape| self.shown(shape.ty)),
            doc: shape.map_or(String::new(), |shape| shape.doc.to_string()),
            required: shape.is_some_and(|shape| shape.required),
            default: shape.map(|shape| shape.default.to_string()).filter(|default| !default.is_empty()),
            releases: self.ranges.get(&(owner, name.to_owned())).copied().and_then(in_releases),
            values,
            rules: here.into_iter().map(|rule| rule.note).chain(code).collect(),
            fields,
        }
    }

    fn enters(&self, def: DefId) -> bool {
        self.enters_metadata || self.program.type_name(def) != "v1.ObjectMeta"
    }

    /// The struct that values of a type or their elements are.
    fn innermost(&self, mut ty: TypeId) -> Option<DefId> {
        loop {
            ty = match self.program.layout_of(ty).form {
                Form::Struct(def) => return Some(def),
                Form::List(elem) | Form::Map(_, elem) => elem,
                _ => return None,
            };
        }
    }

    fn shown(&self, ty: TypeRef) -> String {
        let shape = self.program.shapes().get(ty.id);
        if let Some(name) = shape.name.rsplit('.').next().filter(|name| !name.is_empty()) {
            return name.to_owned();
        }
        match &shape.kind {
            Kind::String => "string".to_owned(),
            Kind::Bool => "boolean".to_owned(),
            Kind::Int { bits, signed } => format!("{}int{bits}", if *signed { "" } else { "u" }),
            Kind::Float { bits } => format!("float{bits}"),
            Kind::Bytes => "bytes".to_owned(),
            Kind::List { elem, .. } => format!("[]{}", self.shown(*elem)),
            Kind::Map { key, value } => format!("map[{}]{}", self.shown(*key), self.shown(*value)),
            Kind::Struct { .. } => "object".to_owned(),
            Kind::Scalar | Kind::Any => "any".to_owned(),
            Kind::IntOrString => "IntOrString".to_owned(),
            Kind::Quantity => "Quantity".to_owned(),
            Kind::Time => "Time".to_owned(),
            Kind::MicroTime => "MicroTime".to_owned(),
            Kind::Duration => "Duration".to_owned(),
            Kind::RawExtension => "RawExtension".to_owned(),
        }
    }

    /// The rules that a field has of its own tags and of its type.
    fn field_rules(&self, field: FieldRef) -> Vec<Placed> {
        let is_it = |plan: &&FieldPlan| plan.field == field;
        let Some(plan) = self.program.plan().of(field.def).and_then(|plan| plan.fields.iter().find(is_it)) else {
            return Vec::new();
        };
        let around = Around::from(if plan.called { CALLED } else { "own tag" });
        let mut found = Vec::new();
        for check in all(&plan.cohorts, &plan.descend) {
            self.collect(check, &around, &mut found);
        }
        for check in plan.changes.iter().chain(&plan.calls) {
            self.collect(check, &Around::from(CALLED), &mut found);
        }
        found
    }

    /// The rules that a type has beside those of its fields.
    fn type_rules(&self, def: DefId, around: &Around) -> Vec<Placed> {
        let mut found = Vec::new();
        let Some(plan) = self.program.plan().of(def) else { return found };
        for check in all(&plan.cohorts, &plan.descend) {
            self.collect(check, around, &mut found);
        }
        found
    }

    /// The rules that a check is or holds.
    fn collect(&self, check: &Check, around: &Around, found: &mut Vec<Placed>) {
        let mut around = around.clone();
        if check.stage != Stage::Stable {
            around.stage = check.stage;
        }
        let mut enter = |inner: &Check, words: String| {
            let mut around = around.clone();
            around.tags = format!("{}{}=+", around.tags, tag(self.program, &check.rule));
            around.words.push(words);
            self.collect(inner, &around, found);
        };
        match &check.rule {
            Rule::Type(def) => {
                let name = self.program.type_name(*def).rsplit('.').next().unwrap_or_default();
                let suffix = if around.origin.ends_with(BY_CODE) { BY_CODE } else { "" };
                around.origin = format!("type {name}{suffix}");
                found.extend(self.type_rules(*def, &around));
            }
            Rule::EachKey(inner) => enter(inner, "each key: ".to_owned()),
            Rule::EachVal(_, inner) => enter(inner, "each element: ".to_owned()),
            Rule::Subfield(field, inner) => {
                around.fields.push(self.program.field_name(*field).to_owned());
                around.words.retain(|words| !words.starts_with("each "));
                "subfield of a field around".clone_into(&mut around.origin);
                around.tags = format!("{}{}=+", around.tags, tag(self.program, &check.rule));
                self.collect(inner, &around, found);
            }
            Rule::IfOption { option, enabled, check: inner } => {
                enter(inner, format!("while {option} is {}: ", if *enabled { "on" } else { "off" }));
            }
            Rule::IfSet(inner) => self.collect(inner, &around, found),
            Rule::IfFeature { gate, check: inner } => enter(inner, format!("while {gate} is on: ")),
            Rule::IfSubresource { path, matches, check: inner } => {
                enter(inner, format!("{} a write of {path}: ", if *matches { "in" } else { "except in" }));
            }
            Rule::Item(_, inner) => enter(inner, format!("{}: ", self.program.words(&check.rule).phrase)),
            Rule::Mode(rule) => {
                let discriminator = self.program.field_name(rule.discriminator);
                for mode in &rule.modes {
                    for inner in &mode.checks {
                        enter(inner, format!("{} if {discriminator} is {}: ", rule.name, mode.value.show()));
                    }
                }
            }
            Rule::Fixed { passes: true, .. } => {}
            rule if check.non_error && !matches!(rule, Rule::Optional) => {}
            rule => {
                let values = values(rule);
                found.push(Placed { fields: around.fields.clone(), note: self.note(rule, check, &around), values });
            }
        }
    }

    fn note(&self, rule: &Rule, check: &Check, around: &Around) -> RuleNote {
        let warns = if check.warning.is_some() { "warns: " } else { "" };
        RuleNote {
            rule: format!("+{}{}", around.tags, tag(self.program, rule)),
            words: format!("{}{warns}{}", around.words.concat(), self.program.words(rule).phrase),
            stage: stage(around.stage),
            origin: around.origin.clone(),
            place: None,
            releases: in_releases(check.releases),
        }
    }
}

/// The function with the rules of a type that no tag says.
fn code(shape: &TypeShape) -> Option<RuleNote> {
    let function = &shape.validated_by;
    (!function.is_empty()).then(|| RuleNote {
        rule: format!("+sprag:validatedBy={function}"),
        words: format!("passes upstream's function {function}"),
        stage: stage(Stage::Stable),
        origin: format!("type {}, rules that no tag says", shape.name.rsplit('.').next().unwrap_or_default()),
        place: None,
        releases: None,
    })
}

const BY_CODE: &str = ", run by hand-written validation";
const CALLED: &str = "own tag, run by hand-written validation";

impl From<&str> for Around {
    fn from(origin: &str) -> Around {
        Around {
            fields: Vec::new(),
            tags: String::new(),
            words: Vec::new(),
            stage: Stage::Stable,
            origin: origin.to_owned(),
        }
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Alpha => "alpha",
        Stage::Beta => "beta",
        Stage::Stable => "stable",
    }
}

fn all<'c>(cohorts: &'c [Cohort], descend: &'c [Check]) -> impl Iterator<Item = &'c Check> {
    cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend)
}

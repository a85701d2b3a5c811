//! The fields, gates and rules of types.

use std::path::PathBuf;

use sprag_idl::model::{Const, Literal, Package, TagLine, TypeDef, TypeExpr, TypeKind};
use sprag_idl::{Severity, Syntax, Tag, TagValue, parse_tag, tag_name};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Foreign, Hooks, LowerOptions, Mistakes, Registry, Untagged, group_version, lower};

use super::wire::{Field, Rule, Snapshot, Stage, Type, Version};
use crate::commands::load_types;
use crate::output::Terminal;

/// Tags that refuse nothing.
const NO_RULES: [&str; 7] = [
    "k8s:declarativeValidationNative",
    "k8s:default",
    "k8s:featureGate",
    "k8s:opaqueType",
    "k8s:optional",
    "k8s:printerColumn",
    "k8s:selectableField",
];

/// Options for reading types.
pub(super) struct Reading {
    pub(super) recursive: bool,
    pub(super) follow_links: bool,
    pub(super) dialect: Option<Dialect>,
    pub(super) registry: Registry,
}

impl Reading {
    /// The snapshot of types; nothing if a tag is wrong, which is shown.
    pub(super) fn snapshot(&self, paths: &[PathBuf], terminal: &mut Terminal) -> anyhow::Result<Option<Snapshot>> {
        let loaded = load_types(paths, self.recursive, self.follow_links)?;
        let given: Vec<Package> = loaded.packages.iter().filter(|package| loaded.is_given(package)).cloned().collect();
        let universe = Universe::new(loaded.packages, |_| true);
        let options = LowerOptions {
            dialect: self.dialect,
            untagged: Untagged::AllTypes,
            // A snapshot has the names of the types of fields only, so those of other packages need not be read.
            foreign: Foreign::Opaque,
            hooks: Hooks::Assume,
            mistakes: Mistakes::Refuse,
        };
        let lowering = lower(&universe, &self.registry, options);
        let findings: Vec<_> = loaded.findings.into_iter().chain(lowering.findings).collect();
        for finding in &findings {
            terminal.finding(finding, &loaded.sources);
        }
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return Ok(None);
        }
        let mut versions: Vec<Version> = given.iter().map(|package| self.version(package)).collect();
        versions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(Snapshot::new(versions)))
    }

    fn version(&self, package: &Package) -> Version {
        let name = match group_version(package) {
            (Some(group), Some(version)) if !group.is_empty() => format!("{group}/{version}"),
            (Some(_), Some(version)) => version,
            _ => package.path.clone(),
        };
        let mut types: Vec<Type> = package.types.iter().map(|def| self.ty(package, def)).collect();
        types.sort_by(|a, b| a.name.cmp(&b.name));
        Version { name, types }
    }

    fn ty(&self, package: &Package, def: &TypeDef) -> Type {
        let fields: &[_] = if let TypeKind::Struct(fields) = &def.kind { fields } else { &[] };
        let fields = fields.iter().filter(|field| !field.ignored);
        let mut fields: Vec<Field> = fields
            .map(|field| Field {
                name: field.path_name().to_owned(),
                ty: type_text(&field.ty),
                gates: gates(&field.tags),
                rules: self.rules(&field.tags),
            })
            .collect();
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Type { name: def.name.clone(), rules: self.rules(&def.tags), values: values(package, def), fields }
    }

    fn rules(&self, lines: &[TagLine]) -> Vec<Rule> {
        let is_rule = |line: &&TagLine| {
            tag_name(&line.text).is_some_and(|name| !NO_RULES.contains(&name) && self.registry.find(name).is_some())
        };
        let mut rules: Vec<Rule> = lines.iter().filter(is_rule).filter_map(parsed).map(|tag| rule(&tag)).collect();
        // A stage before a tag that refuses nothing.
        rules.retain(|rule| !NO_RULES.contains(&rule.tag.trim_start_matches('+')));
        rules.sort();
        rules
    }
}

/// The gates that a field belongs to.
fn gates(lines: &[TagLine]) -> Vec<String> {
    let tags = lines.iter().filter(|line| tag_name(&line.text) == Some("k8s:featureGate")).filter_map(parsed);
    let gate = |tag: Tag| if let TagValue::Scalar(gate) = tag.value { Some(gate.text()) } else { None };
    tags.filter_map(gate).collect()
}

/// The values of an enumeration: the variants of a Rust enum, or the constants of a Go type.
fn values(package: &Package, def: &TypeDef) -> Vec<String> {
    let mut values: Vec<String> = match &def.kind {
        TypeKind::Enum(set) => set.variants.iter().map(|variant| variant.json.clone()).collect(),
        _ if def.tags.iter().any(|line| tag_name(&line.text) == Some("k8s:enum")) => {
            let of_type = |item: &&Const| matches!(&item.ty, Some(TypeExpr::Named(name)) if name.name == def.name);
            let texts = package.consts.iter().filter(of_type).filter_map(|item| match &item.value {
                Some(Literal::String(text)) => Some(text.clone()),
                _ => None,
            });
            texts.collect()
        }
        _ => Vec::new(),
    };
    values.sort();
    values
}

/// A tag; the syntax of `kep` takes all others have. What is wrong was found before.
fn parsed(line: &TagLine) -> Option<Tag> {
    parse_tag(&line.text, line.span, Syntax::Kep).ok()
}

/// A tag without the stages on the way to its end.
fn rule(tag: &Tag) -> Rule {
    let mut text = String::new();
    let mut stage = Stage::Stable;
    let mut since = None;
    let mut next = Some(tag);
    while let Some(tag) = next {
        match tag.name.as_str() {
            "k8s:alpha" | "k8s:beta" => {
                stage = if tag.name == "k8s:alpha" { Stage::Alpha } else { Stage::Beta };
                since = tag.named("since").map(|since| since.text().trim_start_matches('v').to_owned());
            }
            name => {
                text.push_str(if text.is_empty() { "+" } else { "=+" });
                text.push_str(name);
                let args = tag.args.iter().map(|arg| match &arg.name {
                    Some(name) => format!("{name}: {}", arg.value.text()),
                    None => arg.value.text(),
                });
                let args: Vec<String> = args.collect();
                if !args.is_empty() {
                    text.extend(["(", &args.join(", "), ")"]);
                }
            }
        }
        if let TagValue::Scalar(value) = &tag.value {
            text.extend(["=", &value.text()]);
        }
        next = tag.inner();
    }
    Rule { tag: text, stage, since }
}

/// A type as Go writes it, without packages: where a type is declared does not change what it is on the wire.
fn type_text(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Builtin(builtin) => builtin.go_name().to_owned(),
        TypeExpr::Named(name) => name.name.clone(),
        // A pointer tells unset from zero, which changes nothing on the wire.
        TypeExpr::Pointer(inner) | TypeExpr::Boxed(inner) => type_text(inner),
        TypeExpr::List(inner) | TypeExpr::Array(_, inner) => format!("[]{}", type_text(inner)),
        TypeExpr::Map(_, key, value) => format!("map[{}]{}", type_text(key), type_text(value)),
        TypeExpr::Interface => "any".to_owned(),
        TypeExpr::Unsupported(_, text) => text.clone(),
    }
}

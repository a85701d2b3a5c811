//! Trees of declared types.

use std::path::PathBuf;

use sprag_idl::model::TagLine;
use sprag_idl::{Sources, parse_tag, raw_value, tag_name};
use sprag_program::{DefId, TypeId};
use sprag_tags::kubebuilder::{Found, find};
use sprag_tags::types::{DefKind, FieldDef, Type, Universe};
use sprag_tags::{Dialect, Registry, is_resource};

use super::words::{of_tag, stage};
use super::{Node, RuleNote};
use crate::commands::load_types;

/// The types of packages, kinds first, each with everything below it.
pub(super) fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Node>> {
    let mut loaded = load_types(paths, true, false)?;
    let given: Vec<String> = loaded.given.iter().cloned().collect();
    let universe = Universe::new(std::mem::take(&mut loaded.packages), |_| true);
    let registry = Registry::standard();
    let reader = Reader { universe: &universe, registry: &registry, sources: &loaded.sources };
    let defs = universe
        .defs()
        .filter(|(def, data)| given.contains(&universe.package_of(*def).path) && data.exported && !data.alias);
    let mut defs: Vec<DefId> = defs.map(|(def, _)| def).collect();
    defs.sort_by_key(|def| (!is_resource(&universe, *def), def.index()));
    Ok(defs.into_iter().map(|def| reader.type_node(def)).collect())
}

struct Reader<'a> {
    universe: &'a Universe,
    registry: &'a Registry,
    sources: &'a Sources,
}

/// A rule of a field around, for a field below: the path that is left, the rule.
type Handed = (Vec<String>, RuleNote);

impl Reader<'_> {
    fn type_node(&self, def: DefId) -> Node {
        let data = self.universe.def(def);
        let ty = match &data.kind {
            DefKind::Struct(_) => "object".to_owned(),
            DefKind::Enum(_) => "string".to_owned(),
            DefKind::Typedef(target) => self.shown(*target),
            DefKind::Opaque(_) => "any".to_owned(),
        };
        let rules = self.rules(def, &data.tags, "own tag");
        let fields = self.fields(def, &mut vec![def], &[]);
        Node { name: data.name.clone(), ty, doc: data.doc.clone(), rules, fields, ..Node::default() }
    }

    fn fields(&self, def: DefId, open: &mut Vec<DefId>, handed: &[Handed]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for field in self.universe.fields(def) {
            if field.field.ignored || !field.field.exported {
                continue;
            }
            if field.field.inline {
                if let Some(inner) = self.universe.struct_of(field.ty).filter(|inner| !open.contains(inner)) {
                    open.push(inner);
                    nodes.extend(self.fields(inner, open, handed));
                    open.pop();
                }
                continue;
            }
            nodes.push(self.field_node(def, field, open, handed));
        }
        nodes
    }

    fn field_node(&self, def: DefId, field: &FieldDef, open: &mut Vec<DefId>, handed: &[Handed]) -> Node {
        let source = &field.field;
        let name = source.path_name().to_owned();
        let mut rules = self.rules(def, &source.tags, "own tag");
        let mut below: Vec<Handed> = self.subfields(def, &source.tags, &name);
        for (path, rule) in handed.iter().filter(|(path, _)| path.first() == Some(&name)) {
            if path.len() == 1 { rules.push(rule.clone()) } else { below.push((path[1..].to_vec(), rule.clone())) }
        }
        if let Some(named) = self.named(field.ty) {
            let data = self.universe.def(named);
            rules.extend(self.rules(named, &data.tags, &format!("type {}", data.name)));
            below.extend(self.subfields(named, &data.tags, &data.name));
        }
        let inner = self.innermost(field.ty);
        let fields = match inner.filter(|inner| !open.contains(inner) && !is_metadata(self.universe, *inner)) {
            Some(inner) => {
                open.push(inner);
                let fields = self.fields(inner, open, &below);
                open.pop();
                fields
            }
            None => Vec::new(),
        };
        let has = |name: &str| source.tags.iter().any(|line| tag_name(&line.text) == Some(name));
        let text = |name: &str| source.tags.iter().find(|line| tag_name(&line.text) == Some(name));
        let default = ["default", "k8s:default", "sprag:default", "kubebuilder:default"].into_iter().find_map(text);
        Node {
            releases: None,
            name,
            ty: self.shown(field.ty),
            doc: source.doc.clone(),
            required: has("required") || has("k8s:required") || has("kubebuilder:validation:Required"),
            default: default.and_then(|line| raw_value(&line.text)).map(|text| text.trim().to_owned()),
            values: Vec::new(),
            rules,
            fields,
        }
    }

    /// The rules of tag lines, except those that are for fields below.
    fn rules(&self, def: DefId, lines: &[TagLine], origin: &str) -> Vec<RuleNote> {
        let lines = lines.iter().filter(|line| tag_name(&line.text) != Some("k8s:subfield"));
        lines.filter_map(|line| self.rule(def, line, origin)).collect()
    }

    fn rule(&self, def: DefId, line: &TagLine, origin: &str) -> Option<RuleNote> {
        let place = self.sources.locate(line.span).map(|place| place.to_string());
        let note = |words: String, stage| RuleNote {
            rule: format!("+{}", line.text),
            words,
            stage,
            origin: origin.to_owned(),
            place: place.clone(),
            releases: None,
        };
        let name = tag_name(&line.text)?;
        let dialect = Dialect::of(self.universe.package_of(def)).unwrap_or(Dialect::Kubernetes);
        if self.registry.find(name).is_some() {
            let tag = parse_tag(&line.text, line.span, dialect.syntax()).ok()?;
            return Some(note(of_tag(&tag, &line.text, self.registry), stage(&tag)));
        }
        match find(line) {
            Found::Known(marker) if marker.spec.name.contains(":validation:") => {
                let words = marker.spec.name.rsplit(':').next().unwrap_or_default();
                Some(note(format!("{words} {}", marker.text).trim_end().to_owned(), "stable"))
            }
            _ => None,
        }
    }

    /// The rules that tags have for fields below.
    fn subfields(&self, def: DefId, lines: &[TagLine], from: &str) -> Vec<Handed> {
        let dialect = Dialect::of(self.universe.package_of(def)).unwrap_or(Dialect::Kubernetes);
        let lines = lines.iter().filter(|line| tag_name(&line.text) == Some("k8s:subfield"));
        let handed = lines.filter_map(|line| {
            let mut tag = parse_tag(&line.text, line.span, dialect.syntax()).ok()?;
            let mut path = Vec::new();
            while tag.name == "k8s:subfield" {
                path.push(tag.positional()?.text());
                tag = tag.inner()?.clone();
            }
            let text = line.text.rsplit_once(")=+").map_or(line.text.as_str(), |(_, text)| text);
            let note = RuleNote {
                rule: format!("+{}", line.text),
                words: of_tag(&tag, text, self.registry),
                stage: stage(&tag),
                origin: format!("subfield of {from}"),
                place: self.sources.locate(line.span).map(|place| place.to_string()),
                releases: None,
            };
            Some((path, note))
        });
        handed.collect()
    }

    fn strip(&self, mut ty: TypeId) -> TypeId {
        while let Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) = self.universe.ty(ty) {
            ty = *inner;
        }
        ty
    }

    fn named(&self, ty: TypeId) -> Option<DefId> {
        if let Type::Def(def) = self.universe.ty(self.strip(ty)) { Some(*def) } else { None }
    }

    /// The struct that a value or its elements are.
    fn innermost(&self, mut ty: TypeId) -> Option<DefId> {
        loop {
            if let Some(def) = self.universe.struct_of(ty) {
                return Some(def);
            }
            ty = self.universe.elem(ty)?;
        }
    }

    fn shown(&self, ty: TypeId) -> String {
        let ty = self.strip(ty);
        match self.universe.ty(ty) {
            Type::Def(def) => self.universe.def(*def).name.clone(),
            Type::List(elem) | Type::Array(_, elem) => format!("[]{}", self.shown(*elem)),
            Type::Map(_, key, value) => format!("map[{}]{}", self.shown(*key), self.shown(*value)),
            _ => self.universe.type_name(ty).rsplit(['/']).next().unwrap_or_default().to_owned(),
        }
    }
}

fn is_metadata(universe: &Universe, def: DefId) -> bool {
    universe.def_name(def).ends_with("/meta/v1.ObjectMeta")
}

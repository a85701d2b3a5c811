//! Finds the types that are validated as whole objects.

use std::collections::BTreeSet;

use sprag_idl::model::TagLine;
use sprag_idl::{Finding, Syntax, TagValue, parse_tag, raw_value, tag_name};
use sprag_program::{DefId, Root};

use crate::lower::{Lowerer, Untagged};
use crate::types::{Def, DefKind, Type, Universe};

const MAIN: &str = "k8s:validation-gen";
const INPUT: &str = "k8s:validation-gen-input";
const REGISTRY: &str = "k8s:validation-gen-scheme-registry";
const LIST_META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta";

/// The roots that one package asks for.
#[derive(Clone, Debug)]
pub(crate) struct PackageRoots {
    pub(crate) roots: Vec<Root>,
    /// True if they are registered, false if only generated.
    pub(crate) registered: bool,
}

impl Lowerer<'_> {
    /// The roots of all included packages, sorted by name within each package.
    pub(crate) fn find_roots(&mut self) -> Vec<PackageRoots> {
        let universe = self.universe;
        let mut all = Vec::new();
        for (at, package) in universe.packages().iter().enumerate() {
            if !package.included {
                continue;
            }
            let mut criteria = values(&package.tags, MAIN);
            match criteria[..] {
                ["false"] => continue,
                [] if self.options.untagged == Untagged::Skip => continue,
                [] => criteria.push("*"),
                _ => {}
            }
            for line in package.tags.iter().filter(|line| tag_name(&line.text) == Some(MAIN)) {
                if let Err(message) = check_criterion(raw_value(&line.text).unwrap_or_default().trim()) {
                    self.findings.push(Finding::error(line.span, format!("{}: {message}", package.path)));
                }
            }
            let input = values(&package.tags, INPUT).last().copied();
            let types_at = match input {
                None => at,
                Some(path) => {
                    let Some(input) = universe.packages().iter().position(|other| other.path == path) else {
                        let message = format!("{}: input package {path} was not read", package.path);
                        self.findings.push(Finding::error(package.tags[0].span, message));
                        continue;
                    };
                    input
                }
            };
            let mut roots: Vec<Root> = universe
                .defs()
                .filter(|(_, def)| def.package == types_at && self.is_root(def, &criteria))
                .map(|(id, _)| self.root(id, &package.path))
                .collect();
            roots.sort_by(|a, b| universe.def(a.def).name.cmp(&universe.def(b.def).name));
            let registered = values(&package.tags, REGISTRY).last() != Some(&"nil");
            all.push(PackageRoots { roots, registered });
        }
        all
    }

    fn is_root(&self, def: &Def, criteria: &[&str]) -> bool {
        if !def.exported || def.alias {
            return false;
        }
        for value in ["false", "true"] {
            if values(&def.tags, MAIN) == [value] || values(&def.detached_tags, MAIN) == [value] {
                return value == "true";
            }
        }
        if self.embeds_list_meta(def) {
            return false;
        }
        criteria.iter().any(|criterion| {
            *criterion == "*"
                || criterion.strip_prefix("TypesWithField=").is_some_and(|name| has_field(def, name))
                || criterion.strip_prefix("TypesWithSuffix=").is_some_and(|suffix| def.name.ends_with(suffix))
        })
    }

    fn embeds_list_meta(&self, def: &Def) -> bool {
        let DefKind::Struct(fields) = &def.kind else { return false };
        fields.iter().any(|field| field.field.embedded && self.universe.type_name(field.ty) == LIST_META)
    }

    fn root(&self, id: DefId, registered_by: &str) -> Root {
        let def = self.universe.def(id);
        let supported = quoted_values(def, "k8s:supportsSubresource");
        let own = quoted_values(def, "k8s:isSubresource");
        let mut subresources: BTreeSet<String> = supported.into_iter().collect();
        subresources.insert(own.into_iter().next().unwrap_or_else(|| "/".to_owned()));
        Root {
            def: id,
            go_type: go_type(self.universe, id),
            registered_by: vec![registered_by.to_owned()],
            subresources: subresources.into_iter().collect(),
        }
    }
}

/// A declared type as Go prints a pointer to it; one that has a nil of its own is printed without a star.
pub(crate) fn go_type(universe: &Universe, id: DefId) -> String {
    let def = universe.def(id);
    let nilable = match &def.kind {
        DefKind::Typedef(ty) => matches!(universe.ty(*ty), Type::List(_) | Type::Map(..) | Type::Interface),
        DefKind::Struct(_) | DefKind::Enum(_) | DefKind::Opaque(_) => false,
    };
    let star = if nilable { "" } else { "*" };
    format!("{star}{}.{}", universe.package_of(id).name, def.name)
}

fn check_criterion(criterion: &str) -> Result<(), String> {
    let known = match criterion.split_once('=') {
        None => criterion == "*",
        Some(("TypesWithField" | "TypesWithSuffix", "")) => {
            return Err(format!("found package tag \"{MAIN}={criterion}\" with empty value"));
        }
        Some((name, _)) => name == "TypesWithField" || name == "TypesWithSuffix",
    };
    match (known, criterion) {
        (true, _) => Ok(()),
        (false, "") => Err(format!("found package tag {MAIN:?} with no value")),
        (false, _) => Err(format!("unknown value for package tag {MAIN:?}: {criterion:?}")),
    }
}

fn has_field(def: &Def, name: &str) -> bool {
    matches!(&def.kind, DefKind::Struct(fields) if fields.iter().any(|field| field.field.name == name))
}

/// Everything after `=` of the tags with this name.
pub(crate) fn values<'t>(tags: &'t [TagLine], name: &str) -> Vec<&'t str> {
    tags.iter()
        .filter(|line| tag_name(&line.text) == Some(name))
        .map(|line| raw_value(&line.text).unwrap_or_default().trim())
        .collect()
}

fn quoted_values(def: &Def, name: &str) -> Vec<String> {
    def.detached_tags
        .iter()
        .chain(&def.tags)
        .filter(|line| tag_name(&line.text) == Some(name))
        .filter_map(|line| match parse_tag(&line.text, line.span, Syntax::Kep).ok()?.value {
            TagValue::Scalar(value) => Some(value.text()),
            _ => None,
        })
        .collect()
}

//! The declared fields of objects: of built-in kinds, definitions and declared types.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use sprag_analysis::apidoc::{Node, Reader, of_schema};
use sprag_analysis::{Analysis, Identity};
use sprag_decode::locate::Step;
use sprag_rest::Releases;
use sprag_shape::TypeId;

/// The fields of built-in kinds that only some releases have, read once.
static RANGES: LazyLock<Ranges> = LazyLock::new(sprag_kinds::ranges);

/// Declared types know no releases.
static NO_RANGES: Ranges = Ranges::new();

type Ranges = BTreeMap<(TypeId, String), Releases>;

/// Number of kinds whose fields are held.
const MAX_HELD: usize = 16;

/// The fields of the kinds that were asked for last.
#[derive(Default)]
pub(crate) struct Fields {
    /// The trees of built-in kinds, the latest last.
    held: Mutex<Vec<(Identity, Arc<Node>)>>,
}

/// The identity of a kind alone.
pub(crate) fn kind_of(api_version: &str, kind: &str) -> Identity {
    Identity { api_version: api_version.to_owned(), kind: kind.to_owned(), ..Identity::default() }
}

impl Fields {
    /// The tree of an object's kind; none if it is not known.
    pub(crate) fn of(&self, analysis: &Analysis, identity: &Identity) -> Option<Arc<Node>> {
        let kind = kind_of(&identity.api_version, &identity.kind);
        if let Some(definition) = analysis.definition(&kind) {
            let version = definition.crd().version(kind.version())?;
            let mut node = of_schema(&kind.kind, version.props()?, false);
            self.complete(&mut node);
            return Some(Arc::new(node));
        }
        if let Some(types) = analysis.types() {
            let program = &types.kinds.declared.program;
            if let Some(resource) = program.find(kind.group(), kind.version(), &kind.kind) {
                return Some(Arc::new(
                    Reader { program, enters_metadata: true, ranges: &NO_RANGES }.resource(resource),
                ));
            }
        }
        self.built_in(&kind)
    }

    fn built_in(&self, kind: &Identity) -> Option<Arc<Node>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, node)) = held.iter().find(|(known, _)| known == kind) {
            return Some(node.clone());
        }
        let program = sprag_kinds::program();
        let resource = program.find(kind.group(), kind.version(), &kind.kind)?;
        let node = Arc::new(Reader { program, enters_metadata: true, ranges: &RANGES }.resource(resource));
        if held.len() == MAX_HELD {
            held.remove(0);
        }
        held.push((kind.clone(), node.clone()));
        Some(node)
    }

    /// Adds the fields that every object has.
    fn complete(&self, node: &mut Node) {
        let Some(known) = self.built_in(&kind_of("v1", "ConfigMap")) else { return };
        for name in ["metadata", "kind", "apiVersion"] {
            let Some(common) = known.field(name) else { continue };
            match node.fields.iter_mut().find(|field| field.name == name) {
                Some(field) => *field = common.clone(),
                None => node.fields.insert(0, common.clone()),
            }
        }
    }
}

/// The field that steps lead to from an object, and the names of those on the way. Of entries of maps and elements of lists it is the
/// field that holds them.
pub(crate) fn walk<'n>(root: &'n Node, steps: &[Step]) -> Option<&'n Node> {
    let mut node = root;
    // True once an entry of a map was chosen.
    let mut is_entry = false;
    for step in steps {
        match step {
            Step::Element(_) => {}
            Step::Member(_) if node.is_map() && !is_entry => is_entry = true,
            Step::Member(name) => {
                node = node.field(name)?;
                is_entry = false;
            }
        }
    }
    Some(node)
}

/// The fields that can be set at the end of steps: none of a map, whose keys are anybody's.
pub(crate) fn members<'n>(root: &'n Node, steps: &[Step]) -> &'n [Node] {
    let Some(node) = walk(root, steps) else { return &[] };
    let is_entry = matches!(steps.last(), Some(Step::Member(name)) if node.name != *name);
    if node.is_map() && !is_entry { &[] } else { &node.fields }
}

/// Reads a path as findings have it: `spec.list[0].name`, `metadata.labels[a.b/c]`.
pub(crate) fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path.trim_start_matches('.');
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, after) = inner.split_once(']').unwrap_or((inner, ""));
            steps.push(
                key.parse().map_or_else(|_| Step::Member(key.trim_matches(['"', '\'']).to_owned()), Step::Element),
            );
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Member(rest[..end].to_owned()));
            rest = &rest[end..];
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_steps() {
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!(steps("spec.list[0].name"), [member("spec"), member("list"), Step::Element(0), member("name")]);
        assert_eq!(steps("metadata.labels[a.b/c]"), [member("metadata"), member("labels"), member("a.b/c")]);
        assert_eq!(steps(""), []);
    }
}

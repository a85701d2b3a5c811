//! The schema of one version of a custom resource, ready for use.

use std::sync::{Arc, OnceLock};

use sprag_release::Release;
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::default::TooManyDefaults;
use crate::node::{self, Node};
use crate::props::Props;
use crate::prune::Mode;
use crate::rules::RuleTree;
use crate::{default, embedded, prune, shapes};

/// A compiled schema. It is made once, shared, and used by any number of requests.
pub struct Schema {
    release: Release,
    props: Arc<Props>,
    root: Node,
    /// Made when an object gets as far as its rules.
    rules: OnceLock<Option<RuleTree>>,
}

impl Schema {
    /// Compiles a schema that was accepted, as a release reads it. What acceptance would have refused is ignored or never matches.
    pub fn new(props: Arc<Props>, release: Release) -> Self {
        let mut root = node::compile(&props, release);
        prune_defaults(&mut root, Mode::Drop, true);
        Self { release, props, root, rules: OnceLock::new() }
    }

    /// The schema as it was written.
    pub fn props(&self) -> &Arc<Props> {
        &self.props
    }

    /// Fills in defaults.
    pub fn default(&self, object: &mut Value) -> Result<(), TooManyDefaults> {
        default::default(&self.root, object)
    }

    /// The shapes of objects, for patches and published schemas, and the one of whole objects.
    pub fn shapes(&self) -> (Shapes, TypeId) {
        shapes::shapes(&self.props)
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn rules(&self) -> Option<&RuleTree> {
        self.rules.get_or_init(|| RuleTree::new(&self.props, self.release)).as_ref()
    }
}

/// Drops from all defaults what the schema does not describe. `mode` is how pruning reaches the node.
fn prune_defaults(node: &mut Node, mode: Mode, is_resource: bool) {
    if let Some(mut default) = node.default.take() {
        embedded::coerce_default(node, &mut default.value);
        prune::prune_default(node, &mut default.value, mode);
        default.size = node::size(&default.value);
        node.default = Some(default);
    }
    let mode = mode.at(node);
    let skips_meta = is_resource || node.embedded;
    if let Some(items) = &mut node.items {
        prune_defaults(items, mode, false);
    }
    if let Some(values) = node.additional.schema_mut() {
        prune_defaults(values, Mode::Drop, false);
    }
    for (name, property) in node.properties.iter_mut() {
        if !(skips_meta && prune::META_FIELDS.contains(&name.as_str())) {
            prune_defaults(property, Mode::Drop, false);
        }
    }
}

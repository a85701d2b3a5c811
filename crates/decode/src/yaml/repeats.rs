//! Finds duplicate keys of a document, as go-yaml's strict mode does.

use std::collections::HashSet;

use super::build::is_merge;
use super::go_syntax::go_scalar;
use super::resolve::{Scalar, resolve};
use super::tree::{Content, NodeId, Tree};
use crate::finding::{Finding, MAX_FINDINGS};

/// The repeated keys of a document that could be read, in the order in which they are found: an alias repeats what is
/// wrong with its target, and a merged member counts as set.
pub(super) fn repeated_keys(tree: &Tree<'_>) -> Vec<Finding> {
    let mut walk = Walk { tree, findings: Vec::new() };
    if let Some(root) = tree.root() {
        walk.value(root);
    }
    walk.findings
}

struct Walk<'t, 'a> {
    tree: &'t Tree<'a>,
    findings: Vec<Finding>,
}

/// A key with its type: `1` and `"1"` are two keys.
#[derive(PartialEq, Eq, Hash)]
enum TypedKey {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(u64),
    Text(String),
}

impl Walk<'_, '_> {
    /// Recursion and the number of steps are those of the builder, which went before.
    fn value(&mut self, id: NodeId) {
        let id = self.tree.resolve(id);
        match self.tree.node(id).content {
            Content::Sequence => self.tree.children(id).for_each(|child| self.value(child)),
            Content::Mapping => self.members(id, &mut HashSet::new()),
            Content::Scalar { .. } | Content::Alias { .. } => {}
        }
    }

    fn members(&mut self, id: NodeId, seen: &mut HashSet<TypedKey>) {
        for (key, value) in self.tree.pairs(id) {
            if is_merge(self.tree, key) {
                self.merge(value, seen);
                continue;
            }
            self.value(value);
            let Some(scalar) = self.key(key) else { continue };
            // Two NaNs are two keys.
            if typed(&scalar).is_some_and(|key| !seen.insert(key)) && self.findings.len() < MAX_FINDINGS {
                let line = self.tree.node(value).line as usize + 1;
                self.findings.push(Finding::RepeatedKey { line, key: go_scalar(&scalar) });
            }
        }
    }

    fn merge(&mut self, id: NodeId, seen: &mut HashSet<TypedKey>) {
        let target = self.tree.resolve(id);
        if !matches!(self.tree.node(id).content, Content::Sequence) {
            return self.members(target, seen);
        }
        let sources: Vec<NodeId> = self.tree.children(id).map(|source| self.tree.resolve(source)).collect();
        sources.into_iter().rev().for_each(|source| self.members(source, seen));
    }

    fn key(&self, id: NodeId) -> Option<Scalar<'_>> {
        match &self.tree.node(self.tree.resolve(id)).content {
            Content::Scalar { text, tag, implicit } => resolve(text, *tag, *implicit).ok(),
            _ => None,
        }
    }
}

fn typed(scalar: &Scalar<'_>) -> Option<TypedKey> {
    Some(match scalar {
        Scalar::Null => TypedKey::Null,
        Scalar::Bool(value) => TypedKey::Bool(*value),
        Scalar::Int(value) => TypedKey::Int(*value),
        Scalar::Uint(value) => TypedKey::Uint(*value),
        Scalar::Float(value) if value.is_nan() => return None,
        Scalar::Float(value) => TypedKey::Float((value + 0.0).to_bits()),
        Scalar::Text(text) => TypedKey::Text(text.clone().into_owned()),
    })
}

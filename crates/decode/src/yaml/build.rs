//! Nodes into a [`Value`], the way the value comes out of YAML to JSON conversion upstream.

use std::borrow::Cow;

use sprag_value::json::as_written;
use sprag_value::{Array, Entry, Key, KeyCache, MAX_DEPTH, Object, ShareCache, Text, Value};

use super::error::{Problem, YamlError};
use super::go_syntax::{format_float32, go_syntax};
use super::resolve::{Scalar, resolve};
use super::tree::{Content, NodeId, Tag, Tree};

/// A document that was read.
pub(super) struct Built {
    pub(super) value: Value,
    /// True if some key was set more than once.
    pub(super) has_repeats: bool,
}

/// The value of a document; an empty one is null.
pub(super) fn build(tree: &Tree<'_>, text: &[u8]) -> Result<Built, YamlError> {
    let mut builder = Builder::new(tree);
    let Some(root) = tree.root() else { return Ok(Built { value: Value::Null, has_repeats: false }) };
    // The document itself counts as one decoding.
    builder.expansion.decoded = 1;
    let value = builder.value(root, MAX_DEPTH).map_err(|problem| YamlError::of_problem(text, &problem))?;
    match builder.unsupported_key.or(builder.unsupported_value) {
        Some(fault) => Err(YamlError::new(fault)),
        None => Ok(Built { value, has_repeats: builder.has_repeats }),
    }
}

/// True if a key asks for the members of another mapping.
pub(crate) fn is_merge(tree: &Tree<'_>, key: NodeId) -> bool {
    match &tree.node(key).content {
        Content::Scalar { text, tag, implicit } => text == "<<" && (*implicit || *tag == Tag::Merge),
        _ => false,
    }
}

/// Returns the name of a key in the value; `None` if it has no name there.
pub(crate) fn key_text<'t>(tree: &'t Tree<'_>, key: NodeId) -> Option<Cow<'t, str>> {
    match &tree.node(tree.resolve(key)).content {
        Content::Scalar { text, tag, implicit } => scalar_key(resolve(text, *tag, *implicit).ok()?),
        _ => None,
    }
}

fn scalar_key(scalar: Scalar<'_>) -> Option<Cow<'_, str>> {
    Some(match scalar {
        Scalar::Text(text) => text,
        Scalar::Int(value) => value.to_string().into(),
        Scalar::Bool(value) => if value { "true" } else { "false" }.into(),
        Scalar::Float(value) => format_float32(value).into(),
        Scalar::Null | Scalar::Uint(_) => return None,
    })
}

struct Builder<'t, 'a> {
    tree: &'t Tree<'a>,
    /// Finished members of the mappings that are still open.
    entries: Vec<Entry>,
    /// Finished elements of the lists that are still open.
    elements: Vec<Value>,
    keys: KeyCache,
    shared: ShareCache,
    has_repeats: bool,
    expansion: Expansion,
    /// Aliases that are being followed.
    followed: Vec<NodeId>,
    /// A key that JSON cannot have; reported unless the document fails otherwise.
    unsupported_key: Option<String>,
    /// A number that JSON cannot have; reported after keys.
    unsupported_value: Option<String>,
}

impl<'t, 'a> Builder<'t, 'a> {
    fn new(tree: &'t Tree<'a>) -> Self {
        Self {
            tree,
            entries: Vec::new(),
            elements: Vec::new(),
            keys: KeyCache::default(),
            shared: ShareCache::default(),
            has_repeats: false,
            expansion: Expansion::default(),
            followed: Vec::new(),
            unsupported_key: None,
            unsupported_value: None,
        }
    }

    fn value(&mut self, id: NodeId, depth: usize) -> Result<Value, Problem> {
        self.count(id)?;
        let tree = self.tree;
        Ok(match &tree.node(id).content {
            Content::Scalar { text, tag, implicit } => {
                let scalar = self.scalar(id, text, *tag, *implicit)?;
                self.scalar_value(scalar)
            }
            Content::Sequence => Value::Array(self.sequence(id, self.deeper(id, depth)?)?),
            Content::Mapping => Value::Object(self.mapping(id, self.deeper(id, depth)?)?),
            Content::Alias { target, name } => {
                self.follow(id, name)?;
                let value = self.value(*target, depth)?;
                self.unfollow();
                value
            }
        })
    }

    fn deeper(&self, id: NodeId, depth: usize) -> Result<usize, Problem> {
        depth.checked_sub(1).ok_or_else(|| self.failure(id, format!("exceeded max depth of {MAX_DEPTH}")))
    }

    #[cold]
    fn failure(&self, id: NodeId, text: String) -> Problem {
        Problem::unplaced(text, u32::try_from(self.tree.span(id).start).unwrap_or(u32::MAX))
    }

    #[inline]
    fn count(&mut self, id: NodeId) -> Result<(), Problem> {
        if self.expansion.count(!self.followed.is_empty()) {
            return Ok(());
        }
        Err(self.failure(id, "document contains excessive aliasing".to_owned()))
    }

    fn follow(&mut self, id: NodeId, name: &str) -> Result<(), Problem> {
        if self.followed.contains(&id) {
            return Err(self.failure(id, format!("anchor '{name}' value contains itself")));
        }
        self.followed.push(id);
        Ok(())
    }

    fn unfollow(&mut self) {
        self.followed.pop();
    }

    #[inline]
    fn scalar(&self, id: NodeId, text: &'t str, tag: Tag, implicit: bool) -> Result<Scalar<'t>, Problem> {
        resolve(text, tag, implicit).map_err(|text| self.failure(id, text))
    }

    #[inline]
    fn scalar_value(&mut self, scalar: Scalar<'_>) -> Value {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Int(value),
            Scalar::Uint(value) => Value::from(value),
            Scalar::Float(value) if value.is_finite() => as_written(value),
            Scalar::Float(value) => {
                let name = if value.is_nan() {
                    "NaN"
                } else if value > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                };
                self.unsupported_value.get_or_insert_with(|| format!("json: unsupported value: {name}"));
                Value::Null
            }
            Scalar::Text(text) => Value::String(Text::from(text)),
        }
    }

    fn sequence(&mut self, id: NodeId, depth: usize) -> Result<Array, Problem> {
        let start = self.elements.len();
        for child in self.tree.children(id) {
            let value = self.value(child, depth)?;
            self.elements.push(value);
        }
        Ok(self.shared.array(&mut self.elements, start))
    }

    fn mapping(&mut self, id: NodeId, depth: usize) -> Result<Object, Problem> {
        let start = self.entries.len();
        self.members(id, depth)?;
        let members = self.entries.len() - start;
        let object = self.shared.object(&mut self.entries, start);
        self.has_repeats |= object.len() < members;
        Ok(object)
    }

    fn members(&mut self, id: NodeId, depth: usize) -> Result<(), Problem> {
        for (key, value) in self.tree.pairs(id) {
            if is_merge(self.tree, key) {
                self.merge(value, depth)?;
                continue;
            }
            let name = self.key(key, depth)?;
            let member = self.value(value, depth)?;
            match name {
                Some(name) => self.entries.push(Entry::new(name, member)),
                None => self.unsupported(key, value),
            }
        }
        Ok(())
    }

    /// The name of a member; nothing when JSON cannot have such a name.
    fn key(&mut self, id: NodeId, depth: usize) -> Result<Option<Key>, Problem> {
        self.count(id)?;
        let tree = self.tree;
        let scalar = match &tree.node(id).content {
            Content::Scalar { text, tag, implicit } => self.scalar(id, text, *tag, *implicit)?,
            Content::Alias { target, name } => {
                self.follow(id, name)?;
                let key = self.key(*target, depth)?;
                self.unfollow();
                return Ok(key);
            }
            Content::Sequence | Content::Mapping => {
                self.value(id, depth)?;
                return Err(self.failure(id, format!("invalid map key: {}", go_syntax(tree, id))));
            }
        };
        Ok(match scalar {
            Scalar::Text(text) => Some(self.keys.intern(&text)),
            scalar => scalar_key(scalar).map(Key::from),
        })
    }

    #[cold]
    fn unsupported(&mut self, key: NodeId, value: NodeId) {
        let tree = self.tree;
        self.unsupported_key.get_or_insert_with(|| {
            let name = go_syntax(tree, key);
            let ty = if name == "<nil>" { "%!s(<nil>)" } else { "uint64" };
            format!("unsupported map key of type: {ty}, key: {name}, value: {}", go_syntax(tree, value))
        });
    }

    /// Adds the members of a mapping, or of several; the first of several has the last word.
    fn merge(&mut self, id: NodeId, depth: usize) -> Result<(), Problem> {
        if !matches!(self.tree.node(id).content, Content::Sequence) {
            return self.merge_one(id, depth);
        }
        let sources: Vec<NodeId> = self.tree.children(id).collect();
        sources.into_iter().rev().try_for_each(|source| self.merge_one(source, depth))
    }

    fn merge_one(&mut self, id: NodeId, depth: usize) -> Result<(), Problem> {
        let tree = self.tree;
        let depth = self.deeper(id, depth)?;
        if !matches!(tree.node(tree.resolve(id)).content, Content::Mapping) {
            return Err(self.failure(id, "map merge requires map or sequence of maps as the value".to_owned()));
        }
        self.count(id)?;
        let Content::Alias { target, name } = &tree.node(id).content else { return self.members(id, depth) };
        self.follow(id, name)?;
        self.count(*target)?;
        self.members(*target, depth)?;
        self.unfollow();
        Ok(())
    }
}

/// The part of a document that comes from following aliases.
#[derive(Default)]
struct Expansion {
    decoded: usize,
    aliased: usize,
}

impl Expansion {
    /// Aliases are free up to here.
    const FREE_ALIASED: usize = 100;
    const FREE_DECODED: usize = 1000;
    /// Up to here nearly everything may come from aliases, from the second number on only a tenth.
    const RANGE: (f64, f64) = (400_000.0, 4_000_000.0);
    const RATIO: (f64, f64) = (0.99, 0.10);

    /// Counts one more node; whether the document is still within bounds.
    #[inline]
    fn count(&mut self, in_alias: bool) -> bool {
        self.decoded += 1;
        if !in_alias {
            return true;
        }
        self.aliased += 1;
        self.aliased <= Self::FREE_ALIASED || self.decoded <= Self::FREE_DECODED || self.within_ratio()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of nodes are far below 2^53")]
    fn within_ratio(&self) -> bool {
        let decoded = self.decoded as f64;
        let aliased = self.aliased as f64;
        let part = ((decoded - Self::RANGE.0) / (Self::RANGE.1 - Self::RANGE.0)).clamp(0.0, 1.0);
        aliased / decoded <= Self::RATIO.0 - (Self::RATIO.0 - Self::RATIO.1) * part
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::Value;

    #[test]
    fn equal_small_containers_share_their_parts() {
        let text: String = (0..1000).map(|_| "- labels: {zone: a}\n").collect();
        let value = crate::yaml::decode(text.as_bytes()).unwrap();
        let labels = |at: usize| value.at(at).and_then(|node| node.get("labels")).and_then(Value::as_object).unwrap();
        assert!(std::ptr::eq(labels(998).entries(), labels(999).entries()));
    }
}

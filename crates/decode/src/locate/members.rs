//! The members of a mapping by name.

use sprag_value::Text;

use crate::yaml;
use crate::yaml::tree::{NodeId, Tree};

/// Maximum number of name lookups for one step of a path.
const MAX_LOOKS: usize = 64;

/// The members of a mapping, and the mappings that are merged into it.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// In the order of their names, each name once.
    named: Vec<(Text, Member)>,
    merged: Vec<NodeId>,
}

/// One member. Of repeated keys the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: NodeId,
    pub(super) value: NodeId,
}

impl Members {
    pub(super) fn of(tree: &Tree<'_>, mapping: NodeId) -> Self {
        let mut members = Self::default();
        for (key, value) in tree.pairs(mapping) {
            if yaml::is_merge(tree, key) {
                members.merged.push(value);
            } else if let Some(name) = yaml::key_text(tree, key) {
                members.named.push((name.into(), Member { key, value }));
            }
        }
        members.named.sort_by(|(a, _), (b, _)| a.as_str().cmp(b));
        members.named.dedup_by(|(name, member), (kept, last)| {
            let is_repeated = name == kept;
            if is_repeated {
                *last = *member;
            }
            is_repeated
        });
        members
    }

    /// Returns the mappings behind merge keys.
    pub(super) fn merged(&self) -> &[NodeId] {
        &self.merged
    }

    /// The members whose names a path may begin with, longest names first, each with the path behind it.
    pub(super) fn fitting<'p>(&self, path: &'p str) -> Vec<(Member, &'p str)> {
        let mut fitting = Vec::new();
        let inner = path.strip_prefix('[');
        if let Some(inner) = inner {
            self.each_prefix(inner, |name, member| {
                if let Some(rest) = inner[name.len()..].strip_prefix(']') {
                    fitting.push((member, rest.strip_prefix('.').unwrap_or(rest)));
                }
            });
        }
        self.each_prefix(path, |name, member| {
            let is_bracketed = inner.is_some_and(|inner| inner.starts_with(name));
            if let Some(rest) = after_name(path, name).filter(|_| !is_bracketed) {
                fitting.push((member, rest));
            }
        });
        fitting.sort_by_key(|(_, rest)| rest.len());
        fitting
    }

    /// Calls back for each name that `text` begins with, longest first.
    ///
    /// Whatever sorts between such a name and the text has more in common with the text than the name is long, so that
    /// each look either finds a name or shortens what is left to look for. Names made to need many looks are not found.
    fn each_prefix(&self, text: &str, mut found: impl FnMut(&str, Member)) {
        let mut end = self.up_to(text);
        for _ in 0..MAX_LOOKS {
            let Some((name, member)) = end.checked_sub(1).map(|at| &self.named[at]) else { return };
            if text.starts_with(name.as_str()) {
                found(name, *member);
                end -= 1;
            } else {
                end = self.up_to(common_start(text, name));
            }
        }
    }

    /// The number of names that sort before a text or are equal to it.
    fn up_to(&self, text: &str) -> usize {
        self.named.partition_point(|(name, _)| name.as_str() <= text)
    }
}

/// The start of `text` that both have in common.
fn common_start<'t>(text: &'t str, other: &str) -> &'t str {
    let same = text.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    &text[..text.floor_char_boundary(same)]
}

/// The rest of the path behind a member of this name, which it begins with.
fn after_name<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let rest = &path[name.len()..];
    match rest.as_bytes().first() {
        None | Some(b'[') => Some(rest),
        Some(b'.') => Some(&rest[1..]),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Members;
    use crate::yaml;

    #[track_caller]
    fn check(text: &str, path: &str, expected: &[(usize, &str)]) {
        let tree = yaml::tree(text.as_bytes()).unwrap();
        let root = tree.root().unwrap();
        let members = Members::of(&tree, root);
        let place = |member: super::Member| tree.pairs(root).position(|(key, _)| key == member.key).unwrap();
        let found = members.fitting(path).into_iter().map(|(member, rest)| (place(member), rest));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_longest_name_comes_first() {
        check("{a: 1, a.b: 1, a.b.c: 1, a.bc: 1, b: 1}", "a.b.c.d", &[(2, "d"), (1, "c.d"), (0, "b.c.d")]);
        check("{a: 1, ab: 1, abc: 1}", "abd", &[]);
        check("{a: 1, 'a[0]': 1}", "a[0].b", &[(1, "b"), (0, "[0].b")]);
    }

    #[test]
    fn names_in_brackets_may_hold_anything() {
        check("{'x.y/z': 1, x: 1}", "[x.y/z].a", &[(0, "a")]);
        check("{'a]b': 1, a: 1}", "[a]b]", &[(0, ""), (1, "b]")]);
        check("{ä: 1, äö: 1}", "äö.ü", &[(1, "ü")]);
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        check("{a: 1, b: 1, a: 2}", "a", &[(2, "")]);
    }
}

//! Addresses of objects: typed keys, and the scopes that lists and watches cover.
//!
//! | | text |
//! |---|---|
//! | cluster-scoped object | `/<group>/<resource>/c/<name>` |
//! | namespaced object | `/<group>/<resource>/n/<namespace>/<name>` |
//!
//! The core group is written `-`. Parts hold no separator and are never empty, the marker `c` or `n` keeps the two kinds of
//! object apart even if a resource changes its scope, and the text of a [`Scope`] ends with a separator: so no key can be
//! taken for another, and `contains` is a plain comparison of beginnings. Keys sort by namespace, then name, in the order
//! of their bytes with `/` in between, which is the order of Kubernetes' lists.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The most bytes one part of a key may have.
pub const MAX_PART_BYTES: usize = 1024;

const CORE_GROUP: &str = "-";

/// The place of one object.
///
/// ```
/// use sprag_storage::{Key, Scope};
///
/// let key = Key::namespaced("apps", "deployments", "default", "web")?;
/// assert_eq!((key.namespace(), key.name()), (Some("default"), "web"));
/// assert!(Scope::namespace("apps", "deployments", "default")?.contains(&key));
/// assert!(!Scope::namespace("apps", "deployments", "def")?.contains(&key));
/// # Ok::<(), sprag_storage::KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

/// A part of one resource that can be listed and watched: all of it, one namespace, or one object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Arc<str>);

/// Errors of parsing a key or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A part that must not be empty is empty.
    #[error("the {part} is empty")]
    Empty {
        /// The part of the key.
        part: &'static str,
    },
    /// A part is longer than [`MAX_PART_BYTES`].
    #[error("the {part} is longer than {MAX_PART_BYTES} bytes")]
    TooLong {
        /// The part of the key.
        part: &'static str,
    },
    /// A part holds a separator or a control character.
    #[error("the {part} must not contain {found:?}")]
    Forbidden {
        /// The part of the key.
        part: &'static str,
        /// The first such character.
        found: char,
    },
    /// The group has the name by which the core group is stored.
    #[error("the group must not be {CORE_GROUP:?}")]
    ReservedGroup,
    /// A text that is not a key.
    #[error("not a key")]
    Malformed,
}

impl Key {
    /// The key of an object without a namespace. The core group is `""`.
    pub fn cluster(group: &str, resource: &str, name: &str) -> Result<Key, KeyError> {
        check("name", name)?;
        Ok(Key(join(group, resource, &["c", name], "")?))
    }

    /// The key of an object in a namespace.
    pub fn namespaced(group: &str, resource: &str, namespace: &str, name: &str) -> Result<Key, KeyError> {
        check("namespace", namespace)?;
        check("name", name)?;
        Ok(Key(join(group, resource, &["n", namespace, name], "")?))
    }

    /// Reads the text of a key.
    pub fn parse(text: &str) -> Result<Key, KeyError> {
        let mut parts = text.split('/');
        let (Some(""), Some(group), Some(resource), Some(kind)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(KeyError::Malformed);
        };
        let group = match group {
            CORE_GROUP => "",
            "" => return Err(KeyError::Malformed),
            other => other,
        };
        match (kind, parts.next(), parts.next(), parts.next()) {
            ("c", Some(name), None, None) => Key::cluster(group, resource, name),
            ("n", Some(namespace), Some(name), None) => Key::namespaced(group, resource, namespace, name),
            _ => Err(KeyError::Malformed),
        }
    }

    /// The whole key as text; [`Key::parse`] reads it back.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The API group, `""` for the core group.
    pub fn group(&self) -> &str {
        match self.part(1) {
            CORE_GROUP => "",
            group => group,
        }
    }

    /// The plural name of the resource.
    pub fn resource(&self) -> &str {
        self.part(2)
    }

    /// The namespace, if the object is in one.
    pub fn namespace(&self) -> Option<&str> {
        (self.part(3) == "n").then(|| self.part(4))
    }

    /// The name of the object.
    pub fn name(&self) -> &str {
        let start = self.0.bytes().rposition(|byte| byte == b'/').map_or(0, |at| at + 1);
        &self.0[start..]
    }

    /// The key prefix of the whole resource, which identifies its table.
    pub(crate) fn table(&self) -> &str {
        table(&self.0)
    }

    /// The text between two separators, counted from 1: before the first there is nothing.
    fn part(&self, index: usize) -> &str {
        let mut separators = separators(&self.0).skip(index - 1);
        match (separators.next(), separators.next()) {
            (Some(start), end) => &self.0[start + 1..end.unwrap_or(self.0.len())],
            (None, _) => "",
        }
    }
}

impl Scope {
    /// Every object of a resource, with and without namespace.
    pub fn resource(group: &str, resource: &str) -> Result<Scope, KeyError> {
        Ok(Scope(join(group, resource, &[], "/")?))
    }

    /// The objects of a resource that have no namespace.
    pub fn cluster(group: &str, resource: &str) -> Result<Scope, KeyError> {
        Ok(Scope(join(group, resource, &["c"], "/")?))
    }

    /// The objects of a resource in all namespaces.
    pub fn all_namespaces(group: &str, resource: &str) -> Result<Scope, KeyError> {
        Ok(Scope(join(group, resource, &["n"], "/")?))
    }

    /// The objects of a resource in one namespace.
    pub fn namespace(group: &str, resource: &str, namespace: &str) -> Result<Scope, KeyError> {
        check("namespace", namespace)?;
        Ok(Scope(join(group, resource, &["n", namespace], "/")?))
    }

    /// One object, which need not exist.
    pub fn object(key: &Key) -> Scope {
        Scope(key.0.clone())
    }

    /// True if the key lies in this scope.
    pub fn contains(&self, key: &Key) -> bool {
        if self.is_object() { key.0 == self.0 } else { key.0.starts_with(&*self.0) }
    }

    /// The texts of all scopes that contain a key.
    pub(crate) fn all_of(key: &Key) -> impl Iterator<Item = &str> {
        let text = key.as_str();
        let from_table = separators(text).skip(2).map(move |at| &text[..=at]);
        from_table.chain(std::iter::once(text))
    }

    /// The text of an object's scope is its key, that of all others ends with a separator.
    fn is_object(&self) -> bool {
        !self.0.ends_with('/')
    }

    /// The key with this text below the scope, as [`Scope::below`] printed it. For continue tokens, which come from outside:
    /// whatever the text, the key lies in the scope.
    pub fn key(&self, below: &str) -> Result<Key, KeyError> {
        let key = Key::parse(&format!("{}{below}", self.0))?;
        if self.contains(&key) { Ok(key) } else { Err(KeyError::Malformed) }
    }

    /// The part of a key below this scope.
    pub fn below<'k>(&self, key: &'k Key) -> Option<&'k str> {
        key.0.strip_prefix(&*self.0)
    }

    /// The text that all keys of this scope begin with.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The scope of a whole resource, from the text of a table.
    pub(crate) fn of_table(table: &str) -> Scope {
        Scope(table.into())
    }

    /// The least text that is greater than every key of this scope.
    pub(crate) fn end(&self) -> String {
        if self.is_object() {
            return format!("{}\0", self.0);
        }
        // `0` follows `/`, with which every scope ends.
        let mut end = self.0.trim_end_matches('/').to_owned();
        end.push('0');
        end
    }

    /// The scope of the whole resource.
    pub(crate) fn whole_table(&self) -> Scope {
        Scope(self.table().into())
    }

    pub(crate) fn table(&self) -> &str {
        table(&self.0)
    }
}

/// The beginning of a key or scope up to the separator behind the resource.
fn table(text: &str) -> &str {
    separators(text).nth(2).map_or(text, |at| &text[..=at])
}

/// The places of all separators. Parts are short, so that a plain loop is faster than a search.
fn separators(text: &str) -> impl Iterator<Item = usize> + Clone {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at)
}

fn join(group: &str, resource: &str, rest: &[&str], end: &str) -> Result<Arc<str>, KeyError> {
    let group = match group {
        "" => CORE_GROUP,
        CORE_GROUP => return Err(KeyError::ReservedGroup),
        group => {
            check("group", group)?;
            group
        }
    };
    check("resource", resource)?;
    let parts = [group, resource].into_iter().chain(rest.iter().copied());
    let length = parts.clone().map(|part| part.len() + 1).sum::<usize>() + end.len();
    let mut text = String::with_capacity(length);
    for part in parts {
        text.push('/');
        text.push_str(part);
    }
    text.push_str(end);
    Ok(text.into())
}

fn check(part: &'static str, text: &str) -> Result<(), KeyError> {
    if text.is_empty() {
        return Err(KeyError::Empty { part });
    }
    if text.len() > MAX_PART_BYTES {
        return Err(KeyError::TooLong { part });
    }
    if text.bytes().all(|byte| byte != b'/' && (b' '..=b'~').contains(&byte)) {
        return Ok(());
    }
    match text.chars().find(|&found| found == '/' || found.is_control()) {
        Some(found) => Err(KeyError::Forbidden { part, found }),
        None => Ok(()),
    }
}

impl Borrow<str> for Scope {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.0)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({})", self.0)
    }
}

#[cfg(test)]
mod tests;

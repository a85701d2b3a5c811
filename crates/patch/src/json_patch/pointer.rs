//! JSON pointers and the containers they lead to.

use std::borrow::Cow;

use crate::raw::{MAX_HEIGHT, Node};

/// The container that a pointer leads to, and the name of the member or element in it.
pub(super) struct Place<'d, 'a, 'p> {
    pub(super) container: &'d mut Node<'a>,
    pub(super) key: Cow<'p, str>,
}

/// Follows all but the last part of the pointer; nothing when there is no container there. `height` is that of the
/// value that is going to be put there, zero for none.
pub(super) fn find<'d, 'a, 'p>(document: &'d mut Node<'a>, path: &'p str, height: usize) -> Option<Place<'d, 'a, 'p>> {
    let (_, path) = path.split_once('/')?;
    let (parents, key) = path.rsplit_once('/').map_or((None, path), |(parents, key)| (Some(parents), key));
    let levels = parents.map_or(0, |parents| 1 + parents.matches('/').count());
    if levels + 1 + height > MAX_HEIGHT {
        return None;
    }
    let mut container = document;
    let mut below = levels + 1 + height;
    container.open();
    for part in parents.into_iter().flat_map(|parents| parents.split('/')) {
        raise(container, below);
        below -= 1;
        container = child(container, &unescape(part))?;
        container.open();
    }
    raise(container, below);
    matches!(container, Node::Object(_) | Node::Array(_)).then(|| Place { container, key: unescape(key) })
}

fn raise(container: &mut Node<'_>, height: usize) {
    match container {
        Node::Object(object) => object.height = object.height.max(height),
        Node::Array(array) => array.height = array.height.max(height),
        Node::Null | Node::Raw(_) => {}
    }
}

fn child<'d, 'a>(container: &'d mut Node<'a>, key: &str) -> Option<&'d mut Node<'a>> {
    match container {
        Node::Object(object) => object.items.get_mut(key),
        Node::Array(array) => {
            let at = index(key, array.items.len()).ok()?;
            array.items.get_mut(at)
        }
        Node::Null | Node::Raw(_) => None,
    }
}

/// First `~1`, then `~0`, each occurrence once.
fn unescape(part: &str) -> Cow<'_, str> {
    if !part.contains('~') {
        return Cow::Borrowed(part);
    }
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find('~') {
        out.push_str(&rest[..at]);
        let (text, width) = match rest.as_bytes().get(at + 1) {
            Some(b'1') => ("/", 2),
            Some(b'0') => ("~", 2),
            _ => ("~", 1),
        };
        out.push_str(text);
        rest = &rest[at + width..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The position that `key` names in a list of `len` elements, counted from the end when negative. The position may
/// be past the end.
pub(super) fn index(key: &str, len: usize) -> Result<usize, String> {
    let number = go_atoi(key)?;
    let from_end = if number < 0 { len.checked_sub(number.unsigned_abs()) } else { usize::try_from(number).ok() };
    from_end.ok_or_else(|| invalid_index(number))
}

pub(super) fn invalid_index(index: impl std::fmt::Display) -> String {
    format!("Unable to access invalid index: {index}: invalid index referenced")
}

fn go_atoi(text: &str) -> Result<isize, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let reason = if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        "invalid syntax"
    } else {
        match text.parse() {
            Ok(number) => return Ok(number),
            Err(_) => "value out of range",
        }
    };
    Err(format!("strconv.Atoi: parsing {text:?}: {reason}"))
}

//! Lists that are merged: objects by their merge key, scalars as a set.

use sprag_shape::{Shapes, TypeId};
use sprag_value::{Array, Value};

use super::directive::{self, PATCH};
use super::error::{bad, expected_map, lists_of_lists, no_merge_key, unknown_directive};
use super::map;
use super::positions::Positions;
use crate::PatchError;
use crate::go::Plain;

/// Merges `patch` into `original`, or removes its elements from it.
pub(super) fn merge(
    shapes: &Shapes,
    elem: TypeId,
    key: &str,
    original: Array,
    patch: &mut Array,
    delete: bool,
) -> Result<Array, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    if !elements_are_objects(&original, patch)? {
        if delete {
            let gone = Positions::of(patch, "");
            return Ok(original.into_iter().filter(|element| gone.find(element).is_none()).collect());
        }
        let merged = without_duplicates(original.iter().chain(patch.iter()).cloned().collect());
        if let (false, Some(element)) = (key.is_empty(), merged.first()) {
            return Err(expected_map(element));
        }
        return in_order(merged, patch, &original, "", false);
    }
    if key.is_empty() {
        let kind = map::go_kind(&shapes.get(elem).kind);
        return Err(bad(format!("cannot merge lists without merge key for {kind}")));
    }
    let original = match special_elements(original, patch, key)? {
        Special::Merge(original) => original,
        Special::Replace(plain) => return in_order(plain.to_vec(), &[], &plain, key, true),
    };
    let merged = merge_elements(shapes, elem, key, &original, patch)?;
    let plain: Vec<Value> = patch.iter().filter(|element| !is_special(element)).cloned().collect();
    in_order(merged, &plain, &original, key, true)
}

fn is_special(element: &Value) -> bool {
    element.get(PATCH).is_some()
}

/// Reports whether the elements are objects rather than scalars; all have to be of one type.
pub(super) fn elements_are_objects(original: &[Value], patch: &[Value]) -> Result<bool, PatchError> {
    let mut elements = original.iter().chain(patch);
    let Some(first) = elements.next() else { return Err(bad("no elements in any of the given slices")) };
    if matches!(first, Value::Array(_)) {
        return Err(lists_of_lists());
    }
    if first.is_null() || elements.any(|element| element.kind() != first.kind()) {
        let list = |list: &[Value]| Plain(&list.iter().cloned().collect::<Value>()).to_string();
        let original = list(original);
        let patch = list(patch);
        return Err(bad(format!("list element types are not identical: [{original} {patch}]")));
    }
    Ok(matches!(first, Value::Object(_)))
}

/// Puts the last element into the place of each duplicate, as the reference does.
fn without_duplicates(mut list: Vec<Value>) -> Vec<Value> {
    let mut seen = Positions::of(&[], "");
    let mut at = 0;
    while at < list.len() {
        if seen.find(&list[at]).is_some() {
            list.swap_remove(at);
        } else {
            seen.push(&list[at]);
            at += 1;
        }
    }
    list
}

/// The effect on a list of elements with a `$patch` directive.
enum Special {
    /// The rest of the original, to be merged.
    Merge(Array),
    /// The elements without a directive take the place of the original.
    Replace(Array),
}

fn special_elements(original: Array, patch: &Array, key: &str) -> Result<Special, PatchError> {
    let mut deleted = Positions::of(&[], key);
    let mut replace = false;
    for element in patch {
        let Value::Object(members) = element else { continue };
        let Some(directive) = members.get(PATCH) else { continue };
        match directive.as_str() {
            Some("delete") if members.contains_key(key) => deleted.push(element),
            Some("delete") => return Err(no_merge_key(element, key)),
            Some("replace") => replace = true,
            Some("merge") => return Err(bad("merging lists cannot yet be specified in the patch")),
            _ => return Err(unknown_directive(directive, members)),
        }
    }
    if replace {
        return Ok(Special::Replace(patch.iter().filter(|element| !is_special(element)).cloned().collect()));
    }
    if deleted.is_empty() {
        return Ok(Special::Merge(original));
    }
    let kept = |element: &Value| element.get(key).is_none_or(|key| deleted.find_key(key).is_none());
    Ok(Special::Merge(original.into_iter().filter(kept).collect()))
}

fn merge_elements(
    shapes: &Shapes,
    elem: TypeId,
    key: &str,
    original: &Array,
    patch: &mut Array,
) -> Result<Vec<Value>, PatchError> {
    let mut merged = original.to_vec();
    let mut positions = Positions::of(&merged, key);
    for element in patch.as_mut_slice().iter_mut().filter(|element| !is_special(element)) {
        if element.get(key).is_none() {
            return Err(no_merge_key(element, key));
        }
        if let Some(at) = positions.find(element) {
            let (Value::Object(current), Value::Object(patch)) = (merged[at].take(), element) else { continue };
            merged[at] = Value::Object(map::merge(shapes, elem, current, patch)?);
        } else {
            positions.push(element);
            merged.push(element.clone());
        }
    }
    Ok(merged)
}

/// Elements that are in `patch_order` in that order, the others between them where the order of `original` allows.
pub(super) fn in_order(
    merged: Vec<Value>,
    patch_order: &[Value],
    original: &[Value],
    key: &str,
    objects: bool,
) -> Result<Array, PatchError> {
    if objects {
        for element in merged.iter().chain(patch_order).chain(original) {
            match element {
                Value::Object(members) if members.contains_key(key) => {}
                Value::Object(_) => return Err(no_merge_key(element, key)),
                _ => return Err(expected_map(element)),
            }
        }
    }
    let patch_order = Positions::of(patch_order, key);
    let original = Positions::of(original, key);
    let (patch, rest): (Vec<_>, Vec<_>) = merged.into_iter().partition(|element| patch_order.find(element).is_some());
    Ok(interleave(sorted(rest, &original, objects), sorted(patch, &patch_order, objects), &original))
}

/// Sorted by position, deletions last.
fn sorted(list: Vec<Value>, order: &Positions<'_>, objects: bool) -> Vec<Value> {
    let (deleted, mut list): (Vec<_>, Vec<_>) =
        list.into_iter().partition(|element| objects && directive::has(element, "delete"));
    if list.iter().all(|element| order.find(element).is_some()) {
        list.sort_by_cached_key(|element| order.find(element));
    } else {
        sort_unplaced(&mut list, order);
    }
    list.extend(deleted);
    list
}

/// Sorts elements of which some have no position. The reference's comparison then contradicts itself, so that the
/// result is what its way of sorting makes of it: insertion, in blocks.
fn sort_unplaced(list: &mut [Value], order: &Positions<'_>) {
    const BLOCK: usize = 20;
    let goes_before = |a: &Value, b: &Value| match (order.find(a), order.find(b)) {
        (Some(a), Some(b)) => a < b,
        _ => true,
    };
    for block in list.chunks_mut(BLOCK) {
        for end in 1..block.len() {
            for at in (1..=end).rev() {
                if !goes_before(&block[at], &block[at - 1]) {
                    break;
                }
                block.swap(at, at - 1);
            }
        }
    }
}

/// Puts each element of `left` before the first of `right` that came after it in the original.
fn interleave(left: Vec<Value>, right: Vec<Value>, original: &Positions<'_>) -> Array {
    let mut out = Array::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for element in right {
        let before = original.find(&element);
        while let Some(at) = left.peek().and_then(|next| original.find(next))
            && before.is_some_and(|before| at < before)
        {
            out.extend(left.next());
        }
        out.push(element);
    }
    out.extend(left);
    out
}

//! JSON Patch, RFC 6902 as the reference's library really behaves.
//!
//! Where it leaves the RFC: `replace` adds a missing member, `test` of a missing member against null passes, `add`
//! without a value adds null, indices may be negative or have signs and leading zeros, the whole document can be
//! replaced and tested but not added to, and the text before the first slash of a pointer is ignored.

mod operation;
mod pointer;

use sprag_value::json::{Event, Scanner};

use self::operation::Operation;
use crate::PatchError;
use crate::list::List;
use crate::raw::Node;

/// The most operations that one patch may have.
pub const MAX_OPERATIONS: usize = 10_000;
/// The most bytes that all `copy` operations of one patch may add.
pub const MAX_COPIED_BYTES: usize = 3 << 20;

/// Applies the patch to the JSON text of an object and returns the text of the patched one.
///
/// ```
/// let patched = sprag_patch::json_patch::apply(r#"{"a":[1,2]}"#, br#"[{"op":"remove","path":"/a/0"}]"#)?;
/// assert_eq!(patched, r#"{"a":[2]}"#);
/// # Ok::<(), sprag_patch::PatchError>(())
/// ```
pub fn apply(object: &str, patch: &[u8]) -> Result<String, PatchError> {
    let (operations, count) = decode(patch)?;
    if count > MAX_OPERATIONS {
        return Err(PatchError::TooLarge(format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}"
        )));
    }
    let mut document = Node::parse(object).map_err(|error| PatchError::Unprocessable(error.to_string()))?;
    let mut copied = 0;
    for operation in operations {
        operation.run(&mut document, &mut copied).map_err(PatchError::Unprocessable)?;
    }
    let mut text = String::with_capacity(object.len() + patch.len());
    document.write(&mut text);
    Ok(text)
}

/// As many operations as may be, and the number of all.
fn decode(patch: &[u8]) -> Result<(Vec<Operation<'_>>, usize), PatchError> {
    let text = Scanner::new(patch).map_err(|error| PatchError::BadRequest(error.to_string()))?.text();
    let operations = match Node::parse(text).map_err(|error| PatchError::BadRequest(error.to_string()))? {
        Node::Array(operations) => operations.items,
        Node::Null => List::new(),
        Node::Object(_) => return Err(unexpected("object", "Go value", "Patch")),
        Node::Raw(_) => return Err(unexpected(kind_of(text), "Go value", "Patch")),
    };
    let mut kept = Vec::new();
    let mut count = 0;
    for (at, node) in operations.into_iter().enumerate() {
        let operation = decode_operation(at, node)?;
        count = at + 1;
        if count <= MAX_OPERATIONS {
            kept.push(operation);
        }
    }
    Ok((kept, count))
}

fn decode_operation(at: usize, mut node: Node<'_>) -> Result<Operation<'_>, PatchError> {
    let misfit = |kind: &str| unexpected(kind, &format!("Patch.{at}"), "Operation");
    node.open();
    match node {
        Node::Null => Ok(Operation::default()),
        Node::Object(object) => Ok(Operation::from(object.items)),
        Node::Array(_) => Err(misfit("array")),
        Node::Raw(_) => {
            let mut text = String::new();
            node.write(&mut text);
            Err(misfit(kind_of(&text)))
        }
    }
}

fn unexpected(kind: &str, place: &str, ty: &str) -> PatchError {
    PatchError::BadRequest(format!("json: cannot unmarshal {kind} into {place} of type jsonpatch.{ty}"))
}

/// Go's word for the kind of a scalar.
fn kind_of(text: &str) -> &'static str {
    match Scanner::new(text.as_bytes()).and_then(|mut scanner| scanner.next()) {
        Ok(Event::String(_)) => "string",
        Ok(Event::Bool(_)) => "bool",
        _ => "number",
    }
}

#[cfg(test)]
mod tests;

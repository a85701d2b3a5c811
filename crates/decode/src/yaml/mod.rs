//! YAML in and out, as `sigs.k8s.io/yaml` over go-yaml v2 reads and prints it.
//!
//! [`decode`] yields what the API server gets after it has converted the text to JSON: YAML 1.1 words are booleans,
//! also as keys, `1.0` is the integer 1, of repeated keys the last one wins. Only the first document of a text is
//! read; [`crate::stream`] splits texts of several.

mod build;
mod emit;
mod error;
mod go_syntax;
mod input;
mod key_order;
mod lines;
mod number;
mod parse;
mod repeats;
mod resolve;
mod scan;
mod timestamp;
mod token;
pub(crate) mod tree;

use sprag_value::Value;

pub use self::emit::to_string;
pub use self::error::YamlError;
use self::input::Input;
use self::resolve::{Scalar, resolve};
use self::tree::{Content, Tree};
use crate::Decoded;

/// The largest text that is read as YAML, in bytes.
pub const MAX_INPUT_BYTES: usize = 64 << 20;
/// The number of scalars, collections and aliases that one document may have.
pub const MAX_NODES: usize = 4 << 20;

/// Reads the first document of a text. No document is null.
///
/// ```
/// let value = sprag_decode::yaml::decode(b"spec:\n  on: [0777, 1.0]\n")?;
/// assert_eq!(sprag_value::json::to_string(&value), r#"{"spec":{"true":[511,1]}}"#);
/// # Ok::<(), sprag_decode::yaml::YamlError>(())
/// ```
pub fn decode(text: &[u8]) -> Result<Value, YamlError> {
    let input = Input::new(text)?;
    let tree = input.tree(text)?;
    Ok(build::build(&tree, text)?.value)
}

/// [`decode`] with the keys that are set more than once. A text without such keys costs no more.
///
/// ```
/// let decoded = sprag_decode::yaml::decode_strict(b"a: 1\nb: 2\na: 3\n")?;
/// assert_eq!(decoded.findings[0].to_string(), r#"line 3: key "a" already set in map"#);
/// # Ok::<(), sprag_decode::yaml::YamlError>(())
/// ```
pub fn decode_strict(text: &[u8]) -> Result<Decoded, YamlError> {
    let input = Input::new(text)?;
    let tree = input.tree(text)?;
    let built = build::build(&tree, text)?;
    let findings = if built.has_repeats { repeats::repeated_keys(&tree) } else { Vec::new() };
    Ok(Decoded::new(built.value, findings))
}

/// [`decode_strict`] with the nodes of the document; without them when the text had to be converted.
pub(crate) fn decode_with_tree(text: &[u8]) -> Result<(Decoded, Option<Tree<'_>>), YamlError> {
    let input = Input::new(text)?;
    let Some(tree) = input.borrowed_tree(text)? else { return Ok((decode_strict(text)?, None)) };
    let built = build::build(&tree, text)?;
    let findings = if built.has_repeats { repeats::repeated_keys(&tree) } else { Vec::new() };
    Ok((Decoded::new(built.value, findings), Some(tree)))
}

/// The integers of the first document that have 64 bits and no sign, which are floats in its value.
pub(crate) fn wide_integers(text: &[u8]) -> Vec<u64> {
    let tree = tree(text);
    let nodes = tree.iter().flat_map(Tree::nodes);
    let wide = nodes.filter_map(|node| match &node.content {
        Content::Scalar { text, tag, implicit } => match resolve(text, *tag, *implicit) {
            Ok(Scalar::Uint(value)) => Some(value),
            _ => None,
        },
        _ => None,
    });
    wide.collect()
}

/// The nodes of the first document, with their places in the text; none when it cannot be read or is not UTF-8.
pub(crate) fn tree(text: &[u8]) -> Option<Tree<'_>> {
    Input::new(text).ok()?.borrowed_tree(text).ok()?
}

/// The test for merge keys.
pub(crate) use self::build::is_merge;
/// The name of a key in the value.
pub(crate) use self::build::key_text;

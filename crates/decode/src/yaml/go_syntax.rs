//! Nodes and numbers as Go's `%#v` and `strconv.FormatFloat` print them, for error texts and keys.

use std::fmt::Write as _;

use sprag_field::quote;

use super::resolve::{Scalar, resolve};
use super::tree::{Content, NodeId, Tree};

/// Texts of nodes are cut after this many bytes, as aliases may stand for very much.
const MAX_TEXT: usize = 16 << 10;

/// A node as `%#v` prints what go-yaml makes of it.
pub(super) fn go_syntax(tree: &Tree<'_>, id: NodeId) -> String {
    let mut out = String::new();
    write_node(&mut out, tree, id, true);
    out
}

/// A scalar as `%#v` prints it.
pub(super) fn go_scalar(scalar: &Scalar<'_>) -> String {
    match scalar {
        Scalar::Null => "<nil>".to_owned(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Uint(value) => format!("{value:#x}"),
        Scalar::Float(value) => go_float(*value),
        Scalar::Text(text) => quote::go(text).to_string(),
    }
}

/// Recurses once per level; aliases of enclosing nodes end at the length limit, as every level prints something.
fn write_node(out: &mut String, tree: &Tree<'_>, id: NodeId, outermost: bool) {
    if out.len() > MAX_TEXT {
        return;
    }
    let id = tree.resolve(id);
    match &tree.node(id).content {
        Content::Scalar { text, tag, implicit } => match resolve(text, *tag, *implicit) {
            Ok(Scalar::Null) if !outermost => out.push_str("interface {}(nil)"),
            Ok(scalar) => out.push_str(&go_scalar(&scalar)),
            Err(_) => {}
        },
        Content::Sequence => {
            out.push_str("[]interface {}{");
            for (at, child) in tree.children(id).enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_node(out, tree, child, false);
            }
            out.push('}');
        }
        Content::Mapping => {
            out.push_str("map[interface {}]interface {}{");
            let mut pairs: Vec<(String, NodeId)> =
                tree.pairs(id).map(|(key, value)| (go_syntax_bounded(tree, key), value)).collect();
            // Nil comes first in Go's order.
            pairs.sort_by_key(|(key, _)| (key != "<nil>", key.clone()));
            for (at, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(if key == "<nil>" { "interface {}(nil)" } else { key });
                out.push(':');
                write_node(out, tree, *value, false);
            }
            out.push('}');
        }
        Content::Alias { .. } => {}
    }
}

/// A key that is a collection is a failure of its own, so that its content does not matter here.
fn go_syntax_bounded(tree: &Tree<'_>, key: NodeId) -> String {
    match &tree.node(tree.resolve(key)).content {
        Content::Scalar { .. } => go_syntax(tree, key),
        _ => String::new(),
    }
}

/// The float as `%v` prints it.
pub(super) fn go_float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    shortest(&format!("{value:e}"))
}

/// The float as a key: `FormatFloat(value, 'g', -1, 32)`, infinities and NaN as YAML writes them.
pub(super) fn format_float32(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "upstream rounds keys to 32 bits")]
    let narrow = value as f32;
    if narrow.is_nan() {
        ".nan".to_owned()
    } else if narrow.is_infinite() {
        if narrow > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        shortest(&format!("{narrow:e}"))
    }
}

/// Go's `%g`: an exponent below -4 and from 6 on is written as such; the argument is in exponent form.
fn shortest(exponent_form: &str) -> String {
    let Some((mantissa, exponent)) = exponent_form.split_once('e') else { return exponent_form.to_owned() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let mut out = sign.to_owned();
    if (-4..EXPONENT_FROM).contains(&exponent) {
        write_plain(&mut out, &mantissa.replace('.', ""), exponent);
        return out;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let written = write!(out, "{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    debug_assert!(written.is_ok(), "writing to a string does not fail");
    out
}

/// From this exponent on `%g` with the shortest digits uses the exponent form.
const EXPONENT_FROM: i32 = 6;

fn write_plain(out: &mut String, digits: &str, exponent: i32) {
    match usize::try_from(exponent) {
        Err(_) => {
            out.push_str("0.");
            (1..exponent.unsigned_abs()).for_each(|_| out.push('0'));
            out.push_str(digits);
        }
        Ok(whole) if whole + 1 < digits.len() => {
            out.push_str(&digits[..=whole]);
            out.push('.');
            out.push_str(&digits[whole + 1..]);
        }
        Ok(whole) => {
            out.push_str(digits);
            (digits.len()..=whole).for_each(|_| out.push('0'));
        }
    }
}

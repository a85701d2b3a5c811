//! Go's replacement templates: `$1`, `$name`, `${name}` and `$$`.

use crate::capture::Captures;

/// Appends the template with what its variables stand for; an unknown variable stands for nothing.
pub(crate) fn expand(template: &str, captures: &Captures<'_>, out: &mut String) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(tail) = after.strip_prefix('$') {
            out.push('$');
            rest = tail;
        } else if let Some((name, tail)) = variable(after) {
            out.push_str(value(name, captures).unwrap_or_default());
            rest = tail;
        } else {
            // A dollar sign without a name is just that.
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
}

/// The name at the start of the text and what follows it.
fn variable(text: &str) -> Option<(&str, &str)> {
    let (inner, braced) = text.strip_prefix('{').map_or((text, false), |inner| (inner, true));
    let end = inner.find(|c: char| !is_name_char(c)).unwrap_or(inner.len());
    let (name, tail) = inner.split_at_checked(end)?;
    let tail = if braced { tail.strip_prefix('}')? } else { tail };
    (!name.is_empty()).then_some((name, tail))
}

/// Letters, decimal digits of any script and the underscore.
fn is_name_char(c: char) -> bool {
    c == '_' || crate::unicode::is_letter_or_digit(c)
}

fn value<'a>(name: &str, captures: &Captures<'a>) -> Option<&'a str> {
    match group_number(name) {
        Some(group) => captures.get(group),
        None => captures.name(name),
    }
}

/// The number of a group; a leading zero makes it a name, as do more than nine digits.
fn group_number(name: &str) -> Option<usize> {
    let plain =
        name.len() <= 9 && name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if plain { name.parse().ok() } else { None }
}

//! Names of members as expressions spell them.

use std::borrow::Cow;

/// Words that no member can be called by in an expression.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// True if expressions keep this word to themselves.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The identifier for a member; `None` when expressions cannot reach it.
///
/// Dots, dashes, slashes and double underscores are spelled out, reserved words are put between underscores.
pub fn escape(name: &str) -> Option<Cow<'_, str>> {
    let starts_well = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    if !starts_well || !name.bytes().all(is_allowed) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__").into());
    }
    if !name.contains(['.', '-', '/']) && !name.contains("__") {
        return Some(name.into());
    }
    let escaped = name.replace("__", "\u{0}").replace('.', "__dot__").replace('-', "__dash__");
    Some(escaped.replace('/', "__slash__").replace('\u{0}', "__underscores__").into())
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(escape(name).as_deref(), Some(expected));
    }

    #[test]
    fn names_become_identifiers() {
        check("a_b9", "a_b9");
        check("namespace", "__namespace__");
        check("a.b-c/d__e", "a__dot__b__dash__c__slash__d__underscores__e");
        check("___", "__underscores___");
    }

    #[test]
    fn some_names_have_no_identifier() {
        for name in ["", "9a", "a b", "é", "$x"] {
            assert_eq!(escape(name), None, "{name}");
        }
    }
}

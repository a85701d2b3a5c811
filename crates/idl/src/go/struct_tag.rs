//! Struct tags: `key:"value"` pairs by Go's convention, and what the `json` one means.

use std::collections::BTreeMap;

use super::literal::unquote;

/// Splits a struct tag into its pairs; the flag tells whether all of it followed the convention.
pub(super) fn split(tag: &str) -> (BTreeMap<String, String>, bool) {
    let mut pairs = BTreeMap::new();
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return (pairs, true);
        }
        let Some((key, value, after)) = pair(rest) else { return (pairs, false) };
        // The first of several equal keys is the one Go finds.
        pairs.entry(key.to_owned()).or_insert(value);
        rest = after;
    }
}

fn pair(text: &str) -> Option<(&str, String, &str)> {
    let colon = text.find(|c: char| c <= ' ' || matches!(c, ':' | '"' | '\x7f'))?;
    let (key, rest) = text.split_at(colon);
    let quoted = rest.strip_prefix(':')?;
    if key.is_empty() || !quoted.starts_with('"') {
        return None;
    }
    let mut escaped = false;
    let close = quoted[1..].find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })?;
    let (literal, after) = quoted.split_at(close + 2);
    Some((key, unquote(literal)?, after))
}

/// The content of a `json` struct tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Json<'a> {
    /// The name; empty when none is given.
    pub(super) name: &'a str,
    pub(super) ignored: bool,
    pub(super) omitempty: bool,
    pub(super) omitzero: bool,
}

impl<'a> Json<'a> {
    pub(super) fn parse(tag: &'a str) -> Self {
        if tag == "-" {
            return Json { ignored: true, ..Json::default() };
        }
        let mut parts = tag.split(',');
        let name = parts.next().unwrap_or_default();
        let has = |option| parts.clone().any(|part| part == option);
        Json { name, ignored: false, omitempty: has("omitempty"), omitzero: has("omitzero") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_split_as_reflect_does() {
        let (pairs, whole) = split(r#"json:"a,omitempty" patchMergeKey:"x\"y"  protobuf:"bytes,1,opt" json:"b""#);
        assert!(whole);
        assert_eq!(pairs["json"], "a,omitempty");
        assert_eq!(pairs["patchMergeKey"], "x\"y");
        assert_eq!(pairs["protobuf"], "bytes,1,opt");
    }

    #[test]
    fn what_precedes_a_mistake_is_kept() {
        for tag in [r#"json:"a" yaml"#, r#"json:"a" yaml:b"#, r#"json:"a" :"b""#, r#"json:"a" b:"c"#] {
            let (pairs, whole) = split(tag);
            assert!(!whole, "{tag}");
            assert_eq!(pairs["json"], "a");
        }
    }

    #[test]
    fn json_options() {
        assert_eq!(Json::parse("-"), Json { ignored: true, ..Json::default() });
        assert_eq!(Json::parse("-,"), Json { name: "-", ..Json::default() });
        assert_eq!(Json::parse(",inline"), Json::default());
        let all = Json { name: "a", ignored: false, omitempty: true, omitzero: true };
        assert_eq!(Json::parse("a,omitempty,omitzero"), all);
    }
}

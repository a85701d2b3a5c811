//! Rewriting the paths of one API version into those of another, so that errors can be compared across versions.

use std::fmt;

/// Rewrites paths that start with a template.
///
/// A template is a path in which `[*]` stands for any subscript. The replacement reuses those subscripts in order.
/// Whatever follows the template in a path is kept.
///
/// ```
/// use sprag_field::NormalizationRule;
///
/// let rule = NormalizationRule::new("spec.requests[*].count", "spec.requests[*].exactly.count").unwrap();
/// assert_eq!(rule.apply("spec.requests[3].count").as_deref(), Some("spec.requests[3].exactly.count"));
/// assert_eq!(rule.apply("spec.requests[3].counter"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalizationRule {
    pattern: Vec<Piece>,
    replacement: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    AnySubscript,
}

/// Errors of path templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// The pattern is empty and would rewrite every path.
    EmptyPattern,
    /// The replacement asks for more subscripts than the pattern has.
    TooManySubscripts,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TemplateError::EmptyPattern => "the pattern of a normalization rule is empty",
            TemplateError::TooManySubscripts => "the replacement has more `[*]` than the pattern",
        })
    }
}

impl std::error::Error for TemplateError {}

impl NormalizationRule {
    /// A rule from a pattern and its replacement.
    pub fn new(pattern: &str, replacement: &str) -> Result<NormalizationRule, TemplateError> {
        if pattern.is_empty() {
            return Err(TemplateError::EmptyPattern);
        }
        let rule = NormalizationRule { pattern: pieces(pattern), replacement: pieces(replacement) };
        if subscripts(&rule.replacement) > subscripts(&rule.pattern) {
            return Err(TemplateError::TooManySubscripts);
        }
        Ok(rule)
    }

    /// The rewritten path, if the rule applies to it.
    pub fn apply(&self, path: &str) -> Option<String> {
        let mut rest = path;
        let mut found = Vec::new();
        for piece in &self.pattern {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                Piece::AnySubscript => {
                    let (subscript, tail) = split_subscript(rest)?;
                    found.push(subscript);
                    rest = tail;
                }
            }
        }
        if !(rest.is_empty() || rest.starts_with(['.', '['])) {
            return None;
        }
        Some(self.render(&found, rest))
    }

    fn render(&self, found: &[&str], rest: &str) -> String {
        let mut found = found.iter();
        let mut rewritten = String::new();
        for piece in &self.replacement {
            match piece {
                Piece::Text(text) => rewritten.push_str(text),
                Piece::AnySubscript => rewritten.extend(found.next().copied()),
            }
        }
        if rewritten.is_empty() {
            return rest.strip_prefix('.').unwrap_or(rest).to_owned();
        }
        rewritten + rest
    }
}

const ANY: &str = "[*]";

fn pieces(template: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (position, text) in template.split(ANY).enumerate() {
        if position > 0 {
            pieces.push(Piece::AnySubscript);
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
    }
    pieces
}

fn subscripts(pieces: &[Piece]) -> usize {
    pieces.iter().filter(|piece| **piece == Piece::AnySubscript).count()
}

fn split_subscript(path: &str) -> Option<(&str, &str)> {
    if !path.starts_with('[') {
        return None;
    }
    path.split_at_checked(path.find(']')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, replacement: &str, path: &str, expected: Option<&str>) {
        let rule = NormalizationRule::new(pattern, replacement).unwrap();
        assert_eq!(rule.apply(path).as_deref(), expected);
    }

    #[test]
    fn a_level_can_be_added_and_removed() {
        check("a[*].b", "a[*].x.b", "a[12].b", Some("a[12].x.b"));
        check("a[*].x", "a[*]", "a[12].x.b[0].c", Some("a[12].b[0].c"));
        check("spec", "", "spec.handler", Some("handler"));
        check("spec.runtimeHandler", "handler", "spec.runtimeHandler", Some("handler"));
    }

    #[test]
    fn only_whole_steps_match() {
        check("a.b", "a.c", "a.bb", None);
        check("a.b", "a.c", "a.b[0]", Some("a.c[0]"));
        check("a.b", "a.c", "x.a.b", None);
        check("a[*]", "b[*]", "a", None);
        check("a[*]", "b[*]", "a[0", None);
    }

    #[test]
    fn several_subscripts_keep_their_order() {
        check("a[*].b[*]", "c[*][*]", "a[k].b[1].d", Some("c[k][1].d"));
    }

    #[test]
    fn hopeless_templates_are_refused() {
        assert_eq!(NormalizationRule::new("", "a"), Err(TemplateError::EmptyPattern));
        assert_eq!(NormalizationRule::new("a", "a[*]"), Err(TemplateError::TooManySubscripts));
    }
}

//! Field selectors: `metadata.name=a,status.phase!=Failed`.

use super::{SelectorError, check_size};

/// Fields with the values they must or must not have; all of them hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

/// One condition of a field selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldTerm {
    /// The path of the field.
    pub field: String,
    /// The value it is compared with.
    pub value: String,
    /// True if the field must have the value, false if it must not have it.
    pub equal: bool,
}

impl FieldSelector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<FieldSelector, SelectorError> {
        check_size(text)?;
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let (field, equal, value) = split_term(part)
                .ok_or_else(|| SelectorError(format!("invalid selector: '{text}'; can't understand '{part}'")))?;
            terms.push(FieldTerm { field: field.to_owned(), value: unescape(value)?, equal });
        }
        Ok(FieldSelector { terms })
    }

    /// The selector of one field with one value.
    pub fn equal(field: impl Into<String>, value: impl Into<String>) -> FieldSelector {
        FieldSelector { terms: vec![FieldTerm { field: field.into(), value: value.into(), equal: true }] }
    }

    /// The conditions.
    pub fn terms(&self) -> &[FieldTerm] {
        &self.terms
    }

    /// True if it selects everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// True if the fields of an object match; an absent field counts as the empty string.
    pub fn matches<'a>(&self, value_of: impl Fn(&str) -> &'a str) -> bool {
        self.terms.iter().all(|term| (value_of(&term.field) == term.value) == term.equal)
    }

    /// The one value that a field must have, if there is one.
    pub fn required_value(&self, field: &str) -> Option<&str> {
        self.terms.iter().find(|term| term.equal && term.field == field).map(|term| term.value.as_str())
    }
}

/// Commas separate terms unless a backslash stands before them.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

/// The first operator ends the field; nothing is escaped in there.
fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    let at =
        term.bytes().enumerate().position(|(at, byte)| byte == b'=' || term.as_bytes()[at..].starts_with(b"!="))?;
    let (field, rest) = term.split_at(at);
    if let Some(value) = rest.strip_prefix("!=") {
        return Some((field, false, value));
    }
    let value = rest.strip_prefix("==").or_else(|| rest.strip_prefix('='))?;
    Some((field, true, value))
}

fn unescape(text: &str) -> Result<String, SelectorError> {
    let invalid =
        |sequence: &str| SelectorError(format!("invalid field selector: invalid escape sequence: {sequence}"));
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => value.push(escaped),
                Some(other) => return Err(invalid(&format!("\\{other}"))),
                None => return Err(invalid("\\")),
            },
            ',' | '=' => {
                let code = u32::from(char);
                let message = format!("invalid field selector: unescaped character in value: {code}");
                return Err(SelectorError(message));
            }
            other => value.push(other),
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<(String, bool, String)> {
        let selector = FieldSelector::parse(text).unwrap();
        selector.terms.into_iter().map(|term| (term.field, term.equal, term.value)).collect()
    }

    fn term(field: &str, equal: bool, value: &str) -> (String, bool, String) {
        (field.into(), equal, value.into())
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(FieldSelector::parse(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn terms_are_sorted_and_unescaped() {
        assert_eq!(terms("ä!=ü"), [term("ä", false, "ü")]);
        assert_eq!(terms("b!=2,a==1,,"), [term("a", true, "1"), term("b", false, "2")]);
        assert_eq!(terms(r"a=x\,y\=z\\"), [term("a", true, r"x,y=z\")]);
        assert_eq!(terms("a="), [term("a", true, "")]);
        assert_eq!(terms(""), []);
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        refused("a", "invalid selector: 'a'; can't understand 'a'");
        refused("a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'");
        refused("a=b=c", "invalid field selector: unescaped character in value: 61");
        refused(r"a=\x", r"invalid field selector: invalid escape sequence: \x");
        refused(r"a=\", r"invalid field selector: invalid escape sequence: \");
    }

    #[test]
    fn a_selector_has_a_limit() {
        let text = |len: usize| format!("a={}", "x".repeat(len - 2));
        assert!(FieldSelector::parse(&text(super::super::MAX_SELECTOR_BYTES)).is_ok());
        assert!(FieldSelector::parse(&text(super::super::MAX_SELECTOR_BYTES + 1)).is_err());
    }

    #[test]
    fn every_term_must_hold() {
        let selector = FieldSelector::parse("a=1,b!=2").unwrap();
        let matches = |a: &'static str, b: &'static str| selector.matches(|field| if field == "a" { a } else { b });
        assert!(matches("1", "1") && matches("1", ""));
        assert!(!matches("1", "2") && !matches("", "1"));
        assert_eq!((selector.required_value("a"), selector.required_value("b")), (Some("1"), None));
    }
}

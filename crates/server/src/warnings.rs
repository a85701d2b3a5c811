//! Warnings as `Warning` headers, within upstream's limits.

use std::collections::HashSet;

use http::header::WARNING;
use http::{HeaderMap, HeaderValue};

/// Warnings up to this total number of characters are sent in full.
const MAX_CHARS: usize = 4 * 1024;
/// Beyond that, each is truncated to this many characters.
const MAX_CHARS_EACH: usize = 256;

/// Adds one header for each distinct warning.
pub(crate) fn add(headers: &mut HeaderMap, warnings: &[String]) {
    let mut seen = HashSet::new();
    let distinct: Vec<&str> =
        warnings.iter().map(String::as_str).filter(|text| !text.is_empty() && seen.insert(*text)).collect();
    let total: usize = distinct.iter().map(|text| text.chars().count()).sum();
    let mut left = MAX_CHARS;
    for text in distinct {
        let text = if total > MAX_CHARS { cut(text) } else { text };
        if let Some(value) = header(text) {
            headers.append(WARNING, value);
            left = left.saturating_sub(text.chars().count());
        }
        if total > MAX_CHARS && left == 0 {
            break;
        }
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS_EACH).map_or(text, |(end, _)| &text[..end])
}

/// None for what a header cannot say.
fn header(text: &str) -> Option<HeaderValue> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let mut value = String::from("299 - \"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            value.push('\\');
        }
        value.push(c);
    }
    value.push('"');
    HeaderValue::from_bytes(value.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(warnings: &[String]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        add(&mut headers, warnings);
        headers.get_all(WARNING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    }

    #[test]
    fn warnings_are_quoted_and_sent_once() {
        let warnings = [r#"unknown field "spec.é""#, "a\nb", "", r"a\b", r"a\b"].map(str::to_owned);
        assert_eq!(added(&warnings), [r#"299 - "unknown field \"spec.é\"""#, r#"299 - "a\\b""#]);
    }

    #[test]
    fn too_many_are_cut() {
        let long: Vec<String> = (0..100).map(|i| format!("{i}{}", "x".repeat(300))).collect();
        let sent = added(&long);
        assert_eq!(sent.len(), MAX_CHARS / MAX_CHARS_EACH);
        assert!(sent.iter().all(|text| text.len() == MAX_CHARS_EACH + "299 - \"\"".len()));
        assert_eq!(added(&long[..10]).len(), 10);
    }
}

//! Host names, in which letters and symbols of any script may stand.

use std::sync::OnceLock;

use sprag_regexp::Regexp;

/// The longest host name in bytes.
const MAX_LEN: usize = 255;
/// The longest part between dots in bytes.
const MAX_LABEL: usize = 63;
/// The most characters of a part.
const MAX_CHARS: usize = 63;

// As upstream's `HostnamePattern` of `k8s.io/kube-openapi/pkg/validation/strfmt`, whose counted classes would be a large pattern.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > MAX_LEN || text.split('.').any(|label| label.len() > MAX_LABEL) {
        return false;
    }
    match text.rsplit_once('.') {
        None => is_single(text),
        Some((labels, last)) => labels.split('.').all(is_label) && is_last(last),
    }
}

/// A name without dots. Its first character may be followed by a dash, and no other one.
fn is_single(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let (first, rest) = text.split_at(first.len_utf8());
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    is_symbols(first) && (rest.is_empty() || is_symbols(rest)) && rest.chars().count() < MAX_CHARS
}

/// A part before a dot: it neither begins nor ends with a dash.
fn is_label(label: &str) -> bool {
    static SYMBOLS_AND_DASHES: OnceLock<Regexp> = OnceLock::new();
    let is_made_of = pattern(&SYMBOLS_AND_DASHES, r"^[a-zA-Z0-9-\p{S}\p{L}]+$");
    is_made_of.is_match(label) && !label.starts_with('-') && !label.ends_with('-') && label.chars().count() <= MAX_CHARS
}

/// The part after the last dot.
fn is_last(label: &str) -> bool {
    static LETTERS: OnceLock<Regexp> = OnceLock::new();
    pattern(&LETTERS, r"^[a-zA-Z\p{L}]+$").is_match(label) && (2..=MAX_CHARS).contains(&label.chars().count())
}

fn is_symbols(text: &str) -> bool {
    static SYMBOLS: OnceLock<Regexp> = OnceLock::new();
    pattern(&SYMBOLS, r"^[a-zA-Z0-9\p{S}\p{L}]+$").is_match(text)
}

fn pattern(once: &'static OnceLock<Regexp>, pattern: &str) -> &'static Regexp {
    once.get_or_init(|| Regexp::new(pattern).expect("the pattern is a constant under test"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Upstream's pattern.
    const PATTERN: &str = concat!(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|",
        r"([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
    );

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn hostnames_are_those_of_the_pattern_of_upstream(text in "([a1-☃é]{0,4}|[a-]{60,64}|[é$]{28,33})(\\.([a1-☃é]{0,4}|a{61,64})){0,3}") {
            static REGEXP: OnceLock<Regexp> = OnceLock::new();
            let fits = text.len() <= MAX_LEN && text.split('.').all(|label| label.len() <= MAX_LABEL);
            prop_assert_eq!(is_hostname(&text), fits && pattern(&REGEXP, PATTERN).is_match(&text), "{}", text);
        }
    }

    #[test]
    fn hostnames() {
        for valid in ["a", "a.bc", "1-a.com", "www.☃.net", "a-b", "a-"] {
            assert!(is_hostname(valid), "{valid}");
        }
        for invalid in ["", "-a", "a.b", "a..com", "a_b.com", &"a".repeat(64), &"ab.".repeat(100)] {
            assert!(!is_hostname(invalid), "{invalid}");
        }
    }
}

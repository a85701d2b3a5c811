//! Host names, in which letters and symbols of any script may stand.

use std::sync::OnceLock;

use sprag_regexp::Regexp;

const PATTERN: &str = concat!(
    r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|",
    r"([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
);

/// The longest host name in bytes.
const MAX_LEN: usize = 255;
/// The longest part between dots in bytes.
const MAX_LABEL: usize = 63;

pub(super) fn is_hostname(text: &str) -> bool {
    static REGEXP: OnceLock<Regexp> = OnceLock::new();
    let regexp = REGEXP.get_or_init(|| Regexp::new(PATTERN).expect("the pattern is a constant under test"));
    text.len() <= MAX_LEN && text.split('.').all(|label| label.len() <= MAX_LABEL) && regexp.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::is_hostname;

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

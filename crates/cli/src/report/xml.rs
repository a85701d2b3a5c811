//! The little XML that test reports need.

use std::fmt::Write as _;

use sprag_analysis::is_hostile;

/// Text for an attribute in double quotes. Characters that XML cannot carry are spelled out.
pub(crate) fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => {
                // Writing to a string does not fail.
                let _ = write!(escaped, "&#{};", u32::from(letter));
            }
            letter if is_hostile(letter) || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_the_attribute() {
        assert_eq!(attribute("a<b>&\"c\n\u{1b}\u{0}"), "a&lt;b&gt;&amp;&quot;c&#10;\\u{1b}\\u{0}");
    }
}

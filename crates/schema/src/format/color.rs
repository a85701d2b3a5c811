//! Colours in hexadecimal and in decimal notation.

/// Three or six hexadecimal digits, with or without `#`.
pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(0, 127, 255)`, with white space only inside the parentheses.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let Some(parts) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let mut parts = parts.split(',');
    let is_space = |char| matches!(char, ' ' | '\t' | '\n' | '\x0c' | '\r');
    let mut next = || parts.next().is_some_and(|part| is_channel(part.trim_matches(is_space)));
    next() && next() && next() && parts.next().is_none()
}

/// A number up to 255 without leading zeros.
fn is_channel(text: &str) -> bool {
    let is_plain = text == "0" || !text.starts_with('0');
    is_plain && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{is_hex_color, is_rgb_color};

    #[test]
    fn hexadecimal() {
        assert!(is_hex_color("#fff") && is_hex_color("A0b1C2"));
        assert!(!is_hex_color("") && !is_hex_color("#ffff") && !is_hex_color("##fff") && !is_hex_color("ggg"));
    }

    #[test]
    fn decimal() {
        assert!(is_rgb_color("rgb(0,127,255)") && is_rgb_color("rgb( 0 , 1\t,\n2 )"));
        for invalid in ["rgb(0,0)", "rgb(0,0,256)", "rgb(00,0,0)", "rgb (0,0,0)", "rgb(0,0,0,0)", "rgb(+1,0,0)", ""] {
            assert!(!is_rgb_color(invalid), "{invalid}");
        }
    }
}

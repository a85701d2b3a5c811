//! Numbers that carry a check digit: credit cards and ISBNs.

/// The digits of a text without what separates them, when there are at most as many as fit.
struct Digits<const MAX: usize> {
    bytes: [u8; MAX],
    len: usize,
}

impl<const MAX: usize> Digits<MAX> {
    fn collect(bytes: impl Iterator<Item = u8>) -> Option<Self> {
        let mut digits = Self { bytes: [0; MAX], len: 0 };
        for byte in bytes {
            *digits.bytes.get_mut(digits.len)? = byte;
            digits.len += 1;
        }
        Some(digits)
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// A number of one of the known issuers, with anything but digits mixed in.
pub(super) fn is_credit_card(text: &str) -> bool {
    let Some(digits) = Digits::<16>::collect(text.bytes().filter(u8::is_ascii_digit)) else { return false };
    has_issuer(digits.as_slice()) && has_luhn_sum(digits.as_slice())
}

fn has_issuer(digits: &[u8]) -> bool {
    match digits.len() {
        13 => matches!(digits, [b'4', ..]),
        14 => matches!(digits, [b'3', b'0', b'0'..=b'5', ..] | [b'3', b'6' | b'8', ..]),
        15 => matches!(digits, [b'3', b'4' | b'7', ..] | [b'2', b'1', b'3', b'1', ..] | [b'1', b'8', b'0', b'0', ..]),
        16 => matches!(
            digits,
            [b'4', ..] | [b'5', b'1'..=b'5', ..] | [b'6', b'0', b'1', b'1', ..] | [b'6' | b'3', b'5', ..]
        ),
        _ => false,
    }
}

fn has_luhn_sum(digits: &[u8]) -> bool {
    let weigh = |(at, digit): (usize, &u8)| {
        let digit = u32::from(digit - b'0');
        match (at % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled >= 10 => doubled % 10 + 1,
            (_, doubled) => doubled,
        }
    };
    digits.iter().rev().enumerate().map(weigh).sum::<u32>().is_multiple_of(10)
}

/// Ten digits, the last of which may be `X`; white space and dashes do not count.
pub(super) fn is_isbn10(text: &str) -> bool {
    let Some(digits) = isbn_digits::<10>(text) else { return false };
    let [body @ .., last] = digits.bytes;
    if digits.len != 10 || !body.iter().all(u8::is_ascii_digit) || !(last.is_ascii_digit() || last == b'X') {
        return false;
    }
    let weighed = body.iter().zip(1_u32..).map(|(digit, weight)| weight * u32::from(digit - b'0'));
    let last = if last == b'X' { 10 } else { u32::from(last - b'0') };
    (weighed.sum::<u32>() + 10 * last).is_multiple_of(11)
}

/// Thirteen digits; white space and dashes do not count.
pub(super) fn is_isbn13(text: &str) -> bool {
    let Some(digits) = isbn_digits::<13>(text) else { return false };
    let [body @ .., last] = digits.bytes;
    if digits.len != 13 || !digits.bytes.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weighed = body.iter().enumerate().map(|(at, digit)| [1, 3][at % 2] * u32::from(digit - b'0'));
    u32::from(last - b'0') == (10 - weighed.sum::<u32>() % 10) % 10
}

fn isbn_digits<const MAX: usize>(text: &str) -> Option<Digits<MAX>> {
    let is_separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'-');
    Digits::collect(text.bytes().filter(|byte| !is_separator(byte)))
}

#[cfg(test)]
mod tests {
    use super::{is_credit_card, is_isbn10, is_isbn13};

    #[test]
    fn credit_cards() {
        for valid in ["4111-1111-1111-1111", "4012888888881881", "378282246310005", "30569309025904", "x4222222222222"]
        {
            assert!(is_credit_card(valid), "{valid}");
        }
        for invalid in ["", "4111111111111112", "1234567812345670", "41111111111111111"] {
            assert!(!is_credit_card(invalid), "{invalid}");
        }
    }

    #[test]
    fn isbns() {
        assert!(is_isbn10("0321751043") && is_isbn10("3-8362-2119-5") && is_isbn10("097522980X"));
        assert!(!is_isbn10("0321751044") && !is_isbn10("") && !is_isbn10("X321751043") && !is_isbn10("03217510433"));
        assert!(is_isbn13("978-0321751041") && is_isbn13("978 3836221191"));
        assert!(!is_isbn13("9780321751042") && !is_isbn13("978032175104X") && !is_isbn13(""));
    }
}

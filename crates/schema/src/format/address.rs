//! Addresses of networks and of hardware.
//!
//! Where the reference reads old data it keeps an old reader of Go, which takes leading zeros; [`Sloppy`] is that one.

use sprag_cel::library::parse_ip;

/// Numbers from here on are too large for any part of an address.
const BIG: u32 = 0xFF_FFFF;
/// The bytes of an IPv6 address.
const IPV6_LEN: usize = 16;
/// The bytes of an IPv4 address.
const IPV4_LEN: usize = 4;

/// Text with dots that is an IPv4 address, or an IPv6 address that ends like one.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.')
        && match text.bytes().find(|byte| matches!(byte, b'.' | b':')) {
            Some(b'.') => Sloppy(text.as_bytes()).ipv4().is_some(),
            _ => Sloppy(text.as_bytes()).ipv6().is_some(),
        }
}

/// Text with colons that is an address.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && parse_ip(text).is_some()
}

/// An address, a slash and a number of bits.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let address = address.as_bytes();
    let max = match (Sloppy(address).ipv4(), Sloppy(address).ipv6()) {
        (Some(()), _) => 32,
        (None, Some(())) => 128,
        (None, None) => return false,
    };
    let mut bits = Sloppy(bits.as_bytes());
    bits.number(10).is_some_and(|number| number <= max) && bits.0.is_empty()
}

/// The unread rest of a text.
struct Sloppy<'t>(&'t [u8]);

impl Sloppy<'_> {
    /// The digits at the start as one number.
    fn number(&mut self, radix: u32) -> Option<u32> {
        let mut number = 0;
        let mut len = 0;
        while let Some(digit) = self.0.get(len).and_then(|byte| char::from(*byte).to_digit(radix)) {
            number = number * radix + digit;
            len += 1;
            if number >= BIG {
                return None;
            }
        }
        self.0 = &self.0[len..];
        (len > 0).then_some(number)
    }

    fn skip(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Four numbers to the end of the text.
    fn ipv4(&mut self) -> Option<()> {
        for part in 0..IPV4_LEN {
            if part > 0 {
                self.skip(b'.')?;
            }
            self.number(10).filter(|number| *number <= 0xFF)?;
        }
        self.0.is_empty().then_some(())
    }

    /// Groups between colons to the end of the text, with one run of zeros left out.
    fn ipv6(&mut self) -> Option<()> {
        let mut has_gap = self.0.starts_with(b"::");
        if has_gap {
            self.0 = &self.0[2..];
            if self.0.is_empty() {
                return Some(());
            }
        }
        let mut filled = 0;
        while filled < IPV6_LEN {
            let start = self.0;
            self.number(16).filter(|number| *number <= 0xFFFF)?;
            if self.0.first() == Some(&b'.') {
                let fits = (has_gap || filled == IPV6_LEN - IPV4_LEN) && filled + IPV4_LEN <= IPV6_LEN;
                self.0 = start;
                self.ipv4().filter(|()| fits)?;
                filled += IPV4_LEN;
                break;
            }
            filled += 2;
            if self.0.is_empty() {
                break;
            }
            self.skip(b':').filter(|()| !self.0.is_empty())?;
            if self.skip(b':').is_some() {
                if has_gap {
                    return None;
                }
                has_gap = true;
                if self.0.is_empty() {
                    break;
                }
            }
        }
        (self.0.is_empty() && has_gap == (filled < IPV6_LEN)).then_some(())
    }
}

/// Six, eight or twenty bytes in hexadecimal, separated by colons or dashes, or in pairs by dots, or not at all.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (group, separator) = match bytes {
        [_, _, separator @ (b':' | b'-'), ..] => (2, Some(*separator)),
        [_, _, _, _, b'.', ..] => (4, Some(b'.')),
        _ => (bytes.len().max(1), None),
    };
    let is_digits = |part: &[u8]| part.len() == group && part.iter().all(u8::is_ascii_hexdigit);
    let count = match separator {
        Some(_) => (bytes.len() + 1) / (group + 1) * group / 2,
        None => bytes.len() / 2,
    };
    let has_length = matches!(count, 6 | 8 | 20) && bytes.len().is_multiple_of(2) == separator.is_none_or(|_| false);
    match separator {
        Some(separator) => matches!(count, 6 | 8 | 20) && bytes.split(|byte| *byte == separator).all(is_digits),
        None => has_length && is_digits(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_cidr, is_ipv4, is_ipv6, is_mac};

    #[test]
    fn old_readers_take_leading_zeros() {
        assert!(is_ipv4("1.2.3.4") && is_ipv4("010.0.0.1") && is_ipv4("::1.2.3.4"));
        for invalid in ["", "1.2.3", "1.2.3.256", "::1", "1.2.3.4.5", "1.2.3.4 ", "a.b.c.d", "1::2::1.2.3.4"] {
            assert!(!is_ipv4(invalid), "{invalid}");
        }
    }

    #[test]
    fn ipv6_is_read_strictly() {
        assert!(is_ipv6("::1") && is_ipv6("2001:db8::68") && is_ipv6("::ffff:1.2.3.4"));
        for invalid in ["", "1.2.3.4", "::1%eth0", "1:2:3", "00001::", "::ffff:01.2.3.4"] {
            assert!(!is_ipv6(invalid), "{invalid}");
        }
    }

    #[test]
    fn networks() {
        for valid in ["10.0.0.0/8", "010.0.0.0/08", "::/0", "2001:db8::/32", "00001::/128", "1:2:3:4:5:6:7:8/1"] {
            assert!(is_cidr(valid), "{valid}");
        }
        for invalid in ["10.0.0.0", "10.0.0.0/33", "::/129", "/8", "10.0.0.0/", "1:2:3:4:5:6:7::8/1", "10.0.0.0/+8"] {
            assert!(!is_cidr(invalid), "{invalid}");
        }
    }

    #[test]
    fn hardware() {
        for valid in ["00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01", "0000.5e00.5301", "00005e005301"] {
            assert!(is_mac(valid), "{valid}");
        }
        for invalid in ["", "00:00:5e:00:53", "00:00-5e:00:53:01", "0000.5e00.53", "00005e00530", "00005e00530g"] {
            assert!(!is_mac(invalid), "{invalid}");
        }
    }
}

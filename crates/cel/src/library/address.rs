//! Addresses as Go's `net/netip` reads them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sprag_field::quote;

/// An address, and whether it was written with a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) address: IpAddr,
    pub(super) zone: bool,
}

/// The error of a text that is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddressError<'t> {
    text: &'t str,
    message: &'static str,
    /// The rest of the text where parsing stopped, if that matters.
    at: &'t str,
}

impl fmt::Display for AddressError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParseAddr({}): {}", quote::go(self.text), self.message)?;
        if self.at.is_empty() { Ok(()) } else { write!(f, " (at {})", quote::go(self.at)) }
    }
}

/// Reads an IPv4 address, or an IPv6 address with or without a zone.
pub(super) fn parse(text: &str) -> Result<Parsed, AddressError<'_>> {
    let reader = Reader { text };
    match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => {
            let octets = reader.octets(text)?;
            Ok(Parsed { address: IpAddr::V4(Ipv4Addr::from(octets)), zone: false })
        }
        Some(b':') => reader.ipv6(),
        Some(_) => Err(reader.error("missing IPv6 address", "")),
        None => Err(reader.error("unable to parse IP", "")),
    }
}

#[derive(Clone, Copy)]
struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn error(self, message: &'static str, at: &'t str) -> AddressError<'t> {
        AddressError { text: self.text, message, at }
    }

    /// The four numbers of an IPv4 address.
    fn octets(self, part: &'t str) -> Result<[u8; 4], AddressError<'t>> {
        let mut octets = [0; 4];
        let mut value = 0_u32;
        let mut digits = 0;
        let mut place = 0;
        for (at, byte) in part.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    if digits == 1 && value == 0 {
                        return Err(self.error("IPv4 field has octet with leading zero", ""));
                    }
                    value = value * 10 + u32::from(byte - b'0');
                    digits += 1;
                    octets[place] = u8::try_from(value).map_err(|_| self.error("IPv4 field has value >255", ""))?;
                }
                b'.' if digits == 0 || at + 1 == part.len() => {
                    return Err(self.error("IPv4 field must have at least one digit", &part[at..]));
                }
                b'.' if place == 3 => return Err(self.error("IPv4 address too long", "")),
                b'.' => (value, digits, place) = (0, 0, place + 1),
                _ => return Err(self.error("unexpected character", &part[at..])),
            }
        }
        if place == 3 { Ok(octets) } else { Err(self.error("IPv4 address too short", "")) }
    }

    fn ipv6(self) -> Result<Parsed, AddressError<'t>> {
        let (text, zone) = match self.text.split_once('%') {
            Some((_, "")) => return Err(self.error("zone must be a non-empty string", "")),
            Some((text, _)) => (text, true),
            None => (self.text, false),
        };
        let mut groups = Groups::default();
        let mut rest = text;
        if let Some(after) = text.strip_prefix("::") {
            groups.gap = Some(0);
            rest = after;
        }
        while !rest.is_empty() && groups.len < 8 {
            rest = self.group(rest, &mut groups)?;
        }
        if !rest.is_empty() {
            return Err(self.error("trailing garbage after address", rest));
        }
        let address = groups.address().map_err(|message| self.error(message, ""))?;
        Ok(Parsed { address: IpAddr::V6(address), zone })
    }

    /// Reads a group and the colons after it; returns what is left.
    fn group(self, text: &'t str, groups: &mut Groups) -> Result<&'t str, AddressError<'t>> {
        let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        match digits {
            0 => return Err(self.error("each colon-separated field must have at least one digit", text)),
            1..=4 => {}
            _ => return Err(self.error("each group must have 4 or less digits", text)),
        }
        let (group, rest) = text.split_at(digits);
        if rest.starts_with('.') {
            return self.embedded(text, groups);
        }
        groups.push(u16::from_str_radix(group, 16).unwrap_or(0));
        if rest.is_empty() {
            return Ok(rest);
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(self.error("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(self.error("colon must be followed by more characters", rest));
        }
        let Some(beyond) = after.strip_prefix(':') else { return Ok(after) };
        if groups.gap.replace(groups.len).is_some() {
            return Err(self.error("multiple :: in address", after));
        }
        Ok(beyond)
    }

    /// Reads an IPv4 address at the end of an IPv6 address.
    fn embedded(self, text: &'t str, groups: &mut Groups) -> Result<&'t str, AddressError<'t>> {
        if groups.gap.is_none() && groups.len != 6 {
            let message = "embedded IPv4 address must replace the final 2 fields of the address";
            return Err(self.error(message, text));
        }
        if groups.len > 6 {
            let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
            return Err(self.error(message, text));
        }
        let [a, b, c, d] = self.octets(text)?;
        groups.push(u16::from_be_bytes([a, b]));
        groups.push(u16::from_be_bytes([c, d]));
        Ok("")
    }
}

/// The groups of an IPv6 address as far as they have been read.
#[derive(Default)]
struct Groups {
    values: [u16; 8],
    len: usize,
    /// The number of groups before `::`.
    gap: Option<usize>,
}

impl Groups {
    fn push(&mut self, group: u16) {
        if let Some(place) = self.values.get_mut(self.len) {
            *place = group;
            self.len += 1;
        }
    }

    fn address(mut self) -> Result<Ipv6Addr, &'static str> {
        match self.gap {
            None if self.len < 8 => return Err("address string too short"),
            Some(_) if self.len == 8 => return Err("the :: must expand to at least one field of zeros"),
            Some(gap) => {
                let zeros = 8 - self.len;
                self.values[gap..].rotate_right(zeros);
            }
            None => {}
        }
        Ok(Ipv6Addr::from(self.values))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match parse(text) {
            Ok(parsed) => format!("{}{}", parsed.address, if parsed.zone { " with zone" } else { "" }),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn addresses_are_read_as_in_go() {
        check("1.2.3.4", "1.2.3.4");
        check("::", "::");
        check("1::", "1::");
        check("::1:2", "::1:2");
        check("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
        check("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0");
        check("64:ff9b::192.0.2.33", "64:ff9b::c000:221");
        check("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304");
        check("fe80::1%eth0", "fe80::1 with zone");
        check("::%1", ":: with zone");
    }

    #[test]
    fn what_is_wrong_with_an_ipv4_address() {
        check("1.2.3", r#"ParseAddr("1.2.3"): IPv4 address too short"#);
        check("1.2.3.4.5", r#"ParseAddr("1.2.3.4.5"): IPv4 address too long"#);
        check("1..2.3", r#"ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")"#);
        check("1.2.3.", r#"ParseAddr("1.2.3."): IPv4 field must have at least one digit (at ".")"#);
        check("1.2.3.256", r#"ParseAddr("1.2.3.256"): IPv4 field has value >255"#);
        check("1.2.03.4", r#"ParseAddr("1.2.03.4"): IPv4 field has octet with leading zero"#);
        check("1.2.3.é", r#"ParseAddr("1.2.3.é"): unexpected character (at "é")"#);
        check("1.2.3.4%a", r#"ParseAddr("1.2.3.4%a"): unexpected character (at "%a")"#);
    }

    #[test]
    fn what_is_wrong_with_an_ipv6_address() {
        check(":", r#"ParseAddr(":"): each colon-separated field must have at least one digit (at ":")"#);
        check(":::", r#"ParseAddr(":::"): each colon-separated field must have at least one digit (at ":")"#);
        check("1:", r#"ParseAddr("1:"): colon must be followed by more characters (at ":")"#);
        check("12345::", r#"ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")"#);
        check("1::2::3", r#"ParseAddr("1::2::3"): multiple :: in address (at ":3")"#);
        check("1:2", r#"ParseAddr("1:2"): address string too short"#);
        check("1::g", r#"ParseAddr("1::g"): each colon-separated field must have at least one digit (at "g")"#);
        check("1:2g", r#"ParseAddr("1:2g"): unexpected character, want colon (at "g")"#);
        check("1:2:3:4:5:6:7:8:9", r#"ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")"#);
        check(
            "1:2:3:4::5:6:7:8",
            r#"ParseAddr("1:2:3:4::5:6:7:8"): the :: must expand to at least one field of zeros"#,
        );
        check("::1%", r#"ParseAddr("::1%"): zone must be a non-empty string"#);
        check("%eth0", r#"ParseAddr("%eth0"): missing IPv6 address"#);
        check(
            "1:1.2.3.4",
            "ParseAddr(\"1:1.2.3.4\"): embedded IPv4 address must replace the final 2 fields of the address (at \
             \"1.2.3.4\")",
        );
        check("::1.2.3", r#"ParseAddr("::1.2.3"): IPv4 address too short"#);
    }
}

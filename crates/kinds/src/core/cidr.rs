//! Address ranges in fields that are older than the strict rules for them.

use std::net::IpAddr;

use sprag_field::{Error, Errors, Path, quote};

use super::ip::{is_ipv4, parse_ip};

/// An address with the length of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr {
    address: IpAddr,
    bits: u8,
}

impl Cidr {
    /// Reads a range, which may have leading zeros, as upstream's `netutils.ParseCIDRSloppy`.
    pub(crate) fn parse(text: &str) -> Option<Cidr> {
        let (address, bits) = text.split_once('/')?;
        let (address, is_number) = (parse_ip(address)?, bits.bytes().all(|byte| byte.is_ascii_digit()));
        let bits = bits.parse::<u32>().ok().filter(|_| is_number)?;
        let bits = u8::try_from(bits).ok().filter(|bits| *bits <= width(address))?;
        Some(Cidr { address, bits })
    }

    /// Reads a range in the form that Go's `netip.ParsePrefix` takes.
    fn parse_strictly(text: &str) -> Option<Cidr> {
        let (address, bits) = text.split_once('/')?;
        let has_leading_zero = bits.len() > 1 && bits.starts_with('0');
        address.parse::<IpAddr>().ok().filter(|_| !has_leading_zero)?;
        Cidr::parse(text)
    }

    /// Tells if the range is of the IPv4 family, which one mapped into IPv6 is, too, as upstream's `netutils.IsIPv4CIDR`.
    pub(crate) fn is_ipv4(self) -> bool {
        is_ipv4(self.masked().address)
    }

    fn is_mapped(self) -> bool {
        matches!(self.address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
    }

    /// The range without bits beyond the prefix.
    fn masked(self) -> Cidr {
        let cut = |width: u32| width.saturating_sub(u32::from(self.bits));
        let address = match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(cut(32)).unwrap_or_default();
                IpAddr::V4((u32::from(address) & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(cut(128)).unwrap_or_default();
                IpAddr::V6((u128::from(address) & mask).into())
            }
        };
        Cidr { address, ..self }
    }

    /// The text that Go's `net.IPNet` has of it.
    fn network(self) -> String {
        let masked = self.masked();
        let mapped = u8::from(masked.is_mapped()) * 96;
        format!("{}/{}", masked.address.to_canonical(), self.bits.saturating_sub(mapped))
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// As upstream's `validation.IsValidCIDRForLegacyField` with the gate `StrictIPCIDRValidation`; the caller skips values that
/// the old object has.
pub(crate) fn validate_cidr(text: &str, at: &Path<'_>, errors: &mut Errors) {
    let detail = match (Cidr::parse(text), Cidr::parse_strictly(text)) {
        (None, _) => "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        (_, None) => "must not have leading 0s in IP or prefix length",
        (_, Some(cidr)) if cidr.is_mapped() => "must not have an IPv4-mapped IPv6 address",
        (_, Some(cidr)) if cidr != cidr.masked() => "must not have bits set beyond the prefix length",
        _ => return,
    };
    errors.push(Error::invalid(at, text, detail));
}

/// As upstream's `validation.GetWarningsForCIDR`, of a field that [`validate_cidr`] judges.
pub(crate) fn cidr_warnings(text: &str, at: &Path<'_>) -> Vec<String> {
    let Some(cidr) = Cidr::parse(text) else { return Vec::new() };
    let (network, shown, mut warnings) = (cidr.network(), quote::go(text), Vec::new());
    let better = quote::go(&network);
    if cidr != cidr.masked() {
        let single = format!("{}/{}", cidr.address.to_canonical(), width(cidr.address));
        let single = quote::go(&single);
        let message = format!("CIDR value {shown} is ambiguous in this context (should be {better} or {single}?)");
        warnings.push(format!("{at}: {message}"));
    }
    if Cidr::parse_strictly(text).is_none_or(Cidr::is_mapped) {
        warnings.push(format!("{at}: non-standard CIDR value {shown} is invalid: use {better}"));
    }
    if warnings.is_empty() && cidr.address.is_ipv6() && network != text {
        warnings.push(format!("{at}: IPv6 CIDR value {shown} should be in RFC 5952 canonical format ({better})"));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, error: &str, warnings: &[&str]) {
        let mut errors = Errors::new();
        validate_cidr(text, &Path::new("f"), &mut errors);
        let details: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
        let expected: Vec<&str> = Some(error).filter(|error| !error.is_empty()).into_iter().collect();
        assert_eq!(details, expected, "{text}");
        assert_eq!(cidr_warnings(text, &Path::new("f")), warnings, "{text}");
    }

    #[test]
    fn ranges_are_in_the_usual_form() {
        check("10.0.0.0/8", "", &[]);
        check("0.0.0.0/0", "", &[]);
        check("2001:db8::/64", "", &[]);
        let message = "f: IPv6 CIDR value \"2001:DB8::/64\" should be in RFC 5952 canonical format (\"2001:db8::/64\")";
        check("2001:DB8::/64", "", &[message]);
        let invalid = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
        for text in ["", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/-1", "::/129", "a/8"] {
            check(text, invalid, &[]);
        }
    }

    #[test]
    fn bits_beyond_the_prefix_and_zeros_before_numbers_are_ambiguous() {
        let bits = "must not have bits set beyond the prefix length";
        let message =
            "f: CIDR value \"10.1.2.3/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or \"10.1.2.3/32\"?)";
        check("10.1.2.3/8", bits, &[message]);
        let zeros = "must not have leading 0s in IP or prefix length";
        check("10.0.0.0/08", zeros, &["f: non-standard CIDR value \"10.0.0.0/08\" is invalid: use \"10.0.0.0/8\""]);
        check("010.0.0.0/8", zeros, &["f: non-standard CIDR value \"010.0.0.0/8\" is invalid: use \"10.0.0.0/8\""]);
        let mapped = "must not have an IPv4-mapped IPv6 address";
        let message = "f: non-standard CIDR value \"::ffff:10.0.0.0/104\" is invalid: use \"10.0.0.0/8\"";
        check("::ffff:10.0.0.0/104", mapped, &[message]);
    }

    #[test]
    fn mapped_ranges_are_of_the_family_they_are_mapped_from() {
        assert!(Cidr::parse("::ffff:10.0.0.0/104").unwrap().is_ipv4());
        assert!(!Cidr::parse("::ffff:10.0.0.0/64").unwrap().is_ipv4());
        assert!(!Cidr::parse("fd00::/8").unwrap().is_ipv4());
    }
}

//! IP addresses in fields that are older than the strict rules for them.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use sprag_field::{Error, Errors, Path, quote};
use sprag_rest::FeatureGates;

/// The rules of addresses and ranges in fields that are older than the strict ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LegacyIps {
    /// Each value has one reading only.
    #[default]
    Strict,
    /// Leading zeros, IPv4 addresses mapped into IPv6 and, in ranges, bits beyond the prefix are let in, too.
    Sloppy,
}

impl LegacyIps {
    /// The rules that hold with these gates.
    pub(crate) fn of(gates: &FeatureGates) -> LegacyIps {
        if gates.enabled("StrictIPCIDRValidation") { LegacyIps::Strict } else { LegacyIps::Sloppy }
    }
}

/// Reads an address, which may have leading zeros, as upstream's `netutils.ParseIPSloppy`.
pub(crate) fn parse_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| without_leading_zeros(text).parse().ok())
}

/// Tells if an address is of the IPv4 family, which those mapped into IPv6 are, too, as upstream's `netutils.IPFamilyOf`.
pub(crate) fn is_ipv4(address: IpAddr) -> bool {
    address.to_canonical().is_ipv4()
}

/// As upstream's `validation.IsValidIPForLegacyField`; the caller skips values that the old object has.
pub(crate) fn validate_ip(text: &str, rules: LegacyIps, at: &Path<'_>, errors: &mut Errors) {
    if let Some(detail) = ip_flaw(text).filter(|_| rules == LegacyIps::Strict || parse_ip(text).is_none()) {
        errors.push(Error::invalid(at, text, detail).with_origin("format=ip-sloppy"));
    }
}

/// The flaw that [`validate_ip`] finds with strict rules.
fn ip_flaw(text: &str) -> Option<&'static str> {
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => {
            Some("must not be an IPv4-mapped IPv6 address")
        }
        Ok(_) => None,
        Err(_) if parse_ip(text).is_some() => Some("must not have leading 0s"),
        Err(_) => Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    }
}

/// The flaw that upstream's `validation.IsValidIP` finds in an address, which has to be in canonical form.
pub(crate) fn strict_ip_flaw(text: &str) -> Option<Cow<'static, str>> {
    if let Some(flaw) = ip_flaw(text) {
        return Some(flaw.into());
    }
    let usual = parse_ip(text)?.to_canonical().to_string();
    (usual != text).then(|| format!("must be in canonical form ({})", quote::go(&usual)).into())
}

/// As upstream's `validation.GetWarningsForIP`, of a field that [`validate_ip`] judges.
pub(crate) fn ip_warning(text: &str, at: &Path<'_>) -> Option<String> {
    let usual = parse_ip(text)?.to_canonical().to_string();
    let shown = quote::go(text);
    let better = quote::go(&usual);
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_none() => (usual != text)
            .then(|| format!("{at}: IPv6 address {shown} should be in RFC 5952 canonical format ({better})")),
        Ok(IpAddr::V4(_)) => None,
        _ => Some(format!("{at}: non-standard IP address {shown} is invalid: use {better}")),
    }
}

/// As upstream's `validation.ValidateEndpointIP`: refuses addresses that no endpoint can have.
pub(crate) fn validate_endpoint_ip(text: &str, at: &Path<'_>, errors: &mut Errors) {
    let Some(address) = parse_ip(text).map(|address| address.to_canonical()) else {
        return errors.push(Error::invalid(at, text, "must be a valid IP address").with_origin("format=ip-sloppy"));
    };
    let mut refuse = |detail: Cow<'static, str>| {
        errors.push(Error::invalid(at, text, detail).with_origin("format=endpoint-ip"));
    };
    if address.is_unspecified() {
        refuse(format!("may not be unspecified ({text})").into());
    }
    if address.is_loopback() {
        refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)".into());
    }
    let (is_link_local, is_link_local_multicast) = match address {
        IpAddr::V4(address) => (address.is_link_local(), address.octets()[..3] == [224, 0, 0]),
        // As Go's net.IP.IsLinkLocalMulticast: any flags, scope 2.
        IpAddr::V6(address) => (address.is_unicast_link_local(), address.segments()[0] & 0xff0f == 0xff02),
    };
    if is_link_local {
        refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)".into());
    }
    if is_link_local_multicast {
        refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".into());
    }
}

/// A range of addresses with the address that names it, which may have bits beyond the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr {
    pub(crate) address: IpAddr,
    pub(crate) bits: u8,
}

impl Cidr {
    /// Reads a range as Go's `netip.ParsePrefix`: without leading zeros.
    pub(crate) fn parse(text: &str) -> Option<Cidr> {
        let (address, bits) = text.split_once('/')?;
        if bits.len() > 1 && bits.starts_with('0') {
            return None;
        }
        Cidr::new(address.parse().ok()?, bits)
    }

    /// Reads a range whose parts may have leading zeros, as upstream's `netutils.ParseCIDRSloppy`.
    pub(crate) fn parse_sloppy(text: &str) -> Option<Cidr> {
        let (address, bits) = text.split_once('/')?;
        Cidr::new(parse_ip(address)?, bits)
    }

    fn new(address: IpAddr, bits: &str) -> Option<Cidr> {
        if !bits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let bits: u8 = bits.parse().ok()?;
        let max = if address.is_ipv4() { 32 } else { 128 };
        (bits <= max).then_some(Cidr { address, bits })
    }

    /// The first address of the range.
    pub(crate) fn network(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4((address.to_bits() & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6((address.to_bits() & mask).into())
            }
        }
    }

    /// Tells if an address is in a range in canonical form, as Go's `net.IPNet.Contains`.
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && Cidr { address, ..self }.network() == self.address
    }

    /// The range without bits beyond the prefix, as Go's `net.IPNet` is printed: addresses mapped into IPv6 are IPv4.
    pub(crate) fn canonical(self) -> Cidr {
        let network = self.network();
        match network {
            IpAddr::V6(address) if self.bits >= 96 && address.to_ipv4_mapped().is_some() => {
                Cidr { address: network.to_canonical(), bits: self.bits - 96 }
            }
            _ => Cidr { address: network, ..self },
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// As upstream's `validation.IsValidCIDRForLegacyField`; the caller skips values that the old object has.
pub(crate) fn validate_cidr(text: &str, rules: LegacyIps, at: &Path<'_>, errors: &mut Errors) {
    let detail = match Cidr::parse(text) {
        _ if Cidr::parse_sloppy(text).is_none() => "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        _ if rules == LegacyIps::Sloppy => return,
        None => "must not have leading 0s in IP or prefix length",
        Some(cidr) if is_mapped(cidr.address) => "must not have an IPv4-mapped IPv6 address",
        Some(cidr) if cidr.address != cidr.network() => "must not have bits set beyond the prefix length",
        Some(_) => return,
    };
    errors.push(Error::invalid(at, text, detail));
}

/// As upstream's `validation.IsValidCIDR`: the range has to be in canonical form.
pub(crate) fn validate_strict_cidr(text: &str, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_cidr(text, LegacyIps::Strict, at, errors);
    let Some(usual) = Cidr::parse(text).map(|cidr| cidr.to_string()).filter(|_| errors.len() == mark) else { return };
    if usual != text {
        errors.push(Error::invalid(at, text, format!("must be in canonical form ({})", quote::go(&usual))));
    }
}

/// As upstream's `validation.GetWarningsForCIDR`, of a field that [`validate_cidr`] judges.
pub(crate) fn cidr_warnings(text: &str, at: &Path<'_>, warnings: &mut Vec<String>) {
    let Some(cidr) = Cidr::parse_sloppy(text) else { return };
    let mark = warnings.len();
    let shown = quote::go(text);
    let network = cidr.canonical();
    if cidr.address != cidr.network() {
        let address = cidr.address.to_canonical();
        let single = Cidr { address, bits: if network.address.is_ipv4() { 32 } else { 128 } };
        let network = network.to_string();
        let single = single.to_string();
        let network = quote::go(&network);
        let single = quote::go(&single);
        warnings
            .push(format!("{at}: CIDR value {shown} is ambiguous in this context (should be {network} or {single}?)"));
    }
    let strict = Cidr::parse(text).filter(|cidr| !is_mapped(cidr.address));
    match strict {
        None => {
            let network = network.to_string();
            let network = quote::go(&network);
            warnings.push(format!("{at}: non-standard CIDR value {shown} is invalid: use {network}"));
        }
        Some(cidr) if warnings.len() == mark && cidr.address.is_ipv6() && cidr.to_string() != text => {
            let usual = cidr.to_string();
            let usual = quote::go(&usual);
            warnings.push(format!("{at}: IPv6 CIDR value {shown} should be in RFC 5952 canonical format ({usual})"));
        }
        Some(_) => {}
    }
}

fn without_leading_zeros(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(['.', ':']) {
        let digits = part.trim_end_matches(['.', ':']);
        let kept = digits.trim_start_matches('0');
        out.push_str(if kept.is_empty() && !digits.is_empty() { "0" } else { kept });
        out.push_str(&part[digits.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_with(rules: LegacyIps, text: &str, expected: &str) {
        let mut errors = Errors::new();
        if text.contains('/') {
            validate_cidr(text, rules, &Path::new("range"), &mut errors);
        } else {
            validate_ip(text, rules, &Path::new("ip"), &mut errors);
        }
        let details: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
        assert_eq!(details.concat(), expected, "{text}");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        check_with(LegacyIps::Strict, text, expected);
    }

    #[test]
    fn sloppy_rules_let_in_what_has_several_readings() {
        for text in ["010.0.0.1", "::ffff:1.2.3.4", "::ffff:1.2.3.04", "FE80:0::1"] {
            check_with(LegacyIps::Sloppy, text, "");
        }
        for text in ["010.0.0.0/8", "10.0.0.0/08", "::ffff:10.0.0.0/104", "10.0.0.1/8"] {
            check_with(LegacyIps::Sloppy, text, "");
        }
        check_with(LegacyIps::Sloppy, "1.2.3", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        check_with(LegacyIps::Sloppy, "1.2.3/8", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    }

    #[test]
    fn rules_are_strict_unless_the_gate_is_off() {
        let mut gates = FeatureGates::default();
        assert_eq!(LegacyIps::of(&gates), LegacyIps::Strict);
        gates.set("StrictIPCIDRValidation=false").unwrap();
        assert_eq!(LegacyIps::of(&gates), LegacyIps::Sloppy);
    }

    #[test]
    fn addresses_need_not_be_canonical() {
        for text in ["10.0.0.1", "::", "::1", "FE80:0:0:0:0:0:0:0abc", "1::1.2.3.4", "1:2:3:4:5:6:7::"] {
            check(text, "");
        }
    }

    #[test]
    fn ambiguous_addresses_are_refused() {
        for text in ["010.0.0.1", "1.2.3.000000000004", "::1.2.3.04", "00001::", "::ffff:1.2.3.04"] {
            check(text, "must not have leading 0s");
        }
        check("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in
            ["", "localhost", "256.1.1.1", "1.2.3", "1.2.3.4 ", "1..2.3", "fe80::1%eth0", "1:2:3:4:5:6:7:8:9", ":::"]
        {
            check(text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        }
    }

    #[test]
    fn warnings_name_the_usual_form() {
        let warning = |text| ip_warning(text, &Path::new("ip"));
        assert_eq!([warning("1.2.3.4"), warning("fe80::abc"), warning("x")], [None, None, None]);
        let expected = "ip: non-standard IP address \"010.0.0.1\" is invalid: use \"10.0.0.1\"";
        assert_eq!(warning("010.0.0.1").as_deref(), Some(expected));
        let expected = "ip: non-standard IP address \"::ffff:1.2.3.4\" is invalid: use \"1.2.3.4\"";
        assert_eq!(warning("::ffff:1.2.3.4").as_deref(), Some(expected));
        let expected = "ip: IPv6 address \"FE80:0::1\" should be in RFC 5952 canonical format (\"fe80::1\")";
        assert_eq!(warning("FE80:0::1").as_deref(), Some(expected));
    }

    #[test]
    fn ranges_have_no_leading_zeros_and_no_bits_beyond_the_prefix() {
        let check = |text: &str, expected: &str| {
            let mut errors = Errors::new();
            validate_cidr(text, LegacyIps::Strict, &Path::new("r"), &mut errors);
            let details: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(details.concat(), expected, "{text}");
        };
        for text in ["10.0.0.0/8", "0.0.0.0/0", "::/0", "2001:DB8:0::/64", "1.2.3.4/32", "::1/128"] {
            check(text, "");
        }
        for text in
            ["", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/", "a/8", "1.2.3.4/8/8"]
        {
            check(text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
        }
        check("010.0.0.0/8", "must not have leading 0s in IP or prefix length");
        check("10.0.0.0/08", "must not have leading 0s in IP or prefix length");
        check("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address");
        check("10.0.0.1/8", "must not have bits set beyond the prefix length");
    }

    #[test]
    fn warnings_name_the_usual_range() {
        let warnings = |text: &str| {
            let mut warnings = Vec::new();
            cidr_warnings(text, &Path::new("r"), &mut warnings);
            warnings.join("; ")
        };
        assert_eq!(warnings("10.0.0.0/8"), "");
        assert_eq!(
            warnings("10.1.2.3/8"),
            r#"r: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)"#
        );
        let invalid = r#"r: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8""#;
        assert_eq!(warnings("010.0.0.0/8"), invalid);
        let mapped = r#"r: non-standard CIDR value "::ffff:1.2.3.0/120" is invalid: use "1.2.3.0/24""#;
        assert_eq!(warnings("::ffff:1.2.3.0/120"), mapped);
        let usual = r#"r: IPv6 CIDR value "2001:DB8:0::/64" should be in RFC 5952 canonical format ("2001:db8::/64")"#;
        assert_eq!(warnings("2001:DB8:0::/64"), usual);
    }

    #[test]
    fn endpoints_have_no_special_addresses() {
        let refused = |text: &str| {
            let mut errors = Errors::new();
            validate_endpoint_ip(text, &Path::new("ip"), &mut errors);
            errors.iter().map(|error| error.detail.to_string()).collect::<Vec<_>>().join("; ")
        };
        for text in ["10.0.0.1", "224.0.1.1", "2001::1", "ff05::1"] {
            assert_eq!(refused(text), "");
        }
        assert_eq!(refused("0.0.0.0"), "may not be unspecified (0.0.0.0)");
        assert_eq!(refused("127.1.2.3"), "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        assert_eq!(refused("fe80::1"), "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        for text in ["224.0.0.5", "ff02::1", "ff12::1"] {
            assert_eq!(refused(text), "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
        assert_eq!(refused("x"), "must be a valid IP address");
    }

    #[test]
    fn mapped_addresses_are_of_the_old_family() {
        let family = |text| parse_ip(text).map(is_ipv4);
        assert_eq!(
            [family("1.2.3.04"), family("::ffff:1.2.3.4"), family("::1"), family("x")],
            [Some(true), Some(true), Some(false), None]
        );
    }
}

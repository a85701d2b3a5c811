//! IP addresses in fields that are older than the strict rules for them.

use std::net::IpAddr;

use sprag_field::{Error, Errors, Path, quote};

/// Reads an address, which may have leading zeros, as upstream's `netutils.ParseIPSloppy`.
pub(crate) fn parse_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| without_leading_zeros(text).parse().ok())
}

/// Tells if an address is of the IPv4 family, which those mapped into IPv6 are, too, as upstream's `netutils.IPFamilyOf`.
pub(crate) fn is_ipv4(address: IpAddr) -> bool {
    address.to_canonical().is_ipv4()
}

/// As upstream's `validation.IsValidIPForLegacyField` with the gate `StrictIPCIDRValidation`; the caller skips values that the
/// old object has.
pub(crate) fn validate_ip(text: &str, at: &Path<'_>, errors: &mut Errors) {
    let detail = match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => "must not be an IPv4-mapped IPv6 address",
        Ok(_) => return,
        Err(_) if parse_ip(text).is_some() => "must not have leading 0s",
        Err(_) => "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    };
    errors.push(Error::invalid(at, text, detail).with_origin("format=ip-sloppy"));
}

/// As upstream's `validation.GetWarningsForIP`, of a field that [`validate_ip`] judges.
pub(crate) fn ip_warning(text: &str, at: &Path<'_>) -> Option<String> {
    let usual = parse_ip(text)?.to_canonical().to_string();
    let (shown, better) = (quote::go(text), quote::go(&usual));
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_none() => (usual != text)
            .then(|| format!("{at}: IPv6 address {shown} should be in RFC 5952 canonical format ({better})")),
        Ok(IpAddr::V4(_)) => None,
        _ => Some(format!("{at}: non-standard IP address {shown} is invalid: use {better}")),
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
    fn check(text: &str, expected: &str) {
        let mut errors = Errors::new();
        validate_ip(text, &Path::new("ip"), &mut errors);
        let details: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
        assert_eq!(details.concat(), expected, "{text}");
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
    fn mapped_addresses_are_of_the_old_family() {
        let family = |text| parse_ip(text).map(is_ipv4);
        assert_eq!(
            [family("1.2.3.04"), family("::ffff:1.2.3.4"), family("::1"), family("x")],
            [Some(true), Some(true), Some(false), None]
        );
    }
}

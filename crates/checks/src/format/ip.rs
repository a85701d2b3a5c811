//! `k8s-ip`: an IPv4 or IPv6 address in a form that every reader understands alike.

use std::net::{IpAddr, Ipv6Addr};

use super::Flaw;

/// As upstream's `validation.IsValidIP` with strict rules.
pub(super) fn ip<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    let detail = match text.parse() {
        Ok(IpAddr::V6(address)) if is_mapped(address) => "must not be an IPv4-mapped IPv6 address",
        Ok(_) => return,
        Err(_) if without_leading_zeros(text).parse::<IpAddr>().is_ok() => "must not have leading 0s",
        Err(_) => "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    };
    report(Flaw::of_value(detail));
}

fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

/// The text with plain decimal numbers in its dotted part.
fn without_leading_zeros(text: &str) -> String {
    let (head, dotted) = text.split_at(text.rfind(':').map_or(0, |colon| colon + 1));
    let plain = |number: &str| {
        let stripped = number.trim_start_matches('0');
        if stripped.is_empty() && !number.is_empty() { "0".to_owned() } else { stripped.to_owned() }
    };
    let numbers: Vec<String> = dotted.split('.').map(plain).collect();
    if numbers.len() == 1 { text.to_owned() } else { format!("{head}{}", numbers.join(".")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        ip(text, &mut |flaw| found.push(flaw.detail.into_owned()));
        assert_eq!(found.join("; "), expected, "{text}");
    }

    #[test]
    fn addresses_of_both_families_are_accepted() {
        for text in
            ["10.9.8.7", "0.0.0.0", "255.255.255.255", "::", "2001:db8::ffff", "1:2:3:4:5:6:7:8", "64:ff9b::1.2.3.4"]
        {
            check(text, "");
        }
    }

    #[test]
    fn anything_else_is_not_an_address() {
        for text in
            ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "fe80::1%eth0", "1.2.3.4/8", "[::1]", "a", "1.2.3.4 "]
        {
            check(text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        }
    }

    #[test]
    fn forms_that_readers_disagree_about_are_refused() {
        check("010.0.00.1", "must not have leading 0s");
        check("::ffff:01.2.3.4", "must not have leading 0s");
        check("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address");
    }
}

//! `net.IP`: addresses.

use std::net::IpAddr;

use sprag_field::quote;

use crate::cost::{CallEstimate, CallSite, STRING_TRAVERSAL, charge, scale};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Opaque, Val};

use super::address;
use super::quantity::estimate_parse;
use super::strings::charge_walk;

pub(super) const IP: Sig = Sig::Opaque("net.IP");

const fn parser(function: &'static str, id: &'static str, result: Sig, call: Func) -> Overload {
    Overload::global(function, id, &[Sig::String], result, call).since(30).costs(estimate_parse, charge_walk)
}

const fn test(function: &'static str, id: &'static str, call: Func) -> Overload {
    Overload::member(function, id, &[IP], Sig::Bool, call).since(30)
}

pub(crate) static TABLE: &[Overload] = &[
    parser("ip", "string_to_ip", IP, ip),
    Overload::member("family", "ip_family", &[IP], Sig::Int, family).since(30),
    parser("ip.isCanonical", "ip_is_canonical", Sig::Bool, is_canonical).costs(estimate_twice, charge_twice),
    test("isUnspecified", "ip_is_unspecified", |cx, args| is(cx, args, |address| address.is_unspecified())),
    test("isLoopback", "ip_is_loopback", |cx, args| is(cx, args, |address| address.is_loopback())),
    test("isLinkLocalMulticast", "ip_is_link_local_multicast", |cx, args| is(cx, args, is_link_local_multicast)),
    test("isLinkLocalUnicast", "ip_is_link_local_unicast", |cx, args| is(cx, args, is_link_local_unicast)),
    test("isGlobalUnicast", "ip_is_global_unicast", |cx, args| is(cx, args, is_global_unicast)),
    parser("isIP", "is_ip", Sig::Bool, is_ip),
    Overload::global("string", "ip_to_string", &[IP], Sig::String, to_string).since(30),
];

/// Reads an address. Zones and IPv4 addresses in IPv6 form are refused.
pub(super) fn parse(text: &str) -> Result<IpAddr, String> {
    let quoted = quote::go(text);
    let parsed = address::parse(text)
        .map_err(|error| format!("IP Address {quoted} parse error during conversion from string: {error}"))?;
    if parsed.zone {
        return Err(format!("IP address {quoted} with zone value is not allowed"));
    }
    match parsed.address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {quoted} is not allowed"))
        }
        address => Ok(address),
    }
}

pub(super) fn made<'a>(cx: &Cx<'a>, address: IpAddr) -> Outcome<'a> {
    cx.keep(address).map(|address| Val::Opaque(Opaque::Ip(address)))
}

fn ip<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    match parse(text) {
        Ok(address) => made(cx, address),
        Err(why) => Err(cx.error(format_args!("{why}"))),
    }
}

fn is_ip<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(parse(text).is_ok()))
}

fn is_canonical<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    match parse(text) {
        Ok(address) => Ok(Val::Bool(address.to_string() == text)),
        Err(why) => Err(cx.error(format_args!("{why}"))),
    }
}

pub(super) fn read<'a>(cx: &Cx<'a>, value: Option<&Val<'a>>) -> Result<IpAddr, Trap<'a>> {
    if let Some(Val::Opaque(Opaque::Ip(address))) = value { Ok(**address) } else { Err(cx.no_such_overload()) }
}

fn family<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Int(if read(cx, args.first())?.is_ipv4() { 4 } else { 6 }))
}

fn to_string<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    cx.string(&read(cx, args.first())?.to_string())
}

fn is<'a>(cx: &Cx<'a>, args: &[Val<'a>], test: fn(IpAddr) -> bool) -> Outcome<'a> {
    Ok(Val::Bool(test(read(cx, args.first())?)))
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    let is_special = address.is_unspecified() || address.is_loopback() || address.is_multicast();
    !(is_broadcast || is_special || is_link_local_unicast(address))
}

fn estimate_twice(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(call.args.first()?.size.scale(2.0 * STRING_TRAVERSAL)))
}

fn charge_twice<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    scale(charge::size(&args[0]), 2.0 * STRING_TRAVERSAL)
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn addresses_are_classified() {
        check("ip('127.8.9.10').isLoopback()", "true");
        check("ip('::1').isLoopback()", "true");
        check("ip('ff02::1').isLinkLocalMulticast()", "true");
        check("ip('ff01::1').isLinkLocalMulticast()", "false");
        check("ip('169.254.169.254').isLinkLocalUnicast()", "true");
        check("ip('febf::1').isLinkLocalUnicast()", "true");
        check("ip('0.0.0.0').isGlobalUnicast()", "false");
        check("ip('fd00::1').isGlobalUnicast()", "true");
        check("ip('224.0.1.1').isGlobalUnicast()", "false");
        check("ip('::').isUnspecified()", "true");
    }

    #[test]
    fn addresses_print_in_canonical_form() {
        check("string(ip('2001:DB8:0:0:1:0:0:1'))", "2001:db8::1:0:0:1");
        check("ip.isCanonical('1.2.3.4')", "true");
        check("ip.isCanonical('::0')", "false");
        check("string(dyn(ip('::1')))", "::1");
        check("dyn(ip('::1')) == '::1'", "no such overload");
        check("'::1' == dyn(ip('::1'))", "false");
    }

    #[test]
    fn zones_and_mapped_addresses_are_refused() {
        check("ip('::ffff:1.2.3.4')", r#"IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed"#);
        check("ip('fe80::1%25')", r#"IP address "fe80::1%25" with zone value is not allowed"#);
        check("isIP('1.2.3.4 ')", "false");
    }
}

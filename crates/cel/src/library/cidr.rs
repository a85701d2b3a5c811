//! `net.CIDR`: networks, as an address and the number of leading bits that count.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sprag_field::quote;

use crate::cost::{Bounds, CallEstimate, CallSite, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Cidr, Opaque, Val};

use super::address;
use super::ip::{self, IP};
use super::quantity::estimate_parse;
use super::strings::charge_walk;

const CIDR: Sig = Sig::Opaque("net.CIDR");

/// The size of an address in bytes, as estimates take it.
const ADDRESS: Bounds = Bounds { min: 4, max: 16 };

const fn parser(function: &'static str, id: &'static str, result: Sig, call: Func) -> Overload {
    Overload::global(function, id, &[Sig::String], result, call).since(30).costs(estimate_parse, charge_walk)
}

const fn member(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).since(30)
}

// Calls whose argument has no known type cost what the first overload of their function does, so the overloads that
// parse nothing come first.
pub(crate) static TABLE: &[Overload] = &[
    parser("cidr", "string_to_cidr", CIDR, cidr),
    member("containsIP", "cidr_contains_ip_ip", &[CIDR, IP], Sig::Bool, contains_ip)
        .costs(|_| Some(CallEstimate::cost(compare_addresses())), charge_contains_ip),
    member("containsIP", "cidr_contains_ip_string", &[CIDR, Sig::String], Sig::Bool, contains_ip)
        .costs(estimate_contains_ip_string, charge_contains_ip_string),
    member("containsCIDR", "cidr_contains_cidr", &[CIDR, CIDR], Sig::Bool, contains_cidr)
        .costs(|_| Some(CallEstimate::cost(compare_networks())), charge_contains_cidr),
    member("containsCIDR", "cidr_contains_cidr_string", &[CIDR, Sig::String], Sig::Bool, contains_cidr)
        .costs(estimate_contains_cidr_string, charge_contains_cidr_string),
    member("ip", "cidr_ip", &[CIDR], IP, address_of),
    member("prefixLength", "cidr_prefix_length", &[CIDR], Sig::Int, prefix_length),
    member("masked", "cidr_masked", &[CIDR], CIDR, masked),
    parser("isCIDR", "is_cidr", Sig::Bool, is_cidr),
    Overload::global("string", "cidr_to_string", &[CIDR], Sig::String, to_string).since(30),
];

/// Reads a network. IPv4 addresses in IPv6 form are refused; bits after the prefix are not.
fn parse(text: &str) -> Result<Cidr, String> {
    let network = parse_prefix(text).map_err(|why| {
        format!(
            "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
            quote::go(text)
        )
    })?;
    match network.address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote::go(text)))
        }
        _ => Ok(network),
    }
}

fn parse_prefix(text: &str) -> Result<Cidr, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let parsed = address::parse(address).map_err(|error| error.to_string())?;
    if parsed.zone {
        return Err("IPv6 zones cannot be present in a prefix".into());
    }
    let bad_bits = || format!("bad bits after slash: {}", quote::go(bits));
    let is_plain = bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits.len() < 2 || !bits.starts_with('0'));
    let bits = bits.parse::<i64>().ok().filter(|_| is_plain).ok_or_else(bad_bits)?;
    let max = if parsed.address.is_ipv4() { 32 } else { 128 };
    let bits = u8::try_from(bits).ok().filter(|bits| *bits <= max).ok_or("prefix length out of range")?;
    Ok(Cidr { address: parsed.address, bits })
}

fn parsed<'a>(cx: &Cx<'a>, text: &str) -> Result<Cidr, Trap<'a>> {
    parse(text)
        .map_err(|why| cx.error(format_args!("network address parse error during conversion from string: {why}")))
}

fn made<'a>(cx: &Cx<'a>, network: Cidr) -> Outcome<'a> {
    cx.keep(network).map(|network| Val::Opaque(Opaque::Cidr(network)))
}

fn cidr<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    made(cx, parsed(cx, text)?)
}

fn is_cidr<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(parse(text).is_ok()))
}

fn read<'a>(cx: &Cx<'a>, value: Option<&Val<'a>>) -> Result<Cidr, Trap<'a>> {
    if let Some(Val::Opaque(Opaque::Cidr(network))) = value { Ok(**network) } else { Err(cx.no_such_overload()) }
}

fn contains_ip<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let network = read(cx, args.first())?;
    let address = match args.get(1) {
        // The reference does not report the address error.
        Some(Val::String(text)) => ip::parse(text).map_err(|_| cx.no_such_overload())?,
        other => ip::read(cx, other)?,
    };
    Ok(Val::Bool(mask(network.address, network.bits) == mask(address, network.bits)))
}

fn contains_cidr<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let network = read(cx, args.first())?;
    let other = match args.get(1) {
        Some(Val::String(text)) => parsed(cx, text)?,
        other => read(cx, other)?,
    };
    let same_start = mask(network.address, network.bits) == mask(other.address, network.bits);
    Ok(Val::Bool(same_start && network.bits <= other.bits))
}

fn address_of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    ip::made(cx, read(cx, args.first())?.address)
}

fn prefix_length<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Int(read(cx, args.first())?.bits.into()))
}

fn masked<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let network = read(cx, args.first())?;
    made(cx, Cidr { address: mask(network.address, network.bits), ..network })
}

fn to_string<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    cx.string(&Opaque::Cidr(&read(cx, args.first())?).to_string())
}

/// The address with all but the first bits zero.
fn mask(address: IpAddr, bits: u8) -> IpAddr {
    let bits = u32::from(bits);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
    }
}

/// Comparing the bytes of two prefixes.
fn charge_contains_ip<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(2 * charge::size(&args[0]))
}

fn charge_contains_ip_string<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    charge_contains_ip(cx, args, result) + charge::walk(charge::size(&args[1]))
}

/// Comparing the bytes of two prefixes, masking one of them, and comparing their lengths.
fn charge_contains_cidr<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    charge_contains_ip(cx, args, result) + charge::walk(charge::size(&args[0])) + 1
}

fn charge_contains_cidr_string<'a>(cx: &Cx<'a>, args: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    charge_contains_cidr(cx, args, result) + charge::walk(charge::size(&args[1]))
}

fn compare_addresses() -> Bounds {
    ADDRESS.add(ADDRESS).scale(STRING_TRAVERSAL)
}

fn compare_networks() -> Bounds {
    compare_addresses().add(ADDRESS.scale(STRING_TRAVERSAL)).add(Bounds::fixed(1))
}

/// The cost of reading the argument, a string, and of what is done with it.
fn with_parsing(call: &CallSite<'_>, cost: Bounds) -> Option<CallEstimate> {
    Some(CallEstimate::cost(cost.add(call.args.first()?.size.scale(STRING_TRAVERSAL))))
}

fn estimate_contains_ip_string(call: &CallSite<'_>) -> Option<CallEstimate> {
    with_parsing(call, compare_addresses())
}

fn estimate_contains_cidr_string(call: &CallSite<'_>) -> Option<CallEstimate> {
    with_parsing(call, compare_networks())
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::library::testing::{check, check_cost};

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let expected =
            format!("network address parse error during conversion from string: netip.ParsePrefix({text:?}): {why}");
        assert_eq!(parse(text).map(|network| network.bits), Err(expected));
    }

    #[test]
    fn networks_are_read_as_in_go() {
        check("cidr('10.1.2.3/8')", "10.1.2.3/8");
        check("cidr('::/0').prefixLength()", "0");
        refused("10.0.0.0", "no '/'");
        refused("10.0.0.0/", r#"bad bits after slash: """#);
        refused("10.0.0.0/08", r#"bad bits after slash: "08""#);
        refused("10.0.0.0/+8", r#"bad bits after slash: "+8""#);
        refused("10.0.0.0/99999999999999999999", r#"bad bits after slash: "99999999999999999999""#);
        refused("10.0.0.0/33", "prefix length out of range");
        refused("::/129", "prefix length out of range");
        refused("fe80::%a/64", "IPv6 zones cannot be present in a prefix");
        refused("10.0.0/8", r#"ParseAddr("10.0.0"): IPv4 address too short"#);
        check(
            "cidr('::ffff:1.2.3.4/120')",
            "network address parse error during conversion from string: IPv4-mapped IPv6 address \
             \"::ffff:1.2.3.4/120\" is not allowed",
        );
    }

    #[test]
    fn containment_looks_at_the_prefix_only() {
        check("cidr('10.1.2.3/8').containsIP('10.200.0.1')", "true");
        check("cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", "false");
        check("cidr('0.0.0.0/0').containsIP('255.255.255.255')", "true");
        check("cidr('0.0.0.0/0').containsIP('::1')", "false");
        check("cidr('2001:db8::/32').containsCIDR('2001:db8:1::/48')", "true");
        check("cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "false");
        check("cidr('10.0.0.0/8').containsCIDR('::/0')", "false");
        check("cidr('10.1.2.3/8').masked()", "10.0.0.0/8");
        check("cidr('::1/128').masked() == cidr('::1/128')", "true");
        check("cidr('10.0.0.0/8').containsIP(dyn('10.0.0.1'))", "true");
    }

    #[test]
    fn an_argument_of_unknown_type_costs_no_parsing() {
        check_cost("cidr('10.0.0.0/8').containsIP('10.0.0.1')", 3);
        check_cost("cidr('10.0.0.0/8').containsIP(dyn('10.0.0.1'))", 2);
        check_cost("cidr('10.0.0.0/8').containsCIDR('10.0.0.0/16')", 6);
        check_cost("cidr('10.0.0.0/8').containsCIDR(dyn('10.0.0.0/16'))", 4);
    }
}

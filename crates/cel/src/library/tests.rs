//! Tests of all tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect;

use super::ALL;
use super::testing::check;
use sprag_release::Release;

use crate::check::Declarations;
use crate::cx::Scratch;
use crate::decl::NoTypes;
use crate::env::Env;
use crate::eval::Limits;
use crate::overload::{Charge, Overload, Scope};
use crate::program::Program;
use crate::value::Val;

fn rows() -> impl Iterator<Item = &'static Overload> {
    ALL.iter().copied().flatten()
}

#[test]
fn overload_ids_are_unique_in_each_release() {
    for release in Release::ALL {
        let mut seen = BTreeSet::new();
        for row in rows().filter(|row| row.releases.contains(release)) {
            assert!(seen.insert(row.id), "{release}: {}", row.id);
        }
    }
}

#[test]
fn receivers_have_a_type() {
    for row in rows() {
        assert!(!row.member || !row.args.is_empty(), "{}", row.id);
    }
}

#[test]
fn versions_bring_functions() {
    let introduced = |minor: u16| -> Vec<&str> {
        let is_new = |row: &&Overload| matches!(row.scope, Scope::Kubernetes { since, .. } if since == minor);
        let names: BTreeSet<&str> = rows().filter(is_new).map(|row| row.function).collect();
        names.into_iter().collect()
    };
    let mut shown = String::new();
    for minor in 1..64 {
        let names = introduced(minor);
        if !names.is_empty() {
            writeln!(shown, "1.{minor}: {}", names.join(" ")).unwrap();
        }
    }
    expect![[r"
        1.27: allowed check error errored group name namespace path reason resource serviceAccount subresource
        1.28: _[?_] _[_] add asApproximateFloat asInteger compareTo first hasValue isGreaterThan isInteger isLessThan isQuantity last optional.none optional.of optional.ofNonZeroValue optional.unwrap or orValue quantity sign sub unwrapOpt value
        1.29: format sets.contains sets.equivalent sets.intersects strings.quote
        1.30: cidr containsCIDR containsIP family ip ip.isCanonical isCIDR isGlobalUnicast isIP isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified masked prefixLength string
        1.31: fieldSelector format.byte format.date format.datetime format.dns1035Label format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix format.dns1123Subdomain format.dns1123SubdomainPrefix format.labelValue format.named format.qualifiedName format.uri format.uuid labelSelector validate
        1.32: cel.@mapInsert
        1.33: compareTo isGreaterThan isLessThan isSemver major minor patch semver
        1.34: @sortByAssociatedKeys distinct flatten lists.range reverse slice sort
        1.37: includes
    "]].assert_eq(&shown);
}

/// Values of every type, with the extremes of those that have them.
const PALETTE: &[&str] = &[
    "null",
    "true",
    "0",
    "-9223372036854775808",
    "9223372036854775807",
    "18446744073709551615u",
    "double('NaN')",
    "-1.5e300",
    "''",
    "'%.9e%s é/[::1]:80?a=%zz'",
    "'1.2.3-a+b'",
    "b'\\xff'",
    "timestamp('0001-01-01T00:00:00Z')",
    "duration('-9223372036.854775808s')",
    "type(1)",
    "[]",
    "[dyn('a'), dyn(1), dyn([2.5]), dyn(null)]",
    "{'a': 1}",
    "optional.none()",
    "optional.of('é')",
    "ip('::1')",
    "cidr('10.0.0.0/8')",
    "quantity('1Ki')",
    "semver('1.2.3-rc.1')",
    "url('https://[::1]:80/é?b=c#d')",
    "format.dns1123Label()",
];

#[test]
fn functions_take_any_value_without_panic() {
    let programs: Vec<Program> = PALETTE.iter().map(|expr| program(expr)).collect();
    let scratch = Scratch::default();
    let eval = |program| Program::eval(program, &[], &scratch, Limits::PER_CALL).outcome.unwrap();
    let values: Vec<Val<'_>> = programs.iter().map(eval).collect();
    for row in rows() {
        // Every third value is enough for calls with many arguments.
        let values: Vec<Val<'_>> = values.iter().step_by(if row.args.len() > 2 { 3 } else { 1 }).copied().collect();
        let arity = u32::try_from(row.args.len()).unwrap();
        for number in 0..values.len().pow(arity) {
            let digit = |place| number / values.len().pow(place) % values.len();
            call(row, &(0..arity).map(|place| values[digit(place)]).collect::<Vec<_>>());
        }
    }
}

fn program(expr: &str) -> Program {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let checked = Env::kubernetes(37).compile(expr, declarations);
    Program::new(&checked.unwrap_or_else(|issues| panic!("{issues}"))).unwrap()
}

/// Calls a function and its cost rule.
fn call(row: &Overload, args: &[Val<'_>]) {
    let scratch = Scratch::default();
    let cx = scratch.cx();
    let result = (row.call)(&cx, args);
    let outcomes: Vec<_> = args.iter().copied().map(Ok).collect();
    if let Charge::ByName(charge) | Charge::ByOverload(charge) = row.charge {
        charge(&cx, &outcomes, &result);
    }
}

#[test]
fn lists_as_keys_are_told_apart_by_identity() {
    check("{[1]: 5, [1]: 6}.size()", "2");
    check("[1] in {[1]: 5}", "false");
    check("{[1]: 5} == {[1]: 5}", "false");
    check("[[3], [3]].transformMapEntry(i, v, {v: i}).size()", "2");
}

#[test]
fn zones_are_known_to_the_end_of_time() {
    check("timestamp('9999-12-31T23:59:59Z').getHours('Asia/Kathmandu')", "5");
    check("timestamp('9999-07-01T00:00:00Z').getHours('Europe/Berlin')", "2");
    check("timestamp(0).getHours('../UTC')", "time: invalid location name");
    check(
        "timestamp(0).getHours('99999999999999999999:00')",
        r#"strconv.Atoi: parsing "99999999999999999999": value out of range"#,
    );
}

#[test]
fn types_of_collections_have_untyped_parts() {
    check(
        "list || true",
        "ERROR: <input>:1:1: expected type 'bool' but found 'type(list(dyn))'\n | list || true\n | ^",
    );
}

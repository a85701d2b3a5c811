//! What holds for all tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect;

use super::ALL;
use crate::overload::{Overload, Scope};

fn rows() -> impl Iterator<Item = &'static Overload> {
    ALL.iter().copied().flatten()
}

#[test]
fn overload_ids_are_unique() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        assert!(seen.insert(row.id), "{}", row.id);
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

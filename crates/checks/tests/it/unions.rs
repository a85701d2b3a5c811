use sprag_checks::Request;
use sprag_checks::union::{self, Discriminator};

use crate::messages;

const LABELS: [&str; 2] = ["a", "b"];

#[test]
fn exactly_one_member_is_set() {
    let request = Request::create();
    let got = |set: [bool; 2]| messages(&request, |at, errors| union::union(at, &LABELS, &set, None, errors));
    assert_eq!(got([true, false]), [""; 0]);
    assert_eq!(got([false, false]), ["f: Invalid value: \"\": must specify one of: `a`, `b`"]);
    assert_eq!(got([true, true]), ["f: Invalid value: \"{a, b}\": must specify exactly one of: `a`, `b`"]);
}

#[test]
fn a_union_whose_members_did_not_change_is_let_through() {
    let request = Request::update();
    let set = [true, true];
    let got = |old: [bool; 2]| messages(&request, |at, errors| union::union(at, &LABELS, &set, Some(&old), errors));
    assert_eq!(got([true, true]).len(), 0);
    assert_eq!(got([true, false]).len(), 1);
}

#[test]
fn a_discriminator_selects_one_member() {
    let request = Request::create();
    let discriminator = Discriminator { name: "d", values: &["A", "B"] };
    let got = messages(&request, |at, errors| {
        union::discriminated_union(at, &LABELS, discriminator, "A", None, &[false, true], None, errors)
    });
    let expected = [
        "f.a: Invalid value: \"\": must be specified when `d` is \"A\"",
        "f.b: Invalid value: \"\": may only be specified when `d` is \"B\"",
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_set_field_may_demand_or_forbid_a_sibling() {
    let request = Request::update();
    let names = ("a", "b");
    let required =
        |old| messages(&request, |at, errors| union::dependent_required(at, names, (true, false), old, errors));
    assert_eq!(required(None), ["f.b: Required value: must be set when a is set"]);
    assert_eq!(required(Some((true, false))), [""; 0]);
    let forbidden = messages(&request, |at, errors| union::dependent_forbidden(at, names, (true, true), None, errors));
    assert_eq!(forbidden, ["f.b: Forbidden: may not be set when a is set"]);
}

//! Tests of where an evaluation stops when its budget is used up, by the cost it reports.

use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch, Trap};

#[track_caller]
fn stops_at(expr: &str, limit: u64, cost: u64) {
    let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
    let program = Program::new(&Env::kubernetes(37).compile(expr, declarations).unwrap()).unwrap();
    let scratch = Scratch::default();
    let evaluation = program.eval(&[], &scratch, Limits { cost: limit, cancelled: None });
    assert_eq!((evaluation.outcome.err(), evaluation.cost), (Some(Trap::CostLimit), cost), "{expr}");
}

const PER_CALL: u64 = Limits::PER_CALL.cost;

#[test]
fn single_units_stop_at_the_first_beyond_the_budget() {
    stops_at("lists.range(1500).all(a, lists.range(1000).all(b, a + b >= 0))", PER_CALL, 1_000_001);
    stops_at("[1, 2].all(a, a > 0)", 3, 4);
}

#[test]
fn a_charge_of_several_units_is_made_whole() {
    stops_at("lists.range(1500).map(a, lists.range(1000).map(b, a + b > 0)).size() > 0", PER_CALL, 1_000_010);
    stops_at("lists.range(1000).distinct().size()", PER_CALL, 2_001_022);
}

#[test]
fn nothing_is_charged_after_the_stop() {
    stops_at("[[1].flatten(9223372036854775807) + [1]]", PER_CALL, 9_223_372_036_854_775_819);
    stops_at("[1].flatten(9223372036854775807) == [1] || true", u64::MAX, 9_223_372_036_854_775_819);
    stops_at("[[1], [2]].flatten(9223372036854775807) == [1] || true", PER_CALL, (1 << 63) + 11);
}

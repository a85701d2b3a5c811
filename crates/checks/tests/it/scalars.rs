use sprag_checks::{Request, integer_bounds, scalar, size_limits};

use crate::messages;

#[track_caller]
fn check(got: &[String], expected: &[&str]) {
    assert_eq!(got, expected);
}

#[test]
fn lengths_count_characters() {
    let request = Request::create();
    let max = |text: &str| messages(&request, |at, errors| size_limits::max_length(at, Some(text), 3, errors));
    check(&max("äöü"), &[]);
    check(&max("äöüß"), &["f: Too long: may not be more than 3 characters"]);
    let min = |text: &str| messages(&request, |at, errors| size_limits::min_length(at, Some(text), 3, errors));
    check(&min("äö"), &["f: Too short: must be at least 3 characters"]);
    check(&min("äöü"), &[]);
}

#[test]
fn bytes_count_bytes() {
    let request = Request::create();
    let max = |text: &str| messages(&request, |at, errors| size_limits::max_bytes(at, Some(text), 3, errors));
    check(&max("abc"), &[]);
    check(&max("äö"), &["f: Too long: may not be more than 3 bytes"]);
}

#[test]
fn an_unset_scalar_passes() {
    let request = Request::create();
    check(&messages(&request, |at, errors| integer_bounds::minimum::<i32>(at, None, 1, errors)), &[]);
    check(&messages(&request, |at, errors| scalar::not_equal_text::<str>(at, None, "x", errors)), &[]);
}

#[test]
fn an_option_that_nobody_defined_is_an_internal_error() {
    let request = Request::create();
    let got = messages(&request, |at, errors| scalar::if_option(at, "X", true, errors, |_| false));
    check(&got, &["f: Internal error: undefined validation option \"X\""]);
}

#[test]
fn a_number_may_not_decrease_on_update() {
    let decreased =
        |request: &Request<'_>| messages(request, |at, errors| scalar::monotonic(at, Some(&1), Some(&2), errors));
    check(&decreased(&Request::create()), &[]);
    check(&decreased(&Request::update()), &["f: Invalid value: 1: may not be decreased from 2"]);
}

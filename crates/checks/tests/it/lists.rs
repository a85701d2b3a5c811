use sprag_checks::list::{self, ByKey, ByValue, Uncorrelated};
use sprag_checks::{Request, Same};

use crate::messages;

/// A key and a value.
#[derive(Clone)]
struct Pair(u32, u32);

impl Same for Pair {
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1 == other.1
    }

    fn feed(&self, hasher: &mut sprag_checks::KeyHasher) {
        self.0.feed(hasher);
        self.1.feed(hasher);
    }
}

fn by_key() -> ByKey<impl Fn(&Pair, &mut sprag_checks::KeyHasher), impl Fn(&Pair, &Pair) -> bool> {
    ByKey { feed: |pair: &Pair, hasher: &mut _| pair.0.feed(hasher), matches: |a: &Pair, b: &Pair| a.0 == b.0 }
}

/// The elements that an update judges.
fn judged<C: list::Correlate<Pair>>(old: &[Pair], new: &[Pair], correlate: &C) -> Vec<u32> {
    let request = Request::update();
    let mut judged = Vec::new();
    messages(&request, |at, errors| {
        list::each_val(at, new, old, list::itself, correlate, errors, |_, pair: &Pair, _, _| {
            judged.push(pair.0);
            false
        })
    });
    judged
}

#[test]
fn unchanged_elements_are_passed_over() {
    let old = [Pair(1, 1), Pair(2, 1)];
    let new = [Pair(2, 1), Pair(3, 1), Pair(1, 2)];
    assert_eq!(judged(&old, &new, &by_key()), [3, 1]);
    assert_eq!(judged(&old, &new, &ByValue), [3, 1]);
    assert_eq!(judged(&old, &new, &Uncorrelated), [2, 3, 1]);
}

#[test]
fn of_several_old_elements_with_one_key_the_first_counts() {
    let old = [Pair(1, 1), Pair(1, 2)];
    assert_eq!(judged(&old, &[Pair(1, 1)], &by_key()), [0u32; 0]);
    assert_eq!(judged(&old, &[Pair(1, 2)], &by_key()), [1]);
}

#[test]
fn every_later_duplicate_is_reported_once() {
    let request = Request::create();
    let names: Vec<String> = ["a", "b", "a", "a", "b"].map(str::to_owned).to_vec();
    let got = messages(&request, |at, errors| list::unique(at, &names, list::itself, &ByValue, errors));
    let expected = ["f[2]: Duplicate value: \"a\"", "f[3]: Duplicate value: \"a\"", "f[4]: Duplicate value: \"b\""];
    assert_eq!(got, expected);
}

#[test]
fn null_elements_are_like_no_other() {
    let request = Request::create();
    let numbers = [None, Some(1), None, Some(1)];
    let got = messages(&request, |at, errors| list::unique(at, &numbers, Option::as_ref, &ByValue, errors));
    assert_eq!(got, ["f[3]: Duplicate value: 1"]);
    let got = messages(&request, |at, errors| list::no_nil_elements(at, &numbers, Option::is_none, errors));
    assert_eq!(got, ["f[0]: Required value", "f[2]: Required value"]);
}

#[test]
fn a_long_list_is_not_compared_pair_by_pair() {
    let comparisons = std::cell::Cell::new(0usize);
    let keyed = ByKey {
        feed: |number: &u32, hasher: &mut _| number.feed(hasher),
        matches: |a: &u32, b: &u32| {
            comparisons.set(comparisons.get() + 1);
            a == b
        },
    };
    let numbers: Vec<u32> = (0..100_000).collect();
    let request = Request::create();
    assert!(messages(&request, |at, errors| list::unique(at, &numbers, list::itself, &keyed, errors)).is_empty());
    assert!(comparisons.get() < numbers.len());
}

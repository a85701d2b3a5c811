use sprag_checks::Request;
use sprag_checks::list::{ByValue, itself};
use sprag_checks::update::{self, Constraint};

use crate::messages;

const ALL: [Constraint; 3] = [Constraint::NoSet, Constraint::NoUnset, Constraint::NoModify];

#[test]
fn each_transition_has_its_text() {
    let request = Request::update();
    let got = |was: Option<bool>, set| messages(&request, |at, errors| update::update(at, set, was, &ALL, errors));
    assert_eq!(got(Some(false), true), ["f: Invalid value: null: field cannot be set once created"]);
    assert_eq!(got(Some(true), false), ["f: Invalid value: null: field cannot be cleared once set"]);
    assert_eq!(got(Some(true), true), ["f: Invalid value: null: field cannot be modified once set"]);
    assert_eq!(got(None, true), [""; 0]);
}

#[test]
fn nothing_is_refused_on_create() {
    let request = Request::create();
    assert!(messages(&request, |at, errors| update::update(at, true, Some(false), &ALL, errors)).is_empty());
    assert!(messages(&request, update::immutable).is_empty());
}

#[test]
fn items_may_not_come_or_go() {
    let request = Request::update();
    let items = [Constraint::NoAddItem, Constraint::NoRemoveItem];
    let got = messages(&request, |at, errors| {
        update::update_list(at, &[1, 3], Some(&[1, 2]), itself, &ByValue, &items, errors)
    });
    assert_eq!(got, ["f[1]: Forbidden: item may not be added", "f: Forbidden: item may not be removed"]);
}

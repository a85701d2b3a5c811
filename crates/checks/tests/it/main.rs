//! The checks, seen from outside: inputs and the errors they yield.

mod lists;
mod scalars;
mod unions;
mod updates;

use sprag_checks::{At, Options, Request};
use sprag_field::Errors;

/// The messages of one check at the path `f`.
pub(crate) fn messages(request: &Request<'_>, check: impl FnOnce(&At<'_>, &mut Errors) -> bool) -> Vec<String> {
    let mut errors = Errors::new();
    let root = At::root(request);
    let found = check(&root.child("f"), &mut errors);
    assert_eq!(found, !errors.is_empty(), "a check says whether it yielded anything");
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn the_last_definition_of_an_option_counts() {
    let mut options: Options = [("B", true), ("Long", true), ("A", false), ("B", false)].into_iter().collect();
    assert_eq!(["A", "B", "Long", "C"].map(|name| options.get(name)), [Some(false), Some(false), Some(true), None]);
    options.set("C", true);
    options.set("Long", false);
    assert_eq!(
        ["A", "B", "Long", "C"].map(|name| options.get(name)),
        [Some(false), Some(false), Some(false), Some(true)]
    );
    assert_eq!(options, [("C", true), ("Long", false), ("B", false), ("A", false)].into_iter().collect());
}

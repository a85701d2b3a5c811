//! The checks, seen from outside: inputs and the errors they yield.

mod lists;
mod scalars;
mod unions;
mod updates;

use sprag_field::Errors;
use sprag_validate::{At, Request};

/// The messages of one check at the path `f`.
pub(crate) fn messages(request: &Request<'_>, check: impl FnOnce(&At<'_>, &mut Errors) -> bool) -> Vec<String> {
    let mut errors = Errors::new();
    let root = At::root(request);
    let found = check(&root.child("f"), &mut errors);
    assert_eq!(found, !errors.is_empty(), "a check says whether it yielded anything");
    errors.iter().map(ToString::to_string).collect()
}

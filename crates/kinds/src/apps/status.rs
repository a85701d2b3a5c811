//! Numbers in the status of workloads.

use sprag_field::{Error, Errors, Path};
use sprag_value::Value;
use sprag_value::view::View;

/// Refuses numbers of a status that are greater than another of its numbers.
pub(crate) fn validate_at_most(
    status: &Value,
    names: &[&'static str],
    (limit, detail): (&str, &'static str),
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let limit = i64::view(status.get(limit));
    for name in names {
        let number = i64::view(status.get(name));
        if number > limit {
            errors.push(Error::invalid(&at.child(name), number, detail));
        }
    }
}

/// Refuses a smaller number of collisions than before, as upstream's `validation.IsDecremented` finds it.
pub(crate) fn validate_collision_count(new: &Value, old: &Value, at: &Path<'_>, errors: &mut Errors) {
    let count = |status: &Value| Option::<i64>::view(status.get("collisionCount"));
    let Some(before) = count(old) else { return };
    if count(new).is_none_or(|now| now < before) {
        let number = count(new).unwrap_or_default();
        errors.push(Error::invalid(&at.child("collisionCount"), number, "cannot be decremented"));
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn a_number_of_collisions_may_appear_but_not_vanish() {
        let check = |new: &str, old: &str, refused: bool| {
            let new = json::parse(new.as_bytes()).unwrap();
            let old = json::parse(old.as_bytes()).unwrap();
            let mut errors = Errors::new();
            validate_collision_count(&new, &old, &Path::new("status"), &mut errors);
            assert_eq!(!errors.is_empty(), refused);
        };
        check("{}", "{}", false);
        check(r#"{"collisionCount":1}"#, "{}", false);
        check(r#"{"collisionCount":1}"#, r#"{"collisionCount":1}"#, false);
        check(r#"{"collisionCount":0}"#, r#"{"collisionCount":1}"#, true);
        check("{}", r#"{"collisionCount":0}"#, true);
    }
}

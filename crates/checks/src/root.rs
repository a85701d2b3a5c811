//! Types that are validated as whole objects, and tables of them.

use serde::de::DeserializeOwned;
use sprag_field::{Error, Errors, Path};
use sprag_value::{BridgeError, Value, from_value};

use crate::{At, Request};

/// A type with a validator; generated code implements it.
pub trait Validate: Sized {
    /// The type as Go prints it: `*v1.Pod`.
    const GO_TYPE: &'static str;

    /// The subresource paths it answers for; `/` is the object itself.
    const SUBRESOURCES: &'static [&'static str];

    /// Checks a value of this type at a place; returns whether anything is wrong.
    fn validate_at(at: &At<'_>, new: &Self, old: Option<&Self>, errors: &mut Errors) -> bool;

    /// Checks a whole object. A request for a subresource the type does not answer for is an internal error.
    fn validate(request: &Request<'_>, new: &Self, old: Option<&Self>, errors: &mut Errors) {
        if Self::SUBRESOURCES.contains(&request.subresource) {
            Self::validate_at(&At::root(request), new, old, errors);
            return;
        }
        let ty = Self::GO_TYPE;
        let path = request.subresource;
        errors.push(Error::internal(&Path::ROOT, format_args!("no validation found for {ty}, subresource: {path}")));
    }
}

/// A validator that is found by its type's name and works on dynamic values.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The package of the type.
    pub package: &'static str,
    /// The name of the type.
    pub name: &'static str,
    /// The type as Go prints it.
    pub go_type: &'static str,
    /// The subresource paths it answers for.
    pub subresources: &'static [&'static str],
    /// Reads both objects as this type and checks them.
    pub validate: fn(&Request<'_>, &Value, Option<&Value>, &mut Errors) -> Result<(), BridgeError>,
}

impl Entry {
    /// The entry of a type.
    pub const fn of<T: Validate + DeserializeOwned>(package: &'static str, name: &'static str) -> Entry {
        Entry { package, name, go_type: T::GO_TYPE, subresources: T::SUBRESOURCES, validate: validate_value::<T> }
    }
}

fn validate_value<T: Validate + DeserializeOwned>(
    request: &Request<'_>,
    new: &Value,
    old: Option<&Value>,
    errors: &mut Errors,
) -> Result<(), BridgeError> {
    let new: T = from_value(new)?;
    let old: Option<T> = old.map(from_value).transpose()?;
    T::validate(request, &new, old.as_ref(), errors);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer_bounds;

    #[derive(serde::Deserialize)]
    struct Widget {
        replicas: i32,
    }

    impl Validate for Widget {
        const GO_TYPE: &'static str = "*v1.Widget";
        const SUBRESOURCES: &'static [&'static str] = &["/"];

        fn validate_at(at: &At<'_>, new: &Self, _: Option<&Self>, errors: &mut Errors) -> bool {
            integer_bounds::minimum(&at.child("replicas"), Some(&new.replicas), 0, errors)
        }
    }

    static ENTRY: Entry = Entry::of::<Widget>("example.dev/v1", "Widget");

    fn texts(subresource: &str) -> Vec<String> {
        let mut errors = Errors::new();
        let value = [("replicas", -1)].into_iter().collect();
        (ENTRY.validate)(&Request::create().with_subresource(subresource), &value, None, &mut errors).unwrap();
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn entry_reads_and_checks_a_dynamic_object() {
        assert_eq!(texts("/"), ["replicas: Invalid value: -1: must be greater than or equal to 0"]);
    }

    #[test]
    fn other_subresource_is_an_internal_error() {
        assert_eq!(
            texts("/status"),
            ["<nil>: Internal error: no validation found for *v1.Widget, subresource: /status"]
        );
    }

    #[test]
    fn object_of_another_form_is_refused() {
        let value = [("replicas", "x")].into_iter().collect();
        assert!((ENTRY.validate)(&Request::create(), &value, None, &mut Errors::new()).is_err());
    }
}

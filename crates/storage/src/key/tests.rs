use proptest::prelude::*;

use super::{Key, KeyError, MAX_PART_BYTES, Scope};

/// A place as its parts, however unlikely they are.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    group: String,
    resource: String,
    namespace: Option<String>,
    name: String,
}

impl Place {
    fn key(&self) -> Result<Key, KeyError> {
        match &self.namespace {
            None => Key::cluster(&self.group, &self.resource, &self.name),
            Some(namespace) => Key::namespaced(&self.group, &self.resource, namespace, &self.name),
        }
    }
}

/// Parts made of few characters, so that beginnings collide: the markers, separators and neighbours of `/` in byte order.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[cn/0.-]{0,3}", 2 => "[a-z]([a-z.-]{0,5}[a-z])?", 1 => any::<String>()]
}

fn place() -> impl Strategy<Value = Place> {
    (part(), part(), prop::option::of(part()), part()).prop_map(|(group, resource, namespace, name)| Place {
        group,
        resource,
        namespace,
        name,
    })
}

proptest! {
    #[test]
    fn parts_come_back(place in place()) {
        let Ok(key) = place.key() else { return Ok(()) };
        let back = Place {
            group: key.group().to_owned(),
            resource: key.resource().to_owned(),
            namespace: key.namespace().map(str::to_owned),
            name: key.name().to_owned(),
        };
        prop_assert_eq!(&back, &place);
        prop_assert_eq!(Key::parse(key.as_str()), Ok(key));
    }

    #[test]
    fn different_places_have_different_keys(left in place(), right in place()) {
        let (Ok(a), Ok(b)) = (left.key(), right.key()) else { return Ok(()) };
        prop_assert_eq!(a == b, left == right);
        let below = format!("{b}/");
        prop_assert!(!a.as_str().starts_with(&below));
    }

    #[test]
    fn a_scope_holds_exactly_its_own_keys(place in place(), group in part(), resource in part(), namespace in part()) {
        let Ok(key) = place.key() else { return Ok(()) };
        let same = place.group == group && place.resource == resource;
        if let Ok(scope) = Scope::resource(&group, &resource) {
            prop_assert_eq!(scope.contains(&key), same);
            prop_assert_eq!(key.table() == scope.table(), same);
        }
        if let Ok(scope) = Scope::cluster(&group, &resource) {
            prop_assert_eq!(scope.contains(&key), same && place.namespace.is_none());
        }
        if let Ok(scope) = Scope::all_namespaces(&group, &resource) {
            prop_assert_eq!(scope.contains(&key), same && place.namespace.is_some());
        }
        if let Ok(scope) = Scope::namespace(&group, &resource, &namespace) {
            prop_assert_eq!(scope.contains(&key), same && place.namespace.as_ref() == Some(&namespace));
        }
    }

    #[test]
    fn the_range_of_a_scope_is_what_it_contains(place in place(), namespace in part()) {
        let Ok(key) = place.key() else { return Ok(()) };
        let scopes = [
            Scope::resource(&place.group, &place.resource),
            Scope::namespace(&place.group, &place.resource, &namespace),
        ];
        for scope in scopes.into_iter().flatten() {
            let inside = scope.as_str() <= key.as_str() && key.as_str() < scope.end().as_str();
            prop_assert_eq!(inside, scope.contains(&key));
        }
    }

    #[test]
    fn a_token_never_leaves_its_scope(text in "[cn/a0.-]{0,8}", namespace in "[a-c]{1,2}") {
        let scope = Scope::namespace("", "pods", &namespace).unwrap();
        if let Ok(key) = scope.key(&text) {
            prop_assert!(scope.contains(&key));
            prop_assert_eq!(scope.below(&key), Some(text.as_str()));
        }
    }

    #[test]
    fn any_text_is_a_key_or_an_error(text in any::<String>()) {
        if let Ok(key) = Key::parse(&text) {
            prop_assert_eq!(key.as_str(), text);
        }
    }
}

#[test]
fn a_group_and_a_core_resource_of_the_same_name_are_apart() {
    let core = Key::namespaced("", "apps", "n", "x").unwrap();
    let other = Key::cluster("apps", "n", "x").unwrap();
    assert_eq!(core.as_str(), "/-/apps/n/n/x");
    assert_eq!(other.as_str(), "/apps/n/c/x");
}

#[test]
fn a_part_may_be_as_long_as_the_limit() {
    let longest = "x".repeat(MAX_PART_BYTES);
    assert!(Key::cluster("", "nodes", &longest).is_ok());
    let longer = "x".repeat(MAX_PART_BYTES + 1);
    assert_eq!(Key::cluster("", "nodes", &longer), Err(KeyError::TooLong { part: "name" }));
}

#[test]
fn the_name_of_the_core_group_is_reserved() {
    assert_eq!(Key::cluster("-", "nodes", "x"), Err(KeyError::ReservedGroup));
}

//! Properties of all objects.

use proptest::prelude::*;

use super::*;

fn texts() -> impl Strategy<Value = Value> {
    proptest::collection::btree_set("[a-d]", 0..4)
        .prop_map(|set| set.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

fn labels() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[k-n]", "[x-z]", 0..3).prop_map(|map| map.into_iter().collect())
}

fn parts() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[p-s]", proptest::option::of(0..3_i64), 0..4).prop_map(|parts| {
        let part = |(name, qty): (String, Option<i64>)| {
            let mut part: Value = [("name", name)].into_iter().collect();
            if let Some(qty) = qty {
                part.insert("qty", qty);
            }
            part
        };
        parts.into_iter().map(part).collect::<Vec<_>>().into()
    })
}

fn spec() -> impl Strategy<Value = String> {
    let optional = |name: &'static str, value: BoxedStrategy<Value>| {
        proptest::option::of(value).prop_map(move |value| value.map(|value| (name, value)))
    };
    (
        optional("size", (0..3_i64).prop_map(Value::from).boxed()),
        optional("labels", labels().boxed()),
        optional("atomic", labels().boxed()),
        optional("plain", texts().boxed()),
        optional("set", texts().boxed()),
        optional("parts", parts().boxed()),
    )
        .prop_map(|(a, b, c, d, e, f)| json::to_string(&[a, b, c, d, e, f].into_iter().flatten().collect::<Value>()))
}

/// The spec with every name and value moved into a world of its own.
fn apart(spec: &str) -> String {
    let letters = spec.chars().map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c });
    let text: String = letters.collect();
    ["SIZE", "LABELS", "ATOMIC", "PLAIN", "SET", "PARTS", "NAME", "QTY"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("\"{name}\":"), &format!("\"{}\":", name.to_lowercase())))
}

proptest! {
    #[test]
    fn applying_twice_is_applying_once(first in spec(), second in spec()) {
        let world = World::new().update("u", &first).force("a", &second);
        let once = world.describe();
        prop_assert_eq!(world.force("a", &second).describe(), once);
    }

    #[test]
    fn what_is_applied_is_there(first in spec(), second in spec()) {
        let world = World::new().force("a", &first).force("b", &second);
        let shapes = shapes();
        let ty = types::ty::Ty::root(&shapes, THING);
        let live = world.live.as_ref().unwrap();
        let applied = World::object(&second);
        let merged = merge::values::merge(ty, live, &applied);
        prop_assert_eq!(merged.get("spec"), live.get("spec"));
    }

    #[test]
    fn owners_of_different_fields_do_not_see_each_other(first in spec(), second in spec()) {
        let keep = |spec: &str| {
            let mut spec = json::parse(spec.as_bytes()).unwrap();
            for name in ["size", "atomic", "plain"] {
                spec.remove(name);
            }
            json::to_string(&spec)
        };
        let first = keep(&first);
        let second = apart(&keep(&second));
        let one = World::new().apply("a", &first).apply("b", &second).apply("a", &first);
        let other = World::new().apply("b", &second).apply("a", &first).apply("b", &second);
        let owned = |world: &World| fields::of_value::fields(
            types::ty::Ty::root(&world.things.shapes, THING),
            &World::object(&json::to_string(world.live.as_ref().unwrap().get("spec").unwrap())),
        );
        prop_assert_eq!(owned(&one), owned(&other));
    }

    #[test]
    fn giving_up_everything_leaves_nothing_of_it(first in spec()) {
        let world = World::new().apply("a", &first).apply("a", "{}");
        let spec = world.live.as_ref().unwrap().get("spec").cloned().unwrap_or_default();
        let left = fields::of_value::fields(types::ty::Ty::root(&world.things.shapes, THING), &World::object(&json::to_string(&spec)));
        let applied = fields::of_value::fields(types::ty::Ty::root(&world.things.shapes, THING), &World::object(&first));
        let spec_of = |set: &FieldSet| set.node(&PathElement::Field("spec".into())).map(|node| node.children.clone());
        let left = spec_of(&left).unwrap_or_default();
        let applied = spec_of(&applied).unwrap_or_default();
        prop_assert!(left.intersection(&applied).is_empty(), "{left:?} of {applied:?}");
    }

    #[test]
    fn sets_survive_their_stored_form(first in spec(), second in spec()) {
        let shapes = shapes();
        let set = |spec: &str| fields::of_value::fields(types::ty::Ty::root(&shapes, THING), &World::object(spec));
        let a = set(&first);
        let b = set(&second);
        prop_assert_eq!(&FieldSet::from_fields_v1(&a.to_fields_v1()).unwrap(), &a);
        prop_assert_eq!(a.difference(&b).union(&a.intersection(&b)), a.clone());
        prop_assert!(a.intersection(&b).is_subset(&b) && a.is_subset(&a.union(&b)));
    }
}

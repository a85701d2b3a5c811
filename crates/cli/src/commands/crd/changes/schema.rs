//! Two schemas, keyword by keyword.

use std::fmt::Display;

use sprag_schema::Props;
use sprag_schema::props::PropsOrBool;
use sprag_value::{Text, Value, json};

use super::{Changes, Class};

/// Adds what is different between the schemas of a version. Both were read, so their depth is limited.
pub(super) fn compare(old: &Props, new: &Props, changes: &mut Changes<'_>) {
    let root = Spot { path: String::new(), field: format!("{}.schema.openAPIV3Schema", changes.field) };
    Comparison { changes }.node(&root, old, new);
}

struct Comparison<'c, 'd> {
    changes: &'c mut Changes<'d>,
}

/// A schema, with the values that it describes.
struct Spot {
    /// The path of the values: `spec.list[*].name`.
    path: String,
    /// The path of the schema in the new manifest.
    field: String,
}

impl Spot {
    fn property(&self, name: &str) -> Spot {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Spot { path, field: format!("{}.properties[{name}]", self.field) }
    }

    /// The elements of a list or the values of a map.
    fn elements(&self, keyword: &str) -> Spot {
        Spot { path: format!("{}[*]", self.path), field: format!("{}.{keyword}", self.field) }
    }
}

impl Comparison<'_, '_> {
    fn push(&mut self, spot: &Spot, class: Class, text: impl Into<String>) {
        let place = &self.changes.place;
        let place = if spot.path.is_empty() { place.clone() } else { format!("{place} {}", spot.path) };
        self.changes.push_at(place, spot.field.clone(), class, text.into());
    }

    fn node(&mut self, spot: &Spot, old: &Props, new: &Props) {
        self.kind(spot, old, new);
        self.limits(spot, old, new);
        self.texts(spot, old, new);
        self.values(spot, old, new);
        self.combinations(spot, old, new);
        self.rules(spot, old, new);
        self.required(spot, old, new);
        self.properties(spot, old, new);
        self.entries(spot, old, new);
        if let (Some(old), Some(new)) = (old.item_schema(), new.item_schema()) {
            self.node(&spot.elements("items"), old, new);
        }
    }

    /// Compares the type of a value, and the way it is merged.
    fn kind(&mut self, spot: &Spot, old: &Props, new: &Props) {
        let kind = |props: &Props| if props.int_or_string { Text::from("int-or-string") } else { props.ty.clone() };
        self.unless_same(spot, "type", Some(&kind(old)), Some(&kind(new)));
        self.unless_same(spot, "x-kubernetes-list-type", old.list_type.as_ref(), new.list_type.as_ref());
        self.unless_same(spot, "x-kubernetes-map-type", old.map_type.as_ref(), new.map_type.as_ref());
        let keys = |props: &Props| props.list_map_keys.join(", ");
        self.unless_same(spot, "x-kubernetes-list-map-keys", Some(&keys(old)), Some(&keys(new)));
        if old.embedded_resource != new.embedded_resource {
            self.push(spot, Class::Unsafe, format!("x-kubernetes-embedded-resource becomes {}", new.embedded_resource));
        }
        match (old.preserve_unknown_fields == Some(true), new.preserve_unknown_fields == Some(true)) {
            (true, false) => self.push(spot, Class::LosesData, "fields that the schema does not have are dropped"),
            (false, true) => self.push(spot, Class::Widened, "fields that the schema does not have are kept"),
            _ => {}
        }
    }

    fn unless_same<T: PartialEq + Display>(&mut self, spot: &Spot, keyword: &str, old: Option<&T>, new: Option<&T>) {
        if old != new {
            let show = |value: Option<&T>| value.map(T::to_string).filter(|text| !text.is_empty());
            let show = |value| show(value).unwrap_or_else(|| "unset".to_owned());
            self.push(spot, Class::Unsafe, format!("{keyword} changes from {} to {}", show(old), show(new)));
        }
    }

    /// Keywords with numbers.
    fn limits(&mut self, spot: &Spot, old: &Props, new: &Props) {
        self.limit(spot, "minimum", Side::Lower, old.minimum, new.minimum);
        self.limit(spot, "maximum", Side::Upper, old.maximum, new.maximum);
        for (keyword, side, old, new) in [
            ("minLength", Side::Lower, old.min_length, new.min_length),
            ("maxLength", Side::Upper, old.max_length, new.max_length),
            ("minItems", Side::Lower, old.min_items, new.min_items),
            ("maxItems", Side::Upper, old.max_items, new.max_items),
            ("minProperties", Side::Lower, old.min_properties, new.min_properties),
            ("maxProperties", Side::Upper, old.max_properties, new.max_properties),
        ] {
            self.limit(spot, keyword, side, old, new);
        }
        for (keyword, old, new) in [
            ("exclusiveMinimum", old.exclusive_minimum, new.exclusive_minimum),
            ("exclusiveMaximum", old.exclusive_maximum, new.exclusive_maximum),
            ("uniqueItems", old.unique_items, new.unique_items),
        ] {
            self.flag(spot, keyword, old, new);
        }
        // The flag is inverted: `nullable` allows, the others forbid.
        self.flag(spot, "nullable", !old.nullable, !new.nullable);
        match (old.multiple_of, new.multiple_of) {
            (old, new) if old == new => {}
            (Some(old), None) => self.push(spot, Class::Widened, format!("multipleOf {old} is gone")),
            (Some(old), Some(new)) if old % new == 0.0 => {
                self.push(spot, Class::Widened, format!("multipleOf {old} becomes {new}"));
            }
            (_, new) => self.push(spot, Class::Tightened, format!("multipleOf is {}", new.unwrap_or_default())),
        }
    }

    fn limit<N: PartialOrd + Display + Copy>(
        &mut self,
        spot: &Spot,
        keyword: &str,
        side: Side,
        old: Option<N>,
        new: Option<N>,
    ) {
        match (old, new) {
            (None, None) => {}
            (None, Some(new)) => self.push(spot, Class::Tightened, format!("{keyword} is {new}")),
            (Some(old), None) => self.push(spot, Class::Widened, format!("{keyword} {old} is gone")),
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) => {
                let is_tighter = (new > old) == (side == Side::Lower);
                let class = if is_tighter { Class::Tightened } else { Class::Widened };
                self.push(spot, class, format!("{keyword} {old} becomes {new}"));
            }
        }
    }

    /// A keyword that forbids something where it is true.
    fn flag(&mut self, spot: &Spot, keyword: &str, old: bool, new: bool) {
        match (old, new) {
            (false, true) => self.push(spot, Class::Tightened, flag_text(keyword, true)),
            (true, false) => self.push(spot, Class::Widened, flag_text(keyword, false)),
            _ => {}
        }
    }

    /// Keywords with text: if both schemas set one, it cannot be decided which is stricter.
    fn texts(&mut self, spot: &Spot, old: &Props, new: &Props) {
        for (keyword, old, new) in [("pattern", &old.pattern, &new.pattern), ("format", &old.format, &new.format)] {
            match (old.is_empty(), new.is_empty()) {
                _ if old == new => {}
                (false, true) => self.push(spot, Class::Widened, format!("{keyword} {old} is gone")),
                (true, false) => self.push(spot, Class::Tightened, format!("{keyword} is {new}")),
                _ => self.push(spot, Class::Tightened, format!("{keyword} {old} becomes {new}")),
            }
        }
    }

    fn values(&mut self, spot: &Spot, old: &Props, new: &Props) {
        let list = |values: Vec<&Value>| values.into_iter().map(json::to_string).collect::<Vec<_>>().join(", ");
        let gone: Vec<_> = old.enumeration.iter().filter(|value| !new.enumeration.contains(value)).collect();
        let come: Vec<_> = new.enumeration.iter().filter(|value| !old.enumeration.contains(value)).collect();
        match (old.enumeration.is_empty(), new.enumeration.is_empty()) {
            (false, true) => self.push(spot, Class::Widened, "enum is gone"),
            (true, false) => self.push(spot, Class::Tightened, format!("enum is {}", list(come))),
            _ => {
                if !gone.is_empty() {
                    self.push(spot, Class::Tightened, format!("enum lacks {}", list(gone)));
                }
                if !come.is_empty() {
                    self.push(spot, Class::Widened, format!("enum has {}", list(come)));
                }
            }
        }
        if old.default != new.default {
            let show = |value: &Option<Value>| value.as_ref().map_or("unset".to_owned(), json::to_string);
            let text = format!("default changes from {} to {}", show(&old.default), show(&new.default));
            self.push(spot, Class::Changed, text);
        }
    }

    fn combinations(&mut self, spot: &Spot, old: &Props, new: &Props) {
        let not = |props: &Props| props.not.iter().map(|props| (**props).clone()).collect::<Vec<_>>();
        for (keyword, old, new) in [
            ("allOf", &old.all_of, &new.all_of),
            ("anyOf", &old.any_of, &new.any_of),
            ("oneOf", &old.one_of, &new.one_of),
            ("not", &not(old), &not(new)),
        ] {
            match (old.is_empty(), new.is_empty()) {
                _ if old == new => {}
                (false, true) => self.push(spot, Class::Widened, format!("{keyword} is gone")),
                _ => self.push(spot, Class::Tightened, format!("{keyword} has changed")),
            }
        }
    }

    /// Rules are known by their text; one that was exchanged for another has changed.
    fn rules(&mut self, spot: &Spot, old: &Props, new: &Props) {
        let texts = |props: &Props| props.validations.iter().map(|rule| rule.rule.clone()).collect::<Vec<Text>>();
        let before = texts(old);
        let after = texts(new);
        let gone: Vec<&Text> = before.iter().filter(|rule| !after.contains(rule)).collect();
        let come: Vec<&Text> = after.iter().filter(|rule| !before.contains(rule)).collect();
        if let ([gone], [come]) = (gone.as_slice(), come.as_slice()) {
            return self.push(spot, Class::RuleChanged, format!("{gone} becomes {come}"));
        }
        for rule in come {
            self.push(spot, Class::RuleAdded, rule.as_str());
        }
        for rule in gone {
            self.push(spot, Class::RuleRemoved, rule.as_str());
        }
        for rule in &new.validations {
            let same = old.validations.iter().find(|old| old.rule == rule.rule);
            if same.is_some_and(|old| old != rule) {
                self.push(spot, Class::Changed, format!("the message or place of {} has changed", rule.rule));
            }
        }
    }

    fn required(&mut self, spot: &Spot, old: &Props, new: &Props) {
        for name in new.required.iter().filter(|name| !old.required.contains(name)) {
            let place = spot.property(name);
            if new.properties.get(name).is_some_and(|property| property.default.is_some()) {
                self.push(&place, Class::Changed, "is required, and set by its default");
                continue;
            }
            // The error stands at the struct that lacks the field; it is ratcheted while that struct is unchanged.
            let text = match spot.path.as_str() {
                "" => "is required: where it is missing, any edit of the object is rejected".to_owned(),
                path if path.contains("[*]") => "is required: where it is missing, no edit around it passes".to_owned(),
                path => format!("is required: where it is missing, any edit of {path} is rejected"),
            };
            self.push(&place, Class::Tightened, text);
        }
        for name in old.required.iter().filter(|name| !new.required.contains(name)) {
            self.push(&spot.property(name), Class::Widened, "is not required any more");
        }
    }

    fn properties(&mut self, spot: &Spot, old: &Props, new: &Props) {
        for (name, before) in &old.properties {
            let spot = spot.property(name);
            match new.properties.get(name) {
                Some(after) => self.node(&spot, before, after),
                None if new.preserve_unknown_fields == Some(true) => {
                    self.push(&spot, Class::Widened, "is not described any more, but kept");
                }
                None => self.push(&spot, Class::LosesData, "is gone: stored values are dropped"),
            }
        }
        for name in new.properties.keys().filter(|name| !old.properties.contains_key(*name)) {
            self.push(&spot.property(name), Class::Added, "is new");
        }
    }

    /// `additionalProperties`.
    fn entries(&mut self, spot: &Spot, old: &Props, new: &Props) {
        let allows = |props: &Props| {
            matches!(props.additional_properties, Some(PropsOrBool::Bool(true) | PropsOrBool::Props(_)))
        };
        match (old.additional_schema(), new.additional_schema()) {
            (Some(old), Some(new)) => self.node(&spot.elements("additionalProperties"), old, new),
            (None, Some(_)) if allows(old) => self.push(spot, Class::Tightened, "entries have a schema"),
            (Some(_), None) if allows(new) => self.push(spot, Class::Widened, "entries have no schema any more"),
            _ => match (allows(old), allows(new)) {
                (true, false) => self.push(spot, Class::LosesData, "further entries are dropped"),
                (false, true) => self.push(spot, Class::Widened, "further entries are kept"),
                _ => {}
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

fn flag_text(keyword: &str, is_set: bool) -> String {
    match (keyword, is_set) {
        ("nullable", true) => "null is not allowed any more".to_owned(),
        ("nullable", false) => "null is allowed".to_owned(),
        (keyword, true) => format!("{keyword} is set"),
        (keyword, false) => format!("{keyword} is gone"),
    }
}

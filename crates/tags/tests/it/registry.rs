//! The registry is what the docs, the linter and the lowering read: it has to be complete.

use sprag_idl::{Span, Syntax, Tag, TagValue, parse_tag};
use sprag_tags::{Dialect, Known, MARKERS, Payload, Registry, formats};

#[test]
fn names_are_sorted_and_unique() {
    let registry = Registry::standard();
    assert!(registry.rules().is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn aliases_are_names_of_nothing_else() {
    let registry = Registry::standard();
    let mut names: Vec<&str> = registry.rules().iter().flat_map(|rule| rule.kep_aliases).copied().collect();
    assert!(
        names.iter().all(|name| registry.find(name).is_none() && registry.resolve(name, Dialect::Kubernetes).is_none())
    );
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_tag_says_what_it_does() {
    for rule in Registry::standard().rules() {
        assert!(rule.summary.ends_with('.'), "{}: {}", rule.name, rule.summary);
        assert!(!rule.scopes.is_empty(), "{}", rule.name);
    }
}

#[test]
fn every_example_is_a_tag_of_its_own_kind() {
    for rule in Registry::standard().rules() {
        let syntax = if rule.known == Known::Kep { Syntax::Kep } else { Syntax::Kubernetes };
        let text = rule.example.strip_prefix('+').expect("examples are tag lines");
        let tag = parse_tag(text, Span::NONE, syntax).expect("examples can be read");
        let named = std::iter::successors(Some(&tag), |tag| tag.inner()).find(|tag| tag.name == rule.name);
        let named: &Tag = named.unwrap_or_else(|| panic!("{}: {}", rule.name, rule.example));
        let takes_tag = matches!(rule.payload, Payload::Tag | Payload::OptionalTag);
        assert_eq!(matches!(named.value, TagValue::Tag(_)), takes_tag, "{}: {}", rule.name, rule.example);
    }
}

#[test]
fn markers_are_sorted_and_no_rules() {
    assert!(MARKERS.is_sorted_by(|a, b| a.name < b.name));
    let registry = Registry::standard();
    for marker in MARKERS {
        assert!(registry.find(marker.name).is_none(), "{}", marker.name);
        assert!(marker.example.strip_prefix('+').is_some_and(|text| text.starts_with(marker.name)), "{}", marker.name);
    }
}

#[test]
fn names_of_formats_are_unique() {
    let mut names: Vec<&str> = formats().map(|format| format.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

//! Discovery, field selectors and tables of each kind: `facts.json`.

use std::collections::{BTreeMap, BTreeSet};

use sprag_value::{Array, Object, Value};

use super::Native;
use super::answer::Verdict;
use super::tables::TABLE;
use super::tally::Place;
use super::wire::{Facts, SubresourceFacts};
use super::world::{Asked, Served, World, escaped};

/// Runs the file: three cases for each kind.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let kinds: BTreeMap<String, Facts> = document.read_json()?;
    let candidates: BTreeSet<&str> =
        kinds.values().flat_map(|facts| facts.field_selectors.iter().flatten()).map(String::as_str).collect();
    let world = native.world()?;
    for facts in kinds.values() {
        if !native.kinds.wants(&facts.api_version, &facts.kind) {
            continue;
        }
        let place = Place::new(group, &facts.api_version, &facts.kind);
        let Some(served) = world.served(&facts.api_version, &facts.kind) else {
            native.tally.not_served(&place, 3);
            continue;
        };
        native.tally.case(&place, "discovery", discovery(&world, facts)?);
        if let Some(selectors) = &facts.field_selectors {
            native.tally.case(&place, "fieldSelectors", selectors_of(&world, &served, selectors, &candidates)?);
        }
        if let Some(columns) = &facts.columns {
            native.tally.case(&place, "columns", columns_of(&world, &served, columns)?);
        }
    }
    Ok(())
}

fn get(world: &World<'_>, path: String, accept: Option<&str>) -> Result<Value, String> {
    let asked = Asked { method: "GET".to_owned(), path, accept: accept.map(str::to_owned), ..Asked::default() };
    Ok(world.send(&asked)?.json())
}

fn discovery(world: &World<'_>, facts: &Facts) -> Result<Verdict, String> {
    let root = if facts.api_version.contains('/') { "apis" } else { "api" };
    let list = get(world, format!("/{root}/{}", facts.api_version), None)?;
    let resources: Vec<&Value> = list.get("resources").and_then(Value::as_array).into_iter().flatten().collect();
    let named = |name: &str| resources.iter().find(|resource| resource.text("name") == name);
    let ours = named(&facts.plural).map_or(Value::Null, |resource| {
        let below = format!("{}/", facts.plural);
        let subresources = resources.iter().filter_map(|resource| {
            let name = resource.text("name").strip_prefix(&below)?;
            Some(subresource(name, resource))
        });
        Value::Object(Object::from([
            ("kind", Value::from(resource.text("kind"))),
            ("singularName", Value::from(resource.text("singularName"))),
            ("namespaced", resource.get("namespaced").cloned().unwrap_or_default()),
            ("shortNames", resource.get("shortNames").cloned().unwrap_or_else(Value::array)),
            ("categories", resource.get("categories").cloned().unwrap_or_else(Value::array)),
            ("verbs", resource.get("verbs").cloned().unwrap_or_default()),
            ("storageVersionHashPresent", Value::from(!resource.text("storageVersionHash").is_empty())),
            ("subresources", Value::Array(Array::from(subresources.collect::<Vec<_>>()))),
        ]))
    });
    let mut verdict = Verdict::default();
    verdict.values("discovery", &recorded(facts), &ours);
    Ok(verdict)
}

/// The recorded facts in the form of [`discovery`].
fn recorded(facts: &Facts) -> Value {
    let texts = |texts: &[String]| Value::Array(texts.iter().map(Value::from).collect::<Vec<_>>().into());
    let optional = |text: &Option<String>| text.as_ref().map_or(Value::Null, Value::from);
    let subresources = facts.subresources.iter().map(|SubresourceFacts { name, kind, group, version, verbs }| {
        Value::Object(Object::from([
            ("name", Value::from(name)),
            ("kind", Value::from(kind)),
            ("group", optional(group)),
            ("version", optional(version)),
            ("verbs", texts(verbs)),
        ]))
    });
    Value::Object(Object::from([
        ("kind", Value::from(&facts.kind)),
        ("singularName", Value::from(&facts.singular_name)),
        ("namespaced", Value::from(facts.namespaced)),
        ("shortNames", texts(&facts.short_names)),
        ("categories", texts(&facts.categories)),
        ("verbs", texts(&facts.verbs)),
        ("storageVersionHashPresent", Value::from(facts.storage_version_hash_present)),
        ("subresources", Value::Array(Array::from(subresources.collect::<Vec<_>>()))),
    ]))
}

fn subresource(name: &str, resource: &Value) -> Value {
    let member = |name: &str| resource.get(name).cloned().unwrap_or_default();
    Value::Object(Object::from([
        ("name", Value::from(name)),
        ("kind", member("kind")),
        ("group", member("group")),
        ("version", member("version")),
        ("verbs", member("verbs")),
    ]))
}

/// Compares the fields that a kind selects by, out of all that any kind does.
fn selectors_of(
    world: &World<'_>,
    served: &Served,
    recorded: &[String],
    candidates: &BTreeSet<&str>,
) -> Result<Verdict, String> {
    let mut ours = BTreeSet::new();
    for field in candidates {
        let path = format!("{}?fieldSelector={}%3Dx", served.path("", "", ""), escaped(field));
        let asked = Asked { method: "GET".to_owned(), path, ..Asked::default() };
        if world.send(&asked)?.code == 200 {
            ours.insert(*field);
        }
    }
    let recorded: BTreeSet<&str> = recorded.iter().map(String::as_str).collect();
    let mut verdict = Verdict::default();
    if recorded != ours {
        verdict.add("fieldSelectors", format!("{recorded:?}"), format!("{ours:?}"));
    }
    Ok(verdict)
}

fn columns_of(world: &World<'_>, served: &Served, recorded: &Value) -> Result<Verdict, String> {
    let table = get(world, served.path("", "", ""), Some(TABLE))?;
    let columns = table.get("columnDefinitions").and_then(Value::as_array).into_iter().flatten();
    let columns: Vec<Value> = columns
        .map(|column| {
            let mut column = column.clone();
            column.remove("description");
            column
        })
        .collect();
    let mut verdict = Verdict::default();
    verdict.values("columns", recorded, &Value::Array(columns.into()));
    Ok(verdict)
}


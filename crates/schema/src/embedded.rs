//! Embedded resources (`x-kubernetes-embedded-resource`): their metadata brought into form, and checked.

use sprag_checks::object_meta::{self, Rules, Undeclared, Usage, dns_1035_label, path_segment};
use sprag_field::{Error, Errors, Path};
use sprag_release::Fact;
use sprag_value::{Object, Value};

use crate::enumeration::bad_value;
use crate::metadata::{self, Malformed};
use crate::node::Node;
use crate::trail::{Step, Trail};

/// Brings the metadata of all embedded resources into canonical form.
///
/// Returns the unknown members in it, sorted; the error is about the first that cannot be read.
pub(crate) fn coerce(node: &Node, object: &mut Object, malformed: Malformed) -> Result<Vec<String>, Error> {
    let mut coercer = Coercer { malformed, unknown: Vec::new() };
    if node.below.embedded {
        coercer.members(node, object, &Trail::ROOT)?;
    }
    coercer.unknown.sort_unstable();
    Ok(coercer.unknown)
}

/// Brings the metadata of all embedded resources in a value into canonical form; the error is about the first that
/// cannot be read.
pub(crate) fn coerce_value(node: &Node, value: &mut Value) -> Result<(), Error> {
    Coercer { malformed: Malformed::Refused, unknown: Vec::new() }.part(node, value, &Trail::ROOT)
}

/// Brings the metadata in the default of a schema into canonical form, as far as it can be read.
pub(crate) fn coerce_default(node: &Node, value: &mut Value) {
    let mut coercer = Coercer { malformed: Malformed::Dropped, unknown: Vec::new() };
    // Malformed parts are dropped, so nothing is ever rejected.
    let _ = coercer.part(node, value, &Trail::ROOT);
}

struct Coercer {
    malformed: Malformed,
    unknown: Vec<String>,
}

impl Coercer {
    fn part(&mut self, node: &Node, value: &mut Value, trail: &Trail<'_>) -> Result<(), Error> {
        if !node.below.embedded {
            return Ok(());
        }
        match value {
            Value::Object(object) => self.members(node, object, trail),
            Value::Array(array) => {
                let Some(items) = node.items.as_deref() else { return Ok(()) };
                let mut elements = array.as_mut_slice().iter_mut().enumerate();
                elements.try_for_each(|(index, element)| self.part(items, element, &trail.index(index)))
            }
            _ => Ok(()),
        }
    }

    fn members(&mut self, node: &Node, object: &mut Object, trail: &Trail<'_>) -> Result<(), Error> {
        if node.embedded {
            for name in ["apiVersion", "kind"] {
                self.type_field(name, object, trail)?;
            }
            self.metadata(object, trail)?;
        }
        for (name, value) in object.iter_mut() {
            if let Some(property) = node.properties.get(name) {
                self.part(property, value, &trail.property(name))?;
            } else if let Some(values) = node.additional.schema() {
                self.part(values, value, &trail.entry(name))?;
            }
        }
        Ok(())
    }

    fn type_field(&self, name: &str, object: &mut Object, trail: &Trail<'_>) -> Result<(), Error> {
        match object.get(name) {
            None | Some(Value::String(_)) => {}
            Some(_) if self.malformed == Malformed::Dropped => {
                object.remove(name);
            }
            Some(value) => {
                return Err(trail
                    .property(name)
                    .error(|path| Error::invalid(path, bad_value(value), "must be a string")));
            }
        }
        Ok(())
    }

    fn metadata(&mut self, object: &mut Object, trail: &Trail<'_>) -> Result<(), Error> {
        let Some(found) = object.get("metadata") else { return Ok(()) };
        let trail = trail.property("metadata");
        match metadata::coerce(found, self.malformed) {
            Ok(coerced) => {
                self.unknown.extend(coerced.unknown.iter().map(|unknown| format!("{trail}.{unknown}")));
                object.insert("metadata", coerced.metadata);
            }
            Err(_) if self.malformed == Malformed::Dropped => {}
            Err(error) => return Err(trail.error(|path| Error::invalid(path, bad_value(found), error.text))),
        }
        Ok(())
    }
}

/// Checks the metadata of all embedded resources.
pub(crate) fn validate(node: &Node, value: &Value, errors: &mut Errors) {
    walk(node, value, &Trail::ROOT, errors);
}

fn walk(node: &Node, value: &Value, trail: &Trail<'_>, errors: &mut Errors) {
    if !node.below.embedded {
        return;
    }
    match value {
        Value::Object(object) => {
            if node.embedded {
                resource(object, trail, errors);
            }
            let mut properties = node.properties.cursor();
            for (name, value) in object {
                if let Some(property) = properties.find(name) {
                    walk(property, value, &trail.step(Step::Property(name)), errors);
                } else if let Some(values) = node.additional.schema() {
                    walk(values, value, &trail.step(Step::Entry(name)), errors);
                }
            }
        }
        Value::Array(array) => {
            for (index, element) in array.iter().enumerate() {
                if let Some(items) = &node.items {
                    walk(items, element, &trail.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn resource(object: &Object, trail: &Trail<'_>, errors: &mut Errors) {
    for (name, flaw) in [("apiVersion", api_version_flaw as fn(&str) -> Option<String>), ("kind", kind_flaw)] {
        let trail = trail.property(name);
        let error = match object.get(name) {
            None => {
                let is_short = errors.release().has(Fact::DetailsLeaveFieldsOut);
                trail.error(|path| Error::required(path, if is_short { "" } else { "must not be empty" }))
            }
            Some(Value::String(text)) => match flaw(text) {
                None => continue,
                Some(flaw) => trail.error(|path| Error::invalid(path, text.as_str(), flaw)),
            },
            Some(value) => trail.error(|path| Error::invalid(path, bad_value(value), "must be a string")),
        };
        errors.push(error);
    }
    if let Some(found) = object.get("metadata") {
        let place = trail.property("metadata").to_string();
        resource_metadata(found, &Path::new(&place), errors);
    }
}

fn api_version_flaw(text: &str) -> Option<String> {
    if text.is_empty() {
        Some("must not be empty".into())
    } else if text.matches('/').count() > 1 {
        Some(format!("unexpected GroupVersion string: {text}"))
    } else {
        None
    }
}

fn kind_flaw(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".into());
    }
    let mut flaws = Vec::new();
    dns_1035_label(&text.to_lowercase(), Usage::Name, &mut |flaw| flaws.push(flaw));
    let start = "may have mixed case, but should otherwise match: ";
    (!flaws.is_empty()).then(|| format!("{start}{}", flaws.join(",")))
}

fn resource_metadata(found: &Value, path: &Path<'_>, errors: &mut Errors) {
    match metadata::coerce(found, Malformed::Refused) {
        Err(error) => errors.push(Error::invalid(path, bad_value(found), error.text)),
        Ok(coerced) => {
            let mut metadata = coerced.metadata;
            let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
            let namespaced = !text("namespace").is_empty();
            if text("name").is_empty() {
                // A name is not asked for, so one that is fine takes its place.
                metadata.insert("name", "fakename");
            }
            let rules = Rules { namespaced, name: &path_segment, declares_name: false, fields: &Undeclared };
            let mark = errors.len();
            object_meta::validate_create(&metadata, &rules, path, errors);
            object_meta::drop_repeated(errors, mark);
        }
    }
}

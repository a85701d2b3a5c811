//! The file of exceptions: what is meant to differ, why, and who agreed.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use sprag_decode::yaml;
use sprag_value::Value;

use super::practice::{self, Practice};
use super::report::Finding;

const API_VERSION: &str = "sprag.dev/v1alpha1";
const KIND: &str = "ApiExceptions";
/// Every resource that a definition defines; only the exceptions of Kubernetes have it.
pub(super) const CUSTOM: &str = "custom resources";

/// An intended difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exception {
    /// `turbines.example.dev`; of the core group without a dot: `configmaps`; `*` for the server itself.
    pub(super) resource: String,
    pub(super) practice: Practice,
    /// The fields that differ; of practices about fields, all when there are none.
    pub(super) fields: Vec<String>,
    pub(super) reason: String,
    pub(super) approver: String,
    /// True if it is one of Kubernetes' own, of which a server need not serve all kinds.
    pub(super) is_built_in: bool,
}

impl Exception {
    /// True if a finding is what is meant.
    pub(super) fn covers(&self, finding: &Finding) -> bool {
        (self.resource == finding.resource || (self.resource == CUSTOM && finding.is_custom))
            && self.practice == finding.practice
            && (self.fields.is_empty() || finding.field.as_ref().is_some_and(|field| self.fields.contains(field)))
    }

    /// The fields that none of these findings is about.
    pub(super) fn unneeded_fields(&self, findings: &[Finding]) -> Vec<&str> {
        let is_found = |field: &String| {
            findings.iter().any(|finding| self.covers(finding) && finding.field.as_ref() == Some(field))
        };
        self.fields.iter().filter(|field| !is_found(field)).map(String::as_str).collect()
    }
}

/// The exceptions of a file, for comparisons of an API with its last release.
#[derive(Debug, Default)]
pub struct Exceptions {
    about_changes: Vec<(Exception, bool)>,
}

impl Exceptions {
    /// Reads a file, which has to be there.
    pub fn read(path: &Path) -> Result<Exceptions, String> {
        if !path.exists() {
            return Err(format!("{}: there is no such file", path.display()));
        }
        let exceptions = read(path)?.into_iter().filter(|exception| exception.practice.is_about_changes());
        Ok(Exceptions { about_changes: exceptions.map(|exception| (exception, false)).collect() })
    }

    /// True if an exception covers a change, which makes it a needed one.
    pub fn take(&mut self, resource: &str, practice: &str, field: &str) -> bool {
        let covers = |exception: &Exception| {
            exception.resource == resource
                && exception.practice.name == practice
                && (exception.fields.is_empty() || exception.fields.iter().any(|known| known == field))
        };
        let found = self.about_changes.iter_mut().find(|(exception, _)| covers(exception));
        found.map(|(_, is_needed)| *is_needed = true).is_some()
    }

    /// The exceptions from practices about changes that covered none, as texts.
    pub fn unneeded_changes(&self) -> Vec<String> {
        let unneeded = self.about_changes.iter().filter(|(_, is_needed)| !is_needed);
        unneeded.map(|(exception, _)| format!("{}: {}", exception.resource, exception.practice.name)).collect()
    }
}

/// The exceptions of a file; none if there is no such file.
pub(super) fn read(path: &Path) -> Result<Vec<Exception>, String> {
    match fs::read(path) {
        Ok(text) => parse(&text).map_err(|error| format!("{}: {error}", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Reads exceptions. Everything in the file is known, and nothing in it is missing.
pub(super) fn parse(text: &[u8]) -> Result<Vec<Exception>, String> {
    let decoded = yaml::decode_strict(text).map_err(|error| error.to_string())?;
    if let Some(finding) = decoded.findings.first() {
        return Err(finding.to_string());
    }
    let file = decoded.value;
    only(&file, "the file", &["apiVersion", "kind", "exceptions"])?;
    if file.get("apiVersion").and_then(Value::as_str) != Some(API_VERSION)
        || file.get("kind").and_then(Value::as_str) != Some(KIND)
    {
        return Err(format!("it begins with `apiVersion: {API_VERSION}` and `kind: {KIND}`"));
    }
    let list = match file.get("exceptions") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(list) => list.as_array().ok_or("exceptions: a list is expected")?,
    };
    let exceptions = list.iter().enumerate();
    let exceptions =
        exceptions.map(|(index, entry)| exception(entry).map_err(|error| format!("exceptions[{index}]: {error}")));
    let exceptions: Vec<Exception> = exceptions.collect::<Result<_, String>>()?;
    for (index, exception) in exceptions.iter().enumerate() {
        let same = |other: &Exception| other.resource == exception.resource && other.practice == exception.practice;
        if exceptions[..index].iter().any(same) {
            let Exception { resource, practice, .. } = exception;
            return Err(format!("exceptions[{index}]: {resource} has an exception from {} already", practice.name));
        }
    }
    Ok(exceptions)
}

fn exception(entry: &Value) -> Result<Exception, String> {
    only(entry, "an exception", &["resource", "practice", "fields", "reason", "approver"])?;
    let fields = match entry.get("fields") {
        None => Vec::new(),
        Some(fields) => {
            fields.as_array().ok_or("fields: a list is expected")?.iter().map(text_of).collect::<Result<_, _>>()?
        }
    };
    Ok(Exception {
        resource: text(entry, "resource")?,
        practice: practice::find(&text(entry, "practice")?)?,
        fields,
        reason: text(entry, "reason")?,
        approver: text(entry, "approver")?,
        is_built_in: false,
    })
}

fn text_of(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "fields: names are expected".to_owned())
}

fn text(entry: &Value, name: &str) -> Result<String, String> {
    let text = entry.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| format!("{name} is missing: an exception has resource, practice, reason and approver"))
}

fn only(value: &Value, what: &str, known: &[&str]) -> Result<(), String> {
    let members = value.as_object().ok_or_else(|| format!("{what} is not a map"))?;
    match members.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown member {key:?}; {what} has {}", known.join(", "))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "apiVersion: sprag.dev/v1alpha1\nkind: ApiExceptions\nexceptions:\n";

    fn refused(entries: &str) -> String {
        parse(format!("{HEAD}{entries}").as_bytes()).unwrap_err()
    }

    #[test]
    fn an_exception_has_a_reason_and_an_approver() {
        let entry = "- {resource: a.b, practice: openapi, reason: because, approver: ann}\n";
        assert_eq!(parse(format!("{HEAD}{entry}").as_bytes()).unwrap()[0].reason, "because");
        let said = refused("- {resource: a.b, practice: openapi, approver: ann}\n");
        assert_eq!(said, "exceptions[0]: reason is missing: an exception has resource, practice, reason and approver");
        let said = refused("- {resource: a.b, practice: openapi, reason: ' ', approver: ann}\n");
        assert!(said.contains("reason is missing"), "{said}");
    }

    #[test]
    fn mistakes_are_named() {
        let said = refused("- {resource: a.b, practice: open-api, reason: r, approver: ann}\n");
        assert_eq!(said, r#"exceptions[0]: unknown practice "open-api"; did you mean openapi?"#);
        let said = refused("- {resource: a.b, practise: openapi, reason: r, approver: ann}\n");
        assert!(said.contains(r#"unknown member "practise""#), "{said}");
        let twice = "- {resource: a.b, practice: openapi, reason: r, approver: ann}\n".repeat(2);
        assert_eq!(refused(&twice), "exceptions[1]: a.b has an exception from openapi already");
        assert!(parse(b"kind: ApiExceptions\n").unwrap_err().contains("it begins with"));
    }
}

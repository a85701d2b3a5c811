//! A map of settings: every key known, every value of the right kind.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Context;
use sprag_analysis::files::Place;
use sprag_analysis::nearest;
use sprag_value::{Object, Value};

/// An error about a setting, with its path in the file.
#[derive(Debug)]
pub(crate) struct SettingError {
    pub(crate) path: String,
    text: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SettingError {}

/// Makes an error about the setting at a path.
pub(crate) fn wrong(path: impl Into<String>, text: impl Into<String>) -> anyhow::Error {
    SettingError { path: path.into(), text: text.into() }.into()
}

/// A map of settings, with its name.
pub(crate) struct Section<'v> {
    name: String,
    object: Option<&'v Object>,
}

impl<'v> Section<'v> {
    /// Takes a map that has no other keys than these.
    pub(crate) fn new(name: &str, value: &'v Value, keys: &[&str]) -> anyhow::Result<Section<'v>> {
        let name = name.to_owned();
        let object = match value {
            Value::Null => None,
            Value::Object(object) => Some(object),
            _ if name.is_empty() => return Err(wrong("", "the file must be a map")),
            _ => return Err(wrong(&name, format!("{name} must be a map"))),
        };
        let unknown = object.into_iter().flat_map(Object::keys).find(|key| !keys.contains(&key.as_str()));
        let Some(key) = unknown else { return Ok(Section { name, object }) };
        let place = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let hint = match nearest(key.as_str(), keys.iter().copied()) {
            Some(known) => format!("; did you mean {known:?}?"),
            None => String::new(),
        };
        let path = if name.is_empty() { key.as_str().to_owned() } else { format!("{name}.{}", key.as_str()) };
        Err(wrong(path, format!("{place}there is no key {:?}{hint}", key.as_str())))
    }

    /// A map inside of this one; empty when it is not there.
    pub(crate) fn section(&self, key: &str, keys: &[&str]) -> anyhow::Result<Section<'v>> {
        Section::new(&self.path(key), self.get(key).unwrap_or(&Value::Null), keys)
    }

    /// The value of a key; null counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'v Value> {
        self.object?.get(key).filter(|value| !value.is_null())
    }

    /// The path of a key, for messages.
    pub(crate) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// The error for a key with a value of the wrong kind.
    fn wrong(&self, key: &str, expected: &str) -> anyhow::Error {
        let path = self.path(key);
        let text = format!("{path} must be {expected}");
        wrong(path, text)
    }

    pub(crate) fn flag(&self, key: &str) -> anyhow::Result<bool> {
        let Some(value) = self.get(key) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.wrong(key, "true or false"))
    }

    /// Names that are true or false.
    pub(crate) fn flags(&self, key: &str) -> anyhow::Result<BTreeMap<String, bool>> {
        let wrong = || self.wrong(key, "a map of names to true or false");
        match self.get(key) {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(names)) => {
                names.iter().map(|(name, on)| Ok((name.as_str().to_owned(), on.as_bool().ok_or_else(wrong)?))).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// Names with texts; a bare `off` is a boolean in YAML.
    pub(crate) fn pairs(&self, key: &str) -> anyhow::Result<Vec<(String, String)>> {
        let wrong = || self.wrong(key, "a map of names to texts");
        let text = |value: &Value| match value {
            Value::Bool(false) => Some("off".to_owned()),
            value => value.as_str().map(str::to_owned),
        };
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Object(names)) => names
                .iter()
                .map(|(name, value)| Ok((name.as_str().to_owned(), text(value).ok_or_else(wrong)?)))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }

    pub(crate) fn text(&self, key: &str) -> anyhow::Result<Option<String>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.wrong(key, "text"))?;
        Ok(Some(text.to_owned()))
    }

    /// One text or several.
    pub(crate) fn texts(&self, key: &str) -> anyhow::Result<Vec<String>> {
        let wrong = || self.wrong(key, "text or a list of texts");
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.to_string()]),
            Some(Value::Array(list)) => {
                list.as_slice().iter().map(|text| Ok(text.as_str().ok_or_else(wrong)?.to_owned())).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// One place or several, seen from a folder.
    pub(crate) fn places(&self, key: &str, folder: &Path) -> anyhow::Result<Vec<Place>> {
        let place = |text: &String| text.parse::<Place>().map_err(anyhow::Error::msg);
        let places: anyhow::Result<Vec<Place>> = self.texts(key)?.iter().map(place).collect();
        let places = places.with_context(|| self.path(key))?;
        Ok(places.iter().map(|place| place.below(folder)).collect())
    }
}

//! Files that declare an author's own tags, so that the build script and the command line read the same ones.
//!
//! ```yaml
//! apiVersion: sprag.dev/v1alpha1
//! kind: Tags
//! tags:
//! - name: acme:color
//!   function: crate::checks::color
//!   scopes: [field, listVal]
//!   summary: The string has to be a colour of a palette.
//!   args:
//!   - {name: palette, type: string, required: true, summary: The palette.}
//!   payload: {type: int}
//! ```

use std::fmt;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sprag_tags::{ArgSpec, CustomTag, LiteralKind, PayloadSpec, Registry, Scope};
use sprag_value::Value;

use crate::load::MAX_FILE_BYTES;

/// The version of the form described here.
const API_VERSION: &str = "sprag.dev/v1alpha1";
const KIND: &str = "Tags";

/// The keys of a tag in a tags file.
const TAG_KEYS: [&str; 10] =
    ["name", "function", "scopes", "summary", "words", "args", "payload", "constants", "shortCircuit", "onChange"];

/// The error of a tags file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct TagsFileError {
    /// The file.
    path: PathBuf,
    /// The reason.
    problem: String,
}

/// The tags that a file declares.
pub fn read_tags(path: &Path) -> Result<Vec<CustomTag>, TagsFileError> {
    let refused = |problem: String| TagsFileError { path: path.to_owned(), problem };
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| refused(error.to_string()))?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refused(error.to_string()))?;
    if u64::try_from(bytes.len()).is_ok_and(|size| size > MAX_FILE_BYTES) {
        return Err(refused(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    let decoded = sprag_decode::yaml::decode_strict(&bytes).map_err(|error| refused(error.to_string()))?;
    if let Some(finding) = decoded.findings.first() {
        return Err(refused(finding.to_string()));
    }
    parse(&decoded.value).map_err(refused)
}

/// The standard tags and those of these files.
pub fn registry<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<Registry, TagsFileError> {
    let mut registry = Registry::standard();
    for path in files {
        let path = path.as_ref();
        for tag in read_tags(path)? {
            let refused =
                |error: &dyn fmt::Display| TagsFileError { path: path.to_owned(), problem: error.to_string() };
            registry = registry.with(tag).map_err(|error| refused(&error))?;
        }
    }
    Ok(registry)
}

fn parse(value: &Value) -> Result<Vec<CustomTag>, String> {
    let file = Entry::new("the file", value, &["apiVersion", "kind", "tags"])?;
    if file.text("apiVersion")?.as_deref() != Some(API_VERSION) || file.text("kind")?.as_deref() != Some(KIND) {
        return Err(format!("apiVersion must be {API_VERSION} and kind {KIND}"));
    }
    file.list("tags")?.iter().enumerate().map(|(at, tag)| parse_tag(&format!("tags[{at}]"), tag)).collect()
}

fn parse_tag(place: &str, value: &Value) -> Result<CustomTag, String> {
    let tag = Entry::new(place, value, &TAG_KEYS)?;
    let scopes: Vec<Scope> =
        tag.list("scopes")?.iter().map(|scope| parse_scope(place, scope)).collect::<Result<_, _>>()?;
    let args = tag.list("args")?.into_iter().enumerate();
    let args = args.map(|(at, arg)| parse_arg(&format!("{place}.args[{at}]"), arg)).collect::<Result<_, _>>()?;
    let payload = match tag.get("payload") {
        None => None,
        Some(payload) => Some(parse_payload(&format!("{place}.payload"), payload)?),
    };
    let on_change = tag.flag("onChange")?;
    if on_change && scopes != [Scope::Field] {
        return Err(format!("{place}: a tag with onChange has scopes [field], and no other"));
    }
    let constants = tag.flag("constants")?;
    if constants && payload.is_none_or(|payload: PayloadSpec| payload.required || payload.kind != LiteralKind::String) {
        return Err(format!("{place}: a tag with constants has payload {{type: string}}"));
    }
    Ok(CustomTag {
        name: tag.needed("name")?,
        function: tag.needed("function")?,
        summary: tag.text("summary")?.unwrap_or_default(),
        words: tag.text("words")?.unwrap_or_default(),
        scopes,
        args,
        payload,
        constants,
        short_circuit: tag.flag("shortCircuit")?,
        on_change,
    })
}

fn parse_scope(place: &str, value: &Value) -> Result<Scope, String> {
    let named = |scope: &&Scope| value.as_str() == Some(scope.name());
    let names: Vec<&str> = Scope::VALUES.iter().map(|scope| scope.name()).collect();
    let scope = Scope::VALUES.iter().find(named);
    scope.copied().ok_or_else(|| format!("{place}.scopes must be some of {}", names.join(", ")))
}

fn parse_arg(place: &str, value: &Value) -> Result<ArgSpec, String> {
    let arg = Entry::new(place, value, &["name", "type", "required", "summary"])?;
    // The registry lives as long as the program, and so do the few names and texts in it.
    let leaked = |text: String| -> &'static str { text.leak() };
    Ok(ArgSpec {
        name: arg.text("name")?.map(leaked),
        kind: arg.kind()?,
        required: arg.flag("required")?,
        docs: leaked(arg.text("summary")?.unwrap_or_default()),
    })
}

fn parse_payload(place: &str, value: &Value) -> Result<PayloadSpec, String> {
    let payload = Entry::new(place, value, &["type", "required"])?;
    Ok(PayloadSpec { kind: payload.kind()?, required: payload.flag("required")? })
}

/// A map of the file, with the place to name in errors.
struct Entry<'v> {
    place: &'v str,
    value: &'v Value,
}

impl<'v> Entry<'v> {
    fn new(place: &'v str, value: &'v Value, keys: &[&str]) -> Result<Entry<'v>, String> {
        let members = value.as_object().ok_or_else(|| format!("{place} must be a map"))?;
        match members.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            Some((key, _)) => Err(format!("{place}: there is no key {:?}, only {}", key.as_str(), keys.join(", "))),
            None => Ok(Entry { place, value }),
        }
    }

    fn get(&self, key: &str) -> Option<&'v Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.get(key).map(|value| text(value).ok_or_else(|| format!("{}.{key} must be text", self.place))).transpose()
    }

    fn needed(&self, key: &str) -> Result<String, String> {
        self.text(key)?.ok_or_else(|| format!("{}.{key} is missing", self.place))
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        let flag = |value: &Value| value.as_bool().ok_or_else(|| format!("{}.{key} must be true or false", self.place));
        self.get(key).map_or(Ok(false), flag)
    }

    fn list(&self, key: &str) -> Result<Vec<&'v Value>, String> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items.iter().collect()),
            Some(_) => Err(format!("{}.{key} must be a list", self.place)),
        }
    }

    fn kind(&self) -> Result<LiteralKind, String> {
        match self.needed("type")?.as_str() {
            "string" => Ok(LiteralKind::String),
            "int" => Ok(LiteralKind::Int),
            "bool" => Ok(LiteralKind::Bool),
            other => Err(format!("{}.type must be string, int or bool, not {other:?}", self.place)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(text: &str, expected: &str) {
        let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Tags\n{text}");
        let value = sprag_decode::yaml::decode(text.as_bytes()).unwrap();
        assert_eq!(parse(&value).unwrap_err(), expected);
    }

    #[test]
    fn mistakes_are_named_by_their_place() {
        refuses("tag: []", "the file: there is no key \"tag\", only apiVersion, kind, tags");
        refuses("tags: {}", "the file.tags must be a list");
        refuses("tags: [{name: a:b}]", "tags[0].function is missing");
        refuses(
            "tags: [{name: a:b, function: f, scopes: [fields]}]",
            "tags[0].scopes must be some of type, field, listVal, mapKey, mapVal",
        );
        refuses(
            "tags: [{name: a:b, function: f, args: [{name: x, type: float}]}]",
            "tags[0].args[0].type must be string, int or bool, not \"float\"",
        );
        refuses(
            "tags: [{name: a:b, function: f, payload: {type: int, required: 1}}]",
            "tags[0].payload.required must be true or false",
        );
        refuses(
            "tags: [{name: a:b, function: f, scopes: [field, type], onChange: true}]",
            "tags[0]: a tag with onChange has scopes [field], and no other",
        );
    }
}

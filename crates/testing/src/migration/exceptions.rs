//! Differences in the wording of errors that a team accepted.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use sprag_field::{Error, NormalizationRule};
use sprag_regexp::Regexp;
use sprag_value::Value;

/// The kind of a file of exceptions.
const KIND: &str = "ValidationExceptions";

/// Pairs of texts that count as the same, each with a reason.
///
/// ```yaml
/// apiVersion: sprag.dev/v1alpha1
/// kind: ValidationExceptions
/// exceptions:
/// - field: spec.ships[*].flag            # any field if left out; `[*]` stands for any subscript
///   handWritten: "Required value: every ship has a flag"
///   declarative: {regex: "^Required value$"}
///   reason: the declarative text says no less
/// ```
#[derive(Debug, Default)]
pub struct Exceptions(Vec<Exception>);

#[derive(Debug)]
struct Exception {
    field: Option<NormalizationRule>,
    by_hand: Text,
    declared: Text,
    name: String,
    used: AtomicBool,
}

#[derive(Debug)]
enum Text {
    Exact(String),
    Regex(Regexp),
}

impl Text {
    fn matches(&self, error: &Error) -> bool {
        let text = error.body().to_string();
        match self {
            Text::Exact(expected) => *expected == text,
            Text::Regex(pattern) => pattern.is_match(&text),
        }
    }
}

impl Exceptions {
    /// Reads a file.
    ///
    /// # Panics
    ///
    /// If the file cannot be read or is not of the form above, so that a test that uses it fails.
    #[track_caller]
    pub fn read(path: impl AsRef<Path>) -> Exceptions {
        let path = path.as_ref();
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Exceptions::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn parse(bytes: &[u8]) -> Result<Exceptions, String> {
        let file = sprag_decode::yaml::decode(bytes).map_err(|error| error.to_string())?;
        if file.get("kind").and_then(Value::as_str) != Some(KIND) {
            return Err(format!("not of kind {KIND}"));
        }
        let list = file.get("exceptions").and_then(Value::as_array).ok_or("no list named exceptions")?;
        list.as_slice().iter().enumerate().map(|(at, entry)| exception(at, entry)).collect::<Result<_, _>>().map(Self)
    }

    /// Tells if the difference between two errors of one field is accepted.
    pub(crate) fn accepts(&self, by_hand: &Error, declared: &Error) -> bool {
        let accepted = self.0.iter().find(|exception| {
            let fits = |rule: &NormalizationRule| rule.apply(&by_hand.field).is_some();
            exception.field.as_ref().is_none_or(fits)
                && exception.by_hand.matches(by_hand)
                && exception.declared.matches(declared)
        });
        accepted.inspect(|exception| exception.used.store(true, Ordering::Relaxed)).is_some()
    }

    /// The exceptions that no difference needed so far.
    pub fn unused(&self) -> Vec<&str> {
        let unused = self.0.iter().filter(|exception| !exception.used.load(Ordering::Relaxed));
        unused.map(|exception| exception.name.as_str()).collect()
    }
}

fn exception(at: usize, entry: &Value) -> Result<Exception, String> {
    let place = format!("exceptions[{at}]");
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let pattern = |key: &str| match entry.get(key) {
        Some(Value::String(text)) => Ok(Text::Exact(text.as_str().to_owned())),
        Some(Value::Object(map)) => {
            let regex = map.get("regex").and_then(Value::as_str).ok_or(format!("{place}.{key} has no regex"))?;
            Regexp::new(regex).map(Text::Regex).map_err(|error| format!("{place}.{key}: {error}"))
        }
        _ => Err(format!("{place} has no {key}")),
    };
    if text("reason").is_none_or(str::is_empty) {
        return Err(format!("{place} has no reason"));
    }
    let known = ["field", "handWritten", "declarative", "reason"];
    if let Some((key, _)) = entry.as_object().and_then(|map| map.iter().find(|(key, _)| !known.contains(&key.as_str())))
    {
        return Err(format!("{place} has an unknown key {:?}", key.as_str()));
    }
    let field = text("field").map(|field| NormalizationRule::new(field, field)).transpose();
    Ok(Exception {
        field: field.map_err(|error| format!("{place}.field: {error}"))?,
        by_hand: pattern("handWritten")?,
        declared: pattern("declarative")?,
        name: format!("{place} ({})", text("reason").unwrap_or_default()),
        used: AtomicBool::new(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "apiVersion: sprag.dev/v1alpha1\nkind: ValidationExceptions\nexceptions:\n\
        - {field: 'a[*].b', handWritten: 'Required value: say b', declarative: {regex: '^Required'}, reason: terse}\n\
        - {handWritten: 'Required value: c', declarative: 'Required value', reason: terse, field: c}\n";

    #[test]
    fn accepted_pairs_are_used_and_others_are_not() {
        let exceptions = Exceptions::parse(FILE.as_bytes()).unwrap();
        let path = sprag_field::Path::new("a");
        let index = path.index(3);
        let b = index.child("b");
        let rule = Error::required(&b, "");
        assert!(!exceptions.accepts(&Error::required(&path, "say b"), &rule));
        assert!(!exceptions.accepts(&Error::required(&b, "say c"), &rule));
        assert!(exceptions.accepts(&Error::required(&b, "say b"), &rule));
        assert_eq!(exceptions.unused(), ["exceptions[1] (terse)"]);
    }

    #[test]
    fn files_that_say_too_little_or_too_much_are_refused() {
        let refused = |file: &str| Exceptions::parse(file.as_bytes()).unwrap_err();
        assert_eq!(refused("kind: List"), "not of kind ValidationExceptions");
        let one = |entry: &str| refused(&format!("kind: ValidationExceptions\nexceptions: [{{{entry}}}]"));
        assert_eq!(one("handWritten: a, declarative: b"), "exceptions[0] has no reason");
        assert_eq!(one("handWritten: a, reason: b"), "exceptions[0] has no declarative");
        assert_eq!(
            one("handWritten: a, declarative: b, reason: c, files: d"),
            "exceptions[0] has an unknown key \"files\""
        );
        assert!(one("handWritten: {regex: 'a('}, declarative: b, reason: c").contains("missing closing )"));
    }
}

//! One object, judged in every version and with every setting of the gates.

use sprag_field::{Error, Matcher};
use sprag_rest::{Definition, split_api_version};
use sprag_value::Value;

use super::compare::{Comparison, Difference, is_declared};
use super::judge::{Bench, Seen, Setting};
use super::{Migration, coverage};

impl Migration {
    /// Checks that hand-written code and rules say the same about an object, created or as an update of an old one: in every
    /// version, with declarative validation on and off, the API's own feature gates on and off. Objects are JSON or YAML.
    ///
    /// # Panics
    ///
    /// If they do not.
    #[track_caller]
    pub fn assert_equivalent(&self, new: &str, old: Option<&str>) {
        let new = parse(new);
        let old = old.map(parse);
        report(&self.equivalence(&new, old.as_ref()), &new, old.as_ref());
    }

    /// The same, with the errors that users see. An expected error is compared by its type, its field in the version of hooks and
    /// its origin.
    ///
    /// # Panics
    ///
    /// If others are seen, in any version and with any setting of the gates.
    #[track_caller]
    pub fn assert_errors(&self, new: &str, old: Option<&str>, expected: &[Error]) {
        let new = parse(new);
        let old = old.map(parse);
        let mut differences = self.equivalence(&new, old.as_ref());
        let matcher = Matcher::new().by_kind().by_origin().by_field_normalized(&self.normalization);
        self.each_judged(&self.definition, &new, old.as_ref(), |label, _, _, seen| {
            let wrong = matcher.diff(expected, &seen.enforced);
            differences.extend(wrong.iter().map(|wrong| Difference::Failed(format!("{label}: {wrong}"))));
        });
        report(&differences, &new, old.as_ref());
    }

    /// The differences between hand-written code and rules about an object.
    pub(crate) fn equivalence(&self, new: &Value, old: Option<&Value>) -> Vec<Difference> {
        let comparison = Comparison::new(&self.normalization, &self.exceptions);
        let mut answers: Vec<(bool, String, Vec<String>)> = Vec::new();
        let mut found = Vec::new();
        self.each_judged(&self.definition, new, old, |label, setting, features, seen| {
            found.extend(seen.failed.as_ref().map(|why| Difference::Failed(format!("{label}: {why}"))));
            answers.push((features, label.to_owned(), answer(&comparison, &seen.enforced)));
            let own = &seen.captured.errors;
            if setting != Setting::Off && self.reference.is_none() && !self.rules_alone {
                let by_hand = own.iter().filter(|error| !is_declared(error));
                found.extend(comparison.differences(by_hand, own.iter().filter(|error| is_declared(error))));
            }
            coverage::record(self, label, &seen.captured);
        });
        if let Some(reference) = &self.reference {
            self.each_judged(reference, new, old, |label, _, features, seen| {
                answers.push((features, format!("reference, {label}"), answer(&comparison, &seen.enforced)));
            });
        }
        for (features, label, says) in &answers {
            let first = answers.iter().find(|(with, ..)| with == features);
            let Some((_, one, one_says)) = first.filter(|(_, _, first)| first != says) else { continue };
            found.push(Difference::Answers {
                one: one.clone(),
                one_says: one_says.clone(),
                other: label.clone(),
                other_says: says.clone(),
            });
        }
        found.dedup();
        found
    }

    /// Judges an object in every version, with every setting of the gates.
    fn each_judged(
        &self,
        definition: &Definition,
        new: &Value,
        old: Option<&Value>,
        mut visit: impl FnMut(&str, Setting, bool, &Seen),
    ) {
        for setting in Setting::ALL {
            for features in self.features() {
                let bench = Bench::new(definition, setting.gates(&self.gates, *features));
                for (version, _) in self.versions() {
                    let new = in_version(definition, new, version);
                    let old = old.map(|old| in_version(definition, old, version));
                    let seen = bench.judge(version, "", &new, old.as_ref());
                    visit(&format!("{version}, {}", setting.name()), setting, *features, &seen);
                }
            }
        }
    }
}

/// An object in another version.
///
/// # Panics
///
/// If it cannot be converted.
#[track_caller]
pub(crate) fn in_version(definition: &Definition, object: &Value, version: &str) -> Value {
    let given = object.get("apiVersion").and_then(Value::as_str).map_or("", |text| split_api_version(text).1);
    let given = if given.is_empty() { definition.storage_version.as_str() } else { given };
    let converted = definition.scheme.convert(object.clone(), given, version);
    let mut converted =
        converted.unwrap_or_else(|error| panic!("the object cannot be converted to {version}: {error}"));
    converted.insert("apiVersion", sprag_rest::api_version(definition.group(), version));
    converted.insert("kind", definition.kind.as_str());
    converted
}

#[track_caller]
pub(crate) fn parse(text: &str) -> Value {
    sprag_decode::yaml::decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Types and fields of errors, as every version and every setting must yield them. Rules without a hand-written counterpart are left
/// out: they do not run where everything is off.
fn answer(comparison: &Comparison<'_>, errors: &[Error]) -> Vec<String> {
    let said = errors.iter().filter(|error| !error.native);
    let mut said: Vec<String> =
        said.map(|error| format!("{}: {}", comparison.normalized(&error.field), error.kind.text())).collect();
    said.sort();
    said.dedup();
    said
}

#[track_caller]
fn report(differences: &[Difference], new: &Value, old: Option<&Value>) {
    assert!(
        differences.is_empty(),
        "hand-written code and rules differ:\n{}\nnew: {}\nold: {}",
        differences.iter().map(|difference| format!("- {difference}")).collect::<Vec<_>>().join("\n"),
        sprag_value::json::to_string(new),
        old.map_or("none".into(), sprag_value::json::to_string),
    );
}

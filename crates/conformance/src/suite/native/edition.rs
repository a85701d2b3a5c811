//! The files of the suite as one release answers them: those of `native`, with the answers that differ in that release.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use sprag_rest::Release;

use super::tally::Place;
use crate::recorded::Document;

/// The members of an object, with the texts of their values.
type Members = BTreeMap<String, Box<RawValue>>;

/// The answers of a release.
pub(in crate::suite) struct Edition {
    pub(in crate::suite) release: Release,
    /// The folder of the answers that differ; `None` for `native` itself.
    differences: Option<PathBuf>,
    /// Cases that may differ although they have no entry, by file.
    dropped: BTreeMap<String, BTreeSet<String>>,
    /// The class of each case that differs, by file and id.
    classes: BTreeMap<String, BTreeMap<String, String>>,
    /// Kinds that are not served.
    not_served: BTreeMap<String, usize>,
}

/// A file of differences.
#[derive(Default, Deserialize)]
struct Differences {
    #[serde(default)]
    bases: BTreeMap<String, Members>,
    #[serde(default)]
    stored: Option<Box<RawValue>>,
    cases: BTreeMap<String, Members>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServedFile {
    not_served: BTreeMap<String, usize>,
}

/// What dropped sequences are called.
const ALL_STEPS: &str = " (all steps)";

/// Files that a release has in full.
const WHOLE: [&str; 2] = ["facts.json", "schema-facts.json"];

impl Edition {
    /// The answers of `native`.
    pub(in crate::suite) fn native() -> Edition {
        Edition {
            release: Release::NEWEST,
            differences: None,
            dropped: BTreeMap::new(),
            classes: BTreeMap::new(),
            not_served: BTreeMap::new(),
        }
    }

    /// The answers of a release, with the folder of those that differ.
    pub(in crate::suite) fn open(release: Release, folder: &Path) -> Result<Edition, String> {
        let served: ServedFile = Document::open(&folder.join("served.json"))?.read_json()?;
        let dropped = folder.join("dropped.json");
        let dropped = if dropped.exists() { Document::open(&dropped)?.read_json()? } else { BTreeMap::new() };
        let mut classes = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(inner) = folders.pop() {
            for path in crate::wire::files(&inner, |_| true)? {
                let name = path.strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if !["served", "dropped", "facts", "schema-facts", "gates", "gates-as-1.37"]
                    .contains(&name.trim_end_matches(".json"))
                {
                    let document = Document::open(&path)?;
                    classes.insert(name, classes_of(&document)?);
                }
            }
        }
        let differences = Some(folder.to_owned());
        Ok(Edition { release, differences, dropped, classes, not_served: served.not_served })
    }

    /// True for the answers of `native`, which are those of a development version of the newest release.
    pub(in crate::suite) fn is_native(&self) -> bool {
        self.differences.is_none()
    }

    /// Reports whether a kind is served in the release.
    pub(in crate::suite) fn serves(&self, kind: &str) -> bool {
        !self.not_served.contains_key(kind)
    }

    /// The kinds that the release does not serve.
    pub(super) fn not_served(&self) -> impl Iterator<Item = &str> {
        self.not_served.keys().map(String::as_str)
    }

    /// The class of a case that differs from `native`.
    pub(in crate::suite) fn class(&self, place: &Place, id: &str) -> Option<&str> {
        let single = self.classes.get(&format!("{}.json", place.group));
        let of_kind = || self.classes.get(&format!("{}/{}.json", place.group, place.kind.replace('/', ".")));
        single.or_else(of_kind)?.get(id).map(String::as_str)
    }

    /// A file of the suite, by its name below the folder of `native`.
    pub(super) fn document(&self, native: &Path, name: &str) -> Result<Document, String> {
        let Some(folder) = &self.differences else { return Document::open(&native.join(name)) };
        if WHOLE.contains(&name) {
            return Document::open(&folder.join(name));
        }
        let document = Document::open(&native.join(name))?;
        let path = folder.join(name);
        let dropped = self.dropped.get(name);
        if !path.exists() && dropped.is_none() {
            return Ok(document);
        }
        let differences = if path.exists() { Some(Document::open(&path)?) } else { None };
        let differences = differences.as_ref().map_or_else(|| Ok(Differences::default()), Document::read_json)?;
        let none = BTreeSet::new();
        let dropped = dropped.unwrap_or(&none);
        let text = merged(&document, &differences, dropped).map_err(|error| format!("{name}: {error}"))?;
        Ok(document.with_text(text))
    }
}

fn classes_of(document: &Document) -> Result<BTreeMap<String, String>, String> {
    #[derive(Deserialize)]
    struct Entry {
        class: String,
    }
    #[derive(Deserialize)]
    struct Entries {
        cases: BTreeMap<String, Entry>,
    }
    let entries: Entries = document.read_json()?;
    Ok(entries.cases.into_iter().map(|(id, entry)| (id, entry.class)).collect())
}

/// The text of a file of `native` with what differs in a release.
fn merged(document: &Document, differences: &Differences, dropped: &BTreeSet<String>) -> Result<Vec<u8>, String> {
    if document.text.trim_ascii_start().starts_with(b"[") {
        let cases: Vec<Members> = document.read_json()?;
        return text(&merged_cases(cases, None, differences, dropped)?);
    }
    let mut file: Members = document.read_json()?;
    if let Some(stored) = &differences.stored {
        file.insert("stored".to_owned(), stored.clone());
    }
    let bases: Option<BTreeMap<String, Members>> = file.get("bases").map(|bases| read(bases)).transpose()?;
    if let Some(cases) = file.get("cases") {
        let cases = merged_cases(read(cases)?, bases.as_ref(), differences, dropped)?;
        file.insert("cases".to_owned(), raw(&cases)?);
    }
    if let Some(rows) = file.get("rows") {
        let rows = merged_rows(read(rows)?, differences);
        file.insert("rows".to_owned(), raw(&rows)?);
    }
    if let Some(sequences) = file.get("sequences") {
        let sequences = merged_sequences(read(sequences)?, differences, dropped)?;
        file.insert("sequences".to_owned(), raw(&sequences)?);
    }
    if let Some(mut bases) = bases {
        for (name, members) in &differences.bases {
            let base = bases.get_mut(name).ok_or_else(|| format!("no base {name}"))?;
            base.extend(members.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        file.insert("bases".to_owned(), raw(&bases)?);
    }
    text(&file)
}

fn merged_cases(
    cases: Vec<Members>,
    bases: Option<&BTreeMap<String, Members>>,
    differences: &Differences,
    dropped: &BTreeSet<String>,
) -> Result<Vec<Members>, String> {
    let mut merged = Vec::new();
    for mut case in cases {
        let id: String = case.get("id").or(case.get("name")).map(|id| read(id)).transpose()?.ok_or("a case without id")?;
        if dropped.contains(&id) {
            continue;
        }
        if let Some(entry) = differences.cases.get(&id) {
            if entry.contains_key("input") {
                let input = native_input(&case, bases).ok_or_else(|| format!("{id}: no base"))?;
                case.insert("input".to_owned(), input);
            }
            take(&mut case, entry);
        }
        merged.push(case);
    }
    Ok(merged)
}

/// The object of `native` that the patch of a case changes.
fn native_input(case: &Members, bases: Option<&BTreeMap<String, Members>>) -> Option<Box<RawValue>> {
    let base: String = read(case.get("base")?).ok()?;
    let op: String = read(case.get("op")?).ok()?;
    bases?.get(&base)?.get(if op == "create" { "object" } else { "stored" }).cloned()
}

/// Puts the members of an entry in the place of those of the native case.
fn take(case: &mut Members, entry: &Members) {
    for (member, goes_with) in [("answer", "answerDefault"), ("answer", "causesUnordered"), ("other", "same")] {
        if entry.contains_key(member) {
            case.remove(goes_with);
        }
    }
    for (name, value) in entry.iter().filter(|(name, _)| !["class", "input"].contains(&name.as_str())) {
        case.insert(name.clone(), value.clone());
    }
}

fn merged_rows(mut rows: Vec<Members>, differences: &Differences) -> Vec<Members> {
    for (at, row) in rows.iter_mut().enumerate() {
        if let Some(entry) = differences.cases.get(&format!("row/{at}")) {
            take(row, entry);
        }
    }
    rows
}

fn merged_sequences(
    sequences: Vec<Members>,
    differences: &Differences,
    dropped: &BTreeSet<String>,
) -> Result<Vec<Members>, String> {
    let mut merged = Vec::new();
    for mut sequence in sequences {
        let id: String = sequence.get("id").map(|id| read(id)).transpose()?.ok_or("a sequence without id")?;
        let mut steps: Vec<Members> = sequence.get("steps").map(|steps| read(steps)).transpose()?.unwrap_or_default();
        let is_dropped = |at| dropped.contains(&format!("{id}/{at}"));
        if dropped.contains(&format!("{id}{ALL_STEPS}")) || (0..steps.len()).any(is_dropped) {
            continue;
        }
        for (at, step) in steps.iter_mut().enumerate() {
            if let Some(entry) = differences.cases.get(&format!("{id}/{at}")) {
                take(step, entry);
            }
        }
        sequence.insert("steps".to_owned(), raw(&steps)?);
        merged.push(sequence);
    }
    Ok(merged)
}

fn read<'r, T: Deserialize<'r>>(value: &'r RawValue) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|error| error.to_string())
}

fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, String> {
    serde_json::value::to_raw_value(value).map_err(|error| error.to_string())
}

fn text(value: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(native: &str, differences: &str, dropped: &[&str]) -> String {
        let differences: Differences = serde_json::from_str(differences).expect("differences");
        let dropped = dropped.iter().map(|id| (*id).to_owned()).collect();
        let text = merged(&Document::of("x.json", native), &differences, &dropped).expect("it merges");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn entries_take_the_place_of_native_answers() {
        let native = r#"[{"id":"a","answer":{"code":400},"answerDefault":{"code":201}},{"id":"b","answer":{"code":201}},{"id":"c"}]"#;
        let differences = r#"{"cases":{"a":{"class":"message","answer":{"code":422}}}}"#;
        assert_eq!(merge(native, differences, &["c"]), r#"[{"answer":{"code":422},"id":"a"},{"answer":{"code":201},"id":"b"}]"#);
    }

    #[test]
    fn bases_are_those_of_the_release_unless_the_input_is_native() {
        let native = r#"{"bases":{"x":{"object":1,"stored":2,"answer":{}}},"cases":[{"id":"a","op":"create","base":"x"}]}"#;
        let differences = r#"{"bases":{"x":{"object":3}},"cases":{"a":{"class":"result","input":"native","answer":{"code":201}}}}"#;
        assert_eq!(
            merge(native, differences, &[]),
            r#"{"bases":{"x":{"answer":{},"object":3,"stored":2}},"cases":[{"answer":{"code":201},"base":"x","id":"a","input":1,"op":"create"}]}"#
        );
    }

    #[test]
    fn steps_and_rows_are_counted() {
        let native = r#"{"rows":[{"cells":[]},{"cells":[]}],"sequences":[{"id":"s","steps":[{"answer":1},{"answer":2}]},{"id":"t","steps":[]}]}"#;
        let differences = r#"{"cases":{"row/1":{"class":"table","cells":[1]},"s/1":{"class":"result","answer":3}}}"#;
        assert_eq!(
            merge(native, differences, &["t (all steps)"]),
            r#"{"rows":[{"cells":[]},{"cells":[1]}],"sequences":[{"id":"s","steps":[{"answer":1},{"answer":3}]}]}"#
        );
    }
}

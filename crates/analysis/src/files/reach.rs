//! What programs that render folders would fetch from other machines, told by reading what they would read. Nothing is run.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use sprag_decode::{json, yaml};
use sprag_value::Value;

use super::layout::{KUSTOMIZATIONS, MAX_KUSTOMIZATION, list, named};
use super::limited::read_at_most;

/// Maximum number of folders that one kustomization is made of, and of charts in one chart.
const MAX_FOLDERS: usize = 10_000;

/// Lists of a kustomization that name files, folders and addresses.
const LISTS: [&str; 6] = ["resources", "bases", "components", "generators", "transformers", "validators"];

/// The schema of a chart's values, which Helm reads with what it refers to.
const VALUES_SCHEMA: &str = "values.schema.json";

/// Maximum length of such a schema.
const MAX_SCHEMA: u64 = 16 << 20;

/// True if a kustomization, or one that it is made of, names something on another machine, or if that cannot be told.
pub fn is_remote_kustomization(folder: &Path) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        let Ok(place) = folder.canonicalize() else { continue };
        if !seen.insert(place) {
            continue;
        }
        let Some(value) = kustomization(&folder) else { return true };
        let links = || LISTS.into_iter().flat_map(|key| list(&value, key)).filter_map(Value::as_str);
        if seen.len() > MAX_FOLDERS || links().any(is_remote) || named(&value).iter().any(|path| is_remote(path)) {
            return true;
        }
        work.extend(links().map(|path| folder.join(path)).filter(|path| path.is_dir()));
    }
    false
}

/// The kustomization of a folder; null if there is none, nothing if it cannot be read.
fn kustomization(folder: &Path) -> Option<Value> {
    let file = KUSTOMIZATIONS.iter().map(|name| folder.join(name)).find(|file| file.is_file());
    let Some(file) = file else { return Some(Value::Null) };
    let bytes = read_at_most(MAX_KUSTOMIZATION, File::open(file).ok()?).ok()?;
    yaml::decode(&bytes).ok()
}

/// True for what kustomize fetches: addresses, and repositories in git's notations.
fn is_remote(path: &str) -> bool {
    let is_host = |prefix: &str| path.starts_with(prefix);
    let is_address = path.contains("://")
        || path.contains("?ref=")
        || ["git@", "git::", "gh:", "github.com/"].into_iter().any(is_host);
    // What has lines is a patch or plug-in itself.
    is_address && !path.contains('\n')
}

/// What Helm reads for the schemas of a chart's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartSchemas {
    /// Files of the chart.
    Inside,
    /// Files of packed charts, too, which are not opened here.
    Packed,
    /// Others, which Helm would fetch; or it cannot be told.
    Outside,
}

/// What Helm reads for the schemas of values of a chart, and of those in its `charts`.
pub fn schemas_of_chart(folder: &Path) -> ChartSchemas {
    let mut schemas = ChartSchemas::Inside;
    let mut work: Vec<PathBuf> = vec![folder.to_owned()];
    let mut count = 0;
    while let Some(chart) = work.pop() {
        count += 1;
        let schema = chart.join(VALUES_SCHEMA);
        if count > MAX_FOLDERS || (schema.exists() && refers_to_others(&schema)) {
            return ChartSchemas::Outside;
        }
        // A link would be followed, too.
        for entry in fs::read_dir(chart.join("charts")).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                work.push(entry.path());
            } else {
                schemas = ChartSchemas::Packed;
            }
        }
    }
    schemas
}

fn refers_to_others(schema: &Path) -> bool {
    // Helm would wait for a pipe.
    if !schema.is_file() {
        return true;
    }
    let bytes = File::open(schema).and_then(|file| read_at_most(MAX_SCHEMA, file));
    let Some(value) = bytes.ok().and_then(|bytes| json::decode(&bytes).ok()) else { return true };
    let mut work = vec![&value];
    while let Some(value) = work.pop() {
        match value {
            Value::Object(members) => {
                let text = |key: &str| members.get(key).and_then(Value::as_str);
                let refers = |key: &str| text(key).is_some_and(|text| !text.starts_with('#'));
                // Drafts that everybody knows are not fetched.
                let is_own = text("$schema").is_some_and(|text| !text.contains("://json-schema.org/"));
                if is_own || ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().any(refers) {
                    return true;
                }
                work.extend(members.values());
            }
            Value::Array(elements) => work.extend(elements.as_slice()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_repositories_are_remote() {
        for path in
            ["https://a.example/x", "git@a.example:x", "a.example/x?ref=v1", "github.com/a/b", "gh:a/b", "git::a"]
        {
            assert!(is_remote(path), "{path}");
        }
        for path in ["../base", "a.yaml", "github/a", "kind: A\nurl: https://a.example\n"] {
            assert!(!is_remote(path), "{path}");
        }
    }
}

//! The files of the recorded suites, as they are written.

pub(crate) mod custom_resource;
pub(crate) mod packed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sprag_value::Value;

/// Reads one file of a suite.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let value = sprag_value::json::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    sprag_value::from_value(&value).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files in a directory that are wanted, sorted by name, or the one file that was named.
pub(crate) fn files(path: &Path, is_wanted: fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.retain(|path| is_wanted(path));
    files.sort();
    Ok(files)
}

/// One package of the `validation-gen` suite.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PackageFile {
    pub(crate) package: String,
    #[serde(default)]
    pub(crate) registered_types: Option<Vec<String>>,
    pub(crate) model: Model,
    #[serde(default)]
    pub(crate) cases: Option<Vec<Case>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) go_package: String,
    pub(crate) import_path: String,
    #[serde(default)]
    pub(crate) package_tags: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) imports: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) types: Option<Vec<TypeDef>>,
    #[serde(default)]
    pub(crate) consts: Option<Vec<Const>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TypeDef {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) underlying: String,
    #[serde(default)]
    pub(crate) tags: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) detached_tags: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) fields: Option<Vec<Field>>,
}

#[expect(clippy::struct_excessive_bools, reason = "the recorded layout")]
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) json: String,
    #[serde(rename = "hasJSONTag")]
    pub(crate) has_json_tag: bool,
    #[serde(default)]
    pub(crate) omitempty: bool,
    #[serde(default)]
    pub(crate) omitzero: bool,
    #[serde(default)]
    pub(crate) ignored: bool,
    #[serde(default)]
    pub(crate) embedded: bool,
    #[serde(default)]
    pub(crate) inline: bool,
    pub(crate) exported: bool,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    #[serde(default)]
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Const {
    pub(crate) name: String,
    #[serde(rename = "type", default)]
    pub(crate) ty: String,
    pub(crate) value: Value,
    #[serde(default)]
    pub(crate) tags: Option<Vec<String>>,
}

/// One recorded call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Case {
    pub(crate) id: u64,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    #[serde(default)]
    pub(crate) type_package: Option<String>,
    pub(crate) op: String,
    #[serde(default)]
    pub(crate) options: Option<BTreeMap<String, bool>>,
    #[serde(default)]
    pub(crate) subresources: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) obj: Value,
    #[serde(default)]
    pub(crate) old: Value,
    #[serde(default)]
    pub(crate) errors: Option<Vec<CaseError>>,
    #[serde(default)]
    pub(crate) order_unstable: bool,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CaseError {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) field: String,
    #[serde(default)]
    pub(crate) detail: String,
    #[serde(default)]
    pub(crate) origin: String,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) short_circuit: bool,
    #[serde(default)]
    pub(crate) level: String,
}

/// One row of the `bad-tags` suite.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadTag {
    pub(crate) name: String,
    pub(crate) api_version: String,
    pub(crate) source: String,
    pub(crate) accepted: bool,
    #[serde(default)]
    pub(crate) essential: Option<String>,
    pub(crate) lint: LintVerdict,
    #[serde(default)]
    pub(crate) crash: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LintVerdict {
    pub(crate) accepted: bool,
    #[serde(default)]
    pub(crate) error: Option<String>,
}

/// One row of the `formats` suite.
#[derive(Debug, Deserialize)]
pub(crate) struct FormatRow {
    pub(crate) format: String,
    pub(crate) value: String,
    pub(crate) full: Vec<CaseError>,
}

/// The `cel-k8s` suite.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CelSuite {
    pub(crate) kubernetes_version: String,
    pub(crate) variables: BTreeMap<String, CelVariable>,
    pub(crate) cases: Vec<CelCase>,
}

/// A variable that all expressions may use.
#[derive(Debug, Deserialize)]
pub(crate) struct CelVariable {
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) value: serde_json::Value,
}

/// An expression; everything but its text and group is an expectation.
#[derive(Debug, Deserialize)]
pub(crate) struct CelCase {
    pub(crate) expr: String,
    #[serde(rename = "group")]
    _group: serde::de::IgnoredAny,
    #[serde(flatten)]
    pub(crate) expected: serde_json::Value,
}

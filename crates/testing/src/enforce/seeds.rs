//! Objects of kinds whose rules no schema shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use sprag_decode::stream::documents;
use sprag_value::Value;

use super::discover::Resource;

/// Objects of Kubernetes' own kinds.
const KUBERNETES: &str = include_str!("kubernetes.yaml");

/// Objects by `apiVersion` and `kind`.
pub(super) struct Seeds(BTreeMap<(String, String), Value>);

impl Seeds {
    /// The objects of these files, and those of Kubernetes' own kinds where the files have none.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Seeds, String> {
        let mut seeds = BTreeMap::new();
        add(&mut seeds, KUBERNETES.as_bytes()).map_err(|error| format!("objects of Kubernetes' kinds: {error}"))?;
        for path in paths {
            let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            add(&mut seeds, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(Seeds(seeds))
    }

    /// The object of a resource in its first version.
    pub(super) fn of(&self, resource: &Resource) -> Option<&Value> {
        self.0.get(&(resource.api_version(&resource.versions[0].name), resource.kind.clone()))
    }
}

fn add(seeds: &mut BTreeMap<(String, String), Value>, text: &[u8]) -> Result<(), String> {
    for document in documents(text) {
        let object = document.map_err(|error| error.to_string())?.value;
        let part = |name| {
            object.get(name).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("an object lacks {name}"))
        };
        seeds.insert((part("apiVersion")?, part("kind")?), object);
    }
    Ok(())
}

//! Feature gates of a release: `gates.json`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use sprag_rest::{FeatureGates, Release, Stage};

use crate::recorded::Document;

#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Gate {
    stage: String,
    enabled: bool,
}

/// Lines about gates that are not as the release has them; the number of gates that were compared.
pub(super) fn differences(release: Release, folder: &Path) -> Result<(usize, Vec<String>), String> {
    let recorded = Document::open(&folder.join("gates.json"))?;
    let recorded: BTreeMap<String, Gate> = recorded.read_json()?;
    let ours = FeatureGates::of(release);
    let mut found = Vec::new();
    for (name, gate) in &recorded {
        let got = ours.spec_of(name).map(|spec| Gate { stage: stage(spec.stage).to_owned(), enabled: ours.enabled(name) });
        if got.as_ref() != Some(gate) {
            found.push(format!("{name}: expected {gate:?}, actual {got:?}"));
        }
    }
    let unknown = sprag_rest::kubernetes_gate_names()
        .filter(|name| ours.spec_of(name).is_some() && !recorded.contains_key(*name))
        .map(|name| format!("{name}: not known to {}", release.recorded()));
    found.extend(unknown);
    Ok((recorded.len(), found))
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Alpha => "ALPHA",
        Stage::Beta => "BETA",
        Stage::Stable => "GA",
        Stage::Deprecated => "DEPRECATED",
    }
}

//! Tables of feature gates, and rows of `kubernetes_gates.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use sprag_rest::{FeatureGates, MinorVersion, Stage, kubernetes_gate};

/// The state of a gate in a release.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Gate {
    stage: String,
    enabled: bool,
}

/// The metric that has all gates.
const METRIC: &str = "kubernetes_feature_enabled{";

/// Reads a table: JSON, or the text of the metric.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Gate>, String> {
    let text = super::text(path)?;
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()));
    }
    let mut gates = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let Some(rest) = line.strip_prefix(METRIC) else { continue };
        let (name, gate) = sample(rest)
            .ok_or_else(|| format!("{}:{}: not a sample of kubernetes_feature_enabled", path.display(), number + 1))?;
        gates.insert(name, gate);
    }
    if gates.is_empty() {
        return Err(format!("{}: neither JSON nor the metric kubernetes_feature_enabled", path.display()));
    }
    Ok(gates)
}

/// `name="X",stage="BETA"} 1`, with labels in any order.
fn sample(text: &str) -> Option<(String, Gate)> {
    let (labels, value) = text.split_once('}')?;
    let label = |wanted: &str| {
        labels
            .split(',')
            .find_map(|label| label.split_once('=').filter(|(name, _)| *name == wanted))
            .map(|(_, value)| value.trim_matches('"'))
    };
    let enabled = match value.trim() {
        "1" => true,
        "0" => false,
        _ => return None,
    };
    let stage = match label("stage")? {
        "" => "GA",
        stage => stage,
    };
    Some((label("name")?.to_owned(), Gate { stage: stage.to_owned(), enabled }))
}

/// The rows that are missing, as they continue those that are there.
pub(super) fn declarations(old: &BTreeMap<String, Gate>, new: &BTreeMap<String, Gate>, since: MinorVersion) -> String {
    let mut text = String::new();
    for (name, gate) in
        new.iter().filter(|(name, gate)| old.get(*name) != Some(gate) && !is_declared(name, gate, since))
    {
        let what = match (old.contains_key(name), kubernetes_gate(name)) {
            (_, Some(_)) => "append",
            (false, None) => "new row; acts, none or refused",
            (true, None) => "new row with its history; acts, none or refused",
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name} {}   ({what})", spec(gate, since));
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        let _ = writeln!(text, "{name}   (gone since {since})");
    }
    if text.is_empty() {
        text
    } else {
        format!("kubernetes_gates.txt; add ! where upstream locks the default:\n{text}")
    }
}

/// True if the table has the state of a gate in a version.
fn is_declared(name: &str, gate: &Gate, version: MinorVersion) -> bool {
    let gates = FeatureGates::at(version);
    let spec = gates.spec_of(name).filter(|spec| spec.since <= version);
    spec.is_some_and(|spec| stage_name(spec.stage) == gate.stage && spec.default == gate.enabled)
}

const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Alpha => "ALPHA",
        Stage::Beta => "BETA",
        Stage::Stable => "GA",
        Stage::Deprecated => "DEPRECATED",
    }
}

/// The state as the table writes it: `1.38:beta+`.
fn spec(gate: &Gate, since: MinorVersion) -> String {
    format!("{since}:{}{}", gate.stage.to_lowercase(), if gate.enabled { '+' } else { '-' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_the_metric_are_read() {
        let gate = |stage: &str, enabled| Gate { stage: stage.to_owned(), enabled };
        assert_eq!(sample("name=\"A\",stage=\"BETA\"} 1"), Some(("A".to_owned(), gate("BETA", true))));
        assert_eq!(sample("stage=\"\",name=\"A\"} 0"), Some(("A".to_owned(), gate("GA", false))));
        assert_eq!(sample("name=\"A\",stage=\"BETA\"} 2"), None);
        assert_eq!(sample("name=\"A\"} 1"), None);
    }
}

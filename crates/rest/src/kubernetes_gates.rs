//! The feature gates of Kubernetes itself: a table of facts, so that rules that depend on one have upstream's default.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::gates::{GateSpec, Stage};

/// The table; its head says what a line means.
const TABLE: &str = include_str!("kubernetes_gates.txt");

/// The history of a feature gate of Kubernetes; `None` for a gate that Kubernetes does not have.
///
/// ```
/// use sprag_rest::{FeatureGates, kubernetes_gate};
///
/// assert_eq!(kubernetes_gate("HPAScaleToZero").unwrap().len(), 2);
/// assert!(FeatureGates::default().enabled("HPAScaleToZero"));
/// ```
pub fn kubernetes_gate(name: &str) -> Option<Vec<GateSpec>> {
    GATES.get(name).cloned()
}

/// Returns the names of Kubernetes' feature gates, sorted.
///
/// ```
/// assert!(sprag_rest::kubernetes_gate_names().any(|name| name == "HPAScaleToZero"));
/// ```
pub fn kubernetes_gate_names() -> impl Iterator<Item = &'static str> {
    GATES.keys().copied()
}

/// The table, read once.
pub(crate) static GATES: LazyLock<BTreeMap<&'static str, Vec<GateSpec>>> = LazyLock::new(|| {
    let read = |(name, specs): (&'static str, &str)| Some((name, specs.split(' ').map(spec).collect::<Option<_>>()?));
    lines().filter_map(read).collect()
});

/// Each gate with its history as text.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// `1.37:beta+!`: a release, the stage from then on, the default, and whether it is locked.
fn spec(text: &str) -> Option<GateSpec> {
    let (release, rest) = text.split_once(':')?;
    let (major, minor) = release.split_once('.')?;
    let (rest, locked) = rest.strip_suffix('!').map_or((rest, false), |rest| (rest, true));
    let (stage, on) = match rest.strip_suffix('+') {
        Some(stage) => (stage, true),
        None => (rest.strip_suffix('-')?, false),
    };
    let stage = match stage {
        "alpha" => Stage::Alpha,
        "beta" => Stage::Beta,
        "ga" => Stage::Stable,
        "deprecated" => Stage::Deprecated,
        _ => return None,
    };
    let spec = GateSpec::new(stage).since(major.parse().ok()?, minor.parse().ok()?).default_to(on);
    Some(if locked { spec.locked() } else { spec })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::{FeatureGates, Release};

    #[test]
    fn every_line_is_read_and_says_something_new() {
        let names: Vec<&str> = lines().map(|(name, _)| name).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
        assert_eq!(names.len(), 237);
        for name in names {
            let specs = kubernetes_gate(name).unwrap_or_else(|| panic!("{name}"));
            let is_later = |a: &GateSpec, b: &GateSpec| a.since < b.since;
            assert!(specs.is_sorted_by(is_later), "{name}: {specs:?}");
        }
        assert_eq!(kubernetes_gate("NoSuchGate"), None);
    }

    #[track_caller]
    fn check(name: &str, minor: u32, on: bool, stage: Stage, locked: bool) {
        let mut gates = FeatureGates::at(Release { major: 1, minor });
        gates.add(name, &kubernetes_gate(name).unwrap()).unwrap();
        let spec = gates.known().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!((spec.default, spec.stage, spec.locked), (on, stage, locked), "{name} at 1.{minor}");
    }

    #[test]
    fn gates_are_what_upstream_says_at_a_release() {
        check("HPAScaleToZero", 36, false, Stage::Alpha, false);
        check("HPAScaleToZero", 37, true, Stage::Beta, false);
        check("WorkloadWithJob", 37, false, Stage::Alpha, false);
        check("CSIServiceAccountTokenSecrets", 36, true, Stage::Stable, true);
        check("AllowOverwriteTerminationGracePeriodSeconds", 37, false, Stage::Deprecated, true);
        check("APIResponseCompression", 37, true, Stage::Beta, false);
        // Beta and on only from compatibility version 1.37, which a server has at 1.38.
        check("DRAFractionalCapacityRange", 37, false, Stage::Beta, false);
        check("DRAFractionalCapacityRange", 38, true, Stage::Beta, false);
    }
}

//! The feature gates of Kubernetes itself: a table of facts, so that rules that depend on one have upstream's default.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sprag_release::{Release, Releases};

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
    GATES.get(name).map(|gate| gate.specs.clone())
}

/// Returns the names of Kubernetes' feature gates, sorted.
///
/// ```
/// assert!(sprag_rest::kubernetes_gate_names().any(|name| name == "HPAScaleToZero"));
/// ```
pub fn kubernetes_gate_names() -> impl Iterator<Item = &'static str> {
    GATES.keys().copied()
}

/// What switching a gate does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Code reads it.
    Acts,
    /// No request shows whether it is on.
    None,
    /// It cannot be switched, since code of upstream reads it and none here does.
    Refused,
}

/// A feature gate of Kubernetes.
#[derive(Debug)]
pub(crate) struct KubernetesGate {
    pub(crate) effect: Effect,
    /// The releases whose servers know it, whatever version they emulate.
    pub(crate) releases: Releases,
    pub(crate) specs: Vec<GateSpec>,
}

/// The table, read once.
pub(crate) static GATES: LazyLock<BTreeMap<&'static str, KubernetesGate>> = LazyLock::new(|| {
    let read = |(name, rest): (&'static str, &str)| {
        let (effect, specs) = rest.split_once(' ')?;
        let effect = match effect {
            "acts" => Effect::Acts,
            "none" => Effect::None,
            "refused" => Effect::Refused,
            _ => return None,
        };
        let mut releases = Releases::ALL;
        let mut read = Vec::new();
        for word in specs.split(' ') {
            match word.split_once('=') {
                Some((bound, release)) => releases = releases.and(range(bound, release.parse().ok()?)?),
                None => read.push(spec(word)?),
            }
        }
        Some((name, KubernetesGate { effect, releases, specs: read }))
    };
    lines().filter_map(read).collect()
});

/// Each gate with its history as text.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// `since` or `until` and a release.
fn range(bound: &str, release: Release) -> Option<Releases> {
    match bound {
        "since" => Some(Releases::since(release)),
        "until" => Some(Releases::until(release)),
        _ => None,
    }
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
    use sprag_release::MinorVersion;

    use crate::gates::FeatureGates;

    #[test]
    fn every_line_is_read_and_says_something_new() {
        let names: Vec<&str> = lines().map(|(name, _)| name).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
        assert_eq!(names.len(), 302);
        for name in names {
            let specs = kubernetes_gate(name).unwrap_or_else(|| panic!("{name}"));
            let is_later = |a: &GateSpec, b: &GateSpec| a.since < b.since;
            assert!(specs.is_sorted_by(is_later), "{name}: {specs:?}");
        }
        assert_eq!(kubernetes_gate("NoSuchGate"), None);
    }

    #[track_caller]
    fn check(name: &str, minor: u32, on: bool, stage: Stage, locked: bool) {
        let mut gates = FeatureGates::at(MinorVersion { major: 1, minor });
        gates.add(name, &kubernetes_gate(name).unwrap()).unwrap();
        let spec = gates.known().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!((spec.default, spec.stage, spec.locked), (on, stage, locked), "{name} at 1.{minor}");
    }

    /// What stands for the name of a gate in code, in the tags of types and in tables.
    fn names_gate(source: &str, name: &str) -> bool {
        [
            format!("\"{name}\""),
            format!("+k8s:featureGate={name}\n"),
            format!("+k8s:ifEnabled({name})"),
            format!("+k8s:ifDisabled({name})"),
            format!("if {name} "),
            format!("?{name}"),
        ]
        .iter()
        .any(|text| source.contains(text))
    }

    /// The sources of all crates that requests or manifests reach, without their tests.
    fn sources() -> Vec<String> {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders: Vec<_> = ["admission", "crd", "discovery", "kinds", "registry", "rest", "server"]
            .iter()
            .map(|name| crates.join(name).join("src"))
            .collect();
        let mut sources = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if [".rs", ".txt"].iter().any(|end| name.ends_with(end))
                    && !["gates.rs", "kubernetes_gates.rs", "kubernetes_gates.txt"]
                        .iter()
                        .any(|own| path.ends_with(std::path::Path::new("rest/src").join(own)))
                {
                    let source = std::fs::read_to_string(&path).unwrap();
                    sources.push(source.split("#[cfg(test)]").next().unwrap_or_default().to_owned());
                }
            }
        }
        sources
    }

    /// A gate that upstream's API reads is read here, too, or refused: the table and the code say the same.
    #[test]
    fn gates_act_where_code_names_them() {
        let sources = sources();
        for (name, gate) in GATES.iter() {
            let is_named = sources.iter().any(|source| names_gate(source, name));
            assert_eq!(is_named, gate.effect == Effect::Acts, "{name}: correct its effect in kubernetes_gates.txt");
        }
    }

    #[test]
    fn refused_gates_keep_their_state() {
        let mut gates = FeatureGates::default();
        let error = gates.set("CBORServingAndStorage=true").unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot set feature gate CBORServingAndStorage to true: this server does not support it, leave it at false"
        );
        gates.set("CBORServingAndStorage=false,AllAlpha=true").unwrap();
        assert!(!gates.enabled("CBORServingAndStorage") && gates.enabled("EmptyDirVolumeMode"));
        assert_eq!(
            gates.warnings(),
            ["AllAlpha=true leaves ShardedListAndWatch, StorageVersionAPI off: this server does not support them."]
        );
        // At an older release, what is locked now may be named as it is now.
        let mut older = FeatureGates::at(MinorVersion { major: 1, minor: 35 });
        older.set("RelaxedServiceNameValidation=true").unwrap();
        assert!(older.set("RelaxedServiceNameValidation=false").is_err());
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

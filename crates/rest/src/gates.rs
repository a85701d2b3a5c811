//! Feature gates: what is known of each, which are on, and the text that switches them.

use std::collections::BTreeMap;

use sprag_checks::Options;
use sprag_release::{MinorVersion, Release};

use crate::definition::Definition;
use crate::kubernetes_gates::{Effect, GATES, KubernetesGate};

/// The stability of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Off unless asked for.
    Alpha,
    /// Complete; may still change.
    Beta,
    /// Here to stay.
    Stable,
    /// On its way out.
    Deprecated,
}

/// The state of a gate from a release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateSpec {
    /// The first release of which it is true.
    pub since: MinorVersion,
    /// The stability of the feature.
    pub stage: Stage,
    /// True if it is on by default.
    pub default: bool,
    /// True if the default cannot be changed.
    pub locked: bool,
}

/// Errors in a list of feature gates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// There is no such gate.
    #[error("unrecognized feature gate: {0}")]
    Unknown(String),
    /// A name without `=true` or `=false`.
    #[error("missing bool value for {0}")]
    MissingValue(String),
    /// Neither true nor false.
    #[error(r#"invalid value of {name}={value}, err: strconv.ParseBool: parsing "{value}": invalid syntax"#)]
    InvalidValue {
        /// The gate.
        name: String,
        /// The given value.
        value: String,
    },
    /// The gate cannot be switched any more.
    #[error("cannot set feature gate {name} to {wanted}, feature is locked to {}", !wanted)]
    Locked {
        /// The gate.
        name: String,
        /// The requested state.
        wanted: bool,
    },
    /// The gate is known, but switching it would change nothing that it stands for.
    #[error("cannot set feature gate {name} to {wanted}: this server does not support it, leave it at {}", !wanted)]
    Unsupported {
        /// The gate.
        name: String,
        /// The requested state.
        wanted: bool,
    },
    /// The gate does not exist yet at the release in force.
    #[error("cannot set feature gate {name} to {wanted}, feature is PreAlpha at emulated version {release}")]
    NotYet {
        /// The gate.
        name: String,
        /// The requested state.
        wanted: bool,
        /// The release in force.
        release: MinorVersion,
    },
    /// A tag names an undeclared gate.
    #[error(
        "{resource} depends on feature gate {gate}, which is not declared: declare it, for instance with \
         feature_gate({gate:?}, Stage::Alpha), or correct the tag (declared: {})", known.join(", ")
    )]
    Undeclared {
        /// The gate.
        gate: String,
        /// The resource with the tag.
        resource: String,
        /// The gates that are declared.
        known: Vec<String>,
    },
    /// A gate of this name is declared already, in another way.
    #[error("feature gate {0:?} with different spec already exists")]
    Redeclared(String),
}

/// All gates of a server and their state. Those of Kubernetes are there without being declared, with upstream's history.
///
/// ```
/// use sprag_rest::{FeatureGates, Stage};
///
/// let mut gates = FeatureGates::default().with("WidgetPriority", Stage::Alpha);
/// assert!(!gates.enabled("WidgetPriority"));
/// gates.set("WidgetPriority=true")?;
/// assert!(gates.enabled("WidgetPriority"));
/// # Ok::<(), sprag_rest::GateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FeatureGates {
    /// The release of the server.
    release: Release,
    /// The version that it emulates, which decides on defaults: its own unless another is asked for.
    emulated: MinorVersion,
    known: BTreeMap<String, Vec<GateSpec>>,
    set: BTreeMap<String, bool>,
    options: Options,
}

const ALL_ALPHA: &str = "AllAlpha";
const ALL_BETA: &str = "AllBeta";

impl Stage {
    /// True if features of this stage are on by default.
    pub const fn default_on(self) -> bool {
        matches!(self, Stage::Beta | Stage::Stable)
    }

    /// The name that help texts print.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Alpha => "ALPHA",
            Stage::Beta => "BETA",
            Stage::Stable => "",
            Stage::Deprecated => "DEPRECATED",
        }
    }
}

impl GateSpec {
    /// A gate that has always been in this stage, with the stage's usual default.
    pub const fn new(stage: Stage) -> GateSpec {
        let since = MinorVersion { major: 0, minor: 0 };
        GateSpec { since, stage, default: stage.default_on(), locked: false }
    }

    /// The same, true from a release on.
    #[must_use]
    pub const fn since(self, major: u32, minor: u32) -> GateSpec {
        GateSpec { since: MinorVersion { major, minor }, ..self }
    }

    /// With a default other than the stage's usual one.
    #[must_use]
    pub const fn default_to(self, default: bool) -> GateSpec {
        GateSpec { default, ..self }
    }

    /// With a default that cannot be changed.
    #[must_use]
    pub const fn locked(self) -> GateSpec {
        GateSpec { locked: true, ..self }
    }
}

impl Default for FeatureGates {
    fn default() -> Self {
        FeatureGates::of(Release::default())
    }
}

impl FeatureGates {
    /// The gates of Kubernetes and the two that switch all others, as a release has them.
    pub fn of(release: Release) -> FeatureGates {
        FeatureGates::emulating(release, release.version())
    }

    /// The gates of the newest release, emulating a version.
    pub fn at(emulated: MinorVersion) -> FeatureGates {
        FeatureGates::emulating(Release::default(), emulated)
    }

    /// The gates of a release that emulates a version: what is known is its own, stages and defaults are those of the version.
    pub fn emulating(release: Release, emulated: MinorVersion) -> FeatureGates {
        let mut gates = FeatureGates {
            release,
            emulated,
            known: BTreeMap::new(),
            set: BTreeMap::new(),
            options: Options::default(),
        };
        for (name, stage) in [(ALL_ALPHA, Stage::Alpha), (ALL_BETA, Stage::Beta)] {
            gates.known.insert(name.to_owned(), vec![GateSpec::new(stage).default_to(false)]);
        }
        gates.refresh();
        gates
    }

    /// Also knows a gate that is in this stage at every release.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, stage: Stage) -> FeatureGates {
        self.known.entry(name.into()).or_insert_with(|| vec![GateSpec::new(stage)]);
        self.refresh();
        self
    }

    /// Also knows a gate with these specs, in any order.
    pub fn add(&mut self, name: impl Into<String>, specs: &[GateSpec]) -> Result<(), GateError> {
        let name = name.into();
        let mut specs = specs.to_vec();
        specs.sort_by_key(|spec| spec.since);
        match self.known.get(&name) {
            Some(known) if *known != specs => return Err(GateError::Redeclared(name)),
            _ => self.known.insert(name, specs),
        };
        self.refresh();
        Ok(())
    }

    /// Switches gates as `--feature-gates` does: `A=true,B=false`. Nothing is changed when any part is wrong.
    pub fn set(&mut self, text: &str) -> Result<(), GateError> {
        let mut wanted = BTreeMap::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| GateError::MissingValue(part.trim().to_owned()))?;
            let (name, value) = (name.trim().to_owned(), value.trim());
            let on =
                parse_bool(value).ok_or_else(|| GateError::InvalidValue { name: name.clone(), value: value.into() })?;
            wanted.insert(name, on);
        }
        for (name, on) in &wanted {
            self.check(name, *on)?;
        }
        self.set.extend(wanted);
        self.refresh();
        Ok(())
    }

    /// Returns the warnings about gates that were set although they will be removed or have no effect, as upstream's
    /// `featureGate.unsafeSetFromMap`.
    pub fn warnings(&self) -> Vec<String> {
        let warn = |(name, on): (&String, &bool)| {
            let kind = match self.spec_of(name)?.stage {
                Stage::Stable => "GA",
                Stage::Deprecated => "deprecated",
                Stage::Alpha | Stage::Beta => return None,
            };
            Some(format!("Setting {kind} feature gate {name}={on}. It will be removed in a future release."))
        };
        self.set.iter().filter_map(warn).chain(self.unmoved(ALL_ALPHA, Stage::Alpha)).collect()
    }

    /// The warning about gates that a switch of all leaves as they are.
    fn unmoved(&self, all: &str, stage: Stage) -> Option<String> {
        let on = *self.set.get(all)?;
        let stays = |name: &&&str| {
            let of_stage = self.spec_of(name).is_some_and(|spec| spec.stage == stage && !spec.locked);
            of_stage && self.fixed(name).is_some_and(|fixed| fixed != on) && !self.set.contains_key(**name)
        };
        let names: Vec<&str> = GATES.keys().filter(stays).copied().collect();
        let state = if on { "off" } else { "on" };
        (!names.is_empty())
            .then(|| format!("{all}={on} leaves {} {state}: this server does not support them.", names.join(", ")))
    }

    /// The release of the server, whose rules and texts hold whatever version it emulates.
    pub fn release(&self) -> Release {
        self.release
    }

    /// The version that the server emulates; that of its release unless another is asked for.
    pub fn emulated(&self) -> MinorVersion {
        self.emulated
    }

    /// True if a feature is on; undeclared ones are off.
    pub fn enabled(&self, name: &str) -> bool {
        self.options.get(name).unwrap_or(false)
    }

    /// True if there is such a gate.
    pub fn is_known(&self, name: &str) -> bool {
        self.specs(name).is_some()
    }

    /// True if the release of the server has such a gate.
    pub fn is_of_release(&self, name: &str) -> bool {
        self.specs(name).is_some_and(|specs| specs.iter().any(|spec| spec.since <= self.release.version()))
    }

    /// Refuses a resource whose fields or rules depend on a gate that is not declared. Such a gate could never be switched on.
    pub fn check_declared(&self, definition: &Definition) -> Result<(), GateError> {
        match definition.feature_gates.iter().find(|gate| !self.is_known(gate)) {
            None => Ok(()),
            Some(gate) => Err(GateError::Undeclared {
                gate: gate.clone(),
                resource: definition.resource.to_string(),
                known: self.known.keys().cloned().collect(),
            }),
        }
    }

    /// Every declared gate with what holds at the release in force, sorted by name. Gates that are Kubernetes' own are not
    /// listed unless they are declared, too.
    pub fn known(&self) -> impl Iterator<Item = (&str, GateSpec)> {
        self.known.keys().filter_map(|name| Some((name.as_str(), self.spec_of(name)?)))
    }

    /// The state of all gates, as validation rules read it.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What holds of a gate in the emulated version; `None` if there is no such gate then.
    pub fn spec_of(&self, name: &str) -> Option<GateSpec> {
        self.specs(name)?.iter().rev().find(|spec| spec.since <= self.emulated).copied()
    }

    /// The history of a gate: as it is declared, or else as Kubernetes has it.
    fn specs(&self, name: &str) -> Option<&Vec<GateSpec>> {
        self.known.get(name).or_else(|| self.kubernetes_gate(name).map(|gate| &gate.specs))
    }

    /// A gate of Kubernetes, if servers of the release know it.
    fn kubernetes_gate(&self, name: &str) -> Option<&'static KubernetesGate> {
        GATES.get(name).filter(|gate| gate.releases.contains(self.release))
    }

    /// The state that a gate of Kubernetes has here whatever is asked for; `None` for those that can be switched.
    fn fixed(&self, name: &str) -> Option<bool> {
        let gate = self.kubernetes_gate(name);
        let gate = gate.filter(|gate| gate.effect == Effect::Refused && !self.known.contains_key(name))?;
        gate.specs.iter().rev().find(|spec| spec.since <= self.release.version()).map(|spec| spec.default)
    }

    fn check(&self, name: &str, on: bool) -> Result<(), GateError> {
        if !self.is_known(name) {
            return Err(GateError::Unknown(name.to_owned()));
        }
        let Some(spec) = self.spec_of(name) else {
            // A server knows the gates of its own release, whatever it emulates, and those that are declared.
            if !self.known.contains_key(name) && !self.is_of_release(name) {
                return Err(GateError::Unknown(name.to_owned()));
            }
            return Err(GateError::NotYet { name: name.to_owned(), wanted: on, release: self.emulated });
        };
        if spec.locked && spec.default != on {
            return Err(GateError::Locked { name: name.to_owned(), wanted: on });
        }
        if self.fixed(name).is_some_and(|fixed| fixed != on) {
            return Err(GateError::Unsupported { name: name.to_owned(), wanted: on });
        }
        Ok(())
    }

    fn refresh(&mut self) {
        let names = self.known.keys().map(String::as_str).chain(GATES.keys().copied());
        let states: Vec<(String, bool)> = names.map(|name| (name.to_owned(), self.state(name))).collect();
        self.options = states.into_iter().collect();
    }

    fn state(&self, name: &str) -> bool {
        if let Some(on) = self.set.get(name) {
            return *on;
        }
        let Some(spec) = self.spec_of(name) else { return false };
        let all = match spec.stage {
            Stage::Alpha => self.set.get(ALL_ALPHA),
            Stage::Beta => self.set.get(ALL_BETA),
            Stage::Stable | Stage::Deprecated => None,
        };
        match all {
            Some(on) if !spec.locked && self.fixed(name).is_none() => *on,
            _ => spec.default,
        }
    }
}

/// A bool in text, as Go's `strconv.ParseBool` reads it.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gates() -> FeatureGates {
        let mut gates = FeatureGates::default().with("Alpha", Stage::Alpha).with("Beta", Stage::Beta);
        gates.add("Locked", &[GateSpec::new(Stage::Stable).locked()]).unwrap();
        gates
            .add("Grown", &[GateSpec::new(Stage::Beta).since(1, 37), GateSpec::new(Stage::Alpha).since(1, 35)])
            .unwrap();
        gates.add("Future", &[GateSpec::new(Stage::Alpha).since(1, 99)]).unwrap();
        gates
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(gates().set(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn stages_decide_defaults() {
        let gates = gates();
        let state = |name| gates.enabled(name);
        assert_eq!(
            ["Alpha", "Beta", "Locked", "Grown", "Future", "None"].map(state),
            [false, true, true, true, false, false]
        );
    }

    #[test]
    fn an_older_release_has_older_stages() {
        let mut gates = FeatureGates::at(MinorVersion { major: 1, minor: 36 });
        gates
            .add("Grown", &[GateSpec::new(Stage::Alpha).since(1, 35), GateSpec::new(Stage::Beta).since(1, 37)])
            .unwrap();
        assert!(!gates.enabled("Grown"));
        assert_eq!(gates.known().find(|(name, _)| *name == "Grown").unwrap().1.stage, Stage::Alpha);
    }

    #[test]
    fn gates_of_kubernetes_need_no_declaration() {
        let mut gates = FeatureGates::default();
        assert!(gates.enabled("PodLevelResources") && !gates.enabled("EmptyDirVolumeMode"));
        gates.set("PodLevelResources=false,AllAlpha=true").unwrap();
        assert!(!gates.enabled("PodLevelResources") && gates.enabled("EmptyDirVolumeMode"));
        assert!(!FeatureGates::at(MinorVersion { major: 1, minor: 33 }).enabled("PodLevelResources"));
        assert!(gates.known().all(|(name, _)| name.starts_with("All")));
        // A declaration of one's own counts.
        let own = FeatureGates::default().with("EmptyDirVolumeMode", Stage::Beta);
        assert!(own.enabled("EmptyDirVolumeMode"));
    }

    #[test]
    fn text_switches_gates() {
        let mut gates = gates();
        gates.set("Alpha=true, Beta = f ,").unwrap();
        assert!(gates.enabled("Alpha") && !gates.enabled("Beta"));
        assert_eq!(gates.options().get("Alpha"), Some(true));
        assert_eq!(gates.options().get("None"), None);
    }

    #[test]
    fn all_gates_of_a_stage_are_switched_at_once() {
        let mut gates = gates();
        gates.set("AllAlpha=true,AllBeta=false,Beta=true").unwrap();
        assert!(gates.enabled("Alpha") && gates.enabled("Beta") && !gates.enabled("Grown"));
    }

    #[test]
    fn wrong_texts_change_nothing() {
        refused("Nope=true", "unrecognized feature gate: Nope");
        refused("Alpha", "missing bool value for Alpha");
        refused("Alpha=yes", r#"invalid value of Alpha=yes, err: strconv.ParseBool: parsing "yes": invalid syntax"#);
        refused("Locked=false", "cannot set feature gate Locked to false, feature is locked to true");
        refused("Future=true", "cannot set feature gate Future to true, feature is PreAlpha at emulated version 1.37");
        let mut gates = gates();
        assert!(gates.set("Alpha=true,Nope=true").is_err());
        assert!(!gates.enabled("Alpha"));
    }

    #[test]
    fn gates_on_their_way_out_are_warned_about() {
        let mut gates = FeatureGates::at(MinorVersion { major: 1, minor: 36 });
        gates
            .set("DeclarativeValidationTakeover=true,DeclarativeValidation=true,DeclarativeValidationBeta=false")
            .unwrap();
        assert_eq!(
            gates.warnings(),
            [
                "Setting GA feature gate DeclarativeValidation=true. It will be removed in a future release.",
                "Setting deprecated feature gate DeclarativeValidationTakeover=true. It will be removed in a future release.",
            ]
        );
        assert_eq!(
            FeatureGates::default().set("DeclarativeValidationTakeover=true").unwrap_err().to_string(),
            "cannot set feature gate DeclarativeValidationTakeover to true, feature is locked to false"
        );
    }

    #[test]
    fn a_gate_has_one_declaration() {
        let mut gates = gates();
        assert!(gates.add("Locked", &[GateSpec::new(Stage::Stable).locked()]).is_ok());
        assert_eq!(gates.add("Locked", &[GateSpec::new(Stage::Beta)]), Err(GateError::Redeclared("Locked".into())));
    }
}

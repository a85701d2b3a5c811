//! Options and feature gates: those that the user sets, and the defaults of the others.

use std::collections::{BTreeMap, BTreeSet};

use sprag_field::Enforcement;
use sprag_rest::{FeatureGates, GateError, Release, Stage, kubernetes_gate, kubernetes_gate_names};

use crate::suggest::nearest;

/// The gate that decides whether beta rules are enforced.
const BETA_RULES: &str = "DeclarativeValidationBeta";

/// The options and feature gates that the user set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Of Kubernetes, or of the types: others are refused.
    pub gates: BTreeMap<String, bool>,
    /// Of any name; wins over a gate of that name.
    pub options: BTreeMap<String, bool>,
}

/// The state of all options that a set of types depends on.
#[derive(Debug)]
pub struct Settled {
    /// The feature gates and options.
    pub gates: FeatureGates,
    /// Options that are neither set nor gates of Kubernetes: they count as off.
    pub unset: BTreeSet<String>,
}

impl Switches {
    /// Merges the command line's settings with those of the settings file, which fill the gaps.
    #[must_use]
    pub fn or(mut self, configured: Switches) -> Switches {
        for (name, on) in configured.gates {
            self.gates.entry(name).or_insert(on);
        }
        for (name, on) in configured.options {
            self.options.entry(name).or_insert(on);
        }
        self
    }

    /// The feature gates of built-in kinds of a release. Types may declare gates of their own.
    pub fn kubernetes(&self, release: Release, has_types: bool) -> Result<FeatureGates, GateError> {
        let is_known = |name: &str| FeatureGates::of(release).is_known(name);
        let (known, own): (BTreeMap<String, bool>, BTreeMap<String, bool>) =
            self.gates.clone().into_iter().partition(|(name, _)| is_known(name));
        if let Some(name) = own.keys().next().filter(|_| !has_types) {
            return Err(GateError::Unknown(name.clone()));
        }
        let mut gates = FeatureGates::of(release);
        gates.set(&text(&known))?;
        Ok(gates)
    }

    /// The state of the options that types depend on.
    ///
    /// One that is not set has the default of Kubernetes' gate of that name, or else is off.
    pub fn settle(&self, used: &BTreeSet<&str>) -> Result<Settled, GateError> {
        let mut gates = FeatureGates::default();
        let mut unset = BTreeSet::new();
        let named = self.gates.keys().map(String::as_str).chain([BETA_RULES]);
        for name in named.chain(used.iter().copied()).collect::<BTreeSet<&str>>() {
            if let Some(specs) = kubernetes_gate(name) {
                gates.add(name, &specs)?;
            } else if used.contains(name) {
                gates = gates.with(name, Stage::Alpha);
                if !self.gates.contains_key(name) && !self.options.contains_key(name) {
                    unset.insert(name.to_owned());
                }
            }
        }
        gates.set(&text(&self.gates))?;
        for name in self.options.keys() {
            gates = gates.with(name, Stage::Alpha);
        }
        gates.set(&text(&self.options))?;
        Ok(Settled { gates, unset })
    }
}

/// Returns the policy by which errors of tags count while gates have this state.
pub fn policy(gates: &FeatureGates) -> Enforcement {
    Enforcement { beta: gates.enabled(BETA_RULES), ..Enforcement::default() }
}

/// As `--feature-gates` takes it.
fn text(switches: &BTreeMap<String, bool>) -> String {
    let parts: Vec<String> = switches.iter().map(|(name, on)| format!("{name}={on}")).collect();
    parts.join(",")
}

/// The hint for a feature gate that Kubernetes does not have.
pub fn gate_hint(name: &str) -> String {
    nearest(name, kubernetes_gate_names()).map(|known| format!("; did you mean {known}?")).unwrap_or_default()
}

/// The note about an option that is not set.
pub fn unset_note(name: &str) -> String {
    format!("option {name} is not set and counts as off: set it with --option {name}=true or --option {name}=false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches(gates: &[(&str, bool)], options: &[(&str, bool)]) -> Switches {
        let map = |pairs: &[(&str, bool)]| pairs.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
        Switches { gates: map(gates), options: map(options) }
    }

    #[track_caller]
    fn settled(switches: &Switches, used: &[&str]) -> (Vec<bool>, Vec<String>) {
        let settled = switches.settle(&used.iter().copied().collect()).unwrap();
        let on = used.iter().map(|name| settled.gates.options().get(name).unwrap()).collect();
        (on, settled.unset.into_iter().collect())
    }

    #[test]
    fn what_nobody_sets_has_the_default_of_kubernetes_or_is_off() {
        let used = ["HPAScaleToZero", "WorkloadWithJob", "WidgetPriority"];
        assert_eq!(settled(&Switches::default(), &used), (vec![true, false, false], vec!["WidgetPriority".to_owned()]));
        let set = switches(&[("WorkloadWithJob", true), ("WidgetPriority", true)], &[("HPAScaleToZero", false)]);
        assert_eq!(settled(&set, &used), (vec![false, true, true], vec![]));
        assert_eq!(settled(&switches(&[("AllAlpha", true)], &[]), &used[..2]), (vec![true, true], vec![]));
    }

    #[test]
    fn beta_rules_have_a_gate() {
        let beta = |switches: &Switches| policy(&switches.settle(&BTreeSet::new()).unwrap().gates).beta;
        assert!(beta(&Switches::default()));
        assert!(!beta(&switches(&[("DeclarativeValidationBeta", false)], &[])));
        assert!(!beta(&switches(&[("AllBeta", false)], &[])));
    }

    #[test]
    fn gates_that_neither_kubernetes_nor_the_types_know_are_refused() {
        let error = switches(&[("Nope", true)], &[]).settle(&BTreeSet::new()).unwrap_err();
        assert_eq!(error.to_string(), "unrecognized feature gate: Nope");
        let locked = switches(&[("CSIServiceAccountTokenSecrets", false)], &[]).settle(&BTreeSet::new()).unwrap_err();
        assert!(locked.to_string().ends_with("feature is locked to true"), "{locked}");
        assert!(switches(&[], &[("Nope", true)]).settle(&BTreeSet::new()).is_ok());
    }

    #[test]
    fn the_command_line_wins_over_the_settings_file() {
        let given = switches(&[("A", true)], &[]).or(switches(&[("A", false), ("B", true)], &[("C", true)]));
        assert_eq!(given, switches(&[("A", true), ("B", true)], &[("C", true)]));
    }
}

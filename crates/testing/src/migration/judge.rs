//! One object, judged in process, with everything that hand-written code and rules found in it.

use std::sync::{Arc, Mutex, PoisonError};

use sprag_field::Error;
use sprag_rest::{Definition, FeatureGates, Findings, MinorVersion, Observer, Offline, ResourceInfo, Stage};
use sprag_value::Value;

/// The last release in which `DeclarativeValidation` can be switched off.
const SWITCHABLE: MinorVersion = MinorVersion { major: 1, minor: 35 };

/// The setting of the gates of declarative validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// All on, as by default.
    On,
    /// Beta rules are not enforced.
    BetaOff,
    /// Rules of resources in legacy shadow do not run.
    Off,
}

impl Setting {
    pub(crate) const ALL: [Setting; 3] = [Setting::On, Setting::BetaOff, Setting::Off];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Setting::On => "declarative validation on",
            Setting::BetaOff => "DeclarativeValidationBeta=false",
            Setting::Off => "DeclarativeValidation=false",
        }
    }

    /// The gates of a server, with those of the API's author all on or all off.
    pub(crate) fn gates(self, declared: &[(String, Stage)], features: bool) -> FeatureGates {
        let (base, switches) = match self {
            Setting::On => (FeatureGates::default(), ""),
            Setting::BetaOff => (FeatureGates::default(), "DeclarativeValidationBeta=false"),
            Setting::Off => (FeatureGates::at(SWITCHABLE), "DeclarativeValidation=false"),
        };
        let mut gates = declared.iter().fold(base, |gates, (name, stage)| gates.with(name, *stage));
        let features = declared.iter().map(|(name, _)| format!("{name}={features}"));
        let switches: Vec<String> = features.chain([switches.to_owned()]).collect();
        gates.set(&switches.join(",")).unwrap_or_else(|error| panic!("{error}"));
        gates
    }
}

/// A resource on a bench.
pub(crate) struct Bench {
    offline: Offline,
    resource: Arc<ResourceInfo>,
    capture: Arc<Capture>,
}

/// The errors found in an object.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The reason why the object could not be validated.
    pub(crate) failed: Option<String>,
    /// The errors that a user sees.
    pub(crate) enforced: Vec<Error>,
    /// The object as it would be stored.
    pub(crate) object: Value,
    pub(crate) captured: Captured,
}

/// The arguments of rules and what both sides found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    pub(crate) new: Value,
    pub(crate) old: Option<Value>,
    pub(crate) subresource: String,
    pub(crate) errors: Vec<Error>,
}

#[derive(Default)]
struct Capture(Mutex<Captured>);

impl Observer for Capture {
    fn judged(&self, findings: &Findings<'_>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Captured {
            new: findings.new.clone(),
            old: findings.old.cloned(),
            subresource: findings.cx.subresource.to_owned(),
            errors: findings.errors.to_vec(),
        };
    }
}

impl Bench {
    pub(crate) fn new(definition: &Definition, gates: FeatureGates) -> Bench {
        gates.check_declared(definition).unwrap_or_else(|error| panic!("{error}"));
        let capture = Arc::new(Capture::default());
        let offline = Offline::new(gates).without_managed_fields().observed_by(capture.clone());
        let resource = offline.resource(definition.clone());
        Bench { offline, resource, capture }
    }

    pub(crate) fn gates(&self) -> &FeatureGates {
        self.offline.gates()
    }

    /// Judges an object that is created, or that replaces an old one.
    pub(crate) fn judge(&self, version: &str, subresource: &str, new: &Value, old: Option<&Value>) -> Seen {
        *self.capture.0.lock().unwrap_or_else(PoisonError::into_inner) = Captured::default();
        let panics = self.panics();
        let judged = self.offline.judge_subresource(&self.resource, version, subresource, new.clone(), old);
        let captured = std::mem::take(&mut *self.capture.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut seen = Seen { captured, ..Seen::default() };
        match judged {
            Ok(outcome) => (seen.enforced, seen.object) = (outcome.judged.errors, outcome.judged.object),
            Err(error) => seen.failed = Some(error.to_string()),
        }
        if self.panics() > panics {
            seen.failed = Some(seen.failed.map_or("a hook or rule panicked".into(), |said| format!("panic: {said}")));
        }
        seen
    }

    fn panics(&self) -> u64 {
        let counters = self.offline.counters();
        counters.panics() + counters.rule_panics().values().sum::<u64>()
    }
}

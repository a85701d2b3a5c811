//! The features of the server that can be switched.

use sprag_rest::{FeatureGates, GateSpec, MinorVersion, Release, Stage, kubernetes_gate};

/// The gate of field validation on request.
const FIELD_VALIDATION: &str = "ServerSideFieldValidation";

/// True if requests are answered with field validation: always, but at releases that let it be switched off.
pub(crate) fn has_field_validation(gates: &FeatureGates) -> bool {
    !gates.is_known(FIELD_VALIDATION) || gates.enabled(FIELD_VALIDATION)
}

/// The gate of the lease that shows that the server runs.
pub(crate) const IDENTITY: &str = "APIServerIdentity";

/// The gates of Kubernetes that change what the server itself does; others change rules of kinds.
const OWN: [&str; 4] = [IDENTITY, "CRDValidationRatcheting", "DeclarativeValidation", "DeclarativeValidationBeta"];

/// The features of the server, at their defaults.
pub fn gates() -> FeatureGates {
    gates_of(Release::default())
}

/// The features of a server of a release, which answers as that release does.
pub fn gates_of(release: Release) -> FeatureGates {
    with_own(FeatureGates::of(release))
}

/// The features of a server of a release that emulates a version.
pub fn gates_emulating(release: Release, version: MinorVersion) -> FeatureGates {
    with_own(FeatureGates::emulating(release, version))
}

/// The features of the server as they were in a version, which tells those that can be switched from those that are locked.
///
/// ```
/// use sprag_rest::MinorVersion;
///
/// let locked = sprag_server::gates().set("CRDValidationRatcheting=false").unwrap_err();
/// assert!(locked.to_string().ends_with("feature is locked to true"));
/// let mut older = sprag_server::gates_at(MinorVersion { major: 1, minor: 32 });
/// older.set("CRDValidationRatcheting=false").unwrap();
/// ```
pub fn gates_at(version: MinorVersion) -> FeatureGates {
    let mut gates = with_own(FeatureGates::at(version));
    // As KEP-2885 had it; upstream removed the gate before the oldest release that can be emulated.
    if version >= Release::default().oldest_emulated() {
        return gates;
    }
    let history = [
        GateSpec::new(Stage::Alpha).since(1, 23),
        GateSpec::new(Stage::Beta).since(1, 25),
        GateSpec::new(Stage::Stable).since(1, 27).locked(),
    ];
    let added = gates.add(FIELD_VALIDATION, &history);
    debug_assert!(added.is_ok());
    gates
}

/// Declares the gates of the server itself.
fn with_own(mut gates: FeatureGates) -> FeatureGates {
    for name in OWN {
        let added = gates.add(name, &kubernetes_gate(name).unwrap_or_default());
        debug_assert!(added.is_ok(), "{name}");
    }
    gates
}

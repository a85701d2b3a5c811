//! The features of the server that can be switched.

use sprag_rest::{FeatureGates, Stage};

/// Whether requests can ask for field validation.
pub(crate) const FIELD_VALIDATION: &str = "ServerSideFieldValidation";

/// The features of the server, at their defaults.
pub fn gates() -> FeatureGates {
    FeatureGates::default().with(FIELD_VALIDATION, Stage::Stable).with("CRDValidationRatcheting", Stage::Stable)
}

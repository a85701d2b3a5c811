//! Admission policies, run by the plug-ins of the server.

use sprag_admission::offline::OfflinePolicies;
use sprag_analysis::{PolicyCheck, PolicyEngine, PolicyVerdict};
use sprag_rest::{ApiError, Definition};
use sprag_value::Value;

/// The plug-ins over a registry in memory.
struct Plugins(OfflinePolicies);

/// Makes the engine of an analysis.
pub(crate) fn engine(kinds: Vec<Definition>, objects: &[Value]) -> (Box<dyn PolicyEngine>, Vec<(usize, ApiError)>) {
    let (policies, refused) = OfflinePolicies::new(kinds, objects);
    (Box::new(Plugins(policies)), refused)
}

impl PolicyEngine for Plugins {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn judge(&self, object: &Value, old: Option<&Value>) -> Option<PolicyVerdict> {
        let verdict = self.0.judge(object, old)?;
        let checks = verdict.checks.into_iter();
        Some(PolicyVerdict {
            error: verdict.error.map(|error| error.parts().message.clone()),
            warnings: verdict.warnings,
            checks: checks
                .map(|check| PolicyCheck { policy: check.policy, field: check.field, action: check.action })
                .collect(),
        })
    }
}

//! The group `apps`.

mod controller_revision;
mod daemon_set;
mod deployment;
pub(crate) mod replica_set;
pub(crate) mod rolling_update;
mod stateful_set;
pub(crate) mod status;
pub(crate) mod template;
#[cfg(feature = "types")]
pub mod v1;

use sprag_field::quote;
use sprag_rest::{Definition, FeatureGates, Release};
use sprag_value::Value;

/// The fields that `/status` of workloads writes: all but the spec.
pub(crate) const STATUS_WRITES: [&str; 2] = ["status", "metadata"];

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        controller_revision::controller_revisions(release),
        daemon_set::daemon_sets(release),
        deployment::deployments(release),
        replica_set::replica_sets(release),
        stateful_set::stateful_sets(release),
    ]
}

/// Drops the number of terminating pods from a status while its feature is off and the old object has none.
fn drop_terminating_replicas(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let has =
        |object: &Value| object.lookup(&["status", "terminatingReplicas"]).is_some_and(|number| !number.is_null());
    if !gates.enabled("DeploymentReplicaSetTerminatingReplicas")
        && !old.is_some_and(has)
        && let Some(status) = new.get_mut("status")
    {
        status.remove("terminatingReplicas");
    }
}

/// A number as Go's `strconv.ParseInt` reads it, with its errors.
fn parse_int(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let flaw = if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        "invalid syntax"
    } else {
        match text.parse() {
            Ok(number) => return Ok(number),
            Err(_) => "value out of range",
        }
    };
    Err(format!("strconv.ParseInt: parsing {}: {flaw}", quote::go(text)))
}

#[cfg(test)]
mod tests {
    use super::parse_int;

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        assert_eq!(parse_int("+07"), Ok(7));
        assert_eq!(parse_int("-1"), Ok(-1));
        for text in ["", "-", "1.0", "0x1", " 1"] {
            assert_eq!(parse_int(text), Err(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")));
        }
        let large = "9223372036854775808";
        assert_eq!(parse_int(large), Err(format!("strconv.ParseInt: parsing {large:?}: value out of range")));
    }
}

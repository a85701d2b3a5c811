//! The controller that says in the status of validating admission policies what types say about their expressions.

use std::sync::Arc;

use sprag_admission::policy::check_types;
use sprag_registry::{Follower, Registry};
use sprag_rest::{ApiError, Patch, Request, User, WriteOptions, meta};
use sprag_storage::Key;
use sprag_value::{Object, Value, json};
use tokio::sync::Notify;

/// The group of policies.
const GROUP: &str = "admissionregistration.k8s.io";
/// Their plural name.
const RESOURCE: &str = "validatingadmissionpolicies";
/// The field manager, as upstream's controller has it.
const MANAGER: &str = "validatingadmissionpolicy-status";

/// Learns that policies changed.
#[derive(Default)]
pub struct PolicyChanges(Notify);

impl PolicyChanges {
    /// Waits for a change since it was waited for last.
    pub async fn changed(&self) {
        self.0.notified().await;
    }
}

impl Follower for PolicyChanges {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[(GROUP, RESOURCE)]
    }

    fn replace(&self, _: Vec<(Key, Value)>) {
        self.0.notify_one();
    }

    fn set(&self, _: &Key, object: Option<Value>) {
        if object.is_some() {
            self.0.notify_one();
        }
    }
}

/// Brings the status of all policies into step with their generation.
// As upstream's validatingadmissionpolicystatus.Controller.reconcile.
pub async fn reconcile(registry: &Registry) -> Result<(), ApiError> {
    let user = Arc::new(User::default());
    let all = Request {
        group: GROUP,
        version: "v1",
        resource: RESOURCE,
        namespace: "",
        name: "",
        subresource: "",
        user: &user,
    };
    for policy in registry.list(&all, &sprag_rest::ListOptions::default()).await?.items {
        let generation = meta::generation(&policy);
        let observed = policy.lookup(&["status", "observedGeneration"]).and_then(Value::as_i64);
        if observed.unwrap_or(0) >= generation {
            continue;
        }
        let name = meta::name(&policy);
        let applied = json::to_string(&status(registry, &policy, generation));
        let request = Request { name, subresource: "status", ..all };
        let options = WriteOptions { force: Some(true), ..WriteOptions::by(MANAGER) };
        match registry.patch(&request, Patch::Apply(applied.as_bytes()), &options).await {
            Ok(_) => {}
            // It went in the meantime.
            Err(error) if error.is_not_found() || error.is_conflict() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn status(registry: &Registry, policy: &Value, generation: i64) -> Value {
    let warnings = check_types(registry, policy).into_iter().map(|warning| {
        Value::Object(Object::from([
            ("fieldRef", Value::from(warning.field_ref)),
            ("warning", Value::from(warning.warning)),
        ]))
    });
    let warnings: Vec<Value> = warnings.collect();
    let mut checking = Object::new();
    if !warnings.is_empty() {
        checking.insert("expressionWarnings", Value::Array(warnings.into()));
    }
    let status =
        Object::from([("observedGeneration", Value::Int(generation)), ("typeChecking", Value::Object(checking))]);
    let mut object = meta::bare(&format!("{GROUP}/v1"), "ValidatingAdmissionPolicy", meta::name(policy));
    object.insert("status", Value::Object(status));
    object
}

//! Component statuses: whether the processes of the control plane are healthy, found out when somebody asks.

use std::sync::Arc;

use sprag_rest::{Definition, Observe, Release, Unstored};
use sprag_value::{Object, Value};

use crate::columns::text;
use crate::program;

/// The warning on the version, as upstream's `ComponentStatus.APILifecycleDeprecated`.
const DEPRECATION: &str = "v1 ComponentStatus is deprecated in v1.19+";

/// The definition of `componentstatuses`.
pub(crate) fn component_statuses(release: Release, observer: Arc<dyn Observe>) -> Definition {
    let mut definition = program::resource(release, "", "v1", "ComponentStatus").define();
    definition.unstored = Some(Unstored::Observed(observer));
    definition.resource.resource = "componentstatuses".into();
    definition.short_names = vec!["cs".to_owned()];
    let version = &mut definition.versions[0];
    version.deprecation_warning = DEPRECATION.into();
    version.columns = vec![
        text("Status", "Whether the component is healthy.", |object| status(object).into()),
        text("Message", "Message about its health.", |object| member(object, "message").into()),
        text("Error", "Error of its health check.", |object| member(object, "error").into()),
    ];
    definition
}

/// The status of a component: the answer of its health check, or the error of the check.
pub fn component_status(name: &str, outcome: Result<String, String>) -> Value {
    let (status, message) = match outcome {
        Ok(message) => ("True", message),
        Err(message) => ("False", message),
    };
    let mut condition = Object::from([("type", Value::from("Healthy")), ("status", status.into())]);
    if !message.is_empty() {
        condition.insert("message", message);
    }
    Value::Object(Object::from([
        ("apiVersion", Value::from("v1")),
        ("kind", "ComponentStatus".into()),
        ("metadata", Value::Object(Object::from([("name", Value::from(name))]))),
        ("conditions", Value::from(vec![Value::Object(condition)])),
    ]))
}

fn healthy(object: &Value) -> Option<&Value> {
    let conditions = object.get("conditions")?.as_array()?;
    conditions.iter().find(|condition| condition.get("type").and_then(Value::as_str) == Some("Healthy"))
}

// As upstream's printComponentStatus.
fn status(object: &Value) -> &'static str {
    match healthy(object).map(|condition| condition.get("status").and_then(Value::as_str)) {
        None => "Unknown",
        Some(Some("True")) => "Healthy",
        Some(_) => "Unhealthy",
    }
}

fn member<'o>(object: &'o Value, name: &str) -> &'o str {
    healthy(object).and_then(|condition| condition.get(name)).and_then(Value::as_str).unwrap_or_default()
}

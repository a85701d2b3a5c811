//! DELETE of one object or of all that a selection picks.

use hyper::body::Incoming;
use sprag_decode::{Format, json, yaml};
use sprag_registry::{ApiError, DeleteOptions};
use sprag_value::Value;

use super::Call;
use crate::answer::{self, Answer};
use crate::{body, negotiate};

impl Call<'_> {
    pub(super) async fn delete(&self, body: Incoming) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let options = self.delete_options(body).await?;
        options.validate()?;
        let deleted = self.state.registry.delete(&self.request(), &options).await?;
        self.state.after_delete(&self.definition).await;
        let is_status = deleted.object.get("kind").and_then(Value::as_str) == Some("Status");
        let shown = if is_status { deleted.object } else { self.lens(output)?.object(deleted.object)? };
        Ok(answer::object(200, &shown, output, &self.remarks(deleted.warnings)))
    }

    pub(super) async fn delete_collection(&self, body: Incoming) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let list_options = self.query.list_options()?;
        let options = self.delete_options(body).await?;
        options.validate()?;
        let list = self.state.registry.delete_collection(&self.request(), &options, &list_options).await?;
        self.state.after_delete(&self.definition).await;
        Ok(answer::object(200, &self.lens(output)?.list(list.to_value())?, output, &self.remarks(Vec::new())))
    }

    /// The options in the body, or those in the parameters when there is none.
    async fn delete_options(&self, body: Incoming) -> Result<DeleteOptions, ApiError> {
        let body = body::read(body).await?;
        if body.is_empty() {
            return self.query.delete_options();
        }
        let format = negotiate::input(self.headers)?;
        let value = match format {
            Format::Json => json::decode(&body).map_err(|error| error.to_string()),
            Format::Yaml => yaml::decode(&body).map_err(|error| error.to_string()),
        };
        let value = value
            .map_err(|error| ApiError::bad_request(format!("couldn't get version/kind; json parse error: {error}")))?;
        check_kind(&value, self.definition.group())?;
        read(&value).map_err(ApiError::bad_request)
    }
}

/// Refuses options that are something else. Each group has options of its own, which are all the same.
fn check_kind(value: &Value, group: &str) -> Result<(), ApiError> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    let _ = group;
    if matches!(kind, "" | "DeleteOptions") {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "no kind {} is registered for version {} in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"",
        sprag_field::quote::go(kind),
        sprag_field::quote::go(api_version),
    )))
}

fn read(value: &Value) -> Result<DeleteOptions, String> {
    let text = |path: &[&str]| value.lookup(path).and_then(Value::as_str).map(str::to_owned);
    let dry_run = value.get("dryRun").and_then(Value::as_array).into_iter().flatten();
    Ok(DeleteOptions {
        dry_run: dry_run.filter_map(Value::as_str).map(str::to_owned).collect(),
        grace_period_seconds: value.get("gracePeriodSeconds").and_then(Value::as_i64),
        uid: text(&["preconditions", "uid"]),
        resource_version: text(&["preconditions", "resourceVersion"]),
        orphan_dependents: value.get("orphanDependents").and_then(Value::as_bool),
        propagation_policy: text(&["propagationPolicy"]),
    })
}

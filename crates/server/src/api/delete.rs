//! DELETE of one object or of all that a selection picks.

use std::pin::pin;

use sprag_rest::{ApiError, DeleteOptions};
use sprag_value::{Object, Value};

use super::{Call, delete_options};
use crate::answer::Answer;
use crate::audit;
use crate::body::{self, RequestBody};
use crate::filter;
use crate::negotiate;

impl Call<'_> {
    pub(super) async fn delete(&self, body: &mut RequestBody) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let options = self.delete_options(body).await?;
        options.validate()?;
        if options.ignores_read_error() {
            if let Some(record) = audit::current() {
                record.annotate("apiserver.k8s.io/unsafe-delete-ignore-read-error", "");
            }
            filter::authorize_unsafe_delete(&self.state.policy.access, &self.request())?;
        }
        let mut warnings = self.definition.delete.warnings_on_delete(&options);
        let deleted = self.state.registry.delete(&self.request(), &options).await;
        let deleted = deleted.map_err(|error| error.with_warnings(warnings.clone()))?;
        warnings.extend(deleted.warnings);
        self.state.after_delete(&self.definition, Some(self.path.name)).await;
        let lens = self.lens(output)?;
        let is_status = deleted.object.get("kind").and_then(Value::as_str) == Some("Status");
        let waits = !is_status && deleted.object.lookup(&["metadata", "deletionTimestamp"]).is_some();
        let code = if waits && options.orphan_dependents == Some(false) { 202 } else { 200 };
        let shown = if is_status { deleted.object } else { lens.object(deleted.object)? };
        self.object(code, &shown, output, warnings).await
    }

    pub(super) async fn delete_collection(&self, body: &mut RequestBody) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let mut list_options = self.query.list_options()?;
        if self.query.switch("watch") == Some(true) {
            list_options.validate_watch(self.state.registry.gates())?;
            (list_options.send_initial_events, list_options.resource_version_match) = (None, String::new());
        }
        list_options.validate_list()?;
        let options = self.delete_options(body).await?;
        let warnings = self.definition.delete.warnings_on_delete(&options);
        let deleted = self.state.registry.delete_collection(&self.request(), &options, &list_options).await;
        let deleted = deleted.map_err(|error| error.with_warnings(warnings.clone()))?;
        self.state.after_delete(&self.definition, None).await;
        self.listing(deleted, output, warnings).await
    }

    /// The options in the body, or those in the query parameters without a body.
    async fn delete_options(&self, body: &mut RequestBody) -> Result<DeleteOptions, ApiError> {
        let body = body::read(self.state, &self.grant.user.name, body).await?;
        if body.bytes.is_empty() {
            return Ok(self.without_disabled(self.query.delete_options()?));
        }
        // As upstream's handlers.DeleteResource: the options have types of their own, whatever the resource has.
        let media = negotiate::input(self.headers, || true)?;
        let reading = pin!(async {
            let _memory = self.state.in_flight.memory.for_body(&self.grant.user.name, body.bytes.len()).await?;
            delete_options::read(&body.bytes, media)
        });
        let options = self.state.in_flight.run(&self.grant.user.name, body.bytes.len(), reading).await?;
        let options = self.without_disabled(options);
        if let Some(record) = audit::current().filter(|record| record.has(audit::Level::Request)) {
            record.request_object(&recorded(&options));
        }
        Ok(options)
    }

    /// The options without that of a feature which is off, as upstream's `handlers.DeleteResource`.
    fn without_disabled(&self, options: DeleteOptions) -> DeleteOptions {
        let is_off = |_: &bool| !self.state.registry.gates().enabled("AllowUnsafeMalformedObjectDeletion");
        match options.ignore_store_read_error.filter(is_off) {
            Some(_) => DeleteOptions { ignore_store_read_error: None, ..options },
            None => options,
        }
    }
}

/// Options as the audit log has them.
// As upstream's handlers.DeleteResource, whose encoder knows no other version of them.
fn recorded(options: &DeleteOptions) -> Value {
    let mut value = Object::from([("kind", "DeleteOptions"), ("apiVersion", "meta.k8s.io/__internal")]);
    if let Some(seconds) = options.grace_period_seconds {
        value.insert("gracePeriodSeconds", seconds);
    }
    let preconditions = [("uid", &options.uid), ("resourceVersion", &options.resource_version)];
    let preconditions = preconditions.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)));
    let preconditions: Object = preconditions.collect();
    if !preconditions.is_empty() {
        value.insert("preconditions", Value::Object(preconditions));
    }
    for (name, switch) in [
        ("orphanDependents", options.orphan_dependents),
        ("ignoreStoreReadErrorWithClusterBreakingPotential", options.ignore_store_read_error),
    ] {
        if let Some(switch) = switch {
            value.insert(name, switch);
        }
    }
    if let Some(policy) = &options.propagation_policy {
        value.insert("propagationPolicy", policy.as_str());
    }
    if !options.dry_run.is_empty() {
        let stages: Value = options.dry_run.iter().map(|stage| Value::from(stage.as_str())).collect();
        value.insert("dryRun", stages);
    }
    Value::Object(value)
}

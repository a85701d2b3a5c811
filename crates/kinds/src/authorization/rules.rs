//! The rules of the requesting user in a namespace.

use std::future::ready;
use std::sync::Arc;

use sprag_authorization::{Access, Authorizer as _, PolicyRule};
use sprag_rest::{AnswerCreate, Answered, ApiError, Request, Result};
use sprag_value::{Time, Value};

/// Answers `SelfSubjectRulesReview`s.
pub(super) struct RulesReview(pub(super) Arc<Access>);

impl AnswerCreate for RulesReview {
    fn check(&self, _: &Request<'_>, object: &Value) -> Result<()> {
        match namespace(object) {
            "" => Err(ApiError::bad_request("no namespace on request")),
            _ => Ok(()),
        }
    }

    /// The answer does not repeat the question, as upstream's does not.
    fn answer<'a>(&'a self, request: &'a Request<'a>, _: Time, object: Value) -> Answered<'a> {
        let found = self.0.rules_for(request.user, namespace(&object));
        let mut resources = Vec::new();
        let mut paths = Vec::new();
        // As upstream's RBACAuthorizer.RulesFor.
        for rule in found.rules {
            if !rule.resources.is_empty() {
                resources.push(PolicyRule { non_resource_urls: Vec::new(), ..rule.clone() }.to_value());
            }
            if !rule.non_resource_urls.is_empty() {
                let PolicyRule { verbs, non_resource_urls, .. } = rule;
                paths.push(PolicyRule { verbs, non_resource_urls, ..PolicyRule::default() }.to_value());
            }
        }
        let mut status = Value::object();
        status.insert("resourceRules", resources.into_iter().collect::<Value>());
        status.insert("nonResourceRules", paths.into_iter().collect::<Value>());
        status.insert("incomplete", found.incomplete);
        if let Some(error) = found.error {
            status.insert("evaluationError", error);
        }
        let mut answer = Value::object();
        for member in ["apiVersion", "kind"] {
            answer.insert(member, object.get(member).cloned().unwrap_or_default());
        }
        answer.insert("metadata", Value::object());
        answer.insert("spec", Value::object());
        answer.insert("status", status);
        Box::pin(ready(Ok(answer)))
    }
}

fn namespace(review: &Value) -> &str {
    review.lookup(&["spec", "namespace"]).and_then(Value::as_str).unwrap_or_default()
}

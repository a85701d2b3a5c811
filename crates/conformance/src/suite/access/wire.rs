//! Cases, identities and the setup, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use sprag_value::Value;

/// One request and its answer, or several in order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Case {
    pub(super) id: String,
    #[serde(rename = "as")]
    identity: Option<As>,
    request: Option<Request>,
    answer: Option<Answer>,
    #[serde(default)]
    steps: Vec<Step>,
    /// The tokens derived from the valid one, `t`.
    pub(super) forge: Option<String>,
    /// Answers that are as good.
    #[serde(default)]
    pub(super) alternatives: Vec<Answer>,
    #[serde(default)]
    unordered: bool,
    #[serde(default)]
    unordered_errors: bool,
    #[serde(default)]
    any_binding: bool,
}

/// The accepted differences between an answer and the recorded one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tolerance {
    /// The order of arrays.
    pub(super) unordered: bool,
    /// The order of the errors between brackets in a message.
    pub(super) unordered_errors: bool,
    /// True if any of several bindings may allow the request.
    pub(super) any_binding: bool,
}

impl Case {
    /// The requests in order.
    pub(super) fn steps(self) -> Result<Vec<Step>, String> {
        match (self.identity, self.request, self.answer) {
            (Some(identity), Some(request), Some(answer)) => {
                Ok(vec![Step { identity, request, answer, save: BTreeMap::new(), poll: false }])
            }
            _ if !self.steps.is_empty() => Ok(self.steps),
            _ => Err(format!("{}: neither a request nor steps", self.id)),
        }
    }

    pub(super) fn tolerance(&self) -> Tolerance {
        Tolerance {
            unordered: self.unordered,
            unordered_errors: self.unordered_errors,
            any_binding: self.any_binding,
        }
    }
}

/// One request and its answer.
#[derive(Debug, Deserialize)]
pub(super) struct Step {
    #[serde(rename = "as")]
    pub(super) identity: As,
    pub(super) request: Request,
    pub(super) answer: Answer,
    /// Variables, and where their values are in the answer.
    #[serde(default)]
    pub(super) save: BTreeMap<String, String>,
    /// True to repeat it until it is answered as recorded.
    #[serde(default)]
    pub(super) poll: bool,
}

/// The user of a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum As {
    Named(String),
    #[serde(rename_all = "camelCase")]
    Shown {
        cert: Option<String>,
        token: Option<String>,
        /// A service account, `namespace/name`.
        token_request: Option<String>,
    },
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Request {
    #[serde(default = "post")]
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Value>,
}

fn post() -> String {
    "POST".to_owned()
}

#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) code: u16,
    /// Headers by name: a text, or a list of several.
    pub(super) headers: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    pub(super) body: Option<Value>,
    /// The kind of a body that is not recorded; null for JSON without one.
    #[serde(default, deserialize_with = "present")]
    pub(super) kind: Option<Value>,
    /// A body that is not JSON.
    #[serde(default)]
    pub(super) text: bool,
    /// A watch that began.
    #[serde(default)]
    pub(super) stream: bool,
    /// Header and claims of the token in the answer.
    pub(super) jwt: Option<Value>,
}

/// A member that is there, even if it is null.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// One of `identities.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Identity {
    pub(super) token: Option<String>,
    #[serde(default)]
    pub(super) user: String,
    #[serde(default)]
    pub(super) uid: String,
    #[serde(default)]
    pub(super) groups: Vec<String>,
    pub(super) certificate: Option<Certificate>,
    pub(super) token_request: Option<TokenRequest>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Certificate {
    /// `/O=group/CN=name`.
    pub(super) subject: String,
    pub(super) ca: String,
    pub(super) extended_key_usage: String,
    /// `2020-01-01`.
    pub(super) not_before: Option<String>,
    pub(super) not_after: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TokenRequest {
    pub(super) namespace: String,
    pub(super) serviceaccount: String,
}

/// One of `setup.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetupStep {
    #[serde(flatten)]
    pub(super) request: Request,
    pub(super) content_type: Option<String>,
}

/// One of `watch.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WatchCase {
    pub(super) id: String,
    #[serde(rename = "as")]
    pub(super) identity: As,
    pub(super) grant: Vec<Request>,
    pub(super) watch: String,
    pub(super) revoke: Vec<Request>,
    pub(super) new_request_after: NewRequest,
    pub(super) poke: Vec<Request>,
    pub(super) events_after_revocation: Vec<Event>,
    pub(super) stream_ended: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct NewRequest {
    pub(super) path: String,
    pub(super) answer: Answer,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) event: String,
    pub(super) name: String,
}

/// One of `bootstrap-reconcile.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReconcileCase {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) method: String,
    #[serde(default)]
    pub(super) body: Value,
    #[serde(default)]
    pub(super) before: Value,
    pub(super) change_code: u16,
    #[serde(default)]
    pub(super) changed: Value,
    #[serde(default)]
    pub(super) after_restart: Value,
}

/// One of `kubectl.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KubectlCase {
    pub(super) id: String,
    #[serde(rename = "as")]
    pub(super) identity: String,
    pub(super) args: String,
    pub(super) exit: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Cases of a sequence run in order.
    pub(super) sequence: Option<String>,
    #[serde(default)]
    pub(super) unordered_errors: bool,
}

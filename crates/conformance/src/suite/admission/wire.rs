//! Cases and the setup, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use sprag_value::Value;

/// One case: what it needs, then its requests in order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Case {
    pub(super) id: String,
    /// Objects to create, and requests to send as they are.
    pub(super) setup: Vec<Value>,
    /// The answers of the webhook stub, by path.
    #[serde(default)]
    pub(super) hooks: BTreeMap<String, Value>,
    /// Changes something for the whole cluster.
    #[serde(default)]
    pub(super) serial: bool,
    /// Seconds to wait after the setup.
    pub(super) wait: Option<f64>,
    /// Paths to delete afterwards.
    #[serde(default)]
    pub(super) teardown: Vec<String>,
    pub(super) steps: Vec<Step>,
    /// The reference takes policies, bindings, params or entries of maps in any order.
    #[serde(default)]
    pub(super) random_order: bool,
}

/// One request and its answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    #[serde(rename = "as", default = "admin")]
    pub(super) identity: String,
    pub(super) request: Request,
    pub(super) answer: Answer,
    /// Answers that are as good.
    #[serde(default)]
    pub(super) alternatives: Vec<Answer>,
    #[serde(default)]
    pub(super) unordered_warnings: bool,
    /// The reviews that arrive at the webhook stub.
    pub(super) reviews_sent: Option<Vec<Review>>,
    /// The number of reviews differs from run to run.
    #[serde(default)]
    pub(super) reviews_differ: bool,
}

fn admin() -> String {
    "admin".to_owned()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    pub(super) content_type: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) code: u16,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    pub(super) body: Option<Value>,
}

/// A request that arrived at the webhook stub.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Review {
    /// With the query.
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

/// `setup.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Setup {
    pub(super) objects: Vec<Value>,
    pub(super) identities: Vec<Identity>,
    /// For the file about RBAC only.
    pub(super) rbac_objects: Vec<Value>,
}

/// A user with a token.
#[derive(Debug, Deserialize)]
pub(super) struct Identity {
    #[serde(rename = "as")]
    pub(super) name: String,
    pub(super) user: String,
    pub(super) uid: String,
    pub(super) groups: Vec<String>,
}

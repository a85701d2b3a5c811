//! Transcripts, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use sprag_value::Value;

/// One test: steps that prepare it, a request, and what the reference answered.
#[derive(Debug, Deserialize)]
pub(super) struct Test {
    pub(super) name: String,
    #[serde(default)]
    pub(super) setup: Vec<Step>,
    pub(super) request: Step,
    pub(super) response: Recorded,
    /// Other answers of the same server.
    #[serde(default)]
    pub(super) alternatives: Vec<Recorded>,
    /// The alternatives need not be all.
    #[serde(default)]
    pub(super) nondeterministic: bool,
    /// The answer is a list of events.
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(default)]
    pub(super) note: String,
}

/// One request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    pub(super) body_gen: Option<BodyGen>,
    /// The codes that are good enough; any 2xx if there are none.
    #[serde(default)]
    pub(super) allow: Vec<u16>,
    /// The condition to wait for.
    #[serde(default)]
    pub(super) settle: Option<Settle>,
    #[serde(default)]
    pub(super) sleep_ms: u64,
}

/// A background task of the server that needs time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Settle {
    /// The resource of a new definition can be listed.
    Served,
    /// The schema of a changed definition is in force.
    Rev,
    /// The object is no longer there.
    Gone,
}

/// A long body, by its parts.
#[derive(Debug, Deserialize)]
pub(super) struct BodyGen {
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    suffix: String,
}

/// An answer of the reference.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Recorded {
    pub(super) code: u16,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    /// Absent in alternatives, and where the answer had none.
    #[serde(default)]
    pub(super) content_type: Option<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

impl Step {
    /// The body that is sent.
    pub(super) fn text(&self) -> String {
        match (&self.body, &self.body_gen) {
            (_, Some(parts)) => [parts.prefix.as_str(), &parts.unit.repeat(parts.count), &parts.suffix].concat(),
            (Some(body), None) => body.clone(),
            (None, None) => String::new(),
        }
    }

    /// True if a step with this code did what the test builds on.
    pub(super) fn allows(&self, code: u16) -> bool {
        if self.allow.is_empty() { (200..300).contains(&code) } else { self.allow.contains(&code) }
    }
}

impl Test {
    /// The steps and the request, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.setup.iter().chain(std::iter::once(&self.request))
    }
}

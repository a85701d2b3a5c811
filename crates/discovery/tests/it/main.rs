//! Documents against those that Kubernetes has answered for the same definitions.

#![expect(clippy::unwrap_used, reason = "tests fail where their material is not what it should be")]

mod definition;
mod recorded;
mod schemas;

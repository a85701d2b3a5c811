//! Documents against those that Kubernetes has answered for the same definitions.

mod definition;
mod recorded;
mod schemas;
mod typed;

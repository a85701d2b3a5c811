//! The server as clients meet it: over the network, with a store of its own for each test, with clients of others.
#![expect(clippy::unwrap_used, reason = "in a test an unexpected error is a failure")]
#![allow(clippy::print_stderr, reason = "tests say what they skip")]

mod harness;
mod http;

mod access;
mod audit;
mod bootstrap;
mod cluster;
mod components;
mod definitions;
mod documents;
mod field_validation;
mod forms;
mod in_process;
mod kube_rs;
mod kubectl;
mod languages;
mod limits;
mod objects;
mod patience;
mod plugins;
mod policies;
mod protection;
mod protobuf;
mod quotas;
mod ratcheting;
mod recorded;
mod routes;
mod running;
mod safety;
mod tokens;
mod unread;
mod watch;
mod webhooks;

//! Answers that are about the server, not about objects.

use std::sync::Arc;

use http::request::Parts;
use http::{Method, StatusCode};
use sprag_registry::{ApiError, Definition};
use sprag_value::{Object, Value};

use crate::answer::{self, Answer};
use crate::negotiate::{Offer, Output};
use crate::query::Query;
use crate::route::{Discovery, Route};
use crate::server::State;

/// The release of Kubernetes whose answers these are.
const KUBERNETES: (&str, &str) = ("1", "37");
/// Paths that the index lists beside the API.
const OTHER_PATHS: [&str; 7] = ["/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];

/// Answers a request for a document.
pub(crate) fn serve(state: &State, head: &Parts, _query: &Query<'_>, route: Route<'_>) -> Answer {
    let text = |text: String| answer::text(StatusCode::OK, text);
    match route {
        Route::Discovery(document) => discovery(state, head, &document),
        Route::Version => answer::object(200, &version(), Output { pretty: true, ..Output::JSON }, &[]),
        Route::Health(check) => health(check),
        Route::Metrics => text(state.metrics.text(state.registry.counters())),
        Route::OpenApiV2 | Route::OpenApiV3(_) | Route::Resource(_) | Route::Unknown => answer::page_not_found(),
    }
}

fn discovery(state: &State, head: &Parts, document: &Discovery<'_>) -> Answer {
    if head.method == Method::OPTIONS {
        return answer::failure(&crate::refuse::method_not_allowed(), Output::JSON, &[]);
    }
    let output = match Output::negotiate(&head.headers, false, Offer::Plain) {
        Ok(output) => output,
        Err(error) => return answer::failure(&error, Output::JSON, &[]),
    };
    let definitions = state.registry.definitions();
    let found = describe(&definitions, document, &state.address());
    match found {
        Some(value) => answer::object(200, &value, output, &[]),
        None => answer::page_not_found(),
    }
}

fn describe(definitions: &[Arc<Definition>], document: &Discovery<'_>, address: &str) -> Option<Value> {
    match document {
        Discovery::Root => Some(sprag_discovery::root_paths(definitions, OTHER_PATHS)),
        Discovery::Core => Some(sprag_discovery::api_versions(definitions, address)),
        Discovery::Groups => Some(sprag_discovery::api_group_list(definitions)),
        Discovery::Group(group) => sprag_discovery::api_group(definitions, group),
        Discovery::Resources(group, version) => sprag_discovery::api_resource_list(definitions, group, version),
    }
}

/// Which server this is, as clients of Kubernetes ask.
fn version() -> Value {
    let (major, minor) = KUBERNETES;
    let git = format!("v{major}.{minor}.0-sprag.{}", env!("CARGO_PKG_VERSION"));
    let platform = format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH);
    Value::Object(Object::from([
        ("major", major),
        ("minor", minor),
        ("emulationMajor", major),
        ("emulationMinor", minor),
        ("minCompatibilityMajor", major),
        ("minCompatibilityMinor", "36"),
        ("gitVersion", &git),
        ("gitCommit", "unknown"),
        ("gitTreeState", "clean"),
        ("buildDate", "1970-01-01T00:00:00Z"),
        ("goVersion", "none"),
        ("compiler", "rustc"),
        ("platform", &platform),
    ]))
}

/// A server that answers is well: it listens only once everything is loaded.
fn health(check: &str) -> Answer {
    match check.split_once('/').map(|(_, check)| check) {
        None | Some("ping" | "log" | "etcd" | "") => answer::text(StatusCode::OK, "ok"),
        Some(_) => answer::failure(&ApiError::no_such_resource(), Output::JSON, &[]),
    }
}

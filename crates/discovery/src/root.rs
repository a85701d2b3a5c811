//! The index at `/`.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_rest::Definition;
use sprag_value::Value;

use crate::groups::{served_groups, served_versions};

/// The document at `/`: paths of groups and versions, and `others` that the server answers. All sorted.
pub fn root_paths<'a>(definitions: &[Arc<Definition>], others: impl IntoIterator<Item = &'a str>) -> Value {
    let mut paths: BTreeSet<String> = others.into_iter().map(str::to_owned).collect();
    paths.extend(["/api", "/apis", "/apis/"].map(str::to_owned));
    paths.extend(served_versions(definitions, "").into_iter().map(|version| format!("/api/{version}")));
    for group in served_groups(definitions) {
        paths.insert(format!("/apis/{group}"));
        paths.extend(served_versions(definitions, group).into_iter().map(|version| format!("/apis/{group}/{version}")));
    }
    object! { "paths": paths.into_iter().collect::<Value>() }
}

//! Trees of definitions of custom resources.

use std::path::Path;

use anyhow::{Context, bail};
use sprag_analysis::Documents;
use sprag_analysis::files::read_limited;
use sprag_schema::crd::{Crd, KIND};
use sprag_value::Value;

use super::Node;
use sprag_analysis::apidoc::of_schema;

/// The kinds that the definitions of a file declare, one for each version.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Node>> {
    let bytes = std::fs::File::open(path).and_then(read_limited).with_context(|| path.display().to_string())?;
    let mut nodes = Vec::new();
    for document in Documents::new(&bytes, 1) {
        let Some(value) = document.value().filter(|value| value.get("kind").and_then(Value::as_str) == Some(KIND))
        else {
            continue;
        };
        let crd = Crd::read(value).with_context(|| path.display().to_string())?;
        for version in &crd.versions {
            let mut node = version.props().map(|props| of_schema(&crd.names.kind, props, false)).unwrap_or_default();
            node.name = format!("{}.{}", version.name, crd.names.kind);
            nodes.push(node);
        }
    }
    if nodes.is_empty() {
        bail!("{}: no definition of a custom resource is in it", path.display());
    }
    Ok(nodes)
}

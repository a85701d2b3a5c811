//! Namespaces: what they look like. What becomes of them is up to the registry.

use sprag_registry::complete_namespace;
use sprag_rest::{Column, Definition};

use crate::columns::{string, text};
use crate::program;

/// The definition of `namespaces`.
pub(crate) fn namespaces() -> Definition {
    let resource = program::resource("", "v1", "Namespace").complete(complete_namespace);
    // A generated name is a label, too; upstream's storage completes what it returns.
    let declared = resource.canonicalize(complete_namespace).define();
    let mut definition = Definition { scheme: declared.scheme, ..sprag_registry::namespaces() };
    for version in &mut definition.versions {
        let phase = text("Status", "The status of the namespace", |object| string(object, &["status", "phase"]).into());
        version.columns = vec![phase, Column::age()];
    }
    definition
}

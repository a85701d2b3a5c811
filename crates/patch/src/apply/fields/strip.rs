//! Fields outside managed fields: identity, and those that the server sets.

use std::sync::LazyLock;

use crate::apply::fields::set::FieldSet;

/// The set without fields outside managed fields.
pub(in crate::apply) fn strip(set: &FieldSet) -> FieldSet {
    set.difference(unowned())
}

/// Fields outside managed fields.
pub(in crate::apply) fn unowned() -> &'static FieldSet {
    static UNOWNED: LazyLock<FieldSet> = LazyLock::new(|| {
        let metadata = [
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ];
        let metadata = metadata.map(|name| ["metadata", name]);
        let roots: [&[&str]; 3] = [&["apiVersion"], &["kind"], &["metadata"]];
        FieldSet::of_fields(roots.into_iter().chain(metadata.iter().map(<[&str; 2]>::as_slice)))
    });
    &UNOWNED
}

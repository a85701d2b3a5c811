//! The page of the built-in kinds.

use std::fmt::Write;

use sprag_kinds::KindReference;

const HEAD: &str = "\
<!-- Printed by `sprag docs kinds`; do not edit. -->

# Built-in kinds

The kinds of Kubernetes 1.37 that `sprag serve` serves and `sprag validate` judges without any flag. Their types are declared in Rust files with
tags; what no tag can say is code. \"Ruled\" counts the fields, below the object's metadata, that a tag has a rule for. It says how much of a kind is
declared, not how much is judged: the other fields are judged by code, or Kubernetes has no rule for them. `sprag-conformance native DIR --tags` prints
the share of the recorded errors of a Kubernetes server that tags alone yield.

| kind | scope | subresources | fields | ruled |
|---|---|---|---|---|
";

const TAIL: &str = "
Reviews (`SubjectAccessReview` and its like, `TokenReview`, `SelfSubjectReview`) are answered and never stored, and `ComponentStatus` is read only, so they are not in the table.

# What is not judged

- Versions other than those in the table are not served; an object of one is an unknown kind.
- Fields of features that are off by default are dropped, as Kubernetes does. `--feature-gates` switches features on.
- What other objects say is not known to `sprag validate`: whether a namespace, class or account exists, whether the namespace lets claims have admin access to
  devices, whether a quota is used up. `sprag serve` asks its store.
- Permissions that Kubernetes asks for beside those of the request are not asked for: `resourceclaims/binding` and `resourceclaims/driver` for parts of the status of
  claims.
- Nothing runs pods, allocates devices or binds volumes: status is what clients write.
";

/// The page.
pub(super) fn page(kinds: &[KindReference]) -> String {
    let mut page = HEAD.to_owned();
    for kind in kinds {
        let scope = if kind.namespaced { "namespace" } else { "cluster" };
        let share = (100 * kind.ruled).checked_div(kind.fields).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "| `{}` {} | {scope} | {} | {} | {} ({share} %) |",
            kind.api_version,
            kind.kind,
            kind.subresources.join(", "),
            kind.fields,
            kind.ruled,
        );
    }
    page + TAIL
}

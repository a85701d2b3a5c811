//! `ValidatingAdmissionPolicy` and `MutatingAdmissionPolicy`, evaluated.

//! `metadata` of a new definition, whose name is made of other members.

use sprag_checks::object_meta::{self, Rules, Undeclared};
use sprag_field::{Errors, Path};

use crate::crd::Crd;

pub(super) fn validate(crd: &Crd, errors: &mut Errors) {
    let is_expected = |name: &str| {
        name.strip_prefix(crd.names.plural.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(crd.group.as_str())
    };
    let rules = Rules {
        namespaced: false,
        name: &|name, usage, report| {
            object_meta::dns_subdomain(name, usage, report);
            if !is_expected(name) {
                report("must be spec.names.plural+\".\"+spec.group".into());
            }
        },
        declares_name: false,
        fields: &Undeclared,
    };
    object_meta::validate_create(&crd.metadata, &rules, &Path::new("metadata"), errors);
}

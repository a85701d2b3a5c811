//! `subresources`.

use sprag_field::{BadValue, Error, Errors, Path};

use super::columns::json_path;
use crate::crd::Subresources;

pub(super) fn validate(subresources: Option<&Subresources>, path: &Path<'_>, errors: &mut Errors) {
    let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_ref()) else { return };
    required(&scale.spec_replicas_path, ".spec.", &path.child("scale.specReplicasPath"), errors);
    required(&scale.status_replicas_path, ".status.", &path.child("scale.statusReplicasPath"), errors);
    let at = path.child("scale.labelSelectorPath");
    if let Some(selector) = scale.label_selector_path.as_ref().filter(|selector| !selector.is_empty())
        && json_path(selector, &at, errors)
        && !selector.starts_with(".spec.")
        && !selector.starts_with(".status.")
    {
        let detail = "should be a json path under either .spec or .status";
        errors.push(Error::invalid(&at, BadValue::json_str(selector), detail));
    }
}

fn required(text: &str, prefix: &str, path: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        errors.push(Error::required(path, ""));
    } else if json_path(text, path, errors) && !text.starts_with(prefix) {
        let detail = format!("should be a json path under {}", prefix.trim_end_matches('.'));
        errors.push(Error::invalid(path, text, detail));
    }
}

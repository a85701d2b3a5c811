//! Controller revisions: snapshots of state.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use crate::columns::{string, text};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::apps_v1::ControllerRevision;

/// The definition of `controllerrevisions`.
pub(crate) fn controller_revisions(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_revision(view(new), &cx.root(), errors);
            validate_data(view(new).data(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate_revision(view(new), &cx.root(), errors);
            view(new).check_data_update(view(old), &cx.root(), errors);
        })
        .without_generation();
    let mut definition = program::resource(release, "apps", "v1", "ControllerRevision").strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn view(object: &Value) -> ControllerRevision<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateControllerRevision`.
fn validate_revision(new: ControllerRevision<'_>, root: &At<'_>, errors: &mut Errors) {
    new.check_revision(root, errors);
}

/// As upstream's `validation.ValidateControllerRevisionCreate`.
fn validate_data(data: &Value, errors: &mut Errors) {
    let detail = match data {
        Value::Object(_) => return,
        Value::Null => "data is mandatory",
        _ => "data must be a valid JSON object",
    };
    errors.push(Error::required(&Path::new("data"), detail));
}

/// As upstream's `printers.printControllerRevision`.
fn columns() -> Vec<Column> {
    vec![
        text("Controller", "Controller of the object", |object| controller(object).into()),
        text("Revision", "Number of the revision.", |object| view(object).revision().into()),
        Column::age(),
    ]
}

/// The controlling owner, as upstream's `printers.formatResourceName`: its kind with its group, and its name.
fn controller(object: &Value) -> String {
    let is_controller = |owner: &&Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
    let Some(owner) = meta::owner_references(object).iter().find(is_controller) else { return "<none>".to_owned() };
    let group = string(owner, &["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    let kind = string(owner, &["kind"]);
    let name = string(owner, &["name"]);
    let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    format!("{}/{name}", kind.to_lowercase())
}

//! Pod templates as objects of their own.

use sprag_checks::At;
use sprag_field::{Errors, Path};
use sprag_rest::{Cx, Definition, FeatureGates, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::{List, Map, View};

use super::pod::{
    PodOptions, drop_disabled_template_fields, set_pod_template_defaults, template_warnings, validate_pod_template_spec,
};
use crate::columns::text;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::core_v1::{Container, PodTemplateSpec};

/// The definition of `podtemplates`.
pub(crate) fn pod_templates(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .drop_disabled_fields(drop_disabled)
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(cx, new, None, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate(cx, new, Some(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| template_warnings(template(new), &Path::new("template"), None))
        .warnings_on_update(|_, new, old| {
            if meta::generation(new) == meta::generation(old) {
                return Vec::new();
            }
            template_warnings(template(new), &Path::new("template"), Some(template(old)))
        })
        .generation_of("template");
    let resource = program::resource(release, "", "v1", "PodTemplate").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = vec![
        text("Containers", "Names of the containers.", |object| join(containers(object), Container::name)),
        text("Images", "Images of the containers.", |object| join(containers(object), Container::image)),
        text("Pod Labels", "Labels of the pods.", |object| labels(object).into()),
    ];
    definition
}

fn template(object: &Value) -> PodTemplateSpec<'_> {
    View::view(object.get("template"))
}

fn complete(object: &mut Value) {
    if object.get("template").is_none_or(Value::is_null) {
        object.insert("template", Value::object());
    }
    if let Some(template) = object.get_mut("template") {
        set_pod_template_defaults(template);
    }
}

fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    if let Some(template) = new.get_mut("template") {
        drop_disabled_template_fields(gates, template, old.and_then(|old| old.get("template")));
    }
}

/// As upstream's `validation.ValidatePodTemplate` and `validation.ValidatePodTemplateUpdate`.
fn validate(cx: &Cx<'_>, new: &Value, old: Option<&Value>, root: &At<'_>, errors: &mut Errors) {
    let options = PodOptions::from_template(cx.gates, Some(template(new)), old.map(template), root);
    validate_pod_template_spec(template(new), &root.child("template"), &options, errors);
}

fn containers(object: &Value) -> List<'_, Container<'_>> {
    template(object).spec().containers()
}

fn join<'v>(containers: List<'v, Container<'v>>, part: fn(Container<'v>) -> &'v str) -> Value {
    containers.iter().map(part).collect::<Vec<_>>().join(",").into()
}

/// As upstream's `labels.FormatLabels`.
fn labels(object: &Value) -> String {
    let labels: Map<'_, &str> = View::view(object.lookup(&["template", "metadata", "labels"]));
    if labels.is_empty() {
        return "<none>".to_owned();
    }
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

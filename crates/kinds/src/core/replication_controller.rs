//! Replication controllers: a number of identical pods.

use std::sync::Arc;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, ErrorKind, Errors, Path};
use sprag_rest::{
    Column, Definition, GarbageCollection, Release, Releases, ScalePaths, ScaleSelector, Selectable, StrategyConfig,
    SubresourceConfig, labels_text, meta,
};
use sprag_value::view::{Map, View};
use sprag_value::{Value, json};

use super::pod::{PodOptions, set_pod_template_defaults, template_warnings};
use crate::apps::replica_set::{replica_columns, validate_replicas};
use crate::apps::{STATUS_WRITES, template};
use crate::checks::validate_nonnegative;
use crate::columns::{containers, text, wide};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::core_v1::{
    PodTemplateSpec, ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus,
};

/// The prefix of annotations for fields that could not be converted, as upstream's
/// `core.NonConvertibleAnnotationPrefix`.
const NON_CONVERTIBLE: &str = "non-convertible.kubernetes.io";

/// The definition of `replicationcontrollers`.
pub(crate) fn replication_controllers(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(STATUS_WRITES).validate_update(|cx, new, _, errors| {
        validate_finalizers(new, errors);
        validate_status(view(new).status(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .metadata_as_new([Releases::until(Release::V1_34)])
        .garbage_collection(GarbageCollection::OrphanDependents)
        .drop_disabled_fields(template::drop_disabled_fields)
        .validate(|cx, new, errors| {
            validate_name(meta::name(new), errors);
            validate_finalizers(new, errors);
            let options = PodOptions::from_template(cx.gates, template_of(new), None, &cx.root());
            validate_spec(view(new).spec(), &options, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            let options = PodOptions::from_template(cx.gates, template_of(new), template_of(old), &cx.root());
            validate_spec(view(new).spec(), &options, &cx.root(), errors);
            validate_convertible(new, old, errors);
        })
        .warnings_on_create(|_, new| {
            let of_name = template::name_warning(new);
            of_name.into_iter().chain(warnings(template_of(new), None)).collect()
        })
        .warnings_on_update(|_, new, old| {
            // As upstream, which takes the old template for the new one.
            let is_same = meta::generation(new) == meta::generation(old);
            if is_same { Vec::new() } else { warnings(template_of(old), template_of(new)) }
        })
        .status(status);
    let selector = Some(ScaleSelector::Labels(".spec.selector".to_owned()));
    let resource = program::resource(release, "", "v1", "ReplicationController")
        .complete(complete)
        .scale(ScalePaths { label_selector: selector, ..ScalePaths::default() });
    let mut definition = resource.strategy(strategy).define();
    definition.storage_prefix = String::from("controllers");
    // Checked by a tag, and by the strategy where that is not enforced; bases of names are not checked.
    definition.name_rule = Arc::new(|_, _, _| {});
    definition.short_names = vec!["rc".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = columns();
    definition.versions[0].selectable = vec![Selectable::new("status.replicas")];
    definition
}

fn view(object: &Value) -> ReplicationController<'_> {
    View::view(Some(object))
}

fn template_of(object: &Value) -> Option<PodTemplateSpec<'_>> {
    view(object).spec().template()
}

fn warnings(template: Option<PodTemplateSpec<'_>>, old: Option<PodTemplateSpec<'_>>) -> Vec<String> {
    let at = Path::new("spec");
    template.map(|template| template_warnings(template, &at.child("template"), old)).unwrap_or_default()
}

/// As upstream's `SetObjectDefaults_ReplicationController`: the labels of the template are those of the controller and its
/// selector.
fn complete(object: &mut Value) {
    let labels = object.lookup(&["spec", "template", "metadata", "labels"]).filter(|labels| !labels.is_null()).cloned();
    if let Some(labels) = labels {
        template::change_member(object, "spec", |spec| set_labels(spec, "selector", &labels));
        template::change_member(object, "metadata", |metadata| set_labels(metadata, "labels", &labels));
    }
    if let Some(template) = object.get_mut("spec").and_then(|spec| spec.get_mut("template")).filter(|it| !it.is_null())
    {
        set_pod_template_defaults(template);
    }
}

/// Sets labels where there are none.
fn set_labels(object: &mut Value, member: &str, labels: &Value) {
    if <Map<'_, &str>>::view(object.get(member)).is_empty() {
        object.insert(member, labels.clone());
    }
}

/// Refuses a name that is no DNS subdomain.
fn validate_name(name: &str, errors: &mut Errors) {
    let at = Path::new("metadata");
    if !name.is_empty() {
        Format::LongName.check(name, &mut |flaw| {
            let error = Error::invalid(&at.child("name"), name, flaw.detail).with_origin("format=k8s-long-name");
            errors.push(error.with_covered_by_declarative());
        });
    }
}

/// As upstream's `validation.ValidateReplicationControllerSpec`.
fn validate_spec(spec: ReplicationControllerSpec<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    validate_covered_number(spec.min_ready_seconds(), &at.child("minReadySeconds"), errors);
    if spec.selector().is_empty() {
        errors.push(Error::required(&at.child("selector"), ""));
    }
    match spec.replicas() {
        Some(number) => validate_covered_number(number, &at.child("replicas"), errors),
        None => errors.push(Error::required(&at.child("replicas"), "").with_covered_by_declarative()),
    }
    let at = at.child("template");
    let Some(template) = spec.template() else { return errors.push(Error::required(&at, "")) };
    let labels = template.metadata().labels();
    if !spec.selector().iter().all(|(key, value)| labels.get(key) == Some(value)) {
        errors.push(template::unselected(template, &at));
    }
    template::validate_template(template, "ReplicationController", &at, options, errors);
}

/// Refuses a negative number, as a tag does.
fn validate_covered_number(number: i64, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_nonnegative(number, at, errors);
    errors.since_mut(mark).iter_mut().for_each(|error| error.covered_by_declarative = true);
}

/// As the end of upstream's `rcStrategy.ValidateUpdate`: fields that could not be converted stay as they are.
fn validate_convertible(new: &Value, old: &Value, errors: &mut Errors) {
    let annotations: Map<'_, &str> = View::view(meta::get(old, "annotations"));
    for (key, value) in annotations.iter().filter(|(key, _)| key.starts_with(NON_CONVERTIBLE)) {
        let Some((_, field)) = key.split_once('/').filter(|(_, field)| !field.contains('/')) else { continue };
        let (selector, old_selector) = (view(new).spec().selector(), view(old).spec().selector());
        if !field.contains("selector") {
            let detail = "unknown non-convertible field";
            errors.push(Error::new(ErrorKind::NotFound, &Path::new(field), value, detail));
        } else if !selector.same(old_selector) {
            let value =
                new.lookup(&["spec", "selector"]).map_or(BadValue::Nil, |it| BadValue::Json(json::to_string(it)));
            let at = Path::new("spec");
            errors.push(Error::invalid(&at.child("selector"), value, "cannot update non-convertible selector"));
        }
    }
}

/// As upstream's `validation.ValidateReplicationControllerStatus`.
fn validate_status(status: ReplicationControllerStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    status.check(&at, errors);
    validate_replicas(status.as_value(), &at, errors);
}

/// As upstream's `printers.printReplicationController`.
fn columns() -> Vec<Column> {
    let [desired, current, ready] = replica_columns();
    let [names, images] = containers();
    let selector = wide(text("Selector", "Labels of the pods.", |object| {
        let labels = labels_text(object.lookup(&["spec", "selector"]));
        if labels.is_empty() { "<none>".into() } else { labels.into() }
    }));
    vec![desired, current, ready, Column::age(), names, images, selector]
}

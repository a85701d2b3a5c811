//! API services: which server answers for a version of a group. They are stored and judged; nothing is passed on.

use std::sync::Arc;

use sprag_checks::At;
use sprag_checks::content::port_number;
use sprag_checks::object_meta::{Usage, path_segment};
use sprag_field::{Error, Errors, Path, quote};
use sprag_rest::{Column, Cx, Definition, Release, StrategyConfig, SubresourceConfig};
use sprag_value::view::View;
use sprag_value::{Object, Value, base64};

use crate::columns::text;
use crate::meta::validate_names_first;
use crate::program;
use crate::views::apiregistration_v1::{APIService, APIServiceSpec};

const AVAILABLE: &str = "Available";
const DEFAULT_PORT: i64 = 443;
const MAX_GROUP_PRIORITY: i64 = 20_000;
const MAX_VERSION_PRIORITY: i64 = 1000;

/// The fields that `/status` writes, as upstream's `apiservice.apiServerStatusStrategy.PrepareForUpdate`.
const STATUS_WRITES: [&str; 6] = [
    "status",
    "metadata.creationTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.deletionTimestamp",
    "metadata.generateName",
    "metadata.selfLink",
];

/// The definition of `apiservices`.
pub(super) fn api_services(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .writes(STATUS_WRITES)
        .validate_update(|cx, new, _, errors| validate_status(service(new), &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .prepare_for_create(set_local_available)
        .validate(|cx, new, errors| {
            validate_names_first(errors, |errors| validate_name(service(new), errors));
            validate(service(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, _, errors| {
            validate_name(service(new), errors);
            validate(service(new), &cx.root(), errors);
        })
        .status(status)
        .allow_unconditional_update(false)
        .without_generation();
    let resource = program::resource(release, "apiregistration.k8s.io", "v1", "APIService");
    let mut definition = resource.strategy(strategy).define();
    // As upstream's options.SimpleRestOptionsFactory.
    "apiregistration.k8s.io/apiservices".clone_into(&mut definition.storage_prefix);
    definition.categories = vec!["api-extensions".to_owned()];
    // The required name depends on the object.
    definition.name_rule = Arc::new(|_, _, _| {});
    definition.versions[0].columns = columns();
    definition
}

fn service(object: &Value) -> APIService<'_> {
    View::view(Some(object))
}

/// Says that what this server answers for itself is available, as upstream's
/// `apiregistration.NewLocalAvailableAPIServiceCondition`.
fn set_local_available(cx: &Cx<'_>, new: &mut Value) {
    if service(new).spec().service().is_some() {
        return;
    }
    let condition = Object::from([
        ("type", Value::from(AVAILABLE)),
        ("status", "True".into()),
        ("lastTransitionTime", cx.now.to_string().into()),
        ("reason", "Local".into()),
        ("message", "Local APIServices are always available".into()),
    ]);
    let conditions = Value::from(vec![Value::Object(condition)]);
    new.insert("status", Value::Object(Object::from([("conditions", conditions)])));
}

/// As upstream's `validation.ValidateAPIService`, but for the name.
fn validate(service: APIService<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = service.spec();
    if spec.group().is_empty() && spec.version() != "v1" {
        let detail = "only v1 may have an empty group and it better be legacy kube";
        errors.push(Error::required(&at.child("group"), detail));
    }
    if !spec.group().is_empty() {
        spec.check_group(&at, errors);
    }
    spec.check_version(&at, errors);
    let priority = spec.group_priority_minimum();
    if !(1..=MAX_GROUP_PRIORITY).contains(&priority) {
        let detail = "must be positive and less than 20000";
        errors.push(Error::invalid(&at.child("groupPriorityMinimum"), priority, detail));
    }
    let priority = spec.version_priority();
    if !(1..=MAX_VERSION_PRIORITY).contains(&priority) {
        let detail = "must be positive and less than 1000";
        errors.push(Error::invalid(&at.child("versionPriority"), priority, detail));
    }
    validate_server(spec, &at, errors);
}

/// Judges the name, which says group and version. A base for names is judged as a name is.
fn validate_name(service: APIService<'_>, errors: &mut Errors) {
    let required = format!("{}.{}", service.spec().version(), service.spec().group());
    let at = Path::new("metadata");
    let metadata = service.metadata();
    for (member, name) in [("generateName", metadata.generate_name()), ("name", metadata.name())] {
        if name.is_empty() {
            continue;
        }
        let at = at.child(member);
        let mark = errors.len();
        path_segment(name, Usage::Name, &mut |flaw| errors.push(Error::invalid(&at, name, flaw)));
        if errors.len() == mark && name != required {
            let detail = format!("must be `spec.version+\".\"+spec.group`: {}", quote::go(&required));
            errors.push(Error::invalid(&at, name, detail));
        }
    }
}

/// Judges how the server is reached, unless it is this one.
fn validate_server(spec: APIServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let has_bundle = !spec.ca_bundle().is_empty();
    let is_insecure = spec.insecure_skip_tls_verify();
    let at_insecure = at.child("insecureSkipTLSVerify");
    let Some(server) = spec.service() else {
        if has_bundle {
            let shown = format!("{} bytes", base64::decoded_len(spec.ca_bundle()));
            errors.push(Error::invalid(&at.child("caBundle"), shown, "local APIServices may not have a caBundle"));
        }
        if is_insecure {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.push(Error::invalid(&at_insecure, true, detail));
        }
        return;
    };
    let at_service = at.child("service");
    server.check_namespace(&at_service, errors);
    server.check_name(&at_service, errors);
    let port = server.port().unwrap_or(DEFAULT_PORT);
    port_number(port, &mut |flaw| {
        errors.push(Error::invalid(&at_service.child("port"), port, format!("port is not valid: {flaw}")));
    });
    if is_insecure && has_bundle {
        errors.push(Error::invalid(&at_insecure, true, "may not be true if caBundle is present"));
    }
}

/// As upstream's `validation.ValidateAPIServiceStatus`.
fn validate_status(service: APIService<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let at = at.child("conditions");
    for (index, condition) in service.status().conditions().iter().enumerate() {
        condition.check_status(&at.index(index), errors);
    }
}

/// As upstream's `etcd.REST.ConvertToTable` of API services.
fn columns() -> Vec<Column> {
    vec![
        text("Service", "Service that serves the version.", |object| {
            let service = service(object).spec().service();
            service.map_or("Local".to_owned(), |service| format!("{}/{}", service.namespace(), service.name())).into()
        }),
        text("Available", "Whether the service is available.", |object| available(service(object)).into()),
        Column::age(),
    ]
}

fn available(service: APIService<'_>) -> String {
    let condition = service.status().conditions().iter().find(|condition| condition.kind() == AVAILABLE);
    let Some(condition) = condition else { return "Unknown".to_owned() };
    match (condition.status(), condition.reason()) {
        ("True", _) | (_, "") => condition.status().to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

//! Environment variables of containers: names, sources, and selectors of fields that downward API volumes use, too.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use sprag_checks::At;
use sprag_checks::content::{env_var_name, relaxed_env_var_name};
use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::{List, View};

use super::PodOptions;
use super::containers::as_container;
use crate::views::core_v1::{
    Container, EnvFromSource, EnvVar, EnvVarSource, ObjectFieldSelector, PodSpec, ResourceFieldSelector, VolumeSource,
};

/// Fields of a pod that an environment variable can have, as upstream's `validEnvDownwardAPIFieldPathExpressions`.
const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Resources of a container that variables and volumes can have, beside those of huge pages, as upstream's
/// `validContainerResourceFieldPathExpressions`.
const RESOURCE_FIELDS: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

const HUGE_PAGES_FIELDS: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];

const BYTE_DIVISORS: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

const TOO_MANY_SOURCES: &str = "may not have more than one field specified at a time";

/// As upstream's `validation.ValidateEnv`.
pub(crate) fn validate_env(vars: List<'_, EnvVar<'_>>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    for (index, var) in vars.iter().enumerate() {
        let at = at.index(index);
        if !var.check_name(&at, errors) {
            validate_env_name(var.name(), &at.child("name"), options, errors);
        }
        if let Some(source) = var.value_from() {
            validate_env_source(source, var.value(), &at.child("valueFrom"), options, errors);
        }
    }
}

/// As upstream's `validation.ValidateEnvFrom`.
pub(crate) fn validate_env_from(
    sources: List<'_, EnvFromSource<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, source) in sources.iter().enumerate() {
        let item = at.index(index);
        if !source.prefix().is_empty() {
            validate_env_name(source.prefix(), &item.child("prefix"), options, errors);
        }
        let config_map = source.config_map_ref();
        let secret = source.secret_ref();
        if let Some(source) = config_map {
            source.check_local_object_reference(&item.child("configMapRef"), errors);
        }
        if let Some(source) = secret {
            source.check_local_object_reference(&item.child("secretRef"), errors);
        }
        // As upstream: the list is blamed, not its element.
        match (config_map, secret) {
            (None, None) => {
                errors.push(Error::invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
            }
            (Some(_), Some(_)) => errors.push(Error::invalid(at, "", TOO_MANY_SOURCES)),
            _ => {}
        }
    }
}

/// As upstream's `validation.validateObjectFieldSelector`; `supported` is sorted.
pub(crate) fn validate_object_field_selector(
    selector: ObjectFieldSelector<'_>,
    supported: &[&str],
    at: &At<'_>,
    errors: &mut Errors,
) {
    if selector.check_api_version(at, errors) || selector.check_field_path(at, errors) {
        return;
    }
    let path = match internal_field_path(selector.api_version(), selector.field_path()) {
        Ok(path) => path,
        Err(error) => {
            let detail = format!("error converting fieldPath: {error}");
            return errors.push(Error::invalid(&at.child("fieldPath"), selector.field_path(), detail));
        }
    };
    match split_subscript(path) {
        // As upstream: annotations are looked up in lower case, and the selector itself is blamed.
        Some(("metadata.annotations", key)) => validate_qualified_name(&lower_case(key), at, errors),
        Some((_, key)) => validate_qualified_name(key, at, errors),
        None if supported.contains(&path) => {}
        None => errors.push(Error::not_supported(&at.child("fieldPath"), path, supported)),
    }
}

/// As upstream's `validation.validateContainerResourceFieldSelector` for variables; volumes name a container, too.
pub(crate) fn validate_resource_field_selector(selector: ResourceFieldSelector<'_>, at: &At<'_>, errors: &mut Errors) {
    let resource = selector.resource();
    if !selector.check_resource(at, errors) && !RESOURCE_FIELDS.contains(&resource) && !is_huge_pages_field(resource) {
        errors.push(Error::not_supported(&at.child("resource"), resource, RESOURCE_FIELDS));
    }
    validate_divisor(selector, at, errors);
}

/// As upstream's `validation.validateContainerResourceFieldSelector` for volumes.
pub(crate) fn validate_volume_resource_field_selector(
    selector: ResourceFieldSelector<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    if selector.check_container_name(at, errors) {
        return validate_divisor(selector, at, errors);
    }
    validate_resource_field_selector(selector, at, errors);
}

/// As upstream's `validation.validateFileKeyRefVolumes`; `at` is the path of the spec.
pub(crate) fn validate_file_key_ref_volumes(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let volumes = VolumeSources::new(spec);
    for (index, container) in spec.init_containers().iter().enumerate() {
        validate_file_key_refs(container, &volumes, &at.child("initContainers").index(index), errors);
    }
    for (index, container) in spec.containers().iter().enumerate() {
        validate_file_key_refs(container, &volumes, &at.child("containers").index(index), errors);
    }
    for (index, container) in spec.ephemeral_containers().iter().enumerate() {
        let at = at.child("ephemeralContainers");
        validate_file_key_refs(as_container(container), &volumes, &at.index(index), errors);
    }
}

/// The volumes of a pod by name, the last of each name, made when it is needed first.
struct VolumeSources<'v> {
    spec: PodSpec<'v>,
    sources: OnceCell<HashMap<&'v str, VolumeSource<'v>>>,
}

impl<'v> VolumeSources<'v> {
    fn new(spec: PodSpec<'v>) -> VolumeSources<'v> {
        VolumeSources { spec, sources: OnceCell::new() }
    }

    fn get(&self, name: &str) -> Option<VolumeSource<'v>> {
        let volumes = self.spec.volumes();
        let sources = || volumes.iter().map(|volume| (volume.name(), volume.volume_source())).collect();
        self.sources.get_or_init(sources).get(name).copied()
    }
}

fn validate_file_key_refs(container: Container<'_>, volumes: &VolumeSources<'_>, at: &Path<'_>, errors: &mut Errors) {
    for (index, var) in container.env().iter().enumerate() {
        let Some(selector) = var.value_from().and_then(EnvVarSource::file_key_ref) else { continue };
        let name = selector.volume_name();
        let error = match volumes.get(name) {
            Some(volume) if volume.empty_dir().is_some() => continue,
            Some(_) => {
                |at: &Path<'_>, name: &str| Error::invalid(at, name, "referenced volume must be of type emptyDir")
            }
            None => |at: &Path<'_>, name: &str| Error::not_found(at, name),
        };
        errors.push(error(
            &at.child("env").index(index).child("valueFrom").child("fileKeyRef").child("volumeName"),
            name,
        ));
    }
}

fn validate_env_name(name: &str, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    let mut report = |detail: Cow<'static, str>| errors.push(Error::invalid(at, name, detail));
    if options.allow_relaxed_environment_variable_validation {
        relaxed_env_var_name(name, &mut report);
    } else {
        env_var_name(name, &mut report);
    }
}

/// As upstream's `validation.validateEnvVarValueFrom`.
fn validate_env_source(source: EnvVarSource<'_>, value: &str, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let mut sources = 0;
    if let Some(selector) = source.field_ref() {
        sources += 1;
        validate_object_field_selector(selector, ENV_FIELDS, &at.child("fieldRef"), errors);
    }
    if let Some(selector) = source.resource_field_ref() {
        sources += 1;
        validate_resource_field_selector(selector, &at.child("resourceFieldRef"), errors);
    }
    if let Some(selector) = source.config_map_key_ref() {
        sources += 1;
        let at = at.child("configMapKeyRef");
        selector.check_local_object_reference(&at, errors);
        selector.check_key(&at, errors);
    }
    if let Some(selector) = source.secret_key_ref() {
        sources += 1;
        let at = at.child("secretKeyRef");
        selector.check_local_object_reference(&at, errors);
        selector.check_key(&at, errors);
    }
    if let Some(selector) = source.file_key_ref() {
        sources += 1;
        let at = at.child("fileKeyRef");
        selector.check_key(&at, errors);
        selector.check_volume_name(&at, errors);
        selector.check_path(&at, errors);
    }
    let detail = match sources {
        0 if options.allow_env_files_validation => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
        _ if !value.is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => TOO_MANY_SOURCES,
    };
    errors.push(Error::invalid(at, "", detail));
}

/// The path that a field label of a version of pods stands for, as upstream's `pods.ConvertDownwardAPIFieldLabel`.
fn internal_field_path<'p>(version: &str, label: &'p str) -> Result<&'p str, String> {
    if version != "v1" {
        return Err(format!("unsupported pod version: {version}"));
    }
    if let Some((path, _)) = split_subscript(label) {
        return match path {
            "metadata.annotations" | "metadata.labels" => Ok(label),
            _ => Err(format!("field label does not support subscript: {label}")),
        };
    }
    match label {
        "metadata.annotations"
        | "metadata.labels"
        | "metadata.name"
        | "metadata.namespace"
        | "metadata.uid"
        | "spec.nodeName"
        | "spec.restartPolicy"
        | "spec.serviceAccountName"
        | "spec.schedulerName"
        | "status.phase"
        | "status.hostIP"
        | "status.hostIPs"
        | "status.podIP"
        | "status.podIPs" => Ok(label),
        "spec.host" => Ok("spec.nodeName"),
        _ => Err(format!("field label not supported: {label}")),
    }
}

/// The path and the key of `path['key']`, as upstream's `fieldpath.SplitMaybeSubscriptedPath`.
fn split_subscript(path: &str) -> Option<(&str, &str)> {
    let (path, key) = path.strip_suffix("']")?.split_once("['")?;
    (!path.is_empty()).then_some((path, key))
}

fn lower_case(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_uppercase) { text.to_lowercase().into() } else { text.into() }
}

/// As upstream's `validation.ValidateQualifiedName`.
pub(crate) fn validate_qualified_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    Format::LabelKey.check(name, &mut |flaw| errors.push(Error::invalid(at, name, flaw.detail)));
}

fn is_huge_pages_field(resource: &str) -> bool {
    HUGE_PAGES_FIELDS.iter().any(|prefix| resource.starts_with(prefix))
}

/// As upstream's `validation.validateContainerResourceDivisor`.
fn validate_divisor(selector: ResourceFieldSelector<'_>, at: &Path<'_>, errors: &mut Errors) {
    let resource = selector.resource();
    let divisor = selector.divisor();
    if divisor.is_zero() {
        return;
    }
    let text = <&str>::view(selector.as_value().get("divisor"));
    let is_bytes = BYTE_DIVISORS.contains(&text);
    let unsupported = match resource {
        "limits.cpu" | "requests.cpu" if !matches!(text, "1m" | "1") => {
            let detail = "only divisor's values 1m and 1 are supported with the cpu resource";
            return errors.push(Error::invalid(&at.child("divisor"), resource, detail));
        }
        "limits.memory" | "requests.memory" if !is_bytes => "memory",
        "limits.ephemeral-storage" | "requests.ephemeral-storage" if !is_bytes => "local ephemeral storage",
        _ if is_huge_pages_field(resource) && !is_bytes => "hugepages",
        _ => return,
    };
    let divisors = BYTE_DIVISORS.join(", ");
    let detail = format!("only divisor's values {divisors} are supported with the {unsupported} resource");
    errors.push(Error::invalid(&at.child("divisor"), resource, detail));
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;
    use sprag_value::json;

    #[track_caller]
    fn check(source: &str, value: &str, expected: &[&str]) {
        let var = format!(r#"{{"env":[{{"name":"A","value":"{value}","valueFrom":{source}}}]}}"#);
        let container = json::parse(var.as_bytes()).unwrap();
        let container: Container<'_> = View::view(Some(&container));
        let mut errors = Errors::new();
        validate_env(container.env(), &At::root(&Request::create()).child("env"), &PodOptions::default(), &mut errors);
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn keys_of_annotations_are_judged_in_lower_case_and_those_of_labels_as_they_are() {
        let field = |path: &str| format!(r#"{{"fieldRef":{{"apiVersion":"v1","fieldPath":"{path}"}}}}"#);
        check(&field("metadata.annotations['Example.com/a']"), "", &[]);
        check(&field("spec.host"), "", &[]);
        let subdomain = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' \
                         or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
                         validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        let refused = format!(r#"env[0].valueFrom.fieldRef: Invalid value: "Example.com/a": {subdomain}"#);
        check(&field("metadata.labels['Example.com/a']"), "", &[&refused]);
        let refused = "env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"spec['a']\": error converting fieldPath: field \
                       label does not support subscript: spec['a']";
        check(&field("spec['a']"), "", &[refused]);
    }

    #[test]
    fn a_variable_has_one_source() {
        let both = r#"{"configMapKeyRef":{"name":"a","key":"b"},"secretKeyRef":{"name":"a","key":"b"}}"#;
        let one = r#"{"configMapKeyRef":{"name":"a","key":"b"}}"#;
        check(one, "", &[]);
        check(
            both,
            "",
            &[r#"env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time"#],
        );
        check(one, "x", &[r#"env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty"#]);
    }

    #[test]
    fn divisors_fit_their_resource() {
        let field = |resource: &str, divisor: &str| {
            format!(r#"{{"resourceFieldRef":{{"resource":"{resource}","divisor":"{divisor}"}}}}"#)
        };
        for (resource, divisor) in
            [("limits.cpu", "1m"), ("limits.memory", "1Ki"), ("requests.hugepages-2Mi", "1E"), ("limits.cpu", "0")]
        {
            check(&field(resource, divisor), "", &[]);
        }
        let refused = r#"env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource"#;
        check(&field("limits.cpu", "1Ki"), "", &[refused]);
        let refused = r#"env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.hugepages-1Gi": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource"#;
        check(&field("limits.hugepages-1Gi", "2"), "", &[refused]);
    }
}

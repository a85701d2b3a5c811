//! The operating system of pods, and what each excludes.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Value;

use super::super::visit::visit_containers;
use crate::views::core_v1::{PodSpec, SecurityContext};

const LINUX: &str = "linux";
const WINDOWS: &str = "windows";
const SYSTEMS: &[&str] = &[LINUX, WINDOWS];
const NOT_FOR_LINUX: &str = "windows options cannot be set for a linux pod";
const NOT_FOR_WINDOWS: &str = "cannot be set for a windows pod";

/// Fields of a pod's security context that Windows does not know, in upstream's order.
const POD_CONTEXT: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
];

/// Fields of a container's security context that Windows does not know, in upstream's order.
const CONTAINER_CONTEXT: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

/// As upstream's `validation.validateOS`, `validation.validateLinux` and `validation.validateWindows`, which
/// `validation.ValidatePodSpec` calls together; `at` is the path of the spec.
pub(crate) fn validate_os(spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(os) = spec.os() else { return };
    match os.name() {
        "" => drop(os.check(&at.child("os"), errors)),
        LINUX => validate_linux(spec, at, errors),
        WINDOWS => validate_windows(spec, at, errors),
        name => errors.push(Error::not_supported(&at.child("os"), BadValue::json_str(name), SYSTEMS)),
    }
}

fn validate_linux(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if spec.security_context().is_some_and(|context| context.windows_options().is_some()) {
        errors.push(Error::forbidden(&at.child("securityContext").child("windowsOptions"), NOT_FOR_LINUX));
    }
    visit_containers(spec, at, &mut |container, at| {
        if container.security_context().is_some_and(|context| context.windows_options().is_some()) {
            errors.push(Error::forbidden(&at.child("securityContext").child("windowsOptions"), NOT_FOR_LINUX));
        }
    });
}

fn validate_windows(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(context) = spec.security_context() {
        refuse_fields(context.as_value(), POD_CONTEXT, &at.child("securityContext"), errors);
    }
    let flags = [
        ("hostUsers", spec.host_users().is_some()),
        ("hostPID", spec.host_pid()),
        ("hostIPC", spec.host_ipc()),
        ("shareProcessNamespace", spec.share_process_namespace().is_some()),
    ];
    for (field, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
        errors.push(Error::forbidden(&at.child(field), NOT_FOR_WINDOWS));
    }
    visit_containers(spec, at, &mut |container, at| {
        if let Some(context) = container.security_context().map(SecurityContext::as_value) {
            refuse_fields(context, CONTAINER_CONTEXT, &at.child("securityContext"), errors);
        }
    });
}

fn refuse_fields(context: &Value, fields: &[&str], at: &Path<'_>, errors: &mut Errors) {
    for field in fields {
        let value = context.get(field).filter(|value| !value.is_null());
        // As upstream: sysctls are set when there is one, groups when there is a list.
        let is_set =
            value.is_some_and(|value| *field != "sysctls" || value.as_array().is_some_and(|list| !list.is_empty()));
        if is_set {
            errors.push(Error::forbidden(&at.child(field), NOT_FOR_WINDOWS));
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use sprag_checks::Request;

    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &[&str]) {
        let spec = json::parse(spec.as_bytes()).unwrap();
        let mut errors = Errors::new();
        validate_os(View::view(Some(&spec)), &At::root(&Request::create()).child("spec"), &mut errors);
        assert_eq!(errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_system_excludes_the_options_of_the_other() {
        check(r#"{"os":{"name":""}}"#, &["spec.os.name"]);
        check(r#"{"os":{"name":"Linux"}}"#, &["spec.os"]);
        let contexts = r#""securityContext":{"windowsOptions":{},"sysctls":[],"supplementalGroups":[],"fsGroup":1},
            "hostPID":true,"hostUsers":true,"containers":[{"securityContext":{"windowsOptions":{},"runAsUser":1}}]"#;
        check(
            &format!(r#"{{"os":{{"name":"linux"}},{contexts}}}"#),
            &["spec.securityContext.windowsOptions", "spec.containers[0].securityContext.windowsOptions"],
        );
        check(
            &format!(r#"{{"os":{{"name":"windows"}},{contexts}}}"#),
            &[
                "spec.securityContext.fsGroup",
                "spec.securityContext.supplementalGroups",
                "spec.hostUsers",
                "spec.hostPID",
                "spec.containers[0].securityContext.runAsUser",
            ],
        );
    }
}

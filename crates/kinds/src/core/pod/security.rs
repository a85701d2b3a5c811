//! Security contexts of pods and containers, operating systems, user namespaces.

mod app_armor;
mod os;
mod seccomp;
mod sysctls;
mod windows;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;

use self::app_armor::validate_app_armor_profile;
pub(crate) use self::app_armor::{
    ANNOTATION as APP_ARMOR_ANNOTATION, app_armor_annotation, app_armor_profile, validate_app_armor_annotations,
    validate_app_armor_match,
};
pub(crate) use self::os::validate_os;
use self::seccomp::{SECCOMP_FIELDS, validate_seccomp_profile};
pub(crate) use self::seccomp::{validate_seccomp_annotations, validate_seccomp_match};
pub(crate) use self::sysctls::has_host_sysctl;
use self::sysctls::validate_sysctls;
pub(crate) use self::windows::validate_windows_host_process;
use self::windows::{WINDOWS_FIELDS, validate_windows_options};
use super::PodOptions;
use super::visit::visit_containers;
use crate::core::internal::{Field, Form, internal_value};
use crate::views::core_v1::{PodSecurityContext, PodSpec, SecurityContext};

const RECURSIVE: &str = "Recursive";
const UNMASKED: &str = "Unmasked";
const NO_HOST_USERS: &str = "when `hostUsers` is false";

/// `core.SecurityContext`.
const CONTEXT_FIELDS: &[Field] = &[
    ("Capabilities", "capabilities", Form::Struct(CAPABILITIES_FIELDS)),
    ("Privileged", "privileged", Form::Plain),
    ("SELinuxOptions", "seLinuxOptions", Form::Struct(SELINUX_FIELDS)),
    ("WindowsOptions", "windowsOptions", Form::Struct(WINDOWS_FIELDS)),
    ("RunAsUser", "runAsUser", Form::Plain),
    ("RunAsGroup", "runAsGroup", Form::Plain),
    ("RunAsNonRoot", "runAsNonRoot", Form::Plain),
    ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem", Form::Plain),
    ("AllowPrivilegeEscalation", "allowPrivilegeEscalation", Form::Plain),
    ("ProcMount", "procMount", Form::Plain),
    ("SeccompProfile", "seccompProfile", Form::Struct(SECCOMP_FIELDS)),
    // `core.AppArmorProfile` has the fields of a seccomp profile.
    ("AppArmorProfile", "appArmorProfile", Form::Struct(SECCOMP_FIELDS)),
];

/// `core.Capabilities`.
const CAPABILITIES_FIELDS: &[Field] = &[("Add", "add", Form::Plain), ("Drop", "drop", Form::Plain)];

/// `core.SELinuxOptions`.
const SELINUX_FIELDS: &[Field] = &[
    ("User", "user", Form::Text),
    ("Role", "role", Form::Text),
    ("Type", "type", Form::Text),
    ("Level", "level", Form::Text),
];

/// As upstream's `validation.validatePodSpecSecurityContext`; `at` is the path of the context.
pub(crate) fn validate_pod_security_context(
    context: PodSecurityContext<'_>,
    spec: PodSpec<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    context.check_fs_group(at, errors);
    context.check_run_as_user(at, errors);
    context.check_run_as_group(at, errors);
    context.check_supplemental_groups(at, errors);
    validate_sysctls(context.sysctls(), spec, &at.child("sysctls"), options, errors);
    context.check_fs_group_change_policy(at, errors);
    if let Some(profile) = context.seccomp_profile() {
        validate_seccomp_profile(profile, &at.child("seccompProfile"), errors);
    }
    if let Some(windows) = context.windows_options() {
        validate_windows_options(windows, &at.child("windowsOptions"), errors);
    }
    if let Some(profile) = context.app_armor_profile() {
        validate_app_armor_profile(profile, &at.child("appArmorProfile"), errors);
    }
    context.check_supplemental_groups_policy(at, errors);
    // As upstream's validateSELinuxChangePolicy.
    match context.se_linux_change_policy() {
        Some(policy) if options.allow_only_recursive_selinux_change_policy && policy != RECURSIVE => {
            let at = at.child("seLinuxChangePolicy");
            errors.push(Error::not_supported(&at, BadValue::json_str(policy), &[RECURSIVE]));
        }
        _ => drop(context.check_se_linux_change_policy(at, errors)),
    }
}

/// As upstream's `validation.ValidateSecurityContext`. Privileged containers are allowed, as with the API server's
/// `--allow-privileged`.
pub(crate) fn validate_security_context(
    context: SecurityContext<'_>,
    host_users: bool,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    context.check_run_as_user(at, errors);
    context.check_run_as_group(at, errors);
    context.check_proc_mount(at, errors);
    if host_users && context.proc_mount() == Some(UNMASKED) {
        let detail = "`hostUsers` must be false to use `Unmasked`";
        errors.push(Error::invalid(&at.child("procMount"), BadValue::json_str(UNMASKED), detail));
    }
    if let Some(profile) = context.seccomp_profile() {
        validate_seccomp_profile(profile, &at.child("seccompProfile"), errors);
    }
    if context.allow_privilege_escalation() == Some(false) {
        validate_no_escalation(context, at, options, errors);
    }
    if let Some(windows) = context.windows_options() {
        validate_windows_options(windows, &at.child("windowsOptions"), errors);
    }
    if let Some(profile) = context.app_armor_profile() {
        validate_app_armor_profile(profile, &at.child("appArmorProfile"), errors);
    }
}

/// Refuses what would let processes of a container gain privileges that it renounces.
fn validate_no_escalation(context: SecurityContext<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    let shown = || internal_value(Some(context.as_value()), Form::Struct(CONTEXT_FIELDS));
    if context.privileged() == Some(true) {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        errors.push(Error::invalid(at, shown(), detail));
    }
    if options.allow_sys_admin_when_privilege_escalation_false {
        return;
    }
    let added = context.capabilities().map(|capabilities| capabilities.add());
    for _ in added.into_iter().flat_map(|added| added.iter()).filter(|name| *name == "CAP_SYS_ADMIN") {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
        errors.push(Error::invalid(at, shown(), detail));
    }
}

/// As upstream's `validation.validateShareProcessNamespace`; `at` is the path of the spec.
pub(crate) fn validate_share_process_namespace(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if spec.share_process_namespace() == Some(true) && spec.host_pid() {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        let is_inside = errors.release().has(Fact::InternalTypesHaveTheirOwnOrder);
        let at = if is_inside { &at.child("securityContext") } else { at };
        errors.push(Error::invalid(&at.child("shareProcessNamespace"), true, detail));
    }
}

/// As upstream's `validation.validateHostUsers`; `at` is the path of the spec.
pub(crate) fn validate_host_users(spec: PodSpec<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    if spec.host_users() != Some(false) {
        return;
    }
    if spec.host_network() && !options.allow_user_namespaces_host_network_support {
        errors.push(Error::forbidden(&at.child("hostNetwork"), NO_HOST_USERS));
    }
    // As upstream: these two paths are written like Go's fields.
    for (field, is_set) in [("HostPID", spec.host_pid()), ("HostIPC", spec.host_ipc())] {
        if is_set {
            errors.push(Error::forbidden(&at.child(field), NO_HOST_USERS));
        }
    }
    let forbids_devices = errors.release().has(Fact::HostUsersForbidDevices);
    if options.allow_user_namespaces_with_volume_devices || !forbids_devices {
        return;
    }
    visit_containers(spec, at, &mut |container, at| {
        if !container.volume_devices().is_empty() {
            errors.push(Error::forbidden(&at.child("volumeDevices"), NO_HOST_USERS));
        }
    });
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use sprag_checks::Request;

    use super::*;

    #[test]
    fn contexts_are_shown_as_internal_types() {
        let context =
            br#"{"privileged":true,"allowPrivilegeEscalation":false,"capabilities":{"add":["CAP_SYS_ADMIN"]}}"#;
        let context = json::parse(context).unwrap();
        let mut errors = Errors::new();
        let create = Request::create();
        let root = At::root(&create);
        let options = PodOptions::default();
        validate_security_context(View::view(Some(&context)), true, &root.child("c"), &options, &mut errors);
        let shown = r#"{"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}"#;
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                format!(
                    "c: Invalid value: {shown}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
                ),
                format!(
                    "c: Invalid value: {shown}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` \
                 CAP_SYS_ADMIN"
                ),
            ]
        );
    }

    #[test]
    fn privileged_containers_are_allowed() {
        let (context, mut errors) = (json::parse(br#"{"privileged":true}"#).unwrap(), Errors::new());
        let create = Request::create();
        let root = At::root(&create);
        let options = PodOptions::default();
        validate_security_context(View::view(Some(&context)), true, &root.child("c"), &options, &mut errors);
        assert!(errors.is_empty());
    }

    #[test]
    fn user_namespaces_exclude_those_of_the_host() {
        let spec = br#"{"hostUsers":false,"hostNetwork":true,"hostPID":true,"hostIPC":true,
            "initContainers":[{}],"ephemeralContainers":[{"volumeDevices":[{}]}]}"#;
        let spec = json::parse(spec).unwrap();
        let mut errors = Errors::new();
        validate_host_users(
            View::view(Some(&spec)),
            &At::root(&Request::create()).child("spec"),
            &PodOptions::default(),
            &mut errors,
        );
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(
            fields,
            ["spec.hostNetwork", "spec.HostPID", "spec.HostIPC", "spec.ephemeralContainers[0].volumeDevices"]
        );
    }
}

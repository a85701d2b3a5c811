//! Containers, init containers and ephemeral containers: names, images, ports, policies of restart and resize.

use sprag_checks::At;
use sprag_field::quote;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;
use sprag_value::view::{List, View};

use super::PodOptions;
use super::aggregate::is_sidecar;
use super::env::{validate_env, validate_env_from};
use super::probes::{validate_lifecycle, validate_liveness_probe, validate_readiness_probe};
use super::resources::{ClaimNames, validate_container_resources};
use super::security::validate_security_context;
use super::seen::Seen;
use super::volumes::{VolumeNames, validate_volume_devices, validate_volume_mounts};
use crate::core::internal::shown_resource_name;
use crate::views::core_v1::{
    Container, ContainerPort, ContainerResizePolicy, ContainerRestartRule, EphemeralContainer, PodSpec,
};

const RESIZE_RESOURCES: &[&str] = &["cpu", "memory"];
const NOT_REQUIRED: &str = "NotRequired";
const MAX_RESTART_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const RESTART_CONTAINER: &str = "RestartContainer";
const RESIZE_POLICIES: &[&str] = &[NOT_REQUIRED, RESTART_CONTAINER];
const NOT_FOR_EPHEMERAL: &str = "cannot be set for an Ephemeral Container";

/// As upstream's `validation.validateContainers`; `at` is the path of the list.
pub(crate) fn validate_containers(
    containers: List<'_, Container<'_>>,
    spec: PodSpec<'_>,
    volumes: &VolumeNames<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    if containers.is_empty() {
        return;
    }
    let mut names = Seen::new();
    let shared = Shared::new(spec, volumes, options);
    for (index, container) in containers.iter().enumerate() {
        let at = at.index(index);
        validate_common(container, &shared, &at, errors);
        if !names.insert(container.name()) {
            errors.push(Error::duplicate(&at.child("name"), container.name()));
        }
        validate_life(container, spec, &at, errors);
        if options.allow_container_restart_policy_rules {
            validate_restart_policy(container, &at, options, errors);
        } else if container.restart_policy().is_some() {
            errors.push(Error::forbidden(&at.child("restartPolicy"), "may not be set for non-init containers"));
        }
    }
    validate_host_ports(containers.iter(), at, errors);
}

/// As upstream's `validation.validateInitContainers`; `at` is the path of the list.
pub(crate) fn validate_init_containers(
    containers: List<'_, Container<'_>>,
    spec: PodSpec<'_>,
    volumes: &VolumeNames<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let mut names: Seen<&str> = spec.containers().iter().map(Container::name).collect();
    let shared = Shared::new(spec, volumes, options);
    for (index, container) in containers.iter().enumerate() {
        let item = at.index(index);
        validate_common(container, &shared, &item, errors);
        validate_init_restart_policy(container, &item, options, errors);
        let name = container.name();
        // As upstream: empty names of init containers are not remembered.
        let is_new = if name.is_empty() { !names.contains(name) } else { names.insert(name) };
        if !is_new {
            errors.push(Error::duplicate(&item.child("name"), name));
        }
        // As upstream: each is judged as if it were the first of the list.
        validate_host_ports(std::iter::once(container), at, errors);
        if is_sidecar(container) {
            validate_life(container, spec, &item, errors);
        } else {
            forbid_life(container, &item, errors);
        }
        validate_init_resize_policy(container, &item, options, errors);
    }
}

/// As upstream's `validation.validateEphemeralContainers`; `at` is the path of the list.
pub(crate) fn validate_ephemeral_containers(
    containers: List<'_, EphemeralContainer<'_>>,
    spec: PodSpec<'_>,
    volumes: &VolumeNames<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let others: Seen<&str> =
        spec.containers().iter().chain(spec.init_containers().iter()).map(Container::name).collect();
    let mut names = Seen::new();
    let shared = Shared::new(spec, volumes, options);
    for (index, ephemeral) in containers.iter().enumerate() {
        let at = at.index(index);
        let container = as_container(ephemeral);
        let name = container.name();
        let target = ephemeral.target_container_name();
        validate_common(container, &shared, &at, errors);
        validate_image_spaces(container, &at, errors);
        if !names.insert(name) || others.contains(name) {
            errors.push(Error::duplicate(&at.child("name"), name));
        }
        if !target.is_empty() && !others.contains(target) {
            errors.push(Error::not_found(&at.child("targetContainerName"), target));
        }
        forbid_for_ephemeral(container, &at, errors);
    }
}

/// As upstream's `validation.validateContainersOnlyForPod`, which templates are spared; `at` is the path of the list.
pub(crate) fn validate_containers_only_for_pod(
    containers: List<'_, Container<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (index, container) in containers.iter().enumerate() {
        validate_image_spaces(container, &at.index(index), errors);
    }
}

/// An ephemeral container as a container, of which it has all fields.
pub(crate) fn as_container(container: EphemeralContainer<'_>) -> Container<'_> {
    View::view(Some(container.as_value()))
}

/// The state shared by the rules of all containers of a pod.
struct Shared<'r, 'v> {
    spec: PodSpec<'v>,
    claims: ClaimNames<'v>,
    volumes: &'r VolumeNames<'r>,
    options: &'r PodOptions,
}

impl<'r, 'v> Shared<'r, 'v> {
    fn new(spec: PodSpec<'v>, volumes: &'r VolumeNames<'r>, options: &'r PodOptions) -> Shared<'r, 'v> {
        Shared { spec, claims: ClaimNames::of(spec.resource_claims()), volumes, options }
    }
}

/// As upstream's `validation.validateContainerCommon`.
fn validate_common(container: Container<'_>, shared: &Shared<'_, '_>, at: &At<'_>, errors: &mut Errors) {
    let Shared { spec, claims, volumes, options } = shared;
    container.check_name(at, errors);
    container.check_image(at, errors);
    container.check_termination_message_policy(at, errors);
    validate_ports(container.ports(), &at.child("ports"), errors);
    validate_env(container.env(), &at.child("env"), options, errors);
    validate_env_from(container.env_from(), &at.child("envFrom"), options, errors);
    validate_volume_mounts(container, volumes, &at.child("volumeMounts"), errors);
    validate_volume_devices(container, volumes, &at.child("volumeDevices"), errors);
    container.check_image_pull_policy(at, errors);
    validate_container_resources(container.resources(), claims, &at.child("resources"), options, errors);
    validate_resize_policy(container.resize_policy(), spec.restart_policy(), &at.child("resizePolicy"), errors);
    if let Some(context) = container.security_context() {
        let host_users = spec.host_users().unwrap_or(true);
        validate_security_context(context, host_users, &at.child("securityContext"), options, errors);
    }
}

/// Refuses a named text that is empty or none of a few.
fn one_of(text: &str, supported: &[&str], at: &Path<'_>, errors: &mut Errors) {
    one_of_shown(text, BadValue::json_str(text), supported, at, errors);
}

fn one_of_shown(text: &str, shown: BadValue, supported: &[&str], at: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        errors.push(Error::required(at, ""));
    } else if !supported.contains(&text) {
        errors.push(Error::not_supported(at, shown, supported));
    }
}

/// As upstream's `validation.validateContainerPorts`.
fn validate_ports(ports: List<'_, ContainerPort<'_>>, at: &At<'_>, errors: &mut Errors) {
    let mut names = Seen::new();
    for (index, port) in ports.iter().enumerate() {
        let at = at.index(index);
        let name = port.name();
        let is_bad = port.check_name(&at, errors);
        if !name.is_empty() && !is_bad && !names.insert(name) {
            errors.push(Error::duplicate(&at.child("name"), name));
        }
        port.check_container_port(&at, errors);
        port.check_host_port(&at, errors);
        port.check_protocol(&at, errors);
    }
}

/// As upstream's `validation.checkHostPortConflicts`; `at` is the path of the list.
fn validate_host_ports<'v>(containers: impl Iterator<Item = Container<'v>>, at: &Path<'_>, errors: &mut Errors) {
    let mut taken = Seen::new();
    for (index, container) in containers.enumerate() {
        for (port_index, port) in container.ports().iter().enumerate() {
            let protocol = port.protocol();
            let ip = port.host_ip();
            let number = port.host_port();
            if number != 0 && !taken.insert((protocol, ip, number)) {
                let container = at.index(index);
                let ports = container.child("ports");
                let shown = format!("{protocol}/{ip}/{number}");
                errors.push(Error::duplicate(&ports.index(port_index).child("hostPort"), shown));
            }
        }
    }
}

/// As upstream's `validation.validateResizePolicy`: all but repetitions blame the list.
fn validate_resize_policy(
    policies: List<'_, ContainerResizePolicy<'_>>,
    pod_restart_policy: &str,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let mut resources = Seen::new();
    for (index, policy) in policies.iter().enumerate() {
        let resource = policy.resource_name();
        let restart = policy.restart_policy();
        if !resources.insert(resource) {
            errors.push(Error::duplicate(&at.index(index), shown_resource_name(errors.release(), resource)));
        }
        let shown = shown_resource_name(errors.release(), resource);
        one_of_shown(resource, shown, RESIZE_RESOURCES, at, errors);
        one_of(restart, RESIZE_POLICIES, at, errors);
        if pod_restart_policy == "Never" && restart != NOT_REQUIRED {
            let whose = if errors.release().has(Fact::PodErrorsAreExact) { "pod " } else { "" };
            let detail = format!("must be 'NotRequired' when {whose}`restartPolicy` is 'Never'");
            errors.push(Error::invalid(at, BadValue::json_str(restart), detail));
        }
    }
}

/// Judges hooks and probes of a container or sidecar.
fn validate_life(container: Container<'_>, spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    if let Some(lifecycle) = container.lifecycle() {
        let grace = spec.termination_grace_period_seconds();
        validate_lifecycle(lifecycle, grace, spec.os(), &at.child("lifecycle"), errors);
    }
    if let Some(probe) = container.liveness_probe() {
        validate_liveness_probe(probe, &at.child("livenessProbe"), errors);
    }
    if let Some(probe) = container.readiness_probe() {
        validate_readiness_probe(probe, &at.child("readinessProbe"), errors);
    }
    if let Some(probe) = container.startup_probe() {
        validate_liveness_probe(probe, &at.child("startupProbe"), errors);
    }
}

/// Refuses hooks and probes of an init container that is not a sidecar.
fn forbid_life(container: Container<'_>, at: &Path<'_>, errors: &mut Errors) {
    let detail = "may not be set for init containers without restartPolicy=Always";
    for (field, is_set) in [
        ("lifecycle", container.lifecycle().is_some()),
        ("livenessProbe", container.liveness_probe().is_some()),
        ("readinessProbe", container.readiness_probe().is_some()),
        ("startupProbe", container.startup_probe().is_some()),
    ] {
        if is_set {
            errors.push(Error::forbidden(&at.child(field), detail));
        }
    }
}

/// As upstream's `validation.validateContainerRestartPolicy`.
fn validate_restart_policy(container: Container<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let rules = container.restart_policy_rules();
    if container.restart_policy().is_none() && rules.is_empty() {
        return;
    }
    container.check_restart_policy(at, errors);
    container.check_restart_policy_rules(at, errors);
    let at = at.child("restartPolicyRules");
    refuse_longer(rules.len(), MAX_RESTART_RULES, &at, errors);
    for (index, rule) in rules.iter().enumerate() {
        validate_restart_rule(rule, &at.index(index), options, errors);
    }
}

fn validate_restart_rule(rule: ContainerRestartRule<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let actions: &[&str] =
        if options.allow_restart_all_containers { &["Restart", "RestartAllContainers"] } else { &["Restart"] };
    if !actions.contains(&rule.action()) {
        // Upstream's list had not all of those that it allows.
        let listed = if errors.release().has(Fact::RestartRulesAreCounted) { actions } else { &["Restart"] };
        errors.push(Error::not_supported(&at.child("action"), BadValue::json_str(rule.action()), listed));
    }
    rule.check_exit_codes(at, errors);
    let (at, Some(codes)) = (at.child("exitCodes"), rule.exit_codes()) else { return };
    codes.check_operator(&at, errors);
    codes.check_values(&at, errors);
    refuse_longer(codes.values().len(), MAX_EXIT_CODES, &at.child("values"), errors);
}

/// Refuses a list that is too long, in releases that have an error about its length.
fn refuse_longer(len: usize, max: usize, at: &Path<'_>, errors: &mut Errors) {
    if len > max && !errors.release().has(Fact::RestartRulesAreCounted) {
        errors.push(Error::too_long(at, i64::try_from(max).unwrap_or(i64::MAX)));
    }
}

/// As upstream's `validation.validateInitContainerRestartPolicy`.
fn validate_init_restart_policy(container: Container<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let has_rules = !container.restart_policy_rules().is_empty();
    let Some(policy) = container.restart_policy() else {
        if has_rules {
            container.check_restart_policy(at, errors);
        }
        return;
    };
    if !options.allow_container_restart_policy_rules {
        if policy != "Always" {
            errors.push(Error::not_supported(&at.child("restartPolicy"), BadValue::json_str(policy), &["Always"]));
        }
    } else if policy != "Always" || options.allow_restart_all_containers {
        validate_restart_policy(container, at, options, errors);
    } else if has_rules {
        let detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
        errors.push(Error::forbidden(&at.child("restartPolicyRules"), detail));
    }
}

/// Judges what only the resize policy of an init container must not be.
fn validate_init_resize_policy(container: Container<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    let policies = container.resize_policy();
    let at = at.child("resizePolicy");
    if !options.allow_sidecar_resize_policy && !policies.is_empty() {
        errors.push(Error::invalid(&at, go_resize_policies(policies), "must not be set for init containers"));
    }
    if !errors.release().has(Fact::RefusesRestartsOfInitContainers)
        || is_sidecar(container)
        || options.allow_existing_restart_container_for_non_sidecar_init_container
    {
        return;
    }
    for (index, policy) in policies.iter().enumerate() {
        if policy.restart_policy() == RESTART_CONTAINER {
            let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            let value = BadValue::json_str(RESTART_CONTAINER);
            errors.push(Error::invalid(&at.index(index).child("restartPolicy"), value, detail));
        }
    }
}

/// Policies as Go prints their internal type, which has no JSON names.
fn go_resize_policies(policies: List<'_, ContainerResizePolicy<'_>>) -> BadValue {
    let one = |policy: ContainerResizePolicy<'_>| {
        let resource = quote::json(policy.resource_name());
        let restart = quote::json(policy.restart_policy());
        format!(r#"{{"ResourceName":{resource},"RestartPolicy":{restart}}}"#)
    };
    BadValue::Json(format!("[{}]", policies.iter().map(one).collect::<Vec<_>>().join(",")))
}

/// As upstream's `validation.validateContainerOnlyForPod`.
fn validate_image_spaces(container: Container<'_>, at: &Path<'_>, errors: &mut Errors) {
    let image = container.image();
    if image.trim().len() != image.len() {
        let detail = "must not have leading or trailing whitespace";
        errors.push(Error::invalid(&at.child("image"), image, detail));
    }
}

/// Refuses what only other containers may have, in the order of the Go struct: what upstream's
/// `allowedEphemeralContainerFields` lacks, and paths within volumes.
fn forbid_for_ephemeral(container: Container<'_>, at: &Path<'_>, errors: &mut Errors) {
    let resources = container.resources();
    let has_resources =
        !resources.limits().is_empty() || !resources.requests().is_empty() || !resources.claims().is_empty();
    for (field, is_set) in [
        ("ports", !container.ports().is_empty()),
        ("resources", has_resources),
        ("resizePolicy", !container.resize_policy().is_empty()),
        ("restartPolicy", container.restart_policy().is_some()),
        ("restartPolicyRules", !container.restart_policy_rules().is_empty()),
        ("livenessProbe", container.liveness_probe().is_some()),
        ("readinessProbe", container.readiness_probe().is_some()),
        ("startupProbe", container.startup_probe().is_some()),
        ("lifecycle", container.lifecycle().is_some()),
    ] {
        if is_set {
            errors.push(Error::forbidden(&at.child(field), NOT_FOR_EPHEMERAL));
        }
    }
    let at = at.child("volumeMounts");
    for (index, mount) in container.volume_mounts().iter().enumerate() {
        for (field, path) in [("subPath", mount.sub_path()), ("subPathExpr", mount.sub_path_expr())] {
            if !path.is_empty() {
                errors.push(Error::forbidden(&at.index(index).child(field), NOT_FOR_EPHEMERAL));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;
    use crate::core::pod::volumes::validate_volumes;
    use sprag_value::json;

    #[track_caller]
    fn check(spec: &str, options: &PodOptions, expected: &[&str]) {
        let spec = json::parse(spec.as_bytes()).unwrap();
        let spec: PodSpec<'_> = View::view(Some(&spec));
        let create = Request::create();
        let root = At::root(&create);
        let at = root.child("spec");
        let mut errors = Errors::new();
        let errors = &mut errors;
        let volumes = &validate_volumes(spec.volumes(), None, &at.child("volumes"), options, errors);
        validate_containers(spec.containers(), spec, volumes, &at.child("containers"), options, errors);
        validate_init_containers(spec.init_containers(), spec, volumes, &at.child("initContainers"), options, errors);
        validate_ephemeral_containers(
            spec.ephemeral_containers(),
            spec,
            volumes,
            &at.child("ephemeralContainers"),
            options,
            errors,
        );
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    /// A container that is valid but for its name and what is added.
    fn container(name: &str, more: &str) -> String {
        let policies = r#""terminationMessagePolicy":"File","imagePullPolicy":"Always""#;
        format!(r#"{{"name":"{name}","image":"i",{policies}{more}}}"#)
    }

    #[test]
    fn names_are_unique_among_all_containers() {
        let one = container("a", "");
        let spec = format!(r#"{{"containers":[{one},{one}],"initContainers":[{one}],"ephemeralContainers":[{one}]}}"#);
        let expected = [
            r#"spec.containers[1].name: Duplicate value: "a""#,
            r#"spec.initContainers[0].name: Duplicate value: "a""#,
            r#"spec.ephemeralContainers[0].name: Duplicate value: "a""#,
        ];
        check(&spec, &PodOptions::default(), &expected);
    }

    #[test]
    fn host_ports_of_an_init_container_are_judged_alone_and_named_as_if_it_were_the_first() {
        let ports = r#","ports":[{"containerPort":1,"hostPort":1,"protocol":"TCP"},{"containerPort":2,"hostPort":1,"protocol":"TCP"}]"#;
        let first = container("a", "");
        let second = container("b", ports);
        let spec = format!(r#"{{"containers":[{first}],"initContainers":[{},{second}]}}"#, container("c", ""));
        let expected = [r#"spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//1""#];
        check(&spec, &PodOptions::default(), &expected);
    }

    #[test]
    fn sidecars_may_have_probes_and_other_init_containers_may_not() {
        let probe = r#","startupProbe":{"exec":{"command":["a"]},"successThreshold":1}"#;
        let sidecar = container("a", &format!(r#"{probe},"restartPolicy":"Always""#));
        let main = container("m", "");
        let init = container("b", probe);
        let expected = [
            "spec.initContainers[1].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
        ];
        let spec = format!(r#"{{"containers":[{main}],"initContainers":[{sidecar},{init}]}}"#);
        check(&spec, &PodOptions::default(), &expected);
    }

    #[test]
    fn restart_rules_need_a_policy_and_exit_codes() {
        let rules = r#","restartPolicyRules":[{"action":"Bogus"}]"#;
        let spec = format!(r#"{{"containers":[{}]}}"#, container("a", rules));
        let at = "spec.containers[0]";
        let required =
            format!("{at}.restartPolicy: Required value: must specify restartPolicy when restart rules are used");
        let action =
            format!(r#"{at}.restartPolicyRules[0].action: Unsupported value: "Bogus": supported values: "Restart""#);
        let codes = format!("{at}.restartPolicyRules[0].exitCodes: Required value: must be specified");
        let allowed = PodOptions { allow_container_restart_policy_rules: true, ..PodOptions::default() };
        check(&spec, &allowed, &[&required, &action, &codes]);
        check(&spec, &PodOptions::default(), &[]);
    }

    #[test]
    fn ephemeral_containers_have_few_fields() {
        let more = r#","ports":[],"resources":{"limits":{"cpu":"1"}},"lifecycle":{},"targetContainerName":"x",
            "volumeMounts":[{"name":"v","mountPath":"/","subPath":"a"}]"#;
        let spec = format!(
            r#"{{"volumes":[{{"name":"v","emptyDir":{{}}}}],"containers":[{}],"ephemeralContainers":[{}]}}"#,
            container("a", ""),
            container("b", more)
        );
        let expected = [
            r#"spec.ephemeralContainers[0].targetContainerName: Not found: "x""#,
            "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container",
            "spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
            "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
        ];
        check(&spec, &PodOptions::default(), &expected);
    }
}

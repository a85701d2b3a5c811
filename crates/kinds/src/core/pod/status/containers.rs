//! Containers in the status of pods: transitions of their states, users, allocated resources, volumes.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::List;

use super::super::PodOptions;
use super::super::aggregate::is_sidecar;
use super::super::seen::Seen;
use crate::views::core_v1::{
    Container, ContainerStatus, Pod, PodExtendedResourceClaimStatus, PodSpec, PodStatus, ResourceHealth,
};

type Statuses<'v> = List<'v, ContainerStatus<'v>>;
type Containers<'v> = List<'v, Container<'v>>;

/// The prefix of resource names that stand for claims.
const CLAIM_PREFIX: &str = "claim:";

/// The three lists of a status with the names of their fields.
fn lists(status: PodStatus<'_>) -> [(&'static str, Statuses<'_>); 3] {
    [
        ("containerStatuses", status.container_statuses()),
        ("initContainerStatuses", status.init_container_statuses()),
        ("ephemeralContainerStatuses", status.ephemeral_container_statuses()),
    ]
}

/// Refuses that terminated containers come back which do not restart; `at` is the path of the status.
pub(super) fn validate_transitions(
    new: PodStatus<'_>,
    old: Pod<'_>,
    options: &PodOptions,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let spec = old.spec();
    let rules = options.allow_container_restart_policy_rules;
    let all_restart = rules && options.allow_restart_all_containers && all_could_restart(spec);
    for ((field, new), (_, old)) in lists(new).into_iter().zip(lists(old.status())) {
        let at = at.child(field);
        if field == "ephemeralContainerStatuses" {
            validate_transition(new, old, &|_, _| false, false, &at, errors);
        } else if !all_restart && rules {
            let containers = if field == "containerStatuses" { spec.containers() } else { spec.init_containers() };
            let restarts = |name: &str, code: i64| {
                let container = containers.iter().find(|container| container.name() == name);
                container.is_some_and(|container| should_restart(container, spec, code, options))
            };
            validate_transition(new, old, &restarts, true, &at, errors);
        } else if !all_restart {
            let restarts = |name: &str, code: i64| {
                let mut init = spec.init_containers().iter();
                restarts_by_policy(spec.restart_policy(), code)
                    || (field == "initContainerStatuses"
                        && init.find(|container| container.name() == name).is_some_and(is_sidecar))
            };
            validate_transition(new, old, &restarts, false, &at, errors);
        }
    }
}

/// As upstream's `validation.ValidateContainerStateTransition` and its like; `once` as upstream, which looks at one status of
/// a name where it goes by rules.
fn validate_transition(
    new: Statuses<'_>,
    old: Statuses<'_>,
    restarts: &dyn Fn(&str, i64) -> bool,
    once: bool,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (index, old) in old.iter().enumerate() {
        let Some(terminated) = old.state().terminated() else { continue };
        if restarts(old.name(), terminated.exit_code()) {
            continue;
        }
        let back = new.iter().filter(|new| new.name() == old.name() && new.state().terminated().is_none());
        for _ in back.take(if once { 1 } else { usize::MAX }) {
            let detail = "may not be transitioned to non-terminated state";
            errors.push(Error::forbidden(&at.index(index).child("state"), detail));
        }
    }
}

/// As upstream's `podutil.AllContainersCouldRestart`.
fn all_could_restart(spec: PodSpec<'_>) -> bool {
    let mut containers = spec.init_containers().iter().chain(spec.containers().iter());
    containers.any(|container| container.restart_policy_rules().iter().any(|it| it.action() == "RestartAllContainers"))
}

/// As upstream's `podutil.ContainerShouldRestart`.
fn should_restart(container: Container<'_>, spec: PodSpec<'_>, code: i64, options: &PodOptions) -> bool {
    let Some(policy) = container.restart_policy() else { return restarts_by_policy(spec.restart_policy(), code) };
    let rule = container.restart_policy_rules().iter().find(|rule| {
        rule.exit_codes().is_some_and(|codes| {
            let matches = codes.values().iter().any(|other| other == code);
            match codes.operator() {
                "In" => matches,
                "NotIn" => !matches,
                _ => false,
            }
        })
    });
    match rule.map(|rule| rule.action()) {
        Some("Restart") => true,
        Some("RestartAllContainers") if options.allow_restart_all_containers => true,
        _ if matches!(policy, "Always" | "OnFailure" | "Never") => restarts_by_policy(policy, code),
        _ => restarts_by_policy(spec.restart_policy(), code),
    }
}

fn restarts_by_policy(policy: &str, code: i64) -> bool {
    match policy {
        "Never" => false,
        "OnFailure" => code != 0,
        _ => true,
    }
}

/// Validates all containers of a status; `at` is its path.
pub(super) fn validate_containers(
    status: PodStatus<'_>,
    spec: PodSpec<'_>,
    options: &PodOptions,
    at: &At<'_>,
    errors: &mut Errors,
) {
    for (field, statuses) in lists(status) {
        validate_users(statuses, spec, &at.child(field), errors);
    }
    validate_allocated(status.container_statuses(), spec.containers(), status, &at.child("containerStatuses"), errors);
    let init = at.child("initContainerStatuses");
    validate_allocated(status.init_container_statuses(), spec.init_containers(), status, &init, errors);
    let ephemeral = at.child("ephemeralContainerStatuses");
    for (index, container) in status.ephemeral_container_statuses().iter().enumerate() {
        if !container.allocated_resources_status().is_empty() {
            let path = ephemeral.index(index);
            let detail = "must not be specified in container status";
            errors.push(Error::forbidden(&path.child("allocatedResourcesStatus"), detail));
        }
    }
    if options.allow_image_volume_with_digest {
        for (field, statuses) in lists(status) {
            validate_volumes(statuses, &at.child(field), errors);
        }
    }
}

/// As upstream's `validation.validateContainerStatusUsers`.
fn validate_users(statuses: Statuses<'_>, spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let os = spec.os().map_or("linux", |os| os.name());
    for (index, status) in statuses.iter().enumerate() {
        let Some(user) = status.user().and_then(|user| user.linux()) else { continue };
        let container = at.index(index);
        let user_path = container.child("user");
        let at = user_path.child("linux");
        match os {
            "windows" => errors.push(Error::forbidden(&at, "cannot be set for a windows pod")),
            "linux" => drop(user.check(&at, errors)),
            _ => {}
        }
    }
}

/// As upstream's `validation.validateContainerStatusAllocatedResourcesStatus`.
fn validate_allocated(
    statuses: Statuses<'_>,
    containers: Containers<'_>,
    pod: PodStatus<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let claim = pod.extended_resource_claim_status();
    for (index, status) in statuses.iter().enumerate() {
        let container = containers.iter().find(|container| container.name() == status.name());
        let status_path = at.index(index);
        let at = status_path.child("allocatedResourcesStatus");
        for (index, resource) in status.allocated_resources_status().iter().enumerate() {
            let at = at.index(index);
            let name = resource.name();
            if let Some(detail) = container.and_then(|container| mismatch(name, container, claim)) {
                errors.push(Error::invalid(&at.child("name"), BadValue::json_str(name), detail));
            }
            validate_health(resource.resources(), &at.child("resources"), errors);
        }
    }
}

/// Returns the reason why a name is not a resource of a container.
fn mismatch(
    name: &str,
    container: Container<'_>,
    extended: Option<PodExtendedResourceClaimStatus<'_>>,
) -> Option<&'static str> {
    let resources = container.resources();
    let Some(reference) = name.strip_prefix(CLAIM_PREFIX) else {
        let is_known = resources.requests().contains_key(name);
        return (!is_known).then_some("must match one of the container's resource requests");
    };
    let (claim, request) = reference.split_once('/').map_or((reference, ""), |parts| parts);
    let ends_early = reference.ends_with('/') && request.is_empty();
    let is_own = |own: (&str, &str)| !ends_early && own == (claim, request);
    let is_known = resources.claims().iter().any(|own| is_own((own.name(), own.request())))
        || extended.is_some_and(|extended| is_extended(claim, request, container, extended));
    (!is_known).then_some(
        "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when \
         container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty",
    )
}

/// As upstream's `validation.matchesExtendedResourceClaimStatus`.
fn is_extended(
    claim: &str,
    request: &str,
    container: Container<'_>,
    status: PodExtendedResourceClaimStatus<'_>,
) -> bool {
    let requests = container.resources().requests();
    !claim.is_empty()
        && !request.is_empty()
        && claim == status.resource_claim_name()
        && status.request_mappings().iter().any(|mapping| {
            mapping.container_name() == container.name()
                && mapping.request_name() == request
                && requests.get(mapping.resource_name()).is_some_and(|amount| !amount.is_zero())
        })
}

fn validate_health(resources: List<'_, ResourceHealth<'_>>, at: &Path<'_>, errors: &mut Errors) {
    const SUPPORTED: &[&str] = &["Healthy", "Unhealthy", "Unknown"];
    const MAX_MESSAGE: i64 = 1024;
    let mut seen = Seen::new();
    for (index, resource) in resources.iter().enumerate() {
        let at = at.index(index);
        if !SUPPORTED.contains(&resource.health()) {
            let value = BadValue::json_str(resource.health());
            errors.push(Error::not_supported(&at.child("health"), value, SUPPORTED));
        }
        match resource.message() {
            Some("") => errors.push(Error::required(&at.child("message"), "must be non-empty if specified")),
            Some(message) if i64::try_from(message.len()).is_ok_and(|bytes| bytes > MAX_MESSAGE) => {
                errors.push(Error::too_long(&at.child("message"), MAX_MESSAGE));
            }
            _ => {}
        }
        if !seen.insert(resource.resource_id()) {
            let value = BadValue::json_str(resource.resource_id());
            errors.push(Error::duplicate(&at.child("resourceID"), value));
        }
    }
}

/// As upstream's `validation.validateVolumeStatus`, for each mounted volume.
fn validate_volumes(statuses: Statuses<'_>, at: &At<'_>, errors: &mut Errors) {
    for (index, status) in statuses.iter().enumerate() {
        let container = at.index(index);
        let mounts = container.child("volumeMounts");
        for (index, mount) in status.volume_mounts().iter().enumerate() {
            let Some(image) = mount.volume_status().and_then(|status| status.image()) else { continue };
            let mount = mounts.index(index);
            let volume = mount.child("volumeStatus");
            let image_path = volume.child("imageVolumeStatus");
            image.check_image_ref(&image_path, errors);
        }
    }
}

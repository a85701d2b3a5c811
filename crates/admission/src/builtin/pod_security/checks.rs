//! The checks of the Pod Security Standards, and from which release on they count.

use std::collections::BTreeSet;

use sprag_rest::Release;
use sprag_value::Value;

use super::containers::{all, called, named, plural, quoted, setters, sorted};
use super::level::{Level, LevelVersion, Version};
use super::{Violation, profiles};

/// A check, which is given the object with the metadata of the pod, and the spec of the pod.
type Run = fn(&Value, &Value) -> Option<Violation>;

/// A check of some level: from which minor version on it runs which way.
struct Check {
    id: &'static str,
    level: Level,
    versions: &'static [(u64, Run)],
    /// The check of the baseline level that it takes the place of.
    instead_of: &'static str,
}

const fn baseline(id: &'static str, versions: &'static [(u64, Run)]) -> Check {
    Check { id, level: Level::Baseline, versions, instead_of: "" }
}

const fn restricted(id: &'static str, versions: &'static [(u64, Run)], instead_of: &'static str) -> Check {
    Check { id, level: Level::Restricted, versions, instead_of }
}

/// All checks, those of each level by id, as upstream's `policy.DefaultChecks` are run.
static CHECKS: [Check; 19] = [
    baseline("appArmorProfile", &[(0, profiles::app_armor)]),
    baseline("capabilities_baseline", &[(0, capabilities)]),
    baseline("hostNamespaces", &[(0, host_namespaces)]),
    baseline("hostPathVolumes", &[(0, host_path_volumes)]),
    baseline("hostPorts", &[(0, host_ports)]),
    baseline("hostProbesAndHostLifecycle", &[(34, probe_hosts)]),
    baseline("privileged", &[(0, privileged)]),
    baseline("procMount", &[(0, proc_mount), (35, proc_mount_on_host)]),
    baseline("seLinuxOptions", &[(0, profiles::se_linux), (31, profiles::se_linux_31)]),
    baseline("seccompProfile_baseline", &[(0, profiles::seccomp_annotations), (19, profiles::seccomp)]),
    baseline("sysctls", &[(0, sysctls_0), (27, sysctls_27), (29, sysctls_29), (32, sysctls_32), (37, sysctls_37)]),
    baseline("windowsHostProcess", &[(0, windows_host_process)]),
    restricted("allowPrivilegeEscalation", &[(8, escalation), (25, |pod, spec| on_linux(pod, spec, escalation))], ""),
    restricted(
        "capabilities_restricted",
        &[(22, all_capabilities), (25, |pod, spec| on_linux(pod, spec, all_capabilities))],
        "capabilities_baseline",
    ),
    restricted("procMount_restricted", &[(35, proc_mount)], "procMount"),
    restricted("restrictedVolumes", &[(0, volumes)], "hostPathVolumes"),
    restricted("runAsNonRoot", &[(0, non_root), (35, |pod, spec| with_host_users(pod, spec, non_root))], ""),
    restricted("runAsUser", &[(23, user), (35, |pod, spec| with_host_users(pod, spec, user))], ""),
    restricted(
        "seccompProfile_restricted",
        &[(19, profiles::seccomp_restricted), (25, |pod, spec| on_linux(pod, spec, profiles::seccomp_restricted))],
        "seccompProfile_baseline",
    ),
];

/// The violations of a pod or pod template at a level, as a release knows it: what is newer counts as its newest.
// As upstream's checkRegistry.EvaluatePod.
pub(super) fn violations(policy: LevelVersion, pod: &Value, release: Release) -> Vec<Violation> {
    if policy.level == Level::Privileged {
        return Vec::new();
    }
    let newest = u64::from(release.version().minor);
    let minor = match policy.version {
        Version::Latest => newest,
        Version::Minor(minor) => minor.min(newest),
    };
    let run = |check: &Check| check.versions.iter().rev().find(|(from, _)| *from <= minor).map(|(_, run)| *run);
    let is_replaced = |id: &str| {
        policy.level == Level::Restricted && CHECKS.iter().any(|check| check.instead_of == id && run(check).is_some())
    };
    let runs = CHECKS.iter().filter(|check| check.level <= policy.level && !is_replaced(check.id)).filter_map(run);
    let spec = super::spec(pod);
    runs.filter_map(|run| run(pod, spec)).collect()
}

/// Runs a check unless the pod is for Windows.
fn on_linux(pod: &Value, spec: &Value, run: Run) -> Option<Violation> {
    if spec.text_at(&["os", "name"]) == "windows" { None } else { run(pod, spec) }
}

/// Runs a check unless the pod has users of its own.
// As upstream's relaxPolicyForUserNamespacePod.
fn with_host_users(pod: &Value, spec: &Value, run: Run) -> Option<Violation> {
    if spec.get("hostUsers").and_then(Value::as_bool) == Some(false) { None } else { run(pod, spec) }
}

fn is_true(value: &Value, path: &[&str]) -> bool {
    value.lookup(path).and_then(Value::as_bool) == Some(true)
}

/// As upstream's `capabilitiesBaseline_1_0`.
fn capabilities(_: &Value, spec: &Value) -> Option<Violation> {
    const ALLOWED: [&str; 13] = [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ];
    let (containers, added) = added_capabilities(spec, &ALLOWED);
    if containers.is_empty() {
        return None;
    }
    let detail = format!(
        "{} must not include {} in securityContext.capabilities.add",
        called(&containers),
        quoted(&sorted(&added))
    );
    Some(Violation { reason: "non-default capabilities", detail })
}

/// The containers that add other capabilities than these, and which.
fn added_capabilities<'v>(spec: &'v Value, allowed: &[&str]) -> (Vec<&'v str>, BTreeSet<String>) {
    let mut added = BTreeSet::new();
    let containers = named(spec, |container| {
        let given = container.list_at(&["securityContext", "capabilities", "add"]).iter().filter_map(Value::as_str);
        let bad: Vec<&str> = given.filter(|capability| !allowed.contains(capability)).collect();
        added.extend(bad.iter().map(|capability| (*capability).to_owned()));
        !bad.is_empty()
    });
    (containers, added)
}

/// As upstream's `hostNamespaces_1_0`.
fn host_namespaces(_: &Value, spec: &Value) -> Option<Violation> {
    let members = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|member| is_true(spec, &[member]));
    let found: Vec<String> = members.map(|member| format!("{member}=true")).collect();
    if found.is_empty() {
        return None;
    }
    Some(Violation { reason: "host namespaces", detail: found.join(", ") })
}

/// As upstream's `hostPathVolumes_1_0`.
fn host_path_volumes(_: &Value, spec: &Value) -> Option<Violation> {
    let volumes = spec.list("volumes").iter().filter(|volume| volume.get("hostPath").is_some());
    let names: Vec<&str> = volumes.map(|volume| volume.text("name")).collect();
    if names.is_empty() {
        return None;
    }
    let detail = format!("{} {}", plural(names.len(), "volume", "volumes"), quoted(&names));
    Some(Violation { reason: "hostPath volumes", detail })
}

/// As upstream's `hostPorts_1_0`.
fn host_ports(_: &Value, spec: &Value) -> Option<Violation> {
    let mut ports = BTreeSet::new();
    let containers = named(spec, |container| {
        let given = container.list("ports").iter().filter_map(|port| port.get("hostPort").and_then(Value::as_i64));
        let bad: Vec<i64> = given.filter(|port| *port != 0).collect();
        ports.extend(bad.iter().map(ToString::to_string));
        !bad.is_empty()
    });
    if containers.is_empty() {
        return None;
    }
    let verb = plural(containers.len(), "uses", "use");
    let noun = plural(ports.len(), "hostPort", "hostPorts");
    let detail = format!("{} {verb} {noun} {}", called(&containers), sorted(&ports).join(", "));
    Some(Violation { reason: "hostPort", detail })
}

/// As upstream's `hostProbesAndHostLifecycleV1Dot34`.
fn probe_hosts(_: &Value, spec: &Value) -> Option<Violation> {
    const HANDLERS: [&[&str]; 5] = [
        &["livenessProbe"],
        &["readinessProbe"],
        &["startupProbe"],
        &["lifecycle", "postStart"],
        &["lifecycle", "preStop"],
    ];
    let mut containers = BTreeSet::new();
    let mut hosts = BTreeSet::new();
    for container in all(spec) {
        let handlers = HANDLERS.iter().filter_map(|path| container.lookup(path));
        let given = handlers.flat_map(|handler| ["httpGet", "tcpSocket"].map(|kind| handler.text_at(&[kind, "host"])));
        for host in given.filter(|host| !host.is_empty()) {
            containers.insert(container.text("name").to_owned());
            hosts.insert(host.to_owned());
        }
    }
    if containers.is_empty() {
        return None;
    }
    let verb = plural(containers.len(), "uses", "use");
    let noun = plural(hosts.len(), "probe or lifecycle host", "probe or lifecycle hosts");
    let detail = format!("{} {verb} {noun} {}", called(&sorted(&containers)), quoted(&sorted(&hosts)));
    Some(Violation { reason: "probe or lifecycle host", detail })
}

/// As upstream's `privileged_1_0`.
fn privileged(_: &Value, spec: &Value) -> Option<Violation> {
    let containers = named(spec, |container| is_true(container, &["securityContext", "privileged"]));
    if containers.is_empty() {
        return None;
    }
    let detail = format!("{} must not set securityContext.privileged=true", called(&containers));
    Some(Violation { reason: "privileged", detail })
}

/// As upstream's `procMount_1_0`.
fn proc_mount(_: &Value, spec: &Value) -> Option<Violation> {
    let mut kinds = BTreeSet::new();
    let containers = named(spec, |container| {
        let kind = container.lookup(&["securityContext", "procMount"]).and_then(Value::as_str);
        kinds.extend(kind.filter(|kind| *kind != "Default").map(str::to_owned));
        kind.is_some_and(|kind| kind != "Default")
    });
    if containers.is_empty() {
        return None;
    }
    let detail =
        format!("{} must not set securityContext.procMount to {}", called(&containers), quoted(&sorted(&kinds)));
    Some(Violation { reason: "procMount", detail })
}

/// As upstream's `procMount1_35baseline`.
fn proc_mount_on_host(pod: &Value, spec: &Value) -> Option<Violation> {
    with_host_users(pod, spec, proc_mount)
}

/// Sysctls that do no harm, and how many of them each release knows.
const SYSCTLS: [&str; 14] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_notsent_lowat",
];

fn sysctls_0(_: &Value, spec: &Value) -> Option<Violation> {
    sysctls(spec, &SYSCTLS[..5])
}

fn sysctls_27(_: &Value, spec: &Value) -> Option<Violation> {
    sysctls(spec, &SYSCTLS[..6])
}

fn sysctls_29(_: &Value, spec: &Value) -> Option<Violation> {
    sysctls(spec, &SYSCTLS[..10])
}

fn sysctls_32(_: &Value, spec: &Value) -> Option<Violation> {
    sysctls(spec, &SYSCTLS[..12])
}

fn sysctls_37(_: &Value, spec: &Value) -> Option<Violation> {
    sysctls(spec, &SYSCTLS)
}

fn sysctls(spec: &Value, allowed: &[&str]) -> Option<Violation> {
    let names = spec.list_at(&["securityContext", "sysctls"]).iter().map(|sysctl| sysctl.text("name"));
    let forbidden: Vec<&str> = names.filter(|name| !allowed.contains(name)).collect();
    if forbidden.is_empty() {
        return None;
    }
    Some(Violation { reason: "forbidden sysctls", detail: forbidden.join(", ") })
}

/// As upstream's `windowsHostProcess_1_0`.
fn windows_host_process(_: &Value, spec: &Value) -> Option<Violation> {
    let is_bad = |owner: &Value| is_true(owner, &["securityContext", "windowsOptions", "hostProcess"]);
    let blamed = setters(is_bad(spec), &named(spec, is_bad))?;
    let detail = format!("{blamed} must not set securityContext.windowsOptions.hostProcess=true");
    Some(Violation { reason: "hostProcess", detail })
}

/// As upstream's `allowPrivilegeEscalation_1_8`.
fn escalation(_: &Value, spec: &Value) -> Option<Violation> {
    let may = |container: &Value| {
        container.lookup(&["securityContext", "allowPrivilegeEscalation"]).and_then(Value::as_bool) != Some(false)
    };
    let containers = named(spec, may);
    if containers.is_empty() {
        return None;
    }
    let detail = format!("{} must set securityContext.allowPrivilegeEscalation=false", called(&containers));
    Some(Violation { reason: "allowPrivilegeEscalation != false", detail })
}

/// As upstream's `capabilitiesRestricted_1_22`.
fn all_capabilities(_: &Value, spec: &Value) -> Option<Violation> {
    let drops_all = |container: &Value| {
        let dropped = container.list_at(&["securityContext", "capabilities", "drop"]);
        dropped.iter().any(|capability| capability.as_str() == Some("ALL"))
    };
    let keeping = named(spec, |container| !drops_all(container));
    let (adding, added) = added_capabilities(spec, &["NET_BIND_SERVICE"]);
    let mut details = Vec::new();
    if !keeping.is_empty() {
        details.push(format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", called(&keeping)));
    }
    if !adding.is_empty() {
        details.push(format!(
            "{} must not include {} in securityContext.capabilities.add",
            called(&adding),
            quoted(&sorted(&added))
        ));
    }
    if details.is_empty() {
        return None;
    }
    Some(Violation { reason: "unrestricted capabilities", detail: details.join("; ") })
}

/// As upstream's `restrictedVolumes_1_0`.
fn volumes(_: &Value, spec: &Value) -> Option<Violation> {
    const ALLOWED: [&str; 9] = [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ];
    const KNOWN: [&str; 21] = [
        "hostPath",
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "gitRepo",
        "nfs",
        "iscsi",
        "glusterfs",
        "rbd",
        "flexVolume",
        "cinder",
        "cephfs",
        "flocker",
        "fc",
        "azureFile",
        "vsphereVolume",
        "quobyte",
        "azureDisk",
        "photonPersistentDisk",
        "portworxVolume",
        "scaleIO",
        "storageos",
    ];
    let has = |volume: &Value, kind: &str| volume.get(kind).is_some_and(|source| !source.is_null());
    let is_bad = |volume: &&Value| !ALLOWED.iter().any(|kind| has(volume, kind));
    let bad: Vec<&Value> = spec.list("volumes").iter().filter(is_bad).collect();
    if bad.is_empty() {
        return None;
    }
    let kind = |volume: &Value| KNOWN.into_iter().find(|kind| has(volume, kind)).unwrap_or("unknown").to_owned();
    let kinds: BTreeSet<String> = bad.iter().map(|volume| kind(volume)).collect();
    let names: Vec<&str> = bad.iter().map(|volume| volume.text("name")).collect();
    let detail = format!(
        "{} {} {} {} {}",
        plural(names.len(), "volume", "volumes"),
        quoted(&names),
        plural(names.len(), "uses", "use"),
        plural(kinds.len(), "restricted volume type", "restricted volume types"),
        quoted(&sorted(&kinds))
    );
    Some(Violation { reason: "restricted volume types", detail })
}

/// As upstream's `runAsNonRoot1_0`.
fn non_root(_: &Value, spec: &Value) -> Option<Violation> {
    const REASON: &str = "runAsNonRoot != true";
    let wish = |owner: &Value| owner.lookup(&["securityContext", "runAsNonRoot"]).and_then(Value::as_bool);
    let explicit = named(spec, |container| wish(container) == Some(false));
    if let Some(blamed) = setters(wish(spec) == Some(false), &explicit) {
        let detail = format!("{blamed} must not set securityContext.runAsNonRoot=false");
        return Some(Violation { reason: REASON, detail });
    }
    let implicit = named(spec, |container| wish(container).is_none());
    if wish(spec) == Some(true) || implicit.is_empty() {
        return None;
    }
    let detail = format!("pod or {} must set securityContext.runAsNonRoot=true", called(&implicit));
    Some(Violation { reason: REASON, detail })
}

/// As upstream's `runAsUser1_23`.
fn user(_: &Value, spec: &Value) -> Option<Violation> {
    let is_root = |owner: &Value| owner.lookup(&["securityContext", "runAsUser"]).and_then(Value::as_i64) == Some(0);
    let blamed = setters(is_root(spec), &named(spec, is_root))?;
    Some(Violation { reason: "runAsUser=0", detail: format!("{blamed} must not set runAsUser=0") })
}

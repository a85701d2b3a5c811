//! The admission plug-in `ServiceAccount`: a pod runs as a service account that exists, and finds its token.

use std::time::Duration;

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation, Registry};
use sprag_rest::{ApiError, GroupResource, NameGenerator as _, Request, Result, SimpleNameGenerator, User, meta};
use sprag_value::{Value, json};

/// The annotation of pods that mirror static ones.
const MIRROR_POD: &str = "kubernetes.io/config.mirror";
/// The annotation of accounts whose pods mount only secrets that they list.
const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";
/// The account of pods that name none.
const DEFAULT: &str = "default";
/// The names of volumes with tokens, and where they are mounted.
const VOLUME: &str = "kube-api-access-";
const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// As upstream's `TokenVolumeSource`.
const TOKEN_VOLUME: &str = r#"{"defaultMode":420,"sources":[
    {"serviceAccountToken":{"path":"token","expirationSeconds":3607}},
    {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
    {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}"#;
/// The number and length of the waits for the default account of a namespace, which a controller makes.
// As upstream's serviceaccount.Plugin.getServiceAccount, which waits 100 to 200 ms.
const WAITS: usize = 9;
const WAIT: Duration = Duration::from_millis(150);
/// Lists of containers, and what upstream calls their members.
const CONTAINERS: [(&str, &str); 2] = [("initContainers", "init container"), ("containers", "container")];
const EPHEMERAL: [(&str, &str); 1] = [("ephemeralContainers", "ephemeral container")];

/// The admission plug-in `ServiceAccount`.
// As upstream's plugin/pkg/admission/serviceaccount.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServiceAccount;

impl AdmissionPlugin for ServiceAccount {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        is_pod(attributes) && attributes.object.is_some()
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        if attributes.old.is_some() || !attributes.request.subresource.is_empty() {
            return Box::pin(std::future::ready(Ok(Mutation::default())));
        }
        Box::pin(async move {
            if is_mirror(attributes.new_object()) {
                check_mirror(&attributes)?;
                return Ok(Mutation::default());
            }
            let mut pod = attributes.new_object().clone();
            let Some(spec) = pod.get_mut("spec") else { return Ok(Mutation::default()) };
            if spec.text("serviceAccountName").is_empty() {
                spec.insert("serviceAccountName", DEFAULT);
                spec.insert("serviceAccount", DEFAULT);
            }
            let account = account(&attributes, spec.text("serviceAccountName")).await?;
            if automounts(&account, spec) {
                mount_token(spec, attributes.registry);
            }
            if spec.list("imagePullSecrets").is_empty() && !account.list("imagePullSecrets").is_empty() {
                spec.insert("imagePullSecrets", account.get("imagePullSecrets").cloned().unwrap_or_default());
            }
            Ok(Mutation { object: Some(pod), warnings: Vec::new() })
        })
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let kinds = match (attributes.old.is_some(), attributes.request.subresource) {
            (false, "") => Some(&CONTAINERS[..]),
            (true, "ephemeralcontainers") => Some(&EPHEMERAL[..]),
            _ => None,
        };
        let Some(kinds) = kinds else {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        };
        Box::pin(async move {
            if attributes.old.is_none() && is_mirror(attributes.new_object()) {
                check_mirror(&attributes)?;
                return Ok(Vec::new());
            }
            let name = attributes.new_object().get("spec").map_or("", |spec| spec.text("serviceAccountName"));
            if name.is_empty() {
                let namespace = attributes.request.namespace;
                let name = meta::name(attributes.new_object());
                return Err(forbidden(
                    &attributes,
                    &format!("no service account specified for pod {namespace}/{name}"),
                ));
            }
            let account = account(&attributes, name).await?;
            if limits_secrets(&account) {
                let checked = check_secrets(&account, attributes.new_object(), kinds);
                checked.map_err(|why| forbidden(&attributes, &why))?;
            }
            Ok(Vec::new())
        })
    }
}

fn is_pod(attributes: &Attributes<'_>) -> bool {
    attributes.definition.group().is_empty() && attributes.definition.resource.resource == "pods"
}

fn is_mirror(pod: &Value) -> bool {
    pod.lookup(&["metadata", "annotations"]).is_some_and(|annotations| annotations.get(MIRROR_POD).is_some())
}

/// As upstream's `admission.NewForbidden`.
fn forbidden(attributes: &Attributes<'_>, why: &str) -> ApiError {
    let name = match meta::name(attributes.new_object()) {
        "" => {
            attributes.new_object().lookup(&["metadata", "generateName"]).and_then(Value::as_str).unwrap_or("Unknown")
        }
        name => name,
    };
    ApiError::forbidden(&attributes.definition.resource, name, why)
}

async fn account(attributes: &Attributes<'_>, name: &str) -> Result<Value> {
    let user = User::default();
    let namespace = attributes.request.namespace;
    let request = Request {
        group: "",
        version: "v1",
        resource: "serviceaccounts",
        namespace,
        name,
        subresource: "",
        user: &user,
    };
    let mut waits = if name == DEFAULT { WAITS } else { 0 };
    loop {
        let error = match attributes.registry.get(&request, "").await {
            Ok(account) => return Ok(account),
            Err(error) if !error.is_not_found() => error,
            Err(_) if waits > 0 && attributes.registry.pause(WAIT).await => {
                waits -= 1;
                continue;
            }
            // Upstream names the resource in the singular here.
            Err(_) => ApiError::not_found(&GroupResource::new("", "serviceaccount"), name),
        };
        return Err(forbidden(attributes, &format!("error looking up service account {namespace}/{name}: {error}")));
    }
}

/// As upstream's `serviceaccount.shouldAutomount`.
fn automounts(account: &Value, spec: &Value) -> bool {
    let wish = |value: &Value| value.get("automountServiceAccountToken").and_then(Value::as_bool);
    wish(spec).or(wish(account)).unwrap_or(true)
}

/// As upstream's `Plugin.mountServiceAccountToken`.
fn mount_token(spec: &mut Value, registry: &Registry) {
    let known = spec.list("volumes").iter().map(|volume| volume.text("name")).find(|name| name.starts_with(VOLUME));
    let known = known.map(str::to_owned);
    let has_volume = known.is_some();
    let name = known.unwrap_or_else(|| SimpleNameGenerator.generate(VOLUME, registry.entropy()));
    let mut is_mounted = false;
    for (key, _) in CONTAINERS {
        let containers = spec.get_mut(key).and_then(Value::as_array_mut);
        for container in containers.into_iter().flat_map(sprag_value::Array::as_mut_slice) {
            if container.list("volumeMounts").iter().any(|mount| mount.text("mountPath") == MOUNT_PATH) {
                continue;
            }
            let mut mount = Value::object();
            mount.insert("name", name.as_str());
            mount.insert("readOnly", true);
            mount.insert("mountPath", MOUNT_PATH);
            push(container, "volumeMounts", mount);
            is_mounted = true;
        }
    }
    if is_mounted && !has_volume {
        let mut volume = Value::object();
        volume.insert("name", name.as_str());
        volume.insert("projected", json::parse(TOKEN_VOLUME.as_bytes()).expect("it is JSON"));
        push(spec, "volumes", volume);
    }
}

fn push(value: &mut Value, key: &str, item: Value) {
    let mut items = value.remove(key).unwrap_or_default();
    items.push(item);
    value.insert(key, items);
}

/// As upstream's `Plugin.Validate` for pods that mirror static ones.
fn check_mirror(attributes: &Attributes<'_>) -> Result<()> {
    let Some(spec) = attributes.new_object().get("spec") else { return Ok(()) };
    let projects_token = |volume: &Value| {
        volume.get("projected").is_some_and(|projected| {
            projected.list("sources").iter().any(|source| source.get("serviceAccountToken").is_some())
        })
    };
    let why = if !spec.text("serviceAccountName").is_empty() {
        "a mirror pod may not reference service accounts"
    } else if references_secrets(spec) {
        "a mirror pod may not reference secrets"
    } else if spec.list("volumes").iter().any(projects_token) {
        "a mirror pod may not use ServiceAccountToken volume projections"
    } else {
        return Ok(());
    };
    Err(forbidden(attributes, why))
}

/// As upstream's `podutil.VisitPodSecretNames`.
fn references_secrets(spec: &Value) -> bool {
    /// Volumes, and where they name a secret.
    const SOURCES: [&[&str]; 13] = [
        &["azureFile", "secretName"],
        &["cephfs", "secretRef"],
        &["cinder", "secretRef"],
        &["flexVolume", "secretRef"],
        &["rbd", "secretRef"],
        &["secret", "secretName"],
        &["scaleIO", "secretRef"],
        &["iscsi", "secretRef"],
        &["storageos", "secretRef"],
        &["csi", "nodePublishSecretRef"],
        &["csi", "nodeStageSecretRef"],
        &["csi", "controllerPublishSecretRef"],
        &["csi", "nodeExpandSecretRef"],
    ];
    let in_volume = |volume: &Value| {
        let projects =
            |projected: &Value| projected.list("sources").iter().any(|source| source.get("secret").is_some());
        SOURCES.iter().any(|path| volume.lookup(path).is_some()) || volume.get("projected").is_some_and(projects)
    };
    let mut in_containers =
        CONTAINERS.iter().chain(&EPHEMERAL).flat_map(|(key, _)| spec.list(key)).filter(|container| {
            container.list("env").iter().any(|env| env.lookup(&["valueFrom", "secretKeyRef"]).is_some())
                || container.list("envFrom").iter().any(|from| from.get("secretRef").is_some())
        });
    !spec.list("imagePullSecrets").is_empty()
        || in_containers.next().is_some()
        || spec.list("volumes").iter().any(in_volume)
}

/// As upstream's `Plugin.enforceMountableSecrets`.
fn limits_secrets(account: &Value) -> bool {
    let wish =
        account.lookup(&["metadata", "annotations"]).map_or("", |annotations| annotations.text(MOUNTABLE_SECRETS));
    ["1", "t", "T", "TRUE", "true", "True"].contains(&wish)
}

/// Refuses secrets that the account does not list, as upstream's `Plugin.limitSecretReferences` and
/// `limitEphemeralContainerSecretReferences`.
fn check_secrets(account: &Value, pod: &Value, kinds: &[(&str, &str)]) -> std::result::Result<(), String> {
    let Some(spec) = pod.get("spec") else { return Ok(()) };
    let by = meta::name(account);
    let has = |key: &str, name: &str| account.list(key).iter().any(|secret| secret.text("name") == name);
    let refuse = |what: &str, name: &str| {
        Err(format!(
            "{what} secret.secretName=\"{name}\" is not allowed because service account {by} does not reference that secret"
        ))
    };
    let is_whole = kinds == CONTAINERS;
    for volume in spec.list("volumes").iter().filter(|_| is_whole) {
        if let Some(secret) = volume.get("secret").map(|secret| secret.text("secretName"))
            && !has("secrets", secret)
        {
            // Upstream writes no "referencing" here.
            return refuse("volume with", secret);
        }
    }
    for (key, called) in kinds {
        for container in spec.list(key) {
            let name = container.text("name");
            for env in container.list("env") {
                if let Some(secret) = env.lookup(&["valueFrom", "secretKeyRef"]).map(|secret| secret.text("name"))
                    && !has("secrets", secret)
                {
                    return refuse(&format!("{called} {name} with envVar {} referencing", env.text("name")), secret);
                }
            }
            for from in container.list("envFrom") {
                if let Some(secret) = from.get("secretRef").map(|secret| secret.text("name"))
                    && !has("secrets", secret)
                {
                    return refuse(&format!("{called} {name} with envFrom referencing"), secret);
                }
            }
        }
    }
    for (index, secret) in spec.list("imagePullSecrets").iter().enumerate().filter(|_| is_whole) {
        let name = secret.text("name");
        if !has("imagePullSecrets", name) {
            return Err(format!(
                "imagePullSecrets[{index}].name=\"{name}\" is not allowed because service account {by} does not reference that \
                 imagePullSecret"
            ));
        }
    }
    Ok(())
}

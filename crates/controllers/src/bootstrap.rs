//! Objects that a server makes by itself: priority classes, roles and bindings that every server has, and rules that are put
//! together of others'.

use std::collections::HashMap;

use futures_util::future::join_all;
use sprag_authorization::{MASTERS, PolicyRule, Reconciled, aggregated, reconcile};
use sprag_registry::Registry;
use sprag_rest::selector::LabelSelector;
use sprag_rest::{ApiError, DeleteOptions, ListOptions, Request, Result, User, WriteOptions, meta, selector_text};
use sprag_value::{Object, Value};
use tokio::task::JoinSet;

const GROUP: &str = "rbac.authorization.k8s.io";
/// The resources, by kind.
const RESOURCES: [(&str, &str); 4] = [
    ("ClusterRole", "clusterroles"),
    ("ClusterRoleBinding", "clusterrolebindings"),
    ("Role", "roles"),
    ("RoleBinding", "rolebindings"),
];
/// Maximum attempts to reconcile bootstrap roles when another server writes at the same time.
const MAX_ATTEMPTS: usize = 3;
/// Number of bootstrap roles and bindings written at the same time: enough to share commits of the store, and few enough that a
/// server that is idle from then on holds little memory.
const AT_ONCE: usize = 16;
/// A binding that came to be of another: where it is missing, it begins with the subjects of that.
// As upstream's bootstrappolicy.ClusterRoleBindingsToSplit.
const SPLIT: (&str, &str) = ("system:discovery", "system:public-info-viewer");

/// Creates the roles and bindings that every server has, and brings those up to date that are there.
// As upstream's rest.PolicyData.EnsureRBACPolicy.
pub async fn ensure_policy(registry: &Registry) -> Result<()> {
    let user = system_user("system:apiserver");
    for _ in 1..MAX_ATTEMPTS {
        match ensure_once(registry, &user).await {
            Err(error) if matches!(error.code(), 404 | 409) => {}
            outcome => return outcome,
        }
    }
    ensure_once(registry, &user).await
}

async fn ensure_once(registry: &Registry, user: &User) -> Result<()> {
    let stored = join_all(RESOURCES.map(|(kind, _)| list(registry, kind, user))).await;
    let mut known: HashMap<Id, Value> = HashMap::new();
    for (list, (kind, _)) in stored.into_iter().zip(RESOURCES) {
        known.extend(list?.into_iter().map(|object| (id(kind, &object), object)));
    }
    let mut expected = sprag_kinds::rbac::bootstrap_policy(registry.gates());
    split(&known, &mut expected);
    // Each in a task of its own: a write whose rules take long blocks its task (`limits::offload`), and another one of that task
    // might hold the turn of the policy, which the first waits for.
    let mut ensured = JoinSet::new();
    let mut outcomes = Vec::new();
    for expected in expected {
        let kind = expected.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let existing = known.remove(&id(&kind, &expected));
        let registry = registry.clone();
        let user = user.clone();
        if ensured.len() == AT_ONCE {
            outcomes.extend(ensured.join_next().await);
        }
        ensured.spawn(async move { ensure(&registry, &user, &kind, expected, existing.as_ref()).await });
    }
    while let Some(outcome) = ensured.join_next().await {
        outcomes.push(outcome);
    }
    // The first error that matters is as good as any.
    outcomes.into_iter().try_for_each(|outcome| outcome.map_err(ApiError::internal)?)
}

/// A kind, a namespace and a name.
type Id = (String, String, String);

fn id(kind: &str, object: &Value) -> Id {
    (kind.to_owned(), meta::namespace(object).to_owned(), meta::name(object).to_owned())
}

// As upstream's primeSplitClusterRoleBindings.
fn split(known: &HashMap<Id, Value>, expected: &mut [Value]) {
    let key = |name: &str| ("ClusterRoleBinding".to_owned(), String::new(), name.to_owned());
    let (Some(source), None) = (known.get(&key(SPLIT.0)), known.get(&key(SPLIT.1))) else { return };
    let is_split = |object: &&mut Value| object.get("roleRef").is_some() && meta::name(object) == SPLIT.1;
    if let Some(target) = expected.iter_mut().find(is_split) {
        target.insert("subjects", source.get("subjects").cloned().unwrap_or_else(Value::array));
        for member in ["labels", "annotations"] {
            meta::copy(target, source, member);
        }
    }
}

async fn ensure(registry: &Registry, user: &User, kind: &str, expected: Value, existing: Option<&Value>) -> Result<()> {
    let options = WriteOptions::by("kube-apiserver");
    let namespace = meta::namespace(&expected).to_owned();
    let name = meta::name(&expected).to_owned();
    let object = Request { namespace: &namespace, name: &name, ..request(kind, user) };
    let collection = Request { name: "", ..object };
    match existing.map(|existing| reconcile(existing, &expected)) {
        Some(Reconciled::Same) => Ok(()),
        Some(Reconciled::Update(updated)) => registry.update(&object, updated, &options).await.map(drop),
        Some(Reconciled::Recreate) => {
            registry.delete(&object, &DeleteOptions::default()).await?;
            registry.create(&collection, expected, &options).await.map(drop)
        }
        None => registry.create(&collection, expected, &options).await.map(drop),
    }
}

/// Creates the priority classes that every server has, unless they are there.
// As upstream's rest.AddSystemPriorityClasses.
pub async fn ensure_priority_classes(registry: &Registry) -> Result<()> {
    let user = system_user("system:apiserver");
    let options = WriteOptions::by("kube-apiserver");
    for class in sprag_kinds::scheduling::system_priority_classes() {
        let name = meta::name(&class).to_owned();
        let request = Request {
            group: "scheduling.k8s.io",
            version: "v1",
            resource: "priorityclasses",
            namespace: "",
            name: &name,
            subresource: "",
            user: &user,
        };
        let Err(missing) = registry.get(&request, "").await else { continue };
        if !missing.is_not_found() {
            return Err(missing);
        }
        match registry.create(&Request { name: "", ..request }, class, &options).await {
            // Another server was faster.
            Err(error) if error.code() != 409 => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Tells other API servers whom this one trusts: the config map `extension-apiserver-authentication` in `kube-system`, with this
/// data. Without any, nothing is told.
// As upstream's clusterauthenticationtrust.Controller.
pub async fn publish_trust(registry: &Registry, data: Object) -> Result<()> {
    const NAME: &str = "extension-apiserver-authentication";
    if data.is_empty() {
        return Ok(());
    }
    let user = system_user("system:apiserver");
    let options = WriteOptions::by("kube-apiserver");
    let request = Request {
        group: "",
        version: "v1",
        resource: "configmaps",
        namespace: "kube-system",
        name: NAME,
        subresource: "",
        user: &user,
    };
    match registry.get(&request, "").await {
        Ok(mut found) => {
            found.insert("data", Value::Object(data));
            registry.update(&request, found, &options).await.map(drop)
        }
        Err(error) if error.is_not_found() => {
            let mut object = meta::bare("v1", "ConfigMap", NAME);
            object.insert("data", Value::Object(data));
            registry.create(&Request { name: "", ..request }, object, &options).await.map(drop)
        }
        Err(error) => Err(error),
    }
}

/// Puts the rules of cluster roles together that are made of others'. Returns how many were changed.
// As upstream's clusterroleaggregation.ClusterRoleAggregationController.
pub async fn aggregate(registry: &Registry) -> Result<usize> {
    let user = system_user("system:serviceaccount:kube-system:clusterrole-aggregation-controller");
    let roles = list(registry, "ClusterRole", &user).await?;
    let changed = aggregated(&roles, &selects);
    let count = changed.len();
    for (role, rules) in changed {
        let mut role = role.clone();
        role.insert("rules", rules.iter().map(PolicyRule::to_value).collect::<Value>());
        let name = meta::name(&role).to_owned();
        let request = Request { name: &name, ..request("ClusterRole", &user) };
        match registry.update(&request, role, &WriteOptions::by("clusterrole-aggregation-controller")).await {
            // A concurrent change triggers the next run.
            Err(error) if !matches!(error.code(), 404 | 409) => return Err(error),
            _ => {}
        }
    }
    Ok(count)
}

/// True if a label selector selects an object.
fn selects(selector: &Value, object: &Value) -> bool {
    let labels = object.lookup(&["metadata", "labels"]);
    let selector = selector_text(Some(selector)).ok().and_then(|text| LabelSelector::parse(&text).ok());
    selector.is_some_and(|selector| selector.matches(|key| labels?.get(key)?.as_str()))
}

async fn list(registry: &Registry, kind: &str, user: &User) -> Result<Vec<Value>, ApiError> {
    Ok(registry.list(&request(kind, user), &ListOptions::default()).await?.items)
}

fn request<'a>(kind: &str, user: &'a User) -> Request<'a> {
    let resource = RESOURCES.iter().find(|(known, _)| *known == kind).map_or("", |(_, resource)| resource);
    Request { group: GROUP, version: "v1", resource, namespace: "", name: "", subresource: "", user }
}

fn system_user(name: &str) -> User {
    User { name: name.to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sprag_storage::{Memory, Store};
    use sprag_value::json;

    use super::*;

    async fn registry(store: &Arc<dyn Store>) -> Registry {
        let kinds = sprag_kinds::definitions().into_iter();
        let registry = kinds.fold(Registry::builder(store.clone()), sprag_registry::Builder::resource).build();
        for namespace in ["kube-public", "kube-system"] {
            registry.ensure_namespace(namespace).await.unwrap();
        }
        registry
    }

    #[tokio::test]
    async fn aggregated_roles_have_the_rules_of_those_they_are_made_of() {
        let facts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/access/facts.json");
        let Ok(facts) = std::fs::read(facts) else {
            eprintln!("skipped: aggregated rules of a fresh server (../shared/conformance/access is missing)");
            return;
        };
        let facts = json::parse(&facts).unwrap();
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let registry = registry(&store).await;
        ensure_policy(&registry).await.unwrap();
        while aggregate(&registry).await.unwrap() > 0 {}
        let roles = list(&registry, "ClusterRole", &User::default()).await.unwrap();
        for name in ["admin", "edit", "view"] {
            let role = roles.iter().find(|role| meta::name(role) == name).unwrap();
            let recorded = facts.lookup(&["aggregated", name]).unwrap();
            let recorded = recorded.get("rules").unwrap_or(recorded);
            assert_eq!(role.get("rules"), Some(recorded), "{name}");
        }
    }

    #[tokio::test]
    async fn a_second_start_changes_nothing() {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        ensure_policy(&registry(&store).await).await.unwrap();
        let before = store.revision().await.unwrap();
        ensure_policy(&registry(&store).await).await.unwrap();
        assert_eq!(store.revision().await.unwrap(), before);
    }
}

//! Admission policies that make much of little, look where they should not, or let others do what they may not.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(values_that_grow),
    case!(words_that_grow),
    case!(patches_of_policies_that_grow),
    case!(parameters_without_number),
    case!(rights_that_a_policy_gives),
    case!(secrets_in_the_words_of_a_policy),
];

const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
/// Policies act a moment after they are stored.
const ACTIVE: Duration = Duration::from_secs(1);

fn rules(group: &str, resource: &str) -> Value {
    json!({"resourceRules": [
        {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]},
    ]})
}

/// Binds a policy of this spec, which is stored under a name; refuses as the server does.
async fn policy(arena: &Arena, kind: &str, name: &str, spec: Value, binding: Value) -> Result<(), String> {
    let plural = kind.to_lowercase().replace("policy", "policies");
    let object = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec});
    arena.post(&format!("{ADMISSION}/{plural}"), &object).await?.expect(201)?;
    let mut spec = json!({"policyName": name});
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), binding) {
        spec.extend(more);
    }
    let object = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}Binding"), "metadata": {"name": name}, "spec": spec,
    });
    arena.post(&format!("{ADMISSION}/{}bindings", kind.to_lowercase()), &object).await?.expect(201).map(drop)
}

const VALIDATING: &str = "ValidatingAdmissionPolicy";
const MUTATING: &str = "MutatingAdmissionPolicy";

fn map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// Many clients create a configmap at once, as a dry run; the codes that came, and how long the last one took.
async fn create_at_once(arena: &Arena, count: usize, size: usize) -> Outcome {
    let started = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..count {
        let mut client = arena.client().await?;
        let body = map(&format!("m{number}"), &json!({"d": "x".repeat(size)})).to_string();
        running.spawn(async move { client.ask_as("eve", "POST", &format!("{MAPS}?dryRun=All"), body).await });
    }
    let mut codes = std::collections::BTreeMap::<u16, usize>::new();
    while let Some(answer) = running.join_next().await {
        let answer = answer.map_err(|error| error.to_string())??;
        if answer.body.len() > 1 << 20 {
            return Err(format!("an answer of {} bytes", answer.body.len()));
        }
        *codes.entry(answer.code).or_default() += 1;
    }
    Ok(format!("{codes:?} after {} ms", started.elapsed().as_millis()))
}

/// Each variable has twice the text, or the list, of the one before.
async fn values_that_grow(arena: &Arena) -> Outcome {
    let mut outcomes = Vec::new();
    let forms = [
        ("texts", "object.data.d", "variables.NAME + variables.NAME", "variables.NAME.size() > 0"),
        ("lists", "[object.data.d, object.data.d]", "variables.NAME + variables.NAME", "variables.NAME.size() > 0"),
        ("lists-of-lists", "[1, 2, 3, 4, 5, 6, 7, 8]", "variables.NAME.map(x, variables.NAME)", "string(variables.NAME.size()) != ''"),
        ("joined", "[object.data.d, object.data.d]", "[variables.NAME.join(''), variables.NAME.join(object.data.d)]", "variables.NAME.size() > 0"),
        ("replaced", "object.data.d", "variables.NAME.replace('x', 'xxxxxxxxxxxxxxxx')", "variables.NAME.size() > 0"),
    ];
    for (name, first, next, last) in forms {
        let mut variables = vec![json!({"name": "v0", "expression": first})];
        for number in 1..24 {
            let expression = next.replace("NAME", &format!("v{}", number - 1));
            variables.push(json!({"name": format!("v{number}"), "expression": expression}));
        }
        let spec = json!({
            "failurePolicy": "Fail", "matchConstraints": rules("", "configmaps"), "variables": variables,
            "validations": [{"expression": last.replace("NAME", "v23")}],
        });
        match policy(arena, VALIDATING, name, spec, json!({"validationActions": ["Deny"]})).await {
            Ok(()) => {}
            Err(refused) if refused.contains("cost") => {
                outcomes.push(format!("{name} refused"));
                continue;
            }
            Err(refused) => return Err(format!("{name}: {refused}")),
        }
        sleep(ACTIVE).await;
        outcomes.push(format!("{name} {}", create_at_once(arena, arena.count(8, 40), 10_000).await?));
        arena.ask("DELETE", &format!("{ADMISSION}/validatingadmissionpolicybindings/{name}"), "", "").await?.expect(200)?;
        sleep(ACTIVE).await;
    }
    Ok(outcomes.join(", "))
}

/// Messages and annotations are made of what users send.
async fn words_that_grow(arena: &Arena) -> Outcome {
    let long = "[object.data.d, object.data.d, object.data.d, object.data.d].join(object.data.d)";
    for number in 0..5 {
        let annotations: Vec<Value> =
            (0..20).map(|key| json!({"key": format!("k{key}"), "valueExpression": format!("{long} + {long}")})).collect();
        let validations: Vec<Value> =
            (0..20).map(|_| json!({"expression": "object.data.d == ''", "messageExpression": format!("{long} + {long}")})).collect();
        let spec = json!({
            "failurePolicy": "Fail", "matchConstraints": rules("", "configmaps"), "validations": validations, "auditAnnotations": annotations,
        });
        policy(arena, VALIDATING, &format!("words{number}"), spec, json!({"validationActions": ["Deny", "Audit"]})).await?;
    }
    sleep(ACTIVE).await;
    create_at_once(arena, arena.count(10, 60), 200_000).await
}

/// Each policy of many adds as much as there is.
async fn patches_of_policies_that_grow(arena: &Arena) -> Outcome {
    for number in 0..8 {
        let doubled = format!("Object{{data: {{'k{number}': object.data.map(k, object.data[k]).join('')}}}}");
        let spec = json!({
            "failurePolicy": "Fail", "reinvocationPolicy": "IfNeeded", "matchConstraints": rules("", "configmaps"),
            "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": doubled}}],
        });
        policy(arena, MUTATING, &format!("grow{number}"), spec, json!({})).await?;
    }
    sleep(ACTIVE).await;
    create_at_once(arena, arena.count(8, 40), 400_000).await
}

/// One expression is evaluated once for each parameter that a binding selects.
async fn parameters_without_number(arena: &Arena) -> Outcome {
    let count = arena.count(300, 2_000);
    let mut client = arena.client().await?;
    for number in 0..count {
        let parameter = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("p{number}"), "labels": {"parameter": "yes"}},
            "data": {"words": "a b c d e f g h i j k l m n o p ".repeat(20)},
        });
        client.ask("POST", MAPS, "application/json", parameter.to_string()).await?.expect(201)?;
    }
    let spec = json!({
        "failurePolicy": "Fail", "matchConstraints": rules("", "configmaps"),
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "params.data.words.split(' ').all(w, w != object.data.d && params.data.words.split(' ').size() > 0)"}],
    });
    let reference = json!({"selector": {"matchLabels": {"parameter": "yes"}}, "parameterNotFoundAction": "Deny"});
    policy(arena, VALIDATING, "many", spec, json!({"paramRef": reference, "validationActions": ["Deny"]})).await?;
    sleep(ACTIVE).await;
    Ok(format!("{count} parameters, {}", create_at_once(arena, arena.count(5, 20), 10).await?))
}

/// What a policy makes of an object must be what its creator may create.
async fn rights_that_a_policy_gives(arena: &Arena) -> Outcome {
    let rule = json!({"apiGroups": ["rbac.authorization.k8s.io", ""], "resources": ["roles", "rolebindings", "configmaps"], "verbs": ["create", "get", "patch"]});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "makers"}, "rules": [rule]});
    arena.post(ROLES, &role).await?.expect(201)?;
    let subject = json!({"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "eve"});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "makers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "makers"}, "subjects": [subject],
    });
    arena.post(BINDINGS, &binding).await?.expect(201)?;
    let mutations = [
        ("rules", "roles", "[JSONPatch{op: 'add', path: '/rules', value: [Object.rules{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]}]"),
        ("reference", "rolebindings", "[JSONPatch{op: 'replace', path: '/roleRef/name', value: 'cluster-admin'}, JSONPatch{op: 'replace', path: '/roleRef/kind', value: 'ClusterRole'}]"),
        ("place", "configmaps", "[JSONPatch{op: 'replace', path: '/metadata/namespace', value: 'kube-system'}]"),
    ];
    for (name, resource, expression) in mutations {
        let group = if resource == "configmaps" { "" } else { "rbac.authorization.k8s.io" };
        let condition = format!("request.name == '{name}' || object.metadata.name == '{name}'");
        let spec = json!({
            "failurePolicy": "Fail", "reinvocationPolicy": "Never", "matchConstraints": rules(group, resource),
            "matchConditions": [{"name": "c", "expression": condition}],
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
        });
        policy(arena, MUTATING, name, spec, json!({})).await?;
    }
    sleep(ACTIVE).await;
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "rules"}});
    let mut binding = binding;
    binding["metadata"]["name"] = json!("reference");
    let rows = [(ROLES, role), (BINDINGS, binding), (MAPS, map("place", &json!({})))];
    let mut client = arena.client().await?;
    let mut codes = Vec::new();
    for (path, object) in rows {
        let request = http::Request::post(path)
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", client.token))
            .header("content-type", "application/json")
            .header("impersonate-user", "eve");
        let request = request.body(http_body_util::Full::new(object.to_string().into())).map_err(|error| error.to_string())?;
        let answer = client.send(request).await?;
        codes.push(answer.code.to_string());
        if answer.code < 400 {
            return Err(format!("created: {}", answer.text()));
        }
    }
    arena.get("/api/v1/namespaces/kube-system/configmaps/place").await?.expect(404)?;
    Ok(format!("refused with {}", codes.join(", ")))
}

/// A failing expression says nothing of parameters that its reader may not read, beyond what its author had it say.
async fn secrets_in_the_words_of_a_policy(arena: &Arena) -> Outcome {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "p"}, "data": {"password": "aHVudGVyMg=="}});
    arena.post("/api/v1/namespaces/default/secrets", &secret).await?.expect(201)?;
    let expressions = [
        "params.data.password == object.data.d",
        "params.data.absent == object.data.d",
        "params.data['password'].size() > 100",
        "params.data.exists(k, k == object.data.d)",
        "params.spec == object.data.d",
    ];
    for (number, expression) in expressions.iter().enumerate() {
        let spec = json!({
            "failurePolicy": "Fail", "matchConstraints": rules("", "configmaps"), "paramKind": {"apiVersion": "v1", "kind": "Secret"},
            "validations": [{"expression": expression}],
        });
        let reference = json!({"name": "p", "namespace": "default", "parameterNotFoundAction": "Deny"});
        policy(arena, VALIDATING, &format!("quiet{number}"), spec, json!({"paramRef": reference, "validationActions": ["Deny"]})).await?;
    }
    sleep(ACTIVE).await;
    let answer = arena.post(MAPS, &map("x", &json!({"d": "y"}))).await?.expect(422)?;
    let text = answer.text();
    if text.contains("hunter2") || text.contains("aHVudGVyMg") {
        return Err(text);
    }
    Ok(format!("{} bytes without it", text.len()))
}

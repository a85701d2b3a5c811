//! Messages of protobuf that say things twice, or what they are not: every rule about objects holds for them, too.

use std::time::Instant;

use serde_json::{Value, json};

use super::elements::{PROTOBUF, field, message_of, varint};
use super::{Answer, Arena, Case, Client, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(fields_that_come_again_and_again),
    case!(messages_that_say_what_they_are_not),
    case!(rights_and_levels_in_messages),
    case!(what_messages_do_not_show),
];

const PODS: &str = "/api/v1/namespaces/default/pods";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

async fn post(client: &mut Client, user: &str, path: &str, body: Vec<u8>) -> Result<Answer, String> {
    let request = http::Request::post(path)
        .header("host", "localhost")
        .header("authorization", format!("Bearer {}", client.token))
        .header("content-type", PROTOBUF)
        .header("accept", "application/json")
        .header("impersonate-user", user)
        .header("impersonate-group", if user == "eve" { "system:authenticated" } else { "system:masters" });
    client.send(request.body(http_body_util::Full::new(body.into())).map_err(|error| error.to_string())?).await
}

fn named(name: &str) -> Vec<u8> {
    field(1, &field(1, name.as_bytes()))
}

/// Parts of one message that are merged, keys of one map, and fields that nobody knows.
async fn fields_that_come_again_and_again(arena: &Arena) -> Outcome {
    let size = arena.count(500_000, 2_900_000);
    let again = |part: &[u8]| part.repeat(size / part.len());
    let label = field(11, &[field(1, b"a"), field(2, b"b")].concat());
    let nested = (0..3_000).fold(Vec::new(), |inner, _| field(2, &inner));
    let bodies = [
        ("metadata", "ConfigMap", MAPS, [named("x"), again(&field(1, &label))].concat()),
        ("one label", "ConfigMap", MAPS, field(1, &[field(1, b"x"), again(&label)].concat())),
        ("one key", "ConfigMap", MAPS, [named("x"), again(&field(2, &[field(1, b"a"), field(2, b"b")].concat()))].concat()),
        ("names", "ConfigMap", MAPS, field(1, &[again(&field(1, b"y")), field(1, b"x")].concat())),
        ("specs", "Pod", PODS, [named("x"), again(&field(2, &field(2, &field(1, b"c"))))].concat()),
        ("affinities", "Pod", PODS, [named("x"), field(2, &again(&field(18, &field(1, &field(1, b"")))))].concat()),
        ("unknown", "ConfigMap", MAPS, [named("x"), again(&[&[0xa2, 0x06][..], &varint(3), b"abc"].concat())].concat()),
        ("unknown numbers", "ConfigMap", MAPS, [named("x"), again(&[0xa0, 0x06, 1])].concat()),
        ("nesting", "Pod", PODS, [named("x"), nested].concat()),
        ("managed fields", "ConfigMap", MAPS, field(1, &[field(1, b"x"), again(&field(17, &field(1, b"m")))].concat())),
    ];
    let mut outcomes = Vec::new();
    let mut client = arena.client().await?;
    for (name, kind, path, raw) in bodies {
        let started = Instant::now();
        let answer = post(&mut client, "admin", &format!("{path}?dryRun=All"), message_of("v1", kind, &raw)).await?;
        if answer.code >= 500 {
            return Err(format!("{name}: {}", answer.text()));
        }
        outcomes.push(format!("{name} {} {} ms", answer.code, started.elapsed().as_millis()));
    }
    Ok(outcomes.join(", "))
}

/// Types, names and namespaces within that are not those of the request.
async fn messages_that_say_what_they_are_not(arena: &Arena) -> Outcome {
    let elsewhere = field(1, &[field(1, b"x"), field(3, b"kube-system")].concat());
    let secret = [named("x"), field(2, &[field(1, b"a"), field(2, b"b")].concat())].concat();
    let rows = [
        ("another kind", MAPS, message_of("v1", "Secret", &secret)),
        ("another version", MAPS, message_of("apps/v1", "ConfigMap", &named("x"))),
        ("another namespace", MAPS, message_of("v1", "ConfigMap", &elsewhere)),
        ("a list", MAPS, message_of("v1", "ConfigMapList", &field(2, &named("x")))),
        ("a cut message", MAPS, message_of("v1", "ConfigMap", &[&named("x")[..], &[0x12, 0x7f, 1]].concat())),
        ("a length without end", MAPS, message_of("v1", "ConfigMap", &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
        ("a number without end", MAPS, message_of("v1", "ConfigMap", &[0xff; 30])),
        ("a group", MAPS, message_of("v1", "ConfigMap", &[0x0b; 1_000])),
        ("no UTF-8", MAPS, message_of("v1", "ConfigMap", &field(1, &field(1, &[0xff, 0xfe])))),
        ("text", MAPS, b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"}}".to_vec()),
        ("nothing", MAPS, b"k8s\0".to_vec()),
        ("two types", MAPS, [&message_of("v1", "ConfigMap", &named("x"))[..], &field(1, &[field(1, b"v1"), field(2, b"Secret")].concat())].concat()),
    ];
    let mut client = arena.client().await?;
    let mut codes = Vec::new();
    for (name, path, body) in rows {
        let answer = post(&mut client, "admin", path, body).await?;
        if !(400..500).contains(&answer.code) {
            return Err(format!("{name}: {} {}", answer.code, answer.text()));
        }
        codes.push(answer.code.to_string());
    }
    for path in [format!("{MAPS}/x"), format!("{SECRETS}/x"), "/api/v1/namespaces/kube-system/configmaps/x".to_owned()] {
        arena.get(&path).await?.expect(404)?;
    }
    Ok(codes.join(", "))
}

/// What roles, levels of pods and reserved names forbid, they forbid in messages.
async fn rights_and_levels_in_messages(arena: &Arena) -> Outcome {
    let enforced = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}).to_string();
    arena.ask("PATCH", "/api/v1/namespaces/default", "application/merge-patch+json", enforced).await?.expect(200)?;
    let rule = json!({"apiGroups": ["rbac.authorization.k8s.io", ""], "resources": ["roles", "pods"], "verbs": ["create"]});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "makers"}, "rules": [rule]});
    arena.post(ROLES, &role).await?.expect(201)?;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "makers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "makers"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "eve"}],
    });
    arena.post(BINDINGS, &binding).await?.expect(201)?;
    let named_container = |name: &[u8], more: &[u8]| field(2, &field(2, &[&field(1, name)[..], &field(2, b"image"), more].concat()));
    let container = |more: &[u8]| named_container(b"c", more);
    let privileged = field(15, &[0x10, 1]);
    let harmless = field(15, &[0x10, 0]);
    let everything = field(2, &[field(1, b"*"), field(2, b"*"), field(3, b"*")].concat());
    let nothing = field(2, &[field(1, b"create"), field(2, b""), field(3, b"pods")].concat());
    let host_network = field(2, &[0x58, 1]);
    let pod = |name: &str, parts: &[&[u8]]| message_of("v1", "Pod", &[&[&named(name)[..]], parts].concat().concat());
    let role = |name: &str, rules: &[&[u8]]| message_of("rbac.authorization.k8s.io/v1", "Role", &[&[&named(name)[..]], rules].concat().concat());
    let rows = [
        ("privileged", PODS, pod("a", &[&container(&privileged)]), 403),
        ("privileged after all", PODS, pod("b", &[&container(&harmless), &named_container(b"d", &privileged)]), 403),
        ("privileged, then not", PODS, pod("c", &[&container(&[&privileged[..], &field(15, &[0x10, 0, 0x10, 1])].concat())]), 403),
        ("of the host", PODS, pod("d", &[&container(&[]), &host_network]), 403),
        ("all rights", ROLES, role("e", &[&everything]), 403),
        ("all rights behind few", ROLES, role("f", &[&nothing, &everything]), 403),
        ("harmless", PODS, pod("g", &[&container(&harmless)]), 201),
        ("own rights", ROLES, role("h", &[&nothing]), 201),
    ];
    let mut client = arena.client().await?;
    for (name, path, body, code) in rows {
        let answer = post(&mut client, "eve", path, body).await?;
        if answer.code != code {
            return Err(format!("{name}: {} where {code} was expected: {}", answer.code, answer.text()));
        }
    }
    Ok("6 refused, 2 served".into())
}

/// Nothing is in a message that is not in the object: no fields of before, nothing behind its end, nothing of another user's.
async fn what_messages_do_not_show(arena: &Arena) -> Outcome {
    let marked = "only-in-an-unknown-field";
    let raw = [named("x"), [&[0xa2, 0x06][..], &varint(marked.len()), marked.as_bytes()].concat()].concat();
    let mut client = arena.client().await?;
    post(&mut client, "admin", MAPS, message_of("v1", "ConfigMap", &raw)).await?.expect(201)?;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"p": "a-password"}});
    arena.post(SECRETS, &secret).await?.expect(201)?;
    let update = [named("s"), field(2, &[field(1, b"p"), field(2, b"another-one")].concat())].concat();
    let request = http::Request::put(format!("{SECRETS}/s"))
        .header("host", "localhost")
        .header("authorization", format!("Bearer {}", client.token))
        .header("content-type", PROTOBUF)
        .body(http_body_util::Full::new(message_of("v1", "Secret", &update).into()))
        .map_err(|error| error.to_string())?;
    client.send(request).await?.expect(200)?;
    let views = ["", ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"];
    for view in views {
        let accept = format!("{PROTOBUF}{view}");
        for path in [format!("{MAPS}/x"), format!("{SECRETS}/s")] {
            let body = client.ask_with("GET", &path, &[("accept", &accept)]).await?.expect(200)?.body;
            let has = |text: &str| body.windows(text.len()).any(|window| window == text.as_bytes());
            if has(marked) || has("a-password") || (!view.is_empty() && has("another-one")) {
                return Err(format!("{path} as {accept} shows too much"));
            }
        }
    }
    let shown: Value = arena.get(&format!("{MAPS}/x")).await?.expect(200)?.json();
    if shown.to_string().contains(marked) { Err("an unknown field was kept".into()) } else { Ok("nothing but the objects".into()) }
}

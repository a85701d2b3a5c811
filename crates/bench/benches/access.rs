//! Decisions of RBAC among a thousand bindings, and what they cost a GET in process.
//!
//! Instructions of a whole request are counted with
//! `valgrind --tool=callgrind --toggle-collect='*Api*get*' <the bench executable> --bench get_by_roles`, and the same with `get_always_allowed`.

use std::sync::Arc;

use divan::{Bencher, black_box};
use sprag_authorization::{Access, Attributes, AuthorizationMode, Authorizer, ResourceTarget, Target};
use sprag_rest::{FeatureGates, User};
use sprag_server::{Authentication, InProcess, Server};
use sprag_storage::Memory;
use sprag_value::json;
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOC: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

/// Bindings of others.
const OTHERS: usize = 1000;

fn main() {
    divan::main();
}

fn ann() -> User {
    let groups = ["dev", "ops", "system:authenticated"].map(str::to_owned).into();
    User { name: "ann".into(), groups, ..User::default() }
}

/// Roles and bindings: those that every cluster has, a thousand of others, half of them in the namespace, and one that counts.
fn access() -> Access {
    let access = Access::new(AuthorizationMode::Rbac);
    let set = |kind: &str, namespace: &str, name: &str, text: &str| {
        let object = json::parse(text.as_bytes()).expect("it is JSON");
        access.set(kind, namespace, name, Some(&object));
    };
    for object in sprag_kinds::rbac::bootstrap_policy(&FeatureGates::default()) {
        let text = |path: &[&str]| object.lookup(path).and_then(|text| text.as_str()).unwrap_or_default();
        access.set(text(&["kind"]), text(&["metadata", "namespace"]), text(&["metadata", "name"]), Some(&object));
    }
    set(
        "ClusterRole",
        "",
        "reader",
        r#"{"rules":[{"apiGroups":[""],"resources":["pods","configmaps"],"verbs":["get","list","watch"]}]}"#,
    );
    for number in 0..OTHERS {
        let binding = binding(&format!("user-{number}"));
        let kind = if number % 2 == 0 { "RoleBinding" } else { "ClusterRoleBinding" };
        set(kind, if number % 2 == 0 { "team" } else { "" }, &format!("b{number}"), &binding);
    }
    set("RoleBinding", "team", "ann", &binding("ann"));
    access
}

fn binding(user: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{user}"}},"roleRef":{{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"reader"}},"subjects":[{{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"{user}"}}]}}"#
    )
}

fn ask(bencher: Bencher<'_, '_>, verb: &str, namespace: &str, expected: bool) {
    let access = access();
    let ann = ann();
    let target = ResourceTarget { resource: "configmaps", namespace, name: "x", ..ResourceTarget::default() };
    let attributes = Attributes { user: &ann, verb, target: Target::Resource(target) };
    assert_eq!(access.allows(&attributes), expected);
    bencher.bench(|| access.allows(black_box(&attributes)));
}

#[divan::bench]
fn allowed(bencher: Bencher<'_, '_>) {
    ask(bencher, "get", "team", true);
}

#[divan::bench]
fn denied(bencher: Bencher<'_, '_>) {
    ask(bencher, "delete", "team", false);
}

#[divan::bench]
fn denied_at_cluster_scope(bencher: Bencher<'_, '_>) {
    ask(bencher, "get", "", false);
}

#[divan::bench]
fn why_allowed(bencher: Bencher<'_, '_>) {
    let access = access();
    let ann = ann();
    let target = ResourceTarget { resource: "configmaps", namespace: "team", ..ResourceTarget::default() };
    let attributes = Attributes { user: &ann, verb: "get", target: Target::Resource(target) };
    bencher.bench(|| access.authorize(black_box(&attributes)));
}

/// A server in process and a user with a token.
struct Api {
    server: InProcess,
    runtime: Runtime,
}

impl Api {
    fn new(mode: AuthorizationMode) -> Api {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut authentication = Authentication::default();
        authentication.static_tokens.push(("ann".into(), ann()));
        let server = Server::new(Arc::new(Memory::new())).authorization(mode).authentication(authentication);
        let server = runtime.block_on(server.in_process()).expect("a server");
        let api = Api { server, runtime };
        api.post("/api/v1/namespaces", r#"{"metadata":{"name":"team"}}"#);
        api.post("/api/v1/namespaces/team/configmaps", r#"{"metadata":{"name":"x"},"data":{"key":"value"}}"#);
        let group = "/apis/rbac.authorization.k8s.io/v1";
        api.post(
            &format!("{group}/clusterroles"),
            r#"{"metadata":{"name":"reader"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}]}"#,
        );
        for number in 0..OTHERS {
            api.post(&format!("{group}/namespaces/team/rolebindings"), &binding(&format!("user-{number}")));
        }
        api.post(&format!("{group}/namespaces/team/rolebindings"), &binding("ann"));
        api
    }

    fn post(&self, path: &str, body: &str) {
        let request = http::Request::post(path).header("content-type", "application/json");
        let request = request.body(body.to_owned().into()).expect("a request");
        let answer = self.runtime.block_on(self.server.answer(request));
        assert_eq!(answer.status(), 201, "{path}");
    }

    #[inline(never)]
    fn get(&self) -> u16 {
        let request = http::Request::get("/api/v1/namespaces/team/configmaps/x").header("authorization", "Bearer ann");
        let request = request.body(bytes::Bytes::new()).expect("a request");
        self.runtime.block_on(self.server.answer(request)).status().as_u16()
    }
}

fn get(bencher: Bencher<'_, '_>, mode: AuthorizationMode) {
    let api = Api::new(mode);
    assert_eq!(api.get(), 200);
    bencher.bench_local(|| api.get());
}

#[divan::bench]
fn get_by_roles(bencher: Bencher<'_, '_>) {
    get(bencher, AuthorizationMode::Rbac);
}

#[divan::bench]
fn get_always_allowed(bencher: Bencher<'_, '_>) {
    get(bencher, AuthorizationMode::AlwaysAllow);
}

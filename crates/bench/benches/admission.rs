//! The cost that admission adds to a create: a policy with three rules, configurations that do not match, and a
//! webhook.
//!
//! ```text
//! cargo bench -p sprag-bench --bench admission
//! ```
//!
//! Creates of a pod in a dry run over a store in memory, with and without what is measured, in turn; the figure is the difference of the
//! fastest rounds. The plug-ins for policies and webhooks are always there, as in a server; the first row says what they take without any. That of a webhook is CPU time of the thread that calls; the webhook answers over HTTPS on a thread of its own.

#![expect(clippy::print_stdout, reason = "a bench prints its tables")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, KeyPair, SanType};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sprag_admission::matching::Namespaces;
use sprag_admission::policy::{MutatingPolicies, Unobserved, ValidatingPolicies};
use sprag_admission::webhook::{Called, MutatingWebhooks, ValidatingWebhooks, WebhookObserver, Webhooks};
use sprag_authorization::{Access, AuthorizationMode};
use sprag_registry::{AdmissionPlugin, Follower, Registry};
use sprag_rest::{Request, User, WriteOptions};
use sprag_storage::{Key, Memory};
use sprag_value::{Value, base64, json};
use sprag_webhook::{Client, ResolveService};
use std::hint::black_box;
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOC: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GROUP: &str = "admissionregistration.k8s.io";

/// Rounds of each kind, which alternate.
const ROUNDS: usize = 60;
/// Creates in a round that calls nobody.
const CREATES: u32 = 400;
/// Creates in a round that calls a webhook: long enough for the clock of a thread, which ticks in milliseconds.
const CALLS: u32 = 300;

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","labels":{"app":"web","team":"shop"}},
"spec":{"containers":[{"name":"web","image":"registry.example.com/web:1.2","resources":{"limits":{"cpu":"1","memory":"1Gi"}}},
{"name":"side","image":"registry.example.com/side:3","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}],"restartPolicy":"Always"}}"#;

const RULES: &str = r#"[{"expression":"object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))"},
{"expression":"object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)"},
{"expression":"has(object.metadata.labels) && 'team' in object.metadata.labels"}]"#;

/// The same rules with the name of the label and of the registry in parameters.
const RULES_WITH_PARAMS: &str = r#"[{"expression":"object.spec.containers.all(c, c.image.startsWith(params.data.registry))"},
{"expression":"object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)"},
{"expression":"has(object.metadata.labels) && params.data.label in object.metadata.labels"}]"#;

const PARAMS: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"limits","namespace":"default"},"data":{"registry":"registry.example.com/","label":"team"}}"#;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let bare = Site::new(&Plugins::None);
    let plain = Site::new(&Plugins::Others(0));
    println!("{:<60}{:>12}{:>12}", "added to a create", "measured", "limit");
    let row = |name: &str, added: Duration, limit: Duration| {
        let micros = |time: Duration| format!("{:.2} µs", time.as_secs_f64() * 1e6);
        println!("{name:<60}{:>12}{:>12}", micros(added), micros(limit));
    };
    let policy = |rules, has_params| Site::new(&Plugins::Policy { rules, has_params });
    let elapsed = |site: &Site| difference(&runtime, [&plain, site], CREATES, wall);
    let plugins = difference(&runtime, [&bare, &plain], CREATES, wall);
    row("the plug-ins for policies and webhooks, of which there are none", plugins, Duration::from_micros(1));
    row("a policy with three rules", elapsed(&policy(RULES, false)), Duration::from_micros(5));
    row(
        "a policy with three rules and parameters",
        elapsed(&policy(RULES_WITH_PARAMS, true)),
        Duration::from_micros(5),
    );
    let others = Site::new(&Plugins::Others(100));
    row("100 policies and webhooks of each kind about other resources", elapsed(&others), Duration::from_micros(1));
    let hook = Hook::start();
    let called = Site::new(&Plugins::Webhook(&hook));
    let cpu = difference(&runtime, [&plain, &called], CALLS, thread_cpu);
    row("a validating webhook, CPU time without the other side", cpu, Duration::from_micros(300));
}

/// The difference of the fastest rounds of creates at two places.
fn difference(runtime: &Runtime, sites: [&Site; 2], creates: u32, clock: fn() -> Duration) -> Duration {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (site, best) in sites.into_iter().zip(&mut best) {
            let started = clock();
            runtime.block_on(async {
                for _ in 0..creates {
                    site.create().await;
                }
            });
            *best = clock().saturating_sub(started).min(*best);
        }
    }
    best[1].saturating_sub(best[0]) / creates
}

fn wall() -> Duration {
    static STARTED: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    STARTED.elapsed()
}

/// The CPU time of this thread.
fn thread_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells the CPU time of threads");
    let nanos = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanos.expect("the first number is nanoseconds"))
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).expect("it is JSON")
}

/// The plug-ins of a server.
enum Plugins<'a> {
    /// None at all.
    None,
    /// Those for policies and webhooks, with a validating policy about pods, with a binding.
    Policy { rules: &'a str, has_params: bool },
    /// With as many policies and webhooks of each kind, none of which is about pods.
    Others(usize),
    /// With a validating webhook about pods.
    Webhook(&'a Hook),
}

/// All kinds in memory, with plug-ins.
struct Site {
    registry: Registry,
    user: User,
    options: WriteOptions,
    pod: Value,
}

impl Site {
    fn new(plugins: &Plugins<'_>) -> Site {
        let mut registry = Registry::builder(Arc::new(Memory::new()));
        for plugin in plugins.made() {
            registry = registry.admission(plugin);
        }
        for definition in sprag_kinds::definitions() {
            registry = registry.resource(definition);
        }
        let site = Site {
            registry: registry.build(),
            user: User { name: "ann".to_owned(), ..User::default() },
            options: WriteOptions { dry_run: vec!["All".to_owned()], ..WriteOptions::by("bench") },
            pod: parse(POD),
        };
        let cluster = Request { resource: "namespaces", namespace: "", ..site.request() };
        let maps = Request { resource: "configmaps", ..site.request() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            site.registry.create(&cluster, namespace(), &WriteOptions::default()).await.expect("it is created");
            site.registry.create(&maps, parse(PARAMS), &WriteOptions::default()).await.expect("it is created");
        });
        site
    }

    fn request(&self) -> Request<'_> {
        Request {
            group: "",
            version: "v1",
            resource: "pods",
            namespace: "default",
            name: "",
            subresource: "",
            user: &self.user,
        }
    }

    /// Creates a pod in a dry run.
    async fn create(&self) {
        let request = self.request();
        let created = self.registry.create(black_box(&request), self.pod.clone(), &self.options).await;
        black_box(created.expect("the pod is fine"));
    }
}

fn namespace() -> Value {
    parse(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}"#)
}

impl Plugins<'_> {
    fn made(&self) -> Vec<Arc<dyn AdmissionPlugin>> {
        let namespaces = Arc::new(Namespaces::default());
        namespaces.set(&Key::cluster("", "namespaces", "default").expect("a key"), Some(namespace()));
        let access = Arc::new(Access::new(AuthorizationMode::AlwaysAllow));
        let client = Arc::new(Client::new(Arc::new(NoServices), "bench"));
        let mutating = MutatingPolicies::new(namespaces.clone(), access.clone(), Arc::new(Unobserved));
        let validating = ValidatingPolicies::new(namespaces.clone(), access.clone(), Arc::new(Unobserved));
        let changing = Webhooks::mutating(namespaces.clone(), access.clone(), client.clone(), Arc::new(Uncounted));
        let judging = Webhooks::validating(namespaces, access, client, Arc::new(Uncounted));
        let changing = MutatingWebhooks::new(changing);
        let judging = ValidatingWebhooks::new(judging);
        match self {
            Plugins::None => return Vec::new(),
            Plugins::Policy { rules, has_params } => {
                add_policies(&validating, "validating", 1, "pods", rules, *has_params);
            }
            Plugins::Others(count) => {
                add_policies(&validating, "validating", *count, "services", RULES, false);
                add_policies(&mutating, "mutating", *count, "services", "[]", false);
                let of_client = r#"{"url":"https://127.0.0.1:1/"}"#;
                add_webhooks(&changing, "mutating", *count, "services", of_client);
                add_webhooks(&judging, "validating", *count, "services", of_client);
            }
            Plugins::Webhook(hook) => add_webhooks(&judging, "validating", 1, "pods", &hook.client_config()),
        }
        vec![Arc::new(mutating), Arc::new(changing), Arc::new(validating), Arc::new(judging)]
    }
}

fn add_policies(plugin: &dyn Follower, kind: &str, count: usize, resource: &str, rules: &str, has_params: bool) {
    let (param_kind, param_ref) = if has_params {
        (
            r#""paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"#,
            r#","paramRef":{"name":"limits","parameterNotFoundAction":"Deny"}"#,
        )
    } else {
        ("", "")
    };
    for number in 0..count {
        let name = format!("policy-{number}");
        let key = |plural: &str| Key::cluster(GROUP, &format!("{kind}{plural}"), &name).expect("a key");
        let policy = format!(
            r#"{{"metadata":{{"name":"{name}"}},"spec":{{"failurePolicy":"Fail",{param_kind}"matchConstraints":{{"matchPolicy":"Equivalent",
            "namespaceSelector":{{}},"objectSelector":{{}},"resourceRules":[{}]}},"validations":{rules},"mutations":[]}}}}"#,
            rule(resource)
        );
        plugin.set(&key("admissionpolicies"), Some(parse(&policy)));
        let binding = format!(r#"{{"spec":{{"policyName":"{name}","validationActions":["Deny"]{param_ref}}}}}"#);
        plugin.set(&key("admissionpolicybindings"), Some(parse(&binding)));
    }
}

fn add_webhooks(plugin: &dyn Follower, kind: &str, count: usize, resource: &str, client_config: &str) {
    for number in 0..count {
        let key =
            Key::cluster(GROUP, &format!("{kind}webhookconfigurations"), &format!("hook-{number}")).expect("a key");
        let configuration = format!(
            r#"{{"webhooks":[{{"name":"a.example.com","clientConfig":{client_config},"rules":[{}],"failurePolicy":"Fail","matchPolicy":"Equivalent",
            "sideEffects":"None","admissionReviewVersions":["v1"],"timeoutSeconds":5}}]}}"#,
            rule(resource)
        );
        plugin.set(&key, Some(parse(&configuration)));
    }
}

fn rule(resource: &str) -> String {
    format!(
        r#"{{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["{resource}"],"scope":"*"}}"#
    )
}

/// No webhook is behind a service.
struct NoServices;

impl ResolveService for NoServices {
    fn resolve(&self, _: &str, name: &str, _: i64) -> Result<String, String> {
        Err(format!("service {name:?} not found"))
    }
}

/// Counts nothing.
struct Uncounted;

impl WebhookObserver for Uncounted {
    fn called(&self, _: &Called<'_>) {}

    fn failed_open(&self, _: &str, _: &'static str) {}

    fn excluded(&self, _: &str, _: &'static str, _: &'static str) {}
}

/// A webhook that allows everything, on threads of its own.
struct Hook {
    address: SocketAddr,
    certificate: String,
}

impl Hook {
    fn start() -> Hook {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![SanType::IpAddress([127, 0, 0, 1].into())];
        let certificate = params.self_signed(&key).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key));
        let config = Arc::new(config.expect("it can serve"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let config = config.clone();
                std::thread::spawn(move || serve(stream, config));
            }
        });
        Hook { address, certificate: certificate.pem() }
    }

    fn client_config(&self) -> String {
        let bundle = base64::encode(self.certificate.as_bytes());
        format!(r#"{{"url":"https://{}/hook","caBundle":"{bundle}"}}"#, self.address)
    }
}

/// Answers the requests of a connection until it ends.
fn serve(stream: TcpStream, config: Arc<ServerConfig>) {
    let _ = stream.set_nodelay(true);
    let connection = ServerConnection::new(config).expect("it can serve");
    let mut stream = StreamOwned::new(connection, stream);
    let mut read = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        while let Some((uid, end)) = request(&read) {
            read.drain(..end);
            let body = format!(
                r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{{"uid":"{uid}","allowed":true}}}}"#
            );
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            if stream.write_all(answer.as_bytes()).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(length) if length > 0 => read.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
}

/// The identity of the review that was read, and where the request ends.
fn request(read: &[u8]) -> Option<(String, usize)> {
    let text = std::str::from_utf8(read).ok()?;
    let head = text.find("\r\n\r\n")?;
    let length = text[..head].lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    });
    let end = head + 4 + length.unwrap_or_default();
    let uid = text.get(head + 4..end)?.split_once(r#""uid":""#)?.1.split('"').next()?;
    Some((uid.to_owned(), end))
}

//! Goes through the resources of a server.

use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use sprag_rest::{Definition, Gated};
use sprag_storage::{Memory, Store};
use sprag_value::Value;
use tokio::runtime::{Handle, Runtime, RuntimeFlavor};

use super::Enforce;
use super::case::Case;
use super::checks::{self, CHECKS, Features, Problem};
use super::discover::{NAMESPACE, Resource, resources};
use super::exceptions;
use super::practice::{self, Practice};
use super::report::{Finding, Report};
use super::schema::Documents;
use super::seeds::Seeds;
use super::session::Session;
use super::target::{Subject, Target};

/// The exceptions that Kubernetes' own kinds have.
const KUBERNETES: &str = include_str!("kubernetes-exceptions.yaml");
const ON: &str = "AllAlpha=true,AllBeta=true";
const OFF: &str = "AllAlpha=false,AllBeta=false";

/// Looks at a server.
pub(super) fn run(settings: &Enforce, target: &impl Target) -> Result<Report, String> {
    let own = settings.exceptions.as_deref().map(exceptions::read).transpose()?.unwrap_or_default();
    let mut built_in =
        exceptions::parse(KUBERNETES.as_bytes()).map_err(|error| format!("exceptions of Kubernetes: {error}"))?;
    for exception in &mut built_in {
        exception.is_built_in = true;
    }
    let seeds = Seeds::read(&settings.seeds)?;
    let generated = settings.generated.iter().filter_map(|check| check().err()).collect::<Vec<_>>();
    let mut findings: Vec<Finding> =
        generated.into_iter().map(|error| finding("*", practice::GENERATED_CODE, Problem::new(error))).collect();
    let subject = target.subject();
    if matches!(subject, Subject::Remote(..))
        && Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::CurrentThread)
    {
        return Err("a server that runs on this thread cannot answer while it is waited for: use #[tokio::test(flavor = \"multi_thread\")]".to_owned());
    }
    let only = &settings.only;
    let without = &settings.without;
    let without_kubernetes = settings.without_kubernetes;
    let filter = |resource: &Resource| {
        (only.is_empty() || only.contains(&resource.group))
            && !without.contains(&resource.group)
            && !(without_kubernetes && is_of_kubernetes(&resource.group))
    };
    // A runtime of its own: the test may be one of an asynchronous runtime, where no other can be waited for.
    let looked = thread::scope(|scope| scope.spawn(|| look(subject, &seeds, &filter)).join());
    let (seen, mut report) = looked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    findings.extend(seen);
    let (strict, loose) =
        if settings.strict { (built_in.as_slice(), [].as_slice()) } else { ([].as_slice(), built_in.as_slice()) };
    let demanded: Vec<_> = own.iter().chain(strict).cloned().collect();
    report.settle(findings, &demanded, loose);
    Ok(report)
}

/// True if a group is one of Kubernetes' own.
fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// A server under the three states of its features.
struct Servers<'s> {
    plain: Session<'s>,
    on: Option<Session<'s>>,
    off: Option<Session<'s>>,
    definitions: Vec<Arc<Definition>>,
}

impl<'s> Servers<'s> {
    fn new(subject: Subject<'s>, runtime: &Rc<Runtime>) -> Result<Servers<'s>, String> {
        let alone = |plain: Session<'s>, definitions| Servers { plain, on: None, off: None, definitions };
        match subject {
            Subject::Start(start) => {
                let store: Arc<dyn Store> = Arc::new(Memory::new());
                let with = |switches: &str| Session::start(runtime, start(store.clone()).switch_features(switches));
                let plain = Session::start(runtime, start(store.clone()))?;
                let definitions = plain.definitions();
                Ok(Servers { plain, on: Some(with(ON)?), off: Some(with(OFF)?), definitions })
            }
            Subject::InProcess(server) => {
                let plain = Session::in_process(runtime, server);
                let definitions = plain.definitions();
                Ok(alone(plain, definitions))
            }
            Subject::Remote(server, definitions) => Ok(alone(Session::remote(runtime, server), definitions)),
        }
    }
}

fn look(
    subject: Subject<'_>,
    seeds: &Seeds,
    filter: &(dyn Fn(&Resource) -> bool + Sync),
) -> Result<(Vec<Finding>, Report), String> {
    let runtime = Session::runtime()?;
    let servers = Servers::new(subject, &runtime)?;
    let resources: Vec<Resource> = resources(&servers.plain)?.into_iter().filter(filter).collect();
    let is_new = make_namespace(&servers.plain)?;
    let documents = Documents::new(&servers.plain);
    let report = Report { resources: resources.iter().map(ToString::to_string).collect(), ..Report::default() };
    let mut look = Look { servers: &servers, documents: &documents, seeds, findings: Vec::new(), report };
    look.at_server();
    for resource in &resources {
        if let Err(error) = look.at_resource(resource) {
            look.add(resource, practice::EXAMPLE, vec![Problem::new(error)]);
        }
    }
    let Look { mut findings, mut report, .. } = look;
    if is_new {
        servers.plain.delete(&format!("/api/v1/namespaces/{NAMESPACE}"))?;
    }
    let sessions = [Some(&servers.plain), servers.on.as_ref(), servers.off.as_ref()];
    report.requests = sessions.into_iter().flatten().map(Session::requests).sum();
    let customs = customs(&servers.plain);
    for finding in &mut findings {
        finding.is_custom = customs.contains(&finding.resource);
    }
    Ok((findings, report))
}

/// The state of a run so far.
struct Look<'l> {
    servers: &'l Servers<'l>,
    documents: &'l Documents<'l>,
    seeds: &'l Seeds,
    findings: Vec<Finding>,
    report: Report,
}

impl Look<'_> {
    fn add(&mut self, resource: &Resource, practice: Practice, problems: Vec<Problem>) {
        let resource = resource.to_string();
        self.findings.extend(problems.into_iter().map(|problem| finding(&resource, practice, problem)));
    }

    /// Looks at what a server as a whole is like.
    fn at_server(&mut self) {
        if !self.servers.definitions.is_empty() {
            let problems = checks::standard_strategy(&self.servers.definitions);
            self.findings
                .extend(problems.into_iter().map(|problem| finding("*", practice::STANDARD_STRATEGY, problem)));
        }
    }

    /// Looks at a resource. An error means that there is no object to look at, or that it does not go away again.
    fn at_resource(&mut self, resource: &Resource) -> Result<(), String> {
        self.add(resource, practice::OPENAPI, checks::openapi(resource, self.documents));
        let definition = self.servers.definitions.iter().find(|definition| is_of(definition, resource));
        if let Some(definition) = definition {
            self.add(resource, practice::GENERATED_CODE, checks::generated_code(definition));
        }
        if !resource.is_stored() {
            self.report.skipped.push(format!("{resource}: objects are not stored"));
            return Ok(());
        }
        let Some(schema) = self.documents.schema(resource, &resource.versions[0].name) else { return Ok(()) };
        let case = Case::new(&self.servers.plain, resource, schema, self.seeds.of(resource))?;
        for (practice, check) in CHECKS {
            self.add(resource, *practice, check(&case).unwrap_or_else(|error| vec![Problem::new(error)]));
        }
        case.remove()?;
        self.at_fields(&case, definition.map(|definition| definition.gated_fields.as_slice()).unwrap_or_default())?;
        case.remove()?;
        self.report.skipped.extend(case.into_notes());
        Ok(())
    }

    /// Looks at the fields of a resource, with features on and off where they can be switched.
    fn at_fields(&mut self, case: &Case<'_>, declared: &[Gated]) -> Result<(), String> {
        let resource = case.resource;
        let again = |session| Case::new(session, resource, case.schema.clone(), self.seeds.of(resource));
        let on = self.servers.on.as_ref().map(again).transpose()?;
        let off = self.servers.off.as_ref().map(again).transpose()?;
        let seen = Features { on: on.as_ref().unwrap_or(case), off: off.as_ref(), declared }.look()?;
        self.report.fields_kept += seen.kept;
        self.add(resource, practice::UNGATED_KEPT, seen.ungated_dropped);
        self.add(resource, practice::GATED_DROPPED, seen.gated_not_dropped);
        self.add(resource, practice::GATED_KEPT, seen.gated_lost);
        Ok(())
    }
}

/// The names of the resources that definitions define. A server without definitions has none.
fn customs(session: &Session<'_>) -> Vec<String> {
    let list = session.read("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").unwrap_or_default();
    let items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    let name = |item: &Value| item.lookup(&["metadata", "name"]).and_then(Value::as_str).map(str::to_owned);
    items.iter().filter_map(name).collect()
}

fn is_of(definition: &Definition, resource: &Resource) -> bool {
    definition.resource.group == resource.group && definition.resource.resource == resource.name
}

/// Makes the namespace that objects are created in; returns whether it was not there.
fn make_namespace(session: &Session<'_>) -> Result<bool, String> {
    let text = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{NAMESPACE}"}}}}"#);
    let namespace: Value = sprag_value::json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let answer = session.post("/api/v1/namespaces", &namespace)?;
    match answer.code {
        200..300 => Ok(true),
        409 => Ok(false),
        _ => Err(format!("the namespace {NAMESPACE}: {}", answer.said())),
    }
}

fn finding(resource: &str, practice: Practice, problem: Problem) -> Finding {
    let Problem { field, message } = problem;
    Finding { resource: resource.to_owned(), practice, field, message, is_custom: false }
}

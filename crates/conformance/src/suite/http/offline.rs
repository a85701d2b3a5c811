//! Recorded writes of objects, through a server's dry run and through a validator that has no server: one answer.

use std::collections::BTreeSet;
use std::path::Path;

use sprag_decode::{Format, object};
use sprag_value::{Value, json};

use super::client::{Client, Received};
use super::replay::{self, Site};
use super::served::Served;
use super::target::Target;
use super::wire::Test;
use super::read_tests;
use crate::args::Args;
use crate::recorded::Recorded;
use crate::report::{Report, Totals};

/// One write of an object, as a validator sees it.
#[derive(Clone, Debug)]
pub struct OfflineCase {
    /// The name of the recorded test.
    pub name: String,
    /// The definitions of custom resources that the server has.
    pub definitions: Vec<String>,
    /// The object: JSON or YAML.
    pub object: String,
    /// The stored object that it replaces.
    pub old: Option<String>,
    /// True if unknown and duplicate fields are errors.
    pub strict: bool,
}

/// The answer of a validator about an object.
#[derive(Clone, Debug, Default)]
pub struct OfflineAnswer {
    /// Errors, in order.
    pub errors: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The errors that ratcheting tolerated.
    pub ratcheted: Vec<String>,
}

/// Answers that depend on the store, on the address or on the transport rather than on the object.
const NOT_THE_OBJECT: [u16; 8] = [403, 404, 405, 406, 409, 413, 415, 429];

/// Parts of refusals about options, about the kind that the address has, and about the state that is meant.
const NOT_ITS_RULES: [&str; 5] = [
    "CreateOptions.meta.k8s.io ",
    "UpdateOptions.meta.k8s.io ",
    " is invalid: kind: Invalid value: ",
    " is invalid: metadata.resourceVersion: Invalid value: 0",
    "strconv.ParseUint: ",
];

/// Parameters that change nothing but what happens to unknown fields, and who owns what.
const PARAMETERS: [&str; 4] = ["fieldManager", "fieldValidation", "dryRun", "pretty"];

/// Replays recorded POSTs and PUTs of objects whose answers need no store, from one of `every` tests, and compares the server's dry run
/// with what a validator says.
pub fn replay_offline(
    recorded: &Path,
    every: usize,
    validate: &(dyn Fn(&OfflineCase) -> OfflineAnswer + Sync),
) -> Result<Totals, String> {
    let args = Args::parse(["http".to_owned(), recorded.display().to_string()].into_iter())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let recorded = Recorded::open(&args.path)?;
    let mut report = Report::new(args.most_diffs);
    for document in recorded.cases() {
        let tests = read_tests(document, recorded.is_blanked)?;
        runtime.block_on(async {
            let target = Target::open(&args.http).await?;
            let served = Served::ask(&mut Client::new(target.endpoint())).await?;
            let site = Site { served, synchronous: true, lenient: false };
            let mut client = Client::new(target.endpoint());
            for test in tests.iter().step_by(every).filter(|test| site.served.missing(test).is_none()) {
                if let Some(sent) = Sent::of(test) {
                    run_test(&site, &mut client, test, &sent, validate, &mut report).await?;
                }
            }
            target.close().await;
            Ok::<(), String>(())
        })?;
    }
    Ok(report.finish())
}

async fn run_test(
    site: &Site,
    client: &mut Client,
    test: &Test,
    sent: &Sent,
    validate: &(dyn Fn(&OfflineCase) -> OfflineAnswer + Sync),
    report: &mut Report,
) -> Result<(), String> {
    let Ok(answers) = replay::set_up(site, client, test).await else {
        report.skip("its setup needs another server");
        return Ok(());
    };
    let old = match test.request.method.as_str() {
        "PUT" => Some(client.get(&sent.path).await?).filter(|answer| answer.code == 200),
        _ => None,
    };
    let body = replay::fill(&test.request.text(), &answers)?;
    let content_type = test.request.headers.get("Content-Type").map(String::as_str).unwrap_or_default();
    let Some(object) = sent.object(&body, content_type) else {
        report.skip("the body is not an object of the resource, or of another name");
        return Ok(());
    };
    let separator = if test.request.path.contains('?') { '&' } else { '?' };
    let path = format!("{}{separator}dryRun=All", test.request.path);
    let headers = test.request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let answer = client.send(&test.request.method, &path, headers, body.clone()).await?;
    if !is_about_the_object(&answer) {
        report.skip("the answer depends on the store or on the request");
        return Ok(());
    }
    let case = OfflineCase {
        name: test.name.clone(),
        definitions: Vec::from_iter(definition(client, sent).await?),
        object: body,
        old: old.map(|answer| found(&answer, &object)),
        strict: sent.validation == "Strict",
    };
    match differences(&answer, &validate(&case), &object, &sent.validation) {
        text if text.is_empty() => report.pass(),
        text => report.fail(&test.name, &text),
    }
    Ok(())
}

/// The stored object as a user of the validator has it: in the namespace of the new one, which may leave out the default one.
fn found(answer: &Received, new: &Value) -> String {
    let mut old = json::parse(&answer.body).unwrap_or_default();
    let is_unsaid = new.lookup(&["metadata", "namespace"]).is_none();
    if let Some(metadata) = old.get_mut("metadata").filter(|metadata| is_unsaid && metadata.get("namespace").is_some()) {
        metadata.insert("namespace", "default");
    }
    json::to_string(&old)
}

fn is_about_the_object(answer: &Received) -> bool {
    let status = json::parse(&answer.body).unwrap_or_default();
    let message = status.get("message").and_then(Value::as_str).unwrap_or_default();
    !NOT_THE_OBJECT.contains(&answer.code) && !NOT_ITS_RULES.iter().any(|part| message.contains(part))
}

/// A request, as far as a validator is concerned.
struct Sent {
    /// Without its query.
    path: String,
    group: String,
    plural: String,
    api_version: String,
    namespace: String,
    /// Empty for a create.
    name: String,
    validation: String,
}

impl Sent {
    /// A request that writes a whole object; nothing for others.
    fn of(test: &Test) -> Option<Sent> {
        let (path, query) = test.request.path.split_once('?').unwrap_or((&test.request.path, ""));
        let pairs: Vec<(&str, &str)> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        if !pairs.iter().all(|(name, _)| PARAMETERS.contains(name)) {
            return None;
        }
        let mut parts = path.trim_start_matches('/').split('/');
        let group = match parts.next()? {
            "api" => "",
            "apis" => parts.next()?,
            _ => return None,
        };
        let version = parts.next()?;
        let mut rest: Vec<&str> = parts.collect();
        let mut namespace = "";
        if rest.len() >= 3 && rest[0] == "namespaces" {
            namespace = rest[1];
            rest.drain(..2);
        }
        let name = match (test.request.method.as_str(), rest.as_slice()) {
            ("POST", [_]) => "",
            ("PUT", [_, name]) => name,
            _ => return None,
        };
        let validation = pairs.iter().find(|(name, _)| *name == "fieldValidation").map_or("Warn", |(_, value)| value);
        if !["", "Warn", "Strict", "Ignore"].contains(&validation) {
            return None;
        }
        Some(Sent {
            path: path.to_owned(),
            group: group.to_owned(),
            plural: rest[0].to_owned(),
            api_version: if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") },
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            validation: validation.to_owned(),
        })
    }

    /// The object in a body, if it is one of the version, namespace and name that the request goes to.
    fn object(&self, body: &str, content_type: &str) -> Option<Value> {
        let format = if body.trim_start().starts_with('{') { Format::Json } else { Format::Yaml };
        // A validator tells formats apart by the text, a server by the media type.
        if content_type.contains("yaml") != (format == Format::Yaml) {
            return None;
        }
        let object = object::decode(format, body.as_bytes()).ok()?.value;
        let text = |path: &[&str]| object.lookup(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_here = text(&["apiVersion"]) == self.api_version
            && !text(&["kind"]).is_empty()
            && ["", self.namespace.as_str()].contains(&text(&["metadata", "namespace"]).as_str())
            && (self.name.is_empty() || text(&["metadata", "name"]) == self.name);
        is_here.then_some(object)
    }
}

/// The definition of the resource, if it is a custom one, as the server has it.
async fn definition(client: &mut Client, sent: &Sent) -> Result<Option<String>, String> {
    let plural = &sent.plural;
    let group = &sent.group;
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.{group}");
    let answer = client.get(&path).await?;
    Ok((answer.code == 200).then(|| String::from_utf8_lossy(&answer.body).into_owned()))
}

/// Returns the differences between a validator's answer and the server's; empty if there are none.
fn differences(answer: &Received, offline: &OfflineAnswer, object: &Value, validation: &str) -> String {
    let status = json::parse(&answer.body).unwrap_or_default();
    let message = status.get("message").and_then(Value::as_str).unwrap_or_default();
    let found = |what: &str| format!("  {what}\n  server    {} {message}\n  validator {offline:?}\n", answer.code);
    if (answer.code < 300) != offline.errors.is_empty() {
        return found("verdict");
    }
    if answer.code >= 300 {
        return if same_errors(message, offline, object) { String::new() } else { found("text") };
    }
    if validation == "Ignore" {
        return String::new();
    }
    let server: BTreeSet<String> = answer.warnings().iter().filter_map(|header| warning(header)).collect();
    let offline_warnings: BTreeSet<String> = offline.warnings.iter().cloned().collect();
    let ratcheted: BTreeSet<String> = offline.ratcheted.iter().cloned().collect();
    let is_same = offline_warnings.is_subset(&server) && server.iter().all(|text| offline_warnings.contains(text) || ratcheted.contains(text));
    if is_same { String::new() } else { format!("{}  warnings  {server:?}\n", found("warnings")) }
}

fn same_errors(message: &str, offline: &OfflineAnswer, object: &Value) -> bool {
    let errors = &offline.errors;
    if let Some((_, strict)) = message.split_once(" strict decoding error: ") {
        let strict = strict.replace("yaml: unmarshal errors:\n  ", "").replace("\n  ", ", ");
        let reported: BTreeSet<&str> = strict.split(", ").collect();
        return reported == errors.iter().map(String::as_str).collect();
    }
    let Some((_, reported)) = message.split_once(" is invalid: ") else { return [message] == errors[..] };
    let all = if errors.len() == 1 { errors[0].clone() } else { format!("[{}]", errors.join(", ")) };
    // A generated name is another one each time.
    let is_generated = object.lookup(&["metadata", "generateName"]).is_some();
    reported == all || (is_generated && reported.len() == all.len())
}

/// The text of a warning header.
fn warning(header: &str) -> Option<String> {
    let quoted = header.strip_prefix("299 - \"")?.strip_suffix('"')?;
    Some(quoted.replace("\\\"", "\"").replace("\\\\", "\\"))
}

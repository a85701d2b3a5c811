//! Expressions and patterns that cost much more than their length says, wherever a user or an author may write them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::errors::{define, object};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(patterns_in_objects),
    case!(searches_that_are_long),
    case!(patterns_in_definitions),
    case!(patterns_in_schemas),
    case!(patterns_of_policies),
    case!(patterns_in_messages),
    case!(functions_that_are_costly),
    case!(a_user_with_many_costly_requests),
    case!(a_stop_while_expressions_run),
];

const GROUP: &str = "/apis/abuse.dev/v1/namespaces/default";
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Go compiles these at one instruction for each repetition; an automaton over bytes has hundreds for each.
const EXPENSIVE: &[&str] = &[r"[\p{L}]{1,900}N", r"(?i)([a-zà-ÿ]|[α-ω]|\p{Lu}){1,300}N", r"(\pL\pN|\p{Greek}\p{Han}){400}"];
/// Work that takes so long is costly.
const COSTLY: Duration = Duration::from_millis(50);
/// A stop may take no longer, whatever runs.
const LONGEST_STOP: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 12 });

/// A spec that is a list of so many items, each with a value of this length and a pattern that it is matched with.
fn matched_list(rule: &Value, count: usize, length: usize) -> Value {
    let properties = json!({
        "value": {"type": "string", "maxLength": length}, "pattern": {"type": "string", "maxLength": 60},
    });
    let item = json!({"type": "object", "properties": properties, "x-kubernetes-validations": [rule]});
    json!({"type": "array", "maxItems": count, "items": item})
}

fn searched_list(count: usize, length: usize) -> Value {
    matched_list(&json!({"rule": "!self.value.matches(self.pattern)"}), count, length)
}

fn items(patterns: impl IntoIterator<Item = String>, value: &str) -> Value {
    patterns.into_iter().map(|pattern| json!({"value": value, "pattern": pattern})).collect()
}

/// Different patterns of one form.
fn patterns(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| EXPENSIVE[number % EXPENSIVE.len()].replace("00", &format!("{:02}", number % 100)))
}

/// Posts an object to a dry run; the codes and how long the answer took.
async fn judged(arena: &Arena, plural: &str, kind: &str, spec: Value) -> Outcome {
    let body = object(kind, spec).to_string();
    let size = body.len();
    let started = Instant::now();
    let answer = arena.ask("POST", &format!("{GROUP}/{plural}?dryRun=All"), "application/json", body).await?;
    if !matches!(answer.code, 201 | 422) {
        return Err(format!("{}: {}", answer.code, answer.text()));
    }
    Ok(format!("{} for {size} bytes in {} ms", answer.code, started.elapsed().as_millis()))
}

/// Many in one object, by somebody who may only create it: also after objects that were quick.
async fn patterns_in_objects(arena: &Arena) -> Outcome {
    define(arena, "matches", "Match", searched_list(100, 10)).await?;
    let mut outcomes = Vec::new();
    for count in [60, 100] {
        judged(arena, "matches", "Match", items(["a".to_owned()], "b")).await?;
        outcomes.push(judged(arena, "matches", "Match", items(patterns(count), "x")).await?);
    }
    let same = vec![EXPENSIVE[0].to_owned(); 60];
    outcomes.push(judged(arena, "matches", "Match", items(same, "x")).await?);
    Ok(outcomes.join(", "))
}

/// All copies of a class look at each character of a long text: the patterns of a request have one limit.
async fn searches_that_are_long(arena: &Arena) -> Outcome {
    define(arena, "manies", "Many", searched_list(60, 2_000)).await?;
    define(arena, "searches", "Search", searched_list(2, 30_000)).await?;
    let short = "ä".repeat(500);
    let long = "ä".repeat(arena.count(5_000, 15_000));
    let mut outcomes = vec![
        judged(arena, "manies", "Many", items(patterns(arena.count(5, 60)), &short)).await?,
        judged(arena, "searches", "Search", items(patterns(1), &long)).await?,
    ];
    let states = "a(a|b){14}c(a|b){14}".to_owned();
    let text: String = (0..20_000_u32).map(|number| if number.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect();
    outcomes.push(judged(arena, "searches", "Search", items([states], &text)).await?);
    Ok(outcomes.join(", "))
}

/// Constants of a definition: its author pays when it is accepted, its users when they create the first object.
async fn patterns_in_definitions(arena: &Arena) -> Outcome {
    let rules: Vec<Value> =
        patterns(20).map(|pattern| json!({"rule": format!("!self.matches(r'{pattern}')"), "message": "m"})).collect();
    let spec = json!({"type": "string", "maxLength": 10, "x-kubernetes-validations": rules});
    let started = Instant::now();
    define(arena, "constants", "Constant", spec).await?;
    let defined = started.elapsed().as_millis();
    Ok(format!("defined in {defined} ms, {}", judged(arena, "constants", "Constant", json!("x")).await?))
}

async fn patterns_in_schemas(arena: &Arena) -> Outcome {
    let fields: serde_json::Map<String, Value> = patterns(30)
        .enumerate()
        .map(|(number, pattern)| (format!("f{number}"), json!({"type": "string", "pattern": pattern})))
        .collect();
    let list = json!({"type": "array", "items": {"type": "string", "pattern": EXPENSIVE[0]}});
    let hosts = json!({"type": "array", "items": {"type": "string", "format": "hostname"}});
    let mut properties = fields.clone();
    properties.insert("list".to_owned(), list);
    properties.insert("hosts".to_owned(), hosts);
    define(arena, "shapes", "Shape", json!({"type": "object", "properties": properties})).await?;
    let values: serde_json::Map<String, Value> = fields.keys().map(|name| (name.clone(), json!("ä".repeat(100)))).collect();
    let mut outcomes = vec![judged(arena, "shapes", "Shape", json!(values)).await?];
    let texts = vec!["ä".repeat(arena.count(20, 100)); 300];
    outcomes.push(judged(arena, "shapes", "Shape", json!({"list": texts})).await?);
    let names = vec![["a".repeat(60), "b".repeat(60), "c".repeat(60)].join("."); 150];
    outcomes.push(judged(arena, "shapes", "Shape", json!({"hosts": names})).await?);
    Ok(outcomes.join(", "))
}

/// Validations, variables, conditions of policies and of webhooks, matched with what users send.
async fn patterns_of_policies(arena: &Arena) -> Outcome {
    let searches = "object.data.all(k, !'x'.matches(object.data[k]))";
    let constraints = json!({"resourceRules": [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]},
    ]});
    for number in 0..5 {
        let name = format!("costly{number}");
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail", "matchConstraints": constraints,
                "matchConditions": [{"name": "c", "expression": searches}],
                "variables": [{"name": "v", "expression": searches}],
                "validations": [{"expression": "variables.v", "messageExpression": format!("string({searches})")}],
            },
        });
        arena.post(&format!("{ADMISSION}/validatingadmissionpolicies"), &policy).await?.expect(201)?;
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        });
        arena.post(&format!("{ADMISSION}/validatingadmissionpolicybindings"), &binding).await?.expect(201)?;
    }
    let hook = json!({
        "name": "a.abuse.dev", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore",
        "clientConfig": {"url": "https://127.0.0.1:1/"}, "timeoutSeconds": 1, "rules": constraints["resourceRules"],
        "matchConditions": [{"name": "c", "expression": format!("!{searches}")}],
    });
    let hooks = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "costly"},
        "webhooks": [hook],
    });
    arena.post(&format!("{ADMISSION}/validatingwebhookconfigurations"), &hooks).await?.expect(201)?;
    // Policies act a moment after they are stored.
    sleep(Duration::from_secs(1)).await;
    let data: serde_json::Map<String, Value> =
        patterns(60).enumerate().map(|(number, pattern)| (format!("k{number}"), json!(pattern))).collect();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data});
    let started = Instant::now();
    let answer = arena.post(&format!("{MAPS}?dryRun=All"), &map).await?;
    if answer.code >= 500 {
        return Err(answer.text());
    }
    Ok(format!("{} in {} ms by five policies and a webhook", answer.code, started.elapsed().as_millis()))
}

async fn patterns_in_messages(arena: &Arena) -> Outcome {
    let message = "self.value.matches(self.pattern) ? 'it matches' : 'it does not'";
    define(arena, "messages", "Message", matched_list(&json!({"rule": "false", "messageExpression": message}), 60, 10)).await?;
    judged(arena, "messages", "Message", items(patterns(60), "x")).await
}

/// Functions that make much of little, or look at the same again and again.
async fn functions_that_are_costly(arena: &Arena) -> Outcome {
    let rules = [
        "self.text.replace('a', self.text).size() >= 0",
        "self.text.split('').size() >= 0 && self.text.split('').join(self.text).size() >= 0",
        "self.list.all(a, [self.text, a].join(a).lowerAscii().upperAscii().indexOf('z') < 0)",
        "self.list.all(a, '%s %s %d'.format([self.list, a, 1]).size() > 0)",
        "self.list.sort().size() >= 0 && self.list.isSorted() || true",
        "self.list.all(a, !isQuantity(self.text) && !isURL(self.text) && !isIP(self.text))",
        "self.list.all(a, !isCIDR(a) && !isSemver(self.text) && !format.dns1123Label().validate(self.text).hasValue() || true)",
        "self.list.map(a, self.list.map(b, a + b)).size() >= 0",
        "sets.contains(self.list, self.list) && sets.equivalent(self.list, self.list) && sets.intersects(self.list, self.list)",
        "self.list.all(a, self.list.exists(b, b.contains(a) && self.text.contains(a + b)) || true)",
        "self.list.all(a, self.text.find('(a|ab)(c|bcd)(d*)' + a) == '' && self.text.findAll('a?', 10000).size() >= 0)",
        "self.list.all(a, self.text.trim().substring(1).lastIndexOf(a + 'b') < 0)",
    ];
    let mut codes = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let plural = format!("functions{number}");
        let kind = format!("Function{number}");
        let text = json!({"type": "string", "maxLength": 30_000});
        let list = json!({"type": "array", "maxItems": 400, "items": {"type": "string", "maxLength": 20}});
        let spec = |rule: &Value| json!({
            "type": "object", "properties": {"text": text, "list": list}, "x-kubernetes-validations": [{"rule": rule, "message": "m"}],
        });
        let started = Instant::now();
        if let Err(refused) = define(arena, &plural, &kind, spec(&json!(rule))).await {
            if !refused.contains("estimated rule cost") {
                return Err(format!("{rule}: {refused}"));
            }
            codes.push("refused".to_owned());
            continue;
        }
        let values: Vec<String> = (0..400).map(|number| format!("a{}", number * 7919 % 400)).collect();
        let body = json!({"text": "a".repeat(15_000), "list": values});
        judged(arena, &plural, &kind, body).await?;
        codes.push(format!("{} ms", started.elapsed().as_millis()));
    }
    Ok(codes.join(", "))
}

/// One user's costly requests make another's wait for one of them and not for all.
async fn a_user_with_many_costly_requests(arena: &Arena) -> Outcome {
    define(arena, "turns", "Turn", searched_list(60, 1_000)).await?;
    let path = format!("{GROUP}/turns?dryRun=All");
    let costly = until_costly(arena, &path).await?;
    let mut running = Vec::new();
    for _ in 0..arena.count(20, 100) {
        let mut client = arena.client().await?;
        let path = path.clone();
        let body = costly.clone();
        running.push(tokio::spawn(async move { client.ask("POST", &path, "application/json", body).await }));
    }
    sleep(COSTLY).await;
    let mut other = arena.client().await?;
    other.ask_as("reader", "POST", &path, costly.clone()).await?.expect(201)?;
    let all = running.len();
    let unfinished = running.iter().filter(|request| !request.is_finished()).count();
    for request in running {
        let answer = request.await.map_err(|error| error.to_string())??;
        if !matches!(answer.code, 201 | 422 | 504) {
            return Err(format!("{}: {}", answer.code, answer.text()));
        }
    }
    let text = format!("another's request was done before {unfinished} of {all} that came before it");
    if unfinished < all / 2 { Err(text) } else { Ok(text) }
}

/// The object that this machine works on for long.
async fn until_costly(arena: &Arena, path: &str) -> Result<String, String> {
    for count in [3, 6, 12, 24, 48, 60] {
        let costly = object("Turn", items(patterns(count), &"ä".repeat(1_000))).to_string();
        // The first time, patterns are compiled as well.
        arena.ask("POST", path, "application/json", costly.clone()).await?.expect(201)?;
        let started = Instant::now();
        arena.ask("POST", path, "application/json", costly.clone()).await?.expect(201)?;
        if started.elapsed() >= COSTLY {
            return Ok(costly);
        }
    }
    Err(format!("nothing takes {COSTLY:?}"))
}

/// A stop waits for no expression.
async fn a_stop_while_expressions_run(arena: &Arena) -> Outcome {
    define(arena, "stops", "Stop", searched_list(60, 500)).await?;
    let body = object("Stop", items(patterns(arena.count(10, 60)), &"ä".repeat(500))).to_string();
    for _ in 0..arena.count(3, 20) {
        let mut client = arena.client().await?;
        let body = body.clone();
        tokio::spawn(async move { client.ask("POST", &format!("{GROUP}/stops"), "application/json", body).await });
    }
    sleep(Duration::from_millis(300)).await;
    let took = arena.stop(LONGEST_STOP).await?;
    Ok(format!("stopped after {} ms", took.as_millis()))
}

//! One test: its steps in order, then its request.

use std::time::Duration;

use sprag_value::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::{Client, Received};
use super::compare::{self, Reply};
use super::divergences;
use super::reduce;
use super::served::{self, Served};
use super::wire::{Settle, Step, Test};

/// The outcome of a test.
pub(super) enum Outcome {
    Passed,
    /// The server does not serve what it needs, or its machine is another one.
    Skipped(String),
    /// It differs as listed.
    Diverged(&'static str),
    /// With what differs.
    Failed(String),
}

/// The state that all tests of a file share.
pub(super) struct Site {
    pub(super) served: Served,
    /// True if all that a request causes is done when it is answered.
    pub(super) synchronous: bool,
    pub(super) lenient: bool,
}

/// The longest time that is waited for what a step causes.
const MAX_SETTLE: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(50);

/// Runs one test.
pub(super) async fn run(site: &Site, client: &mut Client, test: &Test) -> Outcome {
    if reduce::is_environment(&test.note) {
        return Outcome::Skipped("bound to the machine of the recording".to_owned());
    }
    if let Some(missing) = site.served.missing(test) {
        return Outcome::Skipped(missing);
    }
    let answer = match exchange(site, client, test).await {
        Ok(answer) => answer,
        Err(problem) => return Outcome::Failed(format!("  {problem}\n")),
    };
    let reply = Reply::of(test, &answer);
    match compare::diff(test, &reply, site.lenient) {
        None => Outcome::Passed,
        Some(text) => match divergences::reason(site, test, &reply) {
            Some(reason) => Outcome::Diverged(reason),
            None => Outcome::Failed(text),
        },
    }
}

async fn exchange(site: &Site, client: &mut Client, test: &Test) -> Result<Received, String> {
    let answers = set_up(site, client, test).await?;
    send(client, &test.request, &answers).await
}

/// Does the steps that prepare a test; returns their answers.
pub(super) async fn set_up(site: &Site, client: &mut Client, test: &Test) -> Result<Vec<Value>, String> {
    let mut answers: Vec<Value> = Vec::new();
    for (index, step) in test.setup.iter().enumerate() {
        let answer = send(client, step, &answers).await?;
        if !step.allows(answer.code) {
            let text = String::from_utf8_lossy(&answer.body);
            return Err(format!("setup {index}: {} {}: {} {text}", step.method, step.path, answer.code));
        }
        // An existing object may be a moment old, from a test that is still waiting for its answer.
        if !site.synchronous || answer.code == 409 {
            settle(client, test, step, &answer).await?;
        }
        answers.push(json::parse(&answer.body).unwrap_or_default());
    }
    Ok(answers)
}

async fn send(client: &mut Client, step: &Step, answers: &[Value]) -> Result<Received, String> {
    let path = fill(&step.path, answers)?;
    let body = fill(&step.text(), answers)?;
    let headers = step.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    client.send(&step.method, &path, headers, body).await
}

/// Puts values of earlier answers where `${setup.N.a.b}` asks for them.
pub(super) fn fill(text: &str, answers: &[Value]) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${setup.") {
        let (place, after) = after.split_once('}').ok_or("`${setup.` has no end")?;
        let mut parts = place.split('.');
        let step = parts.next().and_then(|step| step.parse::<usize>().ok());
        let answer = step.and_then(|step| answers.get(step)).ok_or_else(|| format!("no step {place:?}"))?;
        let value = parts.try_fold(answer, |value, part| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            value => value.get(part),
        });
        filled.push_str(before);
        match value.ok_or_else(|| format!("no value at {place:?}"))? {
            Value::String(text) => filled.push_str(text),
            value => filled.push_str(&json::to_string(value)),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

async fn settle(client: &mut Client, test: &Test, step: &Step, answer: &Received) -> Result<(), String> {
    if let Some(goal) = step.settle {
        let deadline = Instant::now() + MAX_SETTLE;
        while !is_settled(client, test, step, goal).await? {
            if Instant::now() > deadline {
                return Err(format!("{} {}: not {goal:?} within {MAX_SETTLE:?}", step.method, step.path));
            }
            sleep(POLL).await;
        }
    }
    let changed = answer.code < 300;
    if step.sleep_ms > 0 && changed {
        sleep(Duration::from_millis(step.sleep_ms)).await;
    }
    Ok(())
}

async fn is_settled(client: &mut Client, test: &Test, step: &Step, goal: Settle) -> Result<bool, String> {
    if goal == Settle::Gone {
        return Ok(client.get(&step.path).await?.code == 404);
    }
    let definition = json::parse(step.text().as_bytes()).unwrap_or_default();
    let text = |path: &[&str]| definition.lookup(path).and_then(Value::as_str).unwrap_or_default();
    let version = definition.lookup(&["spec", "versions"]).and_then(|versions| versions.at(0)?.get("name")?.as_str());
    let api_version = format!("{}/{}", text(&["spec", "group"]), version.unwrap_or_default());
    let plural = text(&["spec", "names", "plural"]);
    if goal == Settle::Served {
        return Ok(client.get(&format!("/apis/{api_version}/{plural}")).await?.code == 200);
    }
    let namespace = test.steps().find_map(|step| served::namespace_of(&step.path)).unwrap_or("default");
    let path = format!("/apis/{api_version}/namespaces/{namespace}/{plural}?dryRun=All");
    let kind = text(&["spec", "names", "kind"]);
    let probe =
        format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"generateName":"p-"}},"rev":"r2"}}"#);
    let answer = client.send("POST", &path, std::iter::once(("Content-Type", "application/json")), probe).await?;
    let body = json::parse(&answer.body).unwrap_or_default();
    let causes = body.lookup(&["details", "causes"]).and_then(Value::as_array).into_iter().flatten();
    let mut fields = causes.filter_map(|cause| cause.get("field").and_then(Value::as_str));
    Ok(!fields.any(|field| field == "rev"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_earlier_answers_are_filled_in() {
        let answers = [json::parse(br#"{"a":[{"b":"x"}],"n":7}"#).expect("valid JSON")];
        assert_eq!(fill("/p/${setup.0.a.0.b}?n=${setup.0.n}", &answers), Ok("/p/x?n=7".to_owned()));
        assert_eq!(fill("${setup.1.a}", &answers), Err("no step \"1.a\"".to_owned()));
        assert_eq!(fill("${setup.0.c}", &answers), Err("no value at \"0.c\"".to_owned()));
    }
}

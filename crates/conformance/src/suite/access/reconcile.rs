//! Default objects that are changed, and what a restart puts back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sprag_value::{Value, json};

use crate::outcomes::Outcome;
use super::compare::PLACEHOLDERS;
use super::site::{Site, send};
use super::wire::{ReconcileCase, Request};
use crate::suite::http::client::{Client, Credentials};

/// Runs all cases with one restart: they are about different objects.
pub(super) async fn run(site: &mut Site, cases: Vec<ReconcileCase>) -> Result<Vec<(String, Outcome)>, String> {
    let admin = Credentials::of_token("tok-admin");
    let mut client = site.client(&admin)?;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for case in &cases {
        let text = found.entry(case.id.clone()).or_default();
        compare(&mut client, case, "before", &case.before, text).await?;
        let code = change(&mut client, case).await?;
        if code != case.change_code {
            let _ = writeln!(text, "  change: {} recorded, {code} ours", case.change_code);
        }
        compare(&mut client, case, "changed", &case.changed, text).await?;
    }
    site.restart().await?;
    let mut client = site.client(&admin)?;
    for case in &cases {
        let text = found.entry(case.id.clone()).or_default();
        compare(&mut client, case, "afterRestart", &case.after_restart, text).await?;
    }
    let outcome = |(id, text): (String, String)| {
        (id, if text.is_empty() { Outcome::Passed } else { Outcome::Failed(text) })
    };
    Ok(found.into_iter().map(outcome).collect())
}

async fn compare(
    client: &mut Client,
    case: &ReconcileCase,
    when: &str,
    recorded: &Value,
    text: &mut String,
) -> Result<(), String> {
    let answer = client.get(&case.path).await?;
    let mut ours = json::parse(&answer.body).unwrap_or_default();
    if let Some(metadata) = ours.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    PLACEHOLDERS.lines(&format!("{when}."), recorded, &ours, text);
    Ok(())
}

/// Changes an object; the code of the last answer.
async fn change(client: &mut Client, case: &ReconcileCase) -> Result<u16, String> {
    let mut code = 0;
    for method in case.method.split('+') {
        let mut request =
            Request { method: method.to_owned(), path: case.path.clone(), headers: Vec::new(), body: None };
        match method {
            "POST" => {
                request.path.truncate(case.path.rfind('/').unwrap_or_default());
                request.body = Some(case.body.clone());
            }
            "PATCH" => {
                request.headers.push(("Content-Type".to_owned(), "application/merge-patch+json".to_owned()));
                request.body = Some(case.body.clone());
            }
            _ => {}
        }
        code = send(client, &request).await?.code;
    }
    Ok(code)
}

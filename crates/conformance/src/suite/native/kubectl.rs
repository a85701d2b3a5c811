//! The requests of kubectl commands, in order: `patch/kubectl.json`. Answers are recorded by code, media type and warnings.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::Native;
use super::answer::Verdict;
use super::tally::{Place, Tally};
use super::wire::{KubectlRequest, Scenario};
use super::world::{Asked, World, meta, warning};
use crate::suite::http::{APPLIED_OBJECT, resource_of};

const APPLY: &str = "application/apply-patch+yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The namespace that stands for the recorded one, whose name is not valid.
const NAMESPACE: &str = "kubectl";

/// The state that requests of a scenario leave for later ones.
#[derive(Default)]
struct State {
    /// Resources of which the server does not hold what the reference did.
    unknown: BTreeSet<String>,
    /// The continue token of the last chunked list.
    token: String,
}

/// Runs the file: every request is a case. Each scenario has a server of its own.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let scenarios: Vec<Scenario<'_>> = document.read_json()?;
    for scenario in &scenarios {
        let mut world = native.world()?;
        world.ensure_namespace(NAMESPACE);
        let mut state = State::default();
        for (at, command) in scenario.commands.iter().enumerate() {
            for (nth, request) in command.requests.iter().enumerate() {
                let id = format!("{}/{at}/{nth} {}", scenario.scenario, command.command);
                run_request(native, &world, group, &id, request, &mut state)?;
            }
        }
    }
    Ok(())
}

fn run_request(
    native: &mut Native<'_>,
    world: &World<'_>,
    group: &'static str,
    id: &str,
    request: &KubectlRequest<'_>,
    state: &mut State,
) -> Result<(), String> {
    let (api_version, plural) = resource_of(&request.path).unwrap_or_default();
    let plural = plural.unwrap_or_default();
    let Some(kind) = world.kind_of(api_version, plural) else {
        if native.kinds.0.is_empty() {
            native.tally.not_served(&Place::new(group, api_version, plural), 1);
        }
        return Ok(());
    };
    let resource = format!("{api_version}/{plural}");
    let place = Place::new(group, api_version, &kind);
    let mut tally = Tally::default();
    if request.content_type.as_deref() == Some(PROTOBUF) {
        state.unknown.insert(resource);
        tally.skip(&place, 1, "protobuf bodies are not recorded whole");
    } else if state.unknown.contains(&resource) {
        tally.skip(&place, 1, "follows a request with a body that is not recorded whole");
    } else {
        tally.case(&place, id, verdict(world, request, state)?);
    }
    // Unselected requests are sent all the same: other requests build on them.
    if native.kinds.wants(api_version, &kind) {
        native.tally.outcomes.append(&mut tally.outcomes);
    }
    Ok(())
}

fn verdict(world: &World<'_>, request: &KubectlRequest<'_>, state: &mut State) -> Result<Verdict, String> {
    let asked = asked(world, request, &state.token)?;
    let reply = if request.path.contains("limit=") { world.send(&asked)? } else { world.send_head(&asked)? };
    if request.path.contains("limit=") {
        meta(&reply.json(), "continue").clone_into(&mut state.token);
    }
    let mut verdict = Verdict::default();
    if reply.code != request.code {
        let is_applied = request.content_type.as_deref() == Some(APPLY);
        verdict.diverges = (is_applied && (request.code, reply.code) == (500, 400)).then_some(APPLIED_OBJECT);
        verdict.add("code", request.code, reply.code);
    }
    let warnings: Vec<String> = request.warnings.iter().map(|header| warning(header)).collect();
    if reply.warnings != warnings {
        verdict.add("warnings", format!("{warnings:?}"), format!("{:?}", reply.warnings));
    }
    // Until protobuf is served, clients that prefer it get what they take instead.
    let media_type = request.response_type.as_deref().filter(|media_type| !media_type.starts_with(PROTOBUF));
    if let Some(media_type) = media_type.filter(|_| reply.code == request.code) {
        verdict.texts("media type", media_type, &reply.content_type);
    }
    Ok(verdict)
}

fn asked(world: &World<'_>, request: &KubectlRequest<'_>, token: &str) -> Result<Asked, String> {
    let body = request.body.map(RawValue::get).or(request.body_text.as_deref()).unwrap_or_default();
    let lowercase = |text: &str| text.replace("/namespaces/NS", &format!("/namespaces/{NAMESPACE}"));
    let version = match request.code {
        // An old version is sent on purpose.
        409 => "1".to_owned(),
        _ if body.contains("<rv>") => {
            let path = lowercase(request.path.split('?').next().unwrap_or_default());
            let live = world.send(&Asked { method: "GET".to_owned(), path, ..Asked::default() })?.json();
            meta(&live, "resourceVersion").to_owned()
        }
        _ => String::new(),
    };
    Ok(Asked {
        method: request.method.clone(),
        // The answer does not show which object is selected.
        path: lowercase(&request.path).replace("<uid>", "u").replace("<rv>", "1").replace("<n>", "1").replace("<continue>", token),
        content_type: request.content_type.clone(),
        accept: request.accept.clone(),
        body: lowercase_body(body).replace("<rv>", &version),
    })
}

/// A body with a namespace that is valid, also where an object is quoted in an annotation.
fn lowercase_body(body: &str) -> String {
    [r#""namespace": "NS""#, r#"\"namespace\":\"NS\""#]
        .into_iter()
        .fold(body.to_owned(), |body, member| body.replace(member, &member.replace("NS", NAMESPACE)))
}

#[cfg(test)]
mod tests {
    use super::lowercase_body;

    #[test]
    fn namespaces_in_bodies_are_valid() {
        let body = r#"{"metadata": {"annotations": {"a": "{\"namespace\":\"NS\"}"}, "namespace": "NS"}, "data": {"NS": "NS"}}"#;
        let valid = r#"{"metadata": {"annotations": {"a": "{\"namespace\":\"kubectl\"}"}, "namespace": "kubectl"}, "data": {"NS": "NS"}}"#;
        assert_eq!(lowercase_body(body), valid);
    }
}

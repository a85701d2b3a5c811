//! Ways around rules: by ratcheting, by other verbs, by other parts of an object.

use serde_json::{Value, json};

use super::errors::{define, object};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] =
    &[case!(unknown_fields_by_every_verb), case!(ratcheting_forgives_only_what_is_unchanged), case!(a_full_sink_forgives_nothing)];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const LISTS: &str = "/apis/abuse.dev/v1/namespaces/default/lists";

async fn unknown_fields_by_every_verb(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
    arena.post(MAPS, &map).await?.expect(201)?;
    let unknown = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "nobody": 1}, "knows": 1}).to_string();
    let operations = json!([{"op": "add", "path": "/knows", "value": 1}]).to_string();
    let strict = "fieldValidation=Strict&fieldManager=m";
    for (method, path, content_type, body) in [
        ("POST", MAPS.to_owned(), "application/json", &unknown),
        ("POST", MAPS.to_owned(), "application/yaml", &unknown),
        ("PUT", format!("{MAPS}/x"), "application/json", &unknown),
        ("PATCH", format!("{MAPS}/x"), "application/merge-patch+json", &unknown),
        ("PATCH", format!("{MAPS}/x"), "application/strategic-merge-patch+json", &unknown),
        ("PATCH", format!("{MAPS}/x"), "application/json-patch+json", &operations),
        ("PATCH", format!("{MAPS}/x"), "application/apply-patch+yaml", &unknown),
    ] {
        let answer = client.ask(method, &format!("{path}?{strict}"), content_type, body.clone()).await?;
        answer.refused().map_err(|error| format!("{method} {content_type}: {error}"))?;
    }
    let stored = client.ask("GET", &format!("{MAPS}/x"), "", "").await?.text();
    if stored.contains("knows") || stored.contains("nobody") {
        return Err(format!("it was stored: {stored}"));
    }
    Ok("refused by every verb".into())
}

/// A list of numbers of which the first ones were fine before there was a limit.
async fn tightened(arena: &Arena, items: usize) -> Result<Value, String> {
    let spec = |limit: Option<i64>| {
        let mut item = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        if let Some(limit) = limit {
            item["properties"]["n"]["maximum"] = json!(limit);
        }
        let lists = json!({"type": "array", "items": item, "x-kubernetes-list-type": "atomic"});
        json!({"type": "object", "properties": {"old": lists, "new": {"type": "integer", "maximum": 5}}})
    };
    define(arena, "lists", "List", spec(None)).await?;
    let list = object("List", json!({"old": vec![json!({"n": 9}); items], "new": 1}));
    arena.post(LISTS, &list).await?.expect(201)?;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lists.abuse.dev";
    let schema = json!({"type": "object", "properties": {"spec": spec(Some(5))}});
    let patch = json!([{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema}]).to_string();
    arena.ask("PATCH", path, "application/json-patch+json", patch).await?.expect(200)?;
    Ok(arena.get(&format!("{LISTS}/x")).await?.expect(200)?.json())
}

async fn ratcheting_forgives_only_what_is_unchanged(arena: &Arena) -> Outcome {
    let stored = tightened(arena, 3).await?;
    let put = async |change: fn(&mut Value)| {
        let mut object = stored.clone();
        change(&mut object);
        arena.ask("PUT", &format!("{LISTS}/x?dryRun=All"), "application/json", object.to_string()).await
    };
    put(|object| object["metadata"]["labels"] = json!({"a": "b"})).await?.expect(200)?;
    put(|object| object["spec"]["new"] = json!(2)).await?.expect(200)?;
    put(|object| object["spec"]["new"] = json!(6)).await?.expect(422)?;
    put(|object| object["spec"]["old"][0]["n"] = json!(8)).await?.expect(422)?;
    put(|object| object["spec"]["old"] = json!([{"n": 9}])).await?.expect(422)?;
    Ok("changed parts are refused, unchanged ones forgiven".into())
}

/// Forgiven errors beyond the limit, which are only counted, do not hide an enforced one.
async fn a_full_sink_forgives_nothing(arena: &Arena) -> Outcome {
    let stored = tightened(arena, 20_000).await?;
    let put = async |change: fn(&mut Value)| {
        let mut object = stored.clone();
        change(&mut object);
        arena.ask("PUT", &format!("{LISTS}/x?dryRun=All"), "application/json", object.to_string()).await
    };
    put(|object| object["spec"]["new"] = json!(2)).await?.expect(200)?;
    put(|object| object["spec"]["new"] = json!(6)).await?.expect(422)?;
    put(|object| object["spec"]["old"][19_999]["n"] = json!(8)).await?.expect(422)?;
    Ok("20,000 forgiven errors hide none that counts".into())
}

//! Selectors that are long, odd, or of no field that can be selected.

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(long_selectors), case!(odd_selectors)];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// A list that has no items.
const NOTHING: &str = "/api/v1/namespaces/none/configmaps";

async fn long_selectors(arena: &Arena) -> Outcome {
    let mut outcomes = Vec::new();
    for selector in [
        format!("a%20in%20({})", vec!["x"; 15_000].join(",")),
        vec!["a=b"; 7_000].join(","),
        format!("a%20notin%20({})", "(".repeat(20_000)),
        "!".repeat(20_000),
    ] {
        let answer = arena.get(&format!("{MAPS}?labelSelector={selector}")).await?;
        if answer.code >= 500 {
            return Err(answer.text());
        }
        outcomes.push(answer.code.to_string());
    }
    Ok(outcomes.join(", "))
}

async fn odd_selectors(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut refused = 0;
    for selector in [
        "fieldSelector=spec.x%3D1",
        "fieldSelector=metadata.name",
        "fieldSelector=metadata.name%3D..%2Fdefault",
        "fieldSelector=metadata.namespace%3Dkube-system",
        "labelSelector=%00",
        "labelSelector=a%20in%20(",
        "labelSelector=a%20in%20()",
        "labelSelector=%F0%9F%92%A3%3D1",
        "labelSelector=a%3D%3D%3Db",
        "continue=%2F..%2F..%2Fsecrets",
        "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi9zZWNyZXRzL1x1MDAwMCJ9",
    ] {
        let answer = client.ask("GET", &format!("{NOTHING}?{selector}"), "", "").await?;
        match answer.code {
            200 if answer.json()["items"].as_array().is_some_and(Vec::is_empty) => {}
            400..500 => refused += 1,
            code => return Err(format!("{code} for {selector}: {}", answer.text())),
        }
    }
    Ok(format!("{refused} refused, the others find nothing"))
}

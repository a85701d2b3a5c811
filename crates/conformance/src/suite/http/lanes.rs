//! Tests side by side, except those that meddle with what others look at.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tokio::task::JoinSet;

use super::client::{Client, Endpoint};
use super::replay::{self, Outcome, Site};
use super::wire::Test;

/// Files and the beginnings of names whose tests share names: they run one after the other, in order.
const ORDERED: [(&str, &[&str]); 3] = [
    ("declarative-validation", &["csr/"]),
    ("discovery", &[""]),
    ("registry", &["create/cluster-scoped", "namespace/", "crd/"]),
];

/// Runs the tests of a file; the outcomes are in their order.
pub(super) async fn run(
    site: &Arc<Site>,
    endpoint: &Arc<Endpoint>,
    file: &str,
    tests: Arc<Vec<Test>>,
    jobs: usize,
) -> Result<Vec<(String, Outcome)>, String> {
    let lanes = Arc::new(lanes(file, &tests));
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..jobs.clamp(1, lanes.len().max(1)) {
        let site = site.clone();
        let lanes = lanes.clone();
        let next = next.clone();
        let tests = tests.clone();
        let mut client = Client::new(endpoint.clone());
        workers.spawn(async move {
            let mut outcomes = Vec::new();
            while let Some(lane) = lanes.get(next.fetch_add(1, Ordering::Relaxed)) {
                for &index in lane {
                    outcomes.push((index, replay::run(&site, &mut client, &tests[index]).await));
                }
            }
            outcomes
        });
    }
    let mut outcomes = Vec::new();
    while let Some(of_worker) = workers.join_next().await {
        outcomes.extend(of_worker.map_err(|error| error.to_string())?);
    }
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(index, outcome)| (tests[index].name.clone(), outcome)).collect())
}

fn lanes(file: &str, tests: &[Test]) -> Vec<Vec<usize>> {
    let ordered = ORDERED.iter().find(|(name, _)| *name == file).map_or(&[][..], |(_, starts)| starts);
    let is_ordered = |index: &usize| ordered.iter().any(|start| tests[*index].name.starts_with(start));
    let (first, others): (Vec<usize>, Vec<usize>) = (0..tests.len()).partition(is_ordered);
    std::iter::once(first).chain(others.into_iter().map(|index| vec![index])).filter(|lane| !lane.is_empty()).collect()
}

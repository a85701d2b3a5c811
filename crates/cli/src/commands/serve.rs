//! `sprag serve`: the Kubernetes API of definitions and core kinds.

use anyhow::bail;
use sprag_analysis::gate_hint;
use sprag_rest::FeatureGates;
use sprag_server::ServeArgs;

use super::Outcome;
use super::crds::Folder;

/// Serves until the process receives a stop signal.
pub(super) fn run(mut args: ServeArgs) -> anyhow::Result<Outcome> {
    check_gates(&args.feature_gates)?;
    args.crds.extend(Folder::find()?.paths()?);
    args.serve(|server| server)?;
    Ok(Outcome::Clean)
}

/// Rejects feature gates that Kubernetes does not have, with the name that may be meant.
fn check_gates(text: &str) -> anyhow::Result<()> {
    let names = text.split(',').filter_map(|part| part.split_once('=')).map(|(name, _)| name.trim());
    let mut unknown = names.filter(|name| !FeatureGates::default().is_known(name));
    match unknown.next() {
        None => Ok(()),
        Some(name) => bail!("--feature-gates: unrecognized feature gate: {name}{}", gate_hint(name)),
    }
}

//! `sprag serve`: the Kubernetes API of definitions and core kinds.

use sprag_server::ServeArgs;

use super::Outcome;

/// Serves until the process receives a stop signal.
pub(super) fn run(args: ServeArgs) -> anyhow::Result<Outcome> {
    args.serve(|server| server)?;
    Ok(Outcome::Clean)
}

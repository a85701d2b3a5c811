//! `sprag kubeconfig`: kubeconfigs for others than the administrator.

use std::path::PathBuf;

use clap::Args;
use sprag_server::ClientKubeconfig;

use super::Outcome;
use crate::output::Terminal;

/// Print a kubeconfig for a user and groups, with a client certificate of the server's own authority.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Roles and bindings decide what the user may do. A certificate cannot be revoked: it is valid until it expires.

Examples:
  sprag kubeconfig --user ann --group dev > ann.kubeconfig
  KUBECONFIG=ann.kubeconfig kubectl auth whoami")]
pub(crate) struct KubeconfigArgs {
    /// The data folder of the server
    #[arg(long, value_name = "DIR", default_value = ".sprag")]
    data_dir: PathBuf,

    /// The name of the user
    #[arg(long, value_name = "NAME")]
    user: String,

    /// A group of the user; may be given several times
    #[arg(long, value_name = "GROUP")]
    group: Vec<String>,

    /// Days for which the certificate is valid; it expires with that of the authority at the latest
    #[arg(long, value_name = "DAYS", default_value_t = 365)]
    days: u32,

    /// URL at which clients reach the server, if not the one of its last start
    #[arg(long, value_name = "URL")]
    server: Option<String>,
}

pub(super) fn run(args: &KubeconfigArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let KubeconfigArgs { data_dir, user, group, days, server } = args;
    let wanted = ClientKubeconfig { user, groups: group, days: *days, server: server.as_deref() };
    terminal.text(&wanted.issue(data_dir)?)?;
    Ok(Outcome::Clean)
}

//! `sprag version`: version, commit, emulated Kubernetes, platform and features of the binary.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::Outcome;
use super::envtest::platform;
use crate::output::Terminal;
use sprag_rest::Release;

/// Print the version, the commit and the release of Kubernetes that is emulated.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct VersionArgs {
    /// Output format: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const EXAMPLES: &str = "\
Examples:
  sprag version
  sprag version -o json | jq -r .kubernetesVersion";

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// A document for programs
    Json,
}

/// Optional parts that this build has; at present every build has all of them.
const FEATURES: [&str; 6] = ["envtest", "storage-embedded", "storage-etcd", "storage-memory", "types-go", "types-rust"];

/// The commit that the binary was built from, if the build knew it.
const COMMIT: Option<&str> = option_env!("SPRAG_COMMIT");

pub(super) fn run(args: &VersionArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let version = env!("CARGO_PKG_VERSION");
    let kubernetes = Release::default().to_string();
    match args.output {
        Format::Text => {
            terminal.line(format_args!("sprag {version}"))?;
            terminal.line(format_args!("commit: {}", COMMIT.unwrap_or("unknown")))?;
            terminal.line(format_args!("kubernetes: {kubernetes}"))?;
            terminal.line(format_args!("platform: {}", platform()))?;
            terminal.line(format_args!("features: {}", FEATURES.join(", ")))?;
        }
        Format::Json => {
            let document = json!({
                "version": version,
                "commit": COMMIT,
                "kubernetesVersion": kubernetes,
                "platform": platform(),
                "features": FEATURES,
            });
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
    }
    Ok(Outcome::Clean)
}

//! `sprag docs`: reference pages, printed from the registries.

mod api;
mod commands;
mod kinds;
mod markdown;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::commands::Outcome;
use crate::commands::types::TagsArgs;
use crate::output::Terminal;
use crate::output::wire::TagReference;

/// Arguments of `sprag docs`: the page to print.
#[derive(Args)]
pub(crate) struct DocsArgs {
    #[command(subcommand)]
    page: Page,
}

#[derive(Subcommand)]
enum Page {
    /// An API: types, fields, defaults and rules in plain words, of Go, Rust, definitions or built-in kinds
    #[command(after_help = API_HELP)]
    Api {
        /// Go packages, Rust modules or manifests with definitions
        #[arg(value_name = "PATH", required_unless_present = "built_in")]
        paths: Vec<PathBuf>,

        /// The built-in kinds of an API version or group, such as apps/v1; may be repeated
        #[arg(long = "builtin", value_name = "VERSION")]
        built_in: Vec<String>,

        /// Format of the page: markdown or html
        #[arg(long, value_name = "FORMAT", value_parser = ["markdown", "html"], default_value = "markdown", hide_possible_values = true)]
        format: String,
    },
    /// The commands: a list of all, or the help of one with its subcommands
    #[command(after_help = COMMANDS_HELP)]
    Commands {
        /// The command to print, such as validate
        #[arg(value_name = "COMMAND")]
        name: Option<String>,
    },
    /// The tags: where they may stand, what they take, what they do
    #[command(after_help = TAGS_HELP)]
    Tags {
        /// Format of the page: markdown or json
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
        format: Format,

        #[command(flatten)]
        tags: TagsArgs,
    },
    /// The built-in kinds: versions, subresources, how much of them tags judge, what is not judged
    #[command(after_help = KINDS_HELP)]
    Kinds,
    /// The rules of `sprag lint`: what they find, why, and what to do
    #[command(after_help = LINT_HELP)]
    Lint,
}

const TAGS_HELP: &str = "\
Examples:
  sprag docs tags > tags.md
  sprag docs tags --tags api/tags.yaml
  sprag docs tags --format json | jq '.tags[].name'";

const COMMANDS_HELP: &str = "\
Examples:
  sprag docs commands
  sprag docs commands validate > validate.md";

const KINDS_HELP: &str = "\
Examples:
  sprag docs kinds > kinds.md";

const API_HELP: &str = "\
Examples:
  sprag docs api ./api/v1 > api.md
  sprag docs api crds/widgets.yaml --format html > api.html
  sprag docs api --builtin apps/v1 > apps.md";

const LINT_HELP: &str = "\
Examples:
  sprag docs lint > lint.md";

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// A page to read
    #[default]
    Markdown,
    /// A document for programs
    Json,
}

pub(crate) fn run(args: &DocsArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.page {
        Page::Commands { name: None } => terminal.text(&commands::index())?,
        Page::Commands { name: Some(name) } => terminal.text(&commands::page(name)?)?,
        Page::Kinds => terminal.text(&kinds::page(&sprag_kinds::reference()))?,
        Page::Api { paths, built_in, format } => {
            let mut nodes = Vec::new();
            for version in built_in {
                nodes.extend(crate::apidoc::built_in::of_version(version)?);
            }
            for path in paths {
                nodes.extend(crate::apidoc::read(path)?);
            }
            terminal.text(&if format == "html" { api::html(&nodes) } else { api::markdown(&nodes) })?;
        }
        Page::Lint => terminal.text(&super::lint::page())?,
        Page::Tags { format, tags } => {
            let registry = tags.registry()?;
            match format {
                Format::Markdown => terminal.text(&markdown::tags(&registry))?,
                Format::Json => terminal.line(serde_json::to_string_pretty(&TagReference::from(&registry))?)?,
            }
        }
    }
    Ok(Outcome::Clean)
}

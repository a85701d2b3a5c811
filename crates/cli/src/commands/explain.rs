//! `sprag explain`: the rules that hold for a type or field, and where each comes from.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use clap::Args;
use sprag_analysis::nearest;

use crate::apidoc::built_in::{self, Found};
use crate::apidoc::{Node, read};
use crate::commands::Outcome;
use crate::output::Terminal;

/// Arguments of `sprag explain`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExplainArgs {
    /// A path, two colons and a type; or a built-in kind. The names of fields follow, with dots between them
    #[arg(value_name = "[PATH::]TYPE[.FIELD]")]
    what: String,

    /// Levels of fields to print; all for types and definitions, one for built-in kinds
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
The path is a Go package, a Rust file or a manifest with definitions. A built-in kind is named by kind, resource or short name, with
its API version where several have it. Fields are named as in JSON; lists and maps are passed through.

Examples:
  sprag explain ./api/v1::Widget
  sprag explain crds/widgets.yaml::v1.Widget.spec --json
  sprag explain pods.spec.containers
  sprag explain apps/v1/Deployment --depth 2";

/// Levels of fields that are printed below a built-in kind, which has hundreds of fields.
const BUILT_IN_DEPTH: usize = 1;

pub(crate) fn run(args: &ExplainArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (node, depth, foot) = match args.what.rsplit_once("::") {
        Some((path, name)) => (find(&read(Path::new(path))?, name)?.clone(), usize::MAX, String::new()),
        None if Path::new(&args.what).exists() => bail!(choices(&args.what)?),
        None => {
            let found = built_in::find(&args.what)?;
            let path: Vec<&str> = found.fields.iter().map(String::as_str).collect();
            (below(&found.node, &path)?.clone(), BUILT_IN_DEPTH, foot(&found))
        }
    };
    let node = node.cut(args.depth.unwrap_or(depth));
    if args.json {
        terminal.line(serde_json::to_string_pretty(&node)?)?;
    } else {
        let mut text = String::new();
        print(&node, 0, &mut text);
        terminal.text(&(text + &foot))?;
    }
    Ok(Outcome::Clean)
}

/// Types listed for a path without one.
const MAX_CHOICES: usize = 10;

/// Returns the arguments that could be written in place of a path alone.
fn choices(path: &str) -> anyhow::Result<String> {
    let nodes = read(Path::new(path))?;
    let mut names: Vec<String> = nodes.iter().take(MAX_CHOICES).map(|node| format!("{path}::{}", node.name)).collect();
    if nodes.len() > MAX_CHOICES {
        names.push("…".to_owned());
    }
    Ok(format!("{path:?} has no type: write {}", names.join(", ")))
}

/// Returns the text below the fields of a built-in kind.
fn foot(found: &Found) -> String {
    let others = if found.others.is_empty() { String::new() } else { format!(", also in {}", found.others.join(", ")) };
    format!(
        "\n{} is in {}{others}. Rules that no tag says are those of the functions that types name.\n",
        found.node.name, found.api_version
    )
}

/// The node of a type and fields; the type may have dots in its name.
fn find<'n>(nodes: &'n [Node], name: &str) -> anyhow::Result<&'n Node> {
    let is_below =
        |node: &&Node| name.strip_prefix(&node.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let Some(ty) = nodes.iter().filter(is_below).max_by_key(|node| node.name.len()) else {
        let wanted = name.split('.').next().unwrap_or_default();
        let hint = nearest(wanted, nodes.iter().map(|node| node.name.as_str()));
        bail!(
            "there is no type {wanted:?} here{}",
            hint.map_or(String::new(), |known| format!("; did you mean {known}?"))
        )
    };
    let path: Vec<&str> = name[ty.name.len()..].split('.').filter(|part| !part.is_empty()).collect();
    below(ty, &path)
}

/// The node of fields below a type.
fn below<'n>(ty: &'n Node, path: &[&str]) -> anyhow::Result<&'n Node> {
    let mut node = ty;
    for name in path {
        let Some(field) = node.fields.iter().find(|field| field.name == *name) else {
            let hint = nearest(name, node.fields.iter().map(|field| field.name.as_str()));
            let hint = hint.map_or(String::new(), |known| format!("; did you mean {known}?"));
            bail!("{} has no field {name:?}{hint}", node.name)
        };
        node = field;
    }
    Ok(node)
}

fn print(node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let required = if node.required { ", required" } else { "" };
    let default = node.default.as_ref().map_or(String::new(), |default| format!(", default {default}"));
    // Writing to a string does not fail.
    let releases = node.releases.as_ref().map_or(String::new(), |releases| format!(", {releases}"));
    let _ = writeln!(text, "{indent}{}: {}{required}{default}{releases}", node.name, node.ty);
    for rule in &node.rules {
        let stage = if rule.stage == "stable" { String::new() } else { format!(" [{}]", rule.stage) };
        let place = rule.place.iter().chain(&rule.releases).fold(String::new(), |text, more| format!("{text}, {more}"));
        let _ = writeln!(text, "{indent}  - {}{stage}: {} ({}{place})", rule.words, rule.rule, rule.origin);
    }
    for field in &node.fields {
        print(field, depth + 1, text);
    }
}

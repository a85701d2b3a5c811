//! `sprag explain`: the rules that hold for a type or field, and where each comes from.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{anyhow, bail};
use clap::Args;

use crate::apidoc::{Node, read};
use crate::commands::Outcome;
use crate::output::Terminal;
use crate::suggest::nearest;

/// What to explain.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExplainArgs {
    /// A path, two colons, a type and the names of fields, with dots between them
    #[arg(value_name = "PATH::TYPE[.FIELD]")]
    what: String,

    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
The path is a Go package, a Rust file or a manifest with definitions. Fields are named as in JSON; lists and maps are passed through.

Examples:
  sprag explain ./api/v1::Widget
  sprag explain crds/widgets.yaml::v1.Widget.spec --json";

pub(crate) fn run(args: &ExplainArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (path, name) =
        args.what.rsplit_once("::").ok_or_else(|| anyhow!("{:?} is not of the form PATH::Type.field", args.what))?;
    let nodes = read(Path::new(path))?;
    let node = find(&nodes, name)?;
    if args.json {
        terminal.line(serde_json::to_string_pretty(node)?)?;
    } else {
        let mut text = String::new();
        print(node, 0, &mut text);
        terminal.text(&text)?;
    }
    Ok(Outcome::Clean)
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
    for end in 1..=path.len() {
        if ty.below(&path[..end]).is_none() {
            let around = ty.below(&path[..end - 1]).unwrap_or(ty);
            let hint = nearest(path[end - 1], around.fields.iter().map(|field| field.name.as_str()));
            let hint = hint.map_or(String::new(), |known| format!("; did you mean {known}?"));
            bail!("{} has no field {:?}{hint}", around.name, path[end - 1])
        }
    }
    ty.below(&path).ok_or_else(|| anyhow!("there is no field {name:?}"))
}

fn print(node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let required = if node.required { ", required" } else { "" };
    let default = node.default.as_ref().map_or(String::new(), |default| format!(", default {default}"));
    // Writing to a string does not fail.
    let _ = writeln!(text, "{indent}{}: {}{required}{default}", node.name, node.ty);
    for rule in &node.rules {
        let stage = if rule.stage == "stable" { String::new() } else { format!(" [{}]", rule.stage) };
        let place = rule.place.as_ref().map_or(String::new(), |place| format!(", {place}"));
        let _ = writeln!(text, "{indent}  - {}{stage}: {} ({}{place})", rule.words, rule.rule, rule.origin);
    }
    for field in &node.fields {
        print(field, depth + 1, text);
    }
}

//! `sprag cel`: evaluate expressions as the API server does, once or interactively.

mod complete;
mod explain;
mod history;
mod infer;
mod input;
mod repl;
mod session;
mod wire;

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};

use self::session::{Answer, Failure, Session};
use crate::commands::Outcome;
use crate::commands::crd::cost::{self, CostArgs};
use crate::output::Terminal;

/// Evaluate CEL expressions as Kubernetes does.
#[derive(Args)]
pub(crate) struct CelArgs {
    #[command(subcommand)]
    command: CelCommand,
}

#[derive(Subcommand)]
enum CelCommand {
    /// Estimate what the rules of definitions cost
    Cost(CostArgs),
    /// Evaluate an expression: its value, type and cost
    Eval(EvalArgs),
    /// Evaluate expressions line by line
    Repl(ReplArgs),
}

#[derive(Args)]
#[command(after_help = EVAL_HELP)]
struct EvalArgs {
    /// The expression
    #[arg(value_name = "EXPR")]
    expr: String,

    #[command(flatten)]
    values: Values,

    /// Show where the estimated cost comes from
    #[arg(long)]
    explain: bool,

    /// How to print the result: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

#[derive(Args)]
#[command(after_help = REPL_HELP)]
struct ReplArgs {
    #[command(flatten)]
    values: Values,
}

/// What the expression is about.
#[derive(Args)]
struct Values {
    /// The value of `self`, as JSON or YAML; `-` reads standard input
    #[arg(long = "self", value_name = "FILE")]
    new: Option<PathBuf>,

    /// The value of `oldSelf`
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
}

const EVAL_HELP: &str = "\
The types of `self` and `oldSelf` are inferred from their values. An expression that does not fit them runs untyped,
with a warning that says why. The estimated cost assumes values as large as a request can carry, as the API server
does for a schema without maxItems, maxLength and maxProperties.

Exit codes: 0 a value (also false), 1 the expression does not compile or fails, 2 usage or I/O

Examples:
  sprag cel eval '1 + 2'
  sprag cel eval 'self.replicas <= self.maxReplicas' --self widget.yaml
  sprag cel eval '!has(oldSelf.class) || self.class == oldSelf.class' --self new.json --old old.json
  kubectl get deploy web -o json | sprag cel eval 'self.spec.template.spec.containers.map(c, c.image)' --self -
  sprag cel eval 'self.items.all(i, i.name.size() < 64)' --self list.json --explain";

const REPL_HELP: &str = "\
Tab completes fields and functions, the arrow keys recall earlier lines, Ctrl-C drops a line, Ctrl-D leaves.
Lines may also come from a pipe; then the exit code is 1 if one of them fails.

Examples:
  sprag cel repl --self widget.json
  echo 'size(\"hello\")' | sprag cel repl";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Value, type and cost
    #[default]
    Text,
    /// One document
    Json,
}

pub(crate) fn run(args: &CelArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.command {
        CelCommand::Cost(args) => cost::run(args, terminal),
        CelCommand::Eval(args) => eval(args, terminal),
        CelCommand::Repl(args) => repl::run(Session::new(args.values.read()?), terminal),
    }
}

fn eval(args: &EvalArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let session = Session::new(args.values.read()?);
    let answer = session.eval(&args.expr);
    match args.output {
        Format::Text => print_answer(&answer, args.explain, terminal)?,
        Format::Json => {
            let document = wire::Answer::new(&answer, args.explain);
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
    }
    Ok(if answer.outcome.is_ok() { Outcome::Clean } else { Outcome::Findings })
}

/// The value goes to standard output as such, so that it can be used; everything about it follows.
fn print_answer(answer: &Answer, explain: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    if let Some(why) = &answer.untyped {
        terminal.warning(&format!("does not fit the types inferred from the values, and runs untyped:\n{why}"));
    }
    match &answer.outcome {
        Ok(value) => terminal.line(&value.literal)?,
        Err(Failure::Compile(why)) => terminal.error(&anyhow!("the expression does not compile:\n{why}")),
        Err(Failure::Run(why)) => terminal.error(&anyhow!("the expression failed: {why}")),
    }
    if let Some(facts) = &answer.facts {
        if answer.outcome.is_ok() {
            terminal.line(format_args!("type: {}", facts.ty))?;
        }
        terminal.line(format_args!("cost: {}", facts.cost))?;
        terminal.line(format_args!("estimated cost: {}", explain::bounds(facts.estimate.cost)))?;
        if explain {
            terminal.text(&explain::tree(&facts.estimate))?;
        }
    }
    Ok(())
}

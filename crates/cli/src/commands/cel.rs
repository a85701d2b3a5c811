//! `sprag cel`: evaluate expressions as the API server does, once or interactively.

mod complete;
mod definition;
mod explain;
mod history;
mod infer;
mod input;
mod policy;
mod repl;
mod session;
mod wire;

use anyhow::{anyhow, bail};
use clap::{Args, Subcommand, ValueEnum};
use sprag_analysis::files::Place;
use sprag_cel::known_elsewhere;
use sprag_rest::Release;

use self::session::{Evaluation, Failure, Session};
use crate::commands::Outcome;
use crate::commands::crd::cost::{self, CostArgs};
use crate::output::Terminal;

/// The variable that rules have for the earlier value.
const OLD_SELF: &str = "oldSelf";

/// Evaluate CEL expressions as Kubernetes does.
#[derive(Args)]
pub(crate) struct CelArgs {
    #[command(subcommand)]
    command: CelCommand,
}

#[derive(Subcommand)]
enum CelCommand {
    /// Estimate the cost of the rules of definitions
    Cost(CostArgs),
    /// Evaluate an expression: its value, type and cost
    Eval(EvalArgs),
    /// Evaluate expressions line by line
    Repl(ReplArgs),
}

#[derive(Args)]
#[command(after_help = EVAL_HELP)]
struct EvalArgs {
    /// The expression; without one, with --crd, the rules that the definition has at --path
    #[arg(value_name = "EXPR", required_unless_present = "crd")]
    expr: Option<String>,

    #[command(flatten)]
    values: Values,

    /// Show where the estimated cost comes from
    #[arg(long)]
    explain: bool,

    /// Output format: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

#[derive(Args)]
#[command(after_help = REPL_HELP)]
struct ReplArgs {
    #[command(flatten)]
    values: Values,
}

/// Arguments that give the variables of an expression.
#[derive(Args)]
struct Values {
    /// The value of `self`: a file, JSON that begins with a brace or bracket, or `-` for standard input
    #[arg(long = "self", value_name = "VALUE")]
    new: Option<String>,

    /// The value of `oldSelf`
    #[arg(long, value_name = "VALUE")]
    old: Option<String>,

    /// Types and rules of this definition: file, folder, git:REV:PATH or `-`
    #[arg(long, value_name = "PATH")]
    crd: Option<Place>,

    /// Path of the expression in the schema of --crd, as in spec.list[0]
    #[arg(long, value_name = "FIELD", requires = "crd")]
    path: Option<String>,

    /// The value of `object`, for expressions of admission policies
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["new", "old", "crd"])]
    object: Option<String>,

    /// The value of `oldObject`
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["new", "old", "crd"])]
    old_object: Option<String>,

    /// The value of `request` [default: one that fits the objects]
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["new", "old", "crd"])]
    request: Option<String>,

    /// The value of `params`
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["new", "old", "crd"])]
    params: Option<String>,

    /// The value of `namespaceObject`
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["new", "old", "crd"])]
    namespace_object: Option<String>,

    /// The release of Kubernetes whose new expressions these are
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,
}

const EVAL_HELP: &str = "\
Without --crd, the types of `self` and `oldSelf` are inferred from their values. An expression that does not fit them runs
untyped, with a warning that says why. The estimated cost assumes values as large as a request can carry, as the API server
does for a schema without maxItems, maxLength and maxProperties.

With --crd, an object of the definition gets its defaults, and --path leads to `self` in it; what has no kind is `self` itself.

Of the variables of admission policies, `object`, `oldObject`, `request`, `params` and `namespaceObject` are there;
`authorizer` and `variables` are not. Those that are not given are null.

Exit codes: 0 a value (also false), 1 the expression does not compile or fails, or a rule does not hold, 2 usage or I/O

Examples:
  sprag cel eval '1 + 2'
  sprag cel eval 'self.replicas <= self.maxReplicas' --self widget.yaml
  sprag cel eval 'self.a.b + 1' --self '{\"a\": {\"b\": 1}}'
  sprag cel eval '!has(oldSelf.class) || self.class == oldSelf.class' --self new.json --old old.json
  kubectl get deploy web -o json | sprag cel eval 'self.spec.template.spec.containers.map(c, c.image)' --self -
  sprag cel eval 'self.items.all(i, i.name.size() < 64)' --self list.json --explain
  sprag cel eval '[3, 1, 2].sort()' --kubernetes-version 1.35
  sprag cel eval --crd crds/widgets.yaml --path spec --self widget.yaml
  sprag cel eval 'object.spec.replicas <= params.maxReplicas' --object widget.yaml --params params.yaml";

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
        CelCommand::Repl(args) => {
            let session = Session::new(args.values.read(terminal)?, args.values.kubernetes_version);
            repl::run(session, terminal)
        }
    }
}

fn eval(args: &EvalArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let session = Session::new(args.values.read(terminal)?, args.values.kubernetes_version);
    let Some(expr) = &args.expr else { return eval_rules(&session, args, terminal) };
    let answer = session.eval(expr);
    match args.output {
        Format::Text => print_answer(&answer, args.explain, terminal)?,
        Format::Json => {
            let document = wire::Answer::new(&answer, args.explain);
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
    }
    Ok(if answer.outcome.is_ok() { Outcome::Clean } else { Outcome::Findings })
}

/// Runs the rules of the definition.
fn eval_rules(session: &Session, args: &EvalArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if session.rules().is_empty() {
        bail!("the definition has no rules at {:?}", args.values.path.as_deref().unwrap_or_default());
    }
    let answers: Vec<(&str, Evaluation)> =
        session.rules().iter().map(|rule| (rule.rule.as_str(), session.eval_rule(rule))).collect();
    match args.output {
        Format::Text => {
            for (rule, answer) in &answers {
                terminal.line(format_args!("rule: {}", rule.trim()))?;
                match &answer.outcome {
                    Err(Failure::Unset(OLD_SELF)) => {
                        terminal.line("not run: it uses oldSelf, and there is no --old")?;
                    }
                    _ => print_answer(answer, args.explain, terminal)?,
                }
            }
        }
        Format::Json => {
            let document: Vec<_> = answers
                .iter()
                .map(|(rule, answer)| wire::RuleAnswer { rule, answer: wire::Answer::new(answer, args.explain) })
                .collect();
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
    }
    let holds = answers.iter().all(|(_, answer)| match &answer.outcome {
        Ok(value) => value.literal == "true",
        // The API server does not run a rule with `oldSelf` when there is no old value.
        Err(failure) => matches!(failure, Failure::Unset(OLD_SELF)),
    });
    Ok(if holds { Outcome::Clean } else { Outcome::Findings })
}

/// The value goes to standard output as such, so that it can be used; everything about it follows.
fn print_answer(answer: &Evaluation, explain: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    if let Some(why) = &answer.untyped {
        terminal.warning(&format!("does not fit the types inferred from the values, and runs untyped:\n{why}"));
    }
    match &answer.outcome {
        Ok(value) => terminal.line(&value.literal)?,
        Err(Failure::Compile(why)) => {
            terminal.error(&anyhow!("the expression does not compile:\n{why}"));
            for (name, releases) in known_elsewhere(why) {
                terminal.warning(&format!("{name} needs Kubernetes {releases}"));
            }
        }
        Err(Failure::Run(why)) => terminal.error(&anyhow!("the expression failed: {why}")),
        Err(Failure::Unset(OLD_SELF)) => terminal.error(&anyhow!("oldSelf has no value; give it with --old")),
        Err(Failure::Unset(name)) => terminal.error(&anyhow!("{name} has no value; give it with --{name}")),
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

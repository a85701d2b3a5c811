//! `sprag docs commands`: the help of every command as pages.

use std::fmt::Write as _;

use anyhow::anyhow;
use clap::{Command, CommandFactory};
use sprag_analysis::nearest;

/// Subcommands that clap adds.
const HELP: &str = "help";

/// The list of commands, each with a link to its page.
pub(super) fn index() -> String {
    let mut page = "# Commands\n\nPrinted by `sprag docs commands`; every page is the `--help` of its command.\n\n\
                    | command | |\n|---|---|\n"
        .to_owned();
    for command in subcommands(&root()) {
        let name = command.get_name();
        let about = about(command);
        let _ = writeln!(page, "| [`sprag {name}`](commands/{name}.md) | {about} |");
    }
    page
}

/// The page of one command and its subcommands.
pub(super) fn page(name: &str) -> anyhow::Result<String> {
    let mut root = root();
    let Some(command) = root.find_subcommand_mut(name).filter(|command| command.get_name() != HELP) else {
        let names: Vec<String> = subcommands(&root).map(|command| command.get_name().to_owned()).collect();
        let hint = nearest(name, names.iter().map(String::as_str))
            .map_or_else(|| format!("one of {}", names.join(", ")), |nearest| format!("did you mean {nearest}?"));
        return Err(anyhow!("there is no command {name:?}: {hint}"));
    };
    let mut page = String::new();
    write(command, &format!("sprag {name}"), 1, &mut page);
    Ok(page)
}

/// The command line, with the names of subcommands in their usage.
fn root() -> Command {
    let mut root = crate::Cli::command();
    root.build();
    root
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| command.get_name() != HELP && !command.is_hide_set())
}

fn write(command: &mut Command, name: &str, level: usize, page: &mut String) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let gap = if page.is_empty() { "" } else { "\n" };
    let _ = writeln!(page, "{gap}{} {name}\n\n```text\n{}\n```", "#".repeat(level), lines.join("\n").trim_end());
    let names: Vec<String> = subcommands(command).map(|below| below.get_name().to_owned()).collect();
    for below in names {
        if let Some(command) = command.find_subcommand_mut(&below) {
            write(command, &format!("{name} {below}"), level + 1, page);
        }
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(|about| format!("{}.", about.to_string().trim_end_matches('.'))).unwrap_or_default()
}

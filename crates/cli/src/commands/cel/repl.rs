//! `sprag cel repl`: expressions and commands, line by line, from a person or a pipe.

use std::io::{self, BufRead, IsTerminal, Read};

use anyhow::{anyhow, bail};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Context, Editor};

use super::complete::Completion;
use super::session::Session;
use super::{explain, history, input, print_answer};
use crate::commands::Outcome;
use crate::output::Terminal;

const PROMPT: &str = "cel> ";

/// The most that is read from a pipe.
const MAX_PIPED_BYTES: u64 = 64 << 20;

/// A line that is not an expression.
struct Command {
    name: &'static str,
    argument: &'static str,
    about: &'static str,
    run: fn(&mut Repl<'_>, &str) -> anyhow::Result<Flow>,
}

impl Command {
    fn usage(&self) -> String {
        format!("{} {}", self.name, self.argument).trim_end().to_owned()
    }
}

const COMMANDS: &[Command] = &[
    Command {
        name: ":explain",
        argument: "EXPR",
        about: "where the estimated cost comes from",
        run: |repl, expr| repl.explain(expr),
    },
    Command { name: ":help", argument: "", about: "this list", run: |repl, _| repl.help() },
    Command {
        name: ":old",
        argument: "VALUE",
        about: "read the value of oldSelf, from a file or as JSON",
        run: |repl, file| Ok(repl.read(file, "oldSelf")),
    },
    Command { name: ":quit", argument: "", about: "leave, as Ctrl-D does", run: |_, _| Ok(Flow::Leave) },
    Command {
        name: ":self",
        argument: "VALUE",
        about: "read the value of self, from a file or as JSON",
        run: |repl, file| Ok(repl.read(file, "self")),
    },
    Command {
        name: ":type",
        argument: "EXPR",
        about: "the type of an expression",
        run: |repl, expr| repl.show_type(expr),
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Stay,
    Leave,
}

pub(super) fn run(session: Session, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut repl = Repl { session, terminal, failed: false };
    if io::stdin().is_terminal() {
        repl.interactive()?;
        return Ok(Outcome::Clean);
    }
    repl.piped()?;
    Ok(if repl.failed { Outcome::Findings } else { Outcome::Clean })
}

struct Repl<'t> {
    session: Session,
    terminal: &'t mut Terminal,
    /// True if any line failed.
    failed: bool,
}

impl Repl<'_> {
    fn piped(&mut self) -> anyhow::Result<()> {
        for line in io::stdin().lock().take(MAX_PIPED_BYTES).lines() {
            if self.line(&line?)? == Flow::Leave {
                break;
            }
        }
        Ok(())
    }

    fn interactive(&mut self) -> anyhow::Result<()> {
        let config = Config::builder()
            .max_history_size(history::MAX_LINES)?
            .auto_add_history(true)
            .completion_type(CompletionType::List)
            .build();
        let lines = FileHistory::with_config(&config);
        let mut editor: Editor<Helper, FileHistory> = Editor::with_history(config, lines)?;
        let file = history::file();
        if let Some(file) = &file {
            // A history that cannot be read is an empty one.
            let _ = editor.load_history(file);
        }
        self.terminal.line("expressions, or :help")?;
        loop {
            self.terminal.flush()?;
            editor.set_helper(Some(Helper(Completion::new(&self.session, command_names()))));
            match editor.readline(PROMPT) {
                Ok(line) if self.line(&line)? == Flow::Leave => break,
                Ok(_) | Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => break,
                Err(error) => bail!(error),
            }
        }
        if let Some(file) = &file {
            // The session was worth more than its history.
            let _ = editor.save_history(file);
        }
        Ok(())
    }

    /// Runs one line. What is wrong with it is shown; `Err` means that nothing can be shown any more.
    fn line(&mut self, line: &str) -> anyhow::Result<Flow> {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            return Ok(Flow::Stay);
        }
        if !line.starts_with(':') {
            let answer = self.session.eval(line);
            self.failed |= answer.outcome.is_err();
            print_answer(&answer, false, self.terminal)?;
            return Ok(Flow::Stay);
        }
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
            return Ok(self.complain(&anyhow!("unknown command {name}, see :help")));
        };
        let argument = argument.trim();
        if argument.is_empty() != command.argument.is_empty() {
            return Ok(self.complain(&anyhow!("usage: {}", command.usage())));
        }
        (command.run)(self, argument)
    }

    fn complain(&mut self, error: &anyhow::Error) -> Flow {
        self.failed = true;
        self.terminal.error(error);
        Flow::Stay
    }

    fn help(&mut self) -> anyhow::Result<Flow> {
        for command in COMMANDS {
            self.terminal.line(format_args!("{:<16} {}", command.usage(), command.about))?;
        }
        Ok(Flow::Stay)
    }

    fn explain(&mut self, expr: &str) -> anyhow::Result<Flow> {
        match self.session.explain(expr) {
            Ok(cost) => self.terminal.text(&explain::tree(&cost))?,
            Err(why) => return Ok(self.complain(&anyhow!(why))),
        }
        Ok(Flow::Stay)
    }

    fn show_type(&mut self, expr: &str) -> anyhow::Result<Flow> {
        match self.session.type_of_expr(expr) {
            Ok(ty) => self.terminal.line(ty)?,
            Err(why) => return Ok(self.complain(&anyhow!(why))),
        }
        Ok(Flow::Stay)
    }

    fn read(&mut self, file: &str, variable: &'static str) -> Flow {
        match input::read(file).and_then(|value| self.session.set(variable, value)) {
            Ok(()) => Flow::Stay,
            Err(error) => self.complain(&error),
        }
    }
}

fn command_names() -> Vec<&'static str> {
    COMMANDS.iter().map(|command| command.name).collect()
}

/// The line editor's view of [`Completion`].
struct Helper(Completion);

impl rustyline::completion::Completer for Helper {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.0.complete(&line[..pos]))
    }
}

impl rustyline::hint::Hinter for Helper {
    type Hint = String;
}

impl rustyline::highlight::Highlighter for Helper {}
impl rustyline::validate::Validator for Helper {}
impl rustyline::Helper for Helper {}

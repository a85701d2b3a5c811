//! `sprag backup` and `sprag restore`: copies of what a server keeps in its folder.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use sprag_storage::{Copied, Embedded};

use super::Outcome;
use crate::output::Terminal;

/// Copy the objects of a data folder to a file, also while its server runs.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The copy has every object that was acknowledged before, as of one revision, and neither certificates nor the token.

Examples:
  sprag backup .sprag monday.backup")]
pub(crate) struct BackupArgs {
    /// The data folder of the server
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File to write; an existing one is replaced once the copy is complete
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Put the objects of a backup into a data folder that has none.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Resource versions go on from the copy, so clients that have seen later ones have to list again: restart them.

Examples:
  sprag restore fresh/.sprag monday.backup")]
pub(crate) struct RestoreArgs {
    /// The data folder of the server, which must not run
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File that `sprag backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Makes the copy and says what is in it.
pub(super) fn backup(args: &BackupArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let store = args.folder.join("store");
    if !store.is_dir() {
        bail!("{}: no objects in this folder: name the --data-dir of `sprag serve`", args.folder.display());
    }
    let copied = Embedded::backup_folder(store, &args.file)?;
    say(terminal, &copied, "in", &args.file)
}

/// Reads the copy and says what was in it.
pub(super) fn restore(args: &RestoreArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    // A copy that cannot be read leaves no folder behind.
    let restored = Embedded::restore_folder(args.folder.join("store"), &args.file);
    let restored = restored.map_err(|error| match error {
        sprag_storage::Error::Corrupt { path, offset: 0, .. } if path == args.file => {
            anyhow::anyhow!("{}: not a file that `sprag backup` wrote", path.display())
        }
        error => error.into(),
    })?;
    sprag_server::prepare_folder(&args.folder)?;
    say(terminal, &restored, "of", &args.file)
}

fn say(terminal: &mut Terminal, copied: &Copied, word: &str, file: &Path) -> anyhow::Result<Outcome> {
    let Copied { revision, entries, bytes } = copied;
    terminal
        .line(format!("{entries} objects, {bytes} bytes, resource version {revision} {word} {}", file.display()))?;
    Ok(Outcome::Clean)
}

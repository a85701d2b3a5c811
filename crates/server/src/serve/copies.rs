//! Copies of what a server keeps in its folder, as commands.

use std::path::PathBuf;

use clap::Args;
use sprag_storage::{Copied, Embedded};

use crate::error::Error;
use crate::folder;

/// Copy the objects of a data folder to a file, also while its server runs.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The copy has every object that was acknowledged before, as of one revision, and neither certificates nor the token.

Examples:
  sprag backup .sprag monday.backup")]
pub struct BackupArgs {
    /// The data folder of the server
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// File to write; an existing one is replaced once the copy is complete
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Put the objects of a backup into a data folder that has none.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Resource versions go on from the copy, so clients that have seen later ones have to list again: restart them.

Examples:
  sprag restore fresh/.sprag monday.backup")]
pub struct RestoreArgs {
    /// The data folder of the server, which must not run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// File that `sprag backup` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

impl BackupArgs {
    /// Makes the copy and says what is in it.
    pub fn run(&self, out: &mut dyn std::io::Write) -> Result<(), Error> {
        let store = self.folder.join("store");
        if !store.is_dir() {
            let folder = self.folder.display();
            return Err(Error::Usage(format!(
                "{folder}: no objects in this folder: name the --data-dir of `sprag serve`"
            )));
        }
        let copied = Embedded::backup_folder(store, &self.file)?;
        say(out, &copied, "in", &self.file)
    }
}

impl RestoreArgs {
    /// Reads the copy and says what was in it.
    pub fn run(&self, out: &mut dyn std::io::Write) -> Result<(), Error> {
        let store = self.folder.join("store");
        // A copy that cannot be read leaves no folder behind.
        let restored = Embedded::restore_folder(&store, &self.file).map_err(|error| match error {
            sprag_storage::Error::Corrupt { path, offset: 0, .. } if path == self.file => {
                Error::Usage(format!("{}: not a file that `sprag backup` wrote", path.display()))
            }
            error => error.into(),
        })?;
        folder::prepare(&self.folder)?;
        say(out, &restored, "of", &self.file)
    }
}

fn say(out: &mut dyn std::io::Write, copied: &Copied, word: &str, file: &std::path::Path) -> Result<(), Error> {
    let Copied { revision, entries, bytes } = copied;
    writeln!(out, "{entries} objects, {bytes} bytes, resource version {revision} {word} {}", file.display())
        .map_err(|error| Error::file("write to", std::path::Path::new("standard output"), error))
}

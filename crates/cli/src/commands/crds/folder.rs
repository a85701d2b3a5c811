//! The folder that definitions are kept in.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sprag_analysis::Standing;
use sprag_analysis::files::{Content, Found, Place, read_limited};

use super::lock::{Lock, digest_of};
use crate::output::replace;

/// Its name, at the top of the repository.
const FOLDER: &str = ".sprag-crds";

/// The name of the lock file in it.
const LOCK: &str = "lock.yaml";

/// The folder of the repository around the working directory; outside of a repository, that of the working directory.
#[derive(Debug)]
pub(crate) struct Folder {
    /// As seen from the working directory.
    path: PathBuf,
}

impl Folder {
    /// Finds it, whether it exists or not. It may come with what is validated, so a link in its place is an error.
    pub(crate) fn find() -> anyhow::Result<Folder> {
        let here = std::env::current_dir().context("working directory")?;
        let above = here.ancestors().take_while(|folder| !folder.join(".git").exists()).count();
        let is_repository = here.ancestors().nth(above).is_some();
        let up = if is_repository { above } else { 0 };
        let path = std::iter::repeat_n("..", up).collect::<PathBuf>().join(FOLDER);
        if fs::symlink_metadata(&path).is_ok_and(|kind| !kind.is_dir()) {
            bail!("{}: is not a folder", path.display());
        }
        Ok(Folder { path })
    }

    /// The one of the repository around a folder, with an absolute path.
    pub(crate) fn around(folder: &Path) -> Folder {
        let top = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
        Folder { path: top.join(FOLDER) }
    }

    /// The definitions that are kept. None if there is no folder.
    pub(crate) fn definitions(&self) -> anyhow::Result<Vec<Found>> {
        let Some(lock) = self.lock()? else { return Ok(Vec::new()) };
        let file = |name: &String| {
            let path = self.path.join(name);
            let name = path.display().to_string();
            // A link may lead to anything on the machine.
            let is_file = fs::symlink_metadata(&path).is_ok_and(|kind| kind.is_file());
            let content =
                if is_file { Content::File(path) } else { Content::Unreadable("is missing or not a file".to_owned()) };
            Found { name, content, standing: Standing::Named }
        };
        Ok(lock.entries.iter().map(|entry| file(&entry.file)).collect())
    }

    /// The files of the definitions that are kept.
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        let path = |found: Found| match found.content {
            Content::File(path) => Ok(path),
            _ => bail!("{}: is missing or not a file", found.name),
        };
        self.definitions()?.into_iter().map(path).collect()
    }

    /// The lock file, if there is one.
    pub(super) fn lock(&self) -> anyhow::Result<Option<Lock>> {
        let path = self.path.join(LOCK);
        let name = || path.display().to_string();
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(name),
            Ok(kind) if !kind.is_file() => bail!("{}: is not a file", name()),
            Ok(_) => {}
        }
        let bytes = File::open(&path).and_then(read_limited).with_context(name)?;
        Ok(Some(Lock::read(&bytes).with_context(name)?))
    }

    pub(super) fn missing(&self) -> String {
        format!(
            "{}: no definitions are kept here: sprag crds add PATH adds those of a file or folder",
            self.path.display()
        )
    }

    pub(super) fn write(&self, file: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path.join(file);
        replace(&path, text.as_bytes()).with_context(|| path.display().to_string())
    }

    pub(super) fn write_lock(&self, lock: &Lock) -> anyhow::Result<()> {
        self.write(LOCK, &lock.text())
    }

    /// The place that a definition was added from, as seen from the folder above; a file outside of the repository by its name.
    pub(super) fn source(&self, place: &Place, file: &str) -> String {
        match place {
            Place::Stdin => "standard input".to_owned(),
            Place::Git(..) => file.to_owned(),
            Place::Path(_) => {
                let top = self.path.parent().map(Path::to_owned).unwrap_or_default();
                let top = if top.as_os_str().is_empty() { PathBuf::from(".") } else { top };
                let inside = top.canonicalize().ok().zip(Path::new(file).canonicalize().ok());
                let inside = inside.and_then(|(top, file)| Some(file.strip_prefix(top).ok()?.display().to_string()));
                let name = || Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                inside.unwrap_or_else(name)
            }
        }
    }

    /// The differences between the folder and its lock file.
    pub(super) fn differences(&self, lock: &Lock) -> anyhow::Result<Vec<String>> {
        let mut problems = Vec::new();
        for entry in &lock.entries {
            let path = self.path.join(&entry.file);
            let is_file = fs::symlink_metadata(&path).is_ok_and(|kind| kind.is_file());
            let digest = if is_file {
                digest_of(&File::open(&path).and_then(read_limited).with_context(|| path.display().to_string())?)
            } else {
                problems.push(format!("{}: is missing: add it again from {}", path.display(), entry.source));
                continue;
            };
            if digest != entry.digest {
                let text = "was changed since it was added: sprag crds add it again, or restore it";
                problems.push(format!("{}: {text}", path.display()));
            }
        }
        let known: BTreeSet<&str> = lock.entries.iter().map(|entry| entry.file.as_str()).chain([LOCK]).collect();
        let mut extra: Vec<String> = fs::read_dir(&self.path)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<_>>()?;
        extra.retain(|name| !known.contains(name.as_str()));
        extra.sort();
        problems.extend(extra.iter().map(|name| format!("{}: is not in {LOCK}", self.path.join(name).display())));
        Ok(problems)
    }
}

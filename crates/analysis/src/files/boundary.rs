//! The folder that is not left by paths inside of found files, which anybody may have written who sent a change.

use std::env;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::git::{self, Repository};
use super::{Place, glob};

/// The folder of git. What users keep in it is theirs: a pipeline leaves its token in `.git/config`.
const GIT_FOLDER: &str = ".git";

/// The repository that a file belongs to; outside of a repository, its folder.
pub struct Boundary {
    top: PathBuf,
    is_repository: bool,
}

/// The reasons why a path inside of a found file is not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not in the repository.
    OutsideOfRepository,
    /// There is no repository, and it is not in this folder.
    OutsideOfFolder(PathBuf),
    /// It is in the folder of git.
    InGit,
    /// It is a pipe, a socket or a device.
    Special,
    /// It is in a revision of another repository.
    OtherRepository,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OutsideOfRepository => f.write_str("is outside of the repository"),
            Refusal::OutsideOfFolder(folder) => write!(f, "is outside of {}", folder.display()),
            Refusal::InGit => f.write_str("is in the folder of git"),
            Refusal::Special => f.write_str("is neither a file nor a folder"),
            Refusal::OtherRepository => f.write_str("is in another repository, which .git leads to"),
        }
    }
}

impl Boundary {
    /// The repository around a folder. Outside of repositories: the working directory if the folder is in it, and else the folder.
    pub fn around(folder: &Path) -> io::Result<Boundary> {
        let here = env::current_dir()?.canonicalize()?;
        let folder = here.join(folder).canonicalize()?;
        let repository = folder.ancestors().find(|folder| folder.join(GIT_FOLDER).exists());
        let usual = if folder.starts_with(&here) { &here } else { &folder };
        Ok(Boundary { top: repository.unwrap_or(usual).to_owned(), is_repository: repository.is_some() })
    }

    /// Checks a place and all that it stands for.
    pub fn check_place(&self, place: &Place) -> Result<(), Refusal> {
        match place {
            Place::Stdin => Ok(()),
            Place::Path(path) => self.check(path),
            Place::Git(_, path) => {
                self.check_text(path)?;
                self.check_revisions()
            }
        }
    }

    /// Checks that git reads revisions of the repository, not of one that `.git` leads to.
    pub fn check_revisions(&self) -> Result<(), Refusal> {
        // Without a repository, git says so itself.
        let is_own = Repository::open().map_or(Ok(true), |_| git::is_repository_of(Path::new("."), &self.top));
        if is_own.unwrap_or(false) { Ok(()) } else { Err(Refusal::OtherRepository) }
    }

    /// Checks a path and what it stands for, if it is a pattern. One that does not exist fails later, by its name.
    pub fn check(&self, path: &Path) -> Result<(), Refusal> {
        self.check_text(path)?;
        self.check_target(&glob::folder(path))?;
        // A pattern without a match is an error of its own.
        glob::expand(path).unwrap_or_default().iter().try_for_each(|path| self.check_target(path))
    }

    /// Checks a path without a look at what is there.
    fn check_text(&self, path: &Path) -> Result<(), Refusal> {
        let whole = env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default().join(path);
        let mut plain = PathBuf::new();
        for part in whole.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => _ = plain.pop(),
                part => plain.push(part),
            }
        }
        if plain.starts_with(&self.top) || plain.canonicalize().is_ok_and(|target| target.starts_with(&self.top)) {
            Ok(())
        } else {
            Err(self.outside())
        }
    }

    /// Checks what a path leads to.
    fn check_target(&self, path: &Path) -> Result<(), Refusal> {
        let Ok(target) = path.canonicalize() else { return Ok(()) };
        let Ok(below) = target.strip_prefix(&self.top) else { return Err(self.outside()) };
        if below.components().any(|part| part.as_os_str() == GIT_FOLDER) {
            return Err(Refusal::InGit);
        }
        if target.is_file() || target.is_dir() { Ok(()) } else { Err(Refusal::Special) }
    }

    fn outside(&self) -> Refusal {
        if self.is_repository { Refusal::OutsideOfRepository } else { Refusal::OutsideOfFolder(self.top.clone()) }
    }
}

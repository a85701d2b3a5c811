//! A place named on the command line: a path, standard input, or a path in a git revision.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::git::Revision;

/// Begins the name of a place in a git revision.
const GIT_PREFIX: &str = "git:";

/// A place to read from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// `-`.
    Stdin,
    /// A file or folder.
    Path(PathBuf),
    /// `git:REV:PATH`, the path being relative to the working directory.
    Git(Revision, PathBuf),
}

impl Place {
    /// True if this is standard input.
    pub fn is_stdin(&self) -> bool {
        *self == Place::Stdin
    }

    /// The same place, seen from a folder.
    #[must_use]
    pub fn below(&self, folder: &Path) -> Place {
        match self {
            Place::Stdin => Place::Stdin,
            Place::Path(path) => Place::Path(folder.join(path)),
            Place::Git(revision, path) => Place::Git(revision.clone(), folder.join(path)),
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "-" {
            return Ok(Place::Stdin);
        }
        let Some(rest) = text.strip_prefix(GIT_PREFIX) else {
            return if text.is_empty() { Err("a path is empty".to_owned()) } else { Ok(Place::Path(text.into())) };
        };
        match rest.split_once(':') {
            Some((revision, path)) if !path.is_empty() => Ok(Place::Git(revision.parse()?, path.into())),
            _ => Err(format!("{text:?} is not of the form git:REV:PATH")),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Stdin => f.write_str("standard input"),
            Place::Path(path) => path.display().fmt(f),
            Place::Git(revision, path) => write!(f, "{GIT_PREFIX}{revision}:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let place = text.parse::<Place>().map(|place| place.to_string());
        assert_eq!(place.as_deref(), expected.map_err(str::to_owned).as_ref().map(|text| *text));
    }

    #[test]
    fn places_are_paths_streams_or_revisions() {
        check("-", Ok("standard input"));
        check("a/b.yaml", Ok("a/b.yaml"));
        check("./git:x:y", Ok("./git:x:y"));
        check("git:HEAD~1:crds/a.yaml", Ok("git:HEAD~1:crds/a.yaml"));
    }

    #[test]
    fn what_git_could_take_for_an_option_is_refused() {
        check("git:--output=x:crds", Err("revision \"--output=x\" begins with a dash"));
        check("git::crds", Err("a revision is empty"));
        check("git:HEAD", Err("\"git:HEAD\" is not of the form git:REV:PATH"));
        check("git:HEAD:", Err("\"git:HEAD:\" is not of the form git:REV:PATH"));
        check("git:a\nb:c", Err("revision \"a\\nb\" has a control character"));
        check("", Err("a path is empty"));
    }
}

//! Files of a git revision, through the `git` command.
//!
//! What a user names reaches git once, as the argument of `rev-parse` behind `--end-of-options`; from then on only object
//! names and paths behind `--` are passed. Nothing is fetched, written or run on git's behalf.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

use super::ReadError;
use super::limited::{MAX_FILE_BYTES, too_large};

/// The name of a revision, as it may be handed to git.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(String);

impl FromStr for Revision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("a revision is empty".to_owned());
        }
        if text.starts_with('-') {
            return Err(format!("revision {text:?} begins with a dash"));
        }
        if text.contains(char::is_control) {
            return Err(format!("revision {text:?} has a control character"));
        }
        Ok(Revision(text.to_owned()))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The repository around the working directory.
pub struct Repository {
    /// Its top folder.
    top: PathBuf,
    /// The working directory.
    here: PathBuf,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path below the top folder.
    pub path: String,
    /// The name of its content.
    pub blob: String,
}

impl Repository {
    /// Finds the repository around the working directory.
    pub fn open() -> Result<Repository, ReadError> {
        Repository::around(&std::env::current_dir().map_err(ReadError::about("working directory"))?)
    }

    /// Finds the repository around a folder, which stands for the working directory.
    pub fn around(folder: &Path) -> Result<Repository, ReadError> {
        let top = run(git().current_dir(folder).args(["rev-parse", "--show-toplevel"]))
            .map_err(|error| ReadError::new(format!("this needs a git repository: {error}")))?;
        let here = folder.canonicalize()?;
        let top = Path::new(top.trim_end_matches(['\n', '\r'])).canonicalize();
        let top = top.map_err(ReadError::about("top of the repository"))?;
        Ok(Repository { top, here })
    }

    /// Its top folder.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The full name of a commit.
    pub fn commit(&self, revision: &Revision) -> Result<String, ReadError> {
        let wanted = format!("{revision}^{{commit}}");
        let mut command = git();
        command.current_dir(&self.top).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]);
        let output = run(&mut command).map_err(|error| match error {
            GitError::Refused(said) if said.is_empty() => unknown(revision),
            error => error.into(),
        })?;
        let name = output.lines().last().unwrap_or_default();
        if name.len() < 40 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(unknown(revision));
        }
        Ok(name.to_owned())
    }

    /// The files of a commit at or below a path, in git's order, which is that of the bytes of their names.
    pub fn files(&self, commit: &str, path: &Path) -> Result<Vec<TreeFile>, ReadError> {
        let below = self.below_top(path)?;
        let mut command = git();
        command.current_dir(&self.top).args(["ls-tree", "-r", "-z", "--full-tree", commit, "--"]);
        if !below.as_os_str().is_empty() {
            command.arg(&below);
        }
        Ok(run(&mut command)?.split_terminator('\0').filter_map(tree_file).collect())
    }

    /// Returns the depth of a path below the top folder.
    pub fn depth(&self, path: &Path) -> Result<usize, ReadError> {
        Ok(self.below_top(path)?.components().count())
    }

    /// A path below the top folder as the user would write it in the working directory.
    pub fn shown(&self, path: &str) -> String {
        match self.here.strip_prefix(&self.top) {
            Ok(prefix) if !prefix.as_os_str().is_empty() => match Path::new(path).strip_prefix(prefix) {
                Ok(rest) => rest.display().to_string(),
                Err(_) => format!(":/{path}"),
            },
            _ => path.to_owned(),
        }
    }

    /// Starts reading contents.
    pub fn blobs(&self) -> Result<Blobs, ReadError> {
        let mut command = git();
        command.current_dir(&self.top).args(["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(questions), Some(answers)) => Ok(Blobs { child, questions, answers: BufReader::new(answers) }),
            _ => Err(ReadError::new("git cat-file has no pipes")),
        }
    }

    /// The path seen from the top folder; it need not exist any more.
    fn below_top(&self, path: &Path) -> Result<PathBuf, ReadError> {
        let mut whole = PathBuf::new();
        for part in self.here.join(path).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => {
                    whole.pop();
                }
                part => whole.push(part),
            }
        }
        // A link on the way is followed as far as the path exists.
        let whole = whole.canonicalize().unwrap_or(whole);
        let below = whole.strip_prefix(&self.top);
        below
            .map(Path::to_owned)
            .map_err(|_| ReadError::new(format!("{} is outside of the git repository", path.display())))
    }
}

/// True if the repository around one folder is that of another: in it, or of a linked worktree or submodule there.
///
/// A `.git` that somebody sent may lead to any repository of the user. That of a worktree or submodule leads back.
pub fn is_repository_of(folder: &Path, top: &Path) -> Result<bool, ReadError> {
    let git = || {
        let mut command = git();
        command.current_dir(folder);
        command
    };
    let answer = run(git().args(["rev-parse", "--absolute-git-dir", "--git-common-dir", "--git-path", "objects"]))?;
    let paths = answer.lines().map(|line| folder.join(line).canonicalize()).collect::<io::Result<Vec<_>>>()?;
    let [own, common, objects] = paths.as_slice() else {
        return Err(ReadError::new("git printed other paths"));
    };
    if own.starts_with(top) {
        return Ok(common.starts_with(top) && objects.starts_with(top));
    }
    let leads_back = |link: PathBuf| link.canonicalize().is_ok_and(|target| target == top);
    let worktree = std::fs::read_to_string(own.join("gitdir")).unwrap_or_default();
    let is_worktree = Path::new(worktree.trim_end()).parent().is_some_and(|folder| leads_back(folder.to_owned()));
    let config = own.join("config");
    let submodule = run(git().arg("config").arg("--file").arg(config).args(["--get", "core.worktree"]));
    let is_submodule = submodule.is_ok_and(|folder| leads_back(own.join(folder.trim_end())));
    Ok((is_worktree || is_submodule) && own.starts_with(common) && objects.starts_with(common))
}

/// Contents by name, read through one git process.
pub struct Blobs {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    /// The content with this name.
    pub fn read(&mut self, blob: &str) -> io::Result<Vec<u8>> {
        self.questions.write_all(format!("{blob}\n").as_bytes())?;
        self.questions.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let size = header.trim_end().rsplit_once(' ').and_then(|(_, size)| size.parse::<u64>().ok());
        let Some(size) = size.filter(|_| header.contains(" blob ")) else {
            return Err(io::Error::other(format!("git has no content {blob} (nothing is fetched)")));
        };
        let mut bytes = Vec::new();
        let kept = size.min(MAX_FILE_BYTES);
        (&mut self.answers).take(kept).read_to_end(&mut bytes)?;
        // The rest, and the line end behind the content.
        io::copy(&mut (&mut self.answers).take(size - kept + 1), &mut io::sink())?;
        match bytes.len() as u64 {
            length if length < kept => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "git ended early")),
            _ if size > kept => Err(too_large(MAX_FILE_BYTES)),
            _ => Ok(bytes),
        }
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It may have ended by itself, which is just as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A git command that never prompts, fetches nothing and takes paths literally.
fn git() -> Command {
    let mut command = Command::new("git");
    // A bare repository amid the files of another one has settings that somebody sent.
    command.args(["--no-pager", "-c", "safe.bareRepository=explicit"]).stdin(Stdio::null());
    for (name, value) in [
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command
}

/// A git command that yields nothing.
#[derive(Debug, thiserror::Error)]
enum GitError {
    /// Git ran and rejected it, with this message.
    #[error("git: {0}")]
    Refused(String),
    #[error("{0}")]
    Failed(ReadError),
}

impl From<GitError> for ReadError {
    fn from(error: GitError) -> ReadError {
        ReadError::new(error.to_string())
    }
}

fn run(command: &mut Command) -> Result<String, GitError> {
    let output = command.output().map_err(|error| GitError::Failed(not_started(&error)))?;
    if output.status.success() {
        let printed = String::from_utf8(output.stdout);
        return printed.map_err(|error| {
            GitError::Failed(ReadError::new(format!("git printed a name that is not UTF-8: {error}")))
        });
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or_default();
    Err(GitError::Refused(first.trim_start_matches("fatal: ").to_owned()))
}

/// The error for a revision that git does not know.
fn unknown(revision: &Revision) -> ReadError {
    ReadError::new(format!("git knows no revision {:?}: a shallow clone has to fetch it first", revision.0))
}

fn not_started(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::new("the git command is not installed"),
        _ => ReadError::new(format!("git: {error}")),
    }
}

/// One entry of `ls-tree -z`: mode, type, object, tab, path. Links and submodules are no files.
fn tree_file(entry: &str) -> Option<TreeFile> {
    let (head, path) = entry.split_once('\t')?;
    let mut head = head.split(' ');
    let mode = head.next()?;
    let blob = head.nth(1)?;
    mode.starts_with("100").then(|| TreeFile { path: path.to_owned(), blob: blob.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let file = tree_file("100644 blob 0123abcd\ta b/c.yaml").unwrap();
        assert_eq!((file.path.as_str(), file.blob.as_str()), ("a b/c.yaml", "0123abcd"));
        assert_eq!(tree_file("120000 blob 0123abcd\tlink"), None);
        assert_eq!(tree_file("160000 commit 0123abcd\tmodule"), None);
    }
}

//! The folder with the entries: this binary under the names that envtest starts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, anyhow};
use sprag_rest::Release;
use sprag_server::{Entry, RELEASE_FILE};

const KUBECTL: &str = "kubectl";

/// The patch release that a release answers as: `1.37.0`.
pub(super) fn version(release: Release) -> String {
    release.patch().map(|part| part.to_string()).join(".")
}

/// The operating system and the architecture by the names that Go has for them.
pub(super) fn os_and_arch() -> (&'static str, &'static str) {
    let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        "powerpc64" => "ppc64le",
        other => other,
    };
    (os, arch)
}

/// The same as text: `linux/amd64`.
pub(in crate::commands) fn platform() -> String {
    let (os, arch) = os_and_arch();
    format!("{os}/{arch}")
}

/// The folder, and the binary that is in it under other names.
pub(super) struct Assets {
    release: Release,
    folder: PathBuf,
    binary: PathBuf,
    length: u64,
    modified: SystemTime,
}

impl Assets {
    /// The assets of a release in a folder as setup-envtest lays it out; in the user's cache if none is given, where each binary has
    /// its own.
    pub(super) fn in_folder(given: Option<&Path>, release: Release) -> anyhow::Result<Assets> {
        let binary = std::env::current_exe().context("this binary cannot be found")?;
        let about = fs::metadata(&binary).with_context(|| format!("cannot read {}", binary.display()))?;
        let length = about.len();
        let modified = about.modified()?;
        let (os, arch) = os_and_arch();
        let version = version(release);
        let folder = if let Some(given) = given {
            std::path::absolute(given)?.join("k8s").join(format!("{version}-{os}-{arch}"))
        } else {
            let age = modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
            let name = format!("{version}-{os}-{arch}-{length:x}-{age:x}");
            cache()?.join("sprag").join("envtest").join(name)
        };
        Ok(Assets { release, folder, binary, length, modified })
    }

    /// True if all entries are there and are this binary.
    pub(super) fn is_made(&self) -> bool {
        self.names_release()
            && Entry::ALL.into_iter().all(|entry| self.is_entry(&self.folder.join(file_name(entry.name()))))
    }

    /// Makes the entries that are missing, or all; the folder. Others can do so at the same time.
    pub(super) fn make(&self, again: bool) -> anyhow::Result<PathBuf> {
        let failed = || format!("cannot make {}: name another folder with --bin-dir", self.folder.display());
        make_private(&self.folder).with_context(failed)?;
        // Before the programs, which read it.
        if again || !self.names_release() {
            self.name_release().with_context(failed)?;
        }
        for entry in Entry::ALL {
            let path = self.folder.join(file_name(entry.name()));
            if again || !self.is_entry(&path) {
                self.put(&path).with_context(failed)?;
            }
        }
        self.link_kubectl();
        Ok(self.folder.clone())
    }

    /// Removes the folder; whether there was one.
    pub(super) fn remove(&self) -> anyhow::Result<bool> {
        match fs::remove_dir_all(&self.folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).with_context(|| format!("cannot remove {}", self.folder.display())),
        }
    }

    /// True if the folder says which release its programs answer as.
    fn names_release(&self) -> bool {
        names_release(&self.folder, self.release)
    }

    fn name_release(&self) -> io::Result<()> {
        let path = self.folder.join(RELEASE_FILE);
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&temporary, format!("{}\n", self.release))?;
        fs::rename(&temporary, &path)
    }

    /// True if a file is this binary, by its length and the time of its last change.
    fn is_entry(&self, path: &Path) -> bool {
        let is_same = |about: fs::Metadata| about.len() == self.length && about.modified().ok() == Some(self.modified);
        fs::metadata(path).is_ok_and(is_same)
    }

    /// Puts this binary there: as one more name of the same file, which survives that the binary moves or is replaced, or as a
    /// copy on another file system. All or nothing.
    fn put(&self, path: &Path) -> io::Result<()> {
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let _ = fs::remove_file(&temporary);
        let put = || -> io::Result<()> {
            if fs::hard_link(&self.binary, &temporary).is_err() {
                fs::copy(&self.binary, &temporary)?;
                fs::File::options().append(true).open(&temporary)?.set_modified(self.modified)?;
            }
            fs::rename(&temporary, path)
        };
        let outcome = put();
        // Two names of one file stay when one is renamed to the other.
        let _ = fs::remove_file(&temporary);
        outcome
    }

    /// Lets envtest find the kubectl that the user has. Without one, what needs it fails as it does without the assets.
    fn link_kubectl(&self) {
        #[cfg(unix)]
        {
            let link = self.folder.join(KUBECTL);
            let Some(found) = on_path(KUBECTL).filter(|found| found.parent() != Some(&*self.folder)) else { return };
            if fs::read_link(&link).is_ok_and(|target| target == found) {
                return;
            }
            let temporary = self.folder.join(format!("{KUBECTL}.{}.tmp", std::process::id()));
            let linked = std::os::unix::fs::symlink(&found, &temporary).and_then(|()| fs::rename(&temporary, &link));
            if linked.is_err() {
                let _ = fs::remove_file(&temporary);
            }
        }
    }
}

/// True if a folder says that its programs answer as a release.
fn names_release(folder: &Path, release: Release) -> bool {
    fs::read_to_string(folder.join(RELEASE_FILE)).is_ok_and(|text| text.trim() == release.to_string())
}

/// Makes a folder with links to this binary under the names that envtest starts, for as long as the binary stays where it is.
#[cfg(unix)]
pub(in crate::commands) fn link_assets(folder: &Path, release: Release) -> anyhow::Result<PathBuf> {
    let failed = || format!("cannot make {}", folder.display());
    let binary = std::env::current_exe().context("this binary cannot be found")?;
    make_private(folder).with_context(failed)?;
    fs::write(folder.join(RELEASE_FILE), format!("{release}\n")).with_context(failed)?;
    let own = Entry::ALL.into_iter().map(|entry| (entry.name(), binary.clone()));
    for (name, target) in own.chain(on_path(KUBECTL).map(|kubectl| (KUBECTL, kubectl))) {
        std::os::unix::fs::symlink(target, folder.join(name)).with_context(failed)?;
    }
    Ok(folder.to_owned())
}

fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(unix)]
fn on_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(is_program)
}

/// Makes a folder that only its owner can use; those above it are made as usual.
fn make_private(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        outcome => return outcome,
    }
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// The folder for what programs can make again.
fn cache() -> anyhow::Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let found = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    found.ok_or_else(|| anyhow!("there is no cache folder: set HOME, or name a folder with --bin-dir"))
}

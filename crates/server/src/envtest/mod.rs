//! The two binaries that envtest starts, `kube-apiserver` and `etcd`, as this server answers for them.
//!
//! `sprag envtest path` makes a folder with both names. Which flags are taken is in two tables: [`flags::KUBE_APISERVER`]
//! and [`flags::ETCD`].

mod etcd;
mod flags;
mod kube_apiserver;
mod pflag;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sprag_rest::Release;

use self::etcd::etcd;
use self::kube_apiserver::kube_apiserver;

/// The file beside the programs that names the release of Kubernetes to answer as.
pub const RELEASE_FILE: &str = "kubernetes-version";

/// The longest text of that file.
const MAX_RELEASE: u64 = 64;

/// The name of a program that this one can be started as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The API server.
    KubeApiserver,
    /// The store that the API server asks for.
    Etcd,
}

impl Entry {
    /// All of them.
    pub const ALL: [Entry; 2] = [Entry::KubeApiserver, Entry::Etcd];

    /// The file name.
    pub fn name(self) -> &'static str {
        match self {
            Entry::KubeApiserver => "kube-apiserver",
            Entry::Etcd => "etcd",
        }
    }

    /// The entry that a program was started as: the last part of its path, without `.exe`.
    pub fn of(program: &OsStr) -> Option<Entry> {
        let name = Path::new(program).file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Entry::ALL.into_iter().find(|entry| entry.name() == name)
    }

    /// Runs as this program until the process receives a stop signal, and answers as the release that its folder names.
    pub fn run(self, program: &OsStr, arguments: &[String]) -> Result<(), crate::Error> {
        match self {
            Entry::KubeApiserver => kube_apiserver(release_beside(Path::new(program))?, arguments),
            Entry::Etcd => etcd(arguments),
        }
    }
}

/// The release that the folder of a program names; the newest where there is no such file.
fn release_beside(program: &Path) -> Result<Release, crate::Error> {
    let folder = match program.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        // It was found on the PATH.
        _ => std::env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned())).unwrap_or_default(),
    };
    let path = folder.join(RELEASE_FILE);
    let failed = |error| crate::Error::file("read", &path, error);
    let mut text = String::new();
    match File::open(&path).and_then(|file| file.take(MAX_RELEASE).read_to_string(&mut text)) {
        Ok(_) => text.trim().parse().map_err(|error| failed(io::Error::other(error))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Release::default()),
        Err(error) => Err(failed(error)),
    }
}

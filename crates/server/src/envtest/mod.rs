//! The two binaries that envtest starts, `kube-apiserver` and `etcd`, as this server answers for them.
//!
//! `sprag envtest path` makes a folder with both names. Which flags are taken is in two tables: [`flags::KUBE_APISERVER`]
//! and [`flags::ETCD`].

mod etcd;
mod flags;
mod kube_apiserver;
mod pflag;

use self::etcd::etcd;
use self::kube_apiserver::kube_apiserver;

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
    pub fn of(program: &std::ffi::OsStr) -> Option<Entry> {
        let name = std::path::Path::new(program).file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Entry::ALL.into_iter().find(|entry| entry.name() == name)
    }

    /// Runs as this program until the process receives a stop signal.
    pub fn run(self, arguments: &[String]) -> Result<(), crate::Error> {
        match self {
            Entry::KubeApiserver => kube_apiserver(arguments),
            Entry::Etcd => etcd(arguments),
        }
    }
}

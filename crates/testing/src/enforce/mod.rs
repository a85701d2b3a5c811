#![doc = include_str!("README.md")]

mod case;
mod checks;
mod discover;
mod edit;
mod exceptions;
mod practice;
mod remote;
mod repair;
mod report;
mod run;
mod schema;
mod seeds;
mod session;
mod target;

use std::path::{Path, PathBuf};

pub use self::exceptions::Exceptions;
pub use self::practice::{CHANGE_PRACTICES, PRACTICES, Practice};
pub use self::remote::Remote;
pub use self::report::{Finding, Report};
pub use self::target::{Start, Starting, Subject, Target, starting};

/// Holds every resource of a server against the best practices of Kubernetes APIs.
///
/// # Panics
///
/// If a resource does not follow a practice and no exception in the file says so, or if an exception is not needed. The
/// file may be missing.
#[track_caller]
pub fn enforce(target: &impl Target, exceptions: impl AsRef<Path>) {
    let report = Enforce::new().exceptions(exceptions).run(target).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.is_clean(), "{report}");
}

/// A check that a test brings along.
type OwnCheck = Box<dyn Fn() -> Result<(), String>>;

/// The same with settings, and with a [`Report`] in place of a panic.
///
/// ```no_run
/// use sprag_testing::enforce::{Enforce, Remote};
///
/// let report = Enforce::new().exceptions("api-exceptions.yaml").run(&Remote::from_kubeconfig(None)?)?;
/// assert!(report.is_clean(), "{report}");
/// # Ok::<(), String>(())
/// ```
#[derive(Default)]
pub struct Enforce {
    exceptions: Option<PathBuf>,
    seeds: Vec<PathBuf>,
    without: Vec<String>,
    only: Vec<String>,
    without_kubernetes: bool,
    strict: bool,
    generated: Vec<OwnCheck>,
}

impl Enforce {
    /// Everything at its default.
    pub fn new() -> Enforce {
        Enforce::default()
    }

    /// Reads exceptions from this file, which may be missing.
    #[must_use]
    pub fn exceptions(mut self, path: impl AsRef<Path>) -> Enforce {
        self.exceptions = Some(path.as_ref().to_owned());
        self
    }

    /// Takes the objects in this file of manifests, one of each kind, where others would be made of the `OpenAPI` document. A
    /// status in there is one that `/status` takes.
    #[must_use]
    pub fn seeds(mut self, path: impl AsRef<Path>) -> Enforce {
        self.seeds.push(path.as_ref().to_owned());
        self
    }

    /// Looks only at resources of this group; may be called several times.
    #[must_use]
    pub fn only_group(mut self, group: impl Into<String>) -> Enforce {
        self.only.push(group.into());
        self
    }

    /// Leaves resources of this group alone.
    #[must_use]
    pub fn without_group(mut self, group: impl Into<String>) -> Enforce {
        self.without.push(group.into());
        self
    }

    /// Leaves Kubernetes' own kinds alone, which takes most of the time.
    #[must_use]
    pub fn without_kubernetes(mut self) -> Enforce {
        self.without_kubernetes = true;
        self
    }

    /// Also demands that the exceptions that Kubernetes' own kinds have are needed: for servers that mean to be as
    /// Kubernetes is.
    #[must_use]
    pub fn strict_kubernetes(mut self) -> Enforce {
        self.strict = true;
        self
    }

    /// Also runs a check that generated code is current, under the practice `generated-code`: for code that is checked in, where
    /// `sprag_build::Config::verify` compares it with what the types yield.
    #[must_use]
    pub fn generated(mut self, check: impl Fn() -> Result<(), String> + 'static) -> Enforce {
        self.generated.push(Box::new(check));
        self
    }

    /// Looks at every resource of a server.
    pub fn run(&self, target: &impl Target) -> Result<Report, String> {
        run::run(self, target)
    }
}

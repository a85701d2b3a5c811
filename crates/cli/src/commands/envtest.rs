//! `sprag envtest`: the assets of controller-runtime's envtest, which are this binary under other names.

mod folder;
mod selector;

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, ValueEnum};
use sprag_rest::Release;

use super::Outcome;
use crate::output::Terminal;

#[cfg(unix)]
pub(super) use self::folder::link_assets;
pub(super) use self::folder::platform;

use self::folder::Assets;
use self::selector::Selector;

/// Serve tests that use envtest, in place of kube-apiserver and etcd.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EnvtestArgs {
    #[command(subcommand)]
    command: EnvtestCommand,
}

const EXAMPLES: &str = "\
Examples:
  KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...
  KUBEBUILDER_ASSETS=$(sprag envtest path --kubernetes-version 1.34) go test ./...
  sprag envtest use -p path 1.34.x!
  eval \"$(sprag envtest use -p env)\"
  sprag envtest list -i";

#[derive(Subcommand)]
enum EnvtestCommand {
    /// Print the folder with kube-apiserver and etcd, for `KUBEBUILDER_ASSETS`.
    Path(PathArgs),
    /// Print the folder as `setup-envtest use` does.
    Use(SetupArgs),
    /// List what there is, as `setup-envtest list` does.
    List(SetupArgs),
    /// List what there is, as `setup-envtest list -i` does.
    Installed(SetupArgs),
    /// Remove folders that were made, as `setup-envtest cleanup` does.
    Cleanup(SetupArgs),
    /// Take an archive as `setup-envtest sideload` does; it is not needed.
    Sideload(SetupArgs),
    /// Print the version.
    Version,
}

#[derive(Args)]
struct PathArgs {
    /// Release of Kubernetes to answer as, from 1.33 on; each has a folder of its own [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,

    /// Folder to make them in, in place of the user's cache
    #[arg(long, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
}

/// The flags of setup-envtest.
#[derive(Args)]
struct SetupArgs {
    /// Version that is wanted: `1.34`, `1.34.x`, `~1.34.0`, `<1.36`, `latest`, `latest-on-disk`; `!` behind it asks for the newest
    #[arg(value_name = "VERSION", default_value = "latest")]
    version: String,

    /// Output format
    #[arg(short, long, value_name = "FORM", default_value = "overview")]
    print: Form,

    /// Folder to make them in, in place of the user's cache
    #[arg(long, value_name = "DIR")]
    bin_dir: Option<PathBuf>,

    /// Look only at what is installed; nothing is ever downloaded
    #[arg(short, long)]
    installed_only: bool,

    /// Print the value of `KUBEBUILDER_ASSETS` if there is one
    #[arg(long)]
    use_env: bool,

    /// Make them anew
    #[arg(long)]
    force: bool,

    /// Accepted as setup-envtest does; without effect, since nothing is downloaded
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    verify: Option<bool>,

    /// Operating system; only this one is there
    #[arg(long, value_name = "OS")]
    os: Option<String>,

    /// Architecture; only this one is there
    #[arg(long, value_name = "ARCH")]
    arch: Option<String>,

    /// Accepted as setup-envtest does; without effect, since nothing is downloaded
    #[arg(long, value_name = "URL")]
    index: Option<String>,

    /// Accepted as setup-envtest does; without effect, since nothing is logged
    #[arg(short = 'v', value_name = "LEVEL")]
    level: Option<String>,
}

/// The output format of `use`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Overview,
    /// The path alone, without an end of line.
    Path,
    /// A line for a shell.
    Env,
}

/// Does what was asked for.
pub(super) fn run(args: &EnvtestArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.command {
        EnvtestCommand::Path(args) => {
            let path =
                Assets::in_folder(args.bin_dir.as_deref(), args.kubernetes_version.unwrap_or_default())?.make(false)?;
            writeln!(terminal.out(), "{}", path.display())?;
        }
        EnvtestCommand::Use(args) => args.use_assets(terminal)?,
        EnvtestCommand::List(args) => args.list(terminal, args.installed_only)?,
        EnvtestCommand::Installed(args) => args.list(terminal, true)?,
        EnvtestCommand::Cleanup(args) => args.clean_up(terminal)?,
        EnvtestCommand::Sideload(args) => {
            std::io::copy(&mut std::io::stdin().lock().take(u64::MAX), &mut std::io::sink())
                .context("standard input")?;
            note("the archive is not needed: kube-apiserver and etcd are this binary");
            args.use_assets(terminal)?;
        }
        EnvtestCommand::Version => writeln!(terminal.out(), "sprag envtest version: v{}", env!("CARGO_PKG_VERSION"))?,
    }
    Ok(Outcome::Clean)
}

impl SetupArgs {
    fn use_assets(&self, terminal: &mut Terminal) -> anyhow::Result<()> {
        // As setup-envtest's `--use-env` and its variable.
        let uses_env = self.use_env || std::env::var_os("ENVTEST_USE_ENV").is_some_and(|value| !value.is_empty());
        let given = std::env::var_os("KUBEBUILDER_ASSETS").filter(|path| uses_env && !path.is_empty());
        let mut release = Release::default();
        let path = if let Some(path) = given {
            PathBuf::from(path)
        } else {
            release = self.choose()?;
            self.assets(release)?.make(self.force)?
        };
        let path = path.to_str().context("the path of the folder is not UTF-8")?;
        let out = terminal.out();
        match self.print {
            Form::Overview => {
                writeln!(out, "Version: {}\nOS/Arch: {}\nPath: {path}", folder::version(release), folder::platform())?;
            }
            Form::Path => write!(out, "{path}")?,
            Form::Env => writeln!(out, "export KUBEBUILDER_ASSETS='{}'", path.replace('\'', r#"'"'"'"#))?,
        }
        Ok(())
    }

    fn list(&self, terminal: &mut Terminal, installed_only: bool) -> anyhow::Result<()> {
        for release in self.matching()? {
            let is_made = self.assets(release)?.is_made();
            if is_made || !installed_only {
                let state = if is_made { "(installed)" } else { "(available)" };
                writeln!(terminal.out(), "{state}  v{}  {}", folder::version(release), folder::platform())?;
            }
        }
        Ok(())
    }

    fn clean_up(&self, terminal: &mut Terminal) -> anyhow::Result<()> {
        for release in self.matching()? {
            if self.assets(release)?.remove()? {
                writeln!(terminal.out(), "removed {} ({})", folder::version(release), folder::platform())?;
            }
        }
        Ok(())
    }

    fn assets(&self, release: Release) -> anyhow::Result<Assets> {
        Assets::in_folder(self.bin_dir.as_deref(), release)
    }

    /// The releases that are asked for, the newest first; none for another platform.
    fn matching(&self) -> anyhow::Result<Vec<Release>> {
        let selector = Selector::parse(&self.version)?;
        let newest_first = Release::ALL.into_iter().rev();
        Ok(newest_first.filter(|release| selector.matches(release.patch()) && self.is_this_platform()).collect())
    }

    fn is_this_platform(&self) -> bool {
        let (os, arch) = folder::os_and_arch();
        let fits = |wanted: &Option<String>, this: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == "*" || wanted == this)
        };
        fits(&self.os, os) && fits(&self.arch, arch)
    }

    /// The newest release that is asked for, of those that are installed if others do not count. What is nearest takes the place of
    /// a release that is not there, and that is said.
    fn choose(&self) -> anyhow::Result<Release> {
        if !self.is_this_platform() {
            let wanted = format!("{}/{}", self.os.as_deref().unwrap_or("*"), self.arch.as_deref().unwrap_or("*"));
            bail!("no such version exists for {wanted}: run sprag there, this one is for {}", folder::platform());
        }
        let matching = self.matching()?;
        let is_made = |release: &&Release| self.assets(**release).is_ok_and(|assets| assets.is_made());
        let installed = matching.iter().find(is_made).filter(|_| self.installed_only);
        if let Some(release) = installed.or(matching.first()) {
            return Ok(*release);
        }
        let nearest = Selector::parse(&self.version)?.nearest();
        note(&format!("{} was asked for; the answers are those of {}", self.version, folder::version(nearest)));
        Ok(nearest)
    }
}

/// Says something that is no part of the answer. A closed stream is no reason to fail.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "sprag envtest: {text}");
}

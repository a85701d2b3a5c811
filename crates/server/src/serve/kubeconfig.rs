//! Kubeconfigs for others than the administrator, as a command.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use sprag_decode::yaml;

use crate::error::Error;
use crate::folder;
use crate::identity::{Identity, now};
use crate::kubeconfig::{Credentials, kubeconfig, server_of};

/// Print a kubeconfig for a user and groups, with a client certificate of the server's own authority.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Roles and bindings decide what the user may do. A certificate cannot be revoked: it is valid until it expires.

Examples:
  sprag kubeconfig --user ann --group dev > ann.kubeconfig
  KUBECONFIG=ann.kubeconfig kubectl auth whoami")]
pub struct KubeconfigArgs {
    /// The data folder of the server
    #[arg(long, value_name = "DIR", default_value = ".sprag")]
    pub data_dir: PathBuf,

    /// The name of the user
    #[arg(long, value_name = "NAME")]
    pub user: String,

    /// A group of the user; may be given several times
    #[arg(long, value_name = "GROUP")]
    pub group: Vec<String>,

    /// Days for which the certificate is valid; it expires with that of the authority at the latest
    #[arg(long, value_name = "DAYS", default_value_t = 365)]
    pub days: u32,

    /// URL at which clients reach the server, if not the one of its last start
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
}

impl KubeconfigArgs {
    /// Prints the kubeconfig.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        if self.user.is_empty() {
            return Err(Error::Usage("--user: a user has a name".to_owned()));
        }
        let authority = Identity::authority_in(&self.data_dir)?;
        let server = match &self.server {
            Some(server) => server.clone(),
            None => self.known_server()?,
        };
        let (certificate, key) = authority.issue_client(&self.user, &self.group, now(), self.days)?;
        let credentials = Credentials::Certificate { certificate: &certificate, key: &key };
        let text = kubeconfig(&server, authority.certificate(), credentials);
        let failed = |error| Error::file("write to", std::path::Path::new("standard output"), error);
        out.write_all(text.as_bytes()).map_err(failed)
    }

    /// The address that the server last recorded.
    fn known_server(&self) -> Result<String, Error> {
        let path = self.data_dir.join("kubeconfig");
        let text = folder::read(&path)?.unwrap_or_default();
        let server = yaml::decode(text.as_bytes()).ok().as_ref().and_then(server_of).map(str::to_owned);
        server.ok_or_else(|| {
            let path = path.display();
            Error::Usage(format!("{path}: no address of a server there: start `sprag serve` once, or give --server"))
        })
    }
}

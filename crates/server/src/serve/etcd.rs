//! Flags of the etcd connection, named as kube-apiserver's.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use sprag_storage::{EtcdOptions, EtcdTls, EtcdUser};

use crate::error::Error;
use crate::identity::given_secret;

/// Connection to etcd.
#[derive(Args, Clone, Debug, Default)]
pub struct EtcdArgs {
    /// Allow plain text to etcd on other machines
    #[arg(long)]
    pub etcd_insecure: bool,

    /// CA certificate of etcd; connections are encrypted then
    #[arg(long, value_name = "FILE")]
    pub etcd_cafile: Option<PathBuf>,

    /// Client certificate for etcd
    #[arg(long, value_name = "FILE", requires = "etcd_cafile", requires = "etcd_keyfile")]
    pub etcd_certfile: Option<PathBuf>,

    /// Key of the client certificate
    #[arg(long, value_name = "FILE", requires = "etcd_certfile")]
    pub etcd_keyfile: Option<PathBuf>,

    /// The name in etcd's certificate, if it is not the host in `--storage`
    #[arg(long, value_name = "NAME", requires = "etcd_cafile")]
    pub etcd_server_name: Option<String>,

    /// User name for etcd, if it has authentication
    #[arg(long, value_name = "NAME", requires = "etcd_password_file")]
    pub etcd_user: Option<String>,

    /// File with the password of that user
    #[arg(long, value_name = "FILE", requires = "etcd_user")]
    pub etcd_password_file: Option<PathBuf>,

    /// Prefix of all keys in etcd
    #[arg(long, value_name = "PREFIX", default_value = EtcdOptions::DEFAULT_PREFIX)]
    pub etcd_prefix: String,
}

impl EtcdArgs {
    /// The etcd options for these endpoints and this history.
    pub(crate) fn options(&self, endpoints: &str, history: Duration) -> Result<EtcdOptions, Error> {
        let mut options = EtcdOptions::new(endpoints.split(','));
        options.compact_every = Some(history);
        options.allow_plaintext = self.etcd_insecure;
        options.prefix.clone_from(&self.etcd_prefix);
        if let Some(authority) = &self.etcd_cafile {
            options.tls = Some(EtcdTls {
                authority: read(authority)?,
                identity: match (&self.etcd_certfile, &self.etcd_keyfile) {
                    (Some(certificate), Some(key)) => {
                        Some((read(certificate)?, given_secret("--etcd-keyfile", key)?.into_bytes()))
                    }
                    _ => None,
                },
                server_name: self.etcd_server_name.clone(),
            });
        }
        if let (Some(name), Some(file)) = (&self.etcd_user, &self.etcd_password_file) {
            let password = given_secret("--etcd-password-file", file)?;
            options.user = Some(EtcdUser { name: name.clone(), password });
        }
        Ok(options)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| Error::file("read", path, error))
}

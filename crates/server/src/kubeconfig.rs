//! The file by which clients find the server.

use std::path::Path;

use sprag_decode::yaml;
use sprag_value::{Object, Value, base64};

use crate::error::Error;
use crate::folder;
use crate::identity::{Identity, now};

/// A kubeconfig for a user and groups, with a client certificate of the server's own authority.
#[derive(Clone, Copy, Debug)]
pub struct ClientKubeconfig<'a> {
    /// The name of the user.
    pub user: &'a str,
    /// The groups of the user.
    pub groups: &'a [String],
    /// Days for which the certificate is valid; it expires with that of the authority at the latest.
    pub days: u32,
    /// The URL of the server, if not the one of its last start.
    pub server: Option<&'a str>,
}

impl ClientKubeconfig<'_> {
    /// Issues the certificate by the authority in the data folder of a server; returns the text of the kubeconfig.
    pub fn issue(&self, data_dir: &Path) -> Result<String, Error> {
        if self.user.is_empty() {
            return Err(Error::Usage("--user: a user has a name".to_owned()));
        }
        let authority = Identity::authority_in(data_dir)?;
        let server = match self.server {
            Some(server) => server.to_owned(),
            None => known_server(data_dir)?,
        };
        let (certificate, key) = authority.issue_client(self.user, self.groups, now(), self.days)?;
        let credentials = Credentials::Certificate { certificate: &certificate, key: &key };
        Ok(kubeconfig(&server, authority.certificate(), credentials))
    }
}

/// The address that the server last recorded.
fn known_server(data_dir: &Path) -> Result<String, Error> {
    let path = data_dir.join("kubeconfig");
    let text = folder::read(&path)?.unwrap_or_default();
    let server = yaml::decode(text.as_bytes()).ok().as_ref().and_then(server_of).map(str::to_owned);
    server.ok_or_else(|| {
        let path = path.display();
        Error::Usage(format!("{path}: no address of a server there: start `sprag serve` once, or give --server"))
    })
}

/// The credentials in a kubeconfig.
#[derive(Clone, Copy)]
pub(crate) enum Credentials<'c> {
    Token(&'c str),
    /// Both as PEM.
    Certificate {
        certificate: &'c str,
        key: &'c str,
    },
}

/// The address in a kubeconfig of ours.
fn server_of(config: &Value) -> Option<&str> {
    config.get("clusters")?.at(0)?.lookup(&["cluster", "server"])?.as_str()
}

/// The text of a kubeconfig for a server at an address, with the certificate of who vouches for it.
pub(crate) fn kubeconfig(server: &str, authority: &str, credentials: Credentials<'_>) -> String {
    const NAME: &str = "sprag";
    let one = |key: &'static str, value: Object| -> Value {
        [Value::Object(Object::from([("name", Value::from(NAME)), (key, Value::Object(value))]))].into_iter().collect()
    };
    let encoded = |pem: &str| base64::encode(pem.as_bytes());
    let authority = encoded(authority);
    let user = match credentials {
        Credentials::Token(token) => Object::from([("token", Value::from(token))]),
        Credentials::Certificate { certificate, key } => Object::from([
            ("client-certificate-data", Value::from(encoded(certificate))),
            ("client-key-data", Value::from(encoded(key))),
        ]),
    };
    let config = Object::from([
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("Config")),
        ("clusters", one("cluster", Object::from([("server", server), ("certificate-authority-data", &authority)]))),
        ("users", one("user", user)),
        ("contexts", one("context", Object::from([("cluster", NAME), ("user", NAME)]))),
        ("current-context", Value::from(NAME)),
    ]);
    yaml::to_string(&Value::Object(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_find_everything_in_it() {
        let config =
            yaml::decode(kubeconfig("https://127.0.0.1:1", "PEM", Credentials::Token("t")).as_bytes()).unwrap();
        let text = |list: &str, path: [&str; 2]| {
            config.get(list).and_then(|list| list.at(0)?.lookup(&path)?.as_str()).unwrap_or_default().to_owned()
        };
        assert_eq!(text("clusters", ["cluster", "server"]), "https://127.0.0.1:1");
        assert_eq!(text("clusters", ["cluster", "certificate-authority-data"]), "UEVN");
        assert_eq!(text("users", ["user", "token"]), "t");
        assert_eq!(text("contexts", ["context", "cluster"]), "sprag");
    }
}

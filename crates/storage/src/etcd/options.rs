//! Connection options of an etcd cluster.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity, Uri};

use crate::{Error, Result};

/// A connection that cannot be made in this time counts as failed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Keep-alive interval and timeout of idle connections.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(3));

/// Options of the etcd store.
#[derive(Clone, Debug)]
pub struct EtcdOptions {
    /// Its servers, as `host:port` or as addresses that begin with `https://` or `http://`.
    pub endpoints: Vec<String>,
    /// TLS of the connections; plain text is accepted only to the local machine.
    pub tls: Option<EtcdTls>,
    /// Allows plain text to other machines.
    pub allow_plaintext: bool,
    /// The user for a cluster with authentication.
    pub user: Option<EtcdUser>,
    /// The key prefix.
    pub prefix: String,
    /// Timeout of a request over all endpoints, after which the store counts as unavailable.
    pub timeout: Duration,
    /// Compaction interval; the servers of a cluster take turns. `None` leaves it to others.
    pub compact_every: Option<Duration>,
}

/// Certificates in PEM form.
#[derive(Clone)]
pub struct EtcdTls {
    /// The CA certificate of the etcd servers.
    pub authority: Vec<u8>,
    /// Our own certificate and its private key, if the servers ask for one.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// The name in the servers' certificates, if it is not their host name.
    pub server_name: Option<String>,
}

/// A user of etcd and its password.
#[derive(Clone)]
pub struct EtcdUser {
    /// The name of the user.
    pub name: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for EtcdUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdUser").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EtcdOptions {
    /// The default key prefix.
    pub const DEFAULT_PREFIX: &'static str = "/registry";
    /// Long enough for a cluster to elect a new leader.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
    /// As Kubernetes does.
    pub const DEFAULT_COMPACT_EVERY: Duration = Duration::from_mins(5);

    /// A cluster with these servers, and defaults for the rest.
    pub fn new(endpoints: impl IntoIterator<Item = impl Into<String>>) -> EtcdOptions {
        EtcdOptions {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            tls: None,
            allow_plaintext: false,
            user: None,
            prefix: Self::DEFAULT_PREFIX.to_owned(),
            timeout: Self::DEFAULT_TIMEOUT,
            compact_every: Some(Self::DEFAULT_COMPACT_EVERY),
        }
    }

    /// Connections to all servers, made when first used.
    pub(super) fn channels(&self) -> Result<Vec<Channel>> {
        if self.endpoints.is_empty() {
            return Err(refuse("no etcd server was given".into()));
        }
        if !self.prefix.starts_with('/') || self.prefix.ends_with('/') {
            return Err(refuse(format!("the prefix {:?} must begin and not end with a slash", self.prefix)));
        }
        self.endpoints.iter().map(|address| self.endpoint(address).map(|endpoint| endpoint.connect_lazy())).collect()
    }

    fn endpoint(&self, address: &str) -> Result<Endpoint> {
        let uri = self.uri(address)?;
        let endpoint = Channel::builder(uri)
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE.0)
            .keep_alive_timeout(KEEP_ALIVE.1)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let Some(tls) = &self.tls else { return Ok(endpoint) };
        let mut config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&tls.authority));
        if let Some((certificate, key)) = &tls.identity {
            config = config.identity(Identity::from_pem(certificate, key));
        }
        if let Some(name) = &tls.server_name {
            config = config.domain_name(name);
        }
        endpoint.tls_config(config).map_err(|error| refuse(format!("TLS for {address}: {}", with_causes(&error))))
    }

    /// The full address of a server, if it may be used.
    fn uri(&self, address: &str) -> Result<Uri> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let full = if address.contains("://") { address.to_owned() } else { format!("{scheme}://{address}") };
        let uri: Uri = full.parse().map_err(|error| refuse(format!("{address:?} is not an address: {error}")))?;
        if uri.scheme_str() != Some(scheme) {
            let why = if self.tls.is_some() { "certificates were given" } else { "no certificates were given" };
            return Err(refuse(format!("{address}: {why}, so the address must begin with {scheme}://")));
        }
        if uri.port().is_none() {
            return Err(refuse(format!("{address}: the port is missing")));
        }
        let local = uri.host().is_some_and(is_loopback);
        if self.tls.is_none() && !local && !self.allow_plaintext {
            return Err(refuse(format!("{address}: plain text to another machine must be allowed explicitly")));
        }
        Ok(uri)
    }
}

/// An error with everything that led to it.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn refuse(reason: String) -> Error {
    Error::Config { reason }
}

impl fmt::Debug for EtcdTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdTls").field("server_name", &self.server_name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: &EtcdOptions, expected: Result<(), &str>) {
        let found = options.endpoints.iter().try_for_each(|address| options.uri(address).map(drop));
        assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }

    #[test]
    fn plain_text_goes_to_this_machine_only() {
        check(&EtcdOptions::new(["127.0.0.1:2379", "localhost:2379", "http://[::1]:2379"]), Ok(()));
        let mut options = EtcdOptions::new(["10.0.0.1:2379"]);
        check(&options, Err("10.0.0.1:2379: plain text to another machine must be allowed explicitly"));
        options.allow_plaintext = true;
        check(&options, Ok(()));
        check(
            &EtcdOptions::new(["localhost.example.com:2379"]),
            Err("localhost.example.com:2379: plain text to another machine must be allowed explicitly"),
        );
    }

    #[test]
    fn scheme_and_certificates_agree() {
        let mut options = EtcdOptions::new(["https://127.0.0.1:2379"]);
        check(
            &options,
            Err("https://127.0.0.1:2379: no certificates were given, so the address must begin with http://"),
        );
        options.tls = Some(EtcdTls { authority: Vec::new(), identity: None, server_name: None });
        check(&options, Ok(()));
        options.endpoints = vec!["http://127.0.0.1:2379".into()];
        check(&options, Err("http://127.0.0.1:2379: certificates were given, so the address must begin with https://"));
    }

    #[test]
    fn an_address_needs_a_port() {
        check(&EtcdOptions::new(["localhost"]), Err("localhost: the port is missing"));
    }
}

//! This server as `kube-apiserver`, with the flags of upstream's.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgAction, CommandFactory as _, Parser as _};
use sprag_rest::Release;
use sprag_storage::{Etcd, Memory, Store};

use super::etcd::{self, Attached};
use super::flags::{KUBE_APISERVER, Use};
use super::pflag::{self, Given};
use crate::certificates::ServingCertificate;
use crate::error::Error;
use crate::folder;
use crate::serve::{ServeArgs, until_stopped};
use crate::server::Running;
use crate::version::{Asked, Reported};

/// As upstream's `SecureServingOptions` has them.
const DEFAULT_PORT: &str = "6443";
const DEFAULT_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
/// The name of the certificate and the key in `--cert-dir`, as upstream's `ServerCert.PairName`.
const PAIR_NAME: &str = "apiserver";
/// Grace period for open requests after a stop signal: tests wait for it.
const DRAIN: Duration = Duration::from_millis(50);

const HELP: &str = "\
Sprag as kube-apiserver: the API server that envtest and other tools start, with its flags. It runs no controllers.

Examples:
  KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...
  kube-apiserver --etcd-servers=http://127.0.0.1:2379 --cert-dir=/tmp/certs --bind-address=127.0.0.1 --secure-port=6443
  kube-apiserver --token-auth-file=tokens.csv --authorization-mode=RBAC --bind-address=127.0.0.1 -v=6
";

/// Runs as kube-apiserver until the process receives a stop signal.
pub(super) fn kube_apiserver(release: Release, arguments: &[String]) -> Result<(), Error> {
    let given = Given::parse(KUBE_APISERVER, arguments).map_err(Error::Usage)?;
    let mut out = std::io::stdout().lock();
    // A closed stream is no reason to fail.
    if given.is_on("help") {
        let _ = out.write_all(pflag::help(HELP, KUBE_APISERVER).as_bytes());
        return Ok(());
    }
    let values = given.iter().filter(|(flag, _)| flag.name == "version").map(|(_, value)| value);
    let version = match Asked::parse(release, values).map_err(Error::Usage)? {
        Asked::Print(text) => {
            let _ = writeln!(out, "{text}");
            return Ok(());
        }
        Asked::Serve(version) => version,
    };
    drop(out);
    if let Some(why) = given.refused() {
        return Err(Error::Usage(why));
    }
    let args = serve_args(release, &given)?;
    args.start_log()?;
    given.log_ignored();
    until_stopped(start(&args, &given, version), std::future::pending(), |(running, _)| {
        tracing::info!(url = running.url(), "serving");
        Ok(())
    })
}

async fn start(args: &ServeArgs, given: &Given, version: Reported) -> Result<(Running, Option<Attached>), Error> {
    args.check_listen()?;
    let host = given.get("external-hostname").or(given.get("advertise-address")).filter(|host| !host.is_empty());
    let server = args
        .server()?
        .controllers(false)
        .namespace_accounts(false)
        .drain(DRAIN)
        .version(version.emulating(args.emulated()));
    let (store, attached) = store(args, given).await?;
    let mut server = server.store(store);
    if let Some(host) = host {
        server = server.advertise(host);
    }
    if let Some(address) = parsed::<IpAddr>(given, "advertise-address", "an IP address")? {
        server = server.endpoint_address(address);
    }
    if given.get("endpoint-reconciler-type") == Some("none") {
        server = server.without_endpoints();
    }
    if let Some(port) = parsed::<u16>(given, "kubernetes-service-node-port", "a port")? {
        server = server.kubernetes_node_port(port);
    }
    if args.tls_cert_file.is_none()
        && let Some(folder) = given.get("cert-dir").filter(|folder| !folder.is_empty())
    {
        let certificate = certificate_in(Path::new(folder), &server.certificate_names())?;
        server = server.serving_certificate(certificate);
    }
    Ok((server.start().await?, attached))
}

/// The flags of `sprag serve` that say the same.
fn serve_args(release: Release, given: &Given) -> Result<ServeArgs, Error> {
    let address: IpAddr = parsed(given, "bind-address", "an IP address")?.unwrap_or(DEFAULT_ADDRESS);
    let port = given.get("secure-port").unwrap_or(DEFAULT_PORT);
    let port: u16 = port.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        // As upstream's SecureServingOptions.Validate.
        Error::Usage(format!(
            "--secure-port {port} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
        ))
    })?;
    let mut words = vec!["kube-apiserver".to_owned(), format!("--listen={}", SocketAddr::new(address, port))];
    words.push(format!("--log={}", log_filter(given)));
    words.push(format!("--kubernetes-version={release}"));
    if let Some(age) = given.get("etcd-compaction-interval") {
        words.push(format!("--history={age}"));
    }
    if let Some(names) = given.get("admission-control").filter(|names| !names.is_empty()) {
        words.push(format!("--enable-admission-plugins={names}"));
    }
    let serve = ServeArgs::command();
    let repeats = |name: &str| {
        let known = serve.get_arguments().find(|argument| argument.get_long() == Some(name));
        known.is_some_and(|argument| matches!(argument.get_action(), ArgAction::Append))
    };
    for (flag, value) in given.iter().filter(|(flag, _)| matches!(flag.use_of, Use::Serve(_))) {
        // Of a flag with one value the last counts, as in pflag; an empty one is the default.
        let counts = repeats(flag.name) || given.get(flag.name).is_some_and(|last| std::ptr::eq(last, value));
        if counts && !value.is_empty() {
            words.push(format!("--{}={value}", flag.name));
        }
    }
    ServeArgs::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        Error::Usage(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    })
}

/// The log filter for a klog level.
fn log_filter(given: &Given) -> &'static str {
    match given.get("v").and_then(|level| level.parse::<u32>().ok()).unwrap_or(0) {
        0..2 => "warn",
        2..4 => "info,access=warn",
        4..6 => "info,sprag_server=debug,access=warn",
        _ => "info,sprag_server=debug",
    }
}

fn parsed<T: std::str::FromStr>(given: &Given, name: &str, what: &str) -> Result<Option<T>, Error> {
    let Some(text) = given.get(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let value = text
        .parse()
        .map_err(|_| Error::Usage(format!("invalid argument {text:?} for \"--{name}\" flag: it is not {what}")))?;
    Ok(Some(value))
}

/// The store: in memory without an etcd or with Sprag's own, else etcd.
async fn store(args: &ServeArgs, given: &Given) -> Result<(Arc<dyn Store>, Option<Attached>), Error> {
    let servers: Vec<&str> =
        given.iter().filter(|(flag, _)| flag.name == "etcd-servers").flat_map(|(_, value)| value.split(',')).collect();
    let memory = || -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(Memory::with(args.retention()?, Arc::new(sprag_storage::SystemClock))))
    };
    let servers: Vec<&str> = servers.into_iter().filter(|server| !server.is_empty()).collect();
    if servers.is_empty() {
        // As upstream's EtcdOptions.Validate.
        return Err(Error::Usage("--etcd-servers must be specified".to_owned()));
    }
    if let Some(attached) = etcd::attach(&servers).await? {
        return Ok((memory()?, Some(attached)));
    }
    let options = args.etcd.options(&servers.join(","), args.retention()?.age)?;
    Ok((Arc::new(Etcd::connect(&options).await?), None))
}

/// The certificate in a folder, created if missing, as upstream's `MaybeDefaultWithSelfSignedCerts` does.
fn certificate_in(folder: &Path, names: &[String]) -> Result<ServingCertificate, Error> {
    let pair: [PathBuf; 2] = ["crt", "key"].map(|end| folder.join(PAIR_NAME).with_extension(end));
    let [certificate, key] = &pair;
    if let (Some(chain), Some(key)) = (folder::read(certificate)?, folder::read(key)?) {
        return Ok(ServingCertificate { chain, key });
    }
    let made = ServingCertificate::new(names)?;
    folder::write_private(key, &made.key)?;
    folder::write_private(certificate, &made.chain)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Result<ServeArgs, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let given = Given::parse(KUBE_APISERVER, &words)?;
        serve_args(Release::default(), &given).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_are_those_of_serve_under_other_names() {
        let args = args(&[
            "--bind-address=::1",
            "--secure-port",
            "7443",
            "--max-requests-inflight=5",
            "--max-requests-inflight=6",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--etcd-compaction-interval=1m",
            "--feature-gates=",
            "-v=6",
        ]);
        let args = args.unwrap();
        assert_eq!(args.listen.to_string(), "[::1]:7443");
        assert_eq!((args.max_requests_inflight, &*args.history), (6, "1m"));
        assert_eq!(args.log, "info,sprag_server=debug");
    }

    #[test]
    fn wrong_values_name_the_flag() {
        let check = |words: &[&str], expected: &str| {
            let error = args(words).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(&["--secure-port=0"], "--secure-port 0 must be between 1 and 65535");
        check(&["--secure-port=x"], "--secure-port x must be between 1 and 65535");
        check(&["--bind-address=here"], "invalid argument \"here\" for \"--bind-address\" flag");
        check(&["--max-requests-inflight=many"], "invalid value 'many' for '--max-requests-inflight");
    }
}

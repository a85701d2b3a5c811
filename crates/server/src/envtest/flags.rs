//! The flags of kube-apiserver and etcd, and what each does here. `tests/flags/` has the names that upstream knows.

/// A flag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flag {
    /// The name, without dashes.
    pub(super) name: &'static str,
    pub(super) short: Option<&'static str>,
    pub(super) takes: Takes,
    pub(super) use_of: Use,
}

/// The argument of a flag: required or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A value.
    Value,
    /// `true` unless something else is said behind `=`.
    Switch,
    /// The same, and the words behind `=` are the flag's own.
    SwitchOrText,
}

/// Support for a flag of kube-apiserver, with an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The same as the flag of this name of `sprag serve`.
    Serve(&'static str),
    /// Something of its own.
    Here(&'static str),
    /// Nothing, and nothing is lost by that.
    Ignored(&'static str),
    /// The server does not start.
    Refused(&'static str),
}

impl Flag {
    const fn switch(self) -> Flag {
        Flag { takes: Takes::Switch, ..self }
    }

    const fn switch_or_text(self) -> Flag {
        Flag { takes: Takes::SwitchOrText, ..self }
    }

    const fn short(self, short: &'static str) -> Flag {
        Flag { short: Some(short), ..self }
    }
}

const fn flag(name: &'static str, use_of: Use) -> Flag {
    Flag { name, short: None, takes: Takes::Value, use_of }
}

const fn serve(name: &'static str, about: &'static str) -> Flag {
    flag(name, Use::Serve(about))
}

const fn here(name: &'static str, about: &'static str) -> Flag {
    flag(name, Use::Here(about))
}

const fn ignored(name: &'static str, why: &'static str) -> Flag {
    flag(name, Use::Ignored(why))
}

const fn refused(name: &'static str, why: &'static str) -> Flag {
    flag(name, Use::Refused(why))
}

/// The flags of kube-apiserver, sorted by name.
#[rustfmt::skip]
pub(super) static KUBE_APISERVER: &[Flag] = &[
    here("admission-control", "Old name of --enable-admission-plugins"),
    serve("admission-control-config-file", "Configurations of admission plug-ins, an AdmissionConfiguration"),
    here("advertise-address", "The address by which clients reach the server"),
    ignored("aggregator-reject-forwarding-redirect", "no API is served by others").switch(),
    ignored("allow-metric-labels", "metrics are always as they are by default"),
    ignored("allow-metric-labels-manifest", "metrics are always as they are by default"),
    ignored("allow-privileged", "privileged pods are always allowed").switch(),
    serve("anonymous-auth", "Let requests without credentials in as system:anonymous").switch(),
    serve("api-audiences", "Names that tokens of service accounts are for"),
    ignored("apiserver-count", "the addresses of the kubernetes service are kept by each server"),
    ignored("audit-log-batch-buffer-size", "events are written one by one"),
    ignored("audit-log-batch-max-size", "events are written one by one"),
    ignored("audit-log-batch-max-wait", "events are written one by one"),
    ignored("audit-log-batch-throttle-burst", "events are written one by one"),
    ignored("audit-log-batch-throttle-enable", "events are written one by one").switch(),
    ignored("audit-log-batch-throttle-qps", "events are written one by one"),
    ignored("audit-log-compress", "files put aside are not compressed").switch(),
    serve("audit-log-format", "Form of the lines of the audit log"),
    serve("audit-log-maxage", "Days for which files put aside are kept"),
    serve("audit-log-maxbackup", "Files put aside that are kept"),
    serve("audit-log-maxsize", "Megabytes after which the file is put aside"),
    ignored("audit-log-mode", "a request waits a second at most for the log, and never fails for it"),
    serve("audit-log-path", "File of the audit log"),
    ignored("audit-log-truncate-enabled", "bodies above 8 MiB are left out").switch(),
    ignored("audit-log-truncate-max-batch-size", "bodies above 8 MiB are left out"),
    ignored("audit-log-truncate-max-event-size", "bodies above 8 MiB are left out"),
    ignored("audit-log-version", "events are of audit.k8s.io/v1"),
    serve("audit-policy-file", "Requests that are recorded in the audit log, and how much of them"),
    ignored("audit-webhook-batch-buffer-size", "there is no audit webhook"),
    ignored("audit-webhook-batch-initial-backoff", "there is no audit webhook"),
    ignored("audit-webhook-batch-max-size", "there is no audit webhook"),
    ignored("audit-webhook-batch-max-wait", "there is no audit webhook"),
    ignored("audit-webhook-batch-throttle-burst", "there is no audit webhook"),
    ignored("audit-webhook-batch-throttle-enable", "there is no audit webhook").switch(),
    ignored("audit-webhook-batch-throttle-qps", "there is no audit webhook"),
    refused("audit-webhook-config-file", "events go to --audit-log-path only"),
    ignored("audit-webhook-initial-backoff", "there is no audit webhook"),
    ignored("audit-webhook-mode", "there is no audit webhook"),
    ignored("audit-webhook-truncate-enabled", "there is no audit webhook").switch(),
    ignored("audit-webhook-truncate-max-batch-size", "there is no audit webhook"),
    ignored("audit-webhook-truncate-max-event-size", "there is no audit webhook"),
    ignored("audit-webhook-version", "there is no audit webhook"),
    refused("authentication-config", "use --client-ca-file, --token-auth-file or service accounts"),
    ignored("authentication-token-webhook-cache-ttl", "no webhook is asked"),
    refused("authentication-token-webhook-config-file", "use --client-ca-file, --token-auth-file or service accounts"),
    ignored("authentication-token-webhook-version", "no webhook is asked"),
    refused("authorization-config", "use --authorization-mode=RBAC"),
    serve("authorization-mode", "Who decides what a user may do: RBAC, Node, AlwaysAllow, AlwaysDeny, or a list of them"),
    refused("authorization-policy-file", "use --authorization-mode=RBAC"),
    ignored("authorization-webhook-cache-authorized-ttl", "no webhook is asked"),
    ignored("authorization-webhook-cache-unauthorized-ttl", "no webhook is asked"),
    refused("authorization-webhook-config-file", "use --authorization-mode=RBAC"),
    ignored("authorization-webhook-version", "no webhook is asked"),
    here("bind-address", "The address to listen on"),
    here("cert-dir", "Folder with apiserver.crt and apiserver.key, which are made at need"),
    serve("client-ca-file", "Certificates of who vouches for clients"),
    ignored("contention-profiling", "this server has no Go profiles").switch(),
    ignored("coordinated-leadership-lease-duration", "it only tunes the original"),
    ignored("coordinated-leadership-renew-deadline", "it only tunes the original"),
    ignored("coordinated-leadership-retry-period", "it only tunes the original"),
    refused("cors-allowed-origins", "browsers of other origins are not let in"),
    ignored("debug-socket-path", "this server has no Go profiles"),
    serve("default-not-ready-toleration-seconds", "How many seconds pods stay on a node that is not ready"),
    serve("default-unreachable-toleration-seconds", "How many seconds pods stay on a node that is unreachable"),
    ignored("default-watch-cache-size", "the watch cache sizes itself"),
    ignored("delete-collection-workers", "it only tunes the original"),
    serve("disable-admission-plugins", "Admission plug-ins to switch off"),
    ignored("disable-http2-serving", "clients choose; HTTP/1.1 is always served").switch(),
    ignored("disabled-metrics", "metrics are always as they are by default"),
    refused("egress-selector-config-file", "connections go out directly"),
    serve("emulated-version", "The release whose feature gates are in force"),
    refused("emulation-forward-compatible", "the API is that of one release").switch(),
    serve("enable-admission-plugins", "Admission plug-ins to switch on beside those that are on"),
    ignored("enable-aggregator-routing", "no API is served by others").switch(),
    refused("enable-bootstrap-token-auth", "use --token-auth-file").switch(),
    ignored("enable-garbage-collector", "a server started this way runs no garbage collector, and finalizers of deletion are always set as asked").switch(),
    ignored("enable-logs-handler", "there is no folder of logs to show").switch(),
    ignored("enable-priority-and-fairness", "requests at once are limited by --max-requests-inflight and --max-mutating-requests-inflight").switch(),
    refused("encryption-provider-config", "objects are not encrypted"),
    ignored("encryption-provider-config-automatic-reload", "objects are not encrypted").switch(),
    here("endpoint-reconciler-type", "Whether the addresses of the kubernetes service are kept: none leaves them alone"),
    serve("etcd-cafile", "Certificate of who vouches for etcd"),
    serve("etcd-certfile", "Our certificate for etcd"),
    here("etcd-compaction-interval", "How long history is kept"),
    ignored("etcd-count-metric-poll-period", "it only tunes the original"),
    ignored("etcd-db-metric-poll-interval", "it only tunes the original"),
    ignored("etcd-healthcheck-timeout", "it only tunes the original"),
    serve("etcd-keyfile", "The key of our certificate for etcd"),
    serve("etcd-prefix", "What all keys in etcd begin with"),
    ignored("etcd-readycheck-timeout", "it only tunes the original"),
    here("etcd-servers", "Where objects are kept: in this process if that is our own etcd, else there"),
    refused("etcd-servers-overrides", "all objects are kept in one place; use --etcd-servers"),
    ignored("event-ttl", "events are kept for an hour"),
    here("external-hostname", "The host name by which clients reach the server"),
    serve("feature-gates", "Features to switch: Name=true,Other=false"),
    ignored("goaway-chance", "it only tunes the original"),
    here("help", "Print this").switch().short("h"),
    ignored("http2-max-streams-per-connection", "it only tunes the original"),
    ignored("kubelet-certificate-authority", "there are no kubelets to connect to"),
    ignored("kubelet-client-certificate", "there are no kubelets to connect to"),
    ignored("kubelet-client-key", "there are no kubelets to connect to"),
    ignored("kubelet-port", "there are no kubelets to connect to"),
    ignored("kubelet-preferred-address-types", "there are no kubelets to connect to"),
    ignored("kubelet-read-only-port", "there are no kubelets to connect to"),
    ignored("kubelet-timeout", "there are no kubelets to connect to"),
    here("kubernetes-service-node-port", "The port of nodes for the kubernetes service"),
    ignored("lease-reuse-duration-seconds", "it only tunes the original"),
    ignored("livez-grace-period", "the server answers once it is ready"),
    ignored("log-flush-frequency", "the log has one form; use -v to log more"),
    ignored("log-json-info-buffer-size", "the log has one form; use -v to log more"),
    ignored("log-json-split-stream", "the log has one form; use -v to log more").switch(),
    ignored("log-text-info-buffer-size", "the log has one form; use -v to log more"),
    ignored("log-text-split-stream", "the log has one form; use -v to log more").switch(),
    ignored("logging-format", "the log has one form; use -v to log more"),
    ignored("max-connection-bytes-per-sec", "it only tunes the original"),
    serve("max-mutating-requests-inflight", "Requests at once that write"),
    serve("max-requests-inflight", "Requests at once that read"),
    refused("min-compatibility-version", "the API is that of one release"),
    ignored("min-request-timeout", "watches last as long as their clients ask"),
    refused("oidc-ca-file", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-client-id", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-groups-claim", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-groups-prefix", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-issuer-url", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-required-claim", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-signing-algs", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-username-claim", "use --client-ca-file, --token-auth-file or service accounts"),
    refused("oidc-username-prefix", "use --client-ca-file, --token-auth-file or service accounts"),
    ignored("peer-advertise-ip", "requests are not passed on to other servers"),
    ignored("peer-advertise-port", "requests are not passed on to other servers"),
    ignored("peer-ca-file", "requests are not passed on to other servers"),
    ignored("permit-address-sharing", "it only tunes the original").switch(),
    ignored("permit-port-sharing", "it only tunes the original").switch(),
    ignored("profiling", "this server has no Go profiles").switch(),
    ignored("proxy-client-cert-file", "no API is served by others"),
    ignored("proxy-client-key-file", "no API is served by others"),
    serve("request-timeout", "Time for a request"),
    serve("requestheader-allowed-names", "Names of front proxies"),
    serve("requestheader-client-ca-file", "Certificates of who vouches for front proxies"),
    serve("requestheader-extra-headers-prefix", "Headers with more about the user, from a front proxy"),
    serve("requestheader-group-headers", "Headers with groups, from a front proxy"),
    serve("requestheader-uid-headers", "Headers with the uid, from a front proxy"),
    serve("requestheader-username-headers", "Headers with the user name, from a front proxy"),
    serve("runtime-config", "API versions to switch: group/version=false"),
    refused("runtime-config-emulation-forward-compatible", "the API is that of one release").switch(),
    here("secure-port", "The port to listen on"),
    ignored("service-account-extend-token-expiration", "tokens live as long as was asked for, and 3607 seconds is taken as upstream takes it").switch(),
    serve("service-account-issuer", "Who issues tokens of service accounts"),
    serve("service-account-jwks-uri", "Where clients find the keys of tokens"),
    serve("service-account-key-file", "Keys that tokens of service accounts are checked with"),
    ignored("service-account-lookup", "tokens of service accounts that are gone are always refused").switch(),
    refused("service-account-max-token-expiration", "tokens live as long as was asked for"),
    refused("service-account-signing-endpoint", "use --service-account-signing-key-file"),
    serve("service-account-signing-key-file", "The key that signs tokens of service accounts"),
    serve("service-cluster-ip-range", "Addresses for services"),
    serve("service-node-port-range", "Ports of nodes for services"),
    ignored("show-hidden-metrics-for-version", "metrics are always as they are by default"),
    ignored("shutdown-delay-duration", "the server stops at once"),
    ignored("shutdown-send-retry-after", "the server stops at once").switch(),
    ignored("shutdown-watch-termination-grace-period", "the server stops at once"),
    ignored("storage-backend", "it is etcd3 if there is a real etcd"),
    ignored("storage-initialization-timeout", "it only tunes the original"),
    ignored("storage-media-type", "objects are kept in this server's own form"),
    ignored("strict-transport-security-directives", "no browser talks to this server"),
    serve("tls-cert-file", "The certificate of the server"),
    ignored("tls-cipher-suites", "only safe suites are offered"),
    ignored("tls-curve-preferences", "only safe curves are offered"),
    ignored("tls-min-version", "versions below TLS 1.2 are never taken"),
    serve("tls-private-key-file", "The key of that certificate"),
    refused("tls-sni-cert-key", "one certificate is served; use --tls-cert-file"),
    serve("token-auth-file", "A file of bearer tokens: token,user,uid,\"group1,group2\""),
    refused("tracing-config-file", "there are no traces"),
    here("v", "How much to log: from 2 on information, from 4 on details, from 6 on every request"),
    here("version", "Print the version, all about it with =raw, or report another one with =vX.Y.Z...").switch_or_text(),
    ignored("vmodule", "the log has one form; use -v to log more"),
    ignored("watch-cache", "the watch cache sizes itself").switch(),
    ignored("watch-cache-sizes", "the watch cache sizes itself"),
];

const NO_DATA: &str = "no data is held, and there are no peers";
const NO_LOG: &str = "nothing is logged";

/// The flags of etcd, sorted by name.
#[rustfmt::skip]
pub(super) static ETCD: &[Flag] = &[
    ignored("advertise-client-urls", NO_DATA),
    ignored("auto-compaction-mode", NO_DATA),
    ignored("auto-compaction-retention", NO_DATA),
    refused("auto-tls", "give --cert-file and --key-file").switch(),
    ignored("backend-batch-interval", NO_DATA),
    ignored("backend-batch-limit", NO_DATA),
    here("cert-file", "The certificate for https addresses"),
    refused("client-cert-auth", "clients show no certificates to a store that holds no data").switch(),
    refused("config-file", "give flags").short("c"),
    ignored("data-dir", NO_DATA),
    ignored("election-timeout", NO_DATA),
    ignored("enable-pprof", "there are no Go profiles").switch(),
    ignored("enable-v2", NO_DATA).switch(),
    ignored("experimental-initial-corrupt-check", NO_DATA).switch(),
    ignored("experimental-watch-progress-notify-interval", NO_DATA),
    ignored("force-new-cluster", NO_DATA).switch(),
    ignored("heartbeat-interval", NO_DATA),
    here("help", "Print this").switch().short("h"),
    ignored("initial-advertise-peer-urls", NO_DATA),
    ignored("initial-cluster", NO_DATA),
    ignored("initial-cluster-state", NO_DATA),
    ignored("initial-cluster-token", NO_DATA),
    here("key-file", "The key of that certificate"),
    here("listen-client-urls", "Where to answer: http://host:port, https://host:port or unix://path, behind commas"),
    ignored("listen-metrics-urls", "there are no metrics"),
    ignored("listen-peer-urls", NO_DATA),
    ignored("log-format", NO_LOG),
    ignored("log-level", NO_LOG),
    ignored("log-outputs", NO_LOG),
    ignored("logger", NO_LOG),
    ignored("max-request-bytes", NO_DATA),
    ignored("max-snapshots", NO_DATA),
    ignored("max-txn-ops", NO_DATA),
    ignored("max-wals", NO_DATA),
    ignored("metrics", "there are no metrics"),
    ignored("name", NO_DATA),
    ignored("peer-cert-file", NO_DATA),
    ignored("peer-client-cert-auth", NO_DATA).switch(),
    ignored("peer-key-file", NO_DATA),
    ignored("peer-trusted-ca-file", NO_DATA),
    ignored("quota-backend-bytes", NO_DATA),
    ignored("snapshot-count", NO_DATA),
    ignored("trusted-ca-file", "clients show no certificates to a store that holds no data"),
    ignored("unsafe-no-fsync", NO_DATA).switch(),
    here("version", "Print the version").switch(),
    ignored("wal-dir", NO_DATA),
    ignored("watch-progress-notify-interval", NO_DATA),
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// The output of `kube-apiserver --help`.
    const UPSTREAM: &str = include_str!("../../tests/flags/kube-apiserver.txt");

    #[test]
    fn every_flag_of_upstream_has_its_place() {
        let known: Vec<&str> = KUBE_APISERVER.iter().map(|flag| flag.name).collect();
        assert!(known.is_sorted_by(|a, b| a < b));
        assert_eq!(known, UPSTREAM.lines().collect::<Vec<_>>());
        assert!(ETCD.iter().map(|flag| flag.name).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn flags_that_are_passed_on_are_known_there() {
        let serve = crate::ServeArgs::command();
        for flag in KUBE_APISERVER.iter().filter(|flag| matches!(flag.use_of, Use::Serve(_))) {
            assert!(serve.get_arguments().any(|known| known.get_long() == Some(flag.name)), "--{}", flag.name);
        }
    }
}

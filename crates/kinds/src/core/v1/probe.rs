//! Health checks and lifecycle hooks of containers.

use serde::{Deserialize, Serialize};
use sprag_value::IntOrString;
use sprag_value::wire::is_zero;

/// Header of an HTTP probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HTTPHeader {
    /// Name of the header, canonicalized on output.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Value of the header.
    ///
    /// +required
    /// +protobuf=2
    pub value: String,
}

/// Wire protocol of an HTTP probe.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HTTPProtocol(pub String);

impl HTTPProtocol {
    /// HTTP/1.1.
    pub const HTTP_PROTOCOL_HTTP1: &'static str = "HTTP1";
    /// HTTP/2.
    pub const HTTP_PROTOCOL_HTTP2: &'static str = "HTTP2";
}

/// HTTP GET request.
///
/// +sprag:validatedBy=validateHTTPGetAction
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HTTPGetAction {
    /// Path of the request.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="/"
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Port number from 1 to 65535 or name of a port of the container.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:intOrString=port
    /// +protobuf=2
    pub port: IntOrString,
    /// Host to connect to; the pod's IP address by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Scheme of the connection; HTTP by default.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default="HTTP"
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub scheme: URIScheme,
    /// Headers of the request; names may repeat.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http_headers: Vec<HTTPHeader>,
    /// Wire protocol of the connection; HTTP/1.1 by default.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +featureGate=H2CContainerProbe
    /// +sprag:called
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<HTTPProtocol>,
}

/// Scheme of an HTTP probe.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct URIScheme(pub String);

impl URIScheme {
    /// Plain HTTP.
    pub const URI_SCHEME_HTTP: &'static str = "HTTP";
    /// HTTP over TLS.
    pub const URI_SCHEME_HTTPS: &'static str = "HTTPS";
}

/// TCP connection to a port.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TCPSocketAction {
    /// Port number from 1 to 65535 or name of a port of the container.
    ///
    /// +required
    /// +kinds:intOrString=port
    /// +protobuf=1
    pub port: IntOrString,
    /// Host to connect to; the pod's IP address by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
}

/// Call of the gRPC health service.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GRPCAction {
    /// Port of the gRPC service, from 1 to 65535.
    ///
    /// +required
    /// +kinds:range(min:1,max:65535)
    /// +protobuf=1
    pub port: i32,
    /// Name of the service in the health check request; unset leaves the choice to gRPC.
    ///
    /// +optional
    /// +default=""
    /// +protobuf=2
    pub service: Option<String>,
    /// Mode of the connection; Plaintext by default.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=GRPCContainerProbeTLS
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<GRPCProbeMode>,
}

/// Mode of the connection of a gRPC probe.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GRPCProbeMode(pub String);

impl GRPCProbeMode {
    /// No encryption.
    pub const GRPC_PROBE_MODE_PLAINTEXT: &'static str = "Plaintext";
    /// TLS without verification of the certificate.
    pub const GRPC_PROBE_MODE_TLS: &'static str = "TLS";
}

/// Command that is run in a container.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecAction {
    /// Command line, which is executed directly and not by a shell; its working directory is `/`.
    ///
    /// +listType=atomic
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// Pause of some duration.
///
/// +sprag:validatedBy=validateSleepAction
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SleepAction {
    /// Duration in seconds.
    ///
    /// +required
    /// +protobuf=1
    pub seconds: i64,
}

/// Health check of a container.
///
/// +sprag:called
/// +sprag:validatedBy=validateProbe
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Probe {
    /// Action of the check.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub probe_handler: ProbeHandler,
    /// Seconds after the start of the container before probing begins.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub initial_delay_seconds: i32,
    /// Seconds after which a probe times out; 1 by default.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +sprag:default=1
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub timeout_seconds: i32,
    /// Seconds between probes; 10 by default.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +sprag:default=10
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub period_seconds: i32,
    /// Consecutive successes after which a failed probe counts as successful; 1 by default, and for liveness and
    /// startup always.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +sprag:default=1
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub success_threshold: i32,
    /// Consecutive failures after which a probe counts as failed; 3 by default.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +sprag:default=3
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub failure_threshold: i32,
    /// Seconds the pod may take to terminate after the probe has failed; that of the pod by default.
    ///
    /// +optional
    /// +kinds:atLeast(min: 1)="must be greater than 0"
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_grace_period_seconds: Option<i64>,
}

/// Action of a health check; exactly one must be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeHandler {
    /// Command to run in the container.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecAction>,
    /// HTTP GET request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_get: Option<HTTPGetAction>,
    /// TCP connection.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp_socket: Option<TCPSocketAction>,
    /// gRPC health check.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GRPCAction>,
}

/// Action of a lifecycle hook; exactly one must be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LifecycleHandler {
    /// Command to run in the container.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecAction>,
    /// HTTP GET request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_get: Option<HTTPGetAction>,
    /// TCP connection, kept for compatibility; it fails at run time.
    ///
    /// Deprecated: TCP is not supported in lifecycle hooks.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp_socket: Option<TCPSocketAction>,
    /// Pause.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepAction>,
}

/// Signal that stops a container.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signal(pub String);

impl Signal {
    /// The signal SIGABRT.
    pub const SIGABRT: &'static str = "SIGABRT";
    /// The signal SIGALRM.
    pub const SIGALRM: &'static str = "SIGALRM";
    /// The signal SIGBUS.
    pub const SIGBUS: &'static str = "SIGBUS";
    /// The signal SIGCHLD.
    pub const SIGCHLD: &'static str = "SIGCHLD";
    /// The signal SIGCLD.
    pub const SIGCLD: &'static str = "SIGCLD";
    /// The signal SIGCONT.
    pub const SIGCONT: &'static str = "SIGCONT";
    /// The signal SIGFPE.
    pub const SIGFPE: &'static str = "SIGFPE";
    /// The signal SIGHUP.
    pub const SIGHUP: &'static str = "SIGHUP";
    /// The signal SIGILL.
    pub const SIGILL: &'static str = "SIGILL";
    /// The signal SIGINT.
    pub const SIGINT: &'static str = "SIGINT";
    /// The signal SIGIO.
    pub const SIGIO: &'static str = "SIGIO";
    /// The signal SIGIOT.
    pub const SIGIOT: &'static str = "SIGIOT";
    /// The signal SIGKILL.
    pub const SIGKILL: &'static str = "SIGKILL";
    /// The signal SIGPIPE.
    pub const SIGPIPE: &'static str = "SIGPIPE";
    /// The signal SIGPOLL.
    pub const SIGPOLL: &'static str = "SIGPOLL";
    /// The signal SIGPROF.
    pub const SIGPROF: &'static str = "SIGPROF";
    /// The signal SIGPWR.
    pub const SIGPWR: &'static str = "SIGPWR";
    /// The signal SIGQUIT.
    pub const SIGQUIT: &'static str = "SIGQUIT";
    /// The signal SIGSEGV.
    pub const SIGSEGV: &'static str = "SIGSEGV";
    /// The signal SIGSTKFLT.
    pub const SIGSTKFLT: &'static str = "SIGSTKFLT";
    /// The signal SIGSTOP.
    pub const SIGSTOP: &'static str = "SIGSTOP";
    /// The signal SIGSYS.
    pub const SIGSYS: &'static str = "SIGSYS";
    /// The signal SIGTERM.
    pub const SIGTERM: &'static str = "SIGTERM";
    /// The signal SIGTRAP.
    pub const SIGTRAP: &'static str = "SIGTRAP";
    /// The signal SIGTSTP.
    pub const SIGTSTP: &'static str = "SIGTSTP";
    /// The signal SIGTTIN.
    pub const SIGTTIN: &'static str = "SIGTTIN";
    /// The signal SIGTTOU.
    pub const SIGTTOU: &'static str = "SIGTTOU";
    /// The signal SIGURG.
    pub const SIGURG: &'static str = "SIGURG";
    /// The signal SIGUSR1.
    pub const SIGUSR1: &'static str = "SIGUSR1";
    /// The signal SIGUSR2.
    pub const SIGUSR2: &'static str = "SIGUSR2";
    /// The signal SIGVTALRM.
    pub const SIGVTALRM: &'static str = "SIGVTALRM";
    /// The signal SIGWINCH.
    pub const SIGWINCH: &'static str = "SIGWINCH";
    /// The signal SIGXCPU.
    pub const SIGXCPU: &'static str = "SIGXCPU";
    /// The signal SIGXFSZ.
    pub const SIGXFSZ: &'static str = "SIGXFSZ";
    /// The signal SIGRTMIN.
    pub const SIGRTMIN: &'static str = "SIGRTMIN";
    /// The signal SIGRTMIN+1.
    pub const SIGRTMINPLUS1: &'static str = "SIGRTMIN+1";
    /// The signal SIGRTMIN+2.
    pub const SIGRTMINPLUS2: &'static str = "SIGRTMIN+2";
    /// The signal SIGRTMIN+3.
    pub const SIGRTMINPLUS3: &'static str = "SIGRTMIN+3";
    /// The signal SIGRTMIN+4.
    pub const SIGRTMINPLUS4: &'static str = "SIGRTMIN+4";
    /// The signal SIGRTMIN+5.
    pub const SIGRTMINPLUS5: &'static str = "SIGRTMIN+5";
    /// The signal SIGRTMIN+6.
    pub const SIGRTMINPLUS6: &'static str = "SIGRTMIN+6";
    /// The signal SIGRTMIN+7.
    pub const SIGRTMINPLUS7: &'static str = "SIGRTMIN+7";
    /// The signal SIGRTMIN+8.
    pub const SIGRTMINPLUS8: &'static str = "SIGRTMIN+8";
    /// The signal SIGRTMIN+9.
    pub const SIGRTMINPLUS9: &'static str = "SIGRTMIN+9";
    /// The signal SIGRTMIN+10.
    pub const SIGRTMINPLUS10: &'static str = "SIGRTMIN+10";
    /// The signal SIGRTMIN+11.
    pub const SIGRTMINPLUS11: &'static str = "SIGRTMIN+11";
    /// The signal SIGRTMIN+12.
    pub const SIGRTMINPLUS12: &'static str = "SIGRTMIN+12";
    /// The signal SIGRTMIN+13.
    pub const SIGRTMINPLUS13: &'static str = "SIGRTMIN+13";
    /// The signal SIGRTMIN+14.
    pub const SIGRTMINPLUS14: &'static str = "SIGRTMIN+14";
    /// The signal SIGRTMIN+15.
    pub const SIGRTMINPLUS15: &'static str = "SIGRTMIN+15";
    /// The signal SIGRTMAX-14.
    pub const SIGRTMAXMINUS14: &'static str = "SIGRTMAX-14";
    /// The signal SIGRTMAX-13.
    pub const SIGRTMAXMINUS13: &'static str = "SIGRTMAX-13";
    /// The signal SIGRTMAX-12.
    pub const SIGRTMAXMINUS12: &'static str = "SIGRTMAX-12";
    /// The signal SIGRTMAX-11.
    pub const SIGRTMAXMINUS11: &'static str = "SIGRTMAX-11";
    /// The signal SIGRTMAX-10.
    pub const SIGRTMAXMINUS10: &'static str = "SIGRTMAX-10";
    /// The signal SIGRTMAX-9.
    pub const SIGRTMAXMINUS9: &'static str = "SIGRTMAX-9";
    /// The signal SIGRTMAX-8.
    pub const SIGRTMAXMINUS8: &'static str = "SIGRTMAX-8";
    /// The signal SIGRTMAX-7.
    pub const SIGRTMAXMINUS7: &'static str = "SIGRTMAX-7";
    /// The signal SIGRTMAX-6.
    pub const SIGRTMAXMINUS6: &'static str = "SIGRTMAX-6";
    /// The signal SIGRTMAX-5.
    pub const SIGRTMAXMINUS5: &'static str = "SIGRTMAX-5";
    /// The signal SIGRTMAX-4.
    pub const SIGRTMAXMINUS4: &'static str = "SIGRTMAX-4";
    /// The signal SIGRTMAX-3.
    pub const SIGRTMAXMINUS3: &'static str = "SIGRTMAX-3";
    /// The signal SIGRTMAX-2.
    pub const SIGRTMAXMINUS2: &'static str = "SIGRTMAX-2";
    /// The signal SIGRTMAX-1.
    pub const SIGRTMAXMINUS1: &'static str = "SIGRTMAX-1";
    /// The signal SIGRTMAX.
    pub const SIGRTMAX: &'static str = "SIGRTMAX";
}

/// Actions in response to events in a container's lifecycle.
///
/// +sprag:validatedBy=validateLifecycle
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lifecycle {
    /// Action right after the container was created; if it fails, the container is terminated.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_start: Option<LifecycleHandler>,
    /// Action right before the container is terminated by a request or a failed probe.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_stop: Option<LifecycleHandler>,
    /// Signal that stops the container; that of the runtime by default, and it requires `spec.os.name`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_signal: Option<Signal>,
}

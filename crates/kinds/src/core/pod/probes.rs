//! Health checks and lifecycle hooks of containers: probes, handlers, stop signals.

use sprag_checks::At;
use sprag_checks::content::{http_header_name, port_name, port_number};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::IntOrStr;

use crate::views::core_v1::{
    ExecAction, GRPCAction, HTTPGetAction, Lifecycle, LifecycleHandler, PodOS, Probe, SleepAction, TCPSocketAction,
};

const HTTP: &str = "HTTP";
const HTTP2: &str = "HTTP2";

const WINDOWS_STOP_SIGNALS: &[&str] = &["SIGKILL", "SIGTERM"];

/// Sorted, as errors list them.
const LINUX_STOP_SIGNALS: &[&str] = &[
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

/// As upstream's `validation.validateLivenessProbe` and `validateStartupProbe`.
pub(crate) fn validate_liveness_probe(probe: Probe<'_>, at: &At<'_>, errors: &mut Errors) {
    validate_probe(probe, at, errors);
    if probe.success_threshold() != 1 {
        errors.push(Error::invalid(&at.child("successThreshold"), probe.success_threshold(), "must be 1"));
    }
}

/// As upstream's `validation.validateReadinessProbe`.
pub(crate) fn validate_readiness_probe(probe: Probe<'_>, at: &At<'_>, errors: &mut Errors) {
    validate_probe(probe, at, errors);
    if let Some(seconds) = probe.termination_grace_period_seconds() {
        let detail = "must not be set for readinessProbes";
        errors.push(Error::invalid(&at.child("terminationGracePeriodSeconds"), seconds, detail));
    }
}

/// As upstream's `validation.validateLifecycle`; `grace` is the termination grace period of the pod.
pub(crate) fn validate_lifecycle(
    lifecycle: Lifecycle<'_>,
    grace: Option<i64>,
    os: Option<PodOS<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    if let Some(handler) = lifecycle.post_start() {
        validate_handler(Handler::of_lifecycle(handler), grace, &at.child("postStart"), errors);
    }
    if let Some(handler) = lifecycle.pre_stop() {
        validate_handler(Handler::of_lifecycle(handler), grace, &at.child("preStop"), errors);
    }
    if let Some(signal) = lifecycle.stop_signal() {
        validate_stop_signal(signal, os, &at.child("stopSignal"), errors);
    }
}

/// As upstream's `validation.ValidatePortNumOrName`.
pub(crate) fn validate_port_number_or_name(port: IntOrStr<'_>, at: &Path<'_>, errors: &mut Errors) {
    match port {
        IntOrStr::Int(number) => {
            port_number(number, &mut |detail| errors.push(Error::invalid(at, number, detail)));
        }
        IntOrStr::Str(name) => port_name(name, &mut |detail| errors.push(Error::invalid(at, name, detail))),
    }
}

/// As upstream's `validation.validateProbe`.
fn validate_probe(probe: Probe<'_>, at: &At<'_>, errors: &mut Errors) {
    let handler = probe.probe_handler();
    let handler = Handler {
        exec: handler.exec(),
        http_get: handler.http_get(),
        tcp_socket: handler.tcp_socket(),
        grpc: handler.grpc(),
        sleep: None,
    };
    validate_handler(handler, None, at, errors);
    probe.check(at, errors);
}

/// The handler of a probe or a lifecycle hook, as upstream's `validation.commonHandler`.
#[derive(Clone, Copy)]
struct Handler<'v> {
    exec: Option<ExecAction<'v>>,
    http_get: Option<HTTPGetAction<'v>>,
    tcp_socket: Option<TCPSocketAction<'v>>,
    grpc: Option<GRPCAction<'v>>,
    sleep: Option<SleepAction<'v>>,
}

impl<'v> Handler<'v> {
    fn of_lifecycle(handler: LifecycleHandler<'v>) -> Handler<'v> {
        Handler {
            exec: handler.exec(),
            http_get: handler.http_get(),
            tcp_socket: handler.tcp_socket(),
            grpc: None,
            sleep: handler.sleep(),
        }
    }
}

/// As upstream's `validation.validateHandler`: the first action counts, others are forbidden.
fn validate_handler(handler: Handler<'_>, grace: Option<i64>, at: &At<'_>, errors: &mut Errors) {
    let mut has_action = false;
    let mut is_first = |name: &str, errors: &mut Errors| {
        if std::mem::replace(&mut has_action, true) {
            errors.push(Error::forbidden(&at.child(name), "may not specify more than 1 handler type"));
            return false;
        }
        true
    };
    if let Some(exec) = handler.exec
        && is_first("exec", errors)
    {
        exec.check(&at.child("exec"), errors);
    }
    if let Some(http) = handler.http_get
        && is_first("httpGet", errors)
    {
        validate_http_get(http, &at.child("httpGet"), errors);
    }
    if let Some(tcp) = handler.tcp_socket
        && is_first("tcpSocket", errors)
    {
        tcp.check(&at.child("tcpSocket"), errors);
    }
    if let Some(grpc) = handler.grpc
        && is_first("grpc", errors)
    {
        grpc.check(&at.child("grpc"), errors);
    }
    if let Some(sleep) = handler.sleep
        && is_first("sleep", errors)
    {
        validate_sleep(sleep, grace, &at.child("sleep"), errors);
    }
    if !has_action {
        errors.push(Error::required(at, "must specify a handler type"));
    }
}

/// As upstream's `validation.validateHTTPGetAction`.
fn validate_http_get(http: HTTPGetAction<'_>, at: &At<'_>, errors: &mut Errors) {
    http.check_path(at, errors);
    http.check_port(at, errors);
    http.check_scheme(at, errors);
    for header in http.http_headers().iter() {
        http_header_name(header.name(), &mut |detail| {
            errors.push(Error::invalid(&at.child("httpHeaders"), header.name(), detail));
        });
    }
    let Some(protocol) = http.protocol() else { return };
    http.check_protocol(at, errors);
    if protocol == HTTP2 && http.scheme() != HTTP {
        let shown = BadValue::json_str(protocol);
        errors.push(Error::invalid(&at.child("protocol"), shown, "is only supported with HTTP (H2C)"));
    } else if protocol == HTTP2 && !http.host().is_empty() {
        let detail = "must be empty when `protocol` is \"HTTP2\"";
        errors.push(Error::invalid(&at.child("host"), http.host(), detail));
    }
}

/// As upstream's `validation.validateSleepAction`.
fn validate_sleep(sleep: SleepAction<'_>, grace: Option<i64>, at: &Path<'_>, errors: &mut Errors) {
    let Some(grace) = grace else { return };
    if sleep.seconds() < 0 || sleep.seconds() > grace {
        let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        errors.push(Error::invalid(at, sleep.seconds(), detail));
    }
}

/// As upstream's `validation.validateStopSignal`. Signals of an unknown system are not judged.
fn validate_stop_signal(signal: &str, os: Option<PodOS<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let Some(os) = os else {
        return errors.push(Error::forbidden(at, "may not be set for containers with empty `spec.os.name`"));
    };
    let supported = match os.name() {
        "windows" => WINDOWS_STOP_SIGNALS,
        "linux" => LINUX_STOP_SIGNALS,
        _ => return,
    };
    if !supported.contains(&signal) {
        errors.push(Error::not_supported(at, BadValue::json_str(signal), supported));
    }
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;
    use sprag_value::json;
    use sprag_value::view::View;

    #[track_caller]
    fn check(lifecycle: &str, grace: Option<i64>, os: Option<&str>, expected: &[&str]) {
        let lifecycle = json::parse(lifecycle.as_bytes()).unwrap();
        let os = os.map(|name| json::parse(format!(r#"{{"name":"{name}"}}"#).as_bytes()).unwrap());
        let mut errors = Errors::new();
        let os = os.as_ref().map(|os| View::view(Some(os)));
        validate_lifecycle(
            View::view(Some(&lifecycle)),
            grace,
            os,
            &At::root(&Request::create()).child("l"),
            &mut errors,
        );
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_first_action_is_judged_and_others_are_forbidden() {
        let others = [
            "l.preStop.exec.command: Required value",
            "l.preStop.tcpSocket: Forbidden: may not specify more than 1 handler type",
            "l.preStop.sleep: Forbidden: may not specify more than 1 handler type",
        ];
        check(r#"{"preStop":{"exec":{},"tcpSocket":{"port":0},"sleep":{"seconds":-1}}}"#, Some(1), None, &others);
        check(r#"{"postStart":{}}"#, None, None, &["l.postStart: Required value: must specify a handler type"]);
    }

    #[test]
    fn a_sleep_ends_before_the_pod_is_killed() {
        let refused = "l.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds \
                       (30)";
        check(r#"{"preStop":{"sleep":{"seconds":31}}}"#, Some(30), None, &[refused]);
        check(r#"{"preStop":{"sleep":{"seconds":30}}}"#, Some(30), None, &[]);
        check(r#"{"preStop":{"sleep":{"seconds":31}}}"#, None, None, &[]);
    }

    #[test]
    fn stop_signals_need_an_operating_system() {
        let signal = r#"{"stopSignal":"SIGRTMIN+15"}"#;
        check(signal, None, Some("linux"), &[]);
        check(signal, None, Some("plan9"), &[]);
        check(
            signal,
            None,
            None,
            &["l.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`"],
        );
        let refused = r#"l.stopSignal: Unsupported value: "SIGRTMIN+15": supported values: "SIGKILL", "SIGTERM""#;
        check(signal, None, Some("windows"), &[refused]);
    }

    #[test]
    fn signals_are_sorted() {
        assert!(LINUX_STOP_SIGNALS.is_sorted());
        assert_eq!(LINUX_STOP_SIGNALS.len(), 65);
    }
}

//! Pods in tables, as upstream's `printers.printPod`.

use std::borrow::Cow;

use sprag_rest::{Column, age, meta};
use sprag_value::view::{List, View};
use sprag_value::{Object, Time, Value};

use super::aggregate::is_sidecar;
use crate::columns::{string, text, wide};
use crate::views::core_v1::{ContainerStatus, Pod, PodCondition, PodSpec, PodStatus};

/// The columns beside the name.
pub(super) fn columns() -> Vec<Column> {
    let restarts = |pod: &Value, now: Time| Summary::of(pod).restarts_text(now).into();
    let or_none = |text: &str| Value::from(if text.is_empty() { "<none>" } else { text });
    vec![
        text("Ready", "Number of ready containers of all.", |pod| Summary::of(pod).ready_text().into()),
        text("Status", "Phase of the pod, or why it is not running.", |pod| Summary::of(pod).reason.as_ref().into()),
        Column {
            description: Cow::Borrowed("How often containers were restarted, and when for the last time."),
            ..Column::computed("Restarts", restarts)
        },
        Column::age(),
        wide(text("IP", "IP address of the pod.", move |pod| {
            let first = view(pod).status().pod_ips().get(0);
            or_none(first.map_or("", |ip| ip.ip()))
        })),
        wide(text("Node", "Node that the pod runs on.", move |pod| or_none(string(pod, &["spec", "nodeName"])))),
        wide(text("Nominated Node", "Node on which room is being made for the pod.", move |pod| {
            or_none(string(pod, &["status", "nominatedNodeName"]))
        })),
        wide(text("Readiness Gates", "Number of readiness gates that are true of all.", |pod| gates(view(pod)).into())),
    ]
}

/// The conditions of the row of a pod: it is complete once it has ended.
pub(super) fn row_conditions(pod: &Value) -> Value {
    let (reason, message) = match view(pod).status().phase() {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return Value::Null,
    };
    let condition = [("type", "Completed"), ("status", "True"), ("reason", reason), ("message", message)];
    let condition = Object::from(condition.map(|(member, text)| (member, Value::from(text))));
    [Value::Object(condition)].into_iter().collect()
}

fn view(pod: &Value) -> Pod<'_> {
    View::view(Some(pod))
}

fn gates(pod: Pod<'_>) -> String {
    let gates = pod.spec().readiness_gates();
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let conditions = pod.status().conditions();
    let is_true = |kind: &str| conditions.iter().find(|it| it.kind() == kind).is_some_and(|it| it.status() == "True");
    format!("{}/{}", gates.iter().filter(|gate| is_true(gate.condition_type())).count(), gates.len())
}

/// The summary of a pod for several columns.
struct Summary<'v> {
    ready: usize,
    containers: usize,
    reason: Cow<'v, str>,
    restarts: i64,
    last_restart: Option<Time>,
}

/// The state of the init containers.
struct Init<'v> {
    /// The reason why the pod waits for one of them.
    reason: Option<Cow<'v, str>>,
    ready: usize,
    all: Restarts,
    of_sidecars: Restarts,
}

/// The number of container restarts, and the time of the last one.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Time>,
}

impl Restarts {
    fn add(&mut self, status: ContainerStatus<'_>) {
        self.count = self.count.saturating_add(status.restart_count());
        if let Some(terminated) = status.last_termination_state().terminated() {
            let finished = string(terminated.as_value(), &["finishedAt"]).parse().ok();
            self.last = self.last.max(finished);
        }
    }
}

impl<'v> Summary<'v> {
    fn of(pod: &'v Value) -> Summary<'v> {
        let pod_view = view(pod);
        let spec = pod_view.spec();
        let status = pod_view.status();
        let sidecars = spec.init_containers().iter().filter(|container| is_sidecar(*container)).count();
        let init = init(spec, status);
        let mut summary = Summary {
            ready: init.ready,
            containers: spec.containers().len() + sidecars,
            reason: Cow::Borrowed(reason(status)),
            restarts: init.all.count,
            last_restart: init.all.last,
        };
        let is_initializing = init.reason.is_some();
        if let Some(reason) = init.reason {
            summary.reason = reason;
        }
        if !is_initializing || is_initialized(status.conditions()) {
            summary.add_containers(status, init.of_sidecars);
        }
        let is_terminal = matches!(status.phase(), "Failed" | "Succeeded");
        if meta::is_deleting(pod) && status.reason() == "NodeLost" {
            summary.reason = Cow::Borrowed("Unknown");
        } else if meta::is_deleting(pod) && !is_terminal {
            summary.reason = Cow::Borrowed("Terminating");
        }
        summary
    }

    fn add_containers(&mut self, status: PodStatus<'v>, mut restarts: Restarts) {
        let (mut has_running, mut error) = (false, None);
        for status in status.container_statuses().iter().rev() {
            restarts.add(status);
            let state = status.state();
            let waiting = state.waiting().map(|waiting| waiting.reason()).filter(|reason| !reason.is_empty());
            if let Some(waiting) = waiting {
                self.reason = Cow::Borrowed(waiting);
            } else if let Some(terminated) = state.terminated() {
                self.reason = ended(terminated.reason(), terminated.signal(), terminated.exit_code(), "");
                if terminated.exit_code() != 0 {
                    error = Some(self.reason.clone());
                }
            } else if status.ready() && state.running().is_some() {
                has_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            let is_ready = status.conditions().iter().any(|it| it.kind() == "Ready" && it.status() == "True");
            match error {
                _ if has_running && is_ready => self.reason = Cow::Borrowed("Running"),
                Some(error) => self.reason = error,
                None if has_running => self.reason = Cow::Borrowed("NotReady"),
                None => {}
            }
        }
        (self.restarts, self.last_restart) = (restarts.count, restarts.last);
    }

    fn ready_text(&self) -> String {
        format!("{}/{}", self.ready, self.containers)
    }

    fn restarts_text(&self, now: Time) -> String {
        match self.last_restart.filter(|last| self.restarts != 0 && !last.is_zero()) {
            Some(last) => format!("{} ({} ago)", self.restarts, age(&last.to_string(), now)),
            None => self.restarts.to_string(),
        }
    }
}

/// The phase or the reason in the status; pods that wait for their scheduling gates say so.
fn reason(status: PodStatus<'_>) -> &str {
    const GATED: &str = "SchedulingGated";
    if status.conditions().iter().any(|it| it.kind() == "PodScheduled" && it.reason() == GATED) {
        return GATED;
    }
    if status.reason().is_empty() { status.phase() } else { status.reason() }
}

fn is_initialized(conditions: List<'_, PodCondition<'_>>) -> bool {
    conditions.iter().find(|condition| condition.kind() == "Initialized").is_some_and(|it| it.status() == "True")
}

/// Goes through init containers up to the first that the pod waits for.
fn init<'v>(spec: PodSpec<'v>, status: PodStatus<'v>) -> Init<'v> {
    let mut init = Init { reason: None, ready: 0, all: Restarts::default(), of_sidecars: Restarts::default() };
    for (index, status) in status.init_container_statuses().iter().enumerate() {
        let mut containers = spec.init_containers().iter().rev();
        let is_sidecar = containers.find(|container| container.name() == status.name()).is_some_and(is_sidecar);
        init.all.add(status);
        if is_sidecar {
            init.of_sidecars.add(status);
        }
        let state = status.state();
        let waiting = state.waiting().map(|waiting| waiting.reason());
        let waiting = waiting.filter(|reason| !matches!(*reason, "" | "PodInitializing"));
        match state.terminated() {
            Some(terminated) if terminated.exit_code() == 0 => continue,
            _ if is_sidecar && status.started() == Some(true) => {
                init.ready += usize::from(status.ready());
                continue;
            }
            Some(terminated) => {
                let signal = terminated.signal();
                let code = terminated.exit_code();
                init.reason = Some(ended(terminated.reason(), signal, code, "Init:"));
            }
            None => {
                let place = || format!("Init:{index}/{}", spec.init_containers().len());
                init.reason = Some(waiting.map_or_else(place, |reason| format!("Init:{reason}")).into());
            }
        }
        break;
    }
    init
}

/// Returns the reason why a container has ended.
fn ended<'v>(reason: &'v str, signal: i64, code: i64, prefix: &str) -> Cow<'v, str> {
    match (reason, signal) {
        ("", 0) => format!("{prefix}ExitCode:{code}").into(),
        ("", signal) => format!("{prefix}Signal:{signal}").into(),
        (reason, _) if prefix.is_empty() => Cow::Borrowed(reason),
        (reason, _) => format!("{prefix}{reason}").into(),
    }
}

//! Metrics of the server, under kube-apiserver's names, in the Prometheus text format.

mod family;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;
use sprag_admission::policy::{Check, PolicyObserver};
use sprag_admission::webhook::{Called, WebhookObserver};
use sprag_field::Source;
use sprag_rest::{Counters, Definition, Difference, FeatureGates};
use sprag_storage::Health;

use self::family::{Family, labels, without_first};
use crate::hold;
use crate::server::State;

/// Bounds of the histograms of whole requests, in seconds.
const REQUEST_SECONDS: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0,
    45.0, 60.0,
];
/// Bounds of the histograms of field validation, in seconds.
const FIELD_VALIDATION_SECONDS: &[f64] = &[
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0,
    3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0,
];
/// Bounds of the histograms of short steps, in seconds: those of the reference, and shorter ones before them.
const STEP_SECONDS: &[f64] = &[0.000_001, 0.000_01, 0.000_1, 0.001, 0.01, 0.1, 1.0, 10.0];
/// Bounds of the histograms of calls of webhooks, in seconds.
const WEBHOOK_SECONDS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0];
/// Bounds of the histograms of expressions of policies, in seconds.
const POLICY_SECONDS: &[f64] = &[0.000_000_5, 0.001, 0.01, 0.1, 1.0];
/// Bounds of the sizes of bodies, in bytes.
const BODY_BYTES: &[f64] = &[
    50_000.0,
    100_000.0,
    150_000.0,
    200_000.0,
    250_000.0,
    300_000.0,
    350_000.0,
    400_000.0,
    450_000.0,
    500_000.0,
    550_000.0,
    600_000.0,
    650_000.0,
    700_000.0,
    750_000.0,
    800_000.0,
    850_000.0,
    900_000.0,
    950_000.0,
    1_000_000.0,
    1_050_000.0,
    1_100_000.0,
    1_150_000.0,
    1_200_000.0,
    1_250_000.0,
    1_300_000.0,
    1_350_000.0,
    1_400_000.0,
    1_450_000.0,
    1_500_000.0,
    1_550_000.0,
    1_600_000.0,
    1_650_000.0,
    1_700_000.0,
    1_750_000.0,
    1_800_000.0,
    1_850_000.0,
    1_900_000.0,
    1_950_000.0,
    2_000_000.0,
    2_050_000.0,
    2_100_000.0,
    2_150_000.0,
    2_200_000.0,
    2_250_000.0,
    2_300_000.0,
    2_350_000.0,
    2_400_000.0,
    2_450_000.0,
    2_500_000.0,
    2_550_000.0,
    2_600_000.0,
    2_650_000.0,
    2_700_000.0,
    2_750_000.0,
    2_800_000.0,
    2_850_000.0,
    2_900_000.0,
    2_950_000.0,
    3_000_000.0,
    3_050_000.0,
    3_100_000.0,
];

/// Metrics of the server.
pub(crate) struct Metrics {
    requests: Family,
    durations: Family,
    body_sizes: Family,
    field_validation: Family,
    validation: Family,
    ratcheting: Family,
    deprecated: Family,
    features: Family,
    health: Family,
    health_checks: Family,
    policy_checks: Family,
    policy_durations: Family,
    mutation_checks: Family,
    mutation_durations: Family,
    webhook_durations: Family,
    webhook_rejections: Family,
    webhook_failures: Family,
    webhook_requests: Family,
    webhook_exclusions: Family,
    audit_errors: Family,
    audit_levels: Family,
    audit_events: AtomicU64,
    watches: AtomicI64,
    panics: AtomicU64,
}

/// A request that is done.
pub(crate) struct Done<'r> {
    pub(crate) definition: &'r Definition,
    pub(crate) version: &'r str,
    pub(crate) subresource: &'r str,
    /// In upper case.
    pub(crate) verb: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) dry_run: bool,
    pub(crate) field_validation: Option<&'r str>,
    pub(crate) code: StatusCode,
    pub(crate) body_bytes: u64,
    pub(crate) took: Duration,
}

/// Counts a watch for as long as it lasts.
pub(crate) struct Watching(Arc<Metrics>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watches.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let [
            policy_checks,
            policy_durations,
            mutation_checks,
            mutation_durations,
            webhook_durations,
            webhook_rejections,
            webhook_failures,
            webhook_requests,
            webhook_exclusions,
        ] = admission_families();
        Metrics {
            requests: Family::counter(
                "apiserver_request_total",
                "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, \
                 resource, scope, component, and HTTP response code.",
            ),
            durations: Family::histogram(
                "apiserver_request_duration_seconds",
                "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, \
                 resource, subresource, scope and component.",
                REQUEST_SECONDS,
            ),
            body_sizes: Family::histogram(
                "apiserver_request_body_size_bytes",
                "[ALPHA] Apiserver request body size in bytes broken out by resource and verb.",
                BODY_BYTES,
            ),
            field_validation: Family::histogram(
                "field_validation_request_duration_seconds",
                "[ALPHA] Response latency distribution in seconds for each field validation value",
                FIELD_VALIDATION_SECONDS,
            ),
            validation: Family::histogram(
                "apiserver_request_validation_duration_seconds",
                "Time that the rules of one request took in seconds, for each group and resource.",
                STEP_SECONDS,
            ),
            ratcheting: Family::histogram(
                "apiextensions_apiserver_validation_ratcheting_seconds",
                "[ALPHA] Time for comparison of old to new for the purposes of CRDValidationRatcheting during an UPDATE \
                 in seconds.",
                STEP_SECONDS,
            )
            .without_labels(),
            deprecated: Family::gauge(
                "apiserver_requested_deprecated_apis",
                "[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, \
                 subresource, and removed_release.",
            ),
            features: Family::gauge(
                "kubernetes_feature_enabled",
                "[BETA] This metric records the data about the stage and enablement of a k8s feature.",
            ),
            health: Family::gauge(
                "kubernetes_healthcheck",
                "[STABLE] This metric records the result of a single healthcheck.",
            ),
            health_checks: Family::counter(
                "kubernetes_healthchecks_total",
                "[STABLE] This metric records the results of all healthcheck.",
            ),
            policy_checks,
            policy_durations,
            mutation_checks,
            mutation_durations,
            webhook_durations,
            webhook_rejections,
            webhook_failures,
            webhook_requests,
            webhook_exclusions,
            watches: AtomicI64::new(0),
            panics: AtomicU64::new(0),
            audit_errors: Family::counter(
                "apiserver_audit_error_total",
                "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected \
                 by the error.",
            ),
            audit_levels: Family::counter(
                "apiserver_audit_level_total",
                "[ALPHA] Counter of policy levels for audit events (1 per request).",
            ),
            audit_events: AtomicU64::new(0),
        }
    }

    /// Shows all feature gates, which stay as they are while the server runs.
    // As upstream's featureGate.AddMetrics.
    pub(crate) fn set_features(&self, gates: &FeatureGates) {
        for (name, spec) in gates.known() {
            let of_gate = [("name", name), ("stage", spec.stage.name())];
            self.features.set(&labels(of_gate), u64::from(gates.enabled(name)));
        }
    }

    /// Counts a request for objects.
    pub(crate) fn count(&self, done: &Done<'_>) {
        let &Done { definition, version, subresource, verb, scope, .. } = done;
        let (group, resource) = (definition.group(), definition.resource.resource.as_str());
        let request = labels([
            ("code", done.code.as_str()),
            ("component", "apiserver"),
            ("dry_run", if done.dry_run { "All" } else { "" }),
            ("group", group),
            ("resource", resource),
            ("scope", scope),
            ("subresource", subresource),
            ("verb", verb),
            ("version", version),
        ]);
        let seconds = done.took.as_secs_f64();
        self.requests.add(&request);
        self.durations.observe(without_first(&request), seconds);
        if done.body_bytes > 0 {
            #[expect(clippy::cast_precision_loss, reason = "bodies are far smaller than 2^53 bytes")]
            let bytes = done.body_bytes as f64;
            let verb = verb.to_ascii_lowercase();
            self.body_sizes.observe(&labels([("group", group), ("resource", resource), ("verb", &verb)]), bytes);
        }
        if let Some(value) = done.field_validation {
            self.field_validation.observe(&labels([("field_validation", value)]), seconds);
        }
        if definition.version(version).is_some_and(|version| !version.deprecation_warning.is_empty()) {
            let deprecated = [
                ("group", group),
                ("removed_release", ""),
                ("resource", resource),
                ("subresource", subresource),
                ("version", version),
            ];
            self.deprecated.set(&labels(deprecated), 1);
        }
    }

    /// Counts a watch until what is returned is dropped.
    pub(crate) fn count_watch(self: &Arc<Self>) -> Watching {
        self.watches.fetch_add(1, Ordering::Relaxed);
        Watching(self.clone())
    }

    /// Counts a request that panicked.
    pub(crate) fn count_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an audit event.
    pub(crate) fn count_audit_event(&self) {
        self.audit_events.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an audit event that could not be written.
    pub(crate) fn count_audit_error(&self) {
        self.audit_errors.add(&labels([("plugin", "log")]));
    }

    /// Counts the audit level of a request.
    pub(crate) fn count_audit_level(&self, level: &str) {
        self.audit_levels.add(&labels([("level", level)]));
    }

    /// Counts a check that was made for an endpoint like `readyz`.
    pub(crate) fn count_check(&self, endpoint: &str, check: &str, passed: bool) {
        let of_check = [("name", check), ("type", endpoint)];
        self.health.set(&labels(of_check), u64::from(passed));
        let status = if passed { "success" } else { "error" };
        self.health_checks.add(&labels([("name", check), ("status", status), ("type", endpoint)]));
    }

    /// The health metrics (`/metrics/slis`) as text.
    pub(crate) fn health_text(&self) -> String {
        let mut out = String::new();
        self.health.write(&mut out);
        self.health_checks.write(&mut out);
        out
    }

    /// Everything else as text.
    pub(crate) fn text(&self, state: &State) -> String {
        let counters = state.registry.counters();
        let store = &state.registry.store_health();
        let unread = &state.unread;
        let mut out = String::new();
        let families = [
            &self.ratcheting,
            &self.audit_errors,
            &self.audit_levels,
            &self.body_sizes,
            &self.mutation_durations,
            &self.webhook_durations,
            &self.webhook_rejections,
            &self.webhook_failures,
            &self.webhook_requests,
            &self.webhook_exclusions,
            &self.mutation_checks,
            &self.durations,
            &self.requests,
            &self.validation,
            &self.policy_durations,
            &self.policy_checks,
            &self.deprecated,
            &self.field_validation,
            &self.features,
        ];
        for family in families {
            family.write(&mut out);
        }
        write_life_cycle(counters, &mut out);
        let singles: [Single; 8] = [
            (
                "apiserver_audit_event_total",
                "counter",
                "[ALPHA] Counter of audit events generated and sent to the audit backend.",
                self.audit_events.load(Ordering::Relaxed),
            ),
            (
                "apiserver_audit_requests_rejected_total",
                "counter",
                "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.",
                0,
            ),
            (
                "apiserver_storage_write_retries_total",
                "counter",
                "Number of writes that were tried again because another one came in between.",
                counters.retries(),
            ),
            (
                "apiserver_request_panics_total",
                "counter",
                "Number of requests that were answered with 500 because the server or a hook of a resource panicked.",
                self.panics.load(Ordering::Relaxed) + counters.panics(),
            ),
            (
                "apiserver_registered_watchers",
                "gauge",
                "[ALPHA] Number of currently registered watchers.",
                u64::try_from(self.watches.load(Ordering::Relaxed)).unwrap_or(0),
            ),
            (
                "sprag_work_memory_bytes",
                "gauge",
                "Bytes of memory that are set aside for requests with large bodies or objects.",
                state.in_flight.memory.given() as u64,
            ),
            (
                "sprag_unread_answer_bytes",
                "gauge",
                "Bytes of answers that clients have not read yet.",
                unread.bytes() as u64,
            ),
            (
                "sprag_unread_closed_connections_total",
                "counter",
                "Number of connections that were closed because their clients did not read while others needed the room.",
                unread.closed(),
            ),
        ];
        for (name, kind, help, value) in singles.into_iter().chain(of_store(store)) {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        let (name, seconds) = ("sprag_runtime_longest_hold_seconds", hold::longest().as_secs_f64());
        let help = "The longest time that one task kept a thread of the runtime since the server started, but for waits for a processor.";
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {seconds}");
        out
    }
}

/// Name, type, help and value of a metric without labels.
type Single = (&'static str, &'static str, &'static str, u64);

/// The metrics of the store.
fn of_store(store: &Health) -> [Single; 7] {
    [
        (
            "sprag_storage_writable",
            "gauge",
            "1 if the store can be written, 0 while writes fail, for instance because the disk is full.",
            u64::from(store.problem.is_none()),
        ),
        (
            "sprag_storage_failed_writes_total",
            "counter",
            "Number of writes that failed because the storage did.",
            store.failed_writes,
        ),
        (
            "sprag_storage_snapshots_failing",
            "gauge",
            "1 while no snapshot can be written, so that logs cannot be removed.",
            u64::from(store.snapshot_problem.is_some()),
        ),
        (
            "sprag_storage_cut_bytes",
            "gauge",
            "Bytes of a commit that was never acknowledged, cut off the log when the store was opened.",
            store.cut_bytes,
        ),
        (
            "sprag_storage_history_bytes",
            "gauge",
            "Bytes of replaced and deleted values that are kept in memory for watches and lists at a revision.",
            store.history.bytes as u64,
        ),
        (
            "sprag_storage_history_limit_bytes",
            "gauge",
            "Size of the history beyond which the oldest events are dropped before their time.",
            store.history.limit as u64,
        ),
        (
            "sprag_storage_history_cut_total",
            "counter",
            "Number of events that were dropped before their time because the history was too large.",
            store.history.cut,
        ),
    ]
}

/// Writes the metrics of rules and hand-written code, in all and by kind, subresource and operation, as upstream's
/// `validationMetrics`.
fn write_life_cycle(counters: &Counters, out: &mut String) {
    let families = [
        (
            "mismatch_total",
            "[BETA] Number of times declarative validation results differed from handwritten validation results for core \
             types.",
            "parity_discrepancies_total",
            "[ALPHA] Number of discrepancies between declarative and handwritten validation, broken down by validation \
             identifier.",
            counters.mismatches(),
        ),
        (
            "panic_total",
            "[BETA] Number of times declarative validation has panicked during validation.",
            "panics_total",
            "[ALPHA] Number of panics in declarative validation, broken down by validation identifier.",
            counters.rule_panics(),
        ),
    ];
    for (total, help, by_identifier, identifier_help, counts) in families {
        let name = format!("apiserver_validation_declarative_validation_{total}");
        let sum: u64 = counts.values().sum();
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {sum}");
        if counts.is_empty() {
            continue;
        }
        let name = format!("apiserver_validation_declarative_validation_{by_identifier}");
        let _ = writeln!(out, "# HELP {name} {identifier_help}\n# TYPE {name} counter");
        for (identifier, count) in counts {
            let _ = writeln!(out, "{name}{{validation_identifier=\"{identifier}\"}} {count}");
        }
    }
}

/// Metrics of admission policies and webhooks, in the order of the fields.
fn admission_families() -> [Family; 9] {
    [
        Family::counter(
            "apiserver_validating_admission_policy_check_total",
            "[BETA] Validation admission policy check total, labeled by policy and further identified by binding and \
             enforcement action taken.",
        ),
        Family::histogram(
            "apiserver_validating_admission_policy_check_duration_seconds",
            "[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy \
             and further including binding and enforcement action taken.",
            POLICY_SECONDS,
        ),
        Family::counter(
            "apiserver_mutating_admission_policy_check_total",
            "[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.",
        ),
        Family::histogram(
            "apiserver_mutating_admission_policy_check_duration_seconds",
            "[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and \
             binding.",
            POLICY_SECONDS,
        ),
        Family::histogram(
            "apiserver_admission_webhook_admission_duration_seconds",
            "[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation \
             and API resource and type (validate or admit).",
            WEBHOOK_SECONDS,
        ),
        Family::counter(
            "apiserver_admission_webhook_rejection_count",
            "[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type \
             (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or \
             apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code \
             if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is \
             greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality \
             bounded.",
        ),
        Family::counter(
            "apiserver_admission_webhook_fail_open_count",
            "[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type \
             (validating or admit).",
        ),
        Family::counter(
            "apiserver_admission_webhook_request_total",
            "[ALPHA] Admission webhook request total, identified by name and broken out for each admission type \
             (validating or admit) and operation. Additional labels specify whether the request was rejected or not and \
             an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.",
        ),
        Family::counter(
            "apiserver_admission_match_condition_exclusions_total",
            "[ALPHA] Admission match condition evaluation exclusions count, identified by name of resource containing the \
             match condition and broken out for each kind containing matchConditions (webhook or policy), operation and \
             admission type (validate or admit).",
        ),
    ]
}

impl PolicyObserver for Metrics {
    fn validated(&self, check: &Check<'_>) {
        let labels = labels([
            ("enforcement_action", check.action),
            ("error_type", check.error_type),
            ("policy", check.policy),
            ("policy_binding", check.binding),
        ]);
        self.policy_checks.add(&labels);
        self.policy_durations.observe(&labels, check.elapsed.as_secs_f64());
    }

    fn mutated(&self, check: &Check<'_>) {
        let labels =
            labels([("error_type", check.error_type), ("policy", check.policy), ("policy_binding", check.binding)]);
        self.mutation_checks.add(&labels);
        self.mutation_durations.observe(&labels, check.elapsed.as_secs_f64());
    }
}

impl WebhookObserver for Metrics {
    // As upstream's AdmissionMetrics.ObserveWebhook and ObserveWebhookRejection.
    fn called(&self, called: &Called<'_>) {
        let &Called { name, kind, operation, rejection, code, elapsed } = called;
        let code = code.min(600).to_string();
        let rejected = if rejection.is_some() { "true" } else { "false" };
        let duration = [("name", name), ("operation", operation), ("rejected", rejected), ("type", kind)];
        self.webhook_durations.observe(&labels(duration), elapsed.as_secs_f64());
        let request =
            [("code", code.as_str()), ("name", name), ("operation", operation), ("rejected", rejected), ("type", kind)];
        self.webhook_requests.add(&labels(request));
        if let Some(error_type) = rejection {
            let rejection = [
                ("error_type", error_type),
                ("name", name),
                ("operation", operation),
                ("rejection_code", &code),
                ("type", kind),
            ];
            self.webhook_rejections.add(&labels(rejection));
        }
    }

    fn failed_open(&self, name: &str, kind: &'static str) {
        self.webhook_failures.add(&labels([("name", name), ("type", kind)]));
    }

    fn excluded(&self, name: &str, kind: &'static str, operation: &'static str) {
        let of = [("kind", "webhook"), ("name", name), ("operation", operation), ("type", kind)];
        self.webhook_exclusions.add(&labels(of));
    }
}

impl sprag_rest::Observer for Metrics {
    fn validated(&self, definition: &Definition, took: Duration) {
        let labels = labels([("group", definition.group()), ("resource", &definition.resource.resource)]);
        self.validation.observe(&labels, took.as_secs_f64());
    }

    fn ratcheted(&self, took: Duration) {
        self.ratcheting.observe("", took.as_secs_f64());
    }

    fn differed(&self, difference: &Difference<'_>) {
        let Difference { cx, name, identifier, discrepancy } = difference;
        let found_by = match discrepancy.error.source {
            Source::HandWritten | Source::Called => "hand-written code",
            Source::Declarative => "a rule",
        };
        tracing::warn!(
            resource = %cx.definition.resource,
            version = cx.version,
            kind = cx.definition.kind,
            namespace = cx.namespace,
            name,
            user = cx.user.name,
            validation = identifier,
            only_found_by = found_by,
            error = discrepancy.text,
            "hand-written and declarative validation differ"
        );
    }
}

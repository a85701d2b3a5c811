//! Types of version `v1`.
//!
//! +groupName=batch

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::core::v1::{ConditionStatus, ObjectReference, PodConditionType, PodTemplateSpec};
use crate::meta::types::UID;
use crate::meta::v1::{LabelSelector, ObjectMeta};
use crate::scheduling::v1alpha3::{
    WorkloadPodGroupDisruptionMode, WorkloadPodGroupResourceClaim, WorkloadPodGroupSchedulingConstraints,
    WorkloadPodGroupSchedulingPolicy,
};

/// Runs pods until a number of them succeed.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Job {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the job.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: JobSpec,
    /// Current state of the job.
    ///
    /// +optional
    /// +protobuf=3
    pub status: JobStatus,
}

/// Way in which completions of a job are counted.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CompletionMode(pub String);

impl CompletionMode {
    /// The job is complete when enough pods have succeeded, whichever they are.
    pub const NON_INDEXED_COMPLETION: &'static str = "NonIndexed";
    /// Each pod has an index, and the job is complete when one pod has succeeded for each.
    pub const INDEXED_COMPLETION: &'static str = "Indexed";
}

/// Action for a failed pod.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodFailurePolicyAction(pub String);

impl PodFailurePolicyAction {
    /// The job is failed and its running pods are terminated.
    pub const POD_FAILURE_POLICY_ACTION_FAIL_JOB: &'static str = "FailJob";
    /// The pod's index is failed and not retried.
    pub const POD_FAILURE_POLICY_ACTION_FAIL_INDEX: &'static str = "FailIndex";
    /// The failure does not count towards `backoffLimit`.
    pub const POD_FAILURE_POLICY_ACTION_IGNORE: &'static str = "Ignore";
    /// The failure is counted in the usual way.
    pub const POD_FAILURE_POLICY_ACTION_COUNT: &'static str = "Count";
}

/// Relation of an exit code to a set of values.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodFailurePolicyOnExitCodesOperator(pub String);

impl PodFailurePolicyOnExitCodesOperator {
    /// The exit code is one of the given ones.
    pub const POD_FAILURE_POLICY_ON_EXIT_CODES_OP_IN: &'static str = "In";
    /// The exit code is not in the list.
    pub const POD_FAILURE_POLICY_ON_EXIT_CODES_OP_NOT_IN: &'static str = "NotIn";
}

/// Moment at which replacement pods are created.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodReplacementPolicy(pub String);

impl PodReplacementPolicy {
    /// Pods are replaced as soon as they terminate or have failed.
    pub const TERMINATING_OR_FAILED: &'static str = "TerminatingOrFailed";
    /// Pods are replaced once they have failed completely.
    pub const FAILED: &'static str = "Failed";
}

/// Exit codes for which a failure policy rule matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodFailurePolicyOnExitCodesRequirement {
    /// Container whose exit code is checked; all containers if unset.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_name: Option<String>,
    /// Relation of the exit code to the values: In or NotIn.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:optional
    /// +protobuf=2
    pub operator: PodFailurePolicyOnExitCodesOperator,
    /// Exit codes in ascending order without duplicates, at most 255; 0 is not allowed with In.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +k8s:maxItems=255
    /// +protobuf=3
    #[serde(serialize_with = "null_if_empty")]
    pub values: Vec<i32>,
}

/// Pod condition for which a failure policy rule matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodFailurePolicyOnPodConditionsPattern {
    /// Type the condition must have.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: PodConditionType,
    /// Status the condition must have; True by default.
    ///
    /// +sprag:until("1.34")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:oneOf="False,True,Unknown"
    /// +protobuf=2
    pub status: ConditionStatus,
}

/// Rule for failed pods; exactly one of `onExitCodes` and `onPodConditions` must be set.
///
/// +sprag:validatedBy=validatePodFailurePolicyRule
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodFailurePolicyRule {
    /// Action to take if the rule matches.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:optional
    /// +protobuf=1
    pub action: PodFailurePolicyAction,
    /// Exit codes for which the rule matches.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_exit_codes: Option<PodFailurePolicyOnExitCodesRequirement>,
    /// Pod conditions of which one must match, at most 20.
    ///
    /// +listType=atomic
    /// +optional
    /// +sprag:called
    /// +k8s:maxItems=20
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_pod_conditions: Vec<PodFailurePolicyOnPodConditionsPattern>,
}

/// Rules for failed pods.
///
/// +sprag:validatedBy=validatePodFailurePolicy
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodFailurePolicy {
    /// Rules in order, at most 20; the first that matches decides, and without a match the failure is counted.
    ///
    /// +listType=atomic
    /// +required
    /// +sprag:called
    /// +k8s:maxItems=20
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub rules: Vec<PodFailurePolicyRule>,
}

/// Rules by which an indexed job succeeds early.
///
/// +sprag:validatedBy=validateSuccessPolicy
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SuccessPolicy {
    /// Rules in order, at most 20; the first that matches makes the job succeed.
    ///
    /// +listType=atomic
    /// +required
    /// +sprag:called
    /// +kinds:required="at least one rules must be specified when the successPolicy is specified"
    /// +k8s:maxItems=20
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub rules: Vec<SuccessPolicyRule>,
}

/// Rule by which an indexed job succeeds; at least one member must be set.
///
/// +sprag:validatedBy=validateSuccessPolicyRule
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SuccessPolicyRule {
    /// Indexes that must succeed, as numbers and ranges separated by commas, such as `1,3-5`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded_indexes: Option<String>,
    /// Number of indexes that must succeed, of all or of `succeededIndexes`.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded_count: Option<i32>,
}

/// Desired behavior of a job.
///
/// +sprag:validatedBy=ValidateJobSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// Maximum number of pods that run at the same time.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<i32>,
    /// Number of pods that must succeed; unset means that the success of any pod is the success of all.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<i32>,
    /// Seconds after its start time at which the job is terminated.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_deadline_seconds: Option<i64>,
    /// Rules for failed pods; requires a template with restart policy Never.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_failure_policy: Option<PodFailurePolicy>,
    /// Rules by which the job succeeds early; requires completion mode Indexed.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=16
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_policy: Option<SuccessPolicy>,
    /// Number of retries before the job is failed; 6 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_limit: Option<i32>,
    /// Number of retries of each index before it is failed; requires completion mode Indexed and restart policy Never.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +kinds:immutable
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_limit_per_index: Option<i32>,
    /// Number of failed indexes beyond which the job is failed; requires `backoffLimitPerIndex`.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:dependentRequired("backoffLimitPerIndex")
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_failed_indexes: Option<i32>,
    /// Labels of the pods that are counted; usually set by the server.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +k8s:opaqueType
    /// +kinds:immutable
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// True to use a selector and pod labels of one's own instead of generated ones.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual_selector: Option<bool>,
    /// Template of the pods; its restart policy must be Never or OnFailure.
    ///
    /// +required
    /// +protobuf=6
    pub template: PodTemplateSpec,
    /// Seconds after the end of the job at which it is deleted; unset keeps it.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds_after_finished: Option<i32>,
    /// Way in which completions are counted; NonIndexed by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:immutable
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_mode: Option<CompletionMode>,
    /// True to not create pods and to delete active ones; false by default.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Moment at which replacement pods are created; with `podFailurePolicy` always Failed.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_replacement_policy: Option<PodReplacementPolicy>,
    /// Controller that reconciles the job; the built-in one if unset, and it cannot be changed.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// Configuration of workload-aware scheduling of the job's pods.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=WorkloadWithJob
    /// +optional
    /// +k8s:ifDisabled(WorkloadWithJob)=+k8s:forbidden
    /// +k8s:optional
    /// +k8s:update=NoSet
    /// +k8s:update=NoUnset
    /// +protobuf=17
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<JobSchedulingConfiguration>,
}

/// Configuration of workload-aware scheduling of a job's pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSchedulingConfiguration {
    /// Scheduling policy: basic or gang; it cannot be added or removed later.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:update=NoSet
    /// +k8s:update=NoUnset
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_policy: Option<WorkloadPodGroupSchedulingPolicy>,
    /// Constraints on the placement of the pods, such as their topology; they cannot be changed.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:immutable
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_constraints: Option<WorkloadPodGroupSchedulingConstraints>,
    /// Mode in which pods are disrupted: single or all; it cannot be changed.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:immutable
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disruption_mode: Option<WorkloadPodGroupDisruptionMode>,
    /// Resource claims that pods of the job may share.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +k8s:maxItems=4
    /// +k8s:immutable
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_claims: Vec<WorkloadPodGroupResourceClaim>,
}

/// Current state of a job.
///
/// +sprag:validatedBy=ValidateJobStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// Conditions of the job.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<JobCondition>,
    /// Time at which the controller started to process the job; reset on resumption.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// Time at which the job completed successfully.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_time: Option<Time>,
    /// Number of pending and running pods that are not terminating.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub active: i32,
    /// Number of pods that have succeeded.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub succeeded: i32,
    /// Number of pods that have failed.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: i32,
    /// Number of terminating pods.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating: Option<i32>,
    /// Indexes that have completed, as numbers and ranges separated by commas, such as `1,3-5`.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub completed_indexes: String,
    /// Indexes that have failed, as numbers and ranges separated by commas, such as `1,3-5`.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_indexes: Option<String>,
    /// UIDs of terminated pods that the counters do not include yet.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncounted_terminated_pods: Option<UncountedTerminatedPods>,
    /// Number of active pods that are ready.
    ///
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<i32>,
}

/// UIDs of terminated pods that the counters of a job do not include yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UncountedTerminatedPods {
    /// UIDs of pods that succeeded.
    ///
    /// +listType=set
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub succeeded: Vec<UID>,
    /// UIDs of pods that failed.
    ///
    /// +listType=set
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<UID>,
}

/// Type of a condition of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobConditionType(pub String);

/// One aspect of the state of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobCondition {
    /// Type of the condition, such as Complete or Failed.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: JobConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time of the last check of the condition.
    ///
    /// +optional
    /// +protobuf=3
    pub last_probe_time: Time,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=4
    pub last_transition_time: Time,
    /// Machine-readable reason in CamelCase for the last transition.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable details about the last transition.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Template from which jobs are created.
///
/// +sprag:validatedBy=ValidateJobTemplateSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobTemplateSpec {
    /// Metadata of the jobs.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the jobs.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: JobSpec,
}

/// Creates jobs on a schedule.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJob {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the cron job.
    ///
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +protobuf=2
    pub spec: CronJobSpec,
    /// Current state of the cron job.
    ///
    /// +optional
    /// +protobuf=3
    pub status: CronJobStatus,
}

/// Desired behavior of a cron job.
///
/// +sprag:validatedBy=validateCronJobSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobSpec {
    /// Schedule in cron format.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=1
    pub schedule: String,
    /// Time zone of the schedule; that of the controller manager by default.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Seconds by which a job may start late; jobs that are missed count as failed.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starting_deadline_seconds: Option<i64>,
    /// Treatment of concurrent jobs; Allow by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="Allow"
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub concurrency_policy: ConcurrencyPolicy,
    /// True to not start further jobs; running ones go on. False by default.
    ///
    /// +optional
    /// +sprag:default=false
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Template of the jobs.
    ///
    /// +required
    /// +protobuf=5
    pub job_template: JobTemplateSpec,
    /// Number of successful jobs to keep; 3 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=3
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successful_jobs_history_limit: Option<i32>,
    /// Number of failed jobs to keep; 1 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=1
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_jobs_history_limit: Option<i32>,
}

/// Treatment of concurrent jobs of a cron job.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConcurrencyPolicy(pub String);

impl ConcurrencyPolicy {
    /// Jobs may run at the same time.
    pub const ALLOW_CONCURRENT: &'static str = "Allow";
    /// A new job is skipped while the previous one runs.
    pub const FORBID_CONCURRENT: &'static str = "Forbid";
    /// The running job is replaced by the new one.
    pub const REPLACE_CONCURRENT: &'static str = "Replace";
}

/// Current state of a cron job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobStatus {
    /// References to the running jobs.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub active: Vec<ObjectReference>,
    /// Time at which a job was last scheduled.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,
    /// Time at which a job last completed successfully.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_successful_time: Option<Time>,
}

//! Scheduling: affinity, taints, tolerations and topology spread.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::meta::v1::LabelSelector;

/// Policy for preempting pods of lower priority.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreemptionPolicy(pub String);

impl PreemptionPolicy {
    /// The pod can preempt pods of lower priority.
    pub const PREEMPT_LOWER_PRIORITY: &'static str = "PreemptLowerPriority";
    /// The pod never preempts other pods.
    pub const PREEMPT_NEVER: &'static str = "Never";
}

/// Union of node selector terms.
///
/// +structType=atomic
/// +sprag:validatedBy=ValidateNodeSelector
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelector {
    /// Terms, one of which must match.
    ///
    /// +listType=atomic
    /// +required
    /// +sprag:called
    /// +kinds:required="must have at least one node selector term"
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// Requirements that must all hold; an empty term matches no node.
///
/// +structType=atomic
/// +sprag:validatedBy=ValidateNodeSelectorTerm
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorTerm {
    /// Requirements on node labels.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<NodeSelectorRequirement>,
    /// Requirements on node fields.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<NodeSelectorRequirement>,
}

/// Requirement that relates a key to a set of values.
///
/// +sprag:validatedBy=ValidateNodeSelectorRequirement
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorRequirement {
    /// Label key or field the requirement applies to.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:format=k8s-label-key
    /// +protobuf=1
    pub key: String,
    /// Relation of the key to the values: In, NotIn, Exists, DoesNotExist, Gt or Lt.
    ///
    /// +required
    /// +protobuf=2
    pub operator: NodeSelectorOperator,
    /// Values for In and NotIn, a single integer for Gt and Lt, empty for Exists and DoesNotExist.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:eachVal=+k8s:format=k8s-label-value
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Operator of a node selector requirement.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeSelectorOperator(pub String);

impl NodeSelectorOperator {
    /// The value is one of the given ones.
    pub const NODE_SELECTOR_OP_IN: &'static str = "In";
    /// The value is not in the list.
    pub const NODE_SELECTOR_OP_NOT_IN: &'static str = "NotIn";
    /// The key exists.
    pub const NODE_SELECTOR_OP_EXISTS: &'static str = "Exists";
    /// The key does not exist.
    pub const NODE_SELECTOR_OP_DOES_NOT_EXIST: &'static str = "DoesNotExist";
    /// The value is greater than the given one.
    pub const NODE_SELECTOR_OP_GT: &'static str = "Gt";
    /// The value is less than the given one.
    pub const NODE_SELECTOR_OP_LT: &'static str = "Lt";
}

/// Scheduling constraints of a pod.
///
/// +sprag:validatedBy=validateAffinity
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Affinity {
    /// Constraints on the node.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_affinity: Option<NodeAffinity>,
    /// Constraints that place the pod near other pods.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_affinity: Option<PodAffinity>,
    /// Constraints that keep the pod away from other pods.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_anti_affinity: Option<PodAntiAffinity>,
}

/// Constraints that place a pod near other pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinity {
    /// Terms that must all be satisfied when the pod is scheduled; later changes are ignored.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    /// Weighted terms that the scheduler prefers to satisfy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

/// Constraints that keep a pod away from other pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAntiAffinity {
    /// Terms that must all be satisfied when the pod is scheduled; later changes are ignored.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    /// Weighted terms that the scheduler prefers to satisfy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

/// Pod affinity term with a weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WeightedPodAffinityTerm {
    /// Weight of the term, from 1 to 100.
    ///
    /// +required
    /// +protobuf=1
    pub weight: i32,
    /// Term to satisfy.
    ///
    /// +required
    /// +protobuf=2
    pub pod_affinity_term: PodAffinityTerm,
}

/// Set of pods and the topology in which a pod is to be placed with them or apart from them.
///
/// +sprag:validatedBy=validatePodAffinityTerm
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinityTerm {
    /// Labels of the pods; unset matches none.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Namespaces of the pods, in addition to those of `namespaceSelector`; if both are empty, the pod's own.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Node label whose equal values mean the same place.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:format=k8s-label-key
    /// +protobuf=3
    pub topology_key: String,
    /// Labels of the namespaces of the pods; an empty one matches all namespaces.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Label keys of the incoming pod whose values the other pods must have, too.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
    /// Label keys of the incoming pod whose values the other pods must not have.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mismatch_label_keys: Vec<String>,
}

/// Constraints on the node of a pod.
///
/// +sprag:validatedBy=validateNodeAffinity
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAffinity {
    /// Selector that must match when the pod is scheduled; later changes are ignored.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
    /// Weighted terms that the scheduler prefers to satisfy.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
}

/// Node selector term with a weight; an empty term matches all nodes with weight 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PreferredSchedulingTerm {
    /// Weight of the term, from 1 to 100.
    ///
    /// +required
    /// +protobuf=1
    pub weight: i32,
    /// Node selector term to satisfy.
    ///
    /// +required
    /// +protobuf=2
    pub preference: NodeSelectorTerm,
}

/// Mark on a node that repels pods which do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Taint {
    /// Key of the taint.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:format=k8s-label-key
    /// +protobuf=1
    pub key: String,
    /// Value of the taint.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect on pods that do not tolerate the taint.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub effect: TaintEffect,
    /// Moment at which the taint was put on the node.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_added: Option<Time>,
}

/// Effect of a taint on pods that do not tolerate it.
///
/// +enum
/// +kinds:oneOf
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaintEffect(pub String);

impl TaintEffect {
    /// New pods are not scheduled to the node; running ones stay.
    pub const TAINT_EFFECT_NO_SCHEDULE: &'static str = "NoSchedule";
    /// The scheduler avoids the node for new pods.
    pub const TAINT_EFFECT_PREFER_NO_SCHEDULE: &'static str = "PreferNoSchedule";
    /// New pods are not scheduled to the node, and running ones are evicted.
    pub const TAINT_EFFECT_NO_EXECUTE: &'static str = "NoExecute";
}

/// Match for taints that a pod tolerates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// Key of the taint; empty, together with Exists, matches all keys.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:format=k8s-label-key
    /// +sprag:until("1.36")=+k8s:format=k8s-label-key
    /// +sprag:called
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Relation of the key to the value: Exists, Equal, Lt or Gt; Equal by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub operator: TolerationOperator,
    /// Value of the taint; empty for Exists.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect of the taint; empty matches all effects.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub effect: TaintEffect,
    /// Seconds for which a NoExecute taint is tolerated; unset means forever, and 0 or less evicts at once.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// Operator of a toleration.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TolerationOperator(pub String);

impl TolerationOperator {
    /// The key exists.
    pub const TOLERATION_OP_EXISTS: &'static str = "Exists";
    /// The value is equal to the given one.
    pub const TOLERATION_OP_EQUAL: &'static str = "Equal";
    /// The taint's value is numerically less than the given one.
    ///
    /// +sprag:since("1.35")
    pub const TOLERATION_OP_LT: &'static str = "Lt";
    /// The taint's value is numerically greater than the given one.
    ///
    /// +sprag:since("1.35")
    pub const TOLERATION_OP_GT: &'static str = "Gt";
}

/// Gate that keeps a pod from being scheduled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSchedulingGate {
    /// Name of the gate, unique within the pod.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
}

/// Action for a pod that does not satisfy a spread constraint.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnsatisfiableConstraintAction(pub String);

impl UnsatisfiableConstraintAction {
    /// The pod is not scheduled.
    pub const DO_NOT_SCHEDULE: &'static str = "DoNotSchedule";
    /// The pod is scheduled where it reduces the skew.
    pub const SCHEDULE_ANYWAY: &'static str = "ScheduleAnyway";
}

/// Treatment of node affinity or taints when the skew is calculated.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeInclusionPolicy(pub String);

impl NodeInclusionPolicy {
    /// All nodes are included.
    pub const NODE_INCLUSION_POLICY_IGNORE: &'static str = "Ignore";
    /// Only nodes on which the pod can run are included.
    pub const NODE_INCLUSION_POLICY_HONOR: &'static str = "Honor";
}

/// Way in which matching pods are spread among topology domains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySpreadConstraint {
    /// Allowed difference in the number of matching pods between a domain and the one with the fewest.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be greater than zero"
    /// +protobuf=1
    pub max_skew: i32,
    /// Node label whose values are the domains.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="can not be empty"
    /// +protobuf=2
    pub topology_key: String,
    /// Action for a pod that does not satisfy the constraint.
    ///
    /// +required
    /// +sprag:called
    /// +protobuf=3
    pub when_unsatisfiable: UnsatisfiableConstraintAction,
    /// Labels of the pods that are counted.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Number of domains below which the fewest pods count as 0; only with DoNotSchedule, 1 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be greater than zero"
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_domains: Option<i32>,
    /// Treatment of the pod's node affinity and node selector; Honor by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_affinity_policy: Option<NodeInclusionPolicy>,
    /// Treatment of node taints; Ignore by default.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_taints_policy: Option<NodeInclusionPolicy>,
    /// Label keys of the incoming pod whose values the counted pods must have, too.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
}

/// Topologies as labels of nodes; all requirements have to hold.
///
/// +structType=atomic
/// +sprag:validatedBy=ValidateTopologySelectorTerm
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySelectorTerm {
    /// Requirements on labels of nodes.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_label_expressions: Vec<TopologySelectorLabelRequirement>,
}

/// Requirement on a label of nodes.
///
/// +sprag:validatedBy=validateTopologySelectorLabelRequirement
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySelectorLabelRequirement {
    /// Key of the label.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=1
    pub key: String,
    /// Values of the label, one of which the node has.
    ///
    /// +required
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +k8s:listType=atomic
    /// +k8s:unique=set
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub values: Vec<String>,
}

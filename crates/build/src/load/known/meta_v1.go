// Package v1 is what Sprag knows of the package of this import path where its source is not at hand: names in Go and in JSON,
// list types and patch strategies, no rules.
package v1

import "k8s.io/apimachinery/pkg/types"

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name                       string            `json:"name,omitempty"`
	GenerateName               string            `json:"generateName,omitempty"`
	Namespace                  string            `json:"namespace,omitempty"`
	SelfLink                   string            `json:"selfLink,omitempty"`
	UID                        types.UID         `json:"uid,omitempty"`
	ResourceVersion            string            `json:"resourceVersion,omitempty"`
	Generation                 int64             `json:"generation,omitempty"`
	CreationTimestamp          Time              `json:"creationTimestamp,omitempty,omitzero"`
	DeletionTimestamp          *Time             `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64            `json:"deletionGracePeriodSeconds,omitempty"`
	Labels                     map[string]string `json:"labels,omitempty"`
	Annotations                map[string]string `json:"annotations,omitempty"`
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid"`
	// +listType=set
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty"`
}

type ListMeta struct {
	SelfLink           string     `json:"selfLink,omitempty"`
	ResourceVersion    string     `json:"resourceVersion,omitempty"`
	Continue           string     `json:"continue,omitempty"`
	RemainingItemCount *int64     `json:"remainingItemCount,omitempty"`
	ShardInfo          *ShardInfo `json:"shardInfo,omitempty"`
}

type ShardInfo struct {
	Selector string `json:"selector"`
}

// +structType=atomic
type OwnerReference struct {
	APIVersion         string    `json:"apiVersion"`
	Kind               string    `json:"kind"`
	Name               string    `json:"name"`
	UID                types.UID `json:"uid"`
	Controller         *bool     `json:"controller,omitempty"`
	BlockOwnerDeletion *bool     `json:"blockOwnerDeletion,omitempty"`
}

type ManagedFieldsEntry struct {
	Manager     string                     `json:"manager,omitempty"`
	Operation   ManagedFieldsOperationType `json:"operation,omitempty"`
	APIVersion  string                     `json:"apiVersion,omitempty"`
	Time        *Time                      `json:"time,omitempty"`
	FieldsType  string                     `json:"fieldsType,omitempty"`
	FieldsV1    *FieldsV1                  `json:"fieldsV1,omitempty"`
	Subresource string                     `json:"subresource,omitempty"`
}

type ManagedFieldsOperationType string

const (
	ManagedFieldsOperationApply  ManagedFieldsOperationType = "Apply"
	ManagedFieldsOperationUpdate ManagedFieldsOperationType = "Update"
)

// +structType=atomic
type LabelSelector struct {
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// +listType=atomic
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}

type LabelSelectorRequirement struct {
	Key      string                `json:"key"`
	Operator LabelSelectorOperator `json:"operator"`
	// +listType=atomic
	Values []string `json:"values,omitempty"`
}

type LabelSelectorOperator string

const (
	LabelSelectorOpIn           LabelSelectorOperator = "In"
	LabelSelectorOpNotIn        LabelSelectorOperator = "NotIn"
	LabelSelectorOpExists       LabelSelectorOperator = "Exists"
	LabelSelectorOpDoesNotExist LabelSelectorOperator = "DoesNotExist"
)

type Condition struct {
	// +required
	Type string `json:"type"`
	// +required
	Status             ConditionStatus `json:"status"`
	ObservedGeneration int64           `json:"observedGeneration,omitempty"`
	// +required
	LastTransitionTime Time `json:"lastTransitionTime"`
	// +required
	Reason string `json:"reason"`
	// +required
	Message string `json:"message"`
}

type ConditionStatus string

const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

type GroupResource struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
}

type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

type GroupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type GroupVersionResource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

type Time struct{}

func (t *Time) UnmarshalJSON(b []byte) error { return nil }

type MicroTime struct{}

func (t *MicroTime) UnmarshalJSON(b []byte) error { return nil }

type Duration struct{}

func (d *Duration) UnmarshalJSON(b []byte) error { return nil }

type FieldsV1 struct{}

func (f *FieldsV1) UnmarshalJSON(b []byte) error { return nil }

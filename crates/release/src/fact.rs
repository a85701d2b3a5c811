//! The facts in which releases differ beyond declarations. A fact is here because recorded answers differ.

use crate::release::Release::{V1_33, V1_34, V1_35, V1_36, V1_37};
use crate::releases::Releases;

/// Defines the facts: a sentence, the releases it is true of, and upstream's symbol or pull request.
macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident: $range:ident($release:expr), $upstream:literal;)+) => {
        /// Something that code does in some releases only; the name says what is true of those.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fact {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Fact {
            /// All facts.
            pub const ALL: &[Fact] = &[$(Fact::$name),+];

            /// The releases in which it holds.
            pub const fn releases(self) -> Releases {
                match self {
                    $(Fact::$name => Releases::$range($release),)+
                }
            }

            /// Upstream's symbol or pull request.
            pub const fn upstream(self) -> &'static str {
                match self {
                    $(Fact::$name => $upstream,)+
                }
            }
        }
    };
}

facts! {
    /// Values in errors are printed as JSON; before, as Go source (`%#v`), and nil as `"null"`.
    PrintsValuesAsJson: since(V1_34), "field.Error.ErrorBody";
    /// Details of errors leave out the name of the field, and that it is required.
    DetailsLeaveFieldsOut: since(V1_34), "apiextensions validation.ValidateCustomResourceDefinitionOpenAPISchema";
    /// Stateful sets have the rules of pods and of claims for those that they make.
    StatefulSetsCheckTheirPods: since(V1_34), "apps/validation.ValidatePodTemplateSpecForStatefulSet";
    /// Targets of autoscalers have an API group.
    ScaleTargetsHaveAGroup: since(V1_34), "autoscaling/validation.ValidateAPIVersion";
    /// Errors about decisions that exclude each other are about the list of conditions; before, about the type of the second.
    DecisionsAreOfTheList: since(V1_34), "certificates/validation.validateConditions";
    /// Restart policies of containers are dropped while their feature is off.
    DropsRestartPolicies: since(V1_34), "pod.dropContainerRestartRules";
    /// Fields of services that do nothing for headless ones are warned of.
    WarnsOfHeadlessFields: since(V1_34), "api/service.GetWarningsForService";
    /// Errors about the state of resizes of claims name the field.
    ResizeStatesNameTheirField: since(V1_34), "core/validation.ValidatePersistentVolumeClaimStatusUpdate";
    /// Bound claims may change their class of attributes, but not lose it.
    RemovedClassesAreChanges: until(V1_33), "core/validation.ValidatePersistentVolumeClaimUpdate";
    /// Tables show that a job has met its criteria of success.
    TablesShowSuccess: since(V1_34), "printers.printJob";
    /// Pods with users of their own have no block devices.
    HostUsersForbidDevices: since(V1_34), "core/validation.validateHostUsers";
    /// Requests for tokens have the unique identifier of the service account.
    TokenRequestsHaveAUid: since(V1_34), "serviceaccount/storage.TokenREST.Create";
    /// Profiles of `AppArmor` in fields of new pods become annotations.
    AppArmorFieldsBecomeAnnotations: until(V1_33), "registry/core/pod.applyAppArmorVersionSkew";
    /// Limits of memory can be lowered or added only where containers restart on resizes.
    MemoryLimitsNeedRestarts: until(V1_33), "core/validation.validateContainerResize";
    /// Fields may be selected in backticks in expressions.
    CelEscapesNames: since(V1_37), "parser.NewParser of cel-go 0.29";
    /// `metadata.name` has at most 253 characters in estimates of costs.
    CelBoundsNames: since(V1_37), "model.WithTypeAndObjectMeta";
    /// Lists that are sets or have keys are equal if each has all elements of the other; before, if the first has those of the second.
    CelComparesWholeSets: since(V1_37), "common.unstructuredSetList.Equal";
    /// Rules of custom resources that fail print the value, but for lists and objects; before, they print its type.
    CelErrorsShowValues: since(V1_35), "cel.Validator.validateExpressions";
    /// Formats of custom resources are those of their type: `int32` of integers, `double` of numbers; integers are checked for their
    /// range, and formats of no type are warned of.
    FormatsHaveTypes: since(V1_36), "apiservervalidation.StripUnsupportedFormatsPostProcessorForVersion";
    /// Unknown formats of definitions are warned of.
    WarnsOfFormats: since(V1_34), "customresourcedefinition.strategy.WarningsOnCreate";
    /// Sets whose elements are objects or lists are warned of.
    WarnsOfSetsOfObjects: since(V1_37), "customresourcedefinition.getNonScalarListTypeSetWarnings";
    /// A definition that has too many selectable fields may keep them.
    KeepsManySelectableFields: since(V1_35), "apiextensions validation.findTooManySelectableFieldsAllowed";
    /// Errors that read like an earlier one are kept; later releases drop them.
    KeepsRepeatedErrors: until(V1_36), "rest.ValidateUpdate, validate.FilterCoveredHandwrittenErrors";
    /// Errors about owner references do not say which one, and missing members are invalid values.
    OwnersWithoutIndex: until(V1_36), "apimachinery/pkg/api/validation.validateOwnerReference";
    /// Managed fields with an unknown operation are invalid values.
    ManagedOperationsAreInvalid: until(V1_36), "apimachinery/pkg/apis/meta/v1/validation.ValidateManagedFields";
    /// Patches that are not JSON get the error of the decoder that reads them next.
    PatchSyntaxByDecoder: until(V1_36), "endpoints/handlers.patchResource";
    /// Conditions without a type or status have errors about the empty text, and those that repeat a type about that.
    EmptyConditionsAreInvalid: until(V1_36), "apimachinery/pkg/apis/meta/v1/validation.ValidateCondition";
    /// Hand-written code decides what rules of tags say, too; those are only observed.
    HandWrittenRulesDecide: until(V1_36), "rest.ValidateDeclarativelyWithMigrationChecks";
    /// Names and labels are limited in characters in the words of errors, and label keys are qualified names.
    NamesInCharacters: until(V1_34), "apimachinery/pkg/util/validation.IsQualifiedName";
    /// Errors about missing members of owner references begin with the member.
    OwnersNameTheirMember: until(V1_33), "apimachinery/pkg/api/validation.validateOwnerReference";
    /// Objects inside of others have a creation time of null.
    WritesNoCreationTime: until(V1_33), "metav1.ObjectMeta.CreationTimestamp without omitzero";
    /// A stateful set forbids changes of all but a list of fields in one error.
    StatefulSetsListMutableFields: until(V1_36), "apps/validation.ValidateStatefulSetUpdate";
    /// Bindings say that the role cannot change.
    RoleRefCannotChange: until(V1_36), "rbac/validation.ValidateRoleBindingUpdate";
    /// Members of printed values have an order of their own, and what a pod shares with its node is part of its security context.
    InternalTypesHaveTheirOwnOrder: until(V1_36), "core.PodSecurityContext.HostNetwork";
    /// The start of an unsuspended job is required once it is set.
    JobStartIsRequired: until(V1_35), "batch/validation.ValidateJobStatusUpdate";
    /// Errors about values that do not fit name the embedded structs on the way.
    NamesEmbeddedStructs: since(V1_35), "encoding/json of Go 1.25 and later";
    /// Paths of errors about tolerations of runtime classes repeat the field.
    RuntimeClassRepeatsField: until(V1_34), "node/validation.validateScheduling";
    /// Attributes of devices without a value lack something required.
    AttributeValueIsRequired: until(V1_34), "resource/validation.validateDeviceAttribute";
    /// Priority levels and limits without a type have an unsupported one.
    PriorityTypesAreUnsupported: until(V1_35), "flowcontrol/validation.ValidatePriorityLevelConfigurationSpec";
    /// Autoscalers without a maximum have one that is too small.
    MaxReplicasIsInvalid: until(V1_35), "autoscaling/validation.validateHorizontalPodAutoscalerSpec";
    /// Tables mark the default ingress class.
    TablesMarkDefaultClass: since(V1_36), "printers.printIngressClass";
    /// Errors about applied configurations call them YAML.
    AppliedIsYaml: until(V1_36), "handlers.applyPatcher.applyPatchToCurrentObject";
    /// The error about the end of a range of ports shows its begin.
    EndPortShowsPort: until(V1_36), "networking/validation.ValidateNetworkPolicyPort";
    /// Reviews that ask for nothing, or for two things, have an error about the resource.
    ReviewsBlameTheResource: until(V1_36), "authorization/validation.ValidateSubjectAccessReviewSpec";
    /// Changes of the provider ID of a node are forbidden.
    ProviderIdIsForbidden: until(V1_36), "core/validation.ValidateNodeUpdate";
    /// Names of services have to begin with a letter.
    ServiceNamesAreDns1035: until(V1_35), "features.RelaxedServiceNameValidation";
    /// External addresses of services are warned of.
    WarnsOfExternalIps: since(V1_36), "api/service.GetWarningsForService";
    /// Services that prefer close endpoints are warned of.
    WarnsOfPreferClose: since(V1_35), "api/service.GetWarningsForService";
    /// Addresses in another than the standard form are invalid in warnings; before, they will be.
    NonStandardAddressesAreInvalid: since(V1_36), "util/validation.GetWarningsForIP";
    /// Errors about resize policies say that the restart policy is that of the pod, and about claims of pods which member it is.
    PodErrorsAreExact: since(V1_36), "core/validation.validateResizePolicy, validatePodResourceClaimStatuses";
    /// Restart rules that are too many are counted, and their actions are those that gates allow.
    RestartRulesAreCounted: since(V1_36), "core/validation.validateContainerRestartPolicy";
    /// Init containers that are no sidecars cannot restart for a resize.
    RefusesRestartsOfInitContainers: since(V1_36), "core/validation.validateInitContainers";
    /// Handlers of runtime classes are required; before, none is an invalid one.
    HandlerIsRequired: since(V1_36), "node/validation.ValidateRuntimeClass";
    /// Attachments are checked on update as they are on creation, and the driver once.
    AttachmentsHaveOneCheck: since(V1_36), "storage/validation.ValidateVolumeAttachmentV1";
    /// Updates check attachments once more.
    AttachmentsAreCheckedTwice: until(V1_34), "volumeattachment.volumeAttachmentStrategy.ValidateUpdate";
    /// Errors about keys of maps in devices and counters blame the map; before, the entry.
    KeyErrorsBlameTheMap: since(V1_36), "resource/validation.validateMap";
    /// Items of sets that occur again blame the member that is their key.
    DuplicatesBlameTheirKey: until(V1_34), "resource/validation.validateSet";
    /// Empty names of drivers are invalid ones, too.
    EmptyDriverNamesAreInvalidToo: until(V1_34), "core/validation.ValidateCSIDriverName";
    /// Pods with resources of their own cannot be resized at all.
    ResizesNeedContainerResources: until(V1_34), "core/validation.ValidatePodResize";
    /// Quotas whose requests are above their limits are warned of.
    WarnsOfQuotas: since(V1_35), "resourcequota.resourcequotaStrategy.WarningsOnCreate";
    /// Clients that do not know claims in statuses of pods cannot clear them.
    KeepsClaimStatuses: since(V1_37), "pod.podStatusStrategy.PrepareForUpdate";
    /// Updates of device classes check metadata as that of a new and of a changed object.
    ClassUpdatesCheckMetadataTwice: since(V1_35), "resource/validation.ValidateDeviceClassUpdate";
    /// Metadata of lists says which shard they are.
    ListsHaveShards: since(V1_36), "metav1.ListMeta.ShardInfo";
    /// Schemas of statuses say that their details are an atomic list.
    DetailsOfStatusesAreAtomic: until(V1_34), "metav1.Status.Details";
    /// Tables of nodes show the architecture.
    TablesShowArchitecture: since(V1_36), "printers.printNode";
    /// Claims keep tolerations and distinct attributes while their features are off.
    ClaimsKeepDisabledFields: until(V1_34), "resourceclaim.dropDisabledFields";
    /// Tolerations may compare numbers, where a feature is on.
    TolerationsCompareNumbers: since(V1_35), "core/validation.ValidateTolerations";
    /// Identifiers of devices in errors have no values.
    DeviceIdsAreOpaque: until(V1_34), "structured.SharedDeviceID";
    /// Qualified names of devices and their parts are required; later, empty ones are invalid.
    QualifiedNamesAreRequired: until(V1_34), "resource/validation.validateQualifiedName";
    /// Updates check the whole of claims and their templates, too, though they cannot change.
    ClaimUpdatesCheckAll: until(V1_34), "resource/validation.ValidateResourceClaimUpdate";
    /// Requests that have both kinds are checked as both.
    RequestsOfTwoKindsAreChecked: until(V1_34), "resource/validation.validateDeviceRequest";
    /// Tables of service accounts count secrets.
    TablesCountSecrets: until(V1_34), "printers.printServiceAccount";
    /// Taints of devices may have no effect.
    TaintsMayHaveNoEffect: since(V1_35), "resource.DeviceTaintEffectNone";
    /// Lists of devices that are too long are judged item by item all the same.
    LongListsAreJudged: until(V1_34), "resource/validation.validateSlice";
    /// Resizes of init containers are judged one by one.
    ResizesJudgeInitContainers: since(V1_36), "core/validation.ValidatePodResize";
    /// Resizes judge volumes by themselves, keep the claims of containers, and do not ask for claims of node resources.
    ResizesJudgeVolumes: since(V1_37), "core/validation.ValidatePodResize";
    /// Bindings of pods check the name of the node.
    BindingsCheckNodeNames: since(V1_37), "core/validation.ValidatePodBinding";
    /// Owners of fields stay as they are where they cannot be settled; before, they are forgotten.
    KeepsUnsettledOwners: since(V1_37), "managedfields.FieldManager.UpdateNoErrors";
    /// Statuses and conditions of definitions say which generation they are about.
    DefinitionsObserveGenerations: since(V1_35), "apiextensions.CustomResourceDefinitionStatus.ObservedGeneration";
    /// Tables of definitions say more than their creation time.
    DefinitionsHaveColumns: since(V1_37), "customresourcedefinition/tableconvertor.New";
    /// Resources of nodes that claims allocate are one map in statuses of pods, and part of a mapping in devices.
    NodeAllocatableIsOneMap: until(V1_36), "core.NodeAllocatableResourceClaimStatus.Resources";
    /// Tolerations in results of allocations are checked.
    ResultTolerationsAreChecked: since(V1_37), "resource/validation.validateDeviceRequestAllocationResult";
    /// Ranges of capacities that leave out the default blame that, their steps have to be positive, and large amounts are refused.
    CapacityRangesBlameTheDefault: since(V1_37), "resource/validation.validateRequestPolicyRange";
    /// Capacities of devices are not checked again while they stay as they are.
    UnchangedCapacityIsKept: since(V1_37), "resource/validation.validateDevice";
    /// Tables mark the default storage class.
    TablesMarkDefaultStorageClass: until(V1_36), "printers.printStorageClass";
    /// CSI drivers whose tokens may be logged are warned of.
    WarnsOfLoggedTokens: since(V1_35), "csidriver.csiDriverStrategy.WarningsOnCreate";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_divides_the_releases() {
        for fact in Fact::ALL {
            assert!(!fact.releases().is_all() && !fact.releases().is_none(), "{fact:?}");
            assert!(!fact.upstream().is_empty(), "{fact:?}");
        }
    }
}

//! Workloads: deployments, replica sets, daemon sets, stateful sets, replication controllers and controller revisions.

use expect_test::expect;
use sprag_value::Value;

use crate::api::{Api, Kind, shown};

const DEPLOYMENTS: Kind = Kind { path: "apps/deployments", api_version: "apps/v1", name: "Deployment" };
const REPLICA_SETS: Kind = Kind { path: "apps/replicasets", api_version: "apps/v1", name: "ReplicaSet" };
pub(crate) const DAEMON_SETS: Kind = Kind { path: "apps/daemonsets", api_version: "apps/v1", name: "DaemonSet" };
const STATEFUL_SETS: Kind = Kind { path: "apps/statefulsets", api_version: "apps/v1", name: "StatefulSet" };
const REVISIONS: Kind = Kind { path: "apps/controllerrevisions", api_version: "apps/v1", name: "ControllerRevision" };
pub(crate) const CONTROLLERS: Kind =
    Kind { path: "replicationcontrollers", api_version: "v1", name: "ReplicationController" };

const SELECTOR: &str = r#""selector":{"matchLabels":{"app":"web"}}"#;
const TEMPLATE: &str =
    r#""template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}}"#;

/// A spec with a selector, a template and further members.
fn spec(members: &str) -> String {
    format!(r#","spec":{{{SELECTOR},{TEMPLATE}{members}}}"#)
}

/// A member of the metadata of an object.
fn said<'v>(object: &'v Value, path: &[&str]) -> &'v str {
    object.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

fn generation(object: &Value) -> i64 {
    object.lookup(&["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default()
}

#[test]
fn new_deployments_roll_out_one_pod() {
    DEPLOYMENTS.check(&spec(""), expect![[r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":1,"name":"x"},"spec":{"progressDeadlineSeconds":600,"replicas":1,"revisionHistoryLimit":10,"selector":{"matchLabels":{"app":"web"}},"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","imagePullPolicy":"Always","name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}},"status":{}}"#]]);
}

#[test]
fn a_deployment_needs_a_selector_of_its_pods() {
    DEPLOYMENTS.check(&format!(r#","spec":{{{TEMPLATE}}}"#), expect![[r#"Deployment.apps "x" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`]"#]]);
    let empty = format!(r#","spec":{{"selector":{{}},{TEMPLATE}}}"#);
    DEPLOYMENTS.check(&empty, expect![[r#"Deployment.apps "x" is invalid: spec.selector: Invalid value: {}: empty selector is invalid for deployment"#]]);
    let other = format!(r#","spec":{{"selector":{{"matchLabels":{{"app":"db"}}}},{TEMPLATE}}}"#);
    DEPLOYMENTS.check(&other, expect![[r#"Deployment.apps "x" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`"#]]);
    let unlabelled = spec("").replace(r#""labels":{"app":"web"}"#, r#""labels":{}"#);
    DEPLOYMENTS.check(&unlabelled, expect![[r#"Deployment.apps "x" is invalid: spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"#]]);
    DEPLOYMENTS.check_update(&spec(""), &other.replace("web", "db"), expect![[r#"Deployment.apps "x" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"db"}}: field is immutable"#]]);
}

#[test]
fn rollouts_make_progress() {
    let both =
        r#","strategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":"0%"}},"minReadySeconds":600,"replicas":-1"#;
    DEPLOYMENTS.check(&spec(both), expect![[r#"Deployment.apps "x" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0, spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds]"#]]);
    let recreate = r#","strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}}"#;
    DEPLOYMENTS.check(&spec(recreate), expect![[r#"Deployment.apps "x" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"#]]);
    DEPLOYMENTS.check(&spec(r#","strategy":{"type":"Blue","rollingUpdate":{}}"#), expect![[r#"Deployment.apps "x" is invalid: spec.strategy: Unsupported value: {"Type":"Blue","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":0}}: supported values: "Recreate", "RollingUpdate""#]]);
    let daemons = r#","updateStrategy":{"rollingUpdate":{"maxUnavailable":1,"maxSurge":"101%"}}"#;
    DAEMON_SETS.check(&spec(daemons), expect![[r#"DaemonSet.apps "x" is invalid: [spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "101%": must not be greater than 100%, spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "101%": may not be set when maxUnavailable is non-zero]"#]]);
}

#[test]
fn a_deployment_counts_changes_of_its_spec_and_annotations() {
    let api = Api::new();
    let path = DEPLOYMENTS.path;
    api.create(path, &DEPLOYMENTS.body(&spec(""))).unwrap();
    let change = |patch: &str| generation(&api.strategic(path, "x", patch).unwrap());
    assert_eq!(change(r#"{"metadata":{"labels":{"a":"b"}}}"#), 1);
    assert_eq!(change(r#"{"metadata":{"annotations":{"a":"b"}}}"#), 2);
    assert_eq!(change(r#"{"spec":{"paused":true}}"#), 3);
    assert_eq!(change(r#"{"status":{"replicas":3}}"#), 3);
    // A pointer to nothing is another spec than none.
    let security = r#"{"spec":{"template":{"spec":{"containers":[{"name":"c","securityContext":{}}]}}}}"#;
    assert_eq!(change(security), 4);
    assert_eq!(change(security), 4);
}

#[test]
fn a_status_is_written_with_annotations_but_without_labels() {
    let api = Api::new();
    let path = DEPLOYMENTS.path;
    api.create(path, &DEPLOYMENTS.body(&spec(""))).unwrap();
    let patch = r#"{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}},"spec":{"replicas":9},"status":{"replicas":2,"readyReplicas":1}}"#;
    let deployment = api.merge_below(path, "status", patch).unwrap();
    let shown = |path: &[&str]| deployment.lookup(path).map(sprag_value::json::to_string).unwrap_or_default();
    assert_eq!(shown(&["metadata", "labels"]), "");
    assert_eq!(shown(&["metadata", "annotations"]), r#"{"a":"b"}"#);
    assert_eq!(shown(&["spec", "replicas"]), "1");
    assert_eq!(shown(&["status"]), r#"{"readyReplicas":1,"replicas":2}"#);
    let refused = api.merge_below(path, "status", r#"{"status":{"readyReplicas":3,"availableReplicas":4}}"#);
    expect![[r#"Deployment.apps "x" is invalid: [status.readyReplicas: Invalid value: 3: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 4: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 4: cannot be greater than readyReplicas]"#]].assert_eq(&refused.unwrap_err().to_string());
}

#[test]
fn workloads_are_scaled() {
    let api = Api::new();
    let path = STATEFUL_SETS.path;
    api.create(path, &STATEFUL_SETS.body(&spec(r#","serviceName":"s""#))).unwrap();
    expect![[r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":1},"status":{"replicas":0,"selector":"app=web"}}"#]].assert_eq(&shown(api.below(path, "scale")));
    let scale = |members: &str| {
        format!(
            r#"{{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{{"name":"x"{members}}},"spec":{{"replicas":5}}}}"#
        )
    };
    expect![[r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":5},"status":{"replicas":0,"selector":"app=web"}}"#]].assert_eq(&shown(api.update_below(path, "scale", &scale(""))));
    let set = api.get(path, "x").unwrap();
    assert_eq!((set.lookup(&["spec", "replicas"]).and_then(Value::as_i64), generation(&set)), (Some(5), 2));
    let old = api.update_below(path, "scale", &scale(r#","resourceVersion":"1""#)).unwrap_err();
    expect![[r#"Operation cannot be fulfilled on statefulsets.apps "x": the object has been modified; please apply your changes to the latest version and try again"#]].assert_eq(&old.to_string());
    let patch = |patch: &str| api.merge_below(path, "scale", patch);
    expect![[
        r#"Scale.autoscaling "x" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"#
    ]]
    .assert_eq(&patch(r#"{"spec":{"replicas":-1}}"#).unwrap_err().to_string());
    let foreign = patch(r#"{"apiVersion":"apps/v1","kind":"StatefulSet"}"#).unwrap_err().to_string();
    assert!(foreign.ends_with("converting (v1.StatefulSet) to (autoscaling.Scale): unknown conversion"), "{foreign}");
    let unknown = patch(r#"{"apiVersion":"apps/v1"}"#).unwrap_err().to_string();
    assert!(
        unknown.ends_with(
            r#"no kind "Scale" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30""#
        ),
        "{unknown}"
    );
    let other = patch(r#"{"metadata":{"uid":"other"},"spec":{"replicas":1}}"#).unwrap_err().to_string();
    assert!(other.starts_with(
        "Operation cannot be fulfilled on statefulsets/scale.apps \"x\": Precondition failed: UID in precondition: other"
    ));
}

#[test]
fn a_daemon_set_counts_changes_of_its_template_in_an_annotation() {
    let api = Api::new();
    let path = DAEMON_SETS.path;
    let counted = |object: &Value| {
        let name = "deprecated.daemonset.template.generation";
        said(object, &["metadata", "annotations", name]).to_owned()
    };
    assert_eq!(counted(&api.create(path, &DAEMON_SETS.body(&spec(""))).unwrap()), "1");
    let patch = |patch: &str| api.strategic(path, "x", patch);
    let annotation = |value: &str| {
        format!(r#"{{"metadata":{{"annotations":{{"deprecated.daemonset.template.generation":"{value}"}}}}}}"#)
    };
    assert_eq!(counted(&patch(&annotation("7")).unwrap()), "1");
    assert_eq!(counted(&patch(r#"{"spec":{"minReadySeconds":1}}"#).unwrap()), "1");
    assert_eq!(counted(&patch(r#"{"spec":{"template":{"spec":{"hostNetwork":true}}}}"#).unwrap()), "2");
    expect![[r#"strconv.ParseInt: parsing "x": invalid syntax"#]]
        .assert_eq(&patch(&annotation("x")).unwrap_err().to_string());
    let merged = api.merge_below(path, "", &annotation("x")).unwrap_err().to_string();
    assert!(merged.ends_with(r#": strconv.ParseInt: parsing "x": invalid syntax"#), "{merged}");
    let annotated = r#""name":"y","annotations":{"deprecated.daemonset.template.generation":"x"}"#;
    let body = DAEMON_SETS.body(&spec("")).replace(r#""name":"x""#, annotated);
    expect![[
        r#"DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax"#
    ]]
    .assert_eq(&shown(api.create(path, &body)));
}

#[test]
fn a_stateful_set_mounts_its_claims() {
    let members = r#","serviceName":"s","volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]"#;
    let mounted = spec(members)
        .replace(r#""image":"nginx""#, r#""image":"nginx","volumeMounts":[{"name":"data","mountPath":"/data"}]"#);
    STATEFUL_SETS.check(&mounted, expect![[r#"{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"generation":1,"name":"x"},"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},"podManagementPolicy":"OrderedReady","replicas":1,"revisionHistoryLimit":10,"selector":{"matchLabels":{"app":"web"}},"serviceName":"s","template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","imagePullPolicy":"Always","name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","volumeMounts":[{"mountPath":"/data","name":"data"}]}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":1,"partition":0},"type":"RollingUpdate"},"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}]},"status":{"availableReplicas":0,"replicas":0}}"#]]);
    let other = spec("")
        .replace(r#""image":"nginx""#, r#""image":"nginx","volumeMounts":[{"name":"data","mountPath":"/data"}]"#);
    STATEFUL_SETS.check(&other, expect![[r#"StatefulSet.apps "x" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data""#]]);
    STATEFUL_SETS.check_update(&mounted, &mounted.replace("1Gi", "2Gi").replace(r#""s""#, r#""t""#), expect![[r#"StatefulSet.apps "x" is invalid: [spec.volumeClaimTemplates: Invalid value: [{"name":"data","Spec":{"AccessModes":["ReadWriteOnce"],"Selector":null,"Resources":{"Limits":null,"Requests":{"storage":"2Gi"}},"VolumeName":"","StorageClassName":null,"VolumeMode":"Filesystem","DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null},"Status":{"Phase":"Pending","AccessModes":null,"Capacity":null,"Conditions":null,"AllocatedResources":null,"AllocatedResourceStatuses":null,"CurrentVolumeAttributesClassName":null,"ModifyVolumeStatus":null,"HealthStatus":null}}]: field is immutable, spec.serviceName: Invalid value: "t": field is immutable]"#]]);
}

#[test]
fn a_stateful_set_is_named_by_a_label() {
    let body = STATEFUL_SETS.body(&spec("")).replace(r#""name":"x""#, r#""name":"x.y""#);
    expect![[r#"StatefulSet.apps "x.y" is invalid: metadata.name: Invalid value: "x.y": must not contain dots"#]]
        .assert_eq(&shown(Api::new().create(STATEFUL_SETS.path, &body)));
    let warned = DEPLOYMENTS.body(&spec("")).replace(r#""name":"x""#, r#""name":"x.y""#);
    expect!["metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"].assert_eq(&Api::new().warnings(DEPLOYMENTS.path, &warned).join("\n"));
    let negative = STATEFUL_SETS.body(&spec(r#","revisionHistoryLimit":-1"#));
    expect![
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
    ]
    .assert_eq(&Api::new().warnings(STATEFUL_SETS.path, &negative).join("\n"));
}

#[test]
fn a_replication_controller_has_the_labels_of_its_template() {
    CONTROLLERS.check(&format!(r#","spec":{{{TEMPLATE}}}"#), expect![[r#"{"apiVersion":"v1","kind":"ReplicationController","metadata":{"generation":1,"labels":{"app":"web"},"name":"x"},"spec":{"replicas":1,"selector":{"app":"web"},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","imagePullPolicy":"Always","name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}},"status":{"replicas":0}}"#]]);
    CONTROLLERS.check(r#","spec":{"replicas":-1,"selector":{"a":"b"}}"#, expect![[r#"ReplicationController "x" is invalid: [spec.template: Required value, spec.replicas: Invalid value: -1: must be greater than or equal to 0]"#]]);
    let upper = CONTROLLERS.body(&format!(r#","spec":{{{TEMPLATE}}}"#)).replace(r#""name":"x""#, r#""name":"X""#);
    expect![[r#"ReplicationController "X" is invalid: metadata.name: Invalid value: "X": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"#]].assert_eq(&shown(Api::new().create(CONTROLLERS.path, &upper)));
}

#[test]
fn pods_of_workloads_always_restart() {
    let ending = spec("").replace(
        r#""spec":{"containers""#,
        r#""spec":{"restartPolicy":"Never","activeDeadlineSeconds":5,"containers""#,
    );
    for kind in [DEPLOYMENTS, REPLICA_SETS, DAEMON_SETS, STATEFUL_SETS] {
        let refused = Api::new().create(kind.path, &kind.body(&ending)).unwrap_err().to_string();
        assert!(
            refused.contains(
                r#"spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always""#
            ),
            "{refused}"
        );
        assert!(refused.contains(" is not Supported"), "{refused}");
    }
}

#[test]
fn revisions_keep_their_data() {
    REVISIONS.check(r#","data":{"a":1},"revision":3"#, expect![[r#"{"apiVersion":"apps/v1","data":{"a":1},"kind":"ControllerRevision","metadata":{"name":"x"},"revision":3}"#]]);
    REVISIONS.check(r#","revision":-1"#, expect![[r#"ControllerRevision.apps "x" is invalid: [revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]"#]]);
    REVISIONS.check(
        r#","data":[1]"#,
        expect![[r#"ControllerRevision.apps "x" is invalid: data: Required value: data must be a valid JSON object"#]],
    );
    REVISIONS.check_update(
        r#","data":{"a":1}"#,
        r#","data":{"a":2},"revision":2"#,
        expect![[r#"ControllerRevision.apps "x" is invalid: data: Invalid value: {"a":2}: field is immutable"#]],
    );
    let (sent, again) = (r#","data":{"a":1,"b":2}"#, r#","data":{ "b": 2, "a": 1 }"#);
    REVISIONS.check_update(sent, again, expect![[r#"{"apiVersion":"apps/v1","data":{"a":1,"b":2},"kind":"ControllerRevision","metadata":{"name":"x"},"revision":0}"#]]);
}

#[test]
fn rows_show_numbers_of_pods() {
    DEPLOYMENTS.check_row(&spec(r#","replicas":3"#), expect![[r#"["0/3",0,0,"60s","c","nginx","app=web"]"#]]);
    REPLICA_SETS.check_row(&spec(r#","replicas":3"#), expect![[r#"[3,0,0,"60s","c","nginx","app=web"]"#]]);
    DAEMON_SETS.check_row(&spec(""), expect![[r#"[0,0,0,0,0,"\u003cnone\u003e","60s","c","nginx","app=web"]"#]]);
    STATEFUL_SETS.check_row(&spec(""), expect![[r#"["0/1","60s","c","nginx"]"#]]);
    CONTROLLERS.check_row(&format!(r#","spec":{{{TEMPLATE}}}"#), expect![[r#"[1,0,0,"60s","c","nginx","app=web"]"#]]);
    REVISIONS.check_row(r#","data":{"a":1},"revision":3"#, expect![[r#"["\u003cnone\u003e",3,"60s"]"#]]);
}

/// Go has an empty list or map where one was sent; its JSON leaves it out.
#[test]
fn rules_see_empty_lists_and_maps_however_they_were_sent() {
    let api = Api::new();
    api.create(DEPLOYMENTS.path, &DEPLOYMENTS.body(&spec(""))).unwrap();
    let expected = "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`";
    let body = DEPLOYMENTS.body(&spec("")).replace(r#""labels":{"app":"web"}"#, r#""labels":{}"#);
    let refused = |answer: Result<Value, sprag_rest::ApiError>| {
        let error = answer.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(api.update(DEPLOYMENTS.path, "x", &body));
    let replaced = r#"{"spec":{"template":{"metadata":{"labels":{"$patch":"replace"}}}}}"#;
    refused(api.strategic(DEPLOYMENTS.path, "x", replaced));
    refused(api.apply(DEPLOYMENTS.path, "y", &body.replace(r#""name":"x""#, r#""name":"y""#)));
}

#[test]
fn claims_that_were_taken_away_are_shown_as_an_empty_list() {
    let api = Api::new();
    let claims = r#","serviceName":"s","volumeClaimTemplates":[{"metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]"#;
    api.create(STATEFUL_SETS.path, &STATEFUL_SETS.body(&spec(claims))).unwrap();
    let refused = |members: &str, shown: &str| {
        let body = STATEFUL_SETS.body(&spec(&format!(r#","serviceName":"s"{members}"#)));
        let error = api.update(STATEFUL_SETS.path, "x", &body).unwrap_err().to_string();
        let expected = format!("spec.volumeClaimTemplates: Invalid value: {shown}: field is immutable");
        assert!(error.contains(&expected), "{error}");
    };
    refused(r#","volumeClaimTemplates":[]"#, "[]");
    refused("", "null");
}

//! `sprag upgrade`.

use expect_test::{Expect, expect};

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

/// Objects as a cluster of 1.34 has them: a version that goes, an address that becomes stricter, a field that is dropped, one
/// that gets a default, one that is warned of, and one to which nothing happens.
const OBJECTS: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: networking.k8s.io/v1beta1
  kind: ServiceCIDR
  metadata: {name: more, uid: a-b-c, resourceVersion: '7'}
  spec:
    cidrs: [10.9.0.0/16]
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: office, namespace: default, uid: a-b-d, resourceVersion: '8'}
  spec:
    podSelector: {}
    policyTypes: [Ingress]
    ingress:
    - from:
      - ipBlock: {cidr: 010.0.0.0/8}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: default, uid: a-b-e, resourceVersion: '9'}
  spec:
    externalIPs: [192.0.2.1]
    ports:
    - port: 80
- apiVersion: resource.k8s.io/v1beta1
  kind: DeviceClass
  metadata: {name: gpus, uid: a-b-f, resourceVersion: '10'}
  spec: {}
- apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web, namespace: default, uid: a-b-0, resourceVersion: '12'}
  spec:
    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
    maxReplicas: 3
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings, namespace: default, uid: a-b-1, resourceVersion: '11'}
  data: {a: b}
";

fn upgrade(args: &[&str], stdin: &str) -> Run {
    let folder = Scratch::new(&format!("upgrade-{}", args.join("").replace(['/', '.'], "-")));
    sprag_in(folder.dir(), &[&["upgrade"], args].concat(), stdin)
}

#[track_caller]
fn check(args: &[&str], stdin: &str, expect: &Expect) {
    let run = upgrade(args, stdin);
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    expect.assert_eq(&format!("{}{stderr}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn objects_of_a_cluster_are_told_what_happens_to_them() {
    check(
        &["--from", "1.34", "--to", "1.37", "-"],
        OBJECTS,
        &expect![[r#"
            error: rejected by 1.37: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file
             --> stdin:5:9
              |
            5 |   kind: ServiceCIDR
              |         ^^^^^^^^^^^
              |
              = ServiceCIDR more (networking.k8s.io/v1beta1)

            ratcheted: ratcheted by 1.36 and later: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length
              --> stdin:17:25
               |
            17 |       - ipBlock: {cidr: 010.0.0.0/8}
               |                         ^^^^^^^^^^^
               |
               = NetworkPolicy default/office (networking.k8s.io/v1)

            warning: warned of by 1.36 and later: spec.externalIPs is deprecated and may no longer be implemented in some clusters
              --> stdin:22:18
               |
            22 |     externalIPs: [192.0.2.1]
               |                  ^^^^^^^^^^^
               |
               = Service default/web (v1)

            note: rejected before the upgrade already: no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1": Kubernetes 1.37 serves it only where it is switched on; 1.38 removes it; use resource.k8s.io/v1; --fix rewrites the file
              --> stdin:26:9
               |
            26 |   kind: DeviceClass
               |         ^^^^^^^^^^^
               |
               = DeviceClass gpus (resource.k8s.io/v1beta1)

            note: in 1.37: metadata.generation: is set to 1
              --> stdin:31:3
               |
            31 |   metadata: {name: web, namespace: default, uid: a-b-0, resourceVersion: '12'}
               |   ^^^^^^^^
               |
               = HorizontalPodAutoscaler default/web (autoscaling/v2)

            ## Upgrade of Kubernetes from 1.34 to 1.37: 6 objects in 1 file

            ### Removed API versions: 1 object

            These have to be rewritten before the upgrade: nobody can read or write them in this version afterwards.

            - ServiceCIDR more (networking.k8s.io/v1beta1) in stdin: rejected by 1.37: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file

            ### Stricter for new objects: 1 object

            Rules that became stricter, and are ratcheted: stored objects are accepted as long as the field does not change, new ones are rejected.

            - NetworkPolicy default/office (networking.k8s.io/v1) in stdin: ratcheted by 1.36 and later: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length

            ### New warnings: 1 object

            These are accepted with a warning that is new.

            - Service default/web (v1) in stdin: warned of by 1.36 and later: spec.externalIPs is deprecated and may no longer be implemented in some clusters

            ### Stored differently: 1 object

            Defaults that differ, and fields that are dropped or kept.

            - HorizontalPodAutoscaler default/web (autoscaling/v2) in stdin: metadata.generation: is set to 1

            ### Rejected before: 1 object

            Both releases reject these: the upgrade changes nothing.

            - DeviceClass gpus (resource.k8s.io/v1beta1) in stdin: no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1": Kubernetes 1.37 serves it only where it is switched on; 1.38 removes it; use resource.k8s.io/v1; --fix rewrites the file

            Nothing happens to 1 object.
            Answers are those of v1.34.11 and v1.37.0-rc.1.
            --- exit 1
        "#]],
    );
}

#[test]
fn the_summary_alone_is_for_a_ticket() {
    check(
        &["--from", "1.34", "--summary", "-"],
        OBJECTS,
        &expect![[r###"
            ## Upgrade of Kubernetes from 1.34 to 1.37: 6 objects in 1 file

            ### Removed API versions: 1 object

            These have to be rewritten before the upgrade: nobody can read or write them in this version afterwards.

            - ServiceCIDR more (networking.k8s.io/v1beta1) in stdin: rejected by 1.37: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file

            ### Stricter for new objects: 1 object

            Rules that became stricter, and are ratcheted: stored objects are accepted as long as the field does not change, new ones are rejected.

            - NetworkPolicy default/office (networking.k8s.io/v1) in stdin: ratcheted by 1.36 and later: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length

            ### New warnings: 1 object

            These are accepted with a warning that is new.

            - Service default/web (v1) in stdin: warned of by 1.36 and later: spec.externalIPs is deprecated and may no longer be implemented in some clusters

            ### Stored differently: 1 object

            Defaults that differ, and fields that are dropped or kept.

            - HorizontalPodAutoscaler default/web (autoscaling/v2) in stdin: metadata.generation: is set to 1

            ### Rejected before: 1 object

            Both releases reject these: the upgrade changes nothing.

            - DeviceClass gpus (resource.k8s.io/v1beta1) in stdin: no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1": Kubernetes 1.37 serves it only where it is switched on; 1.38 removes it; use resource.k8s.io/v1; --fix rewrites the file

            Nothing happens to 1 object.
            Answers are those of v1.34.11 and v1.37.0-rc.1.
            --- exit 1
        "###]],
    );
}

#[test]
fn programs_get_the_same() {
    let run = upgrade(&["--from", "1.34", "-", "-o", "json"], OBJECTS);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    expect![[r#"
        {"recorded":"v1.34.11","version":"1.34"} {"recorded":"v1.37.0-rc.1","version":"1.37"} {"accepted":0,"already":1,"changes":1,"errors":0,"leaving":0,"ratcheted":1,"rejected":0,"removed":1,"skipped":0,"unchanged":1,"warns":1}
    "#]].assert_eq(&format!("{} {} {}\n", document["from"], document["to"], document["summary"]));
    let effects: Vec<String> = document["resources"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|resource| {
            let name = format!("{} {}", resource["kind"].as_str().unwrap(), resource["name"].as_str().unwrap());
            let findings = resource["findings"].as_array().unwrap().clone();
            findings.into_iter().map(move |finding| format!("{name}: {} {}", finding["effect"], finding["releases"]))
        })
        .collect();
    expect![[r#"
        ServiceCIDR more: "removed" ["1.37"]
        NetworkPolicy office: "ratcheted" ["1.36","1.37"]
        Service web: "warns" ["1.36","1.37"]
        DeviceClass gpus: "already" ["1.34","1.35","1.36","1.37"]
        HorizontalPodAutoscaler web: "changes" ["1.37"]"#]]
    .assert_eq(&effects.join("\n"));
}

#[test]
fn forms_that_annotate_files_have_the_findings() {
    let folder = Scratch::new("upgrade-forms");
    folder.write("objects.yaml", OBJECTS);
    for (form, expected) in [
        (
            "github",
            expect![[r#"
                ::error file=objects.yaml,line=5,col=9,title=ServiceCIDR more (networking.k8s.io/v1beta1)::rejected by 1.37: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file
                ::notice file=objects.yaml,line=17,col=25,title=ratcheted%3A NetworkPolicy default/office (networking.k8s.io/v1)::ratcheted by 1.36 and later: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length
                ::warning file=objects.yaml,line=22,col=18,title=Service default/web (v1)::warned of by 1.36 and later: spec.externalIPs is deprecated and may no longer be implemented in some clusters
                ::notice file=objects.yaml,line=26,col=9,title=DeviceClass gpus (resource.k8s.io/v1beta1)::rejected before the upgrade already: no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1": Kubernetes 1.37 serves it only where it is switched on; 1.38 removes it; use resource.k8s.io/v1; --fix rewrites the file
                ::notice file=objects.yaml,line=31,col=3,title=HorizontalPodAutoscaler default/web (autoscaling/v2)::in 1.37: metadata.generation: is set to 1
                --- exit 1
            "#]],
        ),
        (
            "tap",
            expect![[r#"
                TAP version 13
                not ok 1 - objects.yaml (networking.k8s.io/v1beta1/ServiceCIDR//more): rejected by 1.37: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file
                ok 2 - objects.yaml (networking.k8s.io/v1/NetworkPolicy/default/office)
                ok 3 - objects.yaml (v1/Service/default/web)
                ok 4 - objects.yaml (resource.k8s.io/v1beta1/DeviceClass//gpus)
                ok 5 - objects.yaml (autoscaling/v2/HorizontalPodAutoscaler/default/web)
                ok 6 - objects.yaml (v1/ConfigMap/default/settings)
                1..6
                --- exit 1
            "#]],
        ),
    ] {
        let run = sprag_in(folder.dir(), &["upgrade", "--from", "1.34", "objects.yaml", "-o", form], "");
        expected.assert_eq(&format!("{}--- exit {}\n", run.stdout, run.code.unwrap()));
    }
    for form in ["junit", "sarif"] {
        let run = sprag_in(folder.dir(), &["upgrade", "--from", "1.34", "objects.yaml", "-o", form], "");
        assert!(run.code == Some(1) && run.stdout.contains("no matches for kind"), "{}", run.stdout);
    }
}

#[test]
fn what_was_rejected_before_is_no_effect() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: Web}, spec: {containers: [{name: web, image: web}]}}";
    check(
        &["--from", "1.35", "--to", "1.36", "-"],
        pod,
        &expect![[r#"
            note: rejected before the upgrade already: metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
             --> stdin:1:46
              |
            1 | {apiVersion: v1, kind: Pod, metadata: {name: Web}, spec: {containers: [{name: web, image: web}]}}
              |                                              ^^^
              |
              = Pod Web (v1)

            ## Upgrade of Kubernetes from 1.35 to 1.36: 1 object in 1 file

            ### Rejected before: 1 object

            Both releases reject these: the upgrade changes nothing.

            - Pod Web (v1) in stdin: metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')

            Nothing happens to 0 objects.
            Answers are those of v1.35.8 and v1.36.4.
            --- exit 0
        "#]],
    );
}

#[test]
fn what_is_accepted_at_last_is_no_problem() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: 1web}, spec: {ports: [{port: 80}]}}";
    check(
        &["--from", "1.35", "--to", "1.36", "-"],
        service,
        &expect![[r#"
            note: no longer rejected: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
             --> stdin:1:50
              |
            1 | {apiVersion: v1, kind: Service, metadata: {name: 1web}, spec: {ports: [{port: 80}]}}
              |                                                  ^^^^
              |
              = Service 1web (v1)

            ## Upgrade of Kubernetes from 1.35 to 1.36: 1 object in 1 file

            ### No longer rejected: 1 object

            These were rejected, and are accepted after the upgrade.

            - Service 1web (v1) in stdin: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')

            Nothing happens to 0 objects.
            Answers are those of v1.35.8 and v1.36.4.
            --- exit 0
        "#]],
    );
}

#[test]
fn definitions_and_their_objects_are_upgraded() {
    let folder = Scratch::new("upgrade-definitions");
    folder.write(
        "widgets.yaml",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, \
         spec: {group: example.com, names: {kind: Widget, plural: widgets}, scope: Cluster, versions: [{name: v1, served: true, \
         storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {x: {type: integer, \
         format: int32}, names: {type: array, maxItems: 100, items: {type: string}}}, x-kubernetes-validations: [{rule: \
         \"!has(self.names) || self.names.all(i, matches(i, '^[a-z]+$'))\"}]}}}}}]}}\n---\n\
         {apiVersion: example.com/v1, kind: Widget, metadata: {name: large}, spec: {x: 3000000000}}\n---\n\
         {apiVersion: other.example.com/v1, kind: Gadget, metadata: {name: unknown}}\n",
    );
    let run = sprag_in(folder.dir(), &["upgrade", "--from", "1.35", "--summary", "."], "");
    expect![[r###"
        ## Upgrade of Kubernetes from 1.35 to 1.37: 2 objects in 1 file

        ### Removed API versions: 1 object

        These have to be rewritten before the upgrade: nobody can read or write them in this version afterwards.

        - Widget large (example.com/v1) in widgets.yaml: rejected by 1.37: could not find schema for Widget: the API server would reject its definition

        ### Stricter for new objects: 2 objects

        Rules that became stricter, and are ratcheted: stored objects are accepted as long as the field does not change, new ones are rejected.

        - Widget large (example.com/v1) in widgets.yaml: ratcheted by 1.36: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x
        - CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1) in widgets.yaml: ratcheted by 1.37: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 6.3x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)

        Not looked at, as no definition is known (--crds): 1 object.
        Nothing happens to 0 objects.
        Answers are those of v1.35.8 and v1.37.0-rc.1.
        --- exit 1
    "###]].assert_eq(&format!("{}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn values_of_secrets_are_not_shown() {
    let secret = "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {key: c2VjcmV0LXZhbHVl}}";
    let run = upgrade(&["--from", "1.33", "-", "-o", "json"], secret);
    assert!(run.code == Some(0) && !run.stdout.contains("c2Vjcm"), "{}", run.stdout);
}

#[test]
fn wrong_ways_are_refused() {
    let refused = |args: &[&str]| {
        let run = upgrade(args, "");
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        run.stderr.lines().next().unwrap().to_owned()
    };
    let all = [
        refused(&["--from", "1.37", "--to", "1.34", "-"]),
        refused(&["--from", "1.34", "--to", "1.34.2", "-"]),
        refused(&["--from", "1.20", "-"]),
        refused(&["--from", "1.34", "--to", "1.50", "-"]),
        refused(&["-"]),
        refused(&["--from", "1.34"]),
        refused(&["--from", "1.34", "-", "--crds", "-"]),
        refused(&["--from", "1.34", "no-such-file.yaml"]),
        refused(&["--from", "1.34", "-"]),
    ];
    expect![[r#"
        error: --from 1.37 is later than --to 1.34: Kubernetes cannot be downgraded
        error: --from and --to are both 1.34: sprag validate --kubernetes-version 1.34 validates by one release
        error: invalid value '1.20' for '--from <VERSION>': Kubernetes 1.20 is older than the oldest known release, 1.33 (known: 1.33, 1.34, 1.35, 1.36, 1.37)
        error: invalid value '1.50' for '--to <VERSION>': Kubernetes 1.50 is newer than the newest known release, 1.37 (known: 1.33, 1.34, 1.35, 1.36, 1.37)
        error: the following required arguments were not provided:
        error: the following required arguments were not provided:
        error: only one of the paths and --crds can be read from standard input
        error: no-such-file.yaml: No such file or directory (os error 2)
        error: there are no objects in standard input; --allow-empty accepts that"#]].assert_eq(&all.join("\n"));
}

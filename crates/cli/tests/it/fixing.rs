//! `sprag validate --fix` for every kind that it is promised for: what it writes is valid, with comments and order kept.

use std::fs;

use crate::run::sprag_in;
use crate::scratch::Scratch;

/// The members of workloads that have a template of pods.
const TEMPLATE: &str = "  # The pods.\n  template:\n    metadata: {labels: {app: a}} # shown\n    spec:\n      containers:\n      # The only one.\n      - name: c\n        image: i # fixed\n";
const INGRESS: &str = "  # Everything else.\n  backend: {serviceName: web, servicePort: http} # by name\n  rules:\n  - host: a.example # the shop\n    http:\n      paths:\n      - path: /\n        # The port is a number.\n        backend:\n          serviceName: web\n          servicePort: 80\n";
const CRON: &str = "  schedule: '0 1 * * *' # at night\n  jobTemplate:\n    spec:\n      template:\n        # Once.\n        spec: {restartPolicy: Never, containers: [{name: c, image: i}]}\n";
const BUDGET: &str = "  minAvailable: 1 # of two\n  selector:\n    # These.\n    matchLabels: {app: a}\n";
const SCALER: &str = "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a} # this\n  maxReplicas: 3\n  metrics:\n  # Half.\n  - type: Resource\n    resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}\n";
const ROLE: &str = "rules:\n# To look.\n- apiGroups: [''] # core\n  resources: [pods]\n  verbs: [get]\n";
const BINDING: &str = "subjects:\n# Everybody.\n- {kind: Group, name: 'system:authenticated', apiGroup: rbac.authorization.k8s.io} # all\nroleRef: {kind: ClusterRole, name: a, apiGroup: rbac.authorization.k8s.io}\n";

/// Versions and kinds, with what comes after the metadata.
fn all() -> Vec<(&'static str, &'static str, String)> {
    let spec = |text: &str| format!("spec:\n{text}");
    let mut all = vec![
        ("extensions/v1beta1", "Ingress", spec(INGRESS)),
        ("networking.k8s.io/v1beta1", "Ingress", spec(INGRESS)),
        ("batch/v1beta1", "CronJob", spec(CRON)),
        ("policy/v1beta1", "PodDisruptionBudget", spec(BUDGET)),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler", spec(SCALER)),
        ("rbac.authorization.k8s.io/v1beta1", "Role", ROLE.to_owned()),
        ("rbac.authorization.k8s.io/v1beta1", "ClusterRole", ROLE.to_owned()),
        ("rbac.authorization.k8s.io/v1beta1", "RoleBinding", BINDING.to_owned()),
        ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", BINDING.to_owned()),
    ];
    let selector = "  selector: {matchLabels: {app: a}} # those\n";
    for (version, kind, is_derived) in [
        ("extensions/v1beta1", "Deployment", true),
        ("apps/v1beta1", "Deployment", true),
        ("apps/v1beta2", "Deployment", false),
        ("extensions/v1beta1", "DaemonSet", true),
        ("apps/v1beta2", "DaemonSet", false),
        ("extensions/v1beta1", "ReplicaSet", true),
        ("apps/v1beta2", "ReplicaSet", false),
        ("apps/v1beta1", "StatefulSet", true),
        ("apps/v1beta2", "StatefulSet", false),
    ] {
        let name = if kind == "StatefulSet" { "  serviceName: web\n" } else { "" };
        let derived = if is_derived { "" } else { selector };
        all.push((version, kind, spec(&format!("{name}{derived}{TEMPLATE}"))));
    }
    all
}

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once("# ")).map(|(_, comment)| comment).collect()
}

/// The lines of one text that are in the other, in their order there.
fn kept<'t>(of: &'t str, other: &str) -> Vec<&'t str> {
    of.lines().filter(|line| other.lines().any(|there| there == *line)).collect()
}

#[test]
fn every_kind_is_valid_afterwards_with_its_comments_in_order() {
    for (version, kind, rest) in all() {
        let scratch = Scratch::new(&format!("fixing-{}-{kind}", version.replace('/', "-")));
        let text = format!(
            "# First.\napiVersion: {version} # old\nkind: {kind}\nmetadata:\n  # Its name.\n  name: a\n{rest}# Last.\n"
        );
        scratch.write("a.yaml", &text);
        let run = sprag_in(scratch.dir(), &["validate", "--fix", "--strict", "--summary", "a.yaml"], "");
        assert_eq!(run.code, Some(0), "{version} {kind}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0"), "{}", run.stdout);
        let fixed = fs::read_to_string(scratch.join("a.yaml")).unwrap();
        assert!(!fixed.contains(version), "{fixed}");
        assert_eq!(comments(&fixed), comments(&text), "{fixed}");
        assert_eq!(kept(&text, &fixed), kept(&fixed, &text), "{fixed}");
        // The same again changes nothing, and nothing is left beside the file.
        sprag_in(scratch.dir(), &["validate", "--fix", "a.yaml"], "");
        assert_eq!(fs::read_to_string(scratch.join("a.yaml")).unwrap(), fixed);
        assert_eq!(fs::read_dir(scratch.dir()).unwrap().count(), 1);
    }
}

//! Workloads get what was derived and defaulted, so that they mean the same.

use expect_test::expect;

use super::check;

#[test]
fn deployments_of_extensions_keep_their_limits() {
    check(
        "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n  rollbackTo: {revision: 2} # undo\n  # What runs.\n  template:\n    metadata:\n      labels: {app: web, tier: front}\n    spec:\n      containers:\n      - {name: c, image: i}\n",
        &expect![[r#"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                app: web
                tier: front
              name: web
            spec:
              replicas: 3
              selector:
                matchLabels:
                  app: web
                  tier: front
              progressDeadlineSeconds: 2147483647
              revisionHistoryLimit: 2147483647
              strategy:
                rollingUpdate:
                  maxSurge: 1
                  maxUnavailable: 1
              # What runs.
              template:
                metadata:
                  labels: {app: web, tier: front}
                spec:
                  containers:
                  - {name: c, image: i}
            > line 1: Deployment web: extensions/v1beta1 -> apps/v1
              spec.rollbackTo was removed: apps/v1 does not have it
              spec.selector is the labels of the template, which it was derived from
              metadata.labels is the labels of the template, which it was derived from
              spec.progressDeadlineSeconds is what extensions/v1beta1 defaulted to
              spec.revisionHistoryLimit is what extensions/v1beta1 defaulted to
              maxSurge and maxUnavailable are what extensions/v1beta1 defaulted to
        "#]],
    );
}

#[test]
fn what_a_deployment_says_itself_stays() {
    check(
        "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web, labels: {a: b}}\nspec:\n  selector: {matchLabels: {app: web}}\n  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 2\n  progressDeadlineSeconds: 10\n  revisionHistoryLimit: 1\n  template: {metadata: {labels: {app: web}}}\n---\napiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: again, labels: {a: b}}\nspec:\n  selector: {matchLabels: {app: web}}\n  strategy:\n    type: Recreate\n  progressDeadlineSeconds: 10\n  revisionHistoryLimit: 1\n  template: {metadata: {labels: {app: web}}}\n",
        &expect![[r#"
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, labels: {a: b}}
            spec:
              selector: {matchLabels: {app: web}}
              strategy:
                type: RollingUpdate
                rollingUpdate:
                  maxUnavailable: 1
                  maxSurge: 2
              progressDeadlineSeconds: 10
              revisionHistoryLimit: 1
              template: {metadata: {labels: {app: web}}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: again, labels: {a: b}}
            spec:
              selector: {matchLabels: {app: web}}
              strategy:
                type: Recreate
              progressDeadlineSeconds: 10
              revisionHistoryLimit: 1
              template: {metadata: {labels: {app: web}}}
            > line 1: Deployment web: extensions/v1beta1 -> apps/v1
              maxSurge and maxUnavailable are what extensions/v1beta1 defaulted to
            > line 14: Deployment again: extensions/v1beta1 -> apps/v1
        "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one object of each version and kind")]
fn versions_of_apps_have_their_own_defaults() {
    let spec = "metadata: {name: a, labels: {a: b}}\nspec:\n  template:\n    metadata: {labels: {app: a}}\n";
    let of = |version: &str, kind: &str| format!("apiVersion: {version}\nkind: {kind}\n{spec}---\n");
    let all = [
        ("apps/v1beta1", "Deployment"),
        ("apps/v1beta2", "Deployment"),
        ("apps/v1beta1", "StatefulSet"),
        ("apps/v1beta2", "StatefulSet"),
        ("extensions/v1beta1", "DaemonSet"),
        ("apps/v1beta2", "DaemonSet"),
        ("extensions/v1beta1", "ReplicaSet"),
        ("apps/v1beta2", "ReplicaSet"),
    ];
    let text: String = all.iter().map(|(version, kind)| of(version, kind)).collect();
    check(
        &text,
        &expect![[r#"
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: a, labels: {a: b}}
        spec:
          selector:
            matchLabels:
              app: a
          revisionHistoryLimit: 2
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: a, labels: {a: b}}
        spec:
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: a, labels: {a: b}}
        spec:
          selector:
            matchLabels:
              app: a
          updateStrategy:
            type: OnDelete
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: a, labels: {a: b}}
        spec:
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: a, labels: {a: b}}
        spec:
          selector:
            matchLabels:
              app: a
          updateStrategy:
            type: OnDelete
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: a, labels: {a: b}}
        spec:
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: ReplicaSet
        metadata: {name: a, labels: {a: b}}
        spec:
          selector:
            matchLabels:
              app: a
          template:
            metadata: {labels: {app: a}}
        ---
        apiVersion: apps/v1
        kind: ReplicaSet
        metadata: {name: a, labels: {a: b}}
        spec:
          template:
            metadata: {labels: {app: a}}
        ---
        > line 1: Deployment a: apps/v1beta1 -> apps/v1
          spec.selector is the labels of the template, which it was derived from
          spec.revisionHistoryLimit is what apps/v1beta1 defaulted to
        > line 8: Deployment a: apps/v1beta2 -> apps/v1
        > line 15: StatefulSet a: apps/v1beta1 -> apps/v1
          spec.selector is the labels of the template, which it was derived from
          spec.updateStrategy.type: OnDelete is what it defaulted to
        > line 22: StatefulSet a: apps/v1beta2 -> apps/v1
        > line 29: DaemonSet a: extensions/v1beta1 -> apps/v1
          spec.selector is the labels of the template, which it was derived from
          spec.updateStrategy.type: OnDelete is what it defaulted to
        > line 36: DaemonSet a: apps/v1beta2 -> apps/v1
        > line 43: ReplicaSet a: extensions/v1beta1 -> apps/v1
          spec.selector is the labels of the template, which it was derived from
        > line 50: ReplicaSet a: apps/v1beta2 -> apps/v1
    "#]],
    );
}

#[test]
fn without_labels_there_is_no_selector_to_derive() {
    check(
        "apiVersion: apps/v1beta1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n---\napiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {name: b}\n",
        &expect![[r#"
            apiVersion: apps/v1beta1
            kind: StatefulSet
            metadata: {name: a}
            spec: {template: {spec: {}}}
            ---
            apiVersion: extensions/v1beta1
            kind: DaemonSet
            metadata: {name: b}
            ! line 1: StatefulSet a: neither spec.selector nor labels of the template
            ! line 6: DaemonSet b: it has no spec
        "#]],
    );
}

//! Manifests of removed versions, before and after.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod layouts;
mod workloads;

use expect_test::{Expect, expect};
use sprag_removals::{Change, Left, rewrite};

/// Compares what is made of a text, and what is said about it.
#[track_caller]
fn check(text: &str, expect: &Expect) {
    let rewritten = rewrite(text.as_bytes(), 37);
    let mut shown = vec![String::from_utf8(rewritten.text.clone()).unwrap()];
    for change in &rewritten.changed {
        let Change { line, kind, name, from, to, notes } = change;
        shown.push(format!("> line {line}: {kind} {name}: {from} -> {to}\n"));
        shown.extend(notes.iter().map(|note| format!("  {note}\n")));
    }
    for Left { line, kind, name, why, .. } in &rewritten.left {
        shown.push(format!("! line {line}: {kind} {name}: {why}\n"));
    }
    expect.assert_eq(&shown.concat());
    // What was rewritten is left alone from then on.
    let again = rewrite(&rewritten.text, 37);
    assert!(again.changed.is_empty() && again.text == rewritten.text, "{again:?}");
}

#[test]
fn ingresses_name_services_and_ports_apart() {
    check(
        "# The shop.\napiVersion: extensions/v1beta1 # since 2017\nkind: Ingress\nmetadata:\n  name: shop\n  annotations: {kubernetes.io/ingress.class: nginx}\nspec:\n  # Everything else.\n  backend:\n    serviceName: fallback # static pages\n    # in the clear\n    servicePort: http\n  rules:\n  - host: shop.example.com\n    http:\n      paths:\n      - path: /api # versioned\n        # The new one.\n        backend:\n          servicePort: 8080\n          serviceName: api\n      - backend: {serviceName: web, servicePort: 80}\n",
        &expect![[r#"
            # The shop.
            apiVersion: networking.k8s.io/v1 # since 2017
            kind: Ingress
            metadata:
              name: shop
              annotations: {kubernetes.io/ingress.class: nginx}
            spec:
              # Everything else.
              defaultBackend:
                service:
                  name: fallback # static pages
                  # in the clear
                  port:
                    name: http
              rules:
              - host: shop.example.com
                http:
                  paths:
                  - path: /api # versioned
                    pathType: ImplementationSpecific
                    # The new one.
                    backend:
                      service:
                        port:
                          number: 8080
                        name: api
                  - pathType: ImplementationSpecific
                    backend: {service: {name: web, port: {number: 80}}}
            > line 1: Ingress shop: extensions/v1beta1 -> networking.k8s.io/v1
              pathType: ImplementationSpecific is what paths without one had
        "#]],
    );
}

#[test]
fn path_types_that_are_there_stay() {
    check(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  rules:\n  - http:\n      paths:\n      - backend:\n          resource: {kind: Bucket, name: b}\n        pathType: Prefix\n        path: /\n",
        &expect![[r#"
            apiVersion: networking.k8s.io/v1
            kind: Ingress
            metadata: {name: a}
            spec:
              rules:
              - http:
                  paths:
                  - backend:
                      resource: {kind: Bucket, name: b}
                    pathType: Prefix
                    path: /
            > line 1: Ingress a: networking.k8s.io/v1beta1 -> networking.k8s.io/v1
        "#]],
    );
}

#[test]
fn kinds_whose_fields_are_the_same_get_a_new_version() {
    check(
        "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n---\napiVersion: 'autoscaling/v2beta2'\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n---\napiVersion: rbac.authorization.k8s.io/v1beta1\nkind: RoleBinding\nmetadata: {name: c}\n---\nkind: ConfigMap\napiVersion: v1\n---\nkind: PriorityClass\napiVersion: scheduling.k8s.io/v1beta1",
        &expect![[r#"
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: a}
            ---
            apiVersion: 'autoscaling/v2'
            kind: HorizontalPodAutoscaler
            metadata: {name: b}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: c}
            ---
            kind: ConfigMap
            apiVersion: v1
            ---
            kind: PriorityClass
            apiVersion: scheduling.k8s.io/v1> line 1: CronJob a: batch/v1beta1 -> batch/v1
            > line 5: HorizontalPodAutoscaler b: autoscaling/v2beta2 -> autoscaling/v2
            > line 9: RoleBinding c: rbac.authorization.k8s.io/v1beta1 -> rbac.authorization.k8s.io/v1
            > line 16: PriorityClass : scheduling.k8s.io/v1beta1 -> scheduling.k8s.io/v1
        "#]],
    );
}

#[test]
fn empty_selectors_of_budgets_go_on_to_select_nothing() {
    check(
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec:\n  minAvailable: 1\n  selector: {} # none\n---\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n",
        &expect![[r#"
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: a}
            spec:
              minAvailable: 1
            ---
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: b}
            spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}
            > line 1: PodDisruptionBudget a: policy/v1beta1 -> policy/v1
              spec.selector was removed: empty, it selected no pods, and would select all in policy/v1
            > line 8: PodDisruptionBudget b: policy/v1beta1 -> policy/v1
        "#]],
    );
}

#[test]
fn what_is_not_mechanical_is_left() {
    check(
        "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n---\napiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n---\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: c}\nspec: {backend: {serviceName: web}}\n",
        &expect![[r#"
            apiVersion: policy/v1beta1
            kind: PodSecurityPolicy
            metadata: {name: a}
            ---
            apiVersion: autoscaling/v2beta1
            kind: HorizontalPodAutoscaler
            metadata: {name: b}
            ---
            apiVersion: extensions/v1beta1
            kind: Ingress
            metadata: {name: c}
            spec: {backend: {serviceName: web}}
            ! line 1: PodSecurityPolicy a: it is not converted
            ! line 5: HorizontalPodAutoscaler b: it is not converted
            ! line 9: Ingress c: spec.backend does not name a service and its port
        "#]],
    );
}

#[test]
fn releases_that_serve_a_version_have_nothing_to_rewrite() {
    let text = b"apiVersion: resource.k8s.io/v1beta2\nkind: DeviceClass\nmetadata: {name: a}\n";
    assert!(rewrite(text, 38).changed.is_empty());
    assert_eq!(rewrite(text, 39).changed[0].to, "resource.k8s.io/v1");
}

//! Texts of unusual layout are rewritten or left, never broken.

use expect_test::expect;
use sprag_removals::rewrite;

use super::check;

#[test]
fn json_stays_json() {
    check(
        "{\n  \"apiVersion\": \"extensions/v1beta1\",\n  \"kind\": \"Ingress\",\n  \"metadata\": {\"name\": \"a\"},\n  \"spec\": {\n    \"backend\": {\"serviceName\": \"web\", \"servicePort\": 80}\n  }\n}\n",
        &expect![[r#"
            {
              "apiVersion": "networking.k8s.io/v1",
              "kind": "Ingress",
              "metadata": {"name": "a"},
              "spec": {
                "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}
              }
            }
            > line 1: Ingress a: extensions/v1beta1 -> networking.k8s.io/v1
        "#]],
    );
}

#[test]
fn items_of_lists_are_rewritten() {
    check(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: extensions/v1beta1\n  kind: ReplicaSet\n  metadata: {name: a, labels: {b: c}}\n  spec:\n    template: {metadata: {labels: {app: a}}}\n- apiVersion: v1\n  kind: Pod\n- apiVersion: batch/v1beta1\n  kind: CronJob\n",
        &expect![[r#"
            apiVersion: v1
            kind: List
            items:
            - apiVersion: apps/v1
              kind: ReplicaSet
              metadata: {name: a, labels: {b: c}}
              spec:
                selector:
                  matchLabels:
                    app: a
                template: {metadata: {labels: {app: a}}}
            - apiVersion: v1
              kind: Pod
            - apiVersion: batch/v1
              kind: CronJob
            > line 1: ReplicaSet a: extensions/v1beta1 -> apps/v1
              spec.selector is the labels of the template, which it was derived from
            > line 1: CronJob : batch/v1beta1 -> batch/v1
        "#]],
    );
}

#[test]
fn line_ends_stay_as_they_are() {
    let text = "apiVersion: networking.k8s.io/v1beta1\r\nkind: Ingress\r\nspec:\r\n  backend:\r\n    serviceName: a\r\n    servicePort: 80\r\n";
    let rewritten = String::from_utf8(rewrite(text.as_bytes(), 37).text).unwrap();
    assert_eq!(rewritten.matches('\n').count(), rewritten.matches("\r\n").count());
    assert!(
        rewritten
            .contains("  defaultBackend:\r\n    service:\r\n      name: a\r\n      port:\r\n        number: 80\r\n"),
        "{rewritten}"
    );
}

#[test]
fn shared_parts_of_a_text_are_left() {
    check(
        "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  backend: &web\n    serviceName: web\n    servicePort: 80\n  rules:\n  - http:\n      paths:\n      - backend: *web\n",
        &expect![[r#"
            apiVersion: extensions/v1beta1
            kind: Ingress
            metadata: {name: a}
            spec:
              backend: &web
                serviceName: web
                servicePort: 80
              rules:
              - http:
                  paths:
                  - backend: *web
            ! line 1: Ingress a: its text is laid out in a way that is not rewritten
        "#]],
    );
}

#[test]
fn any_text_is_read_without_a_panic() {
    for text in [
        "",
        "{",
        "apiVersion: extensions/v1beta1\nkind: Ingress\nspec: []\n",
        "kind: Ingress\napiVersion: extensions/v1beta1\nspec: {rules: [1, {http: 2}, {http: {paths: [3]}}]}\n",
        "? apiVersion\n: batch/v1beta1\n? kind\n: CronJob\n",
    ] {
        rewrite(text.as_bytes(), 37);
    }
    rewrite(&[0xFF; 100], 37);
    rewrite(&[0; 100], 37);
}

#[test]
fn long_lists_are_rewritten_up_to_a_limit() {
    let text =
        format!("apiVersion: v1\nkind: List\nitems:\n{}", "- {apiVersion: batch/v1beta1, kind: CronJob}\n".repeat(501));
    let rewritten = rewrite(text.as_bytes(), 37);
    assert_eq!((rewritten.changed.len(), rewritten.left.len()), (500, 1));
    assert_eq!(rewritten.left[0].why, "the document is too large");
}

package test

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "example.com/website-operator/api/v1"
)

func site(name string, hosts ...string) *v1.Website {
	return &v1.Website{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1.WebsiteSpec{Image: "web:1", Hosts: hosts},
	}
}

func TestDefaults(t *testing.T) {
	ctx := context.Background()
	shop, draft := site("defaults", "Shop.Example.com"), site("defaults-draft", "draft.example.com")
	draft.Spec.Draft = true
	must(t, admin.Create(ctx, shop))
	must(t, admin.Create(ctx, draft))
	equal(t, "replicas", *shop.Spec.Replicas, 2)
	equal(t, "replicas of a draft", *draft.Spec.Replicas, 1)
	equal(t, "hosts", shop.Spec.Hosts, "[shop.example.com]")
}

func TestDefaultsOfADryRun(t *testing.T) {
	ctx := context.Background()
	dry := site("dry", "DRY.example.com")
	must(t, admin.Create(ctx, dry, client.DryRunAll))
	equal(t, "hosts", dry.Spec.Hosts, "[dry.example.com]")
	err := admin.Get(ctx, client.ObjectKeyFromObject(dry), dry)
	equal(t, "it is not stored", apierrors.IsNotFound(err), true)
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	refused := func(what string, err error, reason metav1.StatusReason, message string) {
		t.Helper()
		equal(t, what+": reason", apierrors.ReasonForError(err), reason)
		if err != nil {
			equal(t, what+": message", err.Error(), message)
		}
	}
	refused("an invalid host", admin.Create(ctx, site("hosts", "a b")), metav1.StatusReasonInvalid,
		`admission webhook "vwebsite.example.com" denied the request: Website.web.example.com "hosts" is invalid: spec.hosts[0]: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)

	// Two that are the same once the webhook has changed them: the schema is judged after it.
	refused("hosts that become the same", admin.Create(ctx, site("same", "a.b", "A.B")), metav1.StatusReasonInvalid,
		`Website.web.example.com "same" is invalid: spec.hosts[1]: Duplicate value: "a.b"`)

	draft := site("refused-draft", "a.example.com", "b.example.com")
	draft.Spec.Draft = true
	refused("a rule in CEL", admin.Create(ctx, draft), metav1.StatusReasonInvalid,
		`Website.web.example.com "refused-draft" is invalid: spec: Invalid value: a draft has one host`)

	many, none := site("many", "a.example.com"), site("none")
	replicas := int32(101)
	many.Spec.Replicas = &replicas
	refused("too many replicas", admin.Create(ctx, many), metav1.StatusReasonInvalid,
		`Website.web.example.com "many" is invalid: spec.replicas: Invalid value: 101: spec.replicas in body should be less than or equal to 100`)
	none.Spec.Hosts = []string{}
	refused("no host", admin.Create(ctx, none), metav1.StatusReasonInvalid,
		`Website.web.example.com "none" is invalid: spec.hosts: Invalid value: 0: spec.hosts in body should have at least 1 items`)

	draft.Spec.Hosts = draft.Spec.Hosts[:1]
	must(t, admin.Create(ctx, draft))
	patch := client.MergeFrom(draft.DeepCopy())
	draft.Spec.Draft, draft.Spec.Image = false, "web:2"
	refused("an update", admin.Patch(ctx, draft, patch), metav1.StatusReasonInvalid,
		`admission webhook "vwebsite.example.com" denied the request: Website.web.example.com "refused-draft" is invalid: spec.image: Forbidden: may not change while a draft is published`)

	kept := site("protected", "kept.example.com")
	kept.Labels = map[string]string{"web.example.com/protected": "true"}
	must(t, admin.Create(ctx, kept))
	refused("a deletion", admin.Delete(ctx, kept), metav1.StatusReasonForbidden,
		`admission webhook "vwebsite.example.com" denied the request: websites.web.example.com "protected" is forbidden: it is protected by a label`)
	refused("deletion of a collection", admin.DeleteAllOf(ctx, kept, client.InNamespace("default"), client.HasLabels{"web.example.com/protected"}),
		metav1.StatusReasonForbidden,
		`admission webhook "vwebsite.example.com" denied the request: websites.web.example.com "protected" is forbidden: it is protected by a label`)
}

func TestWarnings(t *testing.T) {
	ctx := context.Background()
	warned, collected := warningClient(t)
	latest := site("latest", "latest.example.com")
	latest.Spec.Image = "web:latest"
	must(t, warned.Create(ctx, latest))
	equal(t, "warnings", collected.texts, "[spec.image: a tag that moves makes rollbacks impossible]")
}

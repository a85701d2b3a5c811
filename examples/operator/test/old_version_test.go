package test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "example.com/website-operator/api/v1"
	"example.com/website-operator/api/v1alpha1"
)

// quiet is a namespace of its own: what the controller does to sites of other tests is no event here.
func quiet(t *testing.T, name string) string {
	t.Helper()
	must(t, admin.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	return name
}

func TestWatchesAreConverted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	namespace := quiet(t, "watched")
	watcher, err := client.NewWithWatch(adminConfig, client.Options{Scheme: scheme})
	must(t, err)
	events, err := watcher.Watch(ctx, &v1alpha1.WebsiteList{}, client.InNamespace(namespace))
	must(t, err)
	defer events.Stop()
	both := site("watched", "a.example.com", "b.example.com")
	both.Namespace = namespace
	must(t, admin.Create(ctx, both))
	must(t, admin.Delete(ctx, both))
	var last watch.EventType
	for event := range events.ResultChan() {
		old, ok := event.Object.(*v1alpha1.Website)
		if !ok {
			t.Fatalf("%s %v", event.Type, event.Object)
		}
		equal(t, "host and kept", fmt.Sprintln(old.Spec.Host, old.Annotations[v1alpha1.KeptAnnotation]), "a.example.com {\"moreHosts\":[\"b.example.com\"]}\n")
		if last = event.Type; last == watch.Deleted {
			break
		}
	}
	equal(t, "last event", last, watch.Deleted)
}

func TestPatchesInTheOldVersion(t *testing.T) {
	ctx := context.Background()
	both := site("patched", "a.example.com", "b.example.com")
	must(t, admin.Create(ctx, both))
	old := &v1alpha1.Website{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "patched"}}
	json := `[{"op": "test", "path": "/spec/host", "value": "a.example.com"}, {"op": "replace", "path": "/spec/host", "value": "C.example.com"}]`
	must(t, admin.Patch(ctx, old, client.RawPatch(types.JSONPatchType, []byte(json))))
	equal(t, "host", old.Spec.Host, "c.example.com")
	must(t, admin.Patch(ctx, old, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"replicas": null}}`))))
	equal(t, "replicas are defaulted again", *old.Spec.Replicas, 2)
	must(t, admin.Get(ctx, client.ObjectKeyFromObject(both), both))
	equal(t, "hosts", both.Spec.Hosts, "[c.example.com b.example.com]")
	equal(t, "what v1alpha1 does not know", admin.Patch(ctx, old, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"host": null}}`))),
		`Website.web.example.com "patched" is invalid: spec.host: Required value`)
}

func TestStatusInTheOldVersion(t *testing.T) {
	ctx := context.Background()
	must(t, admin.Create(ctx, site("status", "status.example.com")))
	key := client.ObjectKey{Namespace: "default", Name: "status"}
	ready(t, key, metav1.ConditionFalse, "Starting")
	var old v1alpha1.Website
	must(t, admin.Get(ctx, key, &old))
	before := old.DeepCopy()
	condition := metav1.Condition{Type: "Seen", Status: metav1.ConditionTrue, Reason: "Test", LastTransitionTime: metav1.NewTime(time.Unix(1e9, 0))}
	old.Status.Conditions = append(old.Status.Conditions, condition)
	old.Spec.Image = "ignored:1"
	must(t, admin.Status().Patch(ctx, &old, client.MergeFrom(before)))
	var stored v1.Website
	must(t, admin.Get(ctx, key, &stored))
	equal(t, "image", stored.Spec.Image, "web:1")
	var types []string
	for _, condition := range stored.Status.Conditions {
		types = append(types, condition.Type)
	}
	equal(t, "conditions", types, "[Ready Seen]")
}

func TestUnknownFieldsByVersion(t *testing.T) {
	ctx := context.Background()
	warned, collected := warningClient(t)
	old := &v1alpha1.Website{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "unknown"}}
	must(t, admin.Create(ctx, site("unknown", "unknown.example.com")))
	// v1alpha1 does not have this field of v1.
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec": {"draft": true, "replicas": 5}}`))
	must(t, warned.Patch(ctx, old, patch))
	equal(t, "warnings", collected.texts, `[unknown field "spec.draft"]`)
	equal(t, "replicas", *old.Spec.Replicas, 5)
	strict := admin.Patch(ctx, old, patch, client.FieldValidation(metav1.FieldValidationStrict))
	// The middle is the whole object.
	before, after := ` "" is invalid: patch: Invalid value: "{\"apiVersion\":\"web.example.com/v1alpha1\",\"kind\":\"Website\",`, `: strict decoding error: unknown field "spec.draft"`
	if strict == nil || !strings.HasPrefix(strict.Error(), before) || !strings.HasSuffix(strict.Error(), after) {
		t.Errorf("strict: %v", strict)
	}
}

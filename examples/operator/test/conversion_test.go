package test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "example.com/website-operator/api/v1"
	"example.com/website-operator/api/v1alpha1"
)

func TestOldVersionIsConvertedAndDefaulted(t *testing.T) {
	ctx := context.Background()
	old := &v1alpha1.Website{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "old"},
		Spec:       v1alpha1.WebsiteSpec{Image: "web:1", Host: "OLD.example.com"},
	}
	// The webhooks are for v1: the object is converted for them and back.
	must(t, admin.Create(ctx, old))
	equal(t, "host", old.Spec.Host, "old.example.com")
	equal(t, "replicas", *old.Spec.Replicas, 2)
	var stored v1.Website
	must(t, admin.Get(ctx, client.ObjectKeyFromObject(old), &stored))
	equal(t, "hosts", stored.Spec.Hosts, "[old.example.com]")

	old.Spec.Host = "not a host"
	err := admin.Update(ctx, old)
	equal(t, "refusal", err, `admission webhook "vwebsite.example.com" denied the request: Website.web.example.com "old" is invalid: spec.hosts[0]: Invalid value: "not a host": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)
}

func TestRoundTripLosesNothing(t *testing.T) {
	ctx := context.Background()
	both := site("round", "a.example.com", "b.example.com")
	must(t, admin.Create(ctx, both))
	eventually(t, func() error {
		var old v1alpha1.Website
		if err := admin.Get(ctx, client.ObjectKeyFromObject(both), &old); err != nil {
			return err
		}
		equal(t, "what v1alpha1 has no field for", old.Annotations[v1alpha1.KeptAnnotation], `{"moreHosts":["b.example.com"]}`)
		old.Spec.Image = "web:2"
		// The controller may be faster.
		return admin.Update(ctx, &old)
	})
	must(t, admin.Get(ctx, client.ObjectKeyFromObject(both), both))
	equal(t, "image and hosts", fmt.Sprintln(both.Spec.Image, both.Spec.Hosts), "web:2 [a.example.com b.example.com]\n")
	equal(t, "annotations", both.Annotations, "map[]")
}

func TestListsAreConverted(t *testing.T) {
	ctx := context.Background()
	labels := map[string]string{"list": "converted"}
	for i := range 5 {
		one := site(fmt.Sprintf("list-%d", i), fmt.Sprintf("h%d.example.com", i))
		one.Labels = labels
		must(t, admin.Create(ctx, one))
	}
	var list v1alpha1.WebsiteList
	must(t, admin.List(ctx, &list, client.InNamespace("default"), client.MatchingLabels(labels)))
	var hosts []string
	for _, one := range list.Items {
		hosts = append(hosts, one.Spec.Host)
	}
	equal(t, "hosts", hosts, "[h0.example.com h1.example.com h2.example.com h3.example.com h4.example.com]")
}

func TestConversionThatFails(t *testing.T) {
	ctx := context.Background()
	old := &v1alpha1.Website{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "broken", Annotations: map[string]string{v1alpha1.KeptAnnotation: "{"},
		},
		Spec: v1alpha1.WebsiteSpec{Image: "web:1", Host: "broken.example.com"},
	}
	equal(t, "refusal", admin.Create(ctx, old),
		`Internal error occurred: Internal error occurred: conversion webhook for web.example.com/v1alpha1, Kind=Website failed: annotation web.example.com/kept: unexpected end of JSON input`)
}

func TestServerSideApplyInBothVersions(t *testing.T) {
	ctx := context.Background()
	apply := func(version, manager string, spec map[string]any) *unstructured.Unstructured {
		t.Helper()
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "web.example.com/" + version, "kind": "Website",
			"metadata": map[string]any{"namespace": "default", "name": "applied"},
			"spec":     spec,
		}}
		must(t, admin.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(manager)))
		return object
	}
	apply("v1", "ann", map[string]any{"image": "web:1", "hosts": []any{"a.example.com"}})
	applied := apply("v1alpha1", "bob", map[string]any{"host": "a.example.com", "image": "web:1", "replicas": int64(7)})
	replicas, _, _ := unstructured.NestedInt64(applied.Object, "spec", "replicas")
	equal(t, "replicas", replicas, 7)
	// Ann no longer cares about the image, which is still Bob's.
	apply("v1", "ann", map[string]any{"hosts": []any{"a.example.com"}})
	var stored v1.Website
	must(t, admin.Get(ctx, client.ObjectKey{Namespace: "default", Name: "applied"}, &stored))
	equal(t, "stored", fmt.Sprintln(stored.Spec.Image, *stored.Spec.Replicas, stored.Spec.Hosts), "web:1 7 [a.example.com]\n")
	var owners []string
	for _, entry := range stored.ManagedFields {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			owners = append(owners, entry.Manager+" "+entry.APIVersion)
		}
	}
	equal(t, "who applied", owners, "[ann web.example.com/v1 bob web.example.com/v1alpha1]")
}

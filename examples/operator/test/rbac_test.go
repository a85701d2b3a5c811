package test

import (
	"context"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/website-operator/api/v1alpha1"
)

func TestTheOperatorMayDoWhatItsRoleSays(t *testing.T) {
	ctx := context.Background()
	operator, err := client.New(operatorConfig, client.Options{Scheme: scheme})
	must(t, err)
	must(t, operator.List(ctx, &v1alpha1.WebsiteList{}))

	kept := site("rbac", "rbac.example.com")
	must(t, admin.Create(ctx, kept))
	equal(t, "deletion", operator.Delete(ctx, kept),
		`websites.web.example.com "rbac" is forbidden: User "website-operator" cannot delete resource "websites" in API group "web.example.com" in the namespace "default"`)
	equal(t, "creation", operator.Create(ctx, site("rbac-2", "b.example.com")),
		`websites.web.example.com is forbidden: User "website-operator" cannot create resource "websites" in API group "web.example.com" in the namespace "default"`)
	equal(t, "secrets", operator.List(ctx, &corev1.SecretList{}, client.InNamespace("kube-system")),
		`secrets is forbidden: User "website-operator" cannot list resource "secrets" in API group "" in the namespace "kube-system"`)
}

func TestReviewsAgreeWithTheRole(t *testing.T) {
	ctx := context.Background()
	role, err := role()
	must(t, err)
	allowed := map[string]bool{}
	for _, rule := range role.Rules {
		for _, verb := range rule.Verbs {
			allowed[verb+" "+rule.Resources[0]] = true
		}
	}
	for _, resource := range []string{"websites", "websites/status", "websites/finalizers", "deployments", "configmaps", "secrets"} {
		for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "website-operator", ResourceAttributes: attributes(verb, resource),
			}}
			must(t, admin.Create(ctx, review))
			equal(t, verb+" "+resource, review.Status.Allowed, allowed[verb+" "+resource])
		}
	}
}

func attributes(verb, resource string) *authorizationv1.ResourceAttributes {
	group, found := map[string]string{"deployments": "apps", "configmaps": "", "secrets": ""}[resource]
	if !found {
		group = "web.example.com"
	}
	resource, subresource, _ := strings.Cut(resource, "/")
	return &authorizationv1.ResourceAttributes{
		Namespace: metav1.NamespaceDefault, Verb: verb, Group: group, Resource: resource, Subresource: subresource,
	}
}

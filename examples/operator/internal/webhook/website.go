// Package webhook has the admission webhooks of websites.
package webhook

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "example.com/website-operator/api/v1"
)

// Setup registers the webhooks of websites, and their conversion.
func Setup(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &v1.Website{}).WithDefaulter(defaulter{}).WithValidator(validator{}).Complete()
}

// +kubebuilder:webhook:path=/mutate-web-example-com-v1-website,mutating=true,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=websites,verbs=create;update,versions=v1,name=mwebsite.example.com,admissionReviewVersions=v1
type defaulter struct{}

// Default sets replicas, and writes hosts in lower case.
func (defaulter) Default(_ context.Context, site *v1.Website) error {
	if site.Spec.Replicas == nil {
		replicas := int32(2)
		if site.Spec.Draft {
			replicas = 1
		}
		site.Spec.Replicas = &replicas
	}
	for i, host := range site.Spec.Hosts {
		site.Spec.Hosts[i] = strings.ToLower(host)
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-web-example-com-v1-website,mutating=false,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=websites,verbs=create;update;delete,versions=v1,name=vwebsite.example.com,admissionReviewVersions=v1
type validator struct{}

// ValidateCreate rejects invalid hosts.
func (validator) ValidateCreate(_ context.Context, site *v1.Website) (admission.Warnings, error) {
	return warnings(site), invalid(site, hosts(site))
}

// ValidateUpdate refuses to publish a draft and to change its image in one step.
func (validator) ValidateUpdate(_ context.Context, old, site *v1.Website) (admission.Warnings, error) {
	errs := hosts(site)
	if old.Spec.Draft && !site.Spec.Draft && old.Spec.Image != site.Spec.Image {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "image"), "may not change while a draft is published"))
	}
	return warnings(site), invalid(site, errs)
}

// ValidateDelete refuses to delete what is protected by a label.
func (validator) ValidateDelete(_ context.Context, site *v1.Website) (admission.Warnings, error) {
	if site.Labels["web.example.com/protected"] == "true" {
		return nil, apierrors.NewForbidden(v1.GroupVersion.WithResource("websites").GroupResource(), site.Name, fmt.Errorf("it is protected by a label"))
	}
	return nil, nil
}

func hosts(site *v1.Website) field.ErrorList {
	var errs field.ErrorList
	for i, host := range site.Spec.Hosts {
		for _, message := range validation.IsDNS1123Subdomain(host) {
			errs = append(errs, field.Invalid(field.NewPath("spec", "hosts").Index(i), host, message))
		}
	}
	return errs
}

func warnings(site *v1.Website) admission.Warnings {
	if strings.HasSuffix(site.Spec.Image, ":latest") {
		return admission.Warnings{"spec.image: a tag that moves makes rollbacks impossible"}
	}
	return nil
}

func invalid(site *v1.Website, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(v1.GroupVersion.WithKind("Website").GroupKind(), site.Name, errs)
}

// Package v1alpha1 is the first version of the API: one host, and no drafts.
// +kubebuilder:object:generate=true
// +groupName=web.example.com
package v1alpha1

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1 "example.com/website-operator/api/v1"
)

// GroupVersion of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "web.example.com", Version: "v1alpha1"}

// AddToScheme adds the types of this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Website{}, &WebsiteList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// KeptAnnotation holds what this version has no field for, so that a round trip loses nothing.
const KeptAnnotation = "web.example.com/kept"

// WebsiteSpec is what the user asks for.
type WebsiteSpec struct {
	Image string `json:"image"`
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	Host     string `json:"host"`
}

// Website is a site that the operator runs.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WebsiteSpec      `json:"spec,omitempty"`
	Status v1.WebsiteStatus `json:"status,omitempty"`
}

// WebsiteList is a list of sites.
// +kubebuilder:object:root=true
type WebsiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Website `json:"items"`
}

// kept is what only v1 has.
type kept struct {
	MoreHosts []string `json:"moreHosts,omitempty"`
	Draft     bool     `json:"draft,omitempty"`
}

// ConvertTo converts to the version that is stored.
func (in *Website) ConvertTo(hub conversion.Hub) error {
	out, ok := hub.(*v1.Website)
	if !ok {
		return fmt.Errorf("%T is no website of v1", hub)
	}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec = v1.WebsiteSpec{Image: in.Spec.Image, Replicas: in.Spec.Replicas, Hosts: []string{in.Spec.Host}}
	out.Status = in.Status
	text, found := out.Annotations[KeptAnnotation]
	if !found {
		return nil
	}
	var more kept
	if err := json.Unmarshal([]byte(text), &more); err != nil {
		return fmt.Errorf("annotation %s: %w", KeptAnnotation, err)
	}
	out.Spec.Hosts = append(out.Spec.Hosts, more.MoreHosts...)
	out.Spec.Draft = more.Draft
	delete(out.Annotations, KeptAnnotation)
	if len(out.Annotations) == 0 {
		out.Annotations = nil
	}
	return nil
}

// ConvertFrom converts from the version that is stored.
func (out *Website) ConvertFrom(hub conversion.Hub) error {
	in, ok := hub.(*v1.Website)
	if !ok {
		return fmt.Errorf("%T is no website of v1", hub)
	}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec = WebsiteSpec{Image: in.Spec.Image, Replicas: in.Spec.Replicas}
	out.Status = in.Status
	more := kept{Draft: in.Spec.Draft}
	if len(in.Spec.Hosts) > 0 {
		out.Spec.Host, more.MoreHosts = in.Spec.Hosts[0], in.Spec.Hosts[1:]
	}
	if len(more.MoreHosts) == 0 && !more.Draft {
		return nil
	}
	text, err := json.Marshal(more)
	if err != nil {
		return err
	}
	if out.Annotations == nil {
		out.Annotations = map[string]string{}
	}
	out.Annotations[KeptAnnotation] = string(text)
	return nil
}

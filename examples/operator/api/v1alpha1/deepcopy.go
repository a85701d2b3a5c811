package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies the receiver, writing into out.
func (in *Website) DeepCopyInto(out *Website) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Replicas != nil {
		replicas := *in.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	out.Status.Conditions = append(out.Status.Conditions[:0:0], in.Status.Conditions...)
}

// DeepCopy returns a copy.
func (in *Website) DeepCopy() *Website {
	out := new(Website)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *Website) DeepCopyObject() runtime.Object {
	return in.DeepCopy()
}

// DeepCopyObject returns a copy.
func (in *WebsiteList) DeepCopyObject() runtime.Object {
	out := &WebsiteList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopy())
	}
	return out
}

package test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "example.com/website-operator/api/v1"
)

func TestASiteFromCreationToDeletion(t *testing.T) {
	ctx := context.Background()
	shop := site("life", "life.example.com")
	must(t, admin.Create(ctx, shop))
	key := client.ObjectKeyFromObject(shop)

	var deployment appsv1.Deployment
	eventually(t, func() error { return admin.Get(ctx, key, &deployment) })
	equal(t, "replicas", *deployment.Spec.Replicas, 2)
	equal(t, "image", deployment.Spec.Template.Spec.Containers[0].Image, "web:1")
	owner := metav1.GetControllerOf(&deployment)
	equal(t, "owner", fmt.Sprint(owner.Kind, " ", owner.Name, " ", *owner.BlockOwnerDeletion), "Website life true")
	ready(t, key, metav1.ConditionFalse, "Starting")

	// Nobody runs pods here: the test says that they are available.
	deployment.Status.Replicas, deployment.Status.ReadyReplicas, deployment.Status.AvailableReplicas = 2, 2, 2
	must(t, admin.Status().Update(ctx, &deployment))
	ready(t, key, metav1.ConditionTrue, "Available")

	scale := &autoscalingv1.Scale{}
	must(t, admin.SubResource("scale").Get(ctx, shop, scale))
	equal(t, "available", scale.Status.Replicas, 2)
	scale.Spec.Replicas = 3
	must(t, admin.SubResource("scale").Update(ctx, shop, client.WithSubResourceBody(scale)))
	eventually(t, func() error {
		if err := admin.Get(ctx, key, &deployment); err != nil {
			return err
		}
		if *deployment.Spec.Replicas != 3 {
			return fmt.Errorf("the deployment has %d replicas", *deployment.Spec.Replicas)
		}
		return nil
	})
	ready(t, key, metav1.ConditionFalse, "Starting")

	must(t, admin.Delete(ctx, shop))
	var trace corev1.ConfigMap
	eventually(t, func() error {
		return admin.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name + "-gone"}, &trace)
	})
	equal(t, "trace", trace.Data, "map[image:web:1]")
	eventually(t, func() error {
		if err := admin.Get(ctx, key, shop); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is still there: %v", err)
		}
		return nil
	})
}

// ready waits for the condition.
func ready(t *testing.T, key client.ObjectKey, status metav1.ConditionStatus, reason string) {
	t.Helper()
	eventually(t, func() error {
		var shop v1.Website
		if err := admin.Get(context.Background(), key, &shop); err != nil {
			return err
		}
		condition := apimeta.FindStatusCondition(shop.Status.Conditions, v1.ConditionReady)
		if condition == nil || condition.Status != status || condition.Reason != reason || shop.Status.ObservedGeneration != shop.Generation {
			return fmt.Errorf("status is %+v at generation %d", shop.Status, shop.Generation)
		}
		return nil
	})
}

// Package controller runs a deployment for each website.
package controller

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "example.com/website-operator/api/v1"
)

// Finalizer holds a site until its last event is written.
const Finalizer = "web.example.com/farewell"

// Reconciler makes the cluster be as websites say.
type Reconciler struct {
	client.Client
}

// +kubebuilder:rbac:groups=web.example.com,resources=websites,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=websites/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=websites/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create

// SetupWithManager starts reconciling websites when the manager starts.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Website{}).Owns(&appsv1.Deployment{}).Complete(r)
}

// Reconcile looks after one website.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var site v1.Website
	if err := r.Get(ctx, req.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.farewell(ctx, &site)
	}
	if controllerutil.AddFinalizer(&site, Finalizer) {
		if err := r.Update(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
	}
	deployment, err := r.deploy(ctx, &site)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &site, deployment)
}

// farewell leaves a trace of a site that goes, and lets it go.
func (r *Reconciler) farewell(ctx context.Context, site *v1.Website) error {
	trace := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-gone"},
		Data:       map[string]string{"image": site.Spec.Image},
	}
	if err := r.Create(ctx, trace); client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	if controllerutil.RemoveFinalizer(site, Finalizer) {
		return client.IgnoreNotFound(r.Update(ctx, site))
	}
	return nil
}

func (r *Reconciler) deploy(ctx context.Context, site *v1.Website) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"web.example.com/site": site.Name}
		deployment.Spec.Replicas = site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		containers := deployment.Spec.Template.Spec.Containers
		if len(containers) == 0 {
			containers = []corev1.Container{{Name: "web"}}
		}
		containers[0].Image = site.Spec.Image
		deployment.Spec.Template.Spec.Containers = containers
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	})
	return deployment, err
}

func (r *Reconciler) report(ctx context.Context, site *v1.Website, deployment *appsv1.Deployment) error {
	before := site.DeepCopy()
	site.Status.ObservedGeneration = site.Generation
	site.Status.AvailableReplicas = deployment.Status.AvailableReplicas
	condition := metav1.Condition{Type: v1.ConditionReady, Status: metav1.ConditionFalse, Reason: "Starting", ObservedGeneration: site.Generation}
	if site.Spec.Replicas != nil && site.Status.AvailableReplicas >= *site.Spec.Replicas {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Available"
	}
	apimeta.SetStatusCondition(&site.Status.Conditions, condition)
	return r.Status().Patch(ctx, site, client.MergeFrom(before))
}

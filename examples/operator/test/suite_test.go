// Package test runs the whole operator on the API server in KUBEBUILDER_ASSETS: Sprag's, or the real one.
package test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	v1 "example.com/website-operator/api/v1"
	"example.com/website-operator/api/v1alpha1"
	"example.com/website-operator/internal/controller"
	websitewebhook "example.com/website-operator/internal/webhook"
)

const patience = 20 * time.Second

var (
	scheme = runtime.NewScheme()
	// Of the administrator, and of the user that the operator runs as.
	adminConfig, operatorConfig *rest.Config
	admin                       client.Client
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Println("skipped: KUBEBUILDER_ASSETS is not set: KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...")
		return 0
	}
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	environment := &envtest.Environment{
		Scheme:                scheme,
		CRDDirectoryPaths:     []string{"../config/crd"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"../config/webhook"}},
	}
	var err error
	if adminConfig, err = environment.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "the environment does not start:", err)
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped, err := startOperator(ctx, environment)
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, "the operator does not start:", err)
	} else {
		code = m.Run()
	}
	cancel()
	if stopped != nil {
		<-stopped
	}
	if err := environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "the environment does not stop:", err)
		code = 1
	}
	return code
}

// startOperator runs the manager as a user who has the role of config/rbac and no other.
func startOperator(ctx context.Context, environment *envtest.Environment) (<-chan struct{}, error) {
	var err error
	if admin, err = client.New(adminConfig, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	if err := bindRole(ctx); err != nil {
		return nil, err
	}
	user, err := environment.AddUser(envtest.User{Name: "website-operator"}, nil)
	if err != nil {
		return nil, err
	}
	operatorConfig = user.Config()
	install := environment.WebhookInstallOptions
	mgr, err := ctrl.NewManager(operatorConfig, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: install.LocalServingHost, Port: install.LocalServingPort, CertDir: install.LocalServingCertDir,
		}),
	})
	if err != nil {
		return nil, err
	}
	if err := (&controller.Reconciler{Client: mgr.GetClient()}).SetupWithManager(mgr); err != nil {
		return nil, err
	}
	if err := websitewebhook.Setup(mgr); err != nil {
		return nil, err
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := mgr.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "the operator ended:", err)
		}
	}()
	started := mgr.GetWebhookServer().StartedChecker()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if err := started(nil); err == nil {
			return stopped, nil
		} else if time.Now().After(deadline) {
			return stopped, err
		}
	}
}

// role is the one in config/rbac.
func role() (*rbacv1.ClusterRole, error) {
	text, err := os.ReadFile("../config/rbac/role.yaml")
	if err != nil {
		return nil, err
	}
	var role rbacv1.ClusterRole
	return &role, yaml.Unmarshal(text, &role)
}

func bindRole(ctx context.Context) error {
	role, err := role()
	if err != nil {
		return err
	}
	if err := admin.Create(ctx, role); err != nil {
		return err
	}
	return admin.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "website-operator"}},
	})
}

// warnings collects what the server warns of.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// warningClient is a client of the administrator, and what the server warns it of.
func warningClient(t *testing.T) (client.Client, *warnings) {
	t.Helper()
	collected := &warnings{}
	config := rest.CopyConfig(adminConfig)
	config.WarningHandler = collected
	made, err := client.New(config, client.Options{Scheme: scheme})
	must(t, err)
	return made, collected
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s\n got: %v\nwant: %v", what, got, want)
	}
}

// eventually waits until a check passes.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/check"
)

// manifests are the objects of deploy/, read so strictly that an unknown field is an error.
var manifests = sync.OnceValues(func() ([]runtime.Object, error) {
	files, err := filepath.Glob("../deploy/*.yaml")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("no manifests"))
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
			document, err := reader.Read()
			if err == io.EOF {
				break
			}
			object, _, err := decoder.Decode(document, nil, nil)
			if err != nil {
				return nil, errors.Join(errors.New(file), err)
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
})

// rights are "verb group/resource" of the cluster role.
func rights(t *testing.T) []string {
	t.Helper()
	objects, err := manifests()
	must(t, err)
	var all []string
	for _, object := range objects {
		role, ok := object.(*rbacv1.ClusterRole)
		if !ok {
			continue
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, verb+" "+rule.APIGroups[0]+"/"+resource)
				}
			}
		}
	}
	return all
}

var (
	usedLock sync.Mutex
	used     = map[string]bool{}
)

// allowed fails where the bridge did something that the cluster role does not allow.
func allowed(t *testing.T, actions []clienttesting.Action) {
	t.Helper()
	may := rights(t)
	usedLock.Lock()
	defer usedLock.Unlock()
	for _, action := range actions {
		resource := action.GetResource().Resource
		if sub := action.GetSubresource(); sub != "" {
			resource += "/" + sub
		}
		right := action.GetVerb() + " " + action.GetResource().Group + "/" + resource
		if !slices.Contains(may, right) && !used[right] {
			t.Errorf("the cluster role does not allow: %s", right)
		}
		used[right] = true
	}
}

// needed are rights of which use is made where an API server is real: cases of tests/kubernetes have it.
var needed = []string{
	"patch events.k8s.io/events", // of events that repeat
	"create /pods",               // placeholders of gangs
	"update /persistentvolumeclaims", "update /persistentvolumes",
	"create resource.k8s.io/resourceclaims", "update resource.k8s.io/resourceclaims", "delete resource.k8s.io/resourceclaims",
	"update resource.k8s.io/resourceclaims/status", "patch resource.k8s.io/resourceclaims/status",
	"update resource.k8s.io/resourceclaims/binding", "patch resource.k8s.io/resourceclaims/binding", // looked at by admission
}

// TestMain fails, where all tests ran, over rights that nothing used.
func TestMain(m *testing.M) {
	watch.DefaultChanSize = 10_000 // the fake API server panics if a watch is that far behind
	code := m.Run()
	if chosen := flag.Lookup("test.run").Value.String(); code == 0 && chosen == "" && len(used) > 0 {
		for _, right := range rights(&testing.T{}) {
			if !used[right] && !slices.Contains(needed, right) {
				fmt.Println("FAIL: the cluster role allows what nothing used: " + right)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func TestManifests_FitTogether(t *testing.T) {
	objects, err := manifests()
	must(t, err)
	accounts, configs := map[string]bool{}, map[string]*v1.ConfigMap{}
	var deployments []*appsv1.Deployment
	flows := 0
	for _, object := range objects {
		switch object := object.(type) {
		case *v1.ServiceAccount:
			accounts[object.Name] = true
		case *flowcontrolv1.FlowSchema:
			flows++
			for _, rule := range object.Spec.Rules {
				if account := rule.Subjects[0].ServiceAccount; account == nil || account.Name != "tenon" || account.Namespace != "tenon" {
					t.Errorf("flow %s is of %v", object.Name, account)
				}
			}
		case *v1.ConfigMap:
			configs[object.Name] = object
		case *appsv1.Deployment:
			deployments = append(deployments, object)
		}
	}
	if len(deployments) != 1 || flows != 2 {
		t.Fatalf("%d deployments, %d flows", len(deployments), flows)
	}
	pod := deployments[0].Spec.Template.Spec
	if !accounts[pod.ServiceAccountName] {
		t.Errorf("no service account %q", pod.ServiceAccountName)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("each container has the service account's token")
	}
	if len(pod.TopologySpreadConstraints) != 1 || !maps.Equal(pod.TopologySpreadConstraints[0].LabelSelector.MatchLabels, deployments[0].Spec.Selector.MatchLabels) {
		t.Error("one node may take all replicas with it")
	}
	volumes := map[string]bool{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
		if volume.ConfigMap != nil && configs[volume.ConfigMap.Name] == nil {
			t.Errorf("no config map %q", volume.ConfigMap.Name)
		}
	}
	for _, container := range pod.Containers {
		if container.LivenessProbe == nil {
			t.Errorf("nobody looks whether container %s works", container.Name)
		}
		token := slices.ContainsFunc(container.VolumeMounts, func(mount v1.VolumeMount) bool {
			return mount.MountPath == "/var/run/secrets/kubernetes.io/serviceaccount"
		})
		if token != (container.Name == "bridge") {
			t.Errorf("container %s has the service account's token: %t", container.Name, token)
		}
		for _, mount := range container.VolumeMounts {
			if !volumes[mount.Name] {
				t.Errorf("container %s mounts %q, which is no volume", container.Name, mount.Name)
			}
		}
		if c := container.SecurityContext; c == nil || c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem ||
			c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation || !slices.Contains(c.Capabilities.Drop, "ALL") {
			t.Errorf("container %s may more than it needs", container.Name)
		}
	}
	for name := range configs["tenon"].Data {
		if !strings.HasSuffix(name, ".yaml") {
			t.Errorf("config map: %s", name)
		}
	}
}

func TestRightsThatCheckAsksFor_AreThoseOfTheClusterRole(t *testing.T) {
	var asked []string
	for _, right := range check.Rights {
		asked = append(asked, right.Verb+" "+right.Group+"/"+right.Resource)
	}
	may := rights(t)
	slices.Sort(asked)
	slices.Sort(may)
	if !slices.Equal(asked, may) {
		t.Errorf("check asks for %v, and the cluster role has %v", asked, may)
	}
}

func TestConfigMap_IsOneThatTheSchedulerTakes(t *testing.T) {
	program := program(t)
	objects, err := manifests()
	must(t, err)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "admin-token"), []byte("a token of this test"), 0o600))
	for _, object := range objects {
		if config, ok := object.(*v1.ConfigMap); ok {
			for name, text := range config.Data {
				must(t, os.WriteFile(filepath.Join(folder, name), []byte(strings.ReplaceAll(text, "/run/tenon", folder)), 0o600))
			}
		}
	}
	if said, err := exec.Command(program, "serve", "--check", "-c", filepath.Join(folder, "tenon.yaml")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestTheProbeOfTheScheduler_HoldsWithoutABridge_AndFailsWithoutAScheduler(t *testing.T) {
	d := serve(t)
	objects, err := manifests()
	must(t, err)
	var words []string
	for _, object := range objects {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			words = deployment.Spec.Template.Spec.Containers[0].LivenessProbe.Exec.Command
		}
	}
	probe := func() error {
		command := exec.Command(program(t), words[1:]...)
		for i, word := range command.Args {
			command.Args[i] = strings.ReplaceAll(word, "/run/tenon", d.folder)
		}
		said, err := command.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return err
	}
	for deadline := time.Now().Add(within); probe() != nil; { // it has to open its socket
		if time.Now().After(deadline) {
			t.Fatal(probe())
		}
	}
	d.kill()
	if probe() == nil {
		t.Error("the probe of a scheduler that is gone succeeds")
	}
}

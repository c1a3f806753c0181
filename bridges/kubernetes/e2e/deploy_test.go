// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
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
	for _, object := range objects {
		switch object := object.(type) {
		case *v1.ServiceAccount:
			accounts[object.Name] = true
		case *v1.ConfigMap:
			configs[object.Name] = object
		case *appsv1.Deployment:
			deployments = append(deployments, object)
		}
	}
	if len(deployments) != 1 {
		t.Fatalf("%d deployments", len(deployments))
	}
	pod := deployments[0].Spec.Template.Spec
	if !accounts[pod.ServiceAccountName] {
		t.Errorf("no service account %q", pod.ServiceAccountName)
	}
	volumes := map[string]bool{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
		if volume.ConfigMap != nil && configs[volume.ConfigMap.Name] == nil {
			t.Errorf("no config map %q", volume.ConfigMap.Name)
		}
	}
	for _, container := range pod.Containers {
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
	program := os.Getenv("TENON")
	if program == "" {
		t.Skip("TENON does not name the program tenon")
	}
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

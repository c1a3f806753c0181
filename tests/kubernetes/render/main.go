// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Command render writes the objects that an operator's tool would apply, by that tool's own library, as a list in JSON:
// `render helm CHART NAMESPACE RELEASE [VALUES]`, `render kustomize FOLDER`.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func main() {
	var text string
	var err error
	switch words := os.Args[1:]; {
	case len(words) >= 4 && words[0] == "helm":
		text, err = helm(words[1], words[2], words[3], strings.Join(words[4:], ""))
	case len(words) == 2 && words[0] == "kustomize":
		text, err = kustomize(words[1])
	default:
		err = fmt.Errorf("usage: render helm CHART NAMESPACE RELEASE [VALUES] | render kustomize FOLDER")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
	if err := write(text); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func write(text string) error {
	objects := []json.RawMessage{}
	for _, document := range strings.Split(text, "\n---\n") {
		object, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			return fmt.Errorf("%w in\n%s", err, document)
		}
		objects = append(objects, object)
	}
	return json.NewEncoder(os.Stdout).Encode(objects)
}

// helm renders strictly: a value that a template misses is an error.
func helm(folder, namespace, release, values string) (string, error) {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		return "", err
	}
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		return "", err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, given, options, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return "", err
	}
	var documents []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".yaml" && strings.TrimSpace(files[name]) != "" {
			documents = append(documents, files[name])
		}
	}
	return strings.Join(documents, "\n---\n"), nil
}

func kustomize(folder string) (string, error) {
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return "", err
	}
	text, err := objects.AsYaml()
	return string(text), err
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names the programs that build.py builds, so that go.mod keeps their modules.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)

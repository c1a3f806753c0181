// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	scheduling "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	discoveryfake "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/fakeapi"
)

// discovering is a bridge and what its API server says of its kinds.
func discovering(t *testing.T) (*Bridge, *clienttesting.Fake) {
	t.Helper()
	server, err := fakeapi.New()
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Client: server, Log: slog.New(slog.DiscardHandler)}), server.Discovery().(*discoveryfake.FakeDiscovery).Fake
}

func TestPodGroups_AreThereWhereTheServerSaysSo(t *testing.T) {
	b, says := discovering(t)
	if served, err := b.serves(t.Context(), scheduling.SchemeGroupVersion, "podgroups"); !served || err != nil {
		t.Errorf("have %v, %v", served, err)
	}
	says.Resources = nil
	if served, err := b.serves(t.Context(), scheduling.SchemeGroupVersion, "podgroups"); served || err != nil {
		t.Errorf("have %v, %v", served, err)
	}
}

func TestPodGroups_AServerThatIsAwayIsWaitedFor(t *testing.T) {
	b, says := discovering(t)
	away := true
	says.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) {
		if away {
			away = false
			return true, nil, errors.New("connection refused")
		}
		return false, nil, nil
	})
	if served, err := b.serves(t.Context(), scheduling.SchemeGroupVersion, "podgroups"); !served || err != nil {
		t.Errorf("have %v, %v", served, err)
	}
	away = true
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.serves(ended, scheduling.SchemeGroupVersion, "podgroups"); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

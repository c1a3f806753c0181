// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package probes

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenon.invalid/kubernetes/internal/metrics"
)

type state struct{ ready error }

func (s *state) Alive() error { return nil }
func (s *state) Ready() error { return s.ready }

func TestDoor_TellsStateAndMetrics(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, address, &state{ready: errors.New("not told everything")}, metrics.New("tenon").Registry)
	}()
	for path, want := range map[string]struct {
		code  int
		words string
	}{
		"/healthz": {200, "ok"}, "/readyz": {503, "not told everything"}, "/metrics": {200, "tenon_kubernetes_connected 0"}, "/else": {404, ""},
	} {
		code, text := get(t, "http://"+address+path)
		if code != want.code || !strings.Contains(text, want.words) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, address string) (int, string) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(address)
		if err == nil {
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body)
			return response.StatusCode, string(text)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

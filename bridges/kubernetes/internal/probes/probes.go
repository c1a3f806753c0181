// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// package probes serves what probes and Prometheus ask for.
package probes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// State is what the probes tell. An error is an answer 503 with its words.
type State interface {
	Alive() error
	Ready() error
}

// Serve answers /healthz, /readyz and /metrics until the context ends.
func Serve(ctx context.Context, address string, state State, registry *prometheus.Registry) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", answer(state.Alive))
	mux.HandleFunc("GET /readyz", answer(state.Ready))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("health and metrics: %w", err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("health and metrics: %w", err)
	}
	return nil
}

func answer(ask func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ask(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// admin is a scheduler that takes any queues.
type admin struct {
	tenonv1.UnimplementedAdminServer
	taken chan string
}

func (a admin) UpdateConfig(_ context.Context, request *tenonv1.UpdateConfigRequest) (*tenonv1.UpdateConfigResponse, error) {
	a.taken <- request.Config
	return &tenonv1.UpdateConfigResponse{Success: true}, nil
}

// log keeps what is logged.
type log struct {
	lock sync.Mutex
	text strings.Builder
}

func (l *log) Write(line []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.Write(line)
}

func (l *log) said() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.String()
}

// Bridge and scheduler start at the same time, in one pod, so the first connection may fail.
func TestQueues_AreHandedOverToASchedulerThatStartsLater_WithoutAFailure(t *testing.T) {
	folder, err := os.MkdirTemp("", "queues") // short: a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	listener, err := net.Listen("unix", filepath.Join(folder, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	config := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "tenon", Name: "tenon"}, Data: map[string]string{Key: "partitions: []"}}
	said := &log{}
	f := New(Options{
		Client: fake.NewClientset(config), Namespace: "tenon", Name: "tenon", Address: "unix:" + listener.Addr().String(), Credentials: insecure.NewCredentials(),
		Tell: func(*v1.ConfigMap, bool, string) {}, Log: slog.New(slog.NewTextHandler(said, nil)),
	})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	server := grpc.NewServer()
	taken := make(chan string, 10)
	tenonv1.RegisterAdminServer(server, admin{taken: taken})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	if got := <-taken; got != "partitions: []" {
		t.Errorf("handed over is %q", got)
	}
	if text := said.said(); strings.Contains(text, "could not be handed over") {
		t.Errorf("a try failed:\n%s", text)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

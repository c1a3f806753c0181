// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// scheduler answers requests to a control socket by the words in them. The function that it returns ends that, and gives the
// requests.
func scheduler(t *testing.T, answers map[string]string) (Control, func() []string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "tenon-") // not t.TempDir, whose name may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "control.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var requests []string
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			request, _ := bufio.NewReader(connection).ReadString('\n')
			requests = append(requests, request)
			for words, answer := range answers {
				if strings.Contains(request, words) {
					_, _ = connection.Write([]byte(answer + "\n"))
				}
			}
			connection.Close()
		}
	}()
	end := func() []string {
		listener.Close()
		<-ended
		return requests
	}
	t.Cleanup(func() {
		end()
		os.RemoveAll(folder)
	})
	return Control{Socket: socket, Partition: "[kubernetes]default"}, end
}

func TestControl_AsksForTheAllocationsOfNodesWithAnotherNumberAlone(t *testing.T) {
	c, requests := scheduler(t, map[string]string{
		`"command":"nodes","name":""`: `{"ok":true,"version":1,"result":{"more":false,"partitions":[{"nodes":[
			{"id":"a","capacity":{"vcore":4000},"occupied":{},"allocation_count":1},{"id":"b","allocation_count":2},{"id":"c","allocation_count":3}]}]}}`,
		`"command":"apps"`:             `{"ok":true,"result":{"partitions":[{"applications":[{"id":"app","asks":[{"key":"p","pending_count":1,"blocker":"x"}]}]}]}}`,
		`"command":"nodes","name":"b"`: `{"ok":true,"result":{"partitions":[{"nodes":[{"id":"b","running":[{"key":"q","application":"app"}]}]}]}}`,
	})
	have, err := c.Held(t.Context(), map[string]int{"a": 1, "b": 1})
	want := Held{
		Nodes: []HeldNode{
			{ID: "a", Capacity: map[string]int64{"vcore": 4000}, Occupied: map[string]int64{}, Allocations: 1},
			{ID: "b", Allocations: 2}, {ID: "c", Allocations: 3},
		},
		Applications: []HeldApplication{{ID: "app", Asks: []HeldAsk{{Key: "p", Pending: 1}}}},
		Running:      map[string][]HeldAllocation{"b": {{Key: "q", Application: "app"}}},
	}
	if err != nil || !reflect.DeepEqual(have, want) {
		t.Errorf("have %+v, %v, want %+v", have, err, want)
	}
	if all := requests(); len(all) != 3 {
		t.Errorf("requests %q", all)
	}
}

func TestControl_RefusesAnswersThatAreNotAllOfOnePartition(t *testing.T) {
	for answer, words := range map[string]string{
		`{"ok":false,"error":{"have":"there is no such partition"}}`: "there is no such partition",
		`{"ok":true,"result":{"partitions":[]}}`:                     "0 partitions",
		`{"ok":true,"result":{"more":true,"partitions":[{}]}}`:       "a part",
		`{"ok":true,"result":{"partitions":[{"nodes":"none"}]}}`:     "nodes",
		`{"ok":true,"result":{"partitions":[{"nodes":[{"id":"a"}]`:   "EOF",
	} {
		c, _ := scheduler(t, map[string]string{"nodes": answer})
		if _, err := c.Held(t.Context(), nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: have %v, want %q", answer, err, words)
		}
	}
}

func limiting(kind string) string {
	return fmt.Sprintf(`{"ok":true,"result":{"configurations":[{"text":"partitions: [{name: default, limits: [{maxresources: {%s: 1}}]}]"}]}}`, kind)
}

func TestControl_LearnsKindsOfLimits_FromTheResourceManagersOwnConfigurationBeforeThatOfAll(t *testing.T) {
	const ofRM, ofAll = `"command":"config","policy_group":"group","rm":"kubernetes"`, `"command":"config","policy_group":"group","rm":""`
	none := `{"ok":false,"error":{"have":"\"kubernetes\""}}`
	for name, one := range map[string]struct {
		own  string
		want map[string]bool
	}{
		"its own":     {limiting("own"), map[string]bool{"bounded": true, "own": true}},
		"that of all": {none, map[string]bool{"bounded": true, "shared": true}},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := scheduler(t, map[string]string{
				`"command":"queues"`: `{"ok":true,"result":{"partitions":[{"queues":[{"max":{"bounded":1}}]}]}}`,
				ofRM:                 one.own, ofAll: limiting("shared"),
			})
			if have, err := c.QueueKinds(t.Context(), "group"); err != nil || !reflect.DeepEqual(have, one.want) {
				t.Errorf("have %v, %v", have, err)
			}
		})
	}
	c, requests := scheduler(t, map[string]string{`"command":"queues"`: `{"ok":true,"result":{"partitions":[{}]}}`, ofRM: none, ofAll: none})
	if have, err := c.QueueKinds(t.Context(), "group"); err == nil || len(requests()) != 3 {
		t.Errorf("have %v, %v", have, err)
	}
}

func TestControl_EndsWithItsContext(t *testing.T) {
	folder, err := os.MkdirTemp("", "tenon-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	listener, err := net.Listen("unix", filepath.Join(folder, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if _, err := listener.Accept(); err == nil { // asked, and never answered
			cancel()
		}
	}()
	if _, err := (Control{Socket: listener.Addr().String()}).Held(ctx, nil); err == nil || ctx.Err() == nil {
		t.Errorf("have %v", err)
	}
}

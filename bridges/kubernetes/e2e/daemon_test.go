// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/tenon"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// within is how long a test waits for what has to come: long, since the machine may be busy with others' tests.
const within = 60 * time.Second

const queues = `
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
          - name: small
            resources: { max: { vcore: 1 } }
`

const adminToken = "a token of these tests"

// daemon is a `tenon serve` in a folder of its own.
type daemon struct {
	t       *testing.T
	folder  string
	process *exec.Cmd
	log     bytes.Buffer
}

// program returns the path of tenon, which TENON names. Without one the test is skipped.
func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TENON")
	if path == "" {
		t.Skip("TENON does not name the program tenon")
	}
	return path
}

func serve(t *testing.T) *daemon {
	t.Helper()
	return serveQueues(t, queues)
}

func serveQueues(t *testing.T, queues string) *daemon {
	t.Helper()
	_ = program(t)
	folder, err := os.MkdirTemp("", "tenon-") // not t.TempDir, whose name may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, folder: folder}
	deployment := fmt.Sprintf(`apiVersion: tenon/v1
policy_groups: { default: queues.yaml }
predicates: [{ use: tenon.node-attributes }]
control: { socket: control.sock }
transports: [{ use: tenon.grpc, config: { listen: "unix:%[1]s/rm.sock", admin_token_file: "%[1]s/admin-token" } }]
`, folder)
	for name, text := range map[string]string{"tenon.yaml": deployment, "queues.yaml": queues, "admin-token": adminToken} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.start()
	t.Cleanup(func() {
		_ = d.process.Process.Signal(syscall.SIGTERM)
		_ = d.process.Wait()
		if t.Failed() {
			t.Log(d.log.String())
		}
		os.RemoveAll(folder)
	})
	return d
}

func (d *daemon) start() {
	d.process = exec.Command(program(d.t), "serve", "-c", filepath.Join(d.folder, "tenon.yaml"))
	d.process.Stdout, d.process.Stderr = &d.log, &d.log
	if err := d.process.Start(); err != nil {
		d.t.Fatal(err)
	}
}

// kill ends the daemon without a word to anybody.
func (d *daemon) kill() {
	_ = d.process.Process.Kill()
	_ = d.process.Wait()
}

func (d *daemon) address() string { return "unix:" + filepath.Join(d.folder, "rm.sock") }

// controlled gives the bridge the scheduler's control socket.
func controlled(d *daemon) func(*bridge.Options) {
	return func(options *bridge.Options) { options.Control = d.control() }
}

func (d *daemon) control() tenon.Control {
	return tenon.Control{Socket: filepath.Join(d.folder, "control.sock"), Partition: "[cluster]default"}
}

// waits returns whether the scheduler has an ask of the pod.
func (d *daemon) waits(uid types.UID) bool {
	d.t.Helper()
	held, err := d.control().Held(d.t.Context(), nil)
	must(d.t, err)
	for _, application := range held.Applications {
		for _, ask := range application.Asks {
			if ask.Key == string(uid) {
				return true
			}
		}
	}
	return false
}

// reload has the scheduler use other queues.
func (d *daemon) reload(queues string) {
	d.t.Helper()
	must(d.t, os.WriteFile(filepath.Join(d.folder, "queues.yaml"), []byte(queues), 0o600))
	out, err := exec.Command(program(d.t), "ctl", "reload", "--control", filepath.Join(d.folder, "control.sock")).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
}

// send has the scheduler use these queues for the bridge's resource manager alone.
func (d *daemon) send(text string) {
	d.t.Helper()
	connection, err := grpc.NewClient(d.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(d.t, err)
	defer connection.Close()
	ctx := metadata.AppendToOutgoingContext(d.t.Context(), "authorization", "Bearer "+adminToken)
	answer, err := tenonv1.NewAdminClient(connection).UpdateConfig(ctx, &tenonv1.UpdateConfigRequest{RmID: "cluster", Config: text})
	must(d.t, err)
	if !answer.Success {
		d.t.Fatal(answer.Reason)
	}
}

// allocated returns what the scheduler counts as allocated in the root queue.
func (d *daemon) allocated() map[string]int64 {
	d.t.Helper()
	connection, err := net.Dial("unix", filepath.Join(d.folder, "control.sock"))
	must(d.t, err)
	defer connection.Close()
	must(d.t, json.NewEncoder(connection).Encode(map[string]any{"version": 1, "command": "queues", "partition": "[cluster]default"}))
	var answer struct {
		Result struct {
			Partitions []struct {
				Queues []struct {
					Path      string           `json:"path"`
					Allocated map[string]int64 `json:"allocated"`
				} `json:"queues"`
			} `json:"partitions"`
		} `json:"result"`
	}
	must(d.t, json.NewDecoder(connection).Decode(&answer))
	for _, queue := range answer.Result.Partitions[0].Queues {
		if queue.Path == "root" {
			return queue.Allocated
		}
	}
	d.t.Fatal("there is no root queue")
	return nil
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
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

func serve(t *testing.T) *daemon {
	t.Helper()
	return serveQueues(t, queues)
}

func serveQueues(t *testing.T, queues string) *daemon {
	t.Helper()
	program := os.Getenv("TENON")
	if program == "" {
		t.Skip("TENON does not name the program tenon")
	}
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
	d.process = exec.Command(os.Getenv("TENON"), "serve", "-c", filepath.Join(d.folder, "tenon.yaml"))
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

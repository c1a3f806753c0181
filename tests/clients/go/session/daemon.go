// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package session lets tests play resource managers against a real `tenon serve`.
package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

// Within is how long a test waits for what has to come. Long, since the machine may be busy with others' tests: it is
// over only where nothing comes at all.
const Within = 60 * time.Second

// Token opens the administration service.
const Token = "a-token-for-these-tests"

// Queues is the configuration of the policy group default.
const Queues = `
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
          - name: small
            resources: { max: { vcore: 2 } }
priorityclasses: { urgent: 1000 }
`

// Daemon is a `tenon serve` in a folder of its own.
type Daemon struct {
	Folder  string
	process *exec.Cmd
	log     bytes.Buffer
	ended   chan struct{}
}

// Serve starts the program that TENON names. `more` is appended to the deployment.
func Serve(more string) (*Daemon, error) {
	folder, err := os.MkdirTemp("", "tenon-")
	if err != nil {
		return nil, err
	}
	d := &Daemon{Folder: folder}
	deployment := fmt.Sprintf(`apiVersion: tenon/v1
policy_groups: { default: queues.yaml }
control: { socket: control.sock }
transports:
  - use: tenon.grpc
    config: { listen: "unix:%s/rm.sock", admin_token_file: "%s/token", max_streams_per_rm: 5 }
%s`, folder, folder, more)
	for name, text := range map[string]string{"tenon.yaml": deployment, "queues.yaml": Queues, "token": Token} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return d, d.Start()
}

// Start starts the program, again where it ended.
func (d *Daemon) Start() error {
	d.process = exec.Command(os.Getenv("TENON"), "serve", "-c", filepath.Join(d.Folder, "tenon.yaml"))
	d.process.Stdout, d.process.Stderr = &d.log, &d.log
	if err := d.process.Start(); err != nil {
		return fmt.Errorf("TENON has to name the program: %w", err)
	}
	process, ended := d.process, make(chan struct{})
	d.ended = ended
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	if err := d.wait(); err != nil {
		return errors.Join(err, d.Stop())
	}
	return nil
}

// wait returns when the daemon takes connections.
func (d *Daemon) wait() error {
	connection, err := d.dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	within, cancel := context.WithTimeout(context.Background(), Within)
	defer cancel()
	go func() { // who ended takes none any more
		select {
		case <-d.ended:
			cancel()
		case <-within.Done():
		}
	}()
	for {
		state := connection.GetState()
		if state == connectivity.Ready {
			return nil
		}
		connection.Connect()
		if !connection.WaitForStateChange(within, state) {
			return errors.New("the daemon takes no connection")
		}
	}
}

func (d *Daemon) dial(more ...grpc.DialOption) (*grpc.ClientConn, error) {
	more = append(more, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return grpc.NewClient("unix:"+filepath.Join(d.Folder, "rm.sock"), more...)
}

// Connect gives a connection whose messages are written into the book.
func (d *Daemon) Connect(t *testing.T, book *Book) *grpc.ClientConn {
	t.Helper()
	connection, err := d.dial(grpc.WithChainUnaryInterceptor(book.unary(t.Name())), grpc.WithChainStreamInterceptor(book.stream(t.Name())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// Kill ends the daemon at once, without a word to anybody.
func (d *Daemon) Kill() {
	_ = d.process.Process.Kill()
	<-d.ended
}

// Stop ends the daemon as a service manager would, and says what went wrong, with its log.
func (d *Daemon) Stop() error {
	_ = d.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.ended:
	case <-time.After(Within):
		d.Kill()
		return fmt.Errorf("the daemon does not stop\n%s", d.log.String())
	}
	defer os.RemoveAll(d.Folder)
	if code := d.process.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the daemon ended with %d\n%s", code, d.log.String())
	}
	return nil
}

// Said is the log of one that has ended.
func (d *Daemon) Said() string { return d.log.String() }

// Main serves, runs the tests of a package and looks at what they said and heard: nothing that the schema lacks, and all
// that `absent` wants.
func Main(m *testing.M, more string, book *Book, serve func(*Daemon), absent func() []string) int {
	daemon, err := Serve(more)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	serve(daemon)
	code := m.Run()
	complaints := book.Complaints()
	if code == 0 {
		complaints = append(complaints, absent()...)
	}
	if err := daemon.Stop(); err != nil {
		complaints = append(complaints, err.Error())
	}
	for _, complaint := range complaints {
		fmt.Println("FAIL: " + complaint)
		code = 1
	}
	return code
}

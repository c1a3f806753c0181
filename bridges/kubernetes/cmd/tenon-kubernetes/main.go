// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Command tenon-kubernetes schedules the pods of a Kubernetes cluster by a Tenon beside it. docs/kubernetes.md says how.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/check"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/lease"
	"tenon.invalid/kubernetes/internal/metrics"
	"tenon.invalid/kubernetes/internal/probes"
	"tenon.invalid/kubernetes/internal/queues"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
)

type options struct {
	kubeconfig, address, listen, name, schedulerName, policyGroup string
	ignore                                                        []string
	certificate, key, authority                                   string
	lease, namespace, identity                                    string
	qps                                                           float64
	burst, window                                                 int
	dryRun, vouchedUsers, sharedApplications                      bool
	placeholderImage, queues, token, control                      string
	patience, repeat, explain, budgetPatience                     time.Duration
}

func main() {
	var o options
	host, _ := os.Hostname()
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "file with the API server and credentials; empty: those of the pod that this runs in")
	flag.StringVar(&o.address, "tenon", "unix:/run/tenon/tenon.sock", "the scheduler: unix:PATH or HOST:PORT")
	flag.StringVar(&o.certificate, "tls-certificate", "", "PEM file, for HOST:PORT: the certificate that names this resource manager")
	flag.StringVar(&o.key, "tls-key", "", "PEM file: its key")
	flag.StringVar(&o.authority, "tls-ca", "", "PEM file: who signed the scheduler's certificate; with it TLS is spoken")
	flag.StringVar(&o.name, "name", "kubernetes", "name of this resource manager at the scheduler")
	flag.StringVar(&o.schedulerName, "scheduler-name", "tenon", "schedulerName of the pods that are scheduled")
	flag.StringVar(&o.policyGroup, "policy-group", "default", "policy group at the scheduler")
	flag.IntVar(&o.window, "check-window", 0, "checks that may be open at once; 0: as the scheduler has it")
	flag.StringVar(&o.listen, "listen", ":9445", "address of /healthz, /readyz and /metrics")
	flag.StringVar(&o.lease, "lease", "tenon-kubernetes", "lease that the one which works holds; empty: no other runs")
	flag.StringVar(&o.namespace, "lease-namespace", "tenon", "namespace of the lease")
	flag.StringVar(&o.identity, "identity", host, "name of this process in the lease")
	flag.Float64Var(&o.qps, "kube-api-qps", 500, "requests a second to the API server")
	flag.IntVar(&o.burst, "kube-api-burst", 1000, "of them at once")
	flag.DurationVar(&o.patience, "patience", 2*time.Second, "how long a pod waits before its condition says why")
	flag.DurationVar(&o.repeat, "repeat", 30*time.Second, "how long before that is looked at again")
	flag.DurationVar(&o.explain, "explain", time.Second, "at least so long between two explanations of the scheduler why a pod waits; 0: none are asked for")
	flag.DurationVar(&o.budgetPatience, "budget-patience", 30*time.Second, "how long disruption budgets may hold up the end of a victim of preemption")
	flag.Func("ignore", "demand of pods that is not looked at, and with which they are placed anyway; may be given several times: "+
		strings.Join(slices.Sorted(maps.Keys(filters.Kinds)), ", "), func(kind string) error {
		if filters.Kinds[kind] == nil {
			return errors.New("there is no such demand")
		}
		o.ignore = append(o.ignore, kind)
		return nil
	})
	flag.StringVar(&o.queues, "queues", "", "NAMESPACE/NAME of a ConfigMap whose "+queues.Key+" the scheduler is to use; empty: its own file")
	flag.StringVar(&o.control, "control", "", "path of the scheduler's control socket, over which the bridge reads which nodes, asks and allocations the scheduler has, and which kinds of resources its queues name; empty: the bridge reads neither")
	flag.StringVar(&o.token, "admin-token", "", "file with the scheduler's admin token, for --queues")
	flag.StringVar(&o.placeholderImage, "placeholder-image", "registry.k8s.io/pause:3.10", "image of the pods that hold the room of gangs")
	flag.BoolVar(&o.vouchedUsers, "vouched-users", false, "takes the users that pods name: an admission step vouches for them, as deploy/users.yaml does; without it the namespace is the user")
	flag.BoolVar(&o.sharedApplications, "shared-applications", false, "applications of one name in several namespaces are one, as in YuniKorn; without it each namespace has its own")
	flag.BoolVar(&o.dryRun, "dry-run", false, "decides and logs what it would do, writes nothing, and takes no lease")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: %[1]s [OPTION...]         schedules pods\n       %[1]s check [OPTION...]   "+
			"says whether it could: API server, rights, scheduler, pods\n\n", filepath.Base(os.Args[0]))
		flag.PrintDefaults()
	}
	words := os.Args[1:]
	checks := len(words) > 0 && words[0] == "check"
	if checks {
		words = words[1:]
	}
	_ = flag.CommandLine.Parse(words) // it ends the program where they are wrong
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if flag.NArg() > 0 {
		log.Error("unknown argument", "argument", flag.Arg(0))
		os.Exit(2)
	}
	klog.SetLogger(logr.FromSlogHandler(log.Handler()))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if checks {
		all, err := checked(ctx, o)
		if err != nil {
			log.Error("ended", "error", err)
		}
		if !all {
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, o, log); err != nil {
		log.Error("ended", "error", err)
		os.Exit(1)
	}
}

func connection(o options) (*rest.Config, *kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("the API server: %w", err)
	}
	config.QPS, config.Burst, config.UserAgent = float32(o.qps), o.burst, "tenon-kubernetes"
	config.ContentType, config.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("the API server: %w", err)
	}
	return config, client, nil
}

// checked is true where the bridge could work with these options.
func checked(ctx context.Context, o options) (bool, error) {
	config, client, err := connection(o)
	if err != nil {
		return false, err
	}
	security, err := transport(o)
	if err != nil {
		return false, err
	}
	return check.Run(ctx, os.Stdout, check.Options{
		Client: client, Server: config.Host, Address: o.address, Credentials: security, SchedulerName: o.schedulerName,
		Lease: o.lease, LeaseNamespace: o.namespace, Queues: o.queues, TokenFile: o.token, PolicyGroup: o.policyGroup,
	}), nil
}

func run(ctx context.Context, o options, log *slog.Logger) error {
	config, client, err := connection(o)
	if err != nil {
		return err
	}
	security, err := transport(o)
	if err != nil {
		return err
	}
	follower, err := following(o, client, security, log)
	if err != nil {
		return err
	}
	ofEvents := rest.CopyConfig(config)
	ofEvents.QPS, ofEvents.Burst = config.QPS/2, max(1, config.Burst/2)
	events, err := kubernetes.NewForConfig(ofEvents) // of its own limits: however many events wait, bindings go on
	if err != nil {
		return fmt.Errorf("the API server: %w", err)
	}
	measured := metrics.New(o.schedulerName)
	working := bridge.Options{
		Client: client, SchedulerName: o.schedulerName, Patience: o.patience, Repeat: o.repeat, Explain: o.explain, BudgetPatience: o.budgetPatience, Metrics: measured, Log: log, Ignore: o.ignore,
		Control: tenon.Control{Socket: o.control, Partition: "[" + o.name + "]" + translate.Partition},
		Events:  events, DryRun: o.dryRun, PlaceholderImage: o.placeholderImage, VouchedUsers: o.vouchedUsers,
		SharedApplications: o.sharedApplications,
		Session: tenon.Options{
			Address: o.address, Name: o.name, PolicyGroup: o.policyGroup, Version: "kubernetes", CheckWindow: o.window,
			Credentials: security, Log: log,
		},
	}
	if follower != nil {
		working.Registered = follower.Again
	}
	leads := make(chan struct{})
	if o.lease != "" && !o.dryRun {
		working.Lead = leads
	}
	worker := bridge.New(working)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := probes.Serve(ctx, o.listen, worker, measured.Registry); err != nil {
			cancel(err)
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := worker.Run(ctx); err != nil {
			cancel(err)
		}
	}()
	work := func(ctx context.Context) {
		close(leads)
		if follower != nil {
			if err := followed(ctx, follower, client, o.schedulerName); err != nil {
				cancel(err)
			}
		}
	}
	if o.lease == "" || o.dryRun {
		go work(ctx)
	} else {
		ofLease, err := kubernetes.NewForConfig(config)
		if err != nil {
			return fmt.Errorf("the API server: %w", err)
		}
		if err := lease.Run(ctx, lease.Options{Client: ofLease, Namespace: o.namespace, Name: o.lease, Identity: o.identity, Log: log}, work); err != nil {
			cancel(err)
		}
	}
	<-ended
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// following gives what has the scheduler use a ConfigMap's queues; nil: nobody does.
func following(o options, client kubernetes.Interface, security credentials.TransportCredentials, log *slog.Logger) (*queues.Follower, error) {
	if o.queues == "" || o.dryRun {
		return nil, nil
	}
	namespace, name, found := strings.Cut(o.queues, "/")
	if !found {
		return nil, fmt.Errorf("queues: %q is not NAMESPACE/NAME", o.queues)
	}
	return queues.New(queues.Options{
		Client: client, Namespace: namespace, Name: name, Address: o.address, Credentials: security, TokenFile: o.token,
		PolicyGroup: o.policyGroup, Log: log,
	}), nil
}

func followed(ctx context.Context, follower *queues.Follower, client kubernetes.Interface, schedulerName string) error {
	writer, err := cluster.NewWriter(ctx, client, client, schedulerName)
	if err != nil {
		return err
	}
	follower.Tell = writer.Queues
	return follower.Run(ctx)
}

func transport(o options) (credentials.TransportCredentials, error) {
	if o.authority == "" {
		if o.certificate != "" {
			return nil, errors.New("tls-certificate wants tls-ca: without it nothing is encrypted")
		}
		return insecure.NewCredentials(), nil
	}
	text, err := os.ReadFile(o.authority)
	if err != nil {
		return nil, fmt.Errorf("tls-ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("tls-ca: no certificate in %s", o.authority)
	}
	config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}
	if o.certificate != "" {
		// Read at each handshake, so that a renewed one is taken.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(o.certificate, o.key)
			return &pair, err
		}
	}
	return credentials.NewTLS(config), nil
}

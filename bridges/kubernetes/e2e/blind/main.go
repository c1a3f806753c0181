// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Command blind binds pods to nodes in turn, without looking at either: what the API server takes in a second from a
// scheduler that costs nothing. It writes as the bridge does.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"tenon.invalid/kubernetes/internal/cluster"
)

const atOnce = 32 // bindings, as the bridge has it

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the API server and credentials")
	name := flag.String("scheduler-name", "blind", "schedulerName of the pods that are bound")
	flag.Parse()
	if err := run(context.Background(), *kubeconfig, *name); err != nil {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
	select {} // its last events are on their way; who started it ends it
}

func run(ctx context.Context, kubeconfig, name string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = -1, 0 // no limit
	config.ContentType, config.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	writer, err := cluster.NewWriter(ctx, client, client, name)
	if err != nil {
		return err
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
	if err != nil {
		return err
	}
	todo := make(chan *v1.Pod)
	var workers sync.WaitGroup
	for first := range atOnce {
		workers.Go(func() {
			for turn := first; ; turn += atOnce {
				pod, more := <-todo
				if !more {
					return
				}
				node := nodes.Items[turn%len(nodes.Items)].Name
				if err := writer.Bind(ctx, pod, node); err != nil {
					slog.Warn("a pod could not be bound", "pod", pod.Name, "error", err)
					continue
				}
				writer.Scheduled(pod, node)
			}
		})
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.SchedulerName == name {
			todo <- &pods.Items[i]
		}
	}
	close(todo)
	workers.Wait()
	return nil
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package metrics counts what the bridge does, by kube-scheduler's names where it has one.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics of one bridge.
type Metrics struct {
	Registry      *prometheus.Registry
	Attempts      *prometheus.CounterVec // by result: scheduled, unschedulable, error
	Wait          prometheus.Histogram
	Pending       *prometheus.GaugeVec // by queue: active, unschedulable, gated
	Checks        *prometheus.CounterVec
	Registrations prometheus.Counter
	Connected     prometheus.Gauge
	Comparisons   prometheus.Counter
	Repairs       *prometheus.CounterVec // by kind: pod, node, allocation, ask
	Victims       prometheus.Counter
	Tries         prometheus.Histogram
	Cache         *prometheus.GaugeVec     // by type: nodes, pods, assumed_pods
	Refused       *prometheus.GaugeVec     // by plugin
	Points        *prometheus.HistogramVec // by extension_point: Filter, Reserve, PreBind, Bind; and status
}

// New gives them in a registry of their own.
func New() *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		Attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scheduler_schedule_attempts_total", Help: "Ends of attempts to schedule a pod, by result.",
		}, []string{"result"}),
		Wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scheduler_pod_scheduling_sli_duration_seconds", Help: "From the moment at which a pod was asked for to its binding.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 20),
		}),
		Pending: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_pending_pods", Help: "Pods without a node: active ones, ones of which it was said why they wait, gated ones.",
		}, []string{"queue"}),
		Checks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenon_kubernetes_checks_total", Help: "Placements that the scheduler asked about, by answer.",
		}, []string{"answer"}),
		Registrations: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tenon_kubernetes_registrations_total", Help: "Registrations with the scheduler, each with a report of everything.",
		}),
		Connected: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tenon_kubernetes_connected", Help: "1 while the scheduler knows everything and places pods.",
		}),
		Comparisons: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tenon_kubernetes_comparisons_total", Help: "Comparisons of what the bridge and the scheduler have with what the API server has.",
		}),
		Repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenon_kubernetes_repairs_total", Help: "Objects that two comparisons in a row found different, and that were repaired.",
		}, []string{"kind"}),
		Victims: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scheduler_preemption_victims_total", Help: "Pods that the scheduler ended for others.",
		}),
		Tries: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scheduler_pod_scheduling_attempts", Help: "Bindings that were tried until a pod was bound.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 5),
		}),
		Cache: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_cache_size", Help: "Nodes, pods that take room there, and those of them that the API server does not show there yet.",
		}, []string{"type"}),
		Refused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_unschedulable_pods", Help: "Pods that wait after this plugin refused them a node.",
		}, []string{"plugin"}),
		Points: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scheduler_framework_extension_point_duration_seconds",
			Help: "Plugins about one pod and one node, and the write that binds it.", Buckets: prometheus.ExponentialBuckets(0.0001, 2, 18),
		}, []string{"extension_point", "status"}),
	}
	m.Registry.MustRegister(m.Attempts, m.Wait, m.Pending, m.Checks, m.Registrations, m.Connected, m.Comparisons, m.Repairs, m.Victims, m.Tries, m.Cache, m.Refused, m.Points,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Point notes how long an extension point took, and how it ended.
func (m *Metrics) Point(name string, begun time.Time, success bool) {
	status := "Success"
	if !success {
		status = "Unschedulable"
		if name == "PreBind" || name == "Bind" {
			status = "Error"
		}
	}
	m.Points.WithLabelValues(name, status).Observe(time.Since(begun).Seconds())
}

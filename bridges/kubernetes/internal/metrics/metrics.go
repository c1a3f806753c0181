// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package metrics counts what the bridge does. What kube-scheduler measures, too, has its name, type and labels, and at least its
// buckets.
package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics of one bridge.
type Metrics struct {
	Registry      *prometheus.Registry
	Attempts      *prometheus.CounterVec   // by result: scheduled, unschedulable, error
	wait          *prometheus.HistogramVec // by attempts
	Pending       *prometheus.GaugeVec     // by queue: active, backoff, unschedulable, gated
	Checks        *prometheus.CounterVec
	Registrations prometheus.Counter
	Connected     prometheus.Gauge
	Comparisons   prometheus.Counter
	Repairs       *prometheus.CounterVec // by kind: pod, node, allocation, ask
	Preemptions   prometheus.Counter     // for a pod
	Victims       prometheus.Histogram   // of each of them
	Evicted       prometheus.Counter     // victims, whatever they end for
	tries         prometheus.Histogram
	Cache         *prometheus.GaugeVec     // by type: nodes, pods, assumed_pods
	Refused       *prometheus.GaugeVec     // by plugin
	Points        *prometheus.HistogramVec // by extension_point: Filter, Reserve, PreBind, Bind; and status
}

// mostTries is the last number of attempts that has a label of its own, and more the label of the others.
const (
	mostTries = 14
	more      = "15+"
)

// New gives them in a registry of their own. The profile is what kube-scheduler calls so: the schedulerName of pods.
func New(profile string) *Metrics {
	ofProfile := prometheus.Labels{"profile": profile}
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		Attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scheduler_schedule_attempts_total", Help: "Ends of attempts to schedule a pod, by result.", ConstLabels: ofProfile,
		}, []string{"result"}),
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scheduler_pod_scheduling_sli_duration_seconds", Help: "From the moment at which a pod was asked for to its binding.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 20),
		}, []string{"attempts"}),
		Pending: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_pending_pods", Help: "Pods without a node: active ones, ones that are tried again after a while, ones of which it was said why they wait, gated ones.",
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
		Preemptions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scheduler_preemption_attempts_total", Help: "How often the scheduler ended pods for another one.",
		}),
		Victims: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scheduler_preemption_victims", Help: "Pods that the scheduler ended for one other.", Buckets: prometheus.ExponentialBuckets(1, 2, 7),
		}),
		Evicted: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tenon_kubernetes_victims_total", Help: "Pods that the scheduler ended, for other pods or for the quota of a queue.",
		}),
		tries: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scheduler_pod_scheduling_attempts", Help: "Bindings that were tried until a pod was bound.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 5),
		}),
		Cache: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_cache_size", Help: "Nodes, pods that take room there, and those of them that the API server does not show there yet.",
		}, []string{"type"}),
		Refused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scheduler_unschedulable_pods", Help: "Pods that wait after this plugin refused them a node.", ConstLabels: ofProfile,
		}, []string{"plugin"}),
		Points: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scheduler_framework_extension_point_duration_seconds",
			Help: "Plugins about one pod and one node, and the write that binds it.", ConstLabels: ofProfile, Buckets: prometheus.ExponentialBuckets(0.0001, 2, 18),
		}, []string{"extension_point", "status"}),
	}
	m.Registry.MustRegister(m.Attempts, m.wait, m.Pending, m.Checks, m.Registrations, m.Connected, m.Comparisons, m.Repairs, m.Preemptions, m.Victims, m.Evicted, m.tries, m.Cache, m.Refused, m.Points,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Bound notes that a pod was bound after so many attempts, and how long it waited.
func (m *Metrics) Bound(attempts int, waited time.Duration) {
	label := more
	if attempts <= mostTries {
		label = strconv.Itoa(attempts)
	}
	m.Attempts.WithLabelValues("scheduled").Inc()
	m.tries.Observe(float64(attempts))
	m.wait.WithLabelValues(label).Observe(waited.Seconds())
}

// Preempted notes how many pods end for each of some others, by the others' keys. An empty key stands for none.
func (m *Metrics) Preempted(victims map[string]int) {
	for preemptor, count := range victims {
		m.Evicted.Add(float64(count))
		if preemptor != "" {
			m.Preemptions.Inc()
			m.Victims.Observe(float64(count))
		}
	}
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

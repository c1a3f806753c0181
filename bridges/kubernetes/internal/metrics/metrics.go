// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package metrics counts what the bridge does, by kube-scheduler's names where it has one.
package metrics

import (
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
	Victims       prometheus.Counter
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
		Victims: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scheduler_preemption_victims_total", Help: "Pods that the scheduler ended for others.",
		}),
	}
	m.Registry.MustRegister(m.Attempts, m.Wait, m.Pending, m.Checks, m.Registrations, m.Connected, m.Victims,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

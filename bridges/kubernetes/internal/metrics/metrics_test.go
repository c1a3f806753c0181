// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// families gives what a registry has, by name.
func families(t *testing.T, from prometheus.Gatherer) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*dto.MetricFamily{}
	for _, one := range all {
		byName[one.GetName()] = one
	}
	return byName
}

func labels(family *dto.MetricFamily) []string {
	var names []string
	for _, one := range family.Metric[0].Label {
		names = append(names, one.GetName())
	}
	return names
}

func bounds(family *dto.MetricFamily) []float64 {
	var all []float64
	for _, one := range family.Metric[0].GetHistogram().GetBucket() {
		all = append(all, one.GetUpperBound())
	}
	return all
}

// measured has a value of each metric.
func measured() *Metrics {
	m := New("tenon")
	m.Bound(1, time.Second)
	m.Preempted(map[string]int{"pod": 2})
	m.Pending.WithLabelValues("active").Set(1)
	m.Cache.WithLabelValues("nodes").Set(1)
	m.Refused.WithLabelValues("NodePorts").Set(1)
	m.Point("Filter", time.Now(), true)
	return m
}

func TestMetrics_OfKubeSchedulersNamesHaveItsTypesLabelsAndBuckets(t *testing.T) {
	metrics.Register()
	metrics.PodScheduled("default-scheduler", 1)
	metrics.PodSchedulingSLIDuration.WithLabelValues("1").Observe(1)
	metrics.PodSchedulingAttempts.Observe(1)
	metrics.PreemptionVictims.Observe(1)
	metrics.PreemptionAttempts.Inc()
	metrics.ActivePods().Inc()
	metrics.CacheSize.WithLabelValues("nodes").Set(1)
	metrics.UnschedulableReason("NodePorts", "default-scheduler").Inc()
	metrics.FrameworkExtensionPointDuration.WithLabelValues("Filter", "Success", "default-scheduler").Observe(1)
	theirs, compared := families(t, legacyregistry.DefaultGatherer), 0
	for name, ours := range families(t, measured().Registry) {
		if !strings.HasPrefix(name, "scheduler_") {
			continue
		}
		compared++
		other := theirs[name]
		if other == nil {
			t.Errorf("kube-scheduler has no %s", name)
			continue
		}
		if ours.GetType() != other.GetType() || !slices.Equal(labels(ours), labels(other)) {
			t.Errorf("%s is %v by %v, want %v by %v", name, ours.GetType(), labels(ours), other.GetType(), labels(other))
		}
		for _, bound := range bounds(other) {
			if !slices.Contains(bounds(ours), bound) {
				t.Errorf("%s has no bucket up to %v", name, bound)
			}
		}
	}
	if compared != 9 {
		t.Errorf("%d were compared", compared)
	}
}

func TestMetrics_VictimsForAQuotaAreOfNoPreemption(t *testing.T) {
	m := New("tenon")
	m.Preempted(map[string]int{"": 3, "pod": 2})
	have := families(t, m.Registry)
	if count := have["tenon_kubernetes_victims_total"].Metric[0].GetCounter().GetValue(); count != 5 {
		t.Errorf("%v victims", count)
	}
	histogram := have["scheduler_preemption_victims"].Metric[0].GetHistogram()
	if histogram.GetSampleCount() != 1 || histogram.GetSampleSum() != 2 || have["scheduler_preemption_attempts_total"].Metric[0].GetCounter().GetValue() != 1 {
		t.Errorf("have %v", histogram)
	}
}

func TestMetrics_ManyAttemptsShareALabel(t *testing.T) {
	m := New("tenon")
	for _, attempts := range []int{14, 15, 200} {
		m.Bound(attempts, time.Second)
	}
	var have []string
	for _, one := range families(t, m.Registry)["scheduler_pod_scheduling_sli_duration_seconds"].Metric {
		have = append(have, one.Label[0].GetValue())
	}
	if !slices.Equal(have, []string{"14", "15+"}) {
		t.Errorf("have %v", have)
	}
}

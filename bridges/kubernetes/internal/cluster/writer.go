// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package cluster is all that the bridge writes to the API server: bindings, conditions, ends of victims, events. Each
// write names the pod's UID, so that one which was made again under the same name is never meant.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
)

const (
	manager        = "tenon-kubernetes" // of the fields that are written
	within         = 30 * time.Second   // of one call
	longestMessage = 32 << 10           // of a condition: one that names thousands of resources would not fit into the pod
	mostTries      = 5                  // of a condition of a pod that others change at the same time

	evictWithin = 5 * time.Second // of one eviction: client-go repeats it for long while a budget is looked at
)

// Writer is safe for concurrent use.
type Writer struct {
	client   kubernetes.Interface
	recorder events.EventRecorderLogger
	dry      *slog.Logger // takes what would be written; nil: it is written
}

// NewWriter gives one whose events are sent until the context ends, by a client that may have limits of its own.
func NewWriter(ctx context.Context, client, ofEvents kubernetes.Interface, schedulerName string) (*Writer, error) {
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: ofEvents.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	context.AfterFunc(ctx, broadcaster.Shutdown)
	return &Writer{client: client, recorder: broadcaster.NewRecorder(scheme.Scheme, schedulerName)}, nil
}

// NewDryWriter gives one that writes nothing, and tells what it would have written. All of it succeeds.
func NewDryWriter(log *slog.Logger) *Writer { return &Writer{dry: log} }

// Recorder takes the events of others; nil where nothing is written.
func (w *Writer) Recorder() events.EventRecorderLogger { return w.recorder }

// rehearsed is true where nothing is written.
func (w *Writer) rehearsed(what string, pod *v1.Pod, more ...any) bool {
	if w.dry == nil {
		return false
	}
	w.dry.Info("would "+what, append([]any{"pod", pod.Namespace + "/" + pod.Name}, more...)...)
	return true
}

// Bind puts the pod on the node. An error that leaves open whether it did is looked into: nil means that the pod is there.
func (w *Writer) Bind(parent context.Context, pod *v1.Pod, node string) error {
	if w.rehearsed("bind", pod, "node", node) {
		return nil
	}
	ctx, cancel := context.WithTimeout(parent, within)
	defer cancel()
	pods := w.client.CoreV1().Pods(pod.Namespace)
	err := pods.Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	looking, done := context.WithTimeout(parent, within) // the time of the first call may be over
	defer done()
	if now, lookErr := pods.Get(looking, pod.Name, metav1.GetOptions{}); lookErr == nil && now.UID == pod.UID && now.Spec.NodeName == node {
		return nil
	}
	return err
}

// Create makes a pod. That it is there already is no error: informers tell it.
func (w *Writer) Create(ctx context.Context, pod *v1.Pod) error {
	if w.rehearsed("create", pod) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := w.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, err := w.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && there.DeletionTimestamp != nil {
		return fmt.Errorf("one of the same name is ending")
	}
	return err
}

// Delete ends just this pod. That it is gone already is no error.
func (w *Writer) Delete(ctx context.Context, pod *v1.Pod) error {
	if w.rehearsed("delete", pod) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := w.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	return unlessGone(err)
}

// Fail ends a pod that never ran, and says why.
func (w *Writer) Fail(ctx context.Context, pod *v1.Pod, message string) error {
	if w.rehearsed("fail", pod, "message", message) {
		return nil
	}
	return w.status(ctx, pod, "", map[string]any{"phase": v1.PodFailed, "reason": "ResourceReservationTimeout", "message": message})
}

// Gone is true of errors which say that the pod that was meant is no more.
func Gone(err error) bool { return apierrors.IsNotFound(err) }

// NotScheduled says in the pod's condition PodScheduled why it has no node yet; the reason is one of Kubernetes' own. If the pod
// was changed meanwhile, it is read again: nothing is said of a pod that has a node by then, or is gone.
func (w *Writer) NotScheduled(ctx context.Context, pod *v1.Pod, reason, message string) error {
	if w.rehearsed("say", pod, "message", message) {
		return nil
	}
	for tries := 1; ; tries++ {
		err := w.condition(ctx, pod, pod.ResourceVersion, v1.PodCondition{
			Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: reason, Message: Cut(message, longestMessage),
		})
		if !apierrors.IsConflict(err) || tries == mostTries {
			return unlessGone(err)
		}
		looking, cancel := context.WithTimeout(ctx, within)
		now, err := w.client.CoreV1().Pods(pod.Namespace).Get(looking, pod.Name, metav1.GetOptions{})
		cancel()
		if err != nil || now.UID != pod.UID || now.Spec.NodeName != "" {
			return unlessGone(err)
		}
		pod = now
	}
}

// Nominate says on which node others end for the pod; empty: on none any more.
func (w *Writer) Nominate(ctx context.Context, pod *v1.Pod, node string) error {
	if w.rehearsed("nominate", pod, "node", node) {
		return nil
	}
	var name any // nothing, of which a patch makes that there is none
	if node != "" {
		name = node
	}
	return unlessGone(w.status(ctx, pod, "", map[string]any{"nominatedNodeName": name}))
}

// Nominated is true of a pod whose nominated node a Writer wrote, and nobody else.
func Nominated(pod *v1.Pod) bool {
	return pod.Status.NominatedNodeName != "" && slices.ContainsFunc(pod.ManagedFields, func(one metav1.ManagedFieldsEntry) bool {
		return one.Manager == manager && one.FieldsV1 != nil && strings.Contains(one.FieldsV1.GetRawString(), `"f:nominatedNodeName"`)
	})
}

// Evict ends just this pod, a victim of preemption, within its disruption budgets: where one of them has none left, the
// error is one of BudgetHolds. The condition that says why has the API server's own reason until it has the scheduler's.
// That the pod is gone already is no error.
func (w *Writer) Evict(ctx context.Context, pod *v1.Pod, message string) error {
	if w.rehearsed("end", pod, "message", message) {
		return nil
	}
	evicting, cancel := context.WithTimeout(ctx, evictWithin)
	defer cancel()
	err := w.client.PolicyV1().Evictions(pod.Namespace).Evict(evicting, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}},
	})
	if err == nil {
		err = w.preempted(ctx, pod, message)
	}
	return unlessGone(err)
}

// EvictAnyway ends a victim whatever its budgets say, as kube-scheduler does it: a condition that says why, then a deletion.
func (w *Writer) EvictAnyway(ctx context.Context, pod *v1.Pod, message string) error {
	if w.rehearsed("end", pod, "message", message) {
		return nil
	}
	err := w.preempted(ctx, pod, message)
	if err == nil {
		err = w.Delete(ctx, pod)
	}
	return unlessGone(err)
}

// BudgetHolds is the budget's own words where an error says that a disruption budget keeps a pod from being evicted; else
// empty.
func BudgetHolds(err error) string {
	cause, found := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause)
	if found && cause.Message == "" {
		return err.Error()
	}
	return cause.Message
}

func (w *Writer) preempted(ctx context.Context, pod *v1.Pod, message string) error {
	return w.condition(ctx, pod, "", v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler, Message: message,
	})
}

func unlessGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // conflict: another pod has the name by now
		return nil
	}
	return err
}

// PodGroup says in the condition of a group whether it has nodes, for the first time.
func (w *Writer) PodGroup(ctx context.Context, group *schedulingv1beta1.PodGroup, scheduled bool, message string) error {
	if w.dry != nil {
		w.dry.Info("would say", "group", group.Namespace+"/"+group.Name, "message", message)
		return nil
	}
	condition := metav1.Condition{
		Type: schedulingv1beta1.PodGroupInitiallyScheduled, Status: metav1.ConditionFalse, Reason: schedulingv1beta1.PodGroupReasonUnschedulable,
		Message: message, ObservedGeneration: group.Generation, LastTransitionTime: metav1.Now(),
	}
	if scheduled {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Scheduled"
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": group.UID}, "status": map[string]any{"conditions": []metav1.Condition{condition}},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	groups := w.client.SchedulingV1beta1().PodGroups(group.Namespace)
	_, err = groups.Patch(ctx, group.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return unlessGone(err)
}

// condition writes one of a pod; if a version is named, just where the pod has that version.
func (w *Writer) condition(ctx context.Context, pod *v1.Pod, version string, condition v1.PodCondition) error {
	condition.LastTransitionTime = metav1.Now()
	condition.ObservedGeneration = pod.Generation
	for _, old := range pod.Status.Conditions {
		if old.Type == condition.Type && old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
	}
	return w.status(ctx, pod, version, map[string]any{"conditions": []v1.PodCondition{condition}})
}

func (w *Writer) status(ctx context.Context, pod *v1.Pod, version string, change map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	meant := map[string]any{"uid": pod.UID}
	if version != "" {
		meant["resourceVersion"] = version
	}
	patch, err := json.Marshal(map[string]any{"metadata": meant, "status": change})
	if err != nil {
		return err
	}
	_, err = w.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: manager}, "status")
	return err
}

// Scheduled, Waits and Preempted are events of a pod, by kube-scheduler's names.
func (w *Writer) Scheduled(pod *v1.Pod, node string) {
	w.event(pod, v1.EventTypeNormal, "Scheduled", "Binding", fmt.Sprintf("Successfully assigned %s/%s to %s", pod.Namespace, pod.Name, node))
}

// Waits tells why a pod has no node.
func (w *Writer) Waits(pod *v1.Pod, message string) {
	w.event(pod, v1.EventTypeWarning, "FailedScheduling", "Scheduling", message)
}

// Preempted tells why a pod has to end.
func (w *Writer) Preempted(pod *v1.Pod, message string) {
	w.event(pod, v1.EventTypeNormal, "Preempted", "Preempting", message)
}

// Spared tells that a pod which has to end runs on for a while, and what its budget says.
func (w *Writer) Spared(pod *v1.Pod, patience time.Duration, budget string) {
	w.event(pod, v1.EventTypeNormal, "PreemptionDelayed", "Preempting", fmt.Sprintf("ends within %s for another pod: %s", patience, budget))
}

// BudgetOverrun tells that it ends although its budget is against it.
func (w *Writer) BudgetOverrun(pod *v1.Pod, patience time.Duration) {
	w.event(pod, v1.EventTypeWarning, "DisruptionBudgetOverrun", "Preempting", fmt.Sprintf("its disruption budget had no room for %s, and another pod needs its place", patience))
}

// RunsOn writes an event: a pod that was to end for another one no longer has to.
func (w *Writer) RunsOn(pod *v1.Pod) {
	w.event(pod, v1.EventTypeNormal, "PreemptionCancelled", "Preempting", "runs on: the pod that needed its place has a node or is gone")
}

// WrongTaskGroups tells why a pod's task groups are left out.
func (w *Writer) WrongTaskGroups(pod *v1.Pod, message string) {
	w.event(pod, v1.EventTypeWarning, "TaskGroupsError", "Scheduling", message)
}

// NodeRefused tells why nothing is placed on a node.
func (w *Writer) NodeRefused(node *v1.Node, reason string) {
	if w.dry != nil {
		w.dry.Info("would say", "node", node.Name, "message", reason)
		return
	}
	w.recorder.Eventf(node, nil, v1.EventTypeWarning, "NodeRefused", "Scheduling", "%s", short("nothing is placed on the node: "+reason))
}

// Queues tells what became of the queues in a ConfigMap.
func (w *Writer) Queues(config *v1.ConfigMap, used bool, note string) {
	if used {
		w.recorder.Eventf(config, nil, v1.EventTypeNormal, "QueuesUsed", "Configuring", "%s", short(note))
	} else {
		w.recorder.Eventf(config, nil, v1.EventTypeWarning, "QueuesRefused", "Configuring", "%s", short(note))
	}
}

func (w *Writer) event(pod *v1.Pod, kind, reason, action, note string) {
	if w.dry == nil {
		w.recorder.Eventf(pod, nil, kind, reason, action, "%s", short(note))
	}
}

// short cuts a note to what the API server takes.
func short(note string) string { return Cut(note, 1000) }

// Cut leaves of a text what is not too long.
func Cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + " ..."
	}
	return text
}

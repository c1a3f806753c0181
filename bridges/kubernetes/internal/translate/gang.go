// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations of pods of a gang: the field's.
const (
	annotationTaskGroups  = Domain + "task-groups"
	annotationTaskGroup   = Domain + "task-group-name"
	annotationPlaceholder = Domain + "placeholder"
	annotationPolicy      = Domain + "schedulingPolicyParameters"

	tagCreation = Domain + "creationTime" // of an application whose placeholders have a time
)

// MostPlaceholders is how many one application may have.
const MostPlaceholders = 10_000

// How a gang goes on whose placeholders did not all find room in their time.
const (
	Soft = "Soft" // without
	Hard = "Hard" // not at all
)

// Gang is what the pods of an application are to have together.
type Gang struct {
	Groups  []TaskGroup
	Style   string
	Timeout time.Duration // of placeholders; 0: as the scheduler has it
}

// TaskGroup is a number of pods that are alike.
type TaskGroup struct {
	Name        string            `json:"name"`
	MinMember   int32             `json:"minMember"`
	MinResource v1.ResourceList   `json:"minResource"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`

	NodeSelector              map[string]string             `json:"nodeSelector"`
	Tolerations               []v1.Toleration               `json:"tolerations"`
	Affinity                  *v1.Affinity                  `json:"affinity"`
	TopologySpreadConstraints []v1.TopologySpreadConstraint `json:"topologySpreadConstraints"`
}

// GroupOf names the task group of a pod; empty: none.
func GroupOf(pod *v1.Pod) string { return pod.Annotations[annotationTaskGroup] }

// PodGroupOf is NAMESPACE/NAME of the PodGroup that a pod is of; empty: none.
func PodGroupOf(pod *v1.Pod) string {
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return pod.Namespace + "/" + *group.PodGroupName
	}
	return ""
}

// IsPlaceholder is true of pods that hold room for others.
func IsPlaceholder(pod *v1.Pod) bool {
	return pod.Annotations[annotationPlaceholder] == "true" && GroupOf(pod) != ""
}

// NamesGroups is true of a pod that names the task groups of its application, whether they can be read or not.
func NamesGroups(pod *v1.Pod) bool {
	return pod.Annotations[annotationTaskGroups] != "" && !IsPlaceholder(pod)
}

// GangOf reads the task groups that a pod names; nil: none.
func GangOf(pod *v1.Pod) (*Gang, error) {
	text := pod.Annotations[annotationTaskGroups]
	if text == "" || IsPlaceholder(pod) {
		return nil, nil
	}
	gang := &Gang{Style: Soft}
	if err := json.Unmarshal([]byte(text), &gang.Groups); err != nil {
		return nil, fmt.Errorf("annotation %s: %w", annotationTaskGroups, err)
	}
	if err := errors.Join(gang.valid(), gang.parameters(pod.Annotations[annotationPolicy])); err != nil {
		return nil, err
	}
	return gang, nil
}

func (g *Gang) valid() error {
	names, members := map[string]bool{}, 0
	for _, group := range g.Groups {
		if err := wrongName("a group", group.Name); err != nil {
			return fmt.Errorf("annotation %s: %w", annotationTaskGroups, err)
		}
		switch {
		case group.Name == "":
			return fmt.Errorf("annotation %s: a group has no name", annotationTaskGroups)
		case names[group.Name]:
			return fmt.Errorf("annotation %s: two groups are called %q", annotationTaskGroups, group.Name)
		case group.MinMember <= 0:
			return fmt.Errorf("annotation %s: group %q: minMember is %d, want 1 or more", annotationTaskGroups, group.Name, group.MinMember)
		case len(group.MinResource) == 0:
			return fmt.Errorf("annotation %s: group %q has no minResource", annotationTaskGroups, group.Name)
		}
		for name, quantity := range group.MinResource {
			if quantity.Sign() < 0 {
				return fmt.Errorf("annotation %s: group %q: minResource %s is below 0", annotationTaskGroups, group.Name, name)
			}
		}
		names[group.Name] = true
		if members += int(group.MinMember); members > MostPlaceholders {
			return fmt.Errorf("annotation %s: more than %d members", annotationTaskGroups, MostPlaceholders)
		}
	}
	if members == 0 {
		return fmt.Errorf("annotation %s: no groups", annotationTaskGroups)
	}
	if kinds := len(g.Ask()); kinds > mostEntries {
		return fmt.Errorf("annotation %s: %d kinds of resources, want at most %d", annotationTaskGroups, kinds, mostEntries)
	}
	return nil
}

// parameters reads words like placeholderTimeoutInSeconds=30.
func (g *Gang) parameters(text string) error {
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "placeholderTimeoutInSeconds":
			seconds, err := strconv.ParseInt(value, 10, 32)
			if err != nil || seconds < 0 {
				return fmt.Errorf("annotation %s: %s: want whole seconds", annotationPolicy, word)
			}
			g.Timeout = time.Duration(seconds) * time.Second
		case "gangSchedulingStyle":
			if value != Soft && value != Hard {
				return fmt.Errorf("annotation %s: %s: want %s or %s", annotationPolicy, word, Soft, Hard)
			}
			g.Style = value
		}
	}
	return nil
}

// Ask is what all placeholders take together.
func (g *Gang) Ask() Amounts {
	sum := Amounts{}
	for _, group := range g.Groups {
		one := OfList(group.MinResource)
		one[Pods] = 1
		sum.Add(one, int64(group.MinMember))
	}
	return sum
}

// Tags adds what an application with placeholders has beside the others: since when their time runs.
func (g *Gang) Tags(first *v1.Pod, tags map[string]string) {
	tags[tagCreation] = strconv.FormatInt(first.CreationTimestamp.Unix(), 10)
}

// Placeholders are the pods that hold the room of a gang, in the namespace of the pod that names it and gone with it. Their
// names are the same whenever they are made, so that none is made twice.
func (g *Gang) Placeholders(first *v1.Pod, image string) []*v1.Pod {
	application := ApplicationID(first)
	var all []*v1.Pod
	for i := range g.Groups {
		group := &g.Groups[i]
		prefix := group.prefix(application)
		for number := range group.MinMember {
			all = append(all, group.placeholder(first, application, fmt.Sprintf("%s%d", prefix, number), image))
		}
	}
	return all
}

// Placeholder is the one of Placeholders that has this name; nil: none has.
func (g *Gang) Placeholder(first *v1.Pod, name, image string) *v1.Pod {
	application := ApplicationID(first)
	for i := range g.Groups {
		group := &g.Groups[i]
		text, its := strings.CutPrefix(name, group.prefix(application))
		if number, err := strconv.Atoi(text); its && err == nil && number >= 0 && number < int(group.MinMember) && strconv.Itoa(number) == text {
			return group.placeholder(first, application, name, image)
		}
	}
	return nil
}

// prefix is that of the names of a group's placeholders, before their numbers.
func (t *TaskGroup) prefix(application string) string {
	sum := sha256.Sum256([]byte(application + "\x00" + t.Name))
	return fmt.Sprintf("tg-%x-", sum[:8])
}

func (t *TaskGroup) placeholder(first *v1.Pod, application, name, image string) *v1.Pod {
	annotations := map[string]string{}
	for key, value := range t.Annotations {
		if key != annotationUser { // whoever names the group vouches for nobody, and the bridge makes this pod
			annotations[key] = value
		}
	}
	annotations[annotationPlaceholder], annotations[annotationTaskGroup], annotations[keyApplication] = "true", t.Name, application
	if queue := Queue(first); queue != "" {
		annotations[keyQueue] = queue
	}
	if user := first.Annotations[annotationUser]; user != "" {
		annotations[annotationUser] = user
	}
	labels := map[string]string{}
	for key, value := range t.Labels {
		if key != keyApplication && key != keyQueue && key != labelUser { // what the annotations and the first pod say
			labels[key] = value
		}
	}
	if user := first.Labels[labelUser]; user != "" {
		labels[labelUser] = user
	}
	yes, no, nobody, seconds := true, false, int64(65535), int64(0)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: first.Namespace, Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: first.Name, UID: first.UID}},
		},
		Spec: v1.PodSpec{
			SchedulerName: first.Spec.SchedulerName, PriorityClassName: first.Spec.PriorityClassName, RestartPolicy: v1.RestartPolicyNever,
			NodeSelector: t.NodeSelector, Tolerations: t.Tolerations, Affinity: t.Affinity, TopologySpreadConstraints: t.TopologySpreadConstraints,
			TerminationGracePeriodSeconds: &seconds, AutomountServiceAccountToken: &no, EnableServiceLinks: &no,
			SecurityContext: &v1.PodSecurityContext{
				RunAsNonRoot: &yes, RunAsUser: &nobody, SeccompProfile: &v1.SeccompProfile{Type: v1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []v1.Container{{
				Name: "pause", Image: image, Resources: v1.ResourceRequirements{Requests: t.MinResource, Limits: extended(t.MinResource)},
				SecurityContext: &v1.SecurityContext{
					AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, Capabilities: &v1.Capabilities{Drop: []v1.Capability{"ALL"}},
				},
			}},
		},
	}
}

// extended are those resources of which a request has to be the limit too.
func extended(list v1.ResourceList) v1.ResourceList {
	limits := v1.ResourceList{}
	for name, quantity := range list {
		if strings.Contains(string(name), "/") || strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix) {
			limits[name] = quantity
		}
	}
	return limits
}

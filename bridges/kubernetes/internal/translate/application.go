// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Labels and annotations with a meaning: the field's, so that manifests stay as they are.
const (
	Domain              = "yunikorn.apache.org/"
	labelApplication    = "applicationId"
	labelQueue          = "queue"
	labelSpark          = "spark-app-selector"
	keyApplication      = Domain + "app-id" // label and annotation
	keyQueue            = Domain + "queue"  // label and annotation
	annotationUser      = Domain + "user.info"
	labelUser           = Domain + "username"
	annotationQuota     = Domain + "namespace.quota"
	annotationCPUQuota  = Domain + "namespace.max.cpu"
	annotationMemQuota  = Domain + "namespace.max.memory"
	annotationGuarantee = Domain + "namespace.guaranteed"
	annotationMaxApps   = Domain + "namespace.maxApps"
	annotationParent    = Domain + "parentqueue"
)

// Application names the application of a pod to the scheduler. An application belongs to a namespace, because whoever may create
// pods may write any name: the name that a pod gives counts in its namespace alone. If applications are shared, pods of all
// namespaces that give the same name are one application.
func Application(pod *v1.Pod, shared bool) string {
	if shared {
		return ApplicationID(pod)
	}
	return pod.Namespace + "/" + ApplicationID(pod)
}

// ApplicationID is the name that a pod gives its application; pods that give none share one in each namespace.
func ApplicationID(pod *v1.Pod) string {
	for _, id := range []string{
		pod.Labels[keyApplication], pod.Annotations[keyApplication], pod.Labels[labelApplication], pod.Labels[labelSpark],
	} {
		if id != "" {
			return id
		}
	}
	return fmt.Sprintf("%.63s", "yunikorn-"+pod.Namespace+"-autogen")
}

// Queue is what placement rules start from; empty where the pod names none.
func Queue(pod *v1.Pod) string {
	for _, queue := range []string{pod.Labels[keyQueue], pod.Annotations[keyQueue], pod.Labels[labelQueue]} {
		if queue != "" {
			return queue
		}
	}
	return ""
}

// User says whose a pod is. Whoever may create a pod may write any annotation, so the namespace is the user unless an
// admission step vouches for what pods say of their users. An annotation that cannot be read is an error, and the namespace
// the user then.
func User(pod *v1.Pod, vouched bool) (name string, groups []string, err error) {
	if vouched {
		name, groups, err = toldUser(pod)
	}
	if name == "" || err != nil {
		name, groups = userOf(pod.Namespace)
	}
	return name, groups, err
}

// userOf is the user that stands for a namespace. Its group keeps the scheduler from looking for groups of a person who has
// the same name.
func userOf(namespace string) (name string, groups []string) {
	name = namespace
	if !ValidUser(name) { // it begins with a digit
		name = "_" + namespace
	}
	return name, []string{"namespace:" + namespace}
}

// toldUser is whose a pod says that it is; an empty name if it says nothing.
func toldUser(pod *v1.Pod) (name string, groups []string, err error) {
	if text := pod.Annotations[annotationUser]; text != "" {
		var said struct {
			User   string   `json:"user"`
			Groups []string `json:"groups"`
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return "", nil, fmt.Errorf("annotation %s: %w", annotationUser, err)
		}
		if err := wrongGroups(said.Groups); err != nil {
			return "", nil, fmt.Errorf("annotation %s: %w", annotationUser, err)
		}
		return said.User, said.Groups, wrongUser(said.User)
	}
	return pod.Labels[labelUser], nil, wrongUser(pod.Labels[labelUser])
}

func wrongUser(name string) error {
	if name == "" || ValidUser(name) {
		return nil
	}
	return fmt.Errorf("the user %.100q has a name that the scheduler does not take", name)
}

func wrongGroups(groups []string) error {
	if len(groups) > mostEntries {
		return fmt.Errorf("%d groups, want at most %d", len(groups), mostEntries)
	}
	bytes := 0
	for _, group := range groups {
		bytes += len(group)
	}
	if bytes > longestText {
		return fmt.Errorf("groups of %d bytes, want at most %d", bytes, longestText)
	}
	for _, group := range groups {
		if err := wrongName("a group", group); err != nil {
			return err
		}
	}
	return nil
}

// ApplicationTags are those of an application in this namespace, which may be nil. Annotations that cannot be read are
// left out, and told.
func ApplicationTags(name string, namespace *v1.Namespace) (map[string]string, []error) {
	tags := map[string]string{"namespace": name}
	if namespace == nil {
		return tags, nil
	}
	var wrong []error
	amounts := func(tag, annotation string, said map[string]string) {
		if len(said) == 0 {
			return
		}
		text, err := resourceTag(said)
		if err == nil && len(text) > longestText {
			err = fmt.Errorf("%d bytes, want at most %d", len(text), longestText)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("annotation %s of namespace %s: %w", annotation, name, err))
			return
		}
		tags[tag] = text
	}
	object := func(annotation string) map[string]string {
		var said map[string]string
		if text := namespace.Annotations[annotation]; text != "" {
			if err := json.Unmarshal([]byte(text), &said); err != nil {
				wrong = append(wrong, fmt.Errorf("annotation %s of namespace %s: %w", annotation, name, err))
				return nil
			}
		}
		return said
	}
	quota := object(annotationQuota)
	if len(quota) == 0 {
		quota = map[string]string{}
		for kind, annotation := range map[string]string{"cpu": annotationCPUQuota, "memory": annotationMemQuota} {
			amount := namespace.Annotations[annotation]
			if amount == "" {
				continue
			}
			if _, err := resourceTag(map[string]string{kind: amount}); err != nil {
				wrong = append(wrong, fmt.Errorf("annotation %s of namespace %s: %w", annotation, name, err))
				continue
			}
			quota[kind] = amount
		}
	}
	amounts("namespace.resourcequota", annotationQuota, quota)
	amounts("namespace.resourceguaranteed", annotationGuarantee, object(annotationGuarantee))
	if most := namespace.Annotations[annotationMaxApps]; most != "" {
		if _, err := strconv.ParseUint(most, 10, 63); err != nil {
			wrong = append(wrong, fmt.Errorf("annotation %s of namespace %s: %w", annotationMaxApps, name, err))
		} else {
			tags["namespace.resourcemaxapps"] = most
		}
	}
	parent := namespace.Annotations[annotationParent]
	if err := wrongName("the parent queue", parent); err != nil {
		wrong = append(wrong, fmt.Errorf("annotation %s of namespace %s: %w", annotationParent, name, err))
	} else if parent != "" {
		tags["namespace.parentqueue"] = parent
	}
	return tags, wrong
}

// resourceTag is the JSON of a resource as tags of applications have it.
func resourceTag(said map[string]string) (string, error) {
	list := v1.ResourceList{}
	for name, text := range said {
		if name == Vcore {
			name = string(v1.ResourceCPU)
		}
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return "", fmt.Errorf("%s %q: %w", name, text, err)
		}
		if quantity.Sign() < 0 {
			return "", fmt.Errorf("%s %q: want 0 or more", name, text)
		}
		list[v1.ResourceName(name)] = quantity
	}
	type value struct {
		Value int64 `json:"value"`
	}
	resources := map[string]value{}
	for name, amount := range OfList(list) {
		resources[name] = value{amount}
	}
	text, err := json.Marshal(map[string]any{"resources": resources})
	return string(text), err
}

// What the scheduler takes as a user's name.
var userName = regexp.MustCompile(`^[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?$`)

// ValidUser is true of names that the scheduler takes.
func ValidUser(name string) bool {
	return len(name) <= longestName && userName.MatchString(name) && !strings.ContainsAny(name, "\n")
}

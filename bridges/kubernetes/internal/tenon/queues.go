// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"sigs.k8s.io/yaml"
)

// heldQueue is a queue with the amounts that it names.
type heldQueue struct {
	Guaranteed    map[string]int64 `json:"guaranteed"`
	Max           map[string]int64 `json:"max"`
	ChildTemplate struct {
		Guaranteed map[string]int64 `json:"guaranteed"`
		Max        map[string]int64 `json:"max"`
	} `json:"child_template"`
}

// heldConfiguration is the text of queues in force for a policy group, or for the one resource manager that is named.
type heldConfiguration struct {
	Text string `json:"text"`
}

// configuredQueues is what is read of such a text: queues with the limits of users and groups, which answers about queues leave
// out.
type configuredQueues struct {
	Partitions []struct {
		Name            string `json:"name"`
		configuredQueue        // the limits and queues of the partition
	} `json:"partitions"`
}

type configuredQueue struct {
	Queues []configuredQueue `json:"queues"`
	Limits []struct {
		Max map[string]any `json:"maxresources"`
	} `json:"limits"`
}

// QueueKinds returns the kinds of resources that queues of the partition name: in a max, a guarantee, a template of children, or
// a limit of users. It waits for the answers, 20 seconds for each, and fails as Held does.
func (c Control) QueueKinds(ctx context.Context, policyGroup string) (map[string]bool, error) {
	partition, err := c.ask(ctx, "queues", "")
	if err != nil {
		return nil, err
	}
	kinds := map[string]bool{}
	for _, queue := range partition.Queues {
		for _, amounts := range []map[string]int64{queue.Guaranteed, queue.Max, queue.ChildTemplate.Guaranteed, queue.ChildTemplate.Max} {
			for kind := range maps.Keys(amounts) {
				kinds[kind] = true
			}
		}
	}
	return kinds, c.addLimited(ctx, policyGroup, kinds)
}

// addLimited adds the kinds that limits of users and groups name.
func (c Control) addLimited(ctx context.Context, policyGroup string, kinds map[string]bool) error {
	rm, name, _ := strings.Cut(strings.TrimPrefix(c.Partition, "["), "]")
	text, err := c.configuration(ctx, policyGroup, rm)
	if refused := new(refusalError); errors.As(err, &refused) { // no configuration was sent for the resource manager alone
		text, err = c.configuration(ctx, policyGroup, "")
	}
	if err != nil {
		return err
	}
	var configured configuredQueues
	if err := yaml.Unmarshal([]byte(text), &configured); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	for _, partition := range configured.Partitions {
		if partition.Name == name {
			partition.addTo(kinds)
		}
	}
	return nil
}

// configuration returns the text of queues in force for the resource manager, or with an empty name the text of the policy group.
// The scheduler refuses the name of a resource manager that has no text of its own.
func (c Control) configuration(ctx context.Context, policyGroup, rm string) (string, error) {
	var result struct {
		Configurations []heldConfiguration `json:"configurations"`
	}
	question := map[string]any{"command": "config", "policy_group": policyGroup, "rm": rm, "text": true}
	if err := c.request(ctx, question, &result); err != nil {
		return "", err
	}
	if len(result.Configurations) == 0 {
		return "", errors.New("config: the answer has no configuration")
	}
	return result.Configurations[0].Text, nil
}

func (q configuredQueue) addTo(kinds map[string]bool) {
	for _, limit := range q.Limits {
		for kind := range maps.Keys(limit.Max) {
			kinds[kind] = true
		}
	}
	for _, child := range q.Queues {
		child.addTo(kinds)
	}
}

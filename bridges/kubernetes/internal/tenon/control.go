// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"
)

const (
	controlWithin = 20 * time.Second // for one answer
	mostNamed     = 20               // nodes whose allocations one call of Held asks for: each is a request
)

// Control asks a scheduler over its control socket what it has (docs/control-socket.md, docs/state-json.md). It keeps no
// connection and may be used by many goroutines.
type Control struct {
	Socket    string // the path of the Unix socket
	Partition string // in full: "[RM]NAME"
}

// HeldNode is a node as the scheduler has it. Amounts are in the scheduler's units, by kind.
type HeldNode struct {
	ID          string           `json:"id"`
	Capacity    map[string]int64 `json:"capacity"`
	Occupied    map[string]int64 `json:"occupied"`
	Allocations int              `json:"allocation_count"`
	Running     []HeldAllocation `json:"running"` // only if the node was asked for by its name
}

// HeldAllocation is an allocation by its key, and its application.
type HeldAllocation struct {
	Key         string `json:"key"`
	Application string `json:"application"`
}

// HeldAsk is an ask by its key, and how many allocations it still waits for.
type HeldAsk struct {
	Key     string `json:"key"`
	Pending int    `json:"pending_count"`
}

// HeldApplication is an application that has not ended, with its asks.
type HeldApplication struct {
	ID   string    `json:"id"`
	Asks []HeldAsk `json:"asks"`
}

// Held is what a scheduler has in one partition. Its parts are of moments up to some seconds apart.
type Held struct {
	Nodes        []HeldNode
	Applications []HeldApplication
	Running      map[string][]HeldAllocation // by node: of some nodes that have another number of allocations than expected
}

// Held asks for all nodes and applications of the partition, and for the allocations of up to 20 nodes whose number is not the
// expected one, by node. It waits for the answers, 20 seconds for each. An error is one of the connection or of the context,
// or the scheduler's refusal in its own words.
func (c Control) Held(ctx context.Context, expected map[string]int) (Held, error) {
	nodes, err := c.ask(ctx, "nodes", "")
	if err != nil {
		return Held{}, err
	}
	applications, err := c.ask(ctx, "apps", "")
	if err != nil {
		return Held{}, err
	}
	held := Held{nodes.Nodes, applications.Applications, map[string][]HeldAllocation{}}
	for _, one := range held.Nodes {
		if count, known := expected[one.ID]; !known || count == one.Allocations || len(held.Running) == mostNamed {
			continue
		}
		named, err := c.ask(ctx, "nodes", one.ID)
		if err != nil {
			return Held{}, err
		}
		for _, again := range named.Nodes {
			held.Running[again.ID] = again.Running
		}
	}
	return held, nil
}

// heldPartition has the one list that was asked for.
type heldPartition struct {
	Nodes        []HeldNode        `json:"nodes"`
	Applications []HeldApplication `json:"applications"`
	Queues       []heldQueue       `json:"queues"`
}

func (c Control) ask(ctx context.Context, command, name string) (heldPartition, error) {
	var result struct {
		Partitions []heldPartition `json:"partitions"`
		More       bool            `json:"more"`
	}
	if err := c.request(ctx, map[string]any{"command": command, "partition": c.Partition, "name": name}, &result); err != nil {
		return heldPartition{}, err
	}
	if result.More || len(result.Partitions) != 1 {
		return heldPartition{}, fmt.Errorf("%s: the answer has a part of %d partitions, want all of one", command, len(result.Partitions))
	}
	return result.Partitions[0], nil
}

// refusalError is an answer in which the scheduler refuses a question.
type refusalError struct{ words string }

func (e *refusalError) Error() string { return e.words }

// request sends one question over a connection of its own and reads the result of the answer.
func (c Control) request(ctx context.Context, question map[string]any, result any) error {
	ctx, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", c.Socket)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	question["version"] = 1
	if err := json.NewEncoder(connection).Encode(question); err != nil {
		return fmt.Errorf("%s: %w", question["command"], err)
	}
	answer := struct {
		OK     bool `json:"ok"`
		Result any  `json:"result"`
		Error  struct {
			Have string `json:"have"`
		} `json:"error"`
	}{Result: result}
	if err := json.NewDecoder(connection).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", question["command"], err)
	}
	if !answer.OK {
		return &refusalError{fmt.Sprintf("%s: %s", question["command"], answer.Error.Have)}
	}
	return nil
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// HeldNode is a node as the scheduler has it.
type HeldNode struct {
	ID          string           `json:"id"`
	Schedulable bool             `json:"schedulable"`
	Capacity    map[string]int64 `json:"capacity"`
	Occupied    map[string]int64 `json:"occupied"`
	Allocations int              `json:"allocation_count"`
	Running     []HeldAllocation `json:"running"` // where the node was asked for by its name
}

// HeldAllocation is one that runs.
type HeldAllocation struct {
	Key         string `json:"key"`
	Application string `json:"application"`
}

// HeldApplication is one that has not ended, with its asks.
type HeldApplication struct {
	ID   string `json:"id"`
	Asks []struct {
		Key     string `json:"key"`
		Pending int    `json:"pending_count"`
	} `json:"asks"`
}

// Held is what a scheduler has of one partition.
type Held struct {
	Nodes        []HeldNode
	Applications []HeldApplication
}

// Control asks a scheduler what it has, over its control socket (docs/control-socket.md).
type Control struct {
	Socket    string
	Partition string // in full
}

const controlWithin = 20 * time.Second

// Held asks for everything.
func (c Control) Held(ctx context.Context) (Held, error) {
	nodes, err := c.ask(ctx, "nodes", "")
	if err != nil {
		return Held{}, err
	}
	applications, err := c.ask(ctx, "apps", "")
	return Held{nodes.Nodes, applications.Applications}, err
}

// Running asks for one node with what runs there.
func (c Control) Running(ctx context.Context, node string) ([]HeldNode, error) {
	answer, err := c.ask(ctx, "nodes", node)
	return answer.Nodes, err
}

type heldPartition struct {
	Nodes        []HeldNode        `json:"nodes"`
	Applications []HeldApplication `json:"applications"`
}

func (c Control) ask(ctx context.Context, command, name string) (heldPartition, error) {
	ctx, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", c.Socket)
	if err != nil {
		return heldPartition{}, err
	}
	defer connection.Close()
	if until, ok := ctx.Deadline(); ok {
		_ = connection.SetDeadline(until)
	}
	question := map[string]any{"version": 1, "command": command, "partition": c.Partition}
	if name != "" {
		question["name"] = name
	}
	if err := json.NewEncoder(connection).Encode(question); err != nil {
		return heldPartition{}, err
	}
	var answer struct {
		OK     bool `json:"ok"`
		Result struct {
			Partitions []heldPartition `json:"partitions"`
			More       bool            `json:"more"`
		} `json:"result"`
		Error struct {
			Have string `json:"have"`
		} `json:"error"`
	}
	if err := json.NewDecoder(connection).Decode(&answer); err != nil {
		return heldPartition{}, err
	}
	switch {
	case !answer.OK:
		return heldPartition{}, errors.New(answer.Error.Have)
	case answer.Result.More || len(answer.Result.Partitions) != 1:
		return heldPartition{}, fmt.Errorf("the answer has %d partitions, want all of one", len(answer.Result.Partitions))
	}
	return answer.Result.Partitions[0], nil
}

// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package queues has the scheduler use the queues of a ConfigMap, and says in events of it what became of that.
package queues

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"tenon.invalid/kubernetes/internal/mailbox"
	"tenon.invalid/kubernetes/internal/tenon"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// Key is the one of the ConfigMap whose text is used.
const Key = "queues.yaml"

const (
	within = 30 * time.Second // of one call
	again  = 5 * time.Second  // after one that did not come through
)

// Options of a Follower.
type Options struct {
	Client          kubernetes.Interface
	Namespace, Name string // of the ConfigMap
	Address         string // the scheduler's
	Credentials     credentials.TransportCredentials
	TokenFile       string // read before each call; without one a certificate says who this is
	PolicyGroup     string
	Tell            func(object *v1.ConfigMap, used bool, note string)
	Log             *slog.Logger
}

// Follower is made by New and works while Run does.
type Follower struct {
	Options
	todo *mailbox.Mailbox[*v1.ConfigMap] // nil: as it was, once more
}

// New gives one that does nothing yet.
func New(options Options) *Follower {
	return &Follower{Options: options, todo: mailbox.New[*v1.ConfigMap]()}
}

// Again has the text used once more: the scheduler may be another one. It never waits.
func (f *Follower) Again() { f.todo.Put(nil) }

// Run works until the context ends.
func (f *Follower) Run(ctx context.Context) error {
	connection, err := tenon.Connect(f.Address, f.Credentials)
	if err != nil {
		return err
	}
	defer connection.Close()
	one := fields.OneTermEqualSelector("metadata.name", f.Name).String()
	informer := coreinformers.NewFilteredConfigMapInformer(f.Client, f.Namespace, 0, cache.Indexers{},
		func(options *metav1.ListOptions) { options.FieldSelector = one })
	changed := func(object any) {
		if config, ok := object.(*v1.ConfigMap); ok {
			f.todo.Put(config)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, now any) { changed(now) },
	}); err != nil {
		return fmt.Errorf("informer: %w", err)
	}
	go informer.RunWithContext(ctx)
	f.follow(ctx, tenonv1.NewAdminClient(connection))
	return nil
}

func (f *Follower) follow(ctx context.Context, admin tenonv1.AdminClient) {
	var config *v1.ConfigMap
	var told string // what the last event was about
	retry := time.NewTimer(time.Hour)
	for {
		select {
		case <-ctx.Done():
			return
		case <-retry.C:
		case <-f.todo.Ready():
			for _, now := range f.todo.Take() {
				if now != nil {
					config = now
				}
			}
		}
		if config == nil {
			continue
		}
		used, note, err := f.use(ctx, admin, config)
		if err != nil {
			f.Log.Warn("queues could not be handed over", "configmap", f.Namespace+"/"+f.Name, "error", err)
			retry.Reset(again)
			continue
		}
		if about := fmt.Sprint(used, config.Data[Key]); about != told {
			told = about
			f.Tell(config, used, note)
		}
		f.Log.Info("queues", "configmap", f.Namespace+"/"+f.Name, "used", used, "note", note)
	}
}

// WithToken adds what of a file says who may administer the scheduler; without a file a certificate does.
func WithToken(ctx context.Context, file string) (context.Context, error) {
	if file == "" {
		return ctx, nil
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the admin token: %w", err)
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+strings.TrimSpace(string(token))), nil
}

// use hands the text over, and says whether the scheduler takes it. It waits for a scheduler that is away: one that was just started may be
// connected to in a moment. An error leaves open whether the text is used.
func (f *Follower) use(ctx context.Context, admin tenonv1.AdminClient, config *v1.ConfigMap) (used bool, note string, err error) {
	text := config.Data[Key]
	if text == "" {
		return false, "it has no text under the key " + Key + "; the queues stay as they are", nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if ctx, err = WithToken(ctx, f.TokenFile); err != nil {
		return false, "", err
	}
	answer, err := admin.UpdateConfig(ctx, &tenonv1.UpdateConfigRequest{PolicyGroup: f.PolicyGroup, Config: text}, grpc.WaitForReady(true))
	if err != nil {
		return false, "", err
	}
	if !answer.Success {
		return false, "refused, the queues stay as they are: " + answer.Reason, nil
	}
	return true, strings.Join(append([]string{fmt.Sprintf("in use as revision %d", answer.Revision)}, answer.Warnings...), "; "), nil
}

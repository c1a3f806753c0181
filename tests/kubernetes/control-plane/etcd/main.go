// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Command etcd is etcd itself, whose own main is no package that this module could build by name.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }

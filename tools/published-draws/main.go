// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Published-draws makes the orders again in which pods of the openb trace came when the six policies of Weng et al.,
// "Beware of Fragmentation" (USENIX ATC 2023), were measured: the pods that were drawn, and the numbers that nodes got
// before their ids. docs/packing.md says what is played with them.
//
//	tools/go run tools/published-draws/main.go [-seeds 42..51] [-arrived 1.3] TRACES FOLDER LIST...
//
// TRACES is the folder of github.com/alibaba/clusterdata with openb_node_list_all_node.csv and openb_pod_list_LIST.csv.
// Each seed of each list gives FOLDER/LIST-SEED-nodes.csv and FOLDER/LIST-SEED-pods.csv, pods in the order in which they come.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strconv"
)

const (
	wholeGpu = 1000
	// Of the numbers that chance gives, so many went elsewhere before the pods were shuffled, and before the nodes were.
	beforePods, beforeNodes = 1, 10
)

// table is a CSV file: its rows, and where a column is.
type table struct {
	path   string
	head   []string
	rows   [][]string
	column map[string]int
}

func read(path string, wanted ...string) (table, error) {
	file, err := os.Open(path)
	if err != nil {
		return table{}, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return table{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 {
		return table{}, fmt.Errorf("%s: want a line of columns, have an empty file", path)
	}
	out := table{path, lines[0], lines[1:], map[string]int{}}
	for at, name := range out.head {
		out.column[name] = at
	}
	for _, name := range wanted {
		if _, has := out.column[name]; !has {
			return table{}, fmt.Errorf("%s: want a column %s, have %q", path, name, out.head)
		}
	}
	return out, nil
}

func (t table) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(file).WriteAll(append([][]string{t.head}, t.rows...)), file.Close())
}

func (t table) sorted(by string) {
	at := t.column[by]
	sort.Slice(t.rows, func(i, j int) bool { return t.rows[i][at] < t.rows[j][at] })
}

// numbers is a column in whole numbers, row by row.
func (t table) numbers(name string) ([]int64, error) {
	out := make([]int64, len(t.rows))
	for row, cells := range t.rows {
		value, err := strconv.ParseInt(cells[t.column[name]], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: want a whole number as %s, have %q", t.path, row+2, name, cells[t.column[name]])
		}
		out[row] = value
	}
	return out, nil
}

// asked is what each pod wants of each of its GPUs, and of all together, in thousandths.
func asked(pods table) (each, all []int64, err error) {
	counts, err := pods.numbers("num_gpu")
	if err != nil {
		return nil, nil, err
	}
	if each, err = pods.numbers("gpu_milli"); err != nil {
		return nil, nil, err
	}
	all = make([]int64, len(each))
	for pod, count := range counts {
		if count == 0 {
			each[pod] = 0
		}
		all[pod] = count * each[pod]
	}
	return each, all, nil
}

// order is which pods come, by their numbers in the list sorted by name, until they ask for `most` thousandths.
func order(chance *rand.Rand, each, all []int64, most float64) []int {
	out := make([]int, len(all))
	var sum int64
	for pod := range out {
		out[pod] = pod
		sum += all[pod]
	}
	chance.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if float64(sum) >= most {
		for float64(sum) > most {
			at := chance.Intn(len(out))
			sum -= all[out[at]]
			out = append(out[:at], out[at+1:]...)
		}
		return out
	}
	for {
		pod := chance.Intn(len(all))
		// It stops where one GPU of the next pod would be too many, not all of its GPUs: so it was in the published runs.
		if float64(sum+each[pod]) > most {
			return out
		}
		sum += all[pod]
		out = append(out, pod)
	}
}

// draw is the nodes with the ids that they get, and the pods in their order. Both tables are sorted by name.
func draw(nodes, pods table, seed int64, arrived float64) (table, table, error) {
	gpus, err := nodes.numbers("gpu")
	if err != nil {
		return table{}, table{}, err
	}
	each, all, err := asked(pods)
	if err != nil {
		return table{}, table{}, err
	}
	var capacity, wanted int64
	for _, count := range gpus {
		capacity += count * wholeGpu
	}
	for _, gpu := range all {
		wanted += gpu
	}
	if wanted == 0 {
		return table{}, table{}, fmt.Errorf("%s: want pods that ask for GPUs, have none", pods.path)
	}
	chance := rand.New(rand.NewSource(seed))
	for range beforePods {
		chance.Int63()
	}
	come, named := pods, nodes
	come.rows, named.rows = nil, nil
	for at, pod := range order(chance, each, all, arrived*float64(capacity)) {
		row := append([]string{}, pods.rows[pod]...)
		row[pods.column["name"]] = fmt.Sprintf("p%06d", at)
		come.rows = append(come.rows, row)
	}
	for range beforeNodes {
		chance.Int63()
	}
	for at, number := range chance.Perm(len(nodes.rows)) {
		row := append([]string{}, nodes.rows[at]...)
		row[nodes.column["sn"]] = fmt.Sprintf("%04d-%s", number, row[nodes.column["sn"]])
		named.rows = append(named.rows, row)
	}
	return named, come, nil
}

func withGpus(nodes table) (table, error) {
	gpus, err := nodes.numbers("gpu")
	if err != nil {
		return table{}, err
	}
	all := nodes.rows
	nodes.rows = nil
	for at, row := range all {
		if gpus[at] > 0 {
			nodes.rows = append(nodes.rows, row)
		}
	}
	return nodes, nil
}

func run(traces, folder string, lists []string, first, last int64, arrived float64) error {
	nodes, err := read(filepath.Join(traces, "openb_node_list_all_node.csv"), "sn", "gpu")
	if err != nil {
		return err
	}
	if nodes, err = withGpus(nodes); err != nil {
		return err
	}
	nodes.sorted("sn")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, list := range lists {
		pods, err := read(filepath.Join(traces, "openb_pod_list_"+list+".csv"), "name", "num_gpu", "gpu_milli")
		if err != nil {
			return err
		}
		pods.sorted("name")
		for seed := first; seed <= last; seed++ {
			named, come, err := draw(nodes, pods, seed, arrived)
			if err != nil {
				return err
			}
			path := filepath.Join(folder, fmt.Sprintf("%s-%d-", list, seed))
			if err := errors.Join(named.write(path+"nodes.csv"), come.write(path+"pods.csv")); err != nil {
				return err
			}
		}
	}
	return nil
}

func main() {
	seeds := flag.String("seeds", "42..51", "first and last seed")
	arrived := flag.Float64("arrived", 1.3, "pods come until they ask for so many times the GPUs")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: main.go [-seeds FIRST..LAST] [-arrived RATIO] TRACES FOLDER LIST...")
		flag.PrintDefaults()
	}
	flag.Parse()
	var first, last int64
	if _, err := fmt.Sscanf(*seeds, "%d..%d", &first, &last); err != nil || first > last || *arrived <= 0 || flag.NArg() < 3 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), flag.Args()[2:], first, last, *arrived); err != nil {
		fmt.Fprintln(os.Stderr, "published-draws:", err)
		os.Exit(1)
	}
}

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tools/packing`, `tools/published-draws` and `tools/packing-in-time`: on clusters so small that what they must say is known."""

import argparse
import gzip
import importlib.machinery
import importlib.util
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from cases import run_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = argparse.Namespace()
SKIPPED = 77

NODES = "sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,2,T4\nn2,64000,262144,0,\n"
# Two of three find a place on two GPUs, in any order: 600 thousandths each.
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n" + "".join(f"p{i},1000,1024,1,600,\n" for i in range(3))


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tool(self, name, *arguments, exits=0) -> str:
        done = subprocess.run([sys.executable, "-B", ROOT / "tools" / name, *map(str, arguments), "--tenon", PROGRAMS.tenon],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        return done.stdout


class InOrderOfArrival(Tool):
    def setUp(self):
        super().setUp()
        (self.folder / "openb_node_list_all_node.csv").write_text(NODES)
        (self.folder / "openb_pod_list_default.csv").write_text(PODS)
        (self.folder / "openb_pod_list_other.csv").write_text(PODS.replace(",600,", ",500,"))

    def test_a_row_for_each_list_default_first(self):
        out = self.tool("packing", self.folder, "--seeds", "1..3", "--orders", "gpu-pack,fair")
        least, most = (table.splitlines() for table in out.strip().split("\n\n"))
        self.assertEqual(least[0], "| list, at 100% | `gpu-pack` | `fair` | bound |")
        self.assertEqual(most[0], "| list, at 130% | `gpu-pack` | `fair` | bound |")
        bound = "60.00" if importlib.util.find_spec("highspy") else ""
        for lines in least, most:
            default, other = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:])
            self.assertEqual(default, ["`default`", "60.00 ± 0.00", "60.00 ± 0.00", bound])
            self.assertEqual(other[0], "`other`")
        self.assertEqual(other[1], "100.00 ± 0.00")

    def test_lists_that_are_named_alone(self):
        out = self.tool("packing", self.folder, "other", "--seeds", "1..2", "--orders", "fair")
        self.assertEqual(re.findall(r"^\| `(\w+)` \| \d", out, flags=re.M), ["other", "other"])

    def test_curves_stay_in_the_picture(self):
        self.tool("packing", self.folder, "--seeds", "1..2", "--orders", "fair,gpu-pack", "--curves", self.folder)
        self.assertTrue((self.folder / "packing-other.svg").is_file())
        drawn = xml.etree.ElementTree.parse(self.folder / "packing-default.svg").getroot()
        lines = [each for each in drawn if each.tag.endswith("polyline")]
        self.assertEqual(len(lines), 2)
        for line in lines:
            points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
            self.assertGreater(len(points), 60)
            for x, y in points:
                self.assertTrue(60 <= x <= 700 and 40 <= y <= 340, (x, y))
        texts = [each.text for each in drawn if each.tag.endswith("text")]
        self.assertIn("gpu-pack", texts)

    def test_without_what_it_needs_it_says_so(self):
        self.assertIn("SKIPPED: no ", self.tool("packing", self.folder / "none", exits=SKIPPED))
        self.assertIn("--modules", self.tool("packing", self.folder, exits=SKIPPED))


class Draws(Tool):
    """Five pods for two GPUs of four, until they ask for 1.3 times these."""

    NODES = "sn,cpu_milli,memory_mib,gpu,model\nn3,64000,262144,2,T4\nn1,64000,262144,2,P100\nn2,64000,262144,0,\n"
    PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n" + "".join(
        f"{name},{cores},1024,{gpus},{milli},\n" for name, cores, gpus, milli in (
            ("e", 5000, 0, 0), ("b", 2000, 1, 600), ("a", 1000, 1, 500), ("d", 4000, 1, 1000), ("c", 3000, 2, 1000)))

    def setUp(self):
        super().setUp()
        if subprocess.run([ROOT / "tools/go", "--where"], capture_output=True).returncode:
            self.skipTest("no Go")
        (self.folder / "openb_node_list_all_node.csv").write_text(self.NODES)
        (self.folder / "openb_pod_list_default.csv").write_text(self.PODS)

    def draw(self, *options, exits=0) -> str:
        done = subprocess.run([ROOT / "tools/go", "run", ROOT / "tools/published-draws/main.go", *options, self.folder,
                               self.folder / "draws", "default"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exits, done.stderr)
        return done.stderr

    def rows(self, seed, what):
        lines = (self.folder / f"draws/default-{seed}-{what}.csv").read_text().splitlines()
        return [line.split(",") for line in lines[1:]]

    def test_the_same_pods_come_again_and_nodes_have_numbers(self):
        self.draw("-seeds", "42..44")
        orders = []
        for seed in 42, 43, 44:
            pods, nodes = self.rows(seed, "pods"), self.rows(seed, "nodes")
            self.assertEqual([pod[0] for pod in pods], [f"p{at:06}" for at in range(len(pods))])
            cores = [pod[1] for pod in pods]
            self.assertEqual(sorted(cores[:5]), ["1000", "2000", "3000", "4000", "5000"])
            asked = sum(int(pod[3]) * int(pod[4]) for pod in pods)
            # What comes next asks for one GPU that would be too many. A pod of two is taken where one of them is not.
            self.assertTrue(5200 - 1000 < asked <= 5200 + 1000, asked)
            self.assertEqual(sorted(node[0][5:] for node in nodes), ["n1", "n3"])
            self.assertEqual(sorted(node[0][:5] for node in nodes), ["0000-", "0001-"])
            orders.append(cores)
        self.assertNotEqual(orders[0], orders[1])
        # As Go's math/rand draws them; with its numbers FGD and others place what is published, to a hundredth.
        self.assertEqual(orders[0], self.OF_42)
        self.assertEqual([node[0] for node in self.rows(42, "nodes")], self.NODES_OF_42)

    OF_42 = ["2000", "4000", "5000", "3000", "1000", "1000"]
    NODES_OF_42 = ["0000-n1", "0001-n3"]

    def test_where_too_many_pods_ask_some_go(self):
        self.draw("-seeds", "1..3", "-arrived", "0.5")
        for seed in 1, 2, 3:
            self.assertLessEqual(sum(int(pod[3]) * int(pod[4]) for pod in self.rows(seed, "pods")), 2000)

    def test_orders_are_played_as_they_were_drawn_each_with_its_bound(self):
        self.draw("-seeds", "1..3")
        out = self.tool("packing", self.folder, "--seeds", "1..3", "--orders", "fair,gpu-pack", "--draws", self.folder / "draws")
        least, most = (table.splitlines() for table in out.strip().split("\n\n"))
        self.assertEqual(least[0], "| list, at 100% | `fair` | `gpu-pack` | bound, least | bound, mean | of the gap |")
        placed = [self.placed(seed) for seed in (1, 2, 3)]
        cells = [cell.strip() for cell in most[2].split("|")[1:-1]]
        self.assertEqual(cells[0], "`default`")
        self.assertEqual(cells[2].split()[0], f"{sum(placed) / 3 / 40:.2f}")
        if importlib.util.find_spec("highspy"):
            self.assertLessEqual(float(cells[2].split()[0]), float(cells[4]))
            self.assertLessEqual(float(cells[3]), float(cells[4]))

    def test_random_tells_asks_apart(self):
        self.draw("-seeds", "1..1")
        seen = self.folder / "arguments"
        fake = self.folder / "tenon"
        fake.write_text(f"#!/bin/sh\necho \"$@\" >>{seen}\necho '{{\"allocation\": [0, 1]}}'\n")
        fake.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", ROOT / "tools/packing", self.folder, "--seeds", "1..1", "--orders",
                               "packing-random,packing-fgd", "--draws", self.folder / "draws", "--modules", self.folder, "--tenon", fake],
                              capture_output=True, text=True)
        self.assertIn("`packing-random`", done.stdout + done.stderr)
        random, fgd = seen.read_text().splitlines()
        self.assertIn("--name-tag kubernetes.io/meta/podName", random)
        self.assertNotIn("--name-tag", fgd)

    def placed(self, seed):
        files = f"{self.folder}/draws/default-{seed}-nodes.csv,{self.folder}/draws/default-{seed}-pods.csv"
        done = subprocess.run([PROGRAMS.tenon, "simulate", "--trace", f"openb:{files}", "--mode", "fill", "--in-order", "--node-sort",
                               "gpu-pack", "--json", "--no-progress"], capture_output=True, text=True, check=True)
        return round(1000 * json.loads(done.stdout)["gpus_placed"])

    def test_what_cannot_be_drawn_is_refused(self):
        self.assertIn("usage:", self.draw("-seeds", "44..42", exits=1))
        (self.folder / "openb_pod_list_default.csv").write_text(self.PODS.replace("num_gpu", "gpus"))
        self.assertIn("want a column num_gpu", self.draw(exits=1))


class Bound(Tool):
    """Clusters of a handful of nodes, for which an integer program says what fits."""

    MODELS = ("T4", "P100")

    @classmethod
    def setUpClass(cls):
        if importlib.util.find_spec("highspy") is None:
            raise unittest.SkipTest("no Python module highspy")
        import highspy
        cls.highspy = highspy
        path = str(ROOT / "tools/packing")
        cls.packing = importlib.util.module_from_spec(importlib.util.spec_from_loader(
            "packing", importlib.machinery.SourceFileLoader("packing", path)))
        sys.dont_write_bytecode = True
        cls.packing.__loader__.exec_module(cls.packing)

    def drawn(self, seed):
        """Files of nodes and pods that ask for more than there is."""
        draw = random.Random(seed)
        nodes, pods = self.folder / "nodes.csv", self.folder / "pods.csv"
        gpus = [draw.choice((1, 2, 4)) for _ in range(draw.randint(3, 5))]
        nodes.write_text("sn,cpu_milli,memory_mib,gpu,model\n" + "".join(
            f"n{i},{draw.choice((8000, 16000))},65536,{count},{draw.choice(self.MODELS)}\n" for i, count in enumerate(gpus)))
        lines, asked = ["name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec"], 0
        while asked < 1300 * sum(gpus):
            count, milli = draw.choice(((1, 300), (1, 460), (1, 540), (1, 700), (1, 1000), (2, 1000)))
            lines.append(f"p{len(lines)},{draw.choice((1000, 2000, 4000))},1024,{count},{milli},{draw.choice(('', '', 'T4'))}")
            asked += count * milli
        pods.write_text("\n".join(lines) + "\n")
        return nodes, pods

    def placed(self, nodes, pods, order):
        done = subprocess.run([PROGRAMS.tenon, "simulate", "--trace", f"openb:{nodes},{pods}", "--mode", "fill", "--in-order",
                               "--node-sort", order, "--json", "--no-progress"], capture_output=True, text=True, check=True)
        return round(1000 * json.loads(done.stdout)["gpus_placed"])

    def test_what_can_be_placed_lies_between_what_is_placed_and_the_bound(self):
        placed = best = 0
        for seed in range(12):
            nodes, pods = self.drawn(seed)
            kinds, shapes = self.packing.nodes_of(nodes), self.packing.shapes_of(pods)
            most = self.packing.exact(self.highspy, kinds, shapes)
            self.assertLessEqual(most, self.packing.bound(self.highspy, kinds, shapes, 1) + 1e-3, seed)
            for order in ("gpu-pack", "device-packing", "fair"):
                self.assertLessEqual(self.placed(nodes, pods, order), most, (seed, order))
            placed, best = placed + self.placed(nodes, pods, "gpu-pack"), best + most
        self.assertGreater(placed, 0.85 * best)

    def test_an_integer_program_fills_devices_and_not_their_sum(self):
        kinds, shapes = {(9000, 9999, 2, "T4"): 1}, {(1000, 1, 600, ""): 3, (9000, 1, 2000, ""): 1}
        self.assertEqual(self.packing.exact(self.highspy, kinds, shapes), 2000)
        del shapes[9000, 1, 2000, ""]
        self.assertEqual(self.packing.exact(self.highspy, kinds, shapes), 1200)  # three of them would fit in the sum
        self.assertEqual(self.packing.exact(self.highspy, kinds, {(1000, 1, 600, "P100"): 3}), 0)


class InTime(Tool):
    """One node; pods that come at 0, 100, ... 400 s and run for 50 s, before these are stretched."""

    def trace(self, gpus, pods):
        self.write("openb-nodes.csv.gz", f"sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,{gpus},T4\nn2,64000,262144,0,\n")
        rows = "".join(f"p{i},1000,1024,{wanted},1000,,LS,{comes},{comes + runs}\n" for i, (wanted, comes, runs) in enumerate(pods))
        self.write("openb-pods.csv.gz", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n" + rows)

    def write(self, name, text):
        with gzip.open(self.folder / name, "wt") as file:
            file.write(text)

    def arguments(self, load, times):
        return "openb", "--traces", self.folder, "--load", load, "--orders", "gpu-pack", "--times", times

    def row(self, load, times=1):
        out = self.tool("packing-in-time", *self.arguments(load, times))
        factor = float(re.search(r"run times × (\S+)", out).group(1))
        load, order, *cells = [cell.strip() for cell in out.splitlines()[-1].split("|")[1:-1]]
        self.assertEqual((load.split(",")[0], order), ("openb", "`gpu-pack`"))
        return factor, cells

    def test_a_row_for_each_load_of_each_trace(self):
        self.trace(1, [(1, 3600 * i, 5400) for i in range(4)])
        rows = self.tool("packing-in-time", *self.arguments("0.5,1", 1)).strip().splitlines()
        self.assertEqual([row.split(" × ")[0] for row in rows[:2]], [f"openb at {part}: 4 pods, 1 nodes with 1 GPUs, run times" for part in ("50%", "100%")])
        self.assertEqual([row.split("|")[1].strip() for row in rows[-2:]], ["openb, 50%", "openb, 100%"])

    def test_run_times_are_stretched_to_the_load(self):
        # Of a GPU's 400 s four pods use 50 s each times the factor, up to what is left of them: the last one nothing.
        self.trace(1, [(1, 100 * i, 50) for i in range(5)])
        factor, cells = self.row(1)
        self.assertAlmostEqual(factor, 2)
        self.assertEqual(cells, ["0", "0.00", "0.00", "0.00", "0"])

    def test_pods_wait_for_those_before_them(self):
        # An hour and a half for each, one after the other, times two: the second one waits two hours, the third one four.
        self.trace(1, [(1, 3600 * i, 5400) for i in range(4)])
        factor, cells = self.row(5 / 3)
        self.assertAlmostEqual(factor, 4 / 3, places=3)
        self.assertEqual(cells, ["0", "1.50", "3.00", "3.00", "0"])

    def test_gpus_that_are_free_while_pods_wait_for_them_are_wasted(self):
        # The second one wants both GPUs, and waits five hours for the first one, beside a free one.
        self.trace(2, [(1, 0, 72000), (2, 36000, 36000), (0, 72000, 0)])
        factor, cells = self.row(0.75)
        self.assertAlmostEqual(factor, 0.75, places=3)
        self.assertEqual(cells[3:], ["5.00", "5"])

    def test_a_node_is_kept_for_a_pod_as_much_longer_as_pods_run(self):
        # Each of two nodes has a pod on one of its two GPUs when one comes that wants two, and others two hours later. A node that
        # is kept for it until then, and no longer, goes to one of these: then it waits eleven hours.
        self.write("openb-nodes.csv.gz", "sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,2,A\nn2,64000,262144,2,B\n")
        pods = [(1, "A", 0, 600), (1, "B", 0, 600), (2, "", 60, 600)] + [(1, "", 7200 + i, 600) for i in range(4)] + [(0, "", 400000, 0)]
        rows = "".join(f"p{i},1000,1024,{gpus},1000,{model},LS,{at},{at + runs}\n" for i, (gpus, model, at, runs) in enumerate(pods))
        self.write("openb-pods.csv.gz", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n" + rows)
        factor, cells = self.row(0.1)
        self.assertGreater(factor, 20)
        self.assertEqual(cells, ["0", "2.97", "9.11", "9.11", "8"])

    def test_a_load_that_pods_cannot_ask_for_is_refused(self):
        self.trace(1, [(1, 100 * i, 50) for i in range(5)])
        self.tool("packing-in-time", *self.arguments(3, 1), exits=1)
        self.assertGreater(self.row(3, 2)[0], 2)  # twice as many can

    def test_an_unknown_load_is_refused(self):
        self.tool("packing-in-time", "slurm", exits=2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True)
    PROGRAMS, rest = parser.parse_known_args()
    run_cases(rest)

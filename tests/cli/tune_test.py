#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon tune`: on loads so small that it is known which configuration is the best one."""

import argparse
import json
import pathlib
import subprocess
import tempfile
import unittest

from cases import run_cases

PROGRAMS = argparse.Namespace()

# Halves of a GPU and whole ones, that ask for nothing else. By what is free of GPUs `fair` spreads the halves, and whole
# ones find no GPU; by cores, of which nobody takes any, nodes are equal, and the first one that has room is taken.
SPREADS = "apiVersion: tenon/v1\nmodules:\n  - { id: tenon.node-fair, config: { resourceweights: { gpu: 1 } } }\n"
BY_WHAT = "resourceweights: [ { gpu: 1 }, { vcore: 1 }, { gpu: 2 } ]\n"
POD = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"


def nodes(count: int) -> str:
    return "sn,cpu_milli,memory_mib,gpu,model\n" + "".join(f"n{i},8000,16384,1,T4\n" for i in range(count))


class Tune(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("spreads.yaml", SPREADS)
        self.write("space.yaml", BY_WHAT)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name

    def tenon(self, *arguments, exits=0) -> str:
        done = subprocess.run([PROGRAMS.tenon, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        self.said = done.stderr
        return done.stdout

    def tune(self, *arguments, exits=0, space="space.yaml", module="tenon.node-fair") -> str:
        return self.tenon("tune", *arguments, "--module", module, "--space", space, "--no-progress", exits=exits)

    def refused(self, words: str, *arguments, **how) -> None:
        self.assertEqual(self.tune(*arguments, exits=2, **how), "")
        self.assertIn(words, self.said)


class Fill(Tune):
    LOAD = ("--trace", "openb:nodes.csv,pods.csv", "--mode", "fill", "--seeds", "1..8")

    def setUp(self):
        super().setUp()
        self.write("nodes.csv", nodes(4))
        self.write("pods.csv", POD + "".join(f"p{i},0,0,1,{500 if i < 4 else 1000},,LS,0,0\n" for i in range(6)))

    def test_the_better_one_is_found_and_reported_on_the_other_seeds(self):
        said = json.loads(self.tune(*self.LOAD, "--deployment", "spreads.yaml", "--json"))
        self.assertEqual((said["tuned_on"], said["reported_on"]), ("seeds 1 to 4", "seeds 5 to 8"))
        self.assertEqual(said["found"], {"resourceweights": {"vcore": 1}})
        self.assertEqual([one["settings"]["resourceweights"] for one in said["tried"]], [{"gpu": 1}, {"vcore": 1}, {"gpu": 2}])
        best = said["front"][0]
        self.assertEqual((best["tuned"], best["reported"], best["better"]), ({"allocation(100)": 1.0}, {"allocation(100)": 1.0}, True))
        # What the usual one has is what `simulate` says of it, half by half.
        for half, seeds in (("tuned", "1..4"), ("reported", "5..8")):
            own = json.loads(self.tenon("simulate", *self.LOAD[:-1], seeds, "--deployment", "spreads.yaml", "--json", "--no-progress"))
            mean = own["of_seeds"]["allocation"][100]["mean"]
            self.assertLess(mean, 1)
            self.assertAlmostEqual(said["usual"][half]["allocation(100)"], mean)
        text = self.tune(*self.LOAD, "--deployment", "spreads.yaml")
        self.assertTrue(text.endswith("  - { id: tenon.node-fair, config: { resourceweights: { vcore: 1 } } }\n"), text)

    def test_what_was_found_is_then_the_usual_one_and_none_is_better(self):
        self.write("found.yaml", SPREADS.replace("gpu: 1", "vcore: 1"))
        text = self.tune(*self.LOAD, "--deployment", "found.yaml", exits=1)
        self.assertTrue(text.endswith("verdict: none found better than the usual one\n"), text)
        self.assertIsNone(json.loads(self.tune(*self.LOAD, "--deployment", "found.yaml", "--json", exits=1))["found"])

    def test_halving_finds_the_same_with_fewer_runs(self):
        # Without any weight nodes are equal as well.
        self.write("wide.yaml", "resourceweights: { gpu: { from: 0, to: 8, step: 1 }, vcore: [ 0, 1 ] }\n")
        whole, halved = (json.loads(self.tune(*self.LOAD, "--deployment", "spreads.yaml", "--json", *more, space="wide.yaml"))
                         for more in ((), ("--halving",)))
        self.assertEqual(len(whole["tried"]), 19)
        self.assertEqual((halved["search"], len(halved["tried"])), ("halving", 19))
        for said in (whole, halved):
            self.assertEqual(said["found"]["resourceweights"]["gpu"], 0)
            self.assertEqual({one["settings"]["resourceweights.gpu"] for one in said["front"]}, {0})
        self.assertLess(halved["runs"], whole["runs"])
        self.assertEqual({one["halved"] for one in halved["tried"]}, {0, 1, 2})

    def test_equal_points_are_one_on_the_front(self):
        self.write("two.yaml", "resourceweights: [ { vcore: 1 }, { vcore: 2 } ]\n")
        front = json.loads(self.tune(*self.LOAD, "--deployment", "spreads.yaml", "--json", space="two.yaml"))["front"]
        self.assertEqual([one["as_good"] for one in front], [[{"resourceweights": {"vcore": 2}}]])
        self.assertIn("as good as resourceweights", self.tune(*self.LOAD, "--deployment", "spreads.yaml", space="two.yaml"))

    def test_a_front_of_two_measures(self):
        text = self.tune(*self.LOAD, "--deployment", "spreads.yaml", "--measure", "pending", "--measure", "gpus_placed")
        self.assertRegex(text, r"\nbetter +\{\"vcore\":1\} +0 +4 +0 +4\n")

    def test_the_same_output_again_and_one_by_one(self):
        outputs = {self.tune(*self.LOAD, "--deployment", "spreads.yaml", "--json", *more)
                   for more in ((), (), ("--jobs", "1"), ("--jobs", "7"))}
        self.assertEqual(len(outputs), 1)

    def test_loads_that_cannot_be_tuned_on_are_refused(self):
        for words, options in (("a JOURNAL, or a load", ()), ("a JOURNAL or a load", ("a.journal", *self.LOAD)),
                               ("--record FILE", self.LOAD[:2]), ("--record FILE", self.LOAD[:4]),
                               ("at least two", (*self.LOAD[:-1], "4")), ("a seed, or FIRST..LAST", (*self.LOAD[:-1], "4..x")),
                               ("none.csv", ("--trace", "openb:none.csv,pods.csv", *self.LOAD[2:])),
                               ("allocation(PERCENT)", (*self.LOAD, "--measure", "p99")),
                               ("raise --inflate", (*self.LOAD, "--inflate", "1.1", "--measure", "allocation(111)"))):
            with self.subTest(words):
                self.refused(words, *options)

    def test_a_module_that_is_not_asked_is_refused(self):
        self.refused("tenon.node-fair was not asked", *self.LOAD, "--node-sort", "binpacking")
        self.refused("'tenon.node-fare'", *self.LOAD, module="tenon.node-fare")

    def test_spaces_are_held_against_the_schema(self):
        for words, space in (
                ("space.yaml:1:1\n  want: a key of the module's configuration\n  have: unknown key 'resourceweight'\n"
                 "  fix:  did you mean 'resourceweights'?", "resourceweight: [ 1 ]\n"),
                ("space.yaml:2:17\n  want: number, at least 0\n  have: resourceweights.vcore is -1",
                 "resourceweights:\n  vcore: [ 1.5, -1 ]\n"),
                ("space.yaml:2:10\n  want: number, at least 0", "resourceweights:\n  vcore: { from: -1, to: 1, step: 1 }\n"),
                ("have: a step that is not above 0", "resourceweights: { vcore: { from: 0, to: 1, step: 0 } }\n"),
                ("have: to below from", "resourceweights: { vcore: { from: 1, to: 0, step: 1 } }\n"),
                ("a range without 'step'", "resourceweights: { vcore: { from: 1, to: 0 } }\n"),
                ("have: 1 a second time", "resourceweights: { vcore: [ 1, 2, 1 ] }\n"),
                ("a list of values", "resourceweights: { vcore: 1 }\n"),
                ("want: at most 1000\n  have: 1100 points",
                 "resourceweights: { vcore: { from: 1, to: 100, step: 1 }, gpu: { from: 0, to: 10, step: 1 } }\n"),
                ("have: more than 1000 values", "resourceweights: { vcore: { from: 0, to: 1, step: 0.0001 } }\n"),
                ("a map of the module's keys", ""), ("space.yaml", "[\n")):
            with self.subTest(space):
                self.write("space.yaml", space)
                self.refused(words, *self.LOAD)
        self.refused("none.yaml", *self.LOAD, space="none.yaml")

    def test_steps_are_decimal_fractions(self):
        self.write("space.yaml", "resourceweights: { vcore: { from: 0.7, to: 1.1, step: 0.1 } }\n")
        said = json.loads(self.tune(*self.LOAD, "--json", exits=1))
        self.assertEqual([one["settings"]["resourceweights.vcore"] for one in said["tried"]], [1, 0.7, 0.8, 0.9, 1.1])


class Journal(Tune):
    """Every 100 s two halves and one second later a whole GPU, for 10 s each, on two nodes. Where the halves lie on both
    nodes, the whole one waits for 8 s."""

    def setUp(self):
        super().setUp()
        self.write("nodes.csv", nodes(2))
        pods = "".join(f"p{100 * at + i},0,0,1,{milli},,LS,{100 * at + i},{100 * at + i + 10}\n"
                       for at in range(8) for i, milli in enumerate((500, 500, 1000)))
        self.write("pods.csv", POD + pods)
        self.tenon("simulate", "--trace", "openb:nodes.csv,pods.csv", "--deployment", "spreads.yaml", "--record", "run.journal", "--no-progress")

    def tuned(self, *options, **how) -> dict:
        return json.loads(self.tune("run.journal", "--deployment", "spreads.yaml", "--json", *options, **how))

    def test_the_better_one_is_found_and_reported_on_the_second_half(self):
        said = self.tuned()
        self.assertEqual((said["tuned_on"], said["reported_on"]), ("the first 5.85 min", "what came after 5.85 min, up to 12 min"))
        self.assertEqual(said["usual"]["tuned"], {"p50": 0, "p99": 8})
        self.assertEqual(said["usual"]["reported"], {"p50": 0, "p99": 8})
        self.assertEqual(said["found"], {"resourceweights": {"vcore": 1}})
        self.assertEqual(said["front"][0]["reported"], {"p50": 0, "p99": 0})

    def test_halves_are_measured_apart(self):
        said = self.tuned("--measure", "placed", "--measure", "never_placed", "--measure", "use(gpu)", exits=1)
        self.assertEqual([said["usual"][half]["placed"] for half in ("tuned", "reported")], [12, 12])
        # Four times two GPUs' worth for 10 s, of two GPUs in 351 s, and in the 359 s after that.
        self.assertAlmostEqual(said["usual"]["tuned"]["use(gpu)"], 4 * 20 / (2 * 351), places=6)
        self.assertAlmostEqual(said["usual"]["reported"]["use(gpu)"], 4 * 20 / (2 * (720 - 351.001)), places=4)

    def test_halving_looks_at_shorter_times_first(self):
        said = self.tuned("--halving")
        self.assertEqual(said["found"], {"resourceweights": {"vcore": 1}})
        self.assertEqual(sorted(one["halved"] for one in said["tried"]), [0, 0, 3])

    def test_the_same_output_again_and_one_by_one(self):
        self.assertEqual(len({self.tune("run.journal", "--deployment", "spreads.yaml", *more)
                              for more in ((), (), ("--jobs", "1"), ("--jobs", "3"))}), 1)

    def test_a_configuration_and_an_order_of_choice(self):
        self.write("queues.yaml", "partitions: [ { name: default, nodesortpolicy: { type: fair }, queues: [ { name: root, "
                                  "submitacl: '*', queues: [ { name: ls } ] } ] } ]\n")
        self.assertEqual(self.tuned("--config", "queues.yaml")["found"], {"resourceweights": {"vcore": 1}})
        self.refused("tenon.node-fair was not asked", "run.journal", "--node-sort", "binpacking")
        said = json.loads(self.tune("run.journal", "--node-sort", "binpacking", "--json", module="tenon.node-binpacking", exits=1))
        self.assertEqual(said["usual"]["settings"], {"resourceweights": {"vcore": 1, "memory": 1}})

    def test_journals_and_measures_that_are_none_are_refused(self):
        for words, options in (("none.journal", ("none.journal",)), ("p50, p90", ("run.journal", "--measure", "p98")),
                               ("'p99(root.nobody)'", ("run.journal", "--measure", "p99(root.nobody)")),
                               ("at most 8", ("run.journal", *["--measure", "p50"] * 9)),
                               ("nobody", ("run.journal", "--node-sort", "nobody"))):
            with self.subTest(words):
                self.refused(words, *options)
        data = (self.folder / "run.journal").read_bytes()
        (self.folder / "cut.journal").write_bytes(data[:-3])
        self.refused("cut.journal", "cut.journal")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True)
    PROGRAMS, rest = parser.parse_known_args()
    run_cases(rest)

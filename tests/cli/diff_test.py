#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon diff`: every figure computed once more by decision_figures.py, and what holds of any comparison."""

import argparse
import collections
import gzip
import json
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

import decision_figures
from cases import run_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "tests/data/traces"
PROGRAMS = argparse.Namespace()

FEWER = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: q0
            resources: { max: { vcore: 60 } }
          - { name: q1 }
          - { name: q2 }
          - { name: q3 }
"""


PREDICATES = "apiVersion: tenon/v1\npredicates: [{ use: tenon.node-attributes }]\n"
# Two nodes of the same size; the ask may run on the second one alone, where somebody asks about zones.
ZONES = """
name: zones
title: an ask for a zone
config: |
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: "*"
          queues: [{ name: batch }]
steps:
- add_nodes:
  - { id: n1, resources: { vcore: 4000 }, attributes: { si/zone: a } }
  - { id: n2, resources: { vcore: 4000 }, attributes: { si/zone: b } }
- add_apps: [{ id: job, queue: root.batch }]
- add_asks: [{ key: k, app: job, resources: { vcore: 1000 }, tags: { si/zone: b } }]
- { schedule: quiescent }
"""


def amounts(text: str) -> dict:
    """Of "vcore 1000, memory 3"."""
    return {} if text == "none" else {kind: int(amount) for kind, amount in (one.rsplit(" ", 1) for one in text.split(", "))}


def said_of(side: dict, kind: str) -> dict:
    """What the policies of that kind said in a difference, by item."""
    return {one["item"]: one for one in side["said"] if one["kind"] == kind}


class Diff(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tenon(self, *arguments, exits=0) -> str:
        done = subprocess.run([PROGRAMS.tenon, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        self.said, self.code = done.stderr, done.returncode
        if exits is not None:
            self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        else:
            self.assertLess(done.returncode, 2, done.stderr)
        return done.stdout

    def record(self, *load) -> pathlib.Path:
        self.tenon("simulate", *load, "--record", "run.journal", "--decisions", "recorded", "--no-progress")
        return self.folder / "run.journal"

    def generated(self, *more) -> pathlib.Path:
        return self.record("--seed", 3, "--nodes", 12, "--pods", 600, "--interarrival-ms", 400, "--duration-s", 60, *more)

    def compare(self, *options, exits=0) -> dict:
        return json.loads(self.tenon("diff", "run.journal", "--json", *options, exits=exits))

    def recompute(self, *options, windows=5, thresholds=()) -> dict:
        """Compares, and holds every figure, count and threshold against the script's."""
        limits = [word for one in thresholds for word in ("--fail-if", one)]
        said = self.compare("--windows", windows, "--decisions-a", "one", "--decisions-b", "two", *options, *limits, exits=None)
        own = decision_figures.recomputed(self.folder / "run.journal", self.folder / "one", self.folder / "two", windows, said["last_ms"],
                                          thresholds=thresholds)
        self.assertEqual(said["allocations"], own["allocations"])
        self.same(dict(enumerate(said["thresholds"])), dict(enumerate(own["thresholds"])), "thresholds")
        self.assertEqual((said["passed"], self.code), (passed := all(one["passed"] for one in own["thresholds"]), int(not passed)))
        self.assertEqual((said["main_type"], said["group_member"]), (own["main_type"], own["group_member"]))
        self.own = own
        for side in ("a", "b"):
            self.same(said[side]["whole"], own[side]["whole"], side)
            self.assertEqual(len(said[side]["windows"]), windows)
            for i, window in enumerate(own[side]["windows"]):
                self.same(said[side]["windows"][i], window, f"{side}, window {i}")
        return said

    def same(self, said, own, place):
        if isinstance(own, dict):
            self.assertEqual(set(said), set(own), place)
            for key in own:
                self.same(said[key], own[key], f"{place}: {key}")
        elif isinstance(own, float):
            self.assertIsInstance(said, (int, float), place)
            self.assertAlmostEqual(said, own, delta=1e-9 * max(1, abs(own)), msg=place)
        else:
            self.assertEqual(said, own, place)

    def placements(self, name: str) -> list:
        """Allocations and releases, without the numbers of decisions."""
        lines = [line.split("\t")[1:] for line in (self.folder / name).read_text().splitlines()]
        return [line for line in lines if line[1] in ("allocated", "released")]

    def test_figures_are_those_of_the_decisions(self):
        self.generated()
        said = self.recompute("--node-sort-b", "binpacking")
        self.assertGreater(said["allocations"]["other_node"] + said["allocations"]["other_time"], 100)
        self.assertNotEqual(said["a"]["whole"]["scattered"], said["b"]["whole"]["scattered"])

    def test_figures_of_a_lowered_maximum(self):
        self.generated()
        (self.folder / "fewer.yaml").write_text(FEWER)
        said = self.recompute("--config-b", "fewer.yaml")
        waits = {side: said[side]["whole"]["waiting_seconds"]["root.q0"]["p90"] for side in ("a", "b")}
        self.assertGreater(waits["b"], waits["a"])

    def test_a_load_left_alone_with_its_own_policies_is_what_was_recorded(self):
        self.generated()
        said = self.compare("--decisions-a", "one")
        self.assertEqual(self.placements("recorded"), self.placements("one"))
        self.assertIsNone(said["first_difference"])
        self.assertEqual(said["allocations"] | {"first": []},
                         {"equal": 600, "other_time": 0, "other_node": 0, "only_a": 0, "only_b": 0, "first": []})
        self.assertEqual(said["recording"]["unmatched_releases"], 0)

    def test_an_allocation_ends_its_run_time_after_its_own_placement(self):
        self.generated()
        (self.folder / "fewer.yaml").write_text(FEWER)
        self.compare("--config-b", "fewer.yaml", "--decisions-a", "one", "--decisions-b", "two")
        ran, moved = {}, 0
        for name in ("one", "two"):
            placed = {}
            for at, kind, _, _, application, key, *_ in self.placements(name):
                if kind == "allocated":
                    placed[application, key] = int(at)
                    continue
                lasted = int(at) - placed[application, key]
                moved += (application, key) in ran and ran[application, key][1] != int(at)
                self.assertEqual(ran.setdefault((application, key), (lasted, int(at)))[0], lasted)
        self.assertGreater(moved, 50)

    def test_the_first_difference_has_both_sides(self):
        self.generated()
        said = self.compare("--node-sort-b", "binpacking", "--decisions-a", "one", "--decisions-b", "two")
        first = said["first_difference"]
        lines = [(self.folder / name).read_text().splitlines() for name in ("one", "two")]
        index = next(i for i, (a, b) in enumerate(zip(*lines)) if a != b)
        self.assertEqual(first["decision"], index + 1)
        for side, of in (("a", lines[0]), ("b", lines[1])):
            reason = first[side]
            self.assertEqual(reason["decision"], of[index])
            self.assertEqual(reason["policies"]["node order"], "fair" if side == "a" else "binpacking")
            self.assertEqual(len(reason["nodes"]), 2)
            self.assertEqual(reason["asks"][0]["before"], 0)
        self.assertEqual(first["a"]["nodes"], first["b"]["nodes"])  # the same state
        self.assertEqual(first["a"]["queues"], first["b"]["queues"])

    def test_keys_are_what_the_orders_of_nodes_make_of_their_columns(self):
        self.generated()
        first = self.compare("--node-sort-b", "binpacking")["first_difference"]
        columns = []
        for side, policy in (("a", "fair"), ("b", "binpacking")):
            chosen = first[side]["decision"].split("\t")[8]
            nodes = said_of(first[side], "node-sort")
            self.assertEqual(set(nodes), set(first[side]["nodes"]))
            for name, one in nodes.items():
                self.assertEqual((one["policy"], one["failed"], one["verdict"]), (policy, False, None))
                free, total = (amounts(one["columns"][column]) for column in ("node.free", "node.total"))
                used = sum((total[kind] - free[kind]) / total[kind] for kind in ("vcore", "memory")) / 2
                key, = one["key"]
                self.assertAlmostEqual(float(key["number"]), used if policy == "fair" else 1 - used)
            self.assertEqual(min(nodes, key=lambda name: (nodes[name]["key"][0]["word"], name)), chosen)
            columns.append({name: one["columns"] for name, one in nodes.items()})
        self.assertEqual(*columns)  # the same state
        text = self.tenon("diff", "run.journal", "--node-sort-b", "binpacking", "--report", "page.html")
        page = (self.folder / "page.html").read_text()
        for policy in ("fair", "binpacking"):
            self.assertRegex(text, rf"\n     node-sort {policy}: node \S+: key [0-9.e-]+; node.free: [a-z]+ \d+, ")
            self.assertIn(f"<li>node-sort {policy}: node ", page)

    def test_keys_of_applications_and_queues(self):
        self.generated()
        self.queues_of("fifo.yaml", dict.fromkeys(self.leaves()))
        self.queues_of("stateaware.yaml", dict.fromkeys(self.leaves()), "stateaware")
        first = self.compare("--config-a", "fifo.yaml", "--config-b", "stateaware.yaml")["first_difference"]
        for side, policy in (("a", "fifo"), ("b", "stateaware")):
            applications, queues = (said_of(first[side], kind) for kind in ("app-sort", "queue-sort"))
            self.assertEqual(set(applications), {ask["application"] for ask in first[side]["asks"]})
            for one in applications.values():
                self.assertEqual((one["policy"], one["among"] in queues), (policy, True))
                words = [int(word["number"]) for word in one["key"]]
                urgency, age = words if one["columns"]["parent.priority_sort"] == "1" else reversed(words)
                self.assertEqual(age, int(one["columns"]["app.submitted_ms"]))
                self.assertEqual(urgency, -int(one["columns"]["app.priority"]) - 1)  # descending
            for one in queues.values():
                self.assertEqual((one["policy"], one["among"]), ("fair", "root"))
        # Who started was the first in both orders of the same words; what it left out makes the difference.
        self.assertFalse(any(one["left_out"] for one in said_of(first["a"], "app-sort").values()))
        self.assertTrue(any(one["left_out"] for one in said_of(first["b"], "app-sort").values()))

    def test_verdicts_of_predicates(self):
        (self.folder / "zones.yaml").write_text(ZONES)
        self.tenon("scenario", "run", "zones.yaml", "--record", "run.journal")
        (self.folder / "asks.yaml").write_text(PREDICATES)
        (self.folder / "plain.yaml").write_text("apiVersion: tenon/v1\n")
        said = self.compare("--a", "plain.yaml", "--b", "asks.yaml", "--recorded", "asks.yaml", "--realign", 1)
        first = said["first_difference"]
        self.assertEqual([first[side]["decision"].split("\t")[8] for side in "ab"], ["n1", "n2"])
        self.assertEqual(said_of(first["a"], "predicate"), {})
        verdicts = said_of(first["b"], "predicate")
        self.assertEqual({name: (one["policy"], one["ask"], one["verdict"], one["reason"]) for name, one in verdicts.items()},
                         {"n1": ("node-attributes", "job/k", "unresolvable", "an attribute of the node has another value"),
                          "n2": ("node-attributes", "job/k", "pass", None)})
        self.assertEqual(verdicts["n1"]["columns"], {"node.attrs": "si/zone=a", "ask.tags": "si/zone=b"})
        # A copy of side a has the predicates of side b.
        realigned = said["realigned"]
        self.assertEqual((realigned["moments"], realigned["other"], realigned["refused"]), (1, 1, 0))
        self.assertEqual(said_of(realigned["first"][0]["b"], "predicate"), verdicts)
        # And one of side b without predicates none.
        back = self.compare("--a", "asks.yaml", "--b", "plain.yaml", "--realign", 1)["realigned"]
        self.assertEqual([back["first"][0][side]["decision"].split("\t")[8] for side in "ab"], ["n2", "n1"])

    def test_one_state_and_two_decisions(self):
        self.generated()
        one = self.compare("--realign", 25)["realigned"]
        self.assertGreater(one["moments"], 15)
        self.assertEqual((one["same"], one["other"], one["refused"], one["first"]), (one["moments"], 0, 0, []))
        plain = self.compare("--node-sort-b", "binpacking")
        said = self.compare("--node-sort-b", "binpacking", "--realign", 25, "--first", 3)
        self.assertIsNone(plain["realigned"])
        self.assertEqual(said["a"]["whole"], plain["a"]["whole"])  # who looks changes nothing
        other = said["realigned"]
        self.assertEqual((other["moments"], other["refused"], len(other["first"])), (one["moments"], 0, 3))
        self.assertEqual(other["same"] + other["other"], other["moments"])
        self.assertGreater(other["other"], 3)
        for each in other["first"]:
            self.assertEqual((each["a"]["policies"]["node order"], each["b"]["policies"]["node order"]), ("fair", "binpacking"))
            self.assertEqual(each["a"]["nodes"], each["b"]["nodes"])  # the same state
            a, b = (each[side]["decision"].split("\t") for side in "ab")
            self.assertEqual(a[:8], b[:8])  # of one ask, at one time, on another node
            self.assertNotEqual(a[8], b[8])
        self.assertIn("same state, other decision: at ", self.tenon("diff", "run.journal", "--realign", 25, "--node-sort-b", "binpacking"))
        self.tenon("diff", "run.journal", "--realign", 25, "--node-sort-b", "binpacking", "--report", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("<h2>Same state, other decision</h2>", page)
        self.assertRegex(page, r"<h3>moment \d+, after [0-9.]+ s: b</h3>")

    def test_one_state_and_modules_of_two_deployments(self):
        self.generated()
        (self.folder / "other.yaml").write_text(PREDICATES)
        # Instances of their own of the same modules decide the same, whatever they are called.
        said = self.compare("--realign", 7, "--b", "other.yaml")["realigned"]
        self.assertGreater(said["moments"], 50)
        self.assertEqual((said["same"], said["refused"]), (said["moments"], 0))
        one = self.compare("--realign", 7, "--node-sort-b", "binpacking")["realigned"]
        other = self.compare("--realign", 7, "--node-sort-b", "binpacking", "--b", "other.yaml")["realigned"]
        self.assertEqual(one, other)

    def test_thresholds_decide_the_exit_status(self):
        self.generated()
        (self.folder / "fewer.yaml").write_text(FEWER)
        said = self.compare("--config-b", "fewer.yaml", "--fail-if", "p90(root.q0) +10%", "--fail-if", "use(vcore) -100%", exits=1)
        self.assertEqual([one["passed"] for one in said["thresholds"]], [False, True])
        self.assertFalse(said["passed"])
        self.compare("--config-b", "fewer.yaml", "--fail-if", "p90(root.q0) +1000000")
        text = self.tenon("diff", "run.journal", "--fail-if", "jain -0.05", "--fail-if", "evictions +0")
        self.assertTrue(text.endswith("verdict: passed\n"), text)
        for wrong in ("p99(root.q0)", "p98 +1", "use +1%", "jain(root) +1", "p99(root.q0 +1", "p99 +x%"):
            self.tenon("diff", "run.journal", "--fail-if", wrong, exits=2)
            self.assertIn("--fail-if", self.said)
        self.tenon("diff", "run.journal", "--fail-if", "p99(root.nobody) +1%", exits=2)

    def test_what_cannot_be_compared_is_refused(self):
        self.generated()
        self.tenon("diff", "none.journal", exits=2)
        self.tenon("diff", "run.journal", "--node-sort-b", "nobody", exits=2)
        self.assertIn("nobody", self.said)
        data = (self.folder / "run.journal").read_bytes()
        (self.folder / "cut.journal").write_bytes(data[:-3])
        self.tenon("diff", "cut.journal", exits=2)
        self.assertIn("cut.journal", self.said)

    def test_the_report_has_both_sides(self):
        self.generated()
        pages = []
        for name in ("one.html", "two.html"):
            self.tenon("diff", "run.journal", "--node-sort-b", "binpacking", "--fail-if", "p99 +1000%", "--report", name)
            pages.append((self.folder / name).read_text())
        self.assertEqual(*pages)
        for text in ("Two runs: a, b", "Verdict: passed", "First difference", "Figures by window", "Jain index of dominant shares", "root.q0 · b"):
            self.assertIn(text, pages[0])

    def test_gangs_start_when_their_placeholders_do(self):
        jobs = "".join(f"{i} {i * 20} 0 {100 + i * 7 % 90} {1 + i % 4} -1 -1 {1 + i % 4} 3600 -1 1 {i % 3} 1 1 1 1 -1 -1\n" for i in range(1, 120))
        (self.folder / "jobs.swf").write_text("; MaxProcs: 12\n" + jobs)
        self.record("--trace", "swf:jobs.swf")
        said = self.compare("--decisions-a", "one")
        self.assertEqual(said["recording"]["unmatched_releases"], 0)
        self.assertIsNone(said["first_difference"])
        recorded = [line for line in self.placements("recorded") if line[1] == "allocated"]
        self.assertEqual(sorted(recorded), sorted(line for line in self.placements("one") if line[1] == "allocated"))

    def test_evictions_are_asked_for_again_and_their_run_is_lost(self):
        scenario = ROOT / "tests/scenarios/preempt-for-a-guarantee.yaml"
        self.tenon("scenario", "run", scenario, "--record", "run.journal")
        said = self.recompute(windows=2)
        self.assertGreater(said["a"]["whole"]["evictions_of_all"]["count"], 0)

    def day_of(self, trace: str, gangs: str = "none") -> None:
        """A day of it, recorded with a queue for each one of the trace."""
        if trace == "philly":  # the day on which most jobs came
            lines = gzip.open(TRACES / "philly-jobs.csv.gz", "rt").read().splitlines(keepends=True)
            (self.folder / "jobs.csv").write_text(lines[0] + "".join(line for line in lines[1:] if line.startswith("2017-10-20")))
            lines = (TRACES / "philly-machines.csv").read_text().splitlines(keepends=True)
            (self.folder / "machines.csv").write_text(lines[0] + "".join(lines[1::5]))  # so few that some wait
            return self.record("--trace", "philly:jobs.csv,machines.csv", "--gangs", gangs)
        for name in ("openb-nodes.csv", "openb-pods.csv"):
            lines = gzip.open(TRACES / f"{name}.gz", "rt").read().splitlines(keepends=True)
            if name == "openb-pods.csv":
                created = lines[0].rstrip().split(",").index("creation_time")
                lines[1:] = [line for line in lines[1:] if int(line.split(",")[created]) // 86400 == 148]
            elif name == "openb-nodes.csv":
                lines[1:] = lines[1::300]
            (self.folder / name).write_text("".join(lines))
        return self.record("--trace", "openb:openb-nodes.csv,openb-pods.csv", "--gpu-model", "sum")

    def queues_of(self, name: str, leaves: dict, order: str = "fifo") -> None:
        """A queues.yaml with these leaves, each with its max."""
        lines = "".join(f"          - {{ name: {leaf}, properties: {{ application.sort.policy: {order} }}"
                        + (f", resources: {{ max: {{ {most} }} }}" if most else "") + " }\n" for leaf, most in leaves.items())
        (self.folder / name).write_text("partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n"
                                        f"        queues:\n{lines}")

    def leaves(self) -> list:
        """Names of the queues that something is placed in, the busiest one first."""
        count = collections.Counter(line[8].removeprefix("root.") for line in self.placements("recorded") if line[1] == "allocated")
        return [name for name, _ in count.most_common()]

    def test_openb(self):
        for name in ("openb-nodes.csv", "openb-pods.csv"):
            with gzip.open(TRACES / f"{name}.gz") as packed, (self.folder / name).open("wb") as out:
                shutil.copyfileobj(packed, out)
        self.record("--trace", "openb:openb-nodes.csv,openb-pods.csv", "--gpu-model", "sum")
        said = self.recompute("--node-sort-b", "binpacking")
        self.assertIn(said["main_type"], ("gpu", "vcore", "memory"))

    def row_of(self, trace: str, way: str) -> str:
        """What was recomputed last, as a row of docs/diff.md."""
        def both(value, text="{:,.0f}") -> str:
            one, other = ("-" if (of := value(self.own[side]["whole"])) is None else text.format(of) for side in ("a", "b"))
            return one if one == other else f"{one} → {other}"

        waits = [both(lambda of, part=part: of["waiting_seconds_of_all"][part]) for part in ("p50", "p90", "p99", "never_placed")]
        kind = self.own["main_type"]
        parts = [kind + " " + both(lambda of: of["utilisation"][kind], "{:.1%}"), *(both(lambda of, key=key: of[key], "{:.1%}") for key in ("jain", "scattered"))]
        counts = self.own["allocations"]
        moved = counts["other_time"] + counts["other_node"] + counts["only_a"] + counts["only_b"]
        return "| " + " | ".join([trace, way, f"{moved:,} of {counts['equal'] + moved:,}", *waits, *parts]) + " |"

    def compare_ways(self, *names: str, shown_as: str = "") -> list:
        """What becomes of the recorded day: every figure, count and threshold once more. Gives which thresholds were kept.
        `shown_as`: the day as docs/diff.md has it, whose figures are these."""
        leaves = self.leaves()
        self.queues_of("fifo.yaml", dict.fromkeys(leaves))
        self.queues_of("stateaware.yaml", dict.fromkeys(leaves), "stateaware")
        self.queues_of("lowered.yaml", dict.fromkeys(leaves) | {leaves[0]: "gpu: 6"})
        busiest = f"root.{leaves[0]}"
        limits = (f"p99({busiest}) +10%", "p50 +1", f"never_placed({busiest}) +0", "use(gpu) -5%", "jain -0.01", "scattered +0.01",
                  "group -10%", "placed -0", "evictions +0", f"lost({busiest}) +0")
        ways = {"orders of nodes": ("--node-sort-a", "fair", "--node-sort-b", "binpacking"),
                "orders of applications": ("--config-a", "fifo.yaml", "--config-b", "stateaware.yaml"),
                "a lowered max": ("--config-a", "fifo.yaml", "--config-b", "lowered.yaml")}
        kept = []
        for name in names or ways:
            with self.subTest(name):
                said = self.recompute(*ways[name], thresholds=limits)
                counts = said["allocations"]
                self.assertGreater(counts["other_time"] + counts["other_node"] + counts["only_a"] + counts["only_b"], 20, counts)
                self.assertIsNotNone(said["first_difference"])
                if shown_as:
                    row = self.row_of(shown_as, name)
                    update = shlex.quote(f"s@^| {shown_as} | {name} |.*@{row}@")
                    self.assertIn(row + "\n", (ROOT / "docs/diff.md").read_text(), f"update the page: sed -i {update} docs/diff.md")
                kept.append([one["passed"] for one in said["thresholds"]])
        return kept

    def test_a_day_of_philly(self):
        self.day_of("philly")
        kept = self.compare_ways(shown_as="Philly")
        self.assertEqual([all(one) for one in kept], [True, False, False])

    def test_a_day_of_philly_with_gangs(self):
        self.day_of("philly", gangs="soft")
        self.compare_ways("orders of nodes")

    def test_a_day_of_openb(self):
        self.day_of("openb")
        kept = self.compare_ways(shown_as="openb")
        self.assertEqual([all(one) for one in kept], [True, False, False])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    PROGRAMS, rest = parser.parse_known_args()
    run_cases(rest)

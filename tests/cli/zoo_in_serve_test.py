#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Bad modules of every kind of policy in a daemon that works, in each lane: in a process of its own none of them costs a
connection or the daemon's life; in the daemon's process it is back after one crash at most, and starts well after that.

Without --all some of each kind; a line says what became of each. With it, rates after a fault count as well."""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from daemon import ROOT, WITHIN_S, Daemon, RmCase, end, main

ZOO = ROOT / "sdk/conformance/zoo"  # others are in tests/strangers
# Every kind, and what ends or freezes a process, writes where it must not, or answers what cannot be.
SAMPLE = ("keys_crash", "keys_hang", "keys_status", "writes_behind_keys", "writes_inputs", "divides_by_free", "good_app_sort",
          "good_queue_sort", "fourth_verdict", "full_path_of_anything", "sink_goes_on", "opening_crashes")
PODS, PODS_AFTER_FAULT = 120, 1500
# Of the rate with built-in policies, after a fault in a lane: at one of so many tries, for the machine has other work.
LEAST_RATE, TIMES = 0.9, 5
PLACED_WITHIN_S, HELD_UP_S = 90, 10  # a daemon that freezes is started again after 25 s
LANES = ("process", "none")
QUEUES = """\
partitions:
  - name: default
    {partition}
    queues:
      - name: root
        submitacl: "*"
        properties: {{ {root} }}
        queues:
          - {{ name: q0, properties: {{ {leaf} }} }}
          - {{ name: q1, properties: {{ {leaf} }} }}
"""


def kind_of(source: pathlib.Path) -> str:
    said = re.search(r"(?m)^ \* kind: ([a-z-]+)", "\n".join(source.read_text().splitlines()[:16]))
    return said[1] if said else "node-sort"


def animals() -> dict[str, str]:
    """The kind of each; transports have no lane to choose, and no RM here speaks to them."""
    found = {file.stem: kind_of(file) for file in sorted(ZooInServe.sources.iterdir()) if file.suffix in (".c", ".cpp")}
    return {name: kind for name, kind in found.items() if kind != "transport"}


def rate_in(said: str) -> int:
    found = re.search(r"(\d+) a second", said)
    return int(found[1]) if found else 0


# Of tests/strangers: orders that let nothing go, which is a finding.
# What docs/trust.md names as not held in the scheduler's process.
NOT_HELD = ("lowers_limits", "catches_signals")
# Each RM that comes binds their policy anew, and waits until it is late once more: the rate has that in it.
LATE_FOR_EACH = ("asks_for_queues_for_ever", "prepares_for_ever", "queues_end_the_thread", "spins_for_many_nodes",
                 "waits_for_itself", "keys_hang", "sleeps")
HOLD_UP = ("never_lets_go", "queues_never", "always_a_bit_later")


class ZooInServe(RmCase):
    turned_away = False  # the last RM, which went by itself
    built_in = None  # a daemon without any of them, once it is needed
    names: tuple = SAMPLE
    rates_count = False  # where other tests run beside it, rates say nothing of the module
    sources = ZOO

    def setUp(self):
        super().setUp()
        self.whole = self.folder

    def configure(self, name: str, kind: str, lane: str) -> pathlib.Path:
        self.folder = self.whole / f"{name} {lane}"
        modules = self.folder / "modules"
        modules.mkdir(parents=True)
        self.queues = self.folder / "queues.yaml"
        manifest = (Daemon.zoo / f"{name}.yaml").read_text()
        library = re.search(r"(?m)^library: (\S+)", manifest)[1]
        (modules / f"{name}.yaml").write_text(manifest)
        shutil.copy(Daemon.zoo / library, modules)
        provided = re.search(r"name: ([\w-]+), order_rev", manifest)
        policy, identity = provided[1] if provided else "zoo", re.search(r"(?m)^id: (\S+)", manifest)[1]
        words = {"partition": "limits: []", "root": "", "leaf": ""}
        uses = ""
        if kind == "node-sort":
            words["partition"] = f"nodesortpolicy: {{ type: {policy} }}"
        elif kind == "app-sort":
            words["leaf"] = f"application.sort.policy: {policy}"
        elif kind == "queue-sort":
            words["root"] = f"queue.sort.policy: {policy}"
        elif kind == "placement-rule":
            words["partition"] = f"placementrules: [{{ name: {policy} }}, {{ name: provided }}]"
        elif kind == "identity":
            words["partition"] = f"usergroupresolver: {{ type: {policy} }}"
        elif kind == "predicate":
            uses = f"predicates: [{{ use: {identity} }}]\n"
        events = f", {{ use: {identity} }}" if kind == "event-sink" else ""
        self.queues.write_text(QUEUES.format(**words))
        return self.deployment(
            f"module_path: [modules]\nmodules: [{{ id: {identity}, isolation: {lane} }}]\n{uses}"
            f"events: [{{ use: tenon.ring }}{events}]\n"
            f"transports: [{{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}]\n"
            "containment: { hang: 1s, io_hang: 2s, stop: 2s, records: records }\nrm: { drain: 1s }\n")

    def load(self, kind: str = "", pods: int = PODS, at: pathlib.Path | None = None, within_s: int = PLACED_WITHIN_S) -> str:
        """What an RM says that has its pods placed, over the same connection; empty: they were not, in time."""
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{at or self.folder}/rm.sock", "--package",
             self.package, "--nodes", "8", "--pods", str(pods), "--queues", "2", *(["--no-groups"] if kind == "identity" else [])],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            said, _ = process.communicate(timeout=within_s)
            self.turned_away = process.returncode != 0
        except subprocess.TimeoutExpired:
            said, self.turned_away = "", False
        end(process)
        return said if f"placed    {pods}\n" in said else ""

    def began(self, daemon: Daemon) -> bool:
        """False: it is refused, with words."""
        try:
            daemon.wait("READY=1")
            return True
        except AssertionError:
            self.assertEqual(daemon.finish(None), 2, daemon.words())
            self.assertIn("want:", daemon.words())
            return False

    def play(self, name: str, kind: str, lane: str) -> str:
        self.holds_up, self.is_late_for_each = name in HOLD_UP, name in LATE_FOR_EACH
        deployment = self.configure(name, kind, lane)
        daemon = Daemon(self, deployment, "--supervise")
        try:
            return self.looked_at(daemon, deployment, kind, lane)
        finally:
            daemon.kill()
            for served in re.findall(r"socket \S+, process (\d+)", daemon.words()):
                if pathlib.Path(f"/proc/{served}/cmdline").exists():  # a module has it ignore what its supervisor's end sends
                    os.kill(int(served), signal.SIGKILL)

    def rate_of_built_in(self) -> int:
        """By the same RM, now: what else the machine does changes."""
        if self.built_in is None:
            folder, self.folder = self.folder, self.whole / "built in"
            self.folder.mkdir()
            self.queues = self.folder / "queues.yaml"
            self.queues.write_text(QUEUES.format(partition="limits: []", root="", leaf=""))
            self.built_in = self.served()
            self.folder = folder
            self.load(at=self.built_in.folder)
        return rate_in(self.load(pods=PODS_AFTER_FAULT, at=self.built_in.folder))

    def looked_at(self, daemon: Daemon, deployment: pathlib.Path, kind: str, lane: str) -> str:
        if not self.began(daemon):
            return "refused"
        said = self.load(kind, within_s=HELD_UP_S if self.holds_up else PLACED_WITHIN_S)
        words = daemon.words()
        crashes = words.count("it is started again")
        self.assertLessEqual(crashes, 0 if lane == "process" else 1, words)
        if lane == "process" and not self.turned_away:
            self.assertNotRegex(words, r"RM 'demo'.* (lost|is away)", words)
        self.assertIn(daemon.ctl("health").returncode, (0, 1), words)
        faults = words.count("(on_fault:")
        shares = []
        if lane == "process" and faults and kind not in ("predicate", "identity") and not self.turned_away:
            for _ in range(TIMES if self.rates_count else 1):
                shares.append(rate_in(self.load(kind, PODS_AFTER_FAULT)) / self.rate_of_built_in())
                if shares[-1] > LEAST_RATE:
                    break
        self.assertIn(daemon.finish(), (0, 1), words)
        out = f"{crashes} crash" if crashes else f"{faults} faults told" if faults else "no fault"
        if crashes:
            again = Daemon(self, deployment)
            self.assertTrue(self.began(again), again.words())
            self.assertTrue(self.load(kind) or kind in ("predicate", "identity"), again.words())
            self.assertEqual(again.finish(), 0, again.words())
            out += ", none after a restart"
        if shares:
            out += f", then {max(shares):.2f} of the built-in's rate"
            if self.rates_count and not self.is_late_for_each:
                self.assertGreater(max(shares), LEAST_RATE, words)
        if self.turned_away and not said:
            return f"{out}, the RM is refused what it asks for"
        return out + (f", {rate_in(said)} placed a second" if said else ", NOT ALL PLACED")

    def test_every_one_in_every_lane(self):
        kinds = animals()
        for name in self.names or kinds:
            for lane in LANES:
                if lane == "none" and name in NOT_HELD:
                    print(f"{kinds[name]:14} {name:28} {lane:8} is not held there")
                    continue
                with self.subTest(f"{name} in {lane}"):
                    began = time.monotonic()
                    said = self.play(name, kinds[name], lane)
                    print(f"{kinds[name]:14} {name:28} {lane:8} {said} ({time.monotonic() - began:.1f} s)", flush=True)
                    # A predicate may refuse all, and one that fails holds its asks back: on_fault says so. Nobody gets in
                    # whose groups are not known.
                    if kinds[name] not in ("predicate", "identity") and not self.holds_up:
                        self.assertNotIn("NOT ALL PLACED", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--sources", type=pathlib.Path, default=ZOO)
    given, sys.argv[1:] = parser.parse_known_args()
    ZooInServe.sources = given.sources.resolve()
    ZooInServe.rates_count = given.all
    ZooInServe.names = tuple(given.only or ()) or (() if given.all else SAMPLE)
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Processes of modules are killed, stopped and slowed at random while a load is played: every run comes to its end,
as many pods are placed as without them and each once, and the journal gives the same decisions without any such process."""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

from cases import run_cases

PODS = 1500
LARGEST = 12000  # pods of a run that is made larger, because too little was done in those before it
WITHIN_S = 120
POLICIES = ("tenon.queue-fair", "tenon.app-fair", "tenon.node-fair")
QUEUES = """
partitions:
  - name: default
    nodesortpolicy: { type: fair }
    queues:
      - name: root
        submitacl: '*'
        properties: { queue.sort.policy: fair }
        queues: [%s]
""" % ", ".join(f"{{ name: q{i}, properties: {{ application.sort.policy: fair }} }}" for i in range(4))


def processes_of(parent: int) -> list[int]:
    """Those that a process's threads started."""
    out = []
    for task in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            out += map(int, task.read_text().split())
        except OSError:
            pass
    return out


class Faults(unittest.TestCase):
    def load(self, seed: int, pods: int) -> list[str]:
        return [ARGUMENTS.tenon, "simulate", "--generate", "--seed", str(seed), "--nodes", "40", "--pods", str(pods),
                "--duration-s", "5", "--config", "queues.yaml", "--no-progress", "--json"]

    def play(self, folder: pathlib.Path, seed: int, pods: int) -> tuple[subprocess.Popen, list[str]]:
        process = subprocess.Popen(
            [*self.load(seed, pods), "--deployment", "tenon.yaml", "--record", "journal", "--decisions", "decisions"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        chance, did = random.Random(seed), []
        end = time.monotonic() + WITHIN_S
        while process.poll() is None:
            self.assertLess(time.monotonic(), end, "it never ends")
            time.sleep(chance.uniform(0, 0.006))
            children = processes_of(process.pid)
            if not children or not (folder / "decisions").exists() or (folder / "decisions").stat().st_size == 0:
                continue  # where modules are opened, one that ends is refused
            victim, how = chance.choice(children), chance.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP))
            try:
                os.kill(victim, how)
                did.append(how.name)
                if how == signal.SIGTSTP:  # slow, and goes on
                    time.sleep(chance.uniform(0, 0.1))
                    os.kill(victim, signal.SIGCONT)
            except ProcessLookupError:
                pass
        return process, did

    def run_of(self, seed: int, pods: int) -> list[str]:
        """What was done to the processes of one run."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "queues.yaml").write_text(QUEUES)
            (folder / "tenon.yaml").write_text("apiVersion: tenon/v1\nmodules:\n" + "".join(
                f"  - {{ id: {policy}, isolation: process, process: {{ call_deadline: 50ms }} }}\n" for policy in POLICIES)
                + "predicates: [{ use: tenon.node-attributes }]\n")
            process, did = self.play(folder, seed, pods)
            said, words = process.communicate()
            self.assertEqual(process.returncode, 0, words)
            summary = json.loads(said)
            sound = json.loads(subprocess.run(self.load(seed, pods), cwd=folder, capture_output=True, text=True).stdout)
            placed = sound["placed"]  # some loads have pods that no node could have
            self.assertEqual((summary["placed"], summary["pending"]), (placed, pods - placed), words)
            allocated = [line.split("\t")[6] for line in (folder / "decisions").read_text().splitlines()
                         if line.split("\t")[2] == "allocated"]
            self.assertEqual((len(allocated), len(set(allocated))), (placed, placed))
            again = subprocess.run([ARGUMENTS.tenon, "simulate", "--replay", "journal", "--decisions", "again",
                                    "--no-progress"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual((folder / "again").read_bytes(), (folder / "decisions").read_bytes())
            return did

    def test_random_faults(self):
        wanted, killed, pods = max(1, ARGUMENTS.seeds // 4), 0, PODS
        for seed in range(1, 2 * ARGUMENTS.seeds + 1):
            if seed > ARGUMENTS.seeds:
                if killed >= wanted:
                    break
                # Here a run ends before much can be done to it. How fast a machine is decides nothing: the next is larger.
                pods = min(2 * pods, LARGEST)
            with self.subTest(seed=seed, pods=pods):
                killed += self.run_of(seed, pods).count("SIGKILL")
        self.assertGreaterEqual(killed, wanted, "too little was done to them")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True, help="the program")
    parser.add_argument("--seeds", type=int, default=50)
    ARGUMENTS, others = parser.parse_known_args()
    run_cases(others)

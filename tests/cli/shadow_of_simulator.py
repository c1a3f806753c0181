#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A world shadow over every profile of the simulator: the same policy never differs, and of a mutant the first difference is
the first line in which the decisions of two runs differ."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from cases import run_cases

PROGRAMS = argparse.Namespace()
# More cores than this, in thousandths, and the mutant takes the other end of the list.
ABOVE = 2500
DEPLOYMENT = f"""apiVersion: tenon/v1
module_path: ["{{modules}}"]
modules:
  - {{{{ id: test.emptiest-devices }}}}
  - {{{{ id: test.two-of-three }}}}
  - {{{{ id: test.almost-fair, config: {{{{ above: {ABOVE} }}}} }}}}
predicates: [{{{{ use: tenon.node-attributes }}}}]
shadow: {{{{ every: 1{{other}} }}}}
"""


def run(*words, **more) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def profiles() -> list[str]:
    said = run(PROGRAMS.sim, "--help").stdout
    return said[said.index("Profiles: ") + len("Profiles: "):].strip().rstrip(".").split(", ")


class OfTheSimulator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        cls.addClassCleanup(folder.cleanup)
        cls.at = pathlib.Path(folder.name)
        for name, other in (("same", ""), ("mutant", ", node_sort: almost-fair")):
            (cls.at / f"{name}.yaml").write_text(DEPLOYMENT.format(modules=PROGRAMS.modules, other=other))

    def played(self, profile: str, name: str, mutant: bool = False) -> pathlib.Path:
        """The folder of what the seeds of a profile recorded; the mutant then stands for every order of nodes."""
        folder = self.at / name / profile
        folder.mkdir(parents=True)
        module = {"TENON_NODE_SORT": str(PROGRAMS.modules / "almost-fair.yaml")} if mutant else {}
        done = run(PROGRAMS.sim, "--profile", profile, "--first", PROGRAMS.first, "--seeds", PROGRAMS.seeds, "--steps",
                   PROGRAMS.steps, "--record", folder, env=os.environ | module)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder

    def said(self, journal: pathlib.Path, deployment: str) -> dict:
        done = run(PROGRAMS.tenon, "shadow", journal, "-c", f"{deployment}.yaml", "--decisions",
                   journal.with_suffix(".decisions"), "--json", cwd=self.at)
        self.assertEqual(done.returncode, 0, f"{journal.name}: {done.stderr}")
        return json.loads(done.stdout)

    def test_the_same_decides_the_same(self):
        self.assertGreater(len(profiles()), 15)
        for profile in profiles():
            with self.subTest(profile):
                compared = 0
                for journal in sorted(self.played(profile, "same").glob("*.journal")):
                    said = self.said(journal, "same")
                    lines = journal.with_suffix(".decisions").read_text().splitlines()
                    self.assertEqual(said["checked"], len(lines), journal.name)
                    self.assertEqual((said["other"], said["refused"], said["unequal"], said["first"], said["first_unequal"]),
                                     (0, 0, 0, [], None), journal.name)
                    self.assertEqual(said["same"], said["compared"], journal.name)
                    compared += said["compared"]
                self.assertGreater(compared, 2 * PROGRAMS.seeds)

    def test_a_mutant_is_named_at_its_first_decision(self):
        late = found = 0
        for profile in profiles():
            with self.subTest(profile):
                there, otherwise = self.played(profile, "there"), self.played(profile, "otherwise", mutant=True)
                for journal in sorted(there.glob("*.journal")):
                    if b"tenon/node-sort" in journal.read_bytes() or profile == "canaries":
                        continue  # orders that applications choose, or have by chance, are not the shadow's
                    decisions = journal.with_suffix(".decisions").read_text().splitlines()
                    mutants = (otherwise / journal.name).with_suffix(".decisions").read_text().splitlines()
                    first = next((at for at, pair in enumerate(zip(decisions, mutants)) if pair[0] != pair[1]), None)
                    said = self.said(journal, "mutant")
                    self.assertEqual(said["unequal"], 0, journal.name)
                    if first is None:
                        self.assertEqual((said["other"], said["first"]), (0, []), journal.name)
                        continue
                    self.assertGreater(said["other"], 0, f"{journal.name}: {decisions[first]}")
                    named = said["first"][0]
                    # Of the lines but the number, which is that of the copy's.
                    self.assertEqual((named["decision"], *(named[side]["decision"].split("\t", 1)[1] for side in "ab")),
                                     (first + 1, decisions[first].split("\t", 1)[1], mutants[first].split("\t", 1)[1]),
                                     journal.name)
                    found += 1
                    late += first > 20
        self.assertGreater(found, 2 * PROGRAMS.seeds)
        self.assertGreater(late, PROGRAMS.seeds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for program in ("tenon", "sim", "modules"):
        parser.add_argument(f"--{program}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--steps", type=int, default=150)
    PROGRAMS, rest = parser.parse_known_args()
    run_cases(rest)

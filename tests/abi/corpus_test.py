#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Loads every module of the corpus, built by former releases and several compilers, and sees it decide as it did."""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
ARGUMENTS = argparse.Namespace()

QUEUES = """config: |
  partitions:
    - name: default
      nodesortpolicy: {type: %s}
      queues: [{name: root, submitacl: "*", queues: [{name: batch}]}]
steps:
- add_nodes:
  - {id: a, resources: {vcore: 4000, memory: 100}, attributes: {cost: "9", quarantine: ill}}
  - {id: b, resources: {vcore: 4000, memory: 900}, attributes: {cost: "5"}}
  - {id: c, resources: {vcore: 4000, memory: 500}, attributes: {cost: "1"}}
- add_apps: [{id: job, queue: root.batch}]
- add_asks:
  - {key: any, app: job, resources: {vcore: 4000}, count: 3}
  - {key: brave, app: job, resources: {vcore: 1000}, tags: {tolerates: ill}}
- {schedule: quiescent}
- expect:
    apps: {job: {%s}}
"""
# What each example decides: the policy of nodes, then where the asks are.
DECIDES = {
    "least-attribute": ("least-attribute", "placed: {any~000: c, any~001: b, any~002: a}"),
    "roomiest": ("roomiest", "placed: {any~000: b, any~001: c, any~002: a}"),
    "quarantine": ("fair", "keys: {any: 2, brave: 1}, placed: {brave: a}"),
}


class Corpus(unittest.TestCase):
    def tenon(self, *arguments) -> str:
        done = subprocess.run([ARGUMENTS.tenon, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"tenon {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def members(self) -> list[pathlib.Path]:
        return sorted(path for path in CORPUS.iterdir() if path.is_dir())

    def test_it_is_what_was_kept(self):
        said = dict(reversed(line.split(maxsplit=1)) for line in (CORPUS / "digests.txt").read_text().splitlines())
        have = {str(file.relative_to(CORPUS)): hashlib.sha256(file.read_bytes()).hexdigest()
                for member in self.members() for file in member.iterdir()}
        self.assertEqual(have, said)
        for flavour in ("gcc-c++", "clang-c++", "gcc-c++-static", "gcc-c", "rust"):
            self.assertTrue(any(member.name.endswith(f"-{flavour}") for member in self.members()), flavour)

    def test_each_loads_and_decides_as_it_did(self):
        for member in self.members():
            manifest = next(member.glob("*.yaml"))
            policy, expected = DECIDES[manifest.stem]
            with self.subTest(member.name), tempfile.TemporaryDirectory() as folder:
                self.assertIn("good\n", self.tenon("plugin", "lint", manifest))
                use = re.search(r"^id: (\S+)", manifest.read_text(), flags=re.M)[1]
                listed = f"predicates: [{{ use: {use} }}]" if policy == "fair" else f"modules: [{{ id: {use} }}]"
                deployment = pathlib.Path(folder) / "tenon.yaml"
                deployment.write_text(f"apiVersion: tenon/v1\nmodule_path: [{member}]\n{listed}\n")
                explained = json.loads(self.tenon("plugin", "explain", deployment, "--json"))
                self.assertTrue(explained["good"])
                scenario = pathlib.Path(folder) / "decides.yaml"
                scenario.write_text(QUEUES % (policy, expected))
                self.tenon("scenario", "run", scenario, "--deployment", deployment)

    def test_each_conforms(self):
        for member in self.members():
            with self.subTest(member.name):
                self.tenon("plugin", "verify", next(member.glob("*.yaml")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True, help="the program")
    ARGUMENTS, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""An order that lets nothing go makes no fault by itself: log, health, metrics and an event name what comes of it. Where the
deployment says so the built-in order takes its place, and a replay of the journal does the same."""

import shutil
import subprocess
import urllib.request

from daemon import ROOT, WITHIN_S, Daemon, RmCase, end, main

QUEUES = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        properties: {{ {root} }}
        queues:
          - name: q0
            properties: {{ {leaf} }}
            resources: {{ guaranteed: {{ vcore: 4000 }} }}
          - {{ name: q1, properties: {{ {leaf} }} }}
"""


class Outcome(RmCase):
    def deployed(self, name: str, *options: str, containment: str) -> Daemon:
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        for ending in ("so", "yaml"):
            shutil.copy(Daemon.zoo / f"{name}.{ending}", modules)
        of_queues = name.startswith("queues")
        self.queues.write_text(QUEUES.format(root="queue.sort.policy: zoo" if of_queues else "",
                                             leaf="" if of_queues else "application.sort.policy: zoo"))
        daemon = Daemon(self, self.deployment(
            f"module_path: [modules]\nmodules: [{{ id: zoo.{name.replace('_', '-')}, isolation: process }}]\n"
            "events: [{ use: tenon.ring }]\ntransports:\n"
            f"  - {{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}\n"
            f"  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', address_file: {self.folder}/address }} }}\n"
            f"containment: {{ {containment} }}\n"), *options)
        daemon.wait("READY=1")
        return daemon

    def asking(self) -> subprocess.Popen:
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock", "--package",
             self.package, "--nodes", "4", "--pods", "60", "--queues", "2"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        return process

    def test_an_order_that_lets_nothing_go_is_named(self):
        daemon = self.deployed("never_lets_go", containment="outcome: 2s")
        asking = self.asking()
        daemon.wait_for_words("root.q0: has had nothing let go for ")
        health = daemon.ctl("health")
        self.assertEqual(health.returncode, 0, health.stdout)
        self.assertRegex(health.stdout, r"Placements +warning +root\.q0 has had nothing let go for \d+ s by order zoo of "
                         r"queue root\.q0: 1 application waits, 'app-0' with ask 'pod-\d+'")
        self.assertIn("root.q0 has been below its guarantee for ", health.stdout)
        self.assertIn("(vcore 0 of 4000000)", health.stdout)
        found = daemon.wait_for_events("SYSTEM", lambda one: one["reason"] == "Finding", 3)
        self.assertEqual({one["object"] for one in found}, {"root.q0", "root.q1"})
        with urllib.request.urlopen(
                (self.folder / "address").read_text().strip() + "/ws/v1/metrics", timeout=WITHIN_S) as answer:
            metrics = answer.read().decode()
        self.assertIn('tenon_findings{finding="never_eligible"} 2\n', metrics)
        self.assertIn('tenon_findings{finding="below_guarantee"} 1\n', metrics)
        self.assertIn('tenon_findings{finding="refuses_all"} 0\n', metrics)
        end(asking)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_it_is_a_fault_where_the_deployment_says_so_and_in_a_replay(self):
        for name in ("never_lets_go", "queues_never"):
            with self.subTest(name):
                names = [self.folder / f"{name}.{what}" for what in ("journal", "decisions", "replayed")]
                daemon = self.deployed(name, "--record", str(names[0]), "--decisions", str(names[1]),
                                       containment="outcome: 2s, on_outcome: fault")
                said, _ = self.asking().communicate(timeout=WITHIN_S)
                self.assertIn("placed    60\n", said, daemon.words())
                daemon.wait_for_words("has had nothing let go for ")
                daemon.wait_for_words("root.q0: has asks let go again")
                self.assertEqual(daemon.finish(), 0, daemon.words())
                replay = subprocess.run([Daemon.tenon, "simulate", "--replay", names[0], "--decisions", names[2],
                                         "--deployment", self.folder / "tenon.yaml"], capture_output=True, text=True,
                                        timeout=WITHIN_S)
                self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
                self.assertEqual(names[1].read_bytes(), names[2].read_bytes())

    def test_nothing_is_looked_for_where_nobody_wants_it(self):
        daemon = self.deployed("never_lets_go", containment="outcome: 0s")
        asking = self.asking()
        with self.assertRaises(subprocess.TimeoutExpired):
            asking.wait(5)
        self.assertRegex(daemon.ctl("health").stdout, r"Placements +healthy")
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertNotIn("let go", daemon.words())


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A policy with a shadow: runs decide byte for byte as without it, the same module never differs, another one is named
with the nodes that it orders otherwise, and a daemon tells it wherever people look."""

import json
import re
import shutil
import subprocess
import urllib.request

from daemon import WITHIN_S, Daemon, RmCase, main

LOAD = ["--no-progress", "--nodes", "40", "--pods", "400", "--interarrival-ms", "2000"]
MIRRORED = "\n".join(f"  - {{ id: tenon.{one}, shadow: {{ use: tenon.{one}, call_deadline: 20s }} }}"
                     for one in ("app-fifo", "app-fair", "node-fair", "queue-fair", "node-attributes"))


class CallShadow(RmCase):
    def deployment_with(self, entries: str, *zoo: str) -> str:
        folder = self.folder / "modules"
        folder.mkdir(exist_ok=True)
        for name in zoo:
            for ending in ("so", "yaml"):
                shutil.copy(Daemon.zoo / f"{name}.{ending}", folder)
        file = self.folder / "shadowed.yaml"
        file.write_text(f"apiVersion: tenon/v1\nmodule_path: [modules]\nmodules:\n{entries}\n"
                        "predicates: [{ use: tenon.node-attributes }]\n")
        return str(file)

    def simulated(self, *options: str) -> dict:
        done = subprocess.run([Daemon.tenon, "simulate", *options, "--json"], capture_output=True, text=True,
                              timeout=4 * WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def decided(self, *options: str) -> tuple[bytes, dict]:
        file = self.folder / "decisions"
        said = self.simulated(*options, "--decisions", str(file))
        return file.read_bytes(), said

    def test_of_the_same_module_has_no_difference_over_a_load(self):
        alone, said = self.decided(*LOAD)
        self.assertNotIn("shadows", said)
        shadowed, said = self.decided(*LOAD, "--deployment", self.deployment_with(MIRRORED))
        self.assertEqual(shadowed, alone)
        by_name = {f"{one['kind']} {one['name']}": one for one in said["shadows"]}
        for name in ("node-sort fair", "queue-sort fair", "app-sort fifo"):
            self.assertGreater(by_name[name]["calls"], 100, name)
        for one in by_name.values():
            self.assertEqual((one["differences"], one["faults"], one["skipped"], one["off"]), (0, 0, 0, ""), one)

    def test_another_module_is_named_with_what_it_orders_otherwise_and_decides_nothing(self):
        alone, _ = self.decided(*LOAD)
        entry = "  - { id: tenon.node-fair, shadow: { use: tenon.node-binpacking, call_deadline: 20s } }"
        shadowed, said = self.decided(*LOAD, "--deployment", self.deployment_with(entry))
        self.assertEqual(shadowed, alone)
        one, = said["shadows"]
        self.assertGreater(one["differences_by_kind"]["order"], 100)
        self.assertEqual(len(one["first_differences"]), 8)
        first = one["first_differences"][0]
        self.assertEqual(len(first["objects"]), 2)
        # The node that got the first pod stands behind all others for fair, and before them for binpacking.
        node = re.search(r"\tallocated\t.*?\t(node-\d+)\t", alone.decode())
        self.assertEqual(first["objects"][1], node[1])

    def test_that_crashes_or_hangs_decides_nothing_and_is_switched_off(self):
        alone, _ = self.decided(*LOAD)
        for name, words in (("keys_crash", "keys "), ("keys_hang", "gave no answer in 50 ms")):
            with self.subTest(name):
                entry = (f"  - {{ id: tenon.node-fair, shadow: {{ use: zoo.{name.replace('_', '-')}, "
                         "call_deadline: 50ms, faults: 1 } }")
                shadowed, said = self.decided(*LOAD, "--deployment", self.deployment_with(entry, name))
                self.assertEqual(shadowed, alone)
                one, = said["shadows"]
                self.assertIn(words, one["off"])
                self.assertEqual(one["faults"], 1)

    def test_is_in_the_lock_of_its_deployment(self):
        entry = "  - { id: tenon.node-fair, shadow: { use: zoo.good-node-sort, call_deadline: 20s } }"
        deployment = self.deployment_with(entry, "good_node_sort")
        locked = subprocess.run([Daemon.tenon, "plugin", "lock", deployment], capture_output=True, text=True)
        self.assertEqual(locked.returncode, 0, locked.stderr)
        self.assertIn("  - id: zoo.good-node-sort\n", (self.folder / "shadowed.yaml.lock").read_text())
        checked = subprocess.run([Daemon.tenon, "config", "check", deployment], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_is_ignored_by_replays(self):
        journal, there = self.folder / "journal", self.folder / "there"
        deployment = self.deployment_with(MIRRORED)
        self.simulated(*LOAD, "--deployment", deployment, "--record", str(journal), "--decisions", str(there))
        replayed, said = self.decided("--no-progress", "--replay", str(journal), "--deployment", deployment)
        self.assertEqual(replayed, there.read_bytes())
        self.assertNotIn("shadows", said)

    def test_a_daemon_tells_it_wherever_people_look(self):
        address = self.folder / "address"
        daemon = self.started(more="modules:\n"
                              "  - { id: tenon.node-fair, shadow: { use: tenon.node-binpacking, call_deadline: 20s } }\n"
                              "events: [{ use: tenon.ring }]\ntransports:\n"
                              f"  - {{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}\n"
                              f"  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', address_file: {address} }} }}\n")
        rm = self.rm()
        daemon.wait_for_words("differs first: order of ")
        one, = daemon.json("modules")["shadows"]
        self.assertGreater(one["differences"], 0)
        self.assertEqual((one["module"], one["shadow"]), ("tenon.node-fair", "tenon.node-binpacking"))
        asked = daemon.ctl("whatif", "--queue", "root.q0", "--resource", "vcore=1")
        self.assertIn(asked.returncode, (0, 1), asked.stderr)  # which its copy of the partition answers, without a shadow
        self.assertIn("what-if-ask-1", asked.stdout)
        table = daemon.ctl("modules").stdout
        self.assertRegex(table, r"node-sort fair +tenon\.node-binpacking \S+ +on ")
        self.assertRegex(table, r"in force: keys .*\n +shadow: +keys ")
        # Once for all of the differences, and looked for twice a second.
        told = daemon.wait_for_events("SYSTEM", lambda one: one["reason"] == "ShadowDiffers")
        self.assertEqual([one["object"] for one in told], ["tenon.node-binpacking"])
        base = "http://" + address.read_text().strip().removeprefix("http://")
        with urllib.request.urlopen(f"{base}/tenon/v1/call-shadows", timeout=WITHIN_S) as answer:
            shown, = json.load(answer)
        self.assertGreater(shown["differences"], 0)
        self.assertEqual(shown["firstDifferences"][0]["what"], "order")
        with urllib.request.urlopen(f"{base}/ws/v1/metrics", timeout=WITHIN_S) as answer:
            metrics = answer.read().decode()
        for family in ("on", "calls_total", "items_total", "skipped_total", "faults_total", "seconds_total"):
            self.assertIn(f"\ntenon_call_shadow_{family}{{", metrics)
        self.assertRegex(metrics, rf'tenon_call_shadow_differences_total\{{.*what="order".*\}} [1-9]')
        self.gone(rm)
        self.assertEqual(daemon.finish(), 0, daemon.words())


if __name__ == "__main__":
    main()

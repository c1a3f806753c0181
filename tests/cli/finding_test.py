#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A predicate that lets nothing pass is no fault, and still a finding: the log, health, metrics and an event name it, until
it lets something pass."""

import subprocess
import time

from daemon import WITHIN_S, Daemon, RmCase, end, main

# Asks that differ, so that each is judged by itself, and then one that may run.
REFUSED = """
import select, sys
sys.path.insert(0, sys.argv[2])
import tenon
def report(rm):
    for number in range(4):
        rm.add_node(f"node-{number}", {"vcore": 1000}, attributes={"si/zone": "here"})
    rm.add_application("app", "root.q0", "user", [])
    for number in range(5):
        rm.ask("app", f"ask-{number}", {"vcore": 10}, tags={"si/zone": f"there-{number}"})
with tenon.ResourceManager(sys.argv[1], "asking", report, version="1", policy_group="default") as rm:
    said = False
    while True:
        rm.next(0.1)
        if not said and select.select([sys.stdin], [], [], 0)[0]:
            said = True
            rm.ask("app", "good", {"vcore": 10}, tags={"si/zone": "here"})
"""


class Finding(RmCase):
    def asking(self) -> subprocess.Popen:
        process = subprocess.Popen([self.python, "-B", "-c", REFUSED, f"unix:{self.folder}/rm.sock", self.package],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        return process

    def test_a_predicate_that_lets_nothing_pass_is_named_until_it_does(self):
        daemon = self.served(more="predicates: [{ use: tenon.node-attributes }]\ncontainment: { refusals: 20 }\n")
        asking = self.asking()
        daemon.wait_for_words("tenon.node-attributes: let none of the last ")
        health = daemon.ctl("health")
        self.assertEqual(health.returncode, 0, health.stdout)
        self.assertRegex(health.stdout, r"Predicates +warning +tenon\.node-attributes let none of the last \d+ nodes pass")
        self.assertIn("ask-4", daemon.ctl("explain", "app").stdout)  # which asks the predicate, but decides nothing
        self.assertRegex(daemon.ctl("health").stdout, r"Predicates +warning")
        found, = daemon.wait_for_events("SYSTEM", lambda one: one["reason"] == "Finding")
        self.assertEqual(found["object"], "tenon.node-attributes")
        self.assertRegex(found["message"], r"let none of the last \d+ nodes pass that it was asked about, for \d+ s")
        asking.stdin.write("good\n")
        asking.stdin.flush()
        daemon.wait_for_words("tenon.node-attributes: lets nodes pass again")
        self.assertRegex(daemon.ctl("health").stdout, r"Predicates +healthy")
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_fewer_refusals_are_no_finding_and_none_are_where_they_are_not_looked_for(self):
        for limit in (1000, 0):
            with self.subTest(limit):
                daemon = self.served(more=f"predicates: [{{ use: tenon.node-attributes }}]\ncontainment: {{ refusals: {limit} }}\n")
                asking = self.asking()
                asking.stdin.write("good\n")
                asking.stdin.flush()
                until = time.monotonic() + WITHIN_S
                while "ask-4" not in daemon.ctl("explain", "app").stdout:
                    self.assertLess(time.monotonic(), until, daemon.words())
                self.assertRegex(daemon.ctl("health").stdout, r"Predicates +healthy")
                self.assertEqual(daemon.finish(), 0, daemon.words())
                self.assertNotIn("let none of", daemon.words())
                end(asking)


if __name__ == "__main__":
    main()

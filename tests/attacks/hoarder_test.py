#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Resource managers that ask for more and more, with all the text that a request may have: the daemon keeps no more of each
than its deployment says, and others go on."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from daemon import WITHIN_S, RmCase, built_package, main  # noqa: E402
from memory import Memory  # noqa: E402

MIB = 1 << 20
BOUND = 32 * MIB
# Beside what is kept: what waits to be applied, answers, and what the allocator has not given back.
BESIDE = 96 * MIB
TEXT = 60_000
CORE = {"vcore": 1}


class Hoarder(RmCase):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(built_package()))
        import tenon

        self.tenon = tenon
        self.daemon = self.served(more=f"rm: {{ max_bytes: {BOUND} }}\nmailbox: {{ bytes: {8 * MIB} }}\n")
        self.memory = Memory(self.daemon.process.pid)

    def manager(self, name: str, report):
        return self.tenon.ResourceManager(f"unix:{self.folder}/rm.sock", name, report, policy_group="default")

    def until(self, rm, kind, count: int = 1) -> list:
        """Answers of this kind, as many."""
        out = []
        while len(out) < count:
            said = rm.next(timeout=WITHIN_S)
            self.assertIsNotNone(said, f"{len(out)} of {count} {kind}")
            if isinstance(said, kind):
                out.append(said)
        return out

    def bounds(self, rm: str) -> dict:
        return next(one for one in self.daemon.json("rms")["rms"] if one["id"] == rm)["bounds"]

    def wait_for_health(self, warns: bool) -> None:
        """It says what the scheduler answered last."""
        end = time.monotonic() + WITHIN_S
        while ("hoarder keeps as much as it may" in self.daemon.ctl("health").stdout) != warns:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_asks_with_large_tags(self):
        tenon = self.tenon

        def report(rm):
            rm.add_application("hoard", "root.q0", user="hoarder")

        def modest(rm):
            rm.add_node("node", {"vcore": 100})
            rm.add_application("modest", "root.q0", user="modest")

        with self.manager("hoarder", report) as rm, self.manager("other", modest) as other:
            for one in (rm, other):
                self.until(one, tenon.ApplicationAccepted)
            asks = 4 * BOUND // TEXT
            for i in range(asks):
                rm.ask("hoard", f"ask-{i}", CORE, {"tag": "x" * TEXT})
            refused = self.until(rm, tenon.AskRejected, asks - BOUND // TEXT)
            self.assertIn("rm.max_bytes", refused[0].reason)
            self.assertLess(self.memory.grew(), BOUND + BESIDE)
            kept = self.bounds("hoarder")["bytes"]
            self.assertLessEqual(kept["kept"], BOUND)
            self.assertGreaterEqual(kept["kept"], BOUND - 2 * TEXT)
            self.assertTrue(kept["reached"], kept)
            self.assertEqual(self.bounds("other")["bytes"]["refused"], 0)
            self.wait_for_health(True)
            self.assertIn("RM 'hoarder' keeps as much as it may", self.daemon.words())
            # The other one is served meanwhile.
            other.ask("modest", "one", CORE)
            self.assertEqual(self.until(other, tenon.Allocated)[0].key, "one")
            rm.remove_application("hoard")
            rm.add_application("again", "root.q0", user="hoarder")
            rm.ask("again", "small", CORE)
            self.until(rm, tenon.ApplicationAccepted)
            self.assertLess(self.bounds("hoarder")["bytes"]["kept"], MIB)
            self.wait_for_health(False)

    def test_applications_with_large_tags(self):
        with self.manager("hoarder", lambda rm: None) as rm:
            self.until(rm, self.tenon.Registered)
            count = 3 * BOUND // TEXT
            for i in range(count):
                rm.add_application(f"hoard-{i}", "root.q0", user="hoarder", tags={"tag": "x" * TEXT})
            refused = self.until(rm, self.tenon.ApplicationRejected, count - BOUND // TEXT)
            self.assertIn("rm.max_bytes", refused[0].reason)
            self.assertLess(self.memory.grew(), BOUND + BESIDE)


del RmCase
if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Connections that break and schedulers that die: nothing is lost, nothing is started twice."""

import random
import time
import unittest.mock

from forwarder import Forwarder
from rm_case import CORE, RmCase, main, tenon

ASKS = 400
CUTS = 12


class Breaks(RmCase):
    def until(self, is_so) -> None:
        end = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def until_allocations(self, daemon, count: int) -> None:
        """Waits until the daemon reports this number of allocations. What a reader gets may be seconds old, so that even the
        partition may be missing in it."""
        self.until(lambda: sum(partition["allocations"] for partition in daemon.json("queues")["partitions"]) == count)

    def test_a_connection_that_is_cut_again_and_again_loses_nothing(self):
        daemon = self.served()
        between = Forwarder(f"{self.folder}/between.sock", f"{self.folder}/rm.sock")
        self.addCleanup(between.close)
        dice = random.Random(1)

        def report(rm):
            rm.add_node("node", {"vcore": 40_000})
            rm.add_application("app", "root.work", "somebody")

        rm = self.manager(report, address=f"unix:{self.folder}/between.sock")
        self.hears(rm, tenon.Registered)
        between.cut()  # with all that was just said
        started, ended, resumed = set(), set(), 0
        cuts = sorted(dice.sample(range(ASKS), CUTS))
        for i in range(ASKS):
            rm.ask("app", f"ask-{i}", CORE)
        while len(ended) < ASKS:
            heard = rm.next(60)
            self.assertIsNotNone(heard, f"{len(started)} started, {len(ended)} ended")
            match heard:
                case tenon.Allocated():
                    self.assertNotIn(heard.key, started, "started a second time")
                    started.add(heard.key)
                    rm.release("app", heard.key)
                case tenon.Released():
                    self.assertNotIn(heard.key, ended)
                    ended.add(heard.key)
                case tenon.Resumed():
                    resumed += 1
                case tenon.Registered() | tenon.AskRejected() | tenon.AskWithdrawn():
                    self.fail(f"heard {heard}")
            if cuts and len(started) > cuts[0]:
                del cuts[0]
                between.cut()
        self.assertGreater(resumed, 1)
        self.until_allocations(daemon, 0)

    def test_what_an_rm_did_not_look_at_when_the_connection_broke_is_asked_for_again(self):
        self.enterContext(unittest.mock.patch.object(tenon.session, "WAITING", 3))
        daemon = self.served(config=", settle_bytes: 4096")  # so that the scheduler soon thinks that an answer arrived
        between = Forwarder(f"{self.folder}/between.sock", f"{self.folder}/rm.sock")
        self.addCleanup(between.close)
        running: dict[str, tenon.Allocated] = {}
        wanted = [f"ask-{i}".ljust(900, "-") for i in range(40)]
        asked: list[str] = []

        def report(rm):
            rm.add_node("node", {"vcore": 40_000})
            rm.add_application("app", "root.work", "somebody")
            for one in running.values():
                rm.again(one)
            for key in asked:
                if key not in running:
                    rm.ask("app", key, CORE)

        rm = self.manager(report, address=f"unix:{self.folder}/between.sock")
        self.hears(rm, tenon.ApplicationAccepted)
        self.hears(rm, tenon.NodeAccepted)
        for key in wanted:  # one response each, and none is looked at
            asked.append(key)
            rm.ask("app", key, CORE)
            self.until_allocations(daemon, len(asked))
        between.cut()
        registered = False
        while not registered or len(running) < len(wanted):
            heard = rm.next(60)
            self.assertIsNotNone(heard, running)
            registered = registered or isinstance(heard, tenon.Registered)
            if isinstance(heard, tenon.Allocated):
                self.assertNotIn(heard.key, running)
                running[heard.key] = heard
        self.until_allocations(daemon, len(wanted))

    def test_confirmations_that_were_lost_are_said_again(self):
        daemon = self.served()
        between = Forwarder(f"{self.folder}/between.sock", f"{self.folder}/rm.sock")
        self.addCleanup(between.close)

        def report(rm):
            rm.add_node("node", {"vcore": 8000})
            rm.add_application("rich", "root.work", "somebody")
            rm.add_application("poor", "root.poor", "somebody")
            for i in range(8):
                rm.ask("rich", f"rich-{i}", CORE)

        rm = self.manager(report, address=f"unix:{self.folder}/between.sock")
        for i in range(8):
            self.hears(rm, tenon.Allocated, key=f"rich-{i}")
        rm.ask("poor", "poor", CORE, may_preempt=True)
        victim = self.hears(rm, tenon.Released, application="rich")
        between.cut()
        rm.confirm(victim)  # nobody hears it
        self.hears(rm, tenon.Allocated, key="poor")
        self.until_allocations(daemon, 8)

    def test_after_the_scheduler_was_killed_all_runs_on_and_no_limit_is_passed(self):
        daemon = self.served()
        running: dict[str, tenon.Allocated] = {}

        def report(rm):
            for i in range(10):
                rm.add_node(f"node-{i}", CORE)
            rm.add_application("app", "root.small", "somebody")
            for one in running.values():
                rm.again(one)
            for i in range(5):
                if f"ask-{i}" not in running:
                    rm.ask("app", f"ask-{i}", CORE)

        rm = self.manager(report)
        for _ in range(2):  # which is the max of the queue
            one = self.hears(rm, tenon.Allocated)
            running[one.key] = one
        daemon.kill()
        daemon = self.served()
        self.hears(rm, tenon.Registered)
        recovered = {}
        while len(recovered) < 2:
            heard = rm.next(60)
            self.assertNotIsInstance(heard, (type(None), tenon.Allocated))
            if isinstance(heard, tenon.Recovered):
                recovered[heard.key] = heard.node
        self.assertEqual(recovered, {one.key: one.node for one in running.values()})
        first = next(iter(running))
        rm.release("app", first)
        self.hears(rm, tenon.Released, key=first)
        self.hears(rm, tenon.Allocated)
        self.until_allocations(daemon, 2)

    def test_an_rm_waits_for_a_scheduler_that_is_not_there_yet(self):
        rm = self.manager(self.one_node())
        self.assertIn("UNAVAILABLE", self.hears(rm, tenon.Interrupted).reason)
        self.assertIsNone(rm.next(0.3))  # which is told once
        self.served()
        self.hears(rm, tenon.NodeAccepted)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a resource manager of the package tenon says and hears."""

import threading

from rm_case import CORE, QUEUES, RmCase, main, tenon

Why = tenon.Why


class Session(RmCase):
    def test_an_ask_runs_with_all_that_it_said(self):
        self.served()

        def report(rm):
            rm.add_node("south", {"vcore": 4000}, {"si/zone": "south"})
            rm.add_node("north", {"vcore": 4000}, {"si/zone": "north"})
            rm.add_application("app", "root.work", "somebody", ["people"], {"team": "red"})
            rm.ask("app", "ask", {"vcore": 1500}, {"si/zone": "south", "pod": "one"}, priority=7, task_group="group")

        rm = self.manager(report, version="1", build={"language": "python"})
        self.hears(rm, tenon.Registered)
        self.hears(rm, tenon.ApplicationAccepted, application="app")
        runs = self.hears(rm, tenon.Allocated, key="ask")
        self.assertEqual((runs.application, runs.node, runs.resources, runs.priority, runs.task_group, runs.queue, runs.placeholder),
                         ("app", "south", {"vcore": 1500}, 7, "group", "root.work", False))
        self.assertEqual(runs.tags, {"si/zone": "south", "pod": "one"})
        self.assertGreater(self.hears(rm, tenon.ApplicationState, application="app", state="Starting").since_ns, 0)

    def test_a_registration_that_is_wrong_is_refused_in_words(self):
        self.served()
        with self.assertRaisesRegex(tenon.Refused, "nothing"):
            self.manager(policy_group="nothing").next(60)
        with self.assertRaisesRegex(tenon.Refused, "quues"):
            self.manager(config="partitions:\n  - name: default\n    quues: []\n").next(60)

    def test_an_rm_may_bring_its_own_queues(self):
        self.served()
        own = "partitions: [{ name: default, queues: [{ name: root, submitacl: '*', queues: [{ name: own }] }] }]"
        rm = self.manager(lambda rm: rm.add_application("app", "root.own", "somebody"), config=own)
        self.hears(rm, tenon.ApplicationAccepted, application="app")

    def test_what_cannot_be_is_rejected_with_reason(self):
        self.served()

        def report(rm):
            rm.add_node("node", CORE)
            rm.add_application("lost", "root.nowhere", "somebody")
            rm.ask("lost", "waits for it", CORE)
            rm.running("nobody", "ran", "node", CORE)

        rm = self.manager(report)
        rejected = {}
        while len(rejected) < 3:
            heard = rm.next(60)
            self.assertIsNotNone(heard, rejected)
            if isinstance(heard, (tenon.ApplicationRejected, tenon.AskRejected)):
                rejected[getattr(heard, "key", heard.application)] = heard.reason
        self.assertEqual(set(rejected), {"lost", "waits for it", "ran"})
        self.assertTrue(all(rejected.values()), rejected)
        rm.add_node("node", CORE)
        self.assertTrue(self.hears(rm, tenon.NodeRejected, node="node").reason)

    def test_a_report_of_every_kind_of_thing_ends(self):
        many = {"vcore": 100_000}
        rules = "    placementrules: [{ name: provided }, { name: fixed, value: root.work, filter: { users: [nobody] } }]\n"
        self.queues.write_text(QUEUES.replace("    queues:\n", rules + "    queues:\n", 1))
        self.served()

        def report(rm):
            rm.add_node("node", many)
            rm.add_node("drained", many, drained=True)
            rm.add_node("node", many)  # again
            rm.add_node("removed", many)
            rm.update_node("node", {"vcore": 90_000})
            rm.drain_node("drained")
            rm.remove_node("removed")
            rm.add_application("app", "root.work", "somebody")
            rm.add_application("gang", "root.work", "somebody", gang=tenon.Gang({"vcore": 2000}))
            rm.add_application("lost", "root.nowhere", "somebody")
            rm.add_application("done", "root.work", "somebody")
            rm.running("app", "runs", "node", CORE)
            rm.running("app", "runs where drained", "drained", CORE)
            rm.running("app", "originator", "node", CORE, originator=True, bound_ms=1)
            rm.running("gang", "holder", "node", CORE, task_group="group", placeholder=True)
            rm.running("", "by itself", "node", CORE)
            rm.running("", "of others", "node", CORE, {"foreign": "static"})
            rm.running("", "of others, too", "node", CORE, {"foreign": "default"})
            rm.running("app", "of others, with application", "node", CORE, {"foreign": "static"})
            rm.running("", "of others nowhere", "nowhere", CORE, {"foreign": "static"})
            rm.running("", "of others where it went", "removed", CORE, {"foreign": "static"})
            rm.running("app", "nowhere", "nowhere", CORE)
            rm.running("nobody", "of nobody", "node", CORE)
            rm.running("lost", "of lost", "node", CORE)
            rm.running("", "nowhere by itself", "nowhere", CORE)
            rm.running("done", "of done", "node", CORE)
            rm.running("app", "released", "node", CORE)
            rm.ask("app", "waits", CORE)
            rm.ask("", "waits by itself", CORE)
            rm.ask("app", "not wanted", CORE)
            rm.release("app", "not wanted")
            rm.release("app", "released")
            rm.remove_application("done")

        rm = self.manager(report)
        for application, key in (("app", "runs"), ("app", "runs where drained"), ("app", "originator"), ("gang", "holder"),
                                 ("", "by itself"), ("", "of others"), ("", "of others, too"),
                                 ("", "of others, with application")):
            self.hears(rm, tenon.Recovered, application=application, key=key)
        for application, key in (("", "of others nowhere"), ("", "of others where it went"), ("app", "nowhere"),
                                 ("nobody", "of nobody"), ("lost", "of lost"), ("", "nowhere by itself")):
            self.assertTrue(self.hears(rm, tenon.AskRejected, application=application, key=key).reason)
        self.hears(rm, tenon.Allocated, application="app", key="waits")
        self.hears(rm, tenon.Allocated, application="", key="waits by itself")
        # Later ones are answered, too, and each once.
        rm.running("", "of others, too", "node", {"vcore": 2000}, {"foreign": "default"})
        self.hears(rm, tenon.Recovered, key="of others, too")
        self.assertEqual([held for held in self.kept[rm] if isinstance(held, tenon.Recovered)], [])

    def test_what_is_released_ends_and_makes_room(self):
        self.served()
        rm = self.manager(self.one_node())
        rm.next(60)
        for key in ("runs", "withdrawn", "next"):
            rm.ask("app", key, CORE)
        self.hears(rm, tenon.Allocated, key="runs")
        rm.release("app", "withdrawn")
        rm.release("app", "runs")
        ended = self.hears(rm, tenon.Released, key="runs")
        self.assertEqual((ended.application, ended.why, ended.to_confirm), ("app", Why.STOPPED_BY_RM, False))
        runs = self.hears(rm, tenon.Allocated)
        self.assertEqual(runs.key, "next")
        rm.could_not_start(runs, "no such image")
        again = self.hears(rm, tenon.Allocated, key="next")
        self.assertNotEqual(again.uuid, runs.uuid)
        rm.remove_application("app")
        self.hears(rm, tenon.Released, key="next")

    def test_nodes_are_changed_drained_and_removed(self):
        self.served()

        def report(rm):
            rm.add_node("node", CORE, drained=True)
            rm.add_application("app", "root.work", "somebody")

        rm = self.manager(report)
        self.hears(rm, tenon.NodeAccepted, node="node")
        rm.ask("app", "first", CORE)
        rm.undrain_node("node")
        self.hears(rm, tenon.Allocated, key="first")
        rm.ask("app", "second", CORE)
        rm.update_node("node", {"vcore": 2000}, {"si/zone": "north"})
        self.hears(rm, tenon.Allocated, key="second")
        rm.drain_node("node")
        rm.add_node("other", CORE)
        self.hears(rm, tenon.NodeAccepted, node="other")  # by now the first one is drained
        rm.release("app", "first")
        self.hears(rm, tenon.Released, key="first")
        rm.ask("app", "third", CORE)
        self.assertEqual(self.hears(rm, tenon.Allocated, key="third").node, "other")
        rm.remove_node("node")
        self.assertTrue(self.hears(rm, tenon.Released, key="second").message)

    def test_a_node_that_is_as_it_is_wished_is_no_warning(self):
        daemon = self.served()
        rm = self.manager(lambda rm: rm.add_node("node", CORE))
        self.hears(rm, tenon.NodeAccepted, node="node")
        for name in ("node", "elsewhere"):
            rm.undrain_node(name)
        daemon.wait_for_words("node 'elsewhere' is not changed")
        self.assertNotIn("node 'node' is not changed", daemon.words())

    def test_a_gang_takes_its_places_and_gives_up_when_its_time_is_over(self):
        self.served()

        def report(rm):
            rm.add_node("node", {"vcore": 3000})
            rm.add_application("gang", "root.work", "somebody", gang=tenon.Gang({"vcore": 2000}))
            rm.add_application("late", "root.work", "somebody", tags={"tenon/gang-start": "piecewise"},
                               gang=tenon.Gang({"vcore": 2000}, timeout_s=2, hard=True))
            for i in range(2):
                rm.ask("gang", f"holder-{i}", CORE, task_group="group", placeholder=True)

        rm = self.manager(report)
        for i in range(2):
            self.assertTrue(self.hears(rm, tenon.Allocated, key=f"holder-{i}").placeholder)
        for i in range(2):
            rm.ask("gang", f"real-{i}", CORE, task_group="group")
            replaced = self.hears(rm, tenon.Released, application="gang")
            self.assertEqual((replaced.why, replaced.to_confirm), (Why.PLACEHOLDER_REPLACED, True))
            rm.confirm(replaced)
            self.assertFalse(self.hears(rm, tenon.Allocated, key=f"real-{i}").placeholder)
        for i in range(2):
            rm.ask("late", f"late-{i}", CORE, task_group="group", placeholder=True)
        ends = {}
        while not {"Failed", tenon.Released, tenon.AskWithdrawn} <= ends.keys():
            heard = rm.next(60)
            self.assertIsNotNone(heard, ends)
            if getattr(heard, "application", "") != "late":
                continue
            if isinstance(heard, tenon.ApplicationState):
                ends[heard.state] = heard.message
            elif isinstance(heard, (tenon.Released, tenon.AskWithdrawn)):
                ends[type(heard)] = heard.why
                if isinstance(heard, tenon.Released):
                    rm.confirm(heard)
        self.assertEqual((ends[tenon.Released], ends[tenon.AskWithdrawn]), (Why.TIMEOUT, Why.TIMEOUT))
        self.assertIn("ResourceReservationTimeout", ends["Failed"])

    def test_a_hard_gang_that_is_not_complete_starts_no_worker(self):
        self.served()

        def report(rm):
            rm.add_node("node", {"vcore": 3000})
            rm.add_application("gang", "root.work", "somebody", gang=tenon.Gang({"vcore": 4000}, hard=True))
            rm.add_application("other", "root.work", "somebody")

        rm = self.manager(report)
        for _ in range(2):
            self.hears(rm, tenon.ApplicationAccepted)
        rm.ask_placeholders("gang", {"head": (CORE, 1), "workers": (CORE, 3)})
        for i in range(3):
            rm.ask("gang", f"worker-{i}", CORE, task_group="workers")
        rm.ask("other", "runs", {"vcore": 3000})
        self.hears(rm, tenon.Allocated, key="runs")  # behind the gang, which holds nothing
        self.assertEqual([heard for heard in self.kept[rm] if isinstance(heard, (tenon.Allocated, tenon.Released))], [])
        rm.add_node("another", {"vcore": 4000})
        placed = {self.hears(rm, tenon.Allocated, application="gang").key for _ in range(4)}
        self.assertEqual(placed, {"head-0", "workers-0", "workers-1", "workers-2"})
        for _ in range(3):
            rm.confirm(self.hears(rm, tenon.Released, application="gang", why=Why.PLACEHOLDER_REPLACED))
            self.assertRegex(self.hears(rm, tenon.Allocated, application="gang").key, "^worker-[0-2]$")

    def test_a_victim_makes_room_when_its_end_is_confirmed(self):
        self.served()

        def report(rm):
            rm.add_node("node", {"vcore": 2000})
            rm.add_application("rich", "root.work", "somebody")
            rm.add_application("poor", "root.poor", "somebody")
            for i in range(2):
                rm.ask("rich", f"rich-{i}", CORE)

        rm = self.manager(report)
        for i in range(2):
            self.hears(rm, tenon.Allocated, key=f"rich-{i}")
        rm.ask("poor", "poor", CORE, may_preempt=True)
        victim = self.hears(rm, tenon.Released, application="rich")
        self.assertEqual(victim.why, Why.PREEMPTED_BY_SCHEDULER)
        rm.confirm(victim)
        self.hears(rm, tenon.Allocated, key="poor")

    def test_placements_are_checked(self):
        self.served("rm: { check_deadline: 1h }\n")
        rm = self.manager(self.one_node(), checks=True, window=1)
        rm.next(60)
        rm.ask("app", "one", CORE, {"volume": "ssd"})
        check = self.hears(rm, tenon.Check, key="one")
        self.assertEqual((check.application, check.node, check.resources, check.tags["volume"], check.allocate, check.placeholder),
                         ("app", "node", CORE, "ssd", True, ""))
        rm.answer(check, False, "no volume there")
        over = self.hears(rm, tenon.CheckOver, key="one")
        self.assertEqual((over.number, over.node), (check.number, "node"))
        self.assertIn("no volume there", over.reason)
        rm.check_again(key="one", node="node")
        rm.answer(self.hears(rm, tenon.Check, key="one"), True)
        self.assertEqual(self.hears(rm, tenon.Allocated, key="one").node, "node")

    def test_a_reservation_is_checked_before_a_victim_ends_for_it(self):
        daemon = self.served("rm: { check_deadline: 1h }\n")

        def report(rm):
            rm.add_application("rich", "root.work", "somebody")
            rm.add_application("poor", "root.poor", "somebody")
            for name in ("one", "two"):
                rm.add_node(name, CORE)
                rm.ask("rich", f"rich-{name}", CORE)

        rm = self.manager(report, checks=True)
        runs = {}
        for name in ("one", "two"):
            rm.answer(self.hears(rm, tenon.Check, key=f"rich-{name}"), True)
            placed = self.hears(rm, tenon.Allocated, key=f"rich-{name}")
            runs[placed.node] = placed.uuid
        rm.ask("poor", "poor", CORE, may_preempt=True)
        first = self.hears(rm, tenon.Check, key="poor")
        self.assertTrue(first.reservation)
        why = f"RM 'rm' is asked whether this ask may wait for capacity on node '{first.node}'"
        while why not in daemon.ctl("explain", "poor").stdout:  # what it reads may be a moment old
            pass
        rm.answer(first, False, "no volume there")
        second = self.hears(rm, tenon.Check, key="poor")
        self.assertNotEqual(second.node, first.node)
        rm.answer(second, True)
        victim = self.hears(rm, tenon.Released, application="rich")
        self.assertEqual(victim.uuid, runs[second.node])
        rm.confirm(victim)
        placement = self.hears(rm, tenon.Check, key="poor")
        self.assertFalse(placement.reservation)
        rm.answer(placement, True)
        self.assertEqual(self.hears(rm, tenon.Allocated, key="poor").node, second.node)

    def test_who_leaves_is_gone_and_who_closes_may_come_back(self):
        daemon = self.served()
        rm = self.manager(self.one_node())
        self.hears(rm, tenon.NodeAccepted)
        rm.leave()
        for _ in rm:
            pass
        self.assertNotIn("Running", str(daemon.json("rms")))
        rm = self.manager(self.one_node())
        self.hears(rm, tenon.NodeAccepted)

    def test_another_thread_may_speak_and_end_it(self):
        self.served()
        rm = self.manager(self.one_node(vcore=100_000))
        speaker = threading.Thread(target=lambda: [rm.ask("app", f"ask-{i}", CORE) for i in range(100)])
        self.hears(rm, tenon.NodeAccepted)
        speaker.start()
        for i in range(100):
            self.hears(rm, tenon.Allocated, key=f"ask-{i}")
        speaker.join()
        closer = threading.Timer(0.1, rm.close)
        closer.start()
        self.assertEqual([heard for heard in rm if isinstance(heard, tenon.Released)], [])
        closer.join()
        self.assertIsNone(rm.next())

    def test_who_registers_under_the_same_name_takes_over(self):
        self.served()
        first = self.manager(self.one_node())
        self.hears(first, tenon.NodeAccepted)
        second = self.manager(self.one_node())
        self.hears(second, tenon.NodeAccepted)
        with self.assertRaises(tenon.Replaced):
            while first.next(60):
                pass


if __name__ == "__main__":
    main()

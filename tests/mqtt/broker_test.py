#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The broker goes away with all that it had, and so do either of its clients: nothing is lost, and nothing is done twice."""

from queue_case import CORE, Manager, QueueCase, amounts, main, si, words


class Broken(QueueCase):
    def working(self, served_with: str = ", ask_again_ms: 200") -> tuple:
        served = self.served(served_with)
        rm = self.manager()
        rm.hears("entered")
        rm.add_node("node", {"vcore": 1_000_000})
        rm.add_application("app")
        rm.ask("app", "first", CORE)
        rm.runs("first")
        return served, rm

    def test_the_broker_is_killed_and_comes_back(self):
        served, rm = self.working()
        for turn in range(6):
            self.broker.kill()
            self.until(lambda: served.words().count("the broker is gone") > turn)
            # Said to nobody: it is sent when there is somebody again.
            for number in range(20):
                rm.ask("app", f"ask-{turn}-{number}", CORE)
            self.broker.start()
            for number in range(20):
                rm.runs(f"ask-{turn}-{number}")
            rm.has_said_all()
        self.assertEqual([kind for kind, _ in rm.heard if kind == "allocation.new"], [])

    def test_it_is_killed_while_answers_are_on_their_way(self):
        served, rm = self.working()
        for number in range(300):
            rm.ask("app", f"ask-{number}", CORE)
            if number % 100 == 50:
                self.broker.kill()
                self.broker.start()
        keys = {rm.hears("allocation.new").allocationKey for _ in range(300)}
        self.assertEqual(len(keys), 300)
        rm.has_said_all()
        self.assertEqual([kind for kind, _ in rm.heard if kind == "allocation.new"], [])

    def test_the_scheduler_is_told_that_a_connection_broke(self):
        served, rm = self.working()
        rm.break_connection()
        self.until_lost(served)
        # On a new connection the same session goes on.
        rm.reconnect(self.broker.port)
        rm.hears("taken", lambda one: one.again)
        rm.ask("app", "second", CORE)
        rm.runs("second")
        self.until(lambda: served.json("rms")["rms"][0]["connected"])

    def test_a_will_that_comes_late_is_left_out(self):
        served, rm = self.working()
        stale = words.FromManager(connection=rm.connection, lost=words.Lost())
        rm.break_connection()
        self.until_lost(served)
        rm.reconnect(self.broker.port)
        rm.hears("taken", lambda one: one.again)
        rm.client.publish(rm.to_scheduler, stale.SerializeToString(), qos=1)
        rm.ask("app", "second", CORE)
        rm.runs("second")
        self.until(lambda: served.json("rms")["rms"][0]["connected"])

    def test_a_connection_that_broke_before_the_scheduler_looked_at_it_is_lost(self):
        served, rm = self.working(", ask_again_ms: 3600000")
        number = self.keeps_it_busy(rm)
        for said in ({"present": words.Present()}, {"lost": words.Lost()}):
            rm.say(words.FromManager(connection=77, **said))
        rm.hears("taken", lambda one: one.number >= number)
        self.until_lost(served)

    def test_an_rm_that_says_present_is_heard_where_there_is_no_room(self):
        served, rm = self.working(", ask_again_ms: 3600000, queue_bytes: 4096, max_message_bytes: 1024")
        rm.say(words.FromManager(connection=rm.connection, lost=words.Lost()))
        self.until_lost(served)
        # There is no room for what it says beside.
        rm.say(words.FromManager(connection=77, present=words.Present(), arrived=[words.Arrived()] * 400))
        self.until(lambda: served.json("rms")["rms"][0]["connected"])

    def test_one_that_is_away_is_asked_whether_it_is_there(self):
        _, rm = self.working()
        rm.greet = lambda: None
        rm.say(words.FromManager(connection=rm.connection, lost=words.Lost()))
        for _ in range(3):
            rm.hears("whoIsThere")

    def test_one_that_answers_nothing_is_lost(self):
        served, rm = self.working()
        rm.greet, rm.confirms = lambda: None, False
        rm.ask("app", "second", CORE)
        rm.runs("second")
        self.until_lost(served)

    def test_a_scheduler_that_was_started_again_knows_nobody(self):
        served, rm = self.working()
        served.kill()
        rm.hears("scheduler", lambda text: text == b"")  # the broker says so in its name
        self.served()
        self.assertEqual(rm.hears("ended").reason, words.Ended.UNKNOWN)
        again = self.manager()
        again.hears("entered")
        again.add_node("node", CORE)
        again.hears("node.accepted")

    def test_answers_and_requests_that_the_broker_dropped_come_again(self):
        _, rm = self.working()
        rm.had["default"] = rm.had.get("default", 0)
        # As if two requests had never arrived.
        rm.skips = 2
        for number in range(5):
            rm.ask("app", f"ask-{number}", CORE)
        for number in range(5):
            rm.runs(f"ask-{number}")
        rm.has_said_all()
        # As if an answer had never arrived.
        rm.forgets = 1
        for number in range(5, 10):
            rm.ask("app", f"ask-{number}", CORE)
        for number in range(5, 10):
            rm.runs(f"ask-{number}")
        self.assertEqual([kind for kind, _ in rm.heard if kind == "allocation.new"], [])

    def test_the_last_answer_that_the_broker_dropped_comes_again(self):
        _, rm = self.working()
        rm.ask("app", "second", CORE)
        rm.runs("second")
        rm.hears("application.updated", lambda one: one.state == "Running")
        rm.forgets = 1  # nothing follows by which the RM would see it
        rm.ask("app", "third", CORE)
        rm.runs("third")

    def test_what_is_told_again_is_told_apart(self):
        served, rm = self.working(", ask_again_ms: 3600000")
        rm.confirms = False
        for number in range(5):
            rm.ask("app", f"ask-{number}", CORE)
            rm.runs(f"ask-{number}")
        rm.break_connection()
        self.until_lost(served)
        # Beside those that the RM has, in one delivery, are new ones.
        rm.reconnect(self.broker.port)
        for number in range(5, 10):
            rm.ask("app", f"ask-{number}", CORE)
        for number in range(5, 10):
            rm.runs(f"ask-{number}")
        rm.confirm_all()
        self.assertEqual([kind for kind, _ in rm.heard if kind == "allocation.new"], [])
        self.assertGreaterEqual(rm.repeated, 5)

    def test_an_rm_that_confirms_nothing_gets_no_more(self):
        served, rm = self.working(", queue_bytes: 4096")
        rm.confirms = False
        for number in range(400):
            rm.ask("app", f"ask-{number}", CORE)
        rm.has_said_all()
        quiet: Manager = self.manager("other")  # nobody else waits for it
        quiet.hears("entered")
        quiet.add_node("node", CORE)
        quiet.hears("node.accepted")
        self.assertLess(sum(kind == "allocation.new" for kind, _ in rm.heard), 200)
        rm.confirm_all()
        keys = {rm.hears("allocation.new").allocationKey for _ in range(400)}
        self.assertEqual(len(keys), 400)

    def keeps_it_busy(self, rm: Manager) -> int:
        """One request that is many: what comes after it waits."""
        asks = [si.Allocation(allocationKey=f"many-{number}", applicationID="app", partitionName="default",
                              resourcePerAlloc=amounts(CORE)) for number in range(40_000)]
        return rm.request(allocation=si.AllocationRequest(allocations=asks))

    def until_lost(self, served) -> None:
        self.until(lambda: not served.json("rms")["rms"][0]["connected"])


if __name__ == "__main__":
    main()

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Gangs as Kubernetes has them: pods of a PodGroup, of which a number have to run together."""

import itertools

from api import MERGE
from cluster import Case, Shared, condition


class Groups(Case):
    def setUp(self) -> None:
        if not Shared.plane.newest:
            self.skipTest("older minor versions have no PodGroup of this API")
        super().setUp()
        self.addCleanup(self.clear_groups)

    def clear_groups(self) -> None:
        for one in self.api.list("PodGroup"):
            where = one["metadata"]["namespace"]
            self.api.patch("PodGroup", one["metadata"]["name"], {"metadata": {"finalizers": None}}, where, form=MERGE)
            self.api.delete("PodGroup", one["metadata"]["name"], where)

    def group(self, name: str, members: int) -> None:
        policy = {"gang": {"minCount": members}} if members else {"basic": {}}
        self.api.create("PodGroup", {"metadata": {"name": name, "namespace": self.namespace}, "spec": {"schedulingPolicy": policy}})

    def members(self, group: str, count: int, first: int = 0, cpu: str = "1", **more) -> list[str]:
        names = [f"{group}{i}" for i in range(first, first + count)]
        for name in names:
            self.pod(name, cpu=cpu, schedulingGroup={"podGroupName": group}, **more)
        return names

    def initially_scheduled(self, group: str) -> dict:
        conditions = self.api.get("PodGroup", group, self.namespace).get("status", {}).get("conditions", [])
        return next((one for one in conditions if one["type"] == "PodGroupInitiallyScheduled"), {})

    def holds(self, *names: str, have: int, of: int) -> None:
        """Some of these have room, and none is bound."""
        words = f"not placed: {have} of the {of} pods that have to run together have room"
        self.until("some have room", lambda: any(condition(self.get(name), "PodScheduled").get("message") == words for name in names))
        self.assertEqual(set(self.bound()) & set(names), set())

    def test_a_group_is_asked_for_when_enough_of_it_is_there(self):
        self.node("one", 8)
        self.group("gang", 3)
        some = self.members("gang", 2)
        self.says("gang0", "^not placed: the pod group \\S+/gang has 2 of the 3 pods that have to run together$")
        self.wait_on(*some, seconds=0.3)
        self.on("one", *some, *self.members("gang", 1, first=2))
        said = self.until("its condition says so", lambda: self.initially_scheduled("gang"))
        self.assertEqual((said["status"], said["reason"]), ("True", "Scheduled"))

    def test_pods_wait_for_a_group_that_is_made_later(self):
        self.node("one", 8)
        names = self.members("gang", 2)
        self.says("gang1", "^not placed: there is no pod group")
        self.group("gang", 2)
        self.on("one", *names)

    def test_pods_that_need_not_run_together_do_not_wait(self):
        self.node("one", 1)
        self.group("basic", 0)
        self.members("basic", 2)
        self.count(1)

    def test_nothing_is_bound_before_there_is_room_for_enough(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.node("two", 2)
        self.on(["one", "two"], *names)

    def test_members_beyond_those_that_must_run_follow_one_by_one(self):
        self.node("one", 3)
        self.group("gang", 2)
        names = self.members("gang", 5)
        self.count(3)
        self.node("two", 2)
        self.on(["one", "two"], *names)

    def test_room_that_is_not_enough_is_given_to_others_after_a_while(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.pod("other", cpu="2", application="other", queue="root.other")
        self.on("one", "other")
        self.assertEqual(set(self.bound()), {"other"})
        said = self.until("its condition says so", lambda: self.initially_scheduled("gang"))
        self.assertEqual((said["status"], said["reason"], said["message"]),
                         ("False", "Unschedulable", "2 of the 3 pods that have to run together have room"))
        self.node("two", 4)
        self.on("two", *names)
        self.until("its condition follows", lambda: self.initially_scheduled("gang")["status"] == "True")

    def test_groups_that_fit_one_at_a_time_all_run(self):
        self.node("one", 4)
        for name in ("older", "newer"):
            self.group(name, 4)
        for i in range(4):
            for name in ("older", "newer"):
                self.members(name, 1, first=i, application=name)
        for _ in range(2):
            running = self.until("one of them runs", lambda: names if len(names := self.running()) == 4 else None)
            self.assertEqual(len({name[:-1] for name in running}), 1)
            for name in running:
                self.finish(name)

    def running(self) -> list[str]:
        return [pod["metadata"]["name"] for pod in self.pods() if pod["spec"].get("nodeName") and pod["status"]["phase"] != "Succeeded"]

    def test_a_bridge_killed_while_a_group_waits_binds_it_together(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.end(self.bridge)
        self.assertEqual(self.bound(), [])
        self.node("two", 2)
        self.start_bridge()
        self.on(["one", "two"], *names)

    def test_a_scheduler_killed_while_a_group_waits_is_told_of_it_again(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.scheduler.kill()
        self.serve()
        self.node("two", 2)
        self.on(["one", "two"], *names)

    def test_a_member_that_is_deleted_gives_back_the_room_of_all(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.delete(names[0], gracePeriodSeconds=0)
        self.says(names[1], "has 2 of the 3 pods")
        self.pod("other", cpu="2", application="other", queue="root.other")
        self.on("one", "other")

    def test_a_node_that_goes_while_a_group_waits_is_not_missed(self):
        for name in ("one", "two"):
            self.node(name, 1)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.api.delete("Node", "two")
        self.node("three", 4)
        self.on(["one", "three"], *names)

    def test_a_number_that_is_lowered_lets_what_has_room_run(self):
        self.node("one", 2)
        self.group("gang", 3)
        names = self.members("gang", 3)
        self.holds(*names, have=2, of=3)
        self.api.patch("PodGroup", "gang", {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}, self.namespace, form=MERGE)
        self.count(2)

    def test_many_groups_are_all_whole(self):
        for i in range(10):
            self.node(f"n{i}", 8)
        for number in range(10):
            self.group(f"g{number}x", 8)
        for i, number in itertools.product(range(8), range(10)):
            self.members(f"g{number}x", 1, first=i, application=f"app{number % 3}")
        self.count(80)

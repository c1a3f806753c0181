# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Gangs: task groups whose placeholder pods hold room until there is room for all of it."""

import collections
import json

from api import Refused
from cluster import Case, condition

DOMAIN = "yunikorn.apache.org/"


def group(members: int, name: str = "workers", cpu: str = "1", **more) -> dict:
    return {"name": name, "minMember": members, "minResource": {"cpu": cpu}} | more


class Gangs(Case):
    def member(self, name: str, groups: list[dict] | None = None, of: str = "workers", policy: str = "", gang: str = "gang", cpu: str = "1", **more) -> None:
        annotations = {DOMAIN + "task-group-name": of} if of else {}
        if groups is not None:
            annotations[DOMAIN + "task-groups"] = json.dumps(groups)
        if policy:
            annotations[DOMAIN + "schedulingPolicyParameters"] = policy
        self.pod(name, cpu=cpu, application=gang, annotations=annotations, **more)

    def gang(self, members: int, *groups: dict, **more) -> None:
        for i in range(members):
            self.member(f"p{i}", list(groups) if i == 0 else None, **more)

    def placeholders(self) -> list[dict]:
        return [pod for pod in self.pods() if pod["metadata"].get("annotations", {}).get(DOMAIN + "placeholder") == "true"]

    def real(self) -> list[str]:
        return [name for name in self.bound() if name.startswith("p")]

    def whole(self, members: int) -> None:
        self.until(f"{members} of the gang run", lambda: len(self.real()) == members)
        self.until("no placeholder is left", lambda: not self.placeholders())

    def test_a_gang_runs_and_its_placeholders_go(self):
        self.node("one", 4)
        self.node("two", 4)
        self.gang(6, group(6))
        self.whole(6)

    def test_placeholders_are_pods_as_their_group_says(self):
        self.node("one", 1, labels={"disk": "ssd"})
        self.member("p0", [group(2, nodeSelector={"disk": "ssd"}, labels={"team": "a"}, annotations={"note": "b"},
                                 tolerations=[{"key": "x", "operator": "Exists"}])])
        self.until("two of them", lambda: len(self.placeholders()) == 2)
        for pod in self.placeholders():
            self.assertEqual(pod["spec"]["nodeSelector"], {"disk": "ssd"})
            self.assertEqual(pod["metadata"]["labels"], {"team": "a"})
            self.assertEqual(pod["metadata"]["annotations"]["note"], "b")
            self.assertEqual(pod["metadata"]["annotations"][DOMAIN + "task-group-name"], "workers")
            self.assertEqual(pod["metadata"]["annotations"][DOMAIN + "queue"], "root.work")
            self.assertEqual(pod["metadata"]["ownerReferences"][0]["name"], "p0")
            self.assertEqual(pod["spec"]["tolerations"][0], {"key": "x", "operator": "Exists"})
            self.assertEqual(pod["spec"]["containers"][0]["resources"]["requests"], {"cpu": "1"})
            self.assertEqual(pod["spec"]["schedulerName"], "tenon")

    def test_a_gang_waits_until_all_of_it_has_room(self):
        self.node("one", 2)
        self.gang(3, group(3))
        self.until("two placeholders hold room", lambda: sum("nodeName" in pod["spec"] for pod in self.placeholders()) == 2)
        self.node("two", 2)
        self.whole(3)

    def test_two_groups_are_held_together(self):
        self.node("one", 8)
        both = [group(1, "driver"), group(3, "workers")]
        self.member("p0", both, of="driver")
        self.until("four placeholders", lambda: len(self.placeholders()) + len(self.real()) >= 4)
        for i in range(1, 4):
            self.member(f"p{i}", of="workers")
        self.whole(4)

    def test_members_beyond_the_gang_run_too(self):
        self.node("one", 8)
        self.gang(5, group(3))
        self.whole(5)

    def test_a_soft_gang_without_room_runs_without_placeholders(self):
        self.node("one", 2)
        self.gang(2, group(4), policy="placeholderTimeoutInSeconds=3 gangSchedulingStyle=Soft")
        self.whole(2)

    def test_a_hard_gang_without_room_waits_and_holds_nothing(self):
        self.node("one", 2)
        self.gang(4, group(4), policy="placeholderTimeoutInSeconds=3 gangSchedulingStyle=Hard")
        self.until("placeholders", lambda: len(self.placeholders()) == 4)
        self.pod("beside", cpu="2", application="other")
        self.on("one", "beside")
        self.node("two", 4)
        self.whole(4)

    def test_a_hard_gang_that_begins_piecewise_fails_without_room_and_says_so(self):
        self.node("one", 2)
        self.gang(2, group(4), policy="placeholderTimeoutInSeconds=3 gangSchedulingStyle=Hard", queue="root.piecewise")
        for name in ("p0", "p1"):
            pod = self.until(f"{name} has failed", lambda: (
                one if (one := self.get(name))["status"]["phase"] == "Failed" else None))
            self.assertEqual(pod["status"]["reason"], "ResourceReservationTimeout")
        self.until("no placeholder is left", lambda: not self.placeholders())
        self.pod("after", cpu="2", application="other")
        self.on("one", "after")

    def test_members_that_are_deleted_take_their_placeholders_along(self):
        self.node("one", 1)
        self.gang(2, group(3))
        self.until("placeholders", lambda: len(self.placeholders()) == 3)
        for name in ("p0", "p1"):
            self.delete(name, gracePeriodSeconds=0)
        self.until("no placeholder is left", lambda: not self.placeholders())
        self.pod("after", application="other")
        self.on("one", "after")

    def test_a_bridge_killed_while_a_gang_waits_holds_it_together(self):
        self.node("one", 2)
        self.gang(3, group(3))
        self.until("two placeholders hold room", lambda: sum("nodeName" in pod["spec"] for pod in self.placeholders()) == 2)
        self.end(self.bridge)
        self.node("two", 2)
        self.start_bridge(wait=False)
        self.whole(3)

    def test_a_scheduler_killed_while_a_gang_waits_is_told_of_it_again(self):
        self.node("one", 2)
        self.gang(3, group(3))
        self.until("two placeholders hold room", lambda: sum("nodeName" in pod["spec"] for pod in self.placeholders()) == 2)
        self.scheduler.kill()
        self.serve()
        self.node("two", 2)
        self.whole(3)

    def test_a_bridge_that_comes_back_makes_no_placeholders_for_what_runs(self):
        self.node("one", 8)
        self.gang(3, group(3))
        self.whole(3)
        self.end(self.bridge)
        self.start_bridge()
        self.pod("after", application="other")
        self.on("one", "after")
        self.assertEqual(self.placeholders(), [])

    def test_gangs_that_fit_only_one_at_a_time_all_run(self):
        self.node("one", 4)
        for gang in ("a", "b"):
            self.member(f"p-{gang}0", [group(4)], gang=gang)
            for i in range(1, 4):
                self.member(f"p-{gang}{i}", gang=gang)
            self.until("the first one has the node", lambda: len(self.bound()) >= 4)
        first = self.until("one of them runs", lambda: (
            names if len(names := self.real()) == 4 and not [one for one in self.placeholders() if "nodeName" in one["spec"]] else None))
        self.assertEqual(len({name[2] for name in first}), 1)
        for name in first:
            self.finish(name)
        self.until("the other one runs", lambda: len([
            pod for pod in self.pods() if pod["spec"].get("nodeName") and pod["status"]["phase"] != "Succeeded"
            and pod["metadata"]["name"].startswith("p-")]) == 4)

    def test_of_gangs_that_each_hold_half_of_the_room_the_older_one_runs_first(self):
        for gang, queue in (("a", "root.work"), ("b", "root.other")):
            self.member(f"p-{gang}0", [group(4)], gang=gang, queue=queue)
            for i in range(1, 4):
                self.member(f"p-{gang}{i}", gang=gang, queue=queue)
            self.next_second()
        self.until("all placeholders wait", lambda: len(self.placeholders()) == 8)
        self.node("one", 4)
        self.until("each holds half", lambda: collections.Counter(
            pod["metadata"]["annotations"][DOMAIN + "app-id"] for pod in self.placeholders() if "nodeName" in pod["spec"]) == {"a": 2, "b": 2})
        self.says("p-b0", "^not placed: the gang gave its room to an older one, and is asked for again$")
        self.on("one", *(f"p-a{i}" for i in range(4)))
        self.assertFalse([name for name in self.real() if name.startswith("p-b")])
        for i in range(4):
            self.finish(f"p-a{i}")
        self.on("one", *(f"p-b{i}" for i in range(4)))
        self.until("no placeholder is left", lambda: not self.placeholders())

    def test_another_pod_names_the_groups_after_the_first_one_is_gone(self):
        self.node("one", 2)
        for i in range(3):
            self.member(f"p{i}", [group(3)])
            self.next_second()
        self.until("two placeholders hold room", lambda: sum("nodeName" in pod["spec"] for pod in self.placeholders()) == 2)
        self.delete("p0", gracePeriodSeconds=0)
        for pod in self.placeholders():  # as the collector of garbage does it
            self.delete(pod["metadata"]["name"], gracePeriodSeconds=0)
        self.until("they are made again", lambda: {pod["metadata"]["ownerReferences"][0]["name"] for pod in self.placeholders()} == {"p1"})
        self.member("p3")
        self.node("two", 2)
        self.whole(3)

    def test_task_groups_that_cannot_be_read_are_said_and_left_out(self):
        self.node("one", 8)
        for i, wrong in enumerate((
            "no json", "[]", json.dumps([{"name": "workers", "minMember": 0, "minResource": {"cpu": "1"}}]),
            json.dumps([{"name": "workers", "minMember": 1, "minResource": {"cpu": "much"}}]), json.dumps([group(1), group(2)]),
            json.dumps([group(2_000_000)]),
        )):
            self.pod(f"p{i}", application=f"wrong{i}", annotations={DOMAIN + "task-group-name": "workers", DOMAIN + "task-groups": wrong})
            self.on("one", f"p{i}")
            self.until("an event tells of it", lambda: [one for one in self.api.list("Event", self.namespace) if (
                one["reason"], one["regarding"]["name"]) == ("TaskGroupsError", f"p{i}")])

    def test_a_placeholder_that_may_not_be_made_is_named(self):
        self.node("one", 8)
        self.quota("1")
        self.member("p0", [group(2)])
        self.says("p0", r"^not placed: the placeholder tg-\S+ of the pod's task groups cannot be made: .*exceeded quota")
        self.api.delete("ResourceQuota", "few", self.namespace)
        self.until("the quota is forgotten", lambda: self.allowed(lambda: self.member("p1")))
        self.whole(2)

    def test_a_hard_gang_of_which_a_placeholder_may_not_be_made_holds_nothing(self):
        self.node("one", 2)
        self.quota("3")
        self.member("p0", [group(3)], policy="gangSchedulingStyle=Hard")
        self.says("p0", r"^not placed: the placeholder tg-\S+ of the pod's task groups cannot be made: .*exceeded quota")
        self.until("two placeholders", lambda: len(self.placeholders()) == 2)
        for pod in self.placeholders():
            self.says(pod["metadata"]["name"], "^not placed: the placeholders of a hard gang are asked for together")
        beside = self.new_namespace()
        self.pod("beside", cpu="2", application="other", namespace=beside)
        self.until("another pod has the node", lambda: self.get("beside", beside)["spec"].get("nodeName") == "one")
        self.assertFalse([pod for pod in self.placeholders() if "nodeName" in pod["spec"]])
        self.api.delete("ResourceQuota", "few", self.namespace)
        self.until("the quota is forgotten", lambda: self.allowed(lambda: self.member("p1")))
        self.member("p2")
        self.node("two", 3)
        self.whole(3)

    def quota(self, pods: str) -> None:
        """Limits the pods of the namespace. From here on the API server's admission counts them: it hears of a quota a moment later, so this
        waits until it refuses an object of another kind, of which the quota allows none."""
        hard, used = {"pods": pods, "count/configmaps": "0"}, {"pods": "0", "count/configmaps": "0"}
        self.api.create("ResourceQuota", {"metadata": {"name": "few", "namespace": self.namespace}, "spec": {"hard": hard}})
        self.api.patch("ResourceQuota", "few", {"status": {"hard": hard, "used": used}}, self.namespace, "status")
        self.rights_checked = False  # the quota's answer is 403 too

        def counts() -> bool:
            try:
                self.api.create("ConfigMap", {"metadata": {"generateName": "one-", "namespace": self.namespace}})
            except Refused as wrong:
                return "exceeded quota" in str(wrong)
            return False
        self.until("the quota counts", counts)

    def allowed(self, do) -> bool:
        """Whether the API server takes it: its admission hears of a quota that is gone a moment later."""
        try:
            do()
        except Refused as wrong:
            if wrong.status != 403:
                raise
            return False
        return True

    def test_a_hard_gang_is_whole_again_after_its_bridge_is_killed(self):
        self.node("one", 2)
        self.gang(3, group(3), policy="gangSchedulingStyle=Hard")
        self.until("placeholders", lambda: len(self.placeholders()) == 3)
        self.end(self.bridge)
        self.delete(self.placeholders()[0]["metadata"]["name"], gracePeriodSeconds=0)
        self.start_bridge(wait=False)
        self.until("placeholders again", lambda: len(self.placeholders()) == 3)
        self.pod("beside", cpu="2", application="other")
        self.on("one", "beside")
        self.node("two", 3)
        self.whole(3)

    def test_a_gang_takes_its_room_from_the_queue_once(self):
        self.node("one", 8)
        self.member("p0", [group(1)], queue="root.small")
        self.on("one", "p0")
        self.assertEqual(condition(self.get("p0"), "PodScheduled")["status"], "True")
        self.until("no placeholder is left", lambda: not self.placeholders())

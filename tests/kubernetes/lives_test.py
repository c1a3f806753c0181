# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What pods and nodes go through, and what is said of those that wait."""

from api import MERGE
from cluster import EXPLAINED, Case, condition
from placing_test import container, matches, node_affinity


class Waiting(Case):
    def test_a_pod_that_fits_nowhere_says_why_until_a_node_comes(self):
        self.node("one", 2)
        self.node("two", 2)
        self.pod("large", cpu="8")
        self.assertEqual(self.says("large", "Insufficient"), "0/2 nodes are available: 2 Insufficient cpu.")
        event = self.until("an event tells of it", lambda: [
            one for one in self.api.list("Event", self.namespace) if one["reason"] == "FailedScheduling"])[0]
        self.assertEqual((event["type"], event["note"].partition(EXPLAINED)[0]), ("Warning", "0/2 nodes are available: 2 Insufficient cpu."))
        self.node("three", 8)
        self.on("three", "large")
        self.assertEqual(condition(self.get("large"), "PodScheduled")["status"], "True")

    def test_the_condition_names_the_generation_that_it_is_about(self):
        self.node("one", 1)
        self.pod("large", cpu="8")
        self.says("large", "Insufficient cpu")
        pod = self.get("large")
        self.assertEqual(condition(pod, "PodScheduled").get("observedGeneration"), pod["metadata"]["generation"])

    def test_without_nodes_that_is_said(self):
        self.pod("first")
        self.says("first", "^no nodes available to schedule pods\\b")
        self.node("one")
        self.on("one", "first")

    def test_what_is_said_follows_the_nodes(self):
        self.node("one", 2)
        self.pod("large", cpu="8")
        self.says("large", "^0/1 nodes are available: 1 Insufficient cpu")
        self.node("two", 2, labels={"a": "b"})
        self.says("large", "^0/2 nodes are available: 2 Insufficient cpu")

    def test_an_impossible_amount_waits_and_harms_nobody(self):
        self.node("one")
        self.pod("absurd", cpu="9000000000")
        self.pod("exotic", containers=[container({"example.com/none": "1"}) | {"resources": {"limits": {"example.com/none": "1"}}}])
        self.says("absurd", "Insufficient cpu")
        self.says("exotic", "Insufficient example.com/none")
        self.pod("ordinary")
        self.on("one", "ordinary")

    def test_a_wrong_user_and_a_huge_annotation_stop_nothing(self):
        self.node("one")
        self.pod("user", annotations={"yunikorn.apache.org/user.info": "{no json"}, application="a")
        self.pod("huge", annotations={"example.com/note": "x" * 200_000}, application="b")
        self.on("one", "user", "huge")

    def test_a_gated_pod_waits_for_its_last_gate(self):
        self.node("one")
        gates = [{"name": "example.com/first"}, {"name": "example.com/second"}]
        self.pod("gated", schedulingGates=gates)
        self.assertEqual(condition(self.get("gated"), "PodScheduled")["reason"], "SchedulingGated")
        self.pod("free")
        self.on("one", "free")
        for left in (gates[1:], []):
            self.wait_on("gated", seconds=0.5)
            self.api.patch("Pod", "gated", {"spec": {"schedulingGates": left}}, self.namespace, form=MERGE)
        self.on("one", "gated")


class Lives(Case):
    def test_a_pod_that_waits_can_be_deleted(self):
        self.node("one", 1)
        self.pod("first")
        self.on("one", "first")
        for name in ("second", "third"):
            self.pod(name)
            self.says(name, "Insufficient cpu")
        self.delete("second")
        self.gone("second")
        self.finish("first")
        self.on("one", "third")

    def test_a_pod_deleted_the_moment_it_was_made_leaves_no_trace(self):
        self.node("one", 4)
        for i in range(40):
            self.pod(f"brief{i}", cpu="4")
            self.delete(f"brief{i}", gracePeriodSeconds=0)
        self.pod("last", cpu="4")
        self.on("one", "last")

    def test_a_pod_made_again_under_its_name_is_another_one(self):
        self.node("one", 1)
        seen = set()
        for _ in range(8):
            uid = self.pod("again")["metadata"]["uid"]
            self.on("one", "again")
            self.assertEqual(self.get("again")["metadata"]["uid"], uid)
            seen.add(uid)
            self.delete("again", gracePeriodSeconds=0)
        self.assertEqual(len(seen), 8)

    def test_what_completed_or_failed_gives_back_its_room(self):
        self.node("one", 1)
        for i, phase in enumerate(("Succeeded", "Failed", "Succeeded")):
            self.pod(f"p{i}")
            self.on("one", f"p{i}")
            self.finish(f"p{i}", phase)
        self.pod("last")
        self.on("one", "last")

    def test_a_terminating_pod_keeps_its_room_until_it_is_gone(self):
        self.node("one", 1)
        self.kubelets.slow.add("slow")
        self.pod("slow")
        self.on("one", "slow")
        self.delete("slow")
        self.pod("next")
        self.says("next", "Insufficient cpu")
        self.wait_on("next")
        self.kubelets.finish("slow")
        self.on("one", "next")

    def test_an_application_that_ended_begins_anew(self):
        self.node("one", 1)
        for i in range(3):
            self.pod(f"p{i}", application="same")
            self.on("one", f"p{i}")
            self.delete(f"p{i}", gracePeriodSeconds=0)
            self.gone(f"p{i}")

    def test_a_node_that_grows_takes_what_waits(self):
        self.node("one", 1)
        self.pod("large", cpu="3")
        self.says("large", "Insufficient cpu")
        more = {"cpu": "4"}
        self.api.patch("Node", "one", {"status": {"capacity": more, "allocatable": more}}, part="status")
        self.on("one", "large")

    def test_a_label_that_comes_later_counts(self):
        self.node("one")
        self.pod("picky", nodeSelector={"disk": "ssd"})
        self.pod("pickier", affinity=node_affinity(matches("disk", "NotIn", "hdd"), matches("speed", "Gt", "3")))
        self.on("one", "pickier")
        self.says("picky", "1 node.s. didn't match Pod's node affinity/selector")
        self.change_node("one", metadata={"labels": {"disk": "ssd"}})
        self.on("one", "picky")

    def test_a_taint_exchanged_for_another_is_looked_at_again(self):
        self.node("one", taints=({"key": "blue", "effect": "NoSchedule"},))
        self.pod("green", tolerations=[{"key": "green", "operator": "Exists"}])
        self.says("green", r"untolerated taint\(s\)")
        self.change_node("one", spec={"taints": [{"key": "green", "effect": "NoSchedule"}]})
        self.on("one", "green")

    def test_a_node_that_goes_comes_back_under_its_name(self):
        self.node("one", 1)
        self.pod("first")
        self.on("one", "first")
        self.api.delete("Node", "one")
        self.pod("second", application="other")
        self.says("second", "^no nodes available to schedule pods\\b")
        self.node("one", 2)
        self.on("one", "second")
        self.pod("third", application="other")
        self.says("third", "Insufficient cpu")

    def test_a_node_removed_while_pods_come_leaves_none_waiting_for_ever(self):
        self.node("stays", 20)
        for turn in range(5):
            self.node(f"goes{turn}", 20)
            for i in range(6):
                self.pod(f"p{turn}-{i}", cpu="100m")
            self.api.delete("Node", f"goes{turn}")
        self.count(30)
        self.pod("after")
        self.on("stays", "after")

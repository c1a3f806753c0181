# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Pods that end for others, and the budgets that are to keep them."""

from api import MERGE
from cluster import Case, condition
from placing_test import matches, node_affinity


class Preemption(Case):
    starts = False

    def begin(self, *options: str) -> None:
        self.serve()
        self.bridge = self.start_bridge(*options)
        self.priority_class("high", 1000)
        self.node("one", 2)
        self.node("two", 4)  # where the whole cluster is full, no room is made for a required node

    def victim(self, name: str, **labels: str) -> None:
        self.kubelets.slow.add(name)
        self.pod(name, labels={"queue": "root.work", "applicationId": "app"} | labels, nodeSelector={"kubernetes.io/hostname": "one"})
        self.on("one", name)
        ready = "it is ready; budgets do not hold up the end of a pod that is not"
        self.until(ready, lambda: condition(self.get(name), "Ready").get("status") == "True")

    def agent(self) -> None:
        """One that needs all of the node one."""
        self.pod("agent", cpu="2", application="agents", priorityClassName="high",
                 affinity=node_affinity(matches("metadata.name", "In", "one", of="matchFields")))

    def budget(self, name: str, **labels: str) -> None:
        self.api.create("PodDisruptionBudget", {"metadata": {"name": name, "namespace": self.namespace},
                                                "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}}})

    def allow(self, name: str, disruptions: int) -> None:
        """As the controller of budgets does it."""
        generation = self.api.get("PodDisruptionBudget", name, self.namespace)["metadata"]["generation"]
        self.api.patch("PodDisruptionBudget", name, {"status": {
            "observedGeneration": generation, "disruptionsAllowed": disruptions, "currentHealthy": 1 + disruptions, "desiredHealthy": 1,
            "expectedPods": 2}}, self.namespace, "status", form=MERGE)

    def ending(self, name: str) -> bool:
        return "deletionTimestamp" in self.get(name)["metadata"]

    def event(self, name: str, reason: str) -> dict:
        return self.until(f"an event {reason} of {name}", lambda: next((
            one for one in self.api.list("Event", self.namespace) if (one["reason"], one["regarding"]["name"]) == (reason, name)), None))

    def told(self, name: str) -> None:
        said = self.until("its condition says so", lambda: (
            one if (one := condition(self.get(name), "DisruptionTarget")).get("reason") == "PreemptionByScheduler" else None))
        self.assertEqual(said["status"], "True")
        self.assertTrue(said["message"])

    def test_a_victim_is_told_deleted_and_waited_for(self):
        self.begin("--budget-patience=1h")
        self.victim("victim")
        self.agent()
        self.until("the victim is to end", lambda: self.ending("victim"))
        self.told("victim")
        self.event("victim", "Preempted")
        self.wait_on("agent")
        self.kubelets.finish("victim")
        self.on("one", "agent")

    def nominated(self, node: str | None) -> None:
        self.until(f"the nominated node is {node}", lambda: self.get("agent")["status"].get("nominatedNodeName") == node)

    def test_the_node_on_which_victims_end_is_nominated_until_the_pod_is_bound(self):
        self.begin("--budget-patience=1h")
        self.victim("victim")
        self.agent()
        self.nominated("one")
        self.wait_on("agent", seconds=3)
        self.nominated("one")
        self.assertNotIn("nominatedNodeName", self.get("victim")["status"])
        self.kubelets.finish("victim")
        self.on("one", "agent")
        self.nominated(None)

    def test_a_node_to_which_the_pod_cannot_go_any_more_is_not_nominated_for_ever(self):
        self.begin("--budget-patience=1h")
        self.victim("victim")
        self.agent()
        self.nominated("one")
        self.api.patch("Node", "one", {"spec": {"taints": [{"key": "dedicated", "value": "yes", "effect": "NoSchedule"}]}})
        self.kubelets.finish("victim")
        self.nominated(None)
        self.wait_on("agent")

    def test_a_bridge_that_comes_back_ends_its_own_nominations_and_no_others(self):
        self.begin("--budget-patience=1h")
        self.victim("victim")
        self.agent()
        self.pod("other", cpu="64")
        self.api.patch("Pod", "other", {"status": {"nominatedNodeName": "two"}}, self.namespace, "status")
        self.nominated("one")
        self.until("the victim is to end", lambda: self.ending("victim"))
        self.end(self.bridge)
        self.api.patch("Node", "one", {"spec": {"taints": [{"key": "dedicated", "value": "yes", "effect": "NoSchedule"}]}})
        self.kubelets.finish("victim")
        self.gone("victim")
        self.start_bridge()
        self.nominated(None)
        self.assertEqual(self.get("other")["status"]["nominatedNodeName"], "two")

    def test_a_budget_without_room_holds_up_the_end_of_a_victim(self):
        self.begin("--budget-patience=1h")
        self.budget("kept", app="kept")
        self.allow("kept", 0)
        self.victim("victim", app="kept")
        self.agent()
        self.assertIn("The disruption budget kept needs 1 healthy pods and has 1 currently", self.event("victim", "PreemptionDelayed")["note"])
        self.wait_on("agent")
        self.assertFalse(self.ending("victim"))
        self.assertEqual(condition(self.get("victim"), "DisruptionTarget"), {})
        self.allow("kept", 1)
        self.until("the victim is to end", lambda: self.ending("victim"))
        self.told("victim")
        status = self.api.get("PodDisruptionBudget", "kept", self.namespace)["status"]
        self.assertEqual(list(status["disruptedPods"]), ["victim"])
        self.kubelets.finish("victim")
        self.on("one", "agent")

    def test_a_victim_runs_on_whose_preemptor_is_deleted(self):
        self.begin("--budget-patience=8s")
        self.budget("kept", app="kept")
        self.allow("kept", 0)
        self.victim("victim", app="kept")
        self.agent()
        self.event("victim", "PreemptionDelayed")
        self.delete("agent")
        self.event("victim", "PreemptionCancelled")
        self.assertFalse(self.ending("victim"))
        on_one = {"kubernetes.io/hostname": "one"}
        self.pod("large", cpu="2", nodeSelector=on_one)
        self.says("large", "1 Insufficient cpu")  # the victim has its place
        self.pod("small", cpu="1", nodeSelector=on_one)
        self.on("one", "small")
        self.assertFalse(self.ending("victim"))

    def test_after_a_while_a_victim_ends_all_the_same(self):
        self.begin("--budget-patience=2s")
        self.budget("kept", app="kept")
        self.allow("kept", 0)
        self.victim("victim", app="kept")
        self.agent()
        self.event("victim", "PreemptionDelayed")
        self.until("the victim is to end", lambda: self.ending("victim"))
        self.assertEqual(self.event("victim", "DisruptionBudgetOverrun")["type"], "Warning")
        self.told("victim")
        self.kubelets.finish("victim")
        self.on("one", "agent")

    def test_victims_of_one_budget_end_as_it_allows(self):
        self.begin("--budget-patience=1h")
        self.budget("kept", app="kept")
        self.allow("kept", 1)
        for name in ("first", "second"):
            self.victim(name, app="kept")
        self.agent()
        one = self.until("one of them is to end", lambda: next((name for name in ("first", "second") if self.ending(name)), None))
        other = "second" if one == "first" else "first"
        self.event(other, "PreemptionDelayed")
        self.kubelets.finish(one)
        self.gone(one)
        self.assertFalse(self.ending(other))
        self.wait_on("agent")
        self.allow("kept", 1)
        self.until("the other one is to end", lambda: self.ending(other))
        self.kubelets.finish(other)
        self.on("one", "agent")

    def test_a_pod_of_two_budgets_is_not_kept_for_ever(self):
        self.begin("--budget-patience=3s")
        for name in ("some", "all"):  # the API server evicts nothing that has two
            self.budget(name, app="kept")
            self.allow(name, 1)
        self.victim("victim", app="kept")
        self.agent()
        self.until("the victim is to end", lambda: self.ending("victim"))
        self.kubelets.finish("victim")
        self.on("one", "agent")

    def test_a_scheduler_that_forgot_its_victim_lets_it_run(self):
        self.begin("--budget-patience=1h")
        self.budget("kept", app="kept")
        self.allow("kept", 0)
        self.victim("victim", app="kept")
        self.agent()
        self.event("victim", "PreemptionDelayed")
        self.scheduler.kill()
        self.delete("agent", gracePeriodSeconds=0)
        self.serve()
        self.until("it knows everything", self.bridge.connected)
        self.allow("kept", 1)
        self.pod("other", nodeSelector={"kubernetes.io/hostname": "two"})
        self.on("two", "other")
        self.assertFalse(self.ending("victim"))

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Pods and nodes that become others while pods wait, are on their way, or run."""

from api import MERGE, STRATEGIC, path_of
from cluster import Case, condition
from demands_test import ZONE, Claims, apart, spread, term
from placing_test import NO_SCHEDULE, TOLERATES, container, matches, node_affinity


class Changing(Case):
    def resize(self, name: str, **requests: str) -> None:
        change = {"spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}}
        self.api.call("PATCH", path_of("Pod", self.namespace, name, "resize"), change, STRATEGIC)

    def runs(self, name: str) -> None:
        self.until("it runs", lambda: self.get(name)["status"]["phase"] == "Running")

    def kubelet_says(self, name: str, cpu: str, *conditions: dict) -> None:
        """What a container has by now, as the kubelet reports it."""
        status = {"name": "main", "ready": True, "restartCount": 0, "image": "none", "imageID": "none", "allocatedResources": {"cpu": cpu},
                  "resources": {"requests": {"cpu": cpu}}}
        self.api.patch("Pod", name, {"status": {"containerStatuses": [status], "conditions": list(conditions)}}, self.namespace, "status")


class Waiting(Changing):
    def test_a_toleration_that_is_added_counts(self):
        self.node("one", taints=(NO_SCHEDULE,))
        self.pod("first")
        self.says("first", r"untolerated taint\(s\)")
        tolerations = self.get("first")["spec"]["tolerations"]
        self.api.patch("Pod", "first", {"spec": {"tolerations": [*tolerations, TOLERATES]}}, self.namespace, form=MERGE)
        self.on("one", "first")

    def test_one_more_toleration_counts_too(self):
        self.node("one", taints=(NO_SCHEDULE,))
        self.pod("first", tolerations=[{"key": "other", "operator": "Exists"}])
        self.says("first", r"untolerated taint\(s\)")
        tolerations = self.get("first")["spec"]["tolerations"]
        self.api.patch("Pod", "first", {"spec": {"tolerations": [*tolerations, TOLERATES]}}, self.namespace, form=MERGE)
        self.on("one", "first")

    def test_a_pod_that_wants_less_fits(self):
        self.node("one", 2)
        self.pod("first", cpu="3")
        self.says("first", "Insufficient cpu")
        self.resize("first", cpu="2")
        self.on("one", "first")
        self.pod("second")
        self.says("second", "Insufficient cpu")

    def test_a_pod_that_wants_more_waits_for_that(self):
        self.node("one", 2)
        self.pod("holder", cpu="2")
        self.on("one", "holder")
        self.pod("first", cpu="1")
        self.says("first", "Insufficient cpu")
        self.resize("first", cpu="3")
        self.finish("holder")
        self.wait_on("first")
        self.node("two", 3)
        self.on("two", "first")

    def test_a_pod_that_wants_less_keeps_its_place_in_line(self):
        self.node("one", 2)
        self.pod("holder", cpu="2")
        self.on("one", "holder")
        for name in ("older", "younger"):
            self.pod(name, cpu="2")
            self.says(name, "Insufficient cpu")
            self.next_second()
        self.resize("older", cpu="1500m")
        self.finish("holder")
        self.on("one", "older")
        self.wait_on("younger")

    def test_a_label_of_its_own_counts(self):
        self.node("one")
        self.pod("alone", affinity=apart(term("noisy")))
        self.on("one", "alone")
        self.pod("first", labels={"queue": "root.work", "applicationId": "app", "app": "noisy"})
        self.says("first", "didn't satisfy existing pods anti-affinity rules")
        self.api.patch("Pod", "first", {"metadata": {"labels": {"app": "quiet"}}}, self.namespace, form=MERGE)
        self.on("one", "first")

    def test_a_label_of_its_own_counts_for_its_spread(self):
        for name in ("a", "b"):
            self.node(name, labels={ZONE: name}, unschedulable=name == "b")
        labels = {"queue": "root.work", "applicationId": "app", "app": "spread"}
        for name in ("first", "second"):
            self.pod(name, labels=labels, topologySpreadConstraints=spread("spread"))
            if name == "first":
                self.on("a", name)
        self.says("second", "topology spread constraints")
        self.api.patch("Pod", "second", {"metadata": {"labels": {"app": "other"}}}, self.namespace, form=MERGE)
        self.on("a", "second")

    def test_a_gated_pod_whose_selector_is_narrowed_follows_it(self):
        for name in ("one", "two"):
            self.node(name)
        self.pod("gated", schedulingGates=[{"name": "example.com/gate"}])
        self.api.patch("Pod", "gated", {"spec": {"nodeSelector": {"kubernetes.io/hostname": "two"}}}, self.namespace, form=MERGE)
        self.api.patch("Pod", "gated", {"spec": {"schedulingGates": []}}, self.namespace, form=MERGE)
        self.on("two", "gated")

    def test_a_gated_pod_takes_no_room_and_can_be_deleted(self):
        self.node("one", 1)
        self.pod("gated", schedulingGates=[{"name": "example.com/gate"}])
        self.pod("first")
        self.on("one", "first")
        self.delete("gated")
        self.gone("gated")
        self.finish("first")
        self.pod("second")
        self.on("one", "second")

    def test_a_gated_member_holds_up_no_other_of_its_application(self):
        self.node("one", 2)
        self.pod("gated", schedulingGates=[{"name": "example.com/gate"}])
        self.pod("first")
        self.pod("second")
        self.on("one", "first", "second")
        self.api.patch("Pod", "gated", {"spec": {"schedulingGates": []}}, self.namespace, form=MERGE)
        self.says("gated", "Insufficient cpu")


class Resized(Changing):
    def test_room_that_a_pod_gives_up_is_others_at_once_where_no_kubelet_says_otherwise(self):
        self.node("one", 4)
        self.pod("shrinks", cpu="4")
        self.on("one", "shrinks")
        self.runs("shrinks")
        self.pod("next", cpu="3")
        self.says("next", "Insufficient cpu")
        self.resize("shrinks", cpu="1")
        self.on("one", "next")

    def test_room_that_a_container_still_has_is_nobody_elses(self):
        self.node("one", 4)
        self.pod("shrinks", cpu="4")
        self.on("one", "shrinks")
        self.runs("shrinks")
        self.kubelet_says("shrinks", "4")
        self.resize("shrinks", cpu="1")
        self.pod("next", cpu="3")
        self.says("next", "Insufficient cpu")
        self.wait_on("next", seconds=0.5)
        self.kubelet_says("shrinks", "1")
        self.on("one", "next")

    def test_what_a_kubelet_cannot_give_is_not_counted(self):
        self.node("one", 4)
        self.pod("grows")
        self.on("one", "grows")
        self.runs("grows")
        self.kubelet_says("grows", "1")
        self.resize("grows", cpu="4")
        self.kubelet_says("grows", "1", {"type": "PodResizePending", "status": "True", "reason": "Infeasible"})
        self.pod("next", cpu="3")
        self.on("one", "next")
        self.finish("next")  # what pods want by their specs is more than the node has

    def test_room_that_a_resize_waits_for_is_given_to_nobody_else(self):
        self.node("one", 4)
        self.pod("grows")
        self.pod("beside", cpu="2")
        self.on("one", "grows", "beside")
        self.runs("grows")
        self.kubelet_says("grows", "1")
        self.resize("grows", cpu="3")
        self.kubelet_says("grows", "1", {"type": "PodResizePending", "status": "True", "reason": "Deferred"})
        self.pod("next")
        self.says("next", "Insufficient cpu")
        self.wait_on("next", seconds=0.5)
        self.delete("beside", gracePeriodSeconds=0)
        self.on("one", "next")
        self.kubelet_says("grows", "3")
        self.pod("last")
        self.says("last", "Insufficient cpu")

    def test_a_queue_over_its_limit_by_a_resize_takes_no_more(self):
        self.node("one", 8)
        self.pod("grows", cpu="500m", queue="root.small", application="a")
        self.on("one", "grows")
        self.runs("grows")
        self.resize("grows", cpu="2")
        self.pod("next", cpu="100m", queue="root.small", application="a")
        self.says("next", "^The max of queue root.small leaves too little vcore: ", explained=True)
        self.resize("grows", cpu="800m")
        self.on("one", "next")

    def test_what_was_resized_counts_after_a_restart(self):
        self.node("one", 4)
        self.pod("grows")
        self.on("one", "grows")
        self.runs("grows")
        self.resize("grows", cpu="3")
        self.scheduler.kill()
        self.end(self.bridge)
        self.serve()
        self.start_bridge()
        self.pod("next", cpu="2")
        self.says("next", "Insufficient cpu")
        self.pod("small")
        self.on("one", "small")


class Wants(Case):
    """What a pod takes that no container says."""

    def test_the_overhead_of_a_runtime_counts(self):
        self.api.create("RuntimeClass", {"metadata": {"name": "virtual"}, "handler": "virtual", "overhead": {"podFixed": {"cpu": "2"}}})
        self.addCleanup(self.api.delete, "RuntimeClass", "virtual")
        self.node("small", 2)
        self.node("large", 4)
        self.pod("first", runtimeClassName="virtual")
        self.on("large", "first")
        self.pod("second", cpu="2", runtimeClassName="virtual")
        self.says("second", "Insufficient cpu")
        self.pod("third", cpu="2")
        self.on("small", "third")

    def test_the_nodes_that_a_runtime_wants_are_chosen(self):
        self.api.create("RuntimeClass", {"metadata": {"name": "virtual"}, "handler": "virtual", "scheduling": {
            "nodeSelector": {"runtime": "virtual"}, "tolerations": [TOLERATES]}})
        self.addCleanup(self.api.delete, "RuntimeClass", "virtual")
        self.node("plain")
        self.node("virtual", labels={"runtime": "virtual"}, taints=(NO_SCHEDULE,))
        self.pod("first", runtimeClassName="virtual")
        self.on("virtual", "first")

    def test_init_containers_before_and_after_a_sidecar_count_as_the_kubelet_runs_them(self):
        def init(name: str, cpu: str, **more) -> dict:
            return container({"cpu": cpu}) | {"name": name} | more
        self.node("one", 4)
        always = {"restartPolicy": "Always"}
        self.pod("fits", cpu="1", initContainers=[init("a", "4"), init("b", "2", **always), init("c", "2")])
        self.on("one", "fits")
        self.finish("fits")
        self.pod("not", cpu="1", initContainers=[init("b", "2", **always), init("c", "3")])
        self.says("not", "Insufficient cpu")

    def test_resources_of_the_whole_pod_count_instead_of_those_of_its_containers(self):
        self.node("one", 4)
        self.pod("whole", containers=[container({"cpu": "1"}), container({"cpu": "1"}) | {"name": "other"}],
                 resources={"requests": {"cpu": "4"}})
        self.on("one", "whole")
        self.pod("next", cpu="100m")
        self.says("next", "Insufficient cpu")

    def test_huge_pages_and_storage_count(self):
        self.node("one", 4, more={"hugepages-2Mi": "64Mi", "ephemeral-storage": "10Gi"})
        pages = {"hugepages-2Mi": "48Mi", "cpu": "1", "memory": "1Gi"}
        self.pod("first", containers=[{"name": "main", "image": "none", "resources": {"requests": pages, "limits": pages}}])
        self.on("one", "first")
        self.pod("second", containers=[{"name": "main", "image": "none", "resources": {"requests": pages, "limits": pages}}])
        self.says("second", "Insufficient hugepages-2Mi")
        self.pod("third", containers=[container({"ephemeral-storage": "11Gi"})])
        self.says("third", "Insufficient ephemeral-storage")


class Nodes(Case):
    def test_a_node_that_loses_a_label_keeps_its_pods_and_gets_no_more(self):
        self.node("one", labels={"disk": "ssd"})
        self.pod("first", nodeSelector={"disk": "ssd"})
        self.on("one", "first")
        self.change_node("one", metadata={"labels": {"disk": None}})
        self.pod("second", nodeSelector={"disk": "ssd"})
        self.says("second", "node affinity/selector")
        self.assertEqual(self.get("first")["spec"]["nodeName"], "one")
        self.change_node("one", metadata={"labels": {"disk": "ssd"}})
        self.on("one", "second")

    def test_a_taint_that_ends_pods_keeps_others_away(self):
        self.node("one", taints=({"key": "broken", "effect": "NoExecute"},))
        self.pod("first", tolerations=[{"key": "broken", "operator": "Exists", "tolerationSeconds": 60, "effect": "NoExecute"}])
        self.on("one", "first")
        self.pod("second")
        self.says("second", r"untolerated taint\(s\)")

    def test_a_taint_that_only_asks_keeps_nobody_away(self):
        self.node("one", taints=({"key": "rather", "effect": "PreferNoSchedule"},))
        self.pod("first")
        self.on("one", "first")

    def test_a_node_that_shrinks_below_what_runs_takes_no_more(self):
        self.node("one", 4)
        for i in range(4):
            self.pod(f"p{i}")
        self.on("one", *(f"p{i}" for i in range(4)))
        room = {"cpu": "2"}
        self.api.patch("Node", "one", {"status": {"capacity": room, "allocatable": room}}, part="status")
        self.pod("next")
        for i in range(2):
            self.delete(f"p{i}", gracePeriodSeconds=0)
        self.says("next", "Insufficient cpu")
        self.wait_on("next", seconds=0.5)
        self.delete("p2", gracePeriodSeconds=0)
        self.on("one", "next")

    def test_a_node_whose_devices_fail_gives_none_until_they_are_back(self):
        def wants() -> list[dict]:
            return [{"name": "main", "image": "none", "resources": {"limits": {"example.com/gpu": "1"}}}]
        self.node("one", 4, more={"example.com/gpu": "2"})
        self.pod("first", containers=wants())
        self.on("one", "first")
        for left in ("0", "2"):
            room = {"example.com/gpu": left}
            self.api.patch("Node", "one", {"status": {"allocatable": room}}, part="status")
            if left == "0":
                self.pod("second", containers=wants())
                self.says("second", "Insufficient example.com/gpu")
        self.on("one", "second")

    def test_a_cordoned_node_that_is_drained_takes_pods_again_when_it_is_open(self):
        for name in ("one", "two"):
            self.node(name, 2)
        for i in range(4):
            self.pod(f"p{i}")
        self.count(4)
        self.change_node("one", spec={"unschedulable": True})
        ended = [pod["metadata"]["name"] for pod in self.pods() if pod["spec"]["nodeName"] == "one"]
        for name in ended:
            self.delete(name)
            self.pod(f"{name}-again")
        self.wait_on(*(f"{name}-again" for name in ended))
        self.change_node("one", spec={"unschedulable": False})
        self.on("one", *(f"{name}-again" for name in ended))

    def test_pods_of_a_node_that_comes_later_take_its_room(self):
        self.node("other", 4)
        self.pod("early", cpu="3", schedulerName="default-scheduler", nodeName="later")
        self.pod("ours", cpu="4")
        self.on("other", "ours")
        self.node("later", 4)
        self.pod("next", cpu="2")
        self.says("next", "2 Insufficient cpu")
        self.pod("small", cpu="1")
        self.on("later", "small")

    def test_the_agent_of_a_node_that_is_gone_waits_for_it(self):
        self.node("one")
        self.pod("agent", affinity=node_affinity(matches("metadata.name", "In", "two", of="matchFields")))
        self.says("agent", "^0/1 nodes are available: 1 ")
        self.node("two")
        self.on("two", "agent")


class OnTheWay(Claims):
    """Between the decision and the binding: a volume is made for the chosen node."""

    def begin(self, *nodes: str) -> None:
        for name in nodes:
            self.node(name)
        self.storage_class("later")
        self.claim("data", "later")

    def chosen(self) -> str:
        return self.until("the node is told", lambda: self.selected("data"))

    def forget(self) -> None:
        """As a driver does it whose node is gone."""
        self.api.patch("PersistentVolumeClaim", "data", {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": None}}},
                       self.namespace, form=MERGE)

    def test_a_node_that_goes_gets_no_pod_and_another_one_does(self):
        self.begin("one")
        self.using("first", "data")
        self.chosen()
        self.api.delete("Node", "one")
        self.node("two")
        self.forget()
        self.until("the other node is told", lambda: self.selected("data") == "two")
        self.volume("made", "later", node="two")
        self.bind_volume("data", "made")
        self.on("two", "first")

    def test_a_pod_made_again_under_its_name_is_another_one(self):
        self.begin("one")
        self.using("first", "data")
        self.chosen()
        self.delete("first", gracePeriodSeconds=0)
        self.using("first", "data")
        uid = self.get("first")["metadata"]["uid"]
        self.volume("made", "later", node="one")
        self.bind_volume("data", "made")
        self.on("one", "first")
        self.assertEqual(self.get("first")["metadata"]["uid"], uid)
        self.assertEqual(len([one for one in self.api.list("Event", self.namespace) if one["reason"] == "Scheduled"]), 1)

    def test_a_pod_that_somebody_else_binds_elsewhere_is_left_there(self):
        self.begin("one", "two")
        self.using("first", "data")
        other = "two" if self.chosen() == "one" else "one"
        self.api.call("POST", path_of("Pod", self.namespace, "first", "binding"), {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "first"}, "target": {"kind": "Node", "name": other}})
        self.volume("made", "later")
        self.bind_volume("data", "made")
        self.on(other, "first")
        self.pod("all", cpu="4")
        self.pod("rest", cpu="3900m")
        self.until("both have nodes", lambda: {"all", "rest"} <= set(self.bound()))
        self.on(other, "rest")

    def test_a_node_that_is_cordoned_still_gets_what_is_on_its_way(self):
        self.begin("one")
        self.using("first", "data")
        self.chosen()
        self.change_node("one", spec={"unschedulable": True})
        self.volume("made", "later", node="one")
        self.bind_volume("data", "made")
        self.on("one", "first")
        self.pod("second")
        self.says("second", "1 node.s. were unschedulable")

    def test_a_scheduler_killed_meanwhile_is_told_of_it(self):
        self.begin("one")
        self.using("first", "data")
        self.chosen()
        self.scheduler.kill()
        self.serve()
        self.until("the scheduler knows everything", self.bridge.connected)
        self.volume("made", "later", node="one")
        self.bind_volume("data", "made")
        self.on("one", "first")
        self.assertEqual(condition(self.get("first"), "PodScheduled")["status"], "True")

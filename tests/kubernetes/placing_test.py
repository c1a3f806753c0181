# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Which pods get which nodes."""

import threading

from api import STRATEGIC, Refused, path_of
from cluster import Case, condition

NO_SCHEDULE = {"key": "dedicated", "value": "yes", "effect": "NoSchedule"}
TOLERATES = {"key": "dedicated", "operator": "Exists"}


def container(requests: dict, **more) -> dict:
    return {"name": "main", "image": "none", "resources": {"requests": requests}} | more


def node_affinity(*terms: dict) -> dict:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def matches(key: str, operator: str, *values: str, of: str = "matchExpressions") -> dict:
    return {of: [{"key": key, "operator": operator} | ({"values": list(values)} if values else {})]}


class Placing(Case):
    def test_pods_are_bound_until_the_nodes_are_full(self):
        self.node("one", 4)
        self.node("two", 4)
        for i in range(10):
            self.pod(f"p{i}")
        self.count(8)
        self.wait_on(*({f"p{i}" for i in range(10)} - set(self.bound())))

    def test_a_bound_pod_says_so_in_condition_and_event(self):
        self.node("one")
        self.pod("first")
        self.on("one", "first")
        self.assertEqual(condition(self.get("first"), "PodScheduled")["status"], "True")
        event = self.until("an event tells of it", lambda: [
            one for one in self.api.list("Event", self.namespace) if one["reason"] == "Scheduled"])[0]
        self.assertEqual(event["note"], f"Successfully assigned {self.namespace}/first to one")
        self.assertEqual(event["reportingController"], "tenon")
        self.assertEqual(event["regarding"]["uid"], self.get("first")["metadata"]["uid"])

    def test_memory_and_small_amounts_count(self):
        self.node("one", 2, more={"memory": "1Gi"})
        self.pod("half", containers=[container({"cpu": "250m", "memory": "600Mi"})])
        self.on("one", "half")
        self.pod("more", containers=[container({"cpu": "250m", "memory": "600Mi"})])
        self.says("more", "^0/1 nodes are available: 1 Insufficient memory")
        self.pod("fits", containers=[container({"cpu": "1750m", "memory": "424Mi"})])
        self.on("one", "fits")

    def test_a_pod_without_requests_takes_a_place_of_the_node(self):
        self.node("one", 1, more={"pods": "2"})
        for name in ("a", "b"):
            self.pod(name, cpu=None)
        self.on("one", "a", "b")
        self.pod("c", cpu=None)
        self.says("c", "^0/1 nodes are available: 1 Too many pods")
        self.delete("a")
        self.on("one", "c")

    def test_extended_resources_count(self):
        self.node("plain", 8)
        self.node("device", 8, more={"example.com/gpu": "2"})

        def wants(count: int) -> list[dict]:
            return [{"name": "main", "image": "none", "resources": {"limits": {"example.com/gpu": str(count)}}}]
        self.pod("both", containers=wants(2))
        self.on("device", "both")
        self.pod("next", containers=wants(1))
        self.says("next", "2 Insufficient example.com/gpu")
        self.finish("both")
        self.on("device", "next")

    def test_an_init_container_that_wants_more_counts(self):
        self.node("small", 2)
        self.node("large", 4)
        self.pod("starts", initContainers=[container({"cpu": "3"}) | {"name": "init"}])
        self.on("large", "starts")

    def test_a_sidecar_is_added(self):
        self.node("small", 2)
        self.node("large", 4)
        self.pod("with", cpu="2", initContainers=[container({"cpu": "1"}) | {"name": "side", "restartPolicy": "Always"}])
        self.on("large", "with")

    def test_resources_of_the_whole_pod_count(self):
        self.node("small", 2)
        self.node("large", 4)
        self.pod("whole", cpu="500m", resources={"requests": {"cpu": "3"}})
        self.on("large", "whole")

    def test_high_priority_goes_first(self):
        self.priority_class("patient", 1000, preemptionPolicy="Never")
        self.node("one", 1)
        self.pod("holder")
        self.on("one", "holder")
        self.pod("low")
        self.says("low", "Insufficient cpu")
        self.pod("high", priorityClassName="patient")
        self.says("high", "Insufficient cpu")
        self.delete("holder", gracePeriodSeconds=0)
        self.on("one", "high")
        self.wait_on("low")

    def test_the_older_one_goes_first_among_equals(self):
        self.node("one", 1)
        self.pod("holder")
        self.on("one", "holder")
        for i in range(3):
            self.pod(f"p{i}")
            self.says(f"p{i}", "Insufficient cpu")
            self.next_second()
        for i, name in enumerate(["holder", "p0", "p1"]):
            self.finish(name)
            self.on("one", f"p{i}")

    def test_a_node_selector_is_obeyed(self):
        self.node("slow", labels={"disk": "hdd"})
        self.node("fast", labels={"disk": "ssd"})
        for i in range(3):
            self.pod(f"p{i}", nodeSelector={"disk": "ssd"})
        self.on("fast", "p0", "p1", "p2")

    def test_node_affinity_is_obeyed_with_each_operator(self):
        self.node("a", labels={"zone": "x", "cores": "8"})
        self.node("b", labels={"zone": "y", "cores": "64", "gpu": ""})
        for name, node, term in (
            ("in", "b", matches("zone", "In", "y", "z")), ("not-in", "a", matches("zone", "NotIn", "y")), ("exists", "b", matches("gpu", "Exists")),
            ("not", "a", matches("gpu", "DoesNotExist")), ("more", "b", matches("cores", "Gt", "16")), ("less", "a", matches("cores", "Lt", "16")),
        ):
            self.pod(name, affinity=node_affinity(term))
            self.on(node, name)

    def test_nodes_that_pods_do_not_want_are_not_proposed_one_by_one(self):
        for i in range(60):
            self.node(f"n{i:02}", labels={"type": "old" if i < 55 else "new"})
        for i in range(40):
            self.pod(f"p{i}", cpu="100m", affinity=node_affinity(matches("type", "NotIn", "old")))
            self.pod(f"nowhere{i}", cpu="100m", affinity=node_affinity(matches("type", "NotIn", "old", "new")))
        self.on([f"n{i}" for i in range(55, 60)], *(f"p{i}" for i in range(40)))
        self.says("nowhere7", r"^0/60 nodes are available: 60 node\(s\) didn't match Pod's node affinity/selector\.")
        refused = next(line for line in self.bridge.asked("/metrics")[1].splitlines() if line.startswith('tenon_kubernetes_checks_total{answer="refused"}'))
        self.assertLess(int(refused.split()[1]), 500)
        self.change_node("n07", metadata={"labels": {"type": "other"}})
        self.on(["n07"], "nowhere7")

    def test_one_of_several_terms_is_enough(self):
        self.node("a", labels={"zone": "x"})
        self.pod("any", affinity=node_affinity(matches("zone", "In", "nowhere"), matches("zone", "In", "x")))
        self.on("a", "any")

    def test_a_required_node_is_that_node(self):
        for name in ("one", "two", "three"):
            self.node(name)
        for name in ("one", "two", "three"):
            self.pod(f"agent-{name}", affinity=node_affinity(matches("metadata.name", "In", name, of="matchFields")))
            self.on(name, f"agent-{name}")

    def test_taints_keep_away_what_does_not_tolerate_them(self):
        self.node("kept", 8, taints=(NO_SCHEDULE,))
        self.node("free", 2)
        for i in range(3):
            self.pod(f"p{i}")
        self.count(2)
        self.pod("may", cpu="3", tolerations=[TOLERATES])
        self.on("kept", "may")
        self.says(next(f"p{i}" for i in range(3) if f"p{i}" not in self.bound()), r"untolerated taint\(s\)")
        self.change_node("kept", spec={"taints": []})
        self.count(4)

    def test_a_cordoned_node_gets_nothing_until_it_is_open_again(self):
        self.node("one")
        self.pod("before")
        self.on("one", "before")
        self.change_node("one", spec={"unschedulable": True})
        self.pod("after")
        self.says("after", "1 node.s. were unschedulable")
        self.change_node("one", spec={"unschedulable": None})
        self.on("one", "after")

    def test_a_new_node_gets_nothing_until_it_is_ready(self):
        self.node("new", ready=False)
        self.assertEqual([one["key"] for one in self.api.get("Node", "new")["spec"]["taints"]], ["node.kubernetes.io/not-ready"])
        self.pod("first")
        self.says("first", r"untolerated taint\(s\)")
        self.ready("new")
        self.on("new", "first")

    def test_a_host_port_is_given_once_a_node(self):
        self.node("one")
        self.node("two")
        for i in range(3):
            self.pod(f"p{i}", containers=[container({}, ports=[{"containerPort": 80, "hostPort": 8080}])])
        self.count(2)
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in self.pods() if pod["spec"].get("nodeName")}), 2)
        last = next(f"p{i}" for i in range(3) if f"p{i}" not in self.bound())
        self.says(last, "2 node.s. didn't have free ports for the requested pod ports")
        self.delete(self.bound()[0], gracePeriodSeconds=0)
        self.until("the third has the port", lambda: last in self.bound())

    def test_the_same_host_port_of_another_protocol_is_free(self):
        self.node("one")
        for protocol in ("TCP", "UDP"):
            self.pod(protocol.lower(), containers=[container({}, ports=[{"containerPort": 53, "hostPort": 53, "protocol": protocol}])])
        self.on("one", "tcp", "udp")

    def test_pods_of_other_schedulers_take_room_and_give_it_back(self):
        self.node("one", 2)
        self.pod("theirs", cpu="1500m", schedulerName="default-scheduler", nodeName="one")
        self.pod("ours")
        self.says("ours", "Insufficient cpu")
        self.delete("theirs")
        self.on("one", "ours")

    def test_pods_of_other_schedulers_are_left_alone(self):
        self.node("one")
        self.pod("theirs", schedulerName="default-scheduler")
        self.pod("ours")
        self.on("one", "ours")
        self.wait_on("theirs")
        self.assertEqual(condition(self.get("theirs"), "PodScheduled"), {})

    def test_what_somebody_else_bound_counts_as_running(self):
        self.node("one", 2)
        self.pod("placed", nodeName="one")
        self.pod("second")
        self.on("one", "second")
        self.pod("third")
        self.says("third", "Insufficient cpu")

    def test_bindings_by_others_meanwhile_overbook_nothing(self):
        """Whoever else binds them is right; nothing of ours may then be bound a second time or lost."""
        for name in ("a", "b"):
            self.node(name, 30)
        refused = []

        def meddle(i: int) -> None:
            body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": f"p{i}"}, "target": {"kind": "Node", "name": "a"}}
            try:
                self.api.call("POST", path_of("Pod", self.namespace, f"p{i}", "binding"), body)
            except Refused as wrong:
                refused.append(wrong.status)
        threads = []
        for i in range(30):
            self.pod(f"p{i}")
            if i % 2:
                threads.append(threading.Thread(target=meddle, args=(i,)))
                threads[-1].start()
        for one in threads:
            one.join()
        self.assertLessEqual(set(refused), {409})
        self.count(30)
        for i in range(30):
            self.pod(f"q{i}")
        self.count(60)

    def test_a_pod_that_runs_is_resized_in_place(self):
        self.node("one", 4)
        self.pod("grows")
        self.on("one", "grows")
        self.until("it runs", lambda: self.get("grows")["status"]["phase"] == "Running")
        change = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]}}
        self.api.call("PATCH", path_of("Pod", self.namespace, "grows", "resize"), change, STRATEGIC)
        self.pod("next", cpu="2")
        self.says("next", "Insufficient cpu")
        self.pod("small")
        self.on("one", "small")

    def test_many_pods_on_many_nodes(self):
        for i in range(50):
            self.node(f"n{i}", 8)
        for i in range(400):
            self.pod(f"p{i}", cpu="1", application=f"app{i % 7}", queue=("root.work", "root.other")[i % 2])
        self.count(400)


class Queues(Case):
    def test_a_queues_limit_holds_pods_back_and_is_named(self):
        self.node("one", 8)
        self.pod("first", queue="root.small", application="few")
        self.on("one", "first")
        self.pod("second", queue="root.small", application="few")
        self.says("second", "^The max of queue root.small leaves too little vcore: asked .*It would run next if you raise max vcore of queue root.small from "
                            r"1 to 2\.$", explained=True)
        self.finish("first")
        self.on("one", "second")

    def test_without_explanations_the_bridge_says_what_it_sees(self):
        self.end(self.bridge, kill=False)
        self.start_bridge("--explain=0")
        self.node("one", 8)
        self.pod("first", queue="root.small", application="few")
        self.on("one", "first")
        self.pod("second", queue="root.small", application="few")
        self.says("second", "^1/1 nodes have room; the pod waits for its turn, or for a limit of its queue root.small or user$")

    def test_what_is_said_to_be_enough_is_enough(self):
        self.node("one", 2)
        self.pod("large", cpu="3")
        said = self.says("large", r"\.$", explained=True)
        self.assertRegex(said, r"^All nodes together have too little vcore: .* None of 1 nodes can hold it: 1 too little vcore\. .*free or add 1 vcore on node one \(capacity from 2 to 3\)\.$")
        self.assertTrue(self.get("large")["status"]["conditions"][0]["message"].startswith("0/1 nodes are available: 1 Insufficient cpu. "))
        self.api.patch("Node", "one", {"status": {"allocatable": {"cpu": "3"}, "capacity": {"cpu": "3"}}}, part="status")
        self.on("one", "large")

    def test_labels_and_annotations_name_the_queue(self):
        self.node("one", 8)
        domain = "yunikorn.apache.org/"
        self.pod("label", labels={domain + "queue": "root.small", domain + "app-id": "a"})
        self.on("one", "label")
        self.pod("annotation", labels={}, annotations={domain + "queue": "root.small", domain + "app-id": "b"})
        self.says("annotation", "^The max of queue root.small leaves too little vcore: ", explained=True)
        self.pod("plain", labels={"queue": "root.work"})
        self.on("one", "plain")

    def test_an_unknown_queue_is_refused_in_the_pods_condition(self):
        self.node("one")
        self.pod("lost", queue="root.nowhere", application="lost")
        self.says("lost", f"^the scheduler refused the application {self.namespace}/lost: ")
        self.wait_on("lost")


class Deployed(Case):
    """With queues.yaml as it is delivered: a queue for each namespace."""

    queues = None

    def test_pods_without_labels_are_in_the_queue_of_their_namespace(self):
        self.node("one", 8)
        limited = self.new_namespace(**{"namespace.max.cpu": "1"})
        for i in range(2):
            self.pod(f"l{i}", labels={}, namespace=limited)
            self.pod(f"f{i}", labels={})
            self.next_second()
        self.on("one", "f0", "f1")
        self.on("one", "l0", namespace=limited)
        self.says("l1", "^The max of queue .* leaves too little vcore: asked ", namespace=limited, explained=True)

    def test_a_quota_of_a_namespace_in_json_counts_for_memory(self):
        self.node("one", 8)
        limited = self.new_namespace(**{"namespace.quota": '{"cpu": "4", "memory": "1Gi"}'})
        for i in range(2):
            self.pod(f"m{i}", labels={}, namespace=limited, containers=[container({"memory": "700Mi"})])
            self.next_second()
        self.on("one", "m0", namespace=limited)
        self.says("m1", "^The max of queue .* leaves too little memory: asked ", namespace=limited, explained=True)

    def test_a_quota_that_cannot_be_read_is_left_out_and_said(self):
        self.node("one", 8)
        wrong = self.new_namespace(**{"namespace.quota": "much"})
        self.pod("first", labels={}, namespace=wrong)
        self.on("one", "first", namespace=wrong)
        self.assertIn(f"annotation yunikorn.apache.org/namespace.quota of namespace {wrong}", self.bridge.log.read_text())

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What people write that cannot be. It may keep what they write it into from running, and nothing else."""

import json
import re

from api import Refused
from cluster import Case, condition
from placing_test import matches, node_affinity

DOMAIN = "yunikorn.apache.org/"
LONG = "x" * 250_000  # all annotations of an object may have 262,144 bytes


class Mistakes(Case):
    options = ("--vouched-users",)

    def setUp(self) -> None:
        super().setUp()
        self.node("one", 16)

    def others_run(self) -> None:
        """Once, and without a new session with the scheduler."""
        self.pod("ordinary", application="ordinary")
        self.on("one", "ordinary")
        self.assertIn("\ntenon_kubernetes_registrations_total 1\n", self.bridge.asked("/metrics")[1])

    def test_annotations_of_a_megabyte_are_refused_by_the_api_server(self):
        with self.assertRaisesRegex(Refused, "may not be more than 262144 bytes"):
            self.pod("large", annotations={"example.com/note": "x" * 2**20})
        self.others_run()

    def test_the_longest_annotations_that_nobody_reads_harm_nobody(self):
        for i in range(30):
            self.pod(f"p{i}", cpu="100m", annotations={"example.com/note": LONG})
        self.on("one", *(f"p{i}" for i in range(30)))
        self.others_run()

    def test_an_application_with_a_name_too_long_is_refused_and_says_so(self):
        for i in range(20):
            self.pod(f"p{i}", labels={"queue": "root.work"}, annotations={DOMAIN + "app-id": f"{i}{LONG}"})
        for i in range(20):
            self.says(f"p{i}", "^not placed: the application has a name of 25000[12] bytes, want at most 1024$")
        self.others_run()

    def test_a_queue_with_a_name_too_long_is_refused_and_says_so(self):
        for i in range(20):
            self.pod(f"p{i}", labels={}, annotations={DOMAIN + "app-id": f"app{i}", DOMAIN + "queue": LONG})
        for i in range(20):
            self.says(f"p{i}", "^not placed: the queue has a name of 250000 bytes, want at most 1024$")
        self.others_run()

    def test_a_queue_whose_name_cannot_be_one_is_refused_and_says_so(self):
        for i, queue in enumerate(("root..work", ".", "root.wörk", "work; drop", "root.work.below")):
            self.pod(f"p{i}", labels={}, annotations={DOMAIN + "app-id": f"app{i}", DOMAIN + "queue": queue})
            self.says(f"p{i}", f"^the scheduler refused the application {self.namespace}/app{i}: ")
        self.others_run()

    def test_users_and_groups_without_end_are_somebodys_or_nobodys(self):
        for i, user in enumerate((
            {"user": LONG}, {"user": "ann", "groups": [LONG]}, {"user": "ann", "groups": [f"group{i}" for i in range(5000)]},
            {"user": 7}, {"user": ["ann"]}, ["ann"], {"user": "a b"}, {"user": "ann", "groups": ["a", "a", ""]},
        )):
            self.pod(f"p{i}", application=f"app{i}", annotations={DOMAIN + "user.info": json.dumps(user)})
        self.others_run()
        for i in (0, *range(3, 8)):
            self.on("one", f"p{i}")

    def test_a_task_group_with_a_name_too_long_is_refused_and_says_so(self):
        for i in range(20):
            self.pod(f"p{i}", application=f"app{i}", annotations={DOMAIN + "task-group-name": LONG})
        for i in range(20):
            self.says(f"p{i}", "^not placed: the task group has a name of 250000 bytes, want at most 1024$")
        self.others_run()

    def test_affinity_to_thousands_of_names_is_looked_at(self):
        names = [f"node-with-a-long-name-{i:040}" for i in range(8000)]
        for i in range(10):
            self.pod(f"p{i}", affinity=node_affinity(matches("kubernetes.io/hostname", "In", *names, "one")))
        self.on("one", *(f"p{i}" for i in range(10)))
        self.pod("elsewhere", affinity=node_affinity(matches("kubernetes.io/hostname", "In", *names)))
        self.says("elsewhere", "node affinity/selector")
        self.others_run()

    def test_a_node_with_thousands_of_labels_takes_pods_and_one_with_more_is_named(self):
        many = {f"label-{i}": "x" * 60 for i in range(4000)} | {"disk": "ssd"}
        self.node("two", 16, labels=many)
        self.pod("first", nodeSelector={"disk": "ssd"})
        self.on("two", "first")
        self.node("three", 64, labels=many | {f"more-{i}": "x" for i in range(100)})
        self.until("it is named", lambda: re.search("refused a node.*node=three.*labels, want at most 4080", self.bridge.log.read_text()))
        self.pod("large", cpu="64")
        self.wait_on("large")
        self.change_node("three", metadata={"labels": {f"more-{i}": None for i in range(100)}})
        self.on("three", "large")
        self.others_run()

    def test_amounts_beyond_all_numbers_are_refused_or_wait(self):
        for i, cpu in enumerate(("9223372036854775807", "9e18", "1e15", "1n")):
            self.pod(f"p{i}", cpu=cpu, application=f"app{i}")
        for i in range(2):
            self.says(f"p{i}", "^not placed: the pod wants more vcore than can be counted$")
        self.says("p2", "Insufficient cpu")
        self.on("one", "p3")
        self.others_run()

    def wants(self, *kinds: str) -> list[dict]:
        return [{"name": "main", "image": "none", "resources": {"limits": {kind: "1" for kind in kinds}}}]

    def test_kinds_of_resources_that_no_node_has_take_the_place_of_none_that_one_has(self):
        self.pod("exotic", containers=self.wants(*(f"example.com/kind-{i}" for i in range(50))))
        for i in range(30):  # the scheduler keeps 16 kinds in all
            self.pod(f"p{i}", containers=self.wants(f"example.com/other-{i}"))
        self.says("exotic", "^0/1 nodes are available: 1 Insufficient example.com/kind-")
        self.says("p29", "^0/1 nodes are available: 1 Insufficient example.com/other-29")
        self.pod("trains", containers=self.wants("example.com/gpu"))
        self.says("trains", "Insufficient example.com/gpu")
        self.node("two", more={"example.com/gpu": "1"})
        self.on("two", "trains")
        self.others_run()

    def test_what_somebody_put_onto_a_node_that_has_none_of_its_kind_takes_no_place_of_a_kind_either(self):
        for i in range(20):
            self.pod(f"p{i}", nodeName="one", containers=self.wants(f"example.com/other-{i}"))
        self.node("two", more={"example.com/gpu": "1"})
        self.pod("trains", containers=self.wants("example.com/gpu"))
        self.on("two", "trains")
        self.others_run()

    def test_a_gang_that_wants_a_kind_that_no_node_has_waits_for_it(self):
        groups = [{"name": "workers", "minMember": 2, "minResource": {"cpu": "1", "example.com/gpu": "1"}}]
        for i in range(2):
            self.pod(f"p{i}", application="gang", containers=self.wants("example.com/gpu"), annotations={
                DOMAIN + "task-group-name": "workers", DOMAIN + "task-groups": json.dumps(groups)})
        self.says("p0", "^not placed: 2 placeholders")
        self.node("two", more={"example.com/gpu": "2"})
        self.on("two", "p0", "p1")
        self.others_run()

    def test_a_priority_class_that_is_not_there_is_refused_by_the_api_server(self):
        with self.assertRaisesRegex(Refused, "no PriorityClass with name nowhere"):
            self.pod("first", priorityClassName="nowhere")
        self.others_run()

    def test_a_binding_that_admission_refuses_is_said_in_its_words(self):
        self.rights_checked = False  # the server says "forbidden" of that, too
        rule = {"apiGroups": [""], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["pods/binding"]}
        self.api.create("ValidatingAdmissionPolicy", {"metadata": {"name": "no-binding"}, "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "object.metadata.name != 'refused'", "message": "not this one"}]}})
        self.addCleanup(self.api.delete, "ValidatingAdmissionPolicy", "no-binding")
        self.api.create("ValidatingAdmissionPolicyBinding", {"metadata": {"name": "no-binding"}, "spec": {
            "policyName": "no-binding", "validationActions": ["Deny"]}})
        self.addCleanup(self.api.delete, "ValidatingAdmissionPolicyBinding", "no-binding")

        def denied() -> bool:
            try:
                self.api.call("POST", f"/api/v1/namespaces/{self.namespace}/pods/refused/binding", {
                    "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "refused"}, "target": {"kind": "Node", "name": "one"}})
            except Refused as wrong:
                return "not this one" in str(wrong)
            return False
        self.until("the policy counts", denied)
        self.pod("refused")
        self.until("its condition says it", lambda: "not this one" in condition(self.get("refused"), "PodScheduled").get("message", ""))
        said = condition(self.get("refused"), "PodScheduled")
        self.assertRegex(said["message"], "^the pod could not be bound: .*denied request: not this one$")
        self.assertEqual(said["reason"], "SchedulerError")
        self.others_run()
        self.api.delete("ValidatingAdmissionPolicyBinding", "no-binding")
        self.on("one", "refused")



class Namespaces(Case):
    """Annotations of namespaces, with queues as they are delivered."""

    queues = None

    def test_quotas_that_cannot_be_are_left_out_and_said(self):
        self.node("one", 64)
        for number, said in enumerate((
            {"namespace.quota": '{"cpu": "much"}'}, {"namespace.quota": "[]"}, {"namespace.quota": '{"cpu": "-1"}'},
            {"namespace.max.cpu": "many"}, {"namespace.guaranteed": "{"}, {"namespace.maxApps": "-1"}, {"namespace.quota": LONG},
            {"namespace.quota": json.dumps({f"example.com/kind-{i}": "1" for i in range(5000)})},
        )):
            name = self.new_namespace(**said)
            self.pod(f"p{number}", labels={}, namespace=name)
            self.on("one", f"p{number}", namespace=name)
            log = self.bridge.log.read_text()
            self.assertIn(f"annotation yunikorn.apache.org/{next(iter(said))} of namespace {name}", log)
        self.assertIn("\ntenon_kubernetes_registrations_total 1\n", self.bridge.asked("/metrics")[1])

    def test_a_parent_queue_too_long_is_left_out_and_said(self):
        self.node("one", 8)
        name = self.new_namespace(parentqueue=LONG)
        self.pod("first", labels={}, namespace=name)
        self.on("one", "first", namespace=name)
        self.pod("second", labels={})
        self.on("one", "second")

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Queues that come from a ConfigMap."""

from api import MERGE
from cluster import QUEUES, Case, Shared

LARGER = QUEUES.replace("max: { vcore: 1 }", "max: { vcore: 3 }")


class Followed(Case):
    starts = False

    def setUp(self) -> None:
        super().setUp()
        self.rights()
        self.api.create("ConfigMap", {"metadata": {"name": "queues", "namespace": self.namespace}, "data": {"queues.yaml": QUEUES}})
        self.serve()
        self.start_bridge(*self.options())

    def options(self) -> tuple[str, ...]:
        return f"--queues={self.namespace}/queues", f"--admin-token={self.folder}/admin-token"

    def rights(self) -> None:
        """Those that the deployed role has for its own ConfigMap."""
        role = {"rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["queues"], "verbs": ["list", "watch"]}]}
        self.api.create("Role", {"metadata": {"name": "queues", "namespace": self.namespace}} | role)
        self.api.create("RoleBinding", {
            "metadata": {"name": "queues", "namespace": self.namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "queues"},
            "subjects": [{"kind": "ServiceAccount", "name": "tenon", "namespace": "tenon"}]})

    def change(self, text: str) -> None:
        self.api.patch("ConfigMap", "queues", {"data": {"queues.yaml": text}}, self.namespace, form=MERGE)

    def event(self, reason: str, words: str = "") -> dict:
        return self.until(f"an event {reason} with {words!r}", lambda: next((
            one for one in self.api.list("Event", self.namespace)
            if one["reason"] == reason and one["regarding"]["kind"] == "ConfigMap" and words in one["note"]), None))

    def test_a_limit_that_is_raised_counts_at_once(self):
        self.event("QueuesUsed")
        self.node("one", 8)
        self.pod("first", queue="root.small", application="a")
        self.on("one", "first")
        self.pod("second", queue="root.small", application="a")
        self.says("second", "^The max of queue root.small leaves too little vcore: ", explained=True)
        self.change(LARGER)
        self.on("one", "second")

    def test_what_is_wrong_is_refused_with_its_place_and_the_old_stays(self):
        self.event("QueuesUsed")
        self.change(QUEUES.replace("submitacl", "submit_acl"))
        event = self.event("QueuesRefused", "submit_acl")
        self.assertEqual(event["type"], "Warning")
        self.node("one", 8)
        self.pod("first")
        self.on("one", "first")
        self.change(LARGER)
        self.pod("large", cpu="3", queue="root.small", application="b")
        self.on("one", "large")

    def test_a_configmap_without_the_key_is_refused(self):
        self.event("QueuesUsed")
        self.api.patch("ConfigMap", "queues", {"data": {"queues.yaml": None, "other": "x"}}, self.namespace, form=MERGE)
        self.event("QueuesRefused", "no text under the key queues.yaml")

    def test_a_scheduler_that_is_restarted_gets_them_again(self):
        self.until("the first ones are used", lambda: "used=true" in self.bridge_log())
        self.change(LARGER)
        self.until("they are used", lambda: self.bridge_log().count("used=true") >= 2)
        self.scheduler.kill()
        self.serve()
        self.node("one", 8)
        self.pod("large", cpu="3", queue="root.small", application="b")
        self.on("one", "large")

    def test_a_wrong_token_is_said_and_tried_again(self):
        self.event("QueuesUsed")
        token = self.folder / "admin-token"
        right = token.read_text()
        token.write_text("another one, which is long enough")
        self.change(LARGER)
        self.until("the log says so", lambda: "PermissionDenied" in self.bridge_log())
        token.write_text(right)
        self.node("one", 8)
        self.pod("large", cpu="3", queue="root.small", application="b")
        self.on("one", "large")

    def bridge_log(self) -> str:
        return self.bridges[-1].log.read_text()


class Deployed(Case):
    """As it is delivered: its own ConfigMap, with the rights that the manifests give."""

    queues = None
    starts = False

    def test_the_deployed_configmap_is_followed(self):
        self.serve()
        self.start_bridge("--queues=tenon/tenon", f"--admin-token={self.folder}/admin-token")
        before = Shared.plane.api.get("ConfigMap", "tenon", "tenon")["data"]["queues.yaml"]
        self.addCleanup(self.change, before)
        self.until_used(1)  # or the change would be the first that the bridge sees
        limited = before + f"        queues: [{{ name: {self.namespace}, resources: {{ max: {{ vcore: 1 }} }} }}]\n"
        self.change(limited)
        self.node("one", 8)
        self.until_used(2)
        self.pod("large", cpu="3", labels={})
        self.wait_on("large")
        self.change(limited.replace("vcore: 1", "vcore: 4"))
        self.on("one", "large")

    def until_used(self, times: int) -> None:
        self.until(f"{times} texts are used", lambda: self.bridges[0].log.read_text().count("used=true") >= times)

    def change(self, text: str) -> None:
        self.api.patch("ConfigMap", "tenon", {"data": {"queues.yaml": text}}, "tenon", form=MERGE)

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The ways to Tenon that docs/kubernetes.md describes, step by step: from kube-scheduler, which runs, and from YuniKorn, whose pods and
ConfigMap are there as it leaves them."""

import subprocess

from api import MERGE
from cluster import Case, Shared, condition, deploy

OF_YUNIKORN = """\
partitions:
  - name: default
    placementrules:
      - name: provided
        create: false
      - name: tag
        value: namespace
        create: true
        parent: { name: fixed, value: root.namespaces }
    nodesortpolicy: { type: binpacking }
    preemption: { enabled: true }
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: namespaces
            parent: true
          - name: batch
            resources:
              guaranteed: { vcore: 1, memory: 1Gi }
              max: { vcore: 3, memory: 8Gi }
            properties: { application.sort.policy: fifo }
            limits:
              - { limit: everybody, users: ["*"], maxresources: { vcore: 2 } }
"""


class FromKubeScheduler(Case):
    starts = False
    queues = None

    def setUp(self) -> None:
        super().setUp()
        self.peer = Shared.plane.kube_scheduler(self.folder, "default-scheduler")
        self.addCleanup(self.peer.kill)
        for name in ("one", "two"):
            self.node(name, 4)

    def theirs(self, name: str, **more) -> None:
        self.pod(name, labels={"app": name}, schedulerName="default-scheduler", **more)

    def test_try_it_beside_and_move_workload_by_workload(self):
        for i in range(3):
            self.theirs(f"a{i}", cpu="2")
        self.on(["one", "two"], "a0", "a1", "a2")
        self.serve()
        checks = [Shared.program, "check", "--tenon", f"unix:{self.folder}/tenon.sock", "--kubeconfig", self.kubeconfig,
                  "--scheduler-name", "default-scheduler", "--lease", ""]
        self.until("a check is content", lambda: subprocess.run(checks, capture_output=True, timeout=60).returncode == 0)
        trial = self.start_bridge("--dry-run", "--scheduler-name", "default-scheduler")
        self.theirs("a3", cpu="2")
        self.theirs("large", cpu="8")
        self.on(["one", "two"], "a3")
        self.until("it says what it would say", lambda: f"would say\" pod={self.namespace}/large message=\"0/2 nodes are available: 2 Insufficient cpu."
                   in trial.log.read_text())
        peers = self.until("kube-scheduler says it", lambda: condition(self.get("large"), "PodScheduled").get("message", ""))
        self.assertTrue(peers.startswith("0/2 nodes are available: 2 Insufficient cpu. "), peers)
        self.end(trial)
        self.start_bridge()
        self.pod("b0", cpu="2", labels={})  # the same workload by Tenon
        self.says("b0", "Insufficient cpu")
        self.delete("a0", gracePeriodSeconds=0)
        self.on(["one", "two"], "b0")
        self.theirs("a4", cpu="1")
        self.until("kube-scheduler sees its room as taken", lambda: "Insufficient cpu" in condition(self.get("a4"), "PodScheduled").get("message", ""))
        for i in (1, 2, 3):
            self.delete(f"a{i}", gracePeriodSeconds=0)
            self.pod(f"b{i}", cpu="1", labels={})
        self.on(["one", "two"], "a4", "b1", "b2", "b3")


class FromYuniKorn(Case):
    starts = False

    def setUp(self) -> None:
        super().setUp()
        if self.api.get("Namespace", "yunikorn") is None:  # it stays: nobody here ends what is in a namespace that is deleted
            self.api.create("Namespace", {"metadata": {"name": "yunikorn"}})
            deploy(self.api, "yunikorn.yaml")
        self.addCleanup(self.api.delete, "ConfigMap", "yunikorn-configs", "yunikorn")
        self.api.create("ConfigMap", {"metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": {
            "queues.yaml": OF_YUNIKORN, "service.schedulingInterval": "1s", "log.level": "INFO", "admissionController.filtering.bypassNamespaces": "^kube-system$"}})
        self.node("one", 4)

    def theirs(self, name: str, application: str = "spark-1", **more) -> None:
        self.pod(name, queue="root.batch", application=application, schedulerName="yunikorn", **more)

    def test_stop_it_and_take_over_what_runs(self):
        self.theirs("old", nodeName="one")
        self.pod("plain", labels={"applicationId": f"yunikorn-{self.namespace}-autogen"}, schedulerName="yunikorn", nodeName="one")
        for name, application in (("waits", "spark-1"), ("last", "spark-2")):  # in their order
            self.next_second()
            self.theirs(name, application)
        self.wait_on("waits", "last", seconds=0.5)
        self.serve()
        self.start_bridge("--scheduler-name", "yunikorn", "--queues", "yunikorn/yunikorn-configs", f"--admin-token={self.folder}/admin-token")
        self.until("the queues are used", lambda: [
            one for one in self.api.list("Event", "yunikorn") if one["reason"] == "QueuesUsed" and one["regarding"]["name"] == "yunikorn-configs"])
        self.on("one", "waits")
        self.says("last", "^The limit of .* in queue root.batch has too little vcore: asked 1", explained=True)
        self.api.patch("ConfigMap", "yunikorn-configs", {"data": {
            "queues.yaml": OF_YUNIKORN.replace("maxresources: { vcore: 2 }", "maxresources: { vcore: 3 }")}}, "yunikorn", form=MERGE)
        self.on("one", "last")
        self.theirs("more", application="spark-2")
        self.says("more", "The max of queue root.batch leaves too little vcore: ", explained=True)
        for name in ("old", "plain"):
            self.assertEqual(self.get(name)["spec"]["nodeName"], "one")

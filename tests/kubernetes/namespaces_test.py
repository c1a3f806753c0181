# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What annotations of a namespace give its applications: quotas, a guarantee, a number of applications and the queue above them;
and limits of users, which namespaces are."""

import json

from api import MERGE
from cluster import Case
from placing_test import container

QUEUES = """
partitions:
  - name: default
    placementrules:
      - { name: provided, create: false }
      - { name: tag, value: namespace, create: true, parent: { name: tag, value: namespace.parentqueue, create: false } }
      - { name: tag, value: namespace, create: true }
    queues:
      - name: root
        submitacl: "*"
        childtemplate: { properties: { preemption.delay: 1s } }
        queues:
          - name: teams
            parent: true
            resources: { max: { vcore: 2 } }
          - name: shared
            limits: [{ limit: "of each", users: ["*"], maxresources: { vcore: 2 }, maxapplications: 2 }]
"""


class Annotated(Case):
    queues = QUEUES

    def setUp(self) -> None:
        super().setUp()
        self.node("one", 4)

    def plain(self, name: str, namespace: str, application: str = "", **more) -> None:
        """A pod that names no queue."""
        self.pod(name, labels={"applicationId": application} if application else {}, namespace=namespace, **more)

    def test_quotas_of_cpu_and_memory_count_beside_each_other(self):
        limited = self.new_namespace(**{"namespace.max.cpu": "1", "namespace.max.memory": "1Gi"})
        self.plain("first", limited, containers=[container({"cpu": "500m", "memory": "700Mi"})])
        self.on("one", "first", namespace=limited)
        self.plain("cpu", limited, cpu="600m")
        self.plain("memory", limited, containers=[container({"memory": "400Mi"})])
        self.says("cpu", "^The max of queue .* leaves too little vcore: asked 600m", namespace=limited, explained=True)
        self.says("memory", "^The max of queue .* leaves too little memory: asked ", namespace=limited, explained=True)
        self.plain("both", limited, containers=[container({"cpu": "500m", "memory": "300Mi"})])
        self.on("one", "both", namespace=limited)

    def test_a_quota_that_is_raised_counts_for_the_next_application(self):
        limited = self.new_namespace(**{"namespace.max.cpu": "1"})
        self.plain("first", limited)
        self.on("one", "first", namespace=limited)
        self.plain("second", limited)
        self.says("second", "^The max of queue .* leaves too little vcore: ", namespace=limited, explained=True)
        self.api.patch("Namespace", limited, {"metadata": {"annotations": {"yunikorn.apache.org/namespace.max.cpu": "3"}}}, form=MERGE)
        self.plain("third", limited, application="next")
        self.on("one", "second", "third", namespace=limited)

    def test_what_a_namespace_is_guaranteed_it_gets_back_from_others(self):
        entitled = self.new_namespace(**{"namespace.guaranteed": json.dumps({"cpu": "2"})})
        for i in range(4):
            self.plain(f"p{i}", self.namespace)
        self.on("one", *(f"p{i}" for i in range(4)))
        self.plain("first", entitled)
        self.plain("second", entitled)
        self.on("one", "first", "second", namespace=entitled)
        self.plain("third", entitled)
        self.says("third", "Insufficient cpu", namespace=entitled)
        self.assertEqual(len([pod for pod in self.api.list("Pod", self.namespace) if "deletionTimestamp" not in pod["metadata"]]), 2)

    def test_so_many_applications_of_a_namespace_run(self):
        limited = self.new_namespace(**{"namespace.maxApps": "1"})
        self.plain("first", limited, application="a")
        self.on("one", "first", namespace=limited)
        self.plain("second", limited, application="b")
        self.says("second", r"Queue .* runs 1 of at most 1 applications\.", namespace=limited, explained=True)
        self.plain("third", limited, application="a")
        self.on("one", "third", namespace=limited)
        for name in ("first", "third"):
            self.api.delete("Pod", name, limited, gracePeriodSeconds=0)
        self.on("one", "second", namespace=limited)

    def test_the_queue_above_is_that_of_the_annotation(self):
        team = self.new_namespace(parentqueue="root.teams")
        other = self.new_namespace(parentqueue="root.teams")
        self.plain("first", team)
        self.on("one", "first", namespace=team)
        self.plain("second", other)
        self.on("one", "second", namespace=other)
        self.plain("third", team)
        self.says("third", "^The max of queue root.teams leaves too little vcore: ", namespace=team, explained=True)
        self.plain("free", self.namespace)
        self.on("one", "free")

    def test_a_limit_of_each_user_is_one_of_each_namespace(self):
        other = self.new_namespace()
        for i in range(3):
            self.pod(f"p{i}", queue="root.shared")
            self.next_second()
        self.on("one", "p0", "p1")
        self.says("p2", "^The limit of .* has too little vcore: asked 1", explained=True)
        self.pod("first", queue="root.shared", namespace=other)
        self.on("one", "first", namespace=other)
        for name in ("p0", "p1"):
            self.delete(name, gracePeriodSeconds=0)
        self.on("one", "p2")

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What people read of the scheduler's own explanation of why a pod waits."""

import json
import time

from cluster import EXPLAINED, Case, condition

LIMITS = """
partitions:
  - name: default
    placementrules:
      - { name: provided, create: false }
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
            limits:
              - { limit: "of one", users: [ann], maxresources: { vcore: 2 } }
          - name: small
            resources: { max: { vcore: 1, memory: 1Gi } }
            maxapplications: 1
"""


class Explained(Case):
    queues = LIMITS
    options = ("--vouched-users",)

    def setUp(self) -> None:
        super().setUp()
        self.node("one", 8)

    def fill(self) -> None:
        self.pod("first", queue="root.small", application="few")
        self.on("one", "first")

    def test_an_event_says_it_too(self):
        self.fill()
        self.pod("second", queue="root.small", application="few")
        self.says("second", r"asked 1, free 0 of 1, short 1\.", explained=True)
        self.until("an event says so", lambda: any(
            one["reason"] == "FailedScheduling" and EXPLAINED + "The max of queue root.small" in one["note"]
            for one in self.api.list("Event", self.namespace) if one["regarding"]["name"] == "second"))

    def test_the_limit_of_a_user_is_named(self):
        self.pod("large", cpu="3", annotations={"yunikorn.apache.org/user.info": json.dumps({"user": "ann"})})
        self.says("large", "^The limit of user ann in queue root.work has too little vcore: asked 3, .*"
                           r"raise vcore of the limit of user ann in queue root.work from 2 to 3\.$", explained=True)

    def test_the_number_of_applications_is_named(self):
        self.fill()
        self.pod("other", queue="root.small", application="another")
        self.says("other", r"Queue root.small runs 1 of at most 1 applications\..*raise maxapplications of queue root.small from 1 to 2", explained=True)

    def test_each_is_explained_in_its_place(self):
        self.fill()
        for i in range(3):
            self.next_second()
            self.pod(f"p{i}", queue="root.small", application="few")
        for i, to in enumerate((2, 3, 4)):
            self.says(f"p{i}", f"raise max vcore of queue root.small from 1 to {to}\\b", explained=True)

    def test_a_placeholder_is_explained(self):
        self.fill()
        group = [{"name": "workers", "minMember": 1, "minResource": {"cpu": "20"}}]
        self.pod("member", application="gang", annotations={
            "yunikorn.apache.org/task-group-name": "workers", "yunikorn.apache.org/task-groups": json.dumps(group)})
        name = self.until("there is a placeholder", lambda: next((
            one["metadata"]["name"] for one in self.pods() if "yunikorn.apache.org/placeholder" in one["metadata"].get("annotations", {})), None))
        self.says(name, r"free or add 1\d vcore on node one", explained=True)

    def test_what_is_as_before_is_not_written_again(self):
        self.fill()
        self.pod("second", queue="root.small", application="few")
        self.says("second", "^The max of queue", explained=True)
        before = self.get("second")["metadata"]["resourceVersion"]
        time.sleep(5)
        self.assertEqual(self.get("second")["metadata"]["resourceVersion"], before)
        self.end(self.bridge)
        self.start_bridge()
        time.sleep(5)
        self.assertEqual(self.get("second")["metadata"]["resourceVersion"], before)

    def test_many_that_wait_keep_nobody(self):
        self.fill()
        for i in range(300):
            self.pod(f"p{i}", queue="root.small", application="few")
        self.until("all say why", lambda: all(condition(self.get(f"p{i}"), "PodScheduled").get("status") == "False" for i in (0, 150, 299)))
        self.until("some are explained", lambda: sum(EXPLAINED in condition(pod, "PodScheduled").get("message", "") for pod in self.pods()) >= 3)
        begun = time.monotonic()
        self.pod("ordinary")
        self.on("one", "ordinary")
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_scheduler_that_was_killed_explains_again(self):
        self.fill()
        self.scheduler.kill()
        self.pod("second", queue="root.small", application="few")
        self.serve()
        self.says("second", "^The max of queue root.small leaves too little vcore", explained=True)

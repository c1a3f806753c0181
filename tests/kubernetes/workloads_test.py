# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The examples of bridges/kubernetes/examples: pods as other programs make them, and where and when they come."""

import yaml

from cluster import ROOT, Case
from controllers_test import Controlled

EXAMPLES = ROOT / "bridges/kubernetes/examples"


def documents(file: str) -> list[dict]:
    return list(yaml.safe_load_all((EXAMPLES / file).read_text()))


class Workloads(Case):
    starts = False

    def begin(self, file: str) -> list[dict]:
        pods = documents(file)
        self.serve()
        self.start_bridge("--scheduler-name", pods[0]["spec"]["schedulerName"])
        return pods

    def make(self, *pods: dict) -> None:
        for pod in pods:
            self.api.create("Pod", pod | {"metadata": pod["metadata"] | {"namespace": self.namespace}})

    def run_together(self, file: str, cpu: int, **more: str) -> None:
        """They wait for a second node, since the first one has so much alone, and leave no placeholders."""
        pods = self.begin(file)
        names = [pod["metadata"]["name"] for pod in pods]
        self.node("one", cpu, more=more)
        self.make(*pods)
        self.until("placeholders hold what there is", lambda: len(self.bound()) >= 2)
        self.wait_on(*names)
        self.node("two", 2, more=more)
        self.on(["one", "two"], *names)
        self.until("no placeholder is left", lambda: sorted(pod["metadata"]["name"] for pod in self.pods()) == sorted(names))

    def test_a_job_set_runs_together(self):
        self.run_together("jobset.yaml", 4)

    def test_a_ray_cluster_runs_together(self):
        self.run_together("ray.yaml", 4)

    def test_a_pytorch_job_runs_together(self):
        self.run_together("pytorchjob.yaml", 2, **{"example.com/gpu": "2"})

    def test_a_driver_of_spark_starts_once_its_executors_have_their_room(self):
        driver, *executors = self.begin("spark.yaml")
        self.node("one", 4)
        self.make(driver)
        self.until("placeholders hold what there is", lambda: len(self.bound()) == 2)
        self.wait_on("pi-driver")
        self.node("two", 2)
        self.on(["one", "two"], "pi-driver")
        self.until("the room of the executors is held", lambda: len(self.bound()) == 3)
        self.pod("other", cpu="2", schedulerName="yunikorn", application="other")
        self.says("other", "Insufficient cpu")
        self.make(*executors)
        self.on(["one", "two"], *(pod["metadata"]["name"] for pod in executors))
        self.wait_on("other", seconds=0.5)

    def test_steps_of_a_workflow_run_as_they_come(self):
        steps = self.begin("argo.yaml")
        self.node("one", 2)
        for step in steps:
            self.make(step)
            self.on("one", step["metadata"]["name"])
            self.finish(step["metadata"]["name"])


class Jobs(Controlled):
    def test_a_job_runs_together(self):
        self.node("one", 3)
        job = documents("job.yaml")[0]
        self.api.create("Job", job | {"metadata": job["metadata"] | {"namespace": self.namespace}})
        self.until("placeholders hold what there is", lambda: len(self.bound()) == 3)
        self.assertEqual(self.status("Job", "solver").get("succeeded", 0), 0)
        self.node("two", 1)
        self.until("all have completed", lambda: self.status("Job", "solver").get("succeeded") == 4)
        self.until("no placeholder is left", lambda: len(self.api.list("Pod", self.namespace)) == 4)

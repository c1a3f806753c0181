# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Pods as controllers make them: a control plane of its own with kube-controller-manager, and kwok for the kubelets. Nothing
is played by the tests but what people do."""

import json
import pathlib
import subprocess
import tempfile

from api import MERGE, Refused
from cluster import Case, Shared, deploy
from control_plane import ADMIN, OF_KWOK, ControlPlane
from nodes import Kubelets, node_object
from placing_test import container, matches, node_affinity

DOMAIN = "yunikorn.apache.org/"
SILENT = [{"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}
          for why in ("not-ready", "unreachable")]  # else the pods of a node without a kubelet stay for five minutes
LOCAL = "kubernetes.io/no-provisioner"


class Controlled(Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.others = Shared.plane, Shared.kubelets
        folder = pathlib.Path(tempfile.mkdtemp(dir=Shared.folder))
        Shared.plane = ControlPlane(Shared.plane.programs, folder, Shared.plane.newest)
        Shared.kubelets = Kubelets(Shared.plane.api, plays=False)
        deploy(Shared.plane.api, "namespace.yaml", "rbac.yaml", "config.yaml")  # a Deployment would get pods
        cls.beside = (Shared.plane.kube_controller_manager(folder), Shared.plane.kwok(folder))

    @classmethod
    def tearDownClass(cls) -> None:
        plane, kubelets = Shared.plane, Shared.kubelets
        Shared.plane, Shared.kubelets = cls.others
        ended = [one.log.read_text()[-2000:] for one in cls.beside if not one.running()]
        kubelets.stop()
        for one in cls.beside:
            one.kill()
        plane.stop()
        if ended:
            raise AssertionError(f"it ended: {ended}")

    def account(self, namespace: str) -> None:
        self.until("the namespace has its account", lambda: self.api.get("ServiceAccount", "default", namespace))

    def clear(self) -> None:
        """What controllers made ends with its namespace."""
        for name in [one["metadata"]["name"] for one in self.api.list("Namespace") if one["metadata"]["name"].startswith("case-")]:
            self.api.delete("Namespace", name)
            self.until("the namespace is gone", lambda name=name: self.forced(name) or self.api.get("Namespace", name) is None)
        for kind in ("Node", "PersistentVolume", "StorageClass", "ResourceSlice", "DeviceClass"):
            for one in self.api.list(kind):
                self.api.delete(kind, one["metadata"]["name"])
        for kind in ("Node", "PersistentVolume"):
            self.until("they are gone", lambda kind=kind: not self.api.list(kind))
        self.kubelets.moved.clear()

    def forced(self, namespace: str) -> None:
        """Ends pods whose kubelet does not."""
        for pod in self.api.list("Pod", namespace):
            if "deletionTimestamp" in pod["metadata"]:
                self.api.delete("Pod", pod["metadata"]["name"], namespace, gracePeriodSeconds=0)

    def node(self, name: str, cpu: str | int = 4, labels: dict | None = None, kubelet: bool = True, **more) -> None:
        """Without a kubelet nobody says more of it than this: it was ready."""
        body = node_object(name, cpu, (OF_KWOK if kubelet else {}) | (labels or {}), **more)
        if not kubelet:
            body["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
        self.api.create("Node", body)

    def template(self, cpu: str = "1", queue: str = "root.work", application: str = "app", labels: dict | None = None, **spec) -> dict:
        body = {"schedulerName": "tenon", "terminationGracePeriodSeconds": 1, "containers": [container({"cpu": cpu})]}
        return {"metadata": {"labels": {"queue": queue, "applicationId": application} | (labels or {})}, "spec": body | spec}

    def make(self, kind: str, name: str, template: dict, **spec) -> None:
        chosen = {"matchLabels": {"app": name}}
        template["metadata"]["labels"]["app"] = name
        body = {"template": template} | spec
        if kind != "Job":
            body["selector"] = chosen
        self.api.create(kind, {"metadata": {"name": name, "namespace": self.namespace}, "spec": body})

    def status(self, kind: str, name: str) -> dict:
        return self.api.get(kind, name, self.namespace).get("status", {})

    def available(self, name: str, replicas: int) -> None:
        self.until(f"{replicas} of {name} are available", lambda: (
            (status := self.status("Deployment", name)).get("availableReplicas", 0), status.get("updatedReplicas", 0),
            status.get("replicas", 0)) == (replicas,) * 3)

    def nodes_of(self, name: str) -> list[str]:
        """Those of its pods that are not ending, sorted."""
        found = self.api.list("Pod", self.namespace, labelSelector=f"app={name}")
        return sorted(pod["spec"].get("nodeName", "") for pod in found if "deletionTimestamp" not in pod["metadata"])


class Controllers(Controlled):
    def test_a_deployment_is_available_and_what_ends_is_replaced(self):
        for name in ("one", "two"):
            self.node(name, 4)
        self.make("Deployment", "web", self.template(), replicas=8)
        self.available("web", 8)
        victim = self.api.list("Pod", self.namespace)[0]["metadata"]["name"]
        self.delete(victim)
        self.gone(victim)
        self.until("another is in its place", lambda: self.nodes_of("web") == ["one"] * 4 + ["two"] * 4)
        self.available("web", 8)

    def test_a_rolling_update_goes_through_where_all_nodes_are_full(self):
        self.node("one", 4)
        self.make("Deployment", "web", self.template(), replicas=4, strategy={
            "type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}})
        self.available("web", 4)
        before = {pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace)}
        self.api.patch("Deployment", "web", {"spec": {"template": {"metadata": {"annotations": {"version": "2"}}}}}, self.namespace, form=MERGE)
        self.until("all are new", lambda: not before & {pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace)})
        self.available("web", 4)

    def test_a_deployment_that_shrinks_leaves_its_room_to_others(self):
        self.node("one", 4)
        self.make("Deployment", "web", self.template(), replicas=4)
        self.available("web", 4)
        self.make("Deployment", "batch", self.template(application="batch", queue="root.other"), replicas=2)
        self.until("it waits", lambda: self.nodes_of("batch") == ["", ""])
        self.api.patch("Deployment", "web", {"spec": {"replicas": 2}}, self.namespace, form=MERGE)
        self.available("batch", 2)

    def test_a_daemon_set_has_a_pod_on_each_node_and_on_those_that_come(self):
        self.node("one", 4)
        self.node("closed", 4, unschedulable=True)  # such pods tolerate that
        self.make("DaemonSet", "agent", self.template())
        self.until("both have one", lambda: self.nodes_of("agent") == ["closed", "one"])
        self.node("two", 4)
        self.until("the new one too", lambda: self.nodes_of("agent") == ["closed", "one", "two"])
        self.until("all are ready", lambda: self.status("DaemonSet", "agent").get("numberReady") == 3)

    def test_the_pods_of_a_job_complete_and_give_way_to_the_next(self):
        self.node("one", 2)
        self.make("Job", "batch", self.template(restartPolicy="Never"), completions=10, parallelism=5)
        self.until("all have completed", lambda: self.status("Job", "batch").get("succeeded") == 10)
        self.until("the job has", lambda: any(one["type"] == "Complete" for one in self.status("Job", "batch")["conditions"]))

    def test_pods_of_a_set_get_their_local_volumes_and_come_back_to_them(self):
        self.api.create("StorageClass", {"metadata": {"name": "local"}, "provisioner": LOCAL, "volumeBindingMode": "WaitForFirstConsumer"})
        for name in ("one", "two", "three"):
            self.node(name)
            self.local_volume(name)
        claim = {"metadata": {"name": "disk"}, "spec": {
            "storageClassName": "local", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
        self.make("StatefulSet", "store", self.template(), replicas=3, serviceName="store", volumeClaimTemplates=[claim])
        self.until("all are ready", lambda: self.status("StatefulSet", "store").get("readyReplicas") == 3)
        where = self.get("store-1")["spec"]["nodeName"]
        self.assertEqual(self.nodes_of("store"), ["one", "three", "two"])
        old = self.get("store-1")["metadata"]["uid"]
        self.delete("store-1")
        self.until("another one has its name", lambda: (one := self.get("store-1")) and one["metadata"]["uid"] != old)
        self.on(where, "store-1")

    def local_volume(self, node: str) -> None:
        self.api.create("PersistentVolume", {"metadata": {"name": f"disk-{node}"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local", "local": {"path": "/none"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [matches("kubernetes.io/hostname", "In", node)]}}}})

    def test_a_volume_that_lives_as_long_as_its_pod(self):
        self.api.create("StorageClass", {"metadata": {"name": "local"}, "provisioner": LOCAL, "volumeBindingMode": "WaitForFirstConsumer"})
        for name in ("one", "two"):
            self.node(name)
        self.local_volume("two")
        wanted = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        self.pod("scratch", volumes=[{"name": "disk", "ephemeral": {"volumeClaimTemplate": {"spec": wanted}}}])
        self.on("two", "scratch")
        self.assertEqual(self.api.get("PersistentVolumeClaim", "scratch-disk", self.namespace)["status"]["phase"], "Bound")

    def test_a_claim_of_a_template_is_made_and_allocated_for_each_pod(self):
        self.node("plain")
        self.node("device")
        self.api.create("DeviceClass", {"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": 'device.driver == "example.com"'}}]}})
        self.api.create("ResourceSlice", {"metadata": {"name": "devices"}, "spec": {
            "driver": "example.com", "nodeName": "device", "pool": {"name": "device", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}]}})
        self.api.create("ResourceClaimTemplate", {"metadata": {"name": "one-gpu", "namespace": self.namespace}, "spec": {"spec": {
            "devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": "gpu"}}]}}}})
        self.make("Deployment", "train", self.template(
            resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}],
            containers=[{"name": "main", "image": "none", "resources": {"claims": [{"name": "gpu"}]}}]), replicas=3)
        self.until("two have their devices", lambda: self.nodes_of("train") == ["", "device", "device"])
        running = next(pod for pod in self.api.list("Pod", self.namespace) if pod["spec"].get("nodeName"))["metadata"]["name"]
        self.until("it runs", lambda: self.get(running)["status"]["phase"] == "Running")
        self.delete(running)
        self.gone(running)
        self.until("the third one has that of the first", lambda: self.nodes_of("train") == ["", "device", "device"])

    def test_a_namespace_that_is_deleted_gives_its_room_back(self):
        self.node("one", 4)
        other = self.new_namespace()
        for i in range(4):
            self.pod(f"p{i}", namespace=other)
        self.on("one", *(f"p{i}" for i in range(4)), namespace=other)
        self.pod("next", cpu="4", application="next", queue="root.other")
        self.says("next", "Insufficient cpu")
        self.api.delete("Namespace", other)
        self.on("one", "next")

    def test_a_node_whose_kubelet_is_silent_loses_its_pods_to_others(self):
        self.node("silent", 4, kubelet=False)
        self.api.patch("Node", "silent", {"spec": {"taints": []}}, form=MERGE)
        self.make("Deployment", "web", self.template(tolerations=SILENT), replicas=2)
        self.until("both are there", lambda: self.nodes_of("web") == ["silent", "silent"])
        self.node("other", 4)
        self.until("others have been made elsewhere", lambda: self.nodes_of("web") == ["other", "other"])
        self.available("web", 2)

    def test_a_node_that_has_too_little_disk_gets_no_pods_until_it_has_more(self):
        self.node("one", 4)
        self.pod("before")
        self.on("one", "before")

        def presses(status: str) -> None:
            self.api.patch("Node", "one", {"status": {"conditions": [{"type": "DiskPressure", "status": status}]}}, part="status")
        presses("True")
        self.until("its controller taints it", lambda: any(
            one["key"] == "node.kubernetes.io/disk-pressure" for one in self.api.get("Node", "one")["spec"].get("taints", [])))
        self.pod("after")
        self.says("after", r"untolerated taint\(s\)")
        presses("False")
        self.on("one", "after")

    def test_a_node_that_is_deleted_has_its_pods_made_again_elsewhere(self):
        self.node("one", 4)
        self.make("Deployment", "web", self.template(), replicas=4)
        self.available("web", 4)
        self.node("two", 4)
        self.api.delete("Node", "one")
        self.until("all are there", lambda: self.nodes_of("web") == ["two"] * 4, within=120)  # the collector of pods waits 40 s

    def test_a_node_that_is_drained_is_empty_afterwards(self):
        for name in ("one", "two"):
            self.node(name, 4)
        self.make("Deployment", "web", self.template(), replicas=4)
        self.available("web", 4)
        self.budget("web", 3)
        self.change_node("one", spec={"unschedulable": True})

        def drained() -> bool:
            for pod in self.api.list("Pod", self.namespace, fieldSelector="spec.nodeName=one"):
                self.evict(pod["metadata"]["name"])
            return self.nodes_of("web") == ["two"] * 4
        self.until("it is empty", drained)
        self.available("web", 4)

    def kubectl(self, *words: str) -> str:
        done = subprocess.run([Shared.plane.programs / "kubectl", "--kubeconfig", Shared.plane.kubeconfig(self.folder / "admin", ADMIN), *words],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_kubectl_drains_a_node_as_a_budget_allows_and_opens_it_again(self):
        for name in ("one", "two"):
            self.node(name, 5)
        self.make("Deployment", "web", self.template(), replicas=4)
        self.make("DaemonSet", "agent", self.template(cpu="100m"))
        self.available("web", 4)
        self.until("agents are on both nodes", lambda: self.nodes_of("agent") == ["one", "two"])
        self.budget("web", 3)
        self.assertIn("node/one drained", self.kubectl("drain", "one", "--ignore-daemonsets", "--timeout=100s"))
        self.assertEqual(set(self.nodes_of("web")) - {""}, {"two"})
        self.available("web", 4)
        self.assertEqual(self.nodes_of("agent"), ["one", "two"])
        self.kubectl("scale", "deployment/web", "--replicas=8", "--namespace", self.namespace)
        self.until("the node two is full", lambda: self.nodes_of("web").count("two") == 4 and len(self.nodes_of("web")) == 8)
        waits = next(pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace, labelSelector="app=web") if "nodeName" not in pod["spec"])
        self.until("kubectl says why one waits", lambda: "1 Insufficient cpu" in self.kubectl("describe", "pod", waits, "--namespace", self.namespace))
        self.kubectl("uncordon", "one")
        self.available("web", 8)

    def budget(self, name: str, least: int) -> None:
        self.api.create("PodDisruptionBudget", {"metadata": {"name": name, "namespace": self.namespace}, "spec": {
            "minAvailable": least, "selector": {"matchLabels": {"app": name}}}})
        self.until("the budget is counted", lambda: self.status("PodDisruptionBudget", name).get("currentHealthy", 0) >= least)

    def evict(self, name: str) -> None:
        """As kubectl drain does it; a budget may refuse."""
        try:
            self.api.call("POST", f"/api/v1/namespaces/{self.namespace}/pods/{name}/eviction", {
                "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": self.namespace}})
        except Refused as wrong:
            if wrong.status not in (404, 429):
                raise

    def test_a_victim_ends_when_its_deployment_can_spare_it(self):
        self.end(self.bridge)
        self.start_bridge("--budget-patience=1h")
        self.priority_class("high", 1000)
        self.node("one", 2)
        self.make("Deployment", "web", self.template(cpu="2"), replicas=1)
        self.available("web", 1)
        self.budget("web", 1)
        self.node("two", 4, labels={"full": "no"}, taints=({"key": "full", "effect": "NoSchedule"},))
        self.pod("agent", cpu="2", application="agents", priorityClassName="high",
                 affinity=node_affinity(matches("metadata.name", "In", "one", of="matchFields")))
        self.until("its budget keeps it", lambda: [
            one for one in self.api.list("Event", self.namespace) if one["reason"] == "PreemptionDelayed"])
        self.wait_on("agent")
        self.node("three", 2)
        self.api.patch("Deployment", "web", {"spec": {"replicas": 2}}, self.namespace, form=MERGE)
        self.on("one", "agent")
        self.until("the other one runs on", lambda: "three" in self.nodes_of("web"))

    def test_the_placeholders_of_a_gang_go_with_the_pod_that_names_them(self):
        self.node("one", 2)
        groups = json.dumps([{"name": "workers", "minMember": 3, "minResource": {"cpu": "1"}}])
        self.pod("p0", application="gang", annotations={DOMAIN + "task-group-name": "workers", DOMAIN + "task-groups": groups})
        self.until("placeholders", lambda: len(self.api.list("Pod", self.namespace)) == 4)
        self.delete("p0", gracePeriodSeconds=0)
        self.until("nothing is left", lambda: not self.api.list("Pod", self.namespace))
        self.pod("after", cpu="2", application="other")
        self.on("one", "after")

    def test_a_gang_of_a_job_runs_together_and_completes(self):
        self.node("one", 2)
        template = self.template(application="gang", restartPolicy="Never")
        template["metadata"]["annotations"] = {
            DOMAIN + "task-group-name": "workers",
            DOMAIN + "task-groups": json.dumps([{"name": "workers", "minMember": 4, "minResource": {"cpu": "1"}}])}
        self.make("Job", "gang", template, completions=4, parallelism=4)
        self.until("placeholders hold what there is", lambda: len(self.bound()) == 2)
        self.assertEqual(self.status("Job", "gang").get("succeeded", 0), 0)
        self.node("two", 2)
        self.until("all have completed", lambda: self.status("Job", "gang").get("succeeded") == 4)
        self.until("no placeholder is left", lambda: len(self.api.list("Pod", self.namespace)) == 4)

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""kube-scheduler as reference: the cases of reference.yaml are given to it and to Tenon, on the same nodes. Both have to find
that a pod fits just where the table says so, and to say in the same words why it fits nowhere."""

import pathlib
import re
import tempfile
import time
import unittest

import yaml

from api import MERGE, Refused
from cluster import NAMESPACE, QUEUES, Bridge, Case, Shared, condition
from control_plane import Process

TABLE = yaml.safe_load((pathlib.Path(__file__).parent / "reference.yaml").read_text())
PEER = "kube-scheduler"
SCHEDULERS = (PEER, "tenon")
TRIES = 3  # of one trial: what was just changed may be known a moment later
INTRA = "- { name: work, properties: { preemption.policy: intra, preemption.delay: 1s } }"  # plain priorities count, as for kube-scheduler
CLASSES = {"low": 1, "middle": 100, "high": 1000, "never": 1001}
UNSAID = "nothing was said"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def spec_of(said: dict) -> dict:
    """A pod's spec from a row of the table."""
    row = {key: value for key, value in said.items() if key not in ("node", "labels", "namespace")}
    affinity = {}
    for short, kind in (("near", "podAffinity"), ("apart", "podAntiAffinity")):
        if short in row:
            affinity[kind] = {REQUIRED: row.pop(short)}
    if "where" in row:
        affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": row.pop("where")}}
    resources = {"requests": row.pop("requests", {})}
    resources["limits"] = {name: amount for name, amount in resources["requests"].items() if "/" in name}
    if "resourceClaims" in row:
        resources["claims"] = [{"name": one["name"]} for one in row["resourceClaims"]]
    ports = [{"containerPort": one["hostPort"]} | one for one in row.pop("ports", [])]
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in row.pop("claims", [])]
    if "class" in row:
        row["priorityClassName"] = "reference-" + row.pop("class")
    return {
        "affinity": affinity, "topologySpreadConstraints": row.pop("spread", []), "volumes": volumes, "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "none", "resources": resources, "ports": ports}],
    } | row


def words(message: str) -> str:
    """What a message says of nodes; kube-scheduler goes on with what preemption would do, or its error, and Tenon with numbers."""
    return re.split(r"(?<=\.) (?:Tenon: |preemption: |no new claims |not found$)", message)[0]


class Reference(Case):
    """One of each scheduler for all cases of a class."""

    starts = False

    @classmethod
    def setUpClass(cls) -> None:
        if not Shared.plane.newest:
            raise unittest.SkipTest("the bridge has the plugins of the newest kube-scheduler")
        folder = pathlib.Path(tempfile.mkdtemp(dir=Shared.folder))
        config = Shared.plane.api.get("ConfigMap", "tenon", NAMESPACE)["data"]
        (folder / "tenon.yaml").write_text(config["tenon.yaml"].replace("/run/tenon", str(folder)))
        (folder / "queues.yaml").write_text(QUEUES.replace("- name: work", INTRA))
        (folder / "admin-token").write_text("a token of these tests")
        rights = Shared.plane.kubeconfig(folder / "kubeconfig", Shared.plane.token(NAMESPACE, "tenon"))
        cls.peer = Shared.plane.kube_scheduler(folder, PEER)
        cls.server = Process(folder / "tenon.log", Shared.tenon, "serve", "-c", folder / "tenon.yaml")
        cls.of_bridge = Bridge(folder / "bridge.log", folder / "tenon.sock", "--kubeconfig", str(rights), "--lease", "")

    @classmethod
    def tearDownClass(cls) -> None:
        for one in (cls.of_bridge, cls.server, cls.peer):
            if not one.running():
                raise AssertionError(f"it ended: {one.log.read_text()[-2000:]}")
            one.kill()


class Filters(Reference):
    each_node = False  # where the others have no places, for each; run.py sets it

    def play(self, row: dict) -> None:
        self.until("the scheduler knows everything", self.of_bridge.connected)
        self.row = row
        self.elsewhere = self.new_namespace()
        self.api.patch("Namespace", self.elsewhere, {"metadata": {"labels": {"role": "other"}}}, form=MERGE)
        for name, said in row["nodes"].items():
            self.node(name, labels=said.get("labels"), taints=tuple(said.get("taints", ())), more=said.get("allocatable"),
                      unschedulable=said.get("unschedulable", False))
            if "features" in said:
                self.api.patch("Node", name, {"status": {"declaredFeatures": said["features"]}}, part="status")
        self.rooms = {name: self.api.get("Node", name)["status"]["allocatable"]["pods"] for name in row["nodes"]}
        said: dict[str, dict] = {scheduler: {} for scheduler in SCHEDULERS}
        self.addCleanup(self.remove_objects)
        self.make_objects()
        for number, other in enumerate(row.get("others", [])):
            self.running(f"other{number}", other)
        for number, scheduler in enumerate(SCHEDULERS):
            for one in row["nodes"] if row["fits"] and self.each_node else [None]:
                said[scheduler][one] = self.trial(scheduler, one)
        if self.each_node:
            self.open(*row["nodes"])
        for one, message in said[PEER].items():
            if (one in row.get("tenon", row["fits"])) != (one in row["fits"]):
                continue
            if row.get("unsaid"):
                self.assertEqual(message, UNSAID)
                continue
            self.assertEqual(said["tenon"][one], message, f"where only {one} has places" if one else "in other words")

    def running(self, name: str, said: dict) -> None:
        where = self.elsewhere if "namespace" in said else self.namespace
        self.api.create("Pod", {"metadata": {"name": name, "namespace": where, "labels": said.get("labels", {})},
                                "spec": spec_of(said) | {"nodeName": said["node"], "schedulerName": "other"}})

    def trial(self, scheduler: str, only: str | None) -> str:
        """What is said of the pod while all other nodes have no places; empty where it came to the one."""
        fits = set(self.row.get(scheduler, self.row["fits"])) & ({only} if only else self.rooms.keys())
        if only:
            self.open(only)
        for number in range(TRIES):
            if "objects" in self.row:
                self.remove_objects()
                self.make_objects()
            time.sleep(0.1 * 5**number)
            node, message = self.outcome(scheduler, bool(fits))
            if node in (fits or {None}):
                return message
        self.fail(f"{scheduler}: where {only or 'each node'} has places it should be on {fits or 'none'}, and is on {node}: {message}")

    def open(self, *nodes: str) -> None:
        """No other nodes have places."""
        for name, places in self.rooms.items():
            room = {"pods": places if name in nodes else "0"}
            self.api.patch("Node", name, {"status": {"allocatable": room, "capacity": room}}, part="status")

    def outcome(self, scheduler: str, fits: bool) -> tuple[str | None, str]:
        labels = {"queue": "root.work", "applicationId": "app"} | self.row["pod"].get("labels", {})
        self.api.create("Pod", {"metadata": {"name": "p", "namespace": self.namespace, "labels": labels},
                                "spec": spec_of(self.row["pod"]) | {"schedulerName": scheduler}})
        refused = 0.0
        try:
            deadline = time.monotonic() + (2 if "unsaid" in self.row else 20)
            while time.monotonic() < deadline:
                pod = self.get("p")
                self.play_volumes()
                if "nodeName" in pod["spec"]:
                    return pod["spec"]["nodeName"], ""
                said = condition(pod, "PodScheduled")
                if said.get("status") == "False":
                    refused = refused or time.monotonic()
                    if not fits and time.monotonic() - refused > 0.2:
                        return None, words(said["message"])
                time.sleep(0.03)
            return None, condition(pod, "PodScheduled").get("message", UNSAID)
        finally:
            self.delete("p", gracePeriodSeconds=0)
            self.gone("p")
            for claim in self.api.list("ResourceClaim", self.namespace):  # what was made for the pod, as the controller of garbage ends it
                if "ownerReferences" in claim["metadata"]:
                    self.remove("ResourceClaim", claim["metadata"]["name"], self.namespace)

    def play_volumes(self) -> None:
        """As the controller of volumes and a driver do it: a claim gets the volume that was chosen for it, or one that is made for the
        node that was chosen."""
        for name in (one["metadata"]["name"] for one in self.row.get("objects", []) if one["kind"] == "PersistentVolumeClaim"):
            claim = self.api.get("PersistentVolumeClaim", name, self.namespace)
            if claim["spec"].get("volumeName"):
                continue
            node = claim["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node")
            if node:
                self.volume_of(claim, node)
            chosen = [one["metadata"]["name"] for one in self.api.list("PersistentVolume") if one["spec"].get("claimRef", {}).get("name") == name]
            for volume in chosen:
                self.bind_volume(name, volume)

    def volume_of(self, claim: dict, node: str) -> None:
        name = claim["metadata"]["name"]
        self.api.create("PersistentVolume", {"metadata": {"name": f"made-{name}"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": claim["spec"]["accessModes"], "storageClassName": claim["spec"]["storageClassName"],
            "csi": {"driver": "disks.example.com", "volumeHandle": name},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": self.namespace, "name": name, "uid": claim["metadata"]["uid"]},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}})

    # What belongs to the pod.

    def make_objects(self) -> None:
        for said in self.row.get("objects", []):
            body = {key: value for key, value in said.items() if key != "status"}
            body = yaml.safe_load(yaml.safe_dump(body).replace("NAMESPACE", self.namespace))
            try:
                self.api.create(said["kind"], body)
            except Refused as wrong:
                if wrong.status != 409:
                    raise
            if "status" in said:
                where = body["metadata"].get("namespace", "")
                self.api.patch(said["kind"], body["metadata"]["name"], {"status": said["status"]}, where, "status")

    def remove_objects(self) -> None:
        for said in reversed(self.row.get("objects", [])):
            name = said["metadata"]["name"]
            self.remove(said["kind"], name, self.namespace if "namespace" in said["metadata"] else "")
            if said["kind"] == "PersistentVolumeClaim":
                self.remove("PersistentVolume", f"made-{name}")

    def remove(self, kind: str, name: str, where: str = "") -> None:
        if self.api.get(kind, name, where):
            self.api.patch(kind, name, {"metadata": {"finalizers": None}}, where, form=MERGE)
            self.api.delete(kind, name, where)
            self.until("it is gone", lambda: self.api.get(kind, name, where) is None)


class Preemption(Reference):
    def play(self, row: dict) -> None:
        self.until("the scheduler knows everything", self.of_bridge.connected)
        for name, value in CLASSES.items():
            self.priority_class(f"reference-{name}", value, **({"preemptionPolicy": "Never"} if name == "never" else {}))
        for name, said in row["nodes"].items():
            self.node(name, taints=tuple(said.get("taints", ())))
        for scheduler in SCHEDULERS:
            ends = row.get(scheduler, row["ends"])
            # The oldest pod of an application is the last one that Tenon ends; in these cases it is one that takes nothing.
            self.make("oldest", scheduler, {}, nodeName=min(row["nodes"]), tolerations=[{"operator": "Exists"}])
            for name, said in row["others"].items():
                self.make(name, scheduler, said, nodeName=said["node"], tolerations=[{"operator": "Exists"}])
            self.make("p", scheduler, row["pod"])
            if ends:
                self.gone(*ends)
                self.until(f"the pod of {scheduler} has their place", lambda: "nodeName" in self.get("p")["spec"])
            else:
                self.until("it is said why it waits", lambda: condition(self.get("p"), "PodScheduled").get("status") == "False")
                time.sleep(3)  # longer than preemption.delay
            left = {pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace)} - {"p"}
            self.assertEqual(set(row["others"]) - left, set(ends), scheduler)
            for name in ("p", *left):
                self.delete(name, gracePeriodSeconds=0)
            self.gone("p", *left)

    def make(self, name: str, scheduler: str, said: dict, **more) -> None:
        labels = {"queue": "root.work", "applicationId": "app"} | said.get("labels", {})
        self.api.create("Pod", {"metadata": {"name": name, "namespace": self.namespace, "labels": labels},
                                "spec": spec_of(said) | {"schedulerName": scheduler} | more})


def name_of(row: dict) -> str:
    return "test_" + re.sub(r"\W+", "_", row["name"])


def case(row: dict):
    return lambda self: self.play(row)


for one in TABLE["cases"]:
    setattr(Filters, name_of(one), case(one))
for one in TABLE["preemption"]:
    setattr(Preemption, name_of(one), case(one))

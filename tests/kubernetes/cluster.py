# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a case has: a namespace and nodes of its own on the control plane that all share, a `tenon serve` with the
deployed configuration, and a bridge with a token of the deployed service account. What came of it is looked up at the
API server; after each case there is no node over what it has, no pod was bound twice, and no right was missing."""

import contextlib
import http.client
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import nodes
from api import MERGE, Api, Refused
from control_plane import ControlPlane, Process, free_port
from nodes import Kubelets, node_object

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "bridges/kubernetes/deploy"
WITHIN = 60.0  # seconds for what has to come: long, since the machine may be busy
NAMESPACE = "tenon"  # of the deployed manifests

QUEUES = """
partitions:
  - name: default
    placementrules:
      - { name: provided, create: false }
    reservation: { enabled: false } # as delivered: no node is kept for a pod that waits, so smaller ones that come later run
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
          - name: other
          - { name: piecewise, properties: { gang.start: piecewise } }
          - name: small
            resources: { max: { vcore: 1 } }
"""
EXPLAINED = " Tenon: "  # behind it the scheduler explains
UNITS = {"": 1, "n": 1e-9, "u": 1e-6, "m": 0.001, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def number(text: str | int) -> float:
    amount, unit = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([a-zA-Z]*)", str(text)).groups()
    return float(amount) * UNITS[unit]


def condition(pod: dict, kind: str) -> dict:
    return next((one for one in pod["status"].get("conditions", []) if one["type"] == kind), {})


def merged(one: dict, other: dict) -> dict:
    """The other's fields over those of the one."""
    both = dict(one)
    for name, value in other.items():
        both[name] = merged(both[name], value) if isinstance(value, dict) and isinstance(both.get(name), dict) else value
    return both


MANIFESTS = ("namespace.yaml", "rbac.yaml", "config.yaml", "deployment.yaml", "budget.yaml", "flows.yaml")


def deploy(api: Api, *files: str) -> None:
    """Applies manifests as they are delivered; all of them where none is named."""
    for file in files or MANIFESTS:
        api.manifest((DEPLOY / file).read_text())


class Shared:
    """What all cases share; run.py makes it."""

    plane: ControlPlane
    kubelets: Kubelets
    tenon: pathlib.Path
    program: pathlib.Path  # the bridge's
    render: pathlib.Path  # the program that renders as helm and kustomize do
    folder: pathlib.Path
    numbers = itertools.count(1)


class Bridge(Process):
    def __init__(self, log: pathlib.Path, tenon: pathlib.Path, *options: str, before: tuple[str, ...] = (), program: pathlib.Path | None = None,
                 patience: tuple[str, str] = ("100ms", "2s")):
        self.port = free_port()
        super().__init__(log, *before, program or Shared.program, "--tenon", f"unix:{tenon}", "--control", tenon.with_name("control.sock"), "--listen", f"127.0.0.1:{self.port}",
                         "--patience", patience[0], "--repeat", patience[1], *options)

    def asked(self, page: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", page)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def ready(self) -> bool:
        return self.asked("/readyz")[0] == 200

    def connected(self) -> bool:
        return "\ntenon_kubernetes_connected 1" in self.asked("/metrics")[1]


class Case(unittest.TestCase):
    queues: str | None = QUEUES  # None: as they are deployed
    lease = False
    options: tuple[str, ...] = ()  # of its bridge
    rights_checked = True  # that the bridge's log names no right that is missing
    starts = True  # tenon and a bridge, before the case begins

    def setUp(self) -> None:
        self.api, self.kubelets = Shared.plane.api, Shared.kubelets
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-"))  # short: a socket's path may not be long
        self.addCleanup(shutil.rmtree, self.folder)
        self.bridges: list[Bridge] = []
        self.ended: list[Bridge] = []  # of which a case expects it
        self.namespace = self.new_namespace()
        self.addCleanup(self.clear)
        self.kubeconfig = Shared.plane.kubeconfig(self.folder / "kubeconfig", Shared.plane.token(NAMESPACE, "tenon"))
        config = self.api.get("ConfigMap", "tenon", NAMESPACE)["data"]
        (self.folder / "tenon.yaml").write_text(config["tenon.yaml"].replace("/run/tenon", str(self.folder)))
        (self.folder / "queues.yaml").write_text(self.queues or config["queues.yaml"])
        (self.folder / "admin-token").write_text("a token of these tests")  # a container of its own makes it in a pod
        self.scheduler: Process | None = None
        self.addCleanup(self.show)
        if self.starts:
            self.serve()
            self.bridge = self.start_bridge(*self.options)

    def tearDown(self) -> None:
        self.none_over()
        self.assertEqual(self.kubelets.moved, [], "bound twice")
        for one in self.bridges:
            if one not in self.ended:
                self.assertTrue(one.running(), "the bridge has ended")
            text = one.log.read_text()
            self.assertNotIn("panic", text)
            self.assertNotIn("DATA RACE", text)
            self.assertNotIn("a comparison repairs a difference", text)
            if self.rights_checked:
                self.assertNotRegex(text, "(?i)forbidden", "a right is missing")

    def show(self) -> None:
        """Ends what runs, and says what it said and had where the case failed."""
        outcome = self._outcome.result
        failed = any(getattr(case, "test_case", case) is self for case, _ in outcome.failures + outcome.errors)
        if failed:
            with contextlib.suppress(OSError, Refused):  # there may be no API server
                self.show_state()
        for one in (*self.bridges, *filter(None, [self.scheduler])):
            one.stop()
        if failed:
            for log in sorted(self.folder.glob("*.log")):
                print(f"--- {self.id()}: the end of {log.name}\n{log.read_text()[-3000:]}")

    def show_state(self) -> None:
        """Prints the pods as the API server has them, and what the scheduler has."""
        for pod in self.pods():
            print(f"--- {pod['metadata']['name']} {pod['metadata']['uid']} on {pod['spec'].get('nodeName')}: {condition(pod, 'PodScheduled')}")
        for what in ("nodes", "apps"):
            asked = subprocess.run([Shared.tenon, "ctl", what, "--json", "--control", self.folder / "control.sock"], capture_output=True, text=True)
            print(f"--- {what} of the scheduler: {asked.stdout[:5000]}{asked.stderr}")

    def clear(self) -> None:
        """The next case has an empty cluster."""
        if not Shared.plane.server.running():
            Shared.plane.start()
        self.kubelets.slow.clear()
        self.kubelets.moved.clear()
        for pod in self.api.list("Pod"):
            self.api.delete("Pod", pod["metadata"]["name"], pod["metadata"]["namespace"], gracePeriodSeconds=0)
        for node in self.api.list("Node"):
            self.api.delete("Node", node["metadata"]["name"])

    # What runs beside the cluster.

    def serve(self) -> Process:
        self.scheduler = Process(self.folder / "tenon.log", Shared.tenon, "serve", "-c", self.folder / "tenon.yaml")
        return self.scheduler

    def start_bridge(self, *options: str, wait: bool = True, **more) -> Bridge:
        lease = () if self.lease else ("--lease", "")
        one = Bridge(self.folder / f"bridge{len(self.bridges)}.log", self.folder / "tenon.sock", "--kubeconfig", str(self.kubeconfig),
                     *lease, *options, **more)
        self.bridges.append(one)
        if wait:
            self.until("the scheduler knows everything", one.connected)
        return one

    def end(self, one: Bridge, kill: bool = True) -> int:
        self.ended.append(one)
        if kill:
            one.kill()
            return -9
        return one.stop()

    # The cluster.

    def new_namespace(self, **annotations: str) -> str:
        name = f"case-{next(Shared.numbers)}"
        domain = {f"yunikorn.apache.org/{key}": value for key, value in annotations.items()}
        self.api.create("Namespace", {"metadata": {"name": name, "annotations": domain}})
        self.account(name)
        return name

    def account(self, namespace: str) -> None:
        self.api.create("ServiceAccount", {"metadata": {"name": "default", "namespace": namespace}})

    def node(self, name: str, cpu: str | int = 4, labels: dict | None = None, taints: tuple[dict, ...] = (), ready: bool = True,
             more: dict | None = None, **spec) -> None:
        self.api.create("Node", node_object(name, cpu, labels, taints, more, **spec))
        if ready:
            self.ready(name, taints)

    def ready(self, name: str, taints: tuple[dict, ...] = ()) -> None:
        nodes.ready(self.api, name, taints)

    def change_node(self, name: str, **change) -> None:
        self.api.patch("Node", name, change, form=MERGE)

    def pod(self, name: str, cpu: str | None = "1", queue: str = "root.work", application: str = "app", namespace: str = "",
            annotations: dict | None = None, labels: dict | None = None, **spec) -> dict:
        named = {"queue": queue, "applicationId": application} if labels is None else labels
        container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu} if cpu else {}}}
        body = {"schedulerName": "tenon", "terminationGracePeriodSeconds": 30, "containers": [container]}
        return self.api.create("Pod", {
            "metadata": {"name": name, "namespace": namespace or self.namespace, "labels": named, "annotations": annotations or {}},
            "spec": merged(body, spec),
        })

    def next_second(self) -> None:
        """What is made from here on is younger: of creation times the API server tells seconds."""
        time.sleep(1.05 - time.time() % 1)

    def bind_volume(self, claim: str, volume: str) -> None:
        """As the controller of volumes does it, in its order."""
        owner = self.api.get("PersistentVolumeClaim", claim, self.namespace)["metadata"]
        self.api.patch("PersistentVolume", volume, {"metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}, "spec": {
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": self.namespace, "name": claim, "uid": owner["uid"]}}}, form=MERGE)
        self.api.patch("PersistentVolume", volume, {"status": {"phase": "Bound"}}, part="status")
        self.api.patch("PersistentVolumeClaim", claim, {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                                                        "spec": {"volumeName": volume}}, self.namespace, form=MERGE)
        self.api.patch("PersistentVolumeClaim", claim, {"status": {"phase": "Bound"}}, self.namespace, "status")

    def get(self, name: str, namespace: str = "") -> dict | None:
        return self.api.get("Pod", name, namespace or self.namespace)

    def delete(self, name: str, **options) -> None:
        self.api.delete("Pod", name, self.namespace, **options)

    def pods(self) -> list[dict]:
        return self.api.list("Pod")

    def bound(self) -> list[str]:
        return [pod["metadata"]["name"] for pod in self.pods() if pod["spec"].get("nodeName")]

    def finish(self, name: str, phase: str = "Succeeded") -> None:
        """What runs, ends by itself. Nothing where it is gone."""
        self.until(f"{name} runs", lambda: (pod := self.get(name)) is None or pod["status"]["phase"] != "Pending")
        try:
            self.api.patch("Pod", name, {"status": {"phase": phase}}, self.namespace, "status")
        except Refused as wrong:
            if wrong.status != 404:
                raise

    def priority_class(self, name: str, value: int, **more) -> None:
        try:
            self.api.create("PriorityClass", {"metadata": {"name": name}, "value": value} | more)
        except Refused as wrong:
            if wrong.status != 409:
                raise

    # What has to hold.

    def until(self, what: str, holds, within: float = WITHIN):
        deadline = time.monotonic() + within
        while not (found := holds()):
            if time.monotonic() > deadline:
                self.fail(f"never: {what}")
            time.sleep(0.03)
        return found

    def on(self, nodes: list[str] | str, *pods: str, namespace: str = "") -> None:
        nodes = [nodes] if isinstance(nodes, str) else nodes
        for name in pods:
            def there() -> bool:
                found = (self.get(name, namespace) or {"spec": {}})["spec"].get("nodeName")
                self.assertIn(found, [None, "", *nodes], f"{name} is on another node")
                return bool(found)
            self.until(f"{name} is on one of {nodes}", there)

    def count(self, wanted: int) -> None:
        self.until(f"{wanted} pods have nodes", lambda: len(self.bound()) >= wanted)

    def says(self, name: str, pattern: str, namespace: str = "", explained: bool = False) -> str:
        """Waits until the condition PodScheduled of a pod that waits has a message like this: of the bridge's own words, or of
        the scheduler's explanation behind them."""
        last = ""

        def said() -> bool:
            nonlocal last
            one = condition(self.get(name, namespace), "PodScheduled")
            last = one.get("message", "").partition(EXPLAINED)[2 if explained else 0]
            return one.get("status") == "False" and one.get("reason") == "Unschedulable" and re.search(pattern, last) is not None
        try:
            self.until("", said)
        except AssertionError:
            self.fail(f"{name} should say {pattern!r}, and says {last!r}")
        return last

    def wait_on(self, *pods: str, seconds: float = 1.0) -> None:
        """None of these gets a node for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for name in pods:
                self.assertNotIn("nodeName", self.get(name)["spec"], f"{name} should wait")
            time.sleep(0.1)

    def gone(self, *pods: str) -> None:
        for name in pods:
            self.until(f"{name} is gone", lambda: self.get(name) is None)

    def none_over(self) -> None:
        """No node's pods want more than it has, those that are ending included."""
        wanted: dict[tuple[str, str], float] = {}
        for pod in self.pods():
            if pod["spec"].get("nodeName") and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                for resource in ("cpu", "memory", "pods"):
                    amount = 1.0 if resource == "pods" else sum(
                        number(one.get("resources", {}).get("requests", {}).get(resource, "0")) for one in pod["spec"]["containers"])
                    key = pod["spec"]["nodeName"], resource
                    wanted[key] = wanted.get(key, 0.0) + amount
        for node in self.api.list("Node"):
            name = node["metadata"]["name"]
            for resource in ("cpu", "memory", "pods"):
                have = number(node["status"]["allocatable"].get(resource, "0"))
                self.assertLessEqual(wanted.get((name, resource), 0.0), have + 1e-6, f"node {name}: {resource}")

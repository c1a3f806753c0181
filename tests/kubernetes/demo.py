#!/usr/bin/python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A Kubernetes cluster whose pods Tenon schedules, for looking at: `tools/demo --kubernetes [--nodes N] [--once]`.

etcd and kube-apiserver are real, nodes are played through the API, the bridge has the rights that it is deployed with.
Exit status 77: there is no Go here, or no modules; it says which."""

import argparse
import collections
import json
import os
import pathlib
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time

import build
from api import Refused
from cluster import EXPLAINED, NAMESPACE, ROOT, Bridge, condition, deploy
from control_plane import ADMIN, ControlPlane, Process
from nodes import Kubelets, node_object, ready

DOMAIN = "yunikorn.apache.org/"
QUOTA = {"team-b": {"namespace.max.cpu": "100"}}
ZONES = ("north", "south", "west")
WITHIN = 180.0  # seconds for all pods that can run
SEEN_BY_PEOPLE = ("2s", "10s")  # until a pod says why it waits, and until it is looked at again


def say(text: str) -> None:
    print(f"\n== {text}", flush=True)


class Demo:
    def __init__(self, plane: ControlPlane, folder: pathlib.Path, tenon: pathlib.Path, program: pathlib.Path):
        self.api, self.folder, self.tenon = plane.api, folder, tenon
        deploy(self.api)
        self.kubelets = Kubelets(self.api)
        self.token = secrets.token_hex(16)
        self.admin = plane.kubeconfig(folder / "admin.kubeconfig", ADMIN)
        self.configure()
        self.scheduler = Process(folder / "tenon.log", tenon, "serve", "-c", folder / "tenon.yaml")
        rights = plane.kubeconfig(folder / "bridge.kubeconfig", plane.token(NAMESPACE, "tenon"))
        self.bridge = Bridge(folder / "bridge.log", folder / "tenon.sock", "--kubeconfig", str(rights), "--lease", "", program=program,
                             patience=SEEN_BY_PEOPLE)

    def configure(self) -> None:
        """The deployed configuration, with a dashboard."""
        data = self.api.get("ConfigMap", "tenon", NAMESPACE)["data"]
        tokens = self.folder / "tokens.yaml"
        tokens.write_text(f'- {{ token: "{self.token}", user: demo, all: true }}\n')
        tokens.chmod(0o600)
        rest = f'  - {{ use: tenon.rest, config: {{ listen: "127.0.0.1:0", address_file: {self.folder}/address, tokens: {tokens} }} }}\n'
        text = data["tenon.yaml"].replace("/run/tenon", str(self.folder)).rstrip() + f"\n{rest}events: [{{ use: tenon.ring }}]\n"
        (self.folder / "tenon.yaml").write_text(text)
        (self.folder / "queues.yaml").write_text(data["queues.yaml"])
        (self.folder / "admin-token").write_text(secrets.token_hex(16))

    def until(self, what: str, holds, within: float = WITHIN) -> None:
        deadline = time.monotonic() + within
        while not holds():
            for one in (self.scheduler, self.bridge):
                if not one.running():
                    raise SystemExit(f"tools/demo: a program ended; its last words:\n{one.log.read_text()[-3000:]}")
            if time.monotonic() > deadline:
                raise SystemExit(f"tools/demo: not within {within:.0f} s: {what}\n{self.bridge.log.read_text()[-3000:]}")
            time.sleep(0.1)

    def namespace(self, name: str) -> None:
        annotations = {DOMAIN + key: value for key, value in QUOTA.get(name, {}).items()}
        self.api.create("Namespace", {"metadata": {"name": name, "annotations": annotations}})
        self.api.create("ServiceAccount", {"metadata": {"name": "default", "namespace": name}})

    def nodes(self, count: int) -> None:
        for i in range(count):
            special = {"accelerator": "yes"} if i % 20 == 0 else {}
            more = {"example.com/gpu": "4"} if special else {}
            self.api.create("Node", node_object(f"node-{i:03}", 16, {"topology.kubernetes.io/zone": ZONES[i % 3]} | special, more=more))
            ready(self.api, f"node-{i:03}")

    def pod(self, namespace: str, name: str, cpu: str, memory: str = "512Mi", annotations: dict | None = None, labels: dict | None = None,
            gpus: int = 0, **spec) -> None:
        limits = {"limits": {"example.com/gpu": str(gpus)}} if gpus else {}
        container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu, "memory": memory}} | limits}
        self.api.create("Pod", {
            "metadata": {"name": name, "namespace": namespace, "labels": labels or {}, "annotations": annotations or {}},
            "spec": {"schedulerName": "tenon", "terminationGracePeriodSeconds": 1, "containers": [container]} | spec,
        })

    def load(self) -> None:
        for i in range(300):
            self.pod("team-a", f"web-{i}", ("250m", "500m", "1")[i % 3])
        for i in range(120):
            self.pod("team-b", f"job-{i}", "1", labels={"applicationId": f"batch-{i % 4}"})
        for i in range(30):
            self.pod("research", f"train-{i}", "2", gpus=1, nodeSelector={"accelerator": "yes"})
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": "database"}}}]}}
        for i in range(3):
            self.pod("team-a", f"database-{i}", "2", labels={"app": "database"}, affinity=apart)
        group = [{"name": "workers", "minMember": 8, "minResource": {"cpu": "4", "memory": "8Gi"}}]
        for i in range(8):
            groups = {DOMAIN + "task-groups": json.dumps(group)} if i == 0 else {}
            self.pod("research", f"gang-{i}", "4", "8Gi", {DOMAIN + "task-group-name": "workers"} | groups, {"applicationId": "gang"})
        self.pod("team-a", "too-large", "64")
        self.pod("research", "no-such-node", "1", nodeSelector={"accelerator": "of-another-kind"})

    def pods(self) -> list[dict]:
        return [pod for pod in self.api.list("Pod") if pod["metadata"]["namespace"] != NAMESPACE]

    def over(self) -> bool:
        """All have nodes, or say why not; the gang's placeholders are gone."""
        pods = self.pods()
        waiting = [pod for pod in pods if not pod["spec"].get("nodeName")]
        return not any(pod["metadata"].get("annotations", {}).get(DOMAIN + "placeholder") for pod in pods) and all(
            condition(pod, "PodScheduled").get("message") for pod in waiting)

    def table(self) -> None:
        pods = self.pods()
        rows = collections.defaultdict(lambda: [0, 0, set()])
        for pod in pods:
            row = rows[pod["metadata"]["namespace"]]
            node = pod["spec"].get("nodeName")
            row[0] += 1
            if node:
                row[1] += 1
                row[2].add(node)
        print(f"{'namespace':<10} {'pods':>5} {'on a node':>9} {'waiting':>8} {'nodes':>6}")
        for name, (all_of_it, placed, nodes) in sorted(rows.items()):
            print(f"{name:<10} {all_of_it:>5} {placed:>9} {all_of_it - placed:>8} {len(nodes):>6}")
        print("\nWhat waits says why, in its condition PodScheduled:")
        messages = collections.defaultdict(list)
        for pod in pods:
            if not pod["spec"].get("nodeName"):
                seen, _, explained = condition(pod, "PodScheduled").get("message", "").partition(EXPLAINED)
                messages[seen].append((f"{pod['metadata']['namespace']}/{pod['metadata']['name']}", explained))
        for message, names in sorted(messages.items(), key=lambda one: one[1]):
            others = f" and {len(names) - 1} more" if len(names) > 1 else ""
            name, explained = min(names, key=lambda one: (not one[1], one[0]))
            print(f"  {name}{others}: {message}" + (f"\n    {explained}" if explained else ""))
        where = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in pods}
        zones = {node["metadata"]["name"]: node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in self.api.list("Node")}
        print("\nThree databases that may not share a zone: " + ", ".join(str(zones.get(where[f"database-{i}"])) for i in range(3)))
        print(f"A gang of 8, started together: {sum(bool(where[f'gang-{i}']) for i in range(8))} of 8 have nodes")

    def live(self, ended: threading.Event) -> None:
        """Pods end and others come, so that there is something to see."""
        number = 300
        while not ended.wait(1):
            try:
                for i in range(3):
                    self.api.delete("Pod", f"web-{number - 300 + i}", "team-a")
                    self.pod("team-a", f"web-{number + i}", "500m")
                number += 3
            except (OSError, Refused):
                return  # the cluster is being stopped

    def stop(self) -> None:
        self.kubelets.stop()
        self.bridge.stop()
        self.scheduler.stop()


def arguments() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known.add_argument("--nodes", type=int, default=200, help="%(default)s; 30 or more")
    known.add_argument("--once", action="store_true", help="ends with the table")
    known.add_argument("--tenon", type=pathlib.Path, default=ROOT / "build/release/bin/tenon")
    known.add_argument("--build-folder", type=pathlib.Path, default=ROOT / "build")
    known.add_argument("--bridge", type=pathlib.Path, help="a built tenon-kubernetes; without it, it is built")
    said = known.parse_args()
    if said.nodes < 30:
        known.error("--nodes: want 30 or more, for all that there is to see")
    return said


def show(demo: Demo, said: argparse.Namespace) -> None:
    say(f"{said.nodes} nodes, played; Tenon and its bridge")
    demo.nodes(said.nodes)
    demo.until("the scheduler knows everything", demo.bridge.connected)
    for name in ("team-a", "team-b", "research"):
        demo.namespace(name)
    say("a mixed load: two teams, one with a quota; pods with devices; databases apart; a gang; two pods that fit nowhere")
    begun = time.monotonic()
    demo.load()
    demo.until("each pod has a node or says why not", demo.over)
    print(f"{len(demo.kubelets.bound)} pods were bound in {time.monotonic() - begun:.1f} s, the time to create them included")
    say("what the API server says")
    demo.table()


def stay(demo: Demo) -> None:
    say(f"the dashboard, until Ctrl-C: {(demo.folder / 'address').read_text().strip()}")
    print(f"token for actions: {demo.token}\n\nThe cluster is yours meanwhile, e.g. with kubectl:\n"
          f"  export KUBECONFIG={demo.admin}\n  kubectl get pods --all-namespaces --output wide\n  kubectl describe pod too-large --namespace team-a\n"
          f"What Tenon says of a queue:\n  {demo.tenon} ctl queues -c {demo.folder}/tenon.yaml", flush=True)
    interrupted = threading.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: interrupted.set())
    threading.Thread(target=demo.live, args=(interrupted,), daemon=True).start()
    while not interrupted.wait(0.5):
        for one in (demo.scheduler, demo.bridge):
            if not one.running():
                raise SystemExit(f"tools/demo: a program ended; its last words:\n{one.log.read_text()[-3000:]}")


def main() -> int:
    said = arguments()
    say("etcd, kube-apiserver and the bridge, from Go's module proxy (many minutes the first time, then cached in build/)")
    programs = build.control_plane(said.build_folder / "kubernetes-control-plane")
    program = said.bridge.resolve() if said.bridge else build.bridge(said.build_folder / "kubernetes")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-demo-"))
    os.chmod(folder, 0o700)
    plane = demo = None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    try:
        plane = ControlPlane(programs, folder)
        print(f"API server {plane.api.call('GET', '/version')['gitVersion']} is ready on port {plane.port}")
        demo = Demo(plane, folder, said.tenon.resolve(), program)
        show(demo, said)
        if not said.once:
            stay(demo)
    except KeyboardInterrupt:
        return 130
    finally:
        if demo:
            demo.stop()
        if plane:
            plane.stop()
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

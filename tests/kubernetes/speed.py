#!/usr/bin/python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Tenon beside kube-scheduler, and beside a binder that decides nothing, on one API server: `speed.py [CASE...]`.

Each of them finds the same pods waiting, on the same nodes, one after the other: how many it binds a second from the first
to the last, what of the processor it takes for one of them, and its memory. Then pods come one by one while it runs: how
long each waits for its binding. Bound is a pod when a watch says so. On a machine that others use compare what stands side
by side, and the processor time. Exit status 77: there is no Go here, or no modules; it says which."""

import argparse
import concurrent.futures
import dataclasses
import http.client
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import threading
import time

import build
from api import MERGE, Api, Refused
from cluster import NAMESPACE, ROOT, Bridge, deploy
from control_plane import ADMIN, ControlPlane, Process
from nodes import node_object, now

ZONE = "topology.kubernetes.io/zone"
QUEUES = 10  # namespaces, each a queue
WITHIN = 1800.0
SECOND_OF_CLOCK = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass(frozen=True)
class Load:
    what: str
    nodes: int
    pods: int
    apart: int = 0  # groups of pods of which no two may share a node
    unplaceable: int = 0  # pods beside them that fit nowhere
    gang: int = 0  # how many run together, as a PodGroup
    spread: int = 0  # groups of pods, each spread over the zones
    zones: int = 0  # of the nodes
    off: int = 0  # nodes of a kind on which, by NotIn, the pods may not run; those that fit nowhere may run on none at all

    def namespace(self, number: int) -> str:
        return f"team-{number // max(self.gang, 1) % QUEUES}"


CASES = {
    "500": Load("500 nodes, 2,000 pods", 500, 2000),
    "1000": Load("1,000 nodes, 10,000 pods", 1000, 10_000),
    "5000": Load("5,000 nodes, 2,000 pods", 5000, 2000),
    "5000-full": Load("5,000 nodes, 20,000 pods", 5000, 20_000),
    "apart": Load("500 nodes, 1,000 pods in 10 groups, of each at most one on a node", 500, 1000, apart=10),
    "spread": Load("500 nodes in 10 zones, 1,000 pods in 10 groups, each spread over the zones", 500, 1000, spread=10, zones=10),
    "notin": Load("500 nodes, 300 pods that by NotIn may not run on 450 of them", 500, 300, off=450),
    "notin-unplaceable": Load("500 nodes, 300 pods, beside them 100 that by NotIn may run on none", 500, 300, unplaceable=100, off=500),
    "gangs": Load("500 nodes, 2,000 pods of 250 PodGroups of 8 that run together", 500, 2000, gang=8),
    "unplaceable": Load("500 nodes, 2,000 pods, beside them 1,000 that fit nowhere", 500, 2000, unplaceable=1000),
}


def pod_object(name: str, scheduler: str, load: Load, number: int, unplaceable: bool = False) -> dict:
    cpu = "1k" if unplaceable and not load.off else "100m"
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}
    labels, spec = {}, {"schedulerName": scheduler, "containers": [container]}
    if load.apart:
        labels = {"group": f"g{number % load.apart}"}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}, "namespaceSelector": {}}]}}
    if load.spread:
        labels = {"group": f"g{number % load.spread}"}
        spec["topologySpreadConstraints"] = [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": labels}}]
    if load.off and unplaceable == bool(load.unplaceable):
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "kind", "operator": "NotIn", "values": ["off"]}]}]}}}
    if load.gang:
        spec["schedulingGroup"] = {"podGroupName": f"g{number // load.gang}"}
    return {"metadata": {"name": name, "namespace": load.namespace(number), "labels": labels}, "spec": spec}


def group_object(load: Load, number: int) -> dict:
    where = load.namespace(number * load.gang)
    return {"metadata": {"name": f"g{number}", "namespace": where}, "spec": {"schedulingPolicy": {"gang": {"minCount": load.gang}}}}


class Watch(threading.Thread):
    """When which pod was seen on a node for the first time. A watch that ends goes on behind the last event that it brought. If the
    server no longer has the events from there on, all pods are listed, so none that was bound meanwhile is missed."""

    def __init__(self, api: Api):
        super().__init__(daemon=True)
        self.api, self.bound, self.ended = api, {}, False
        self.start()

    def run(self) -> None:
        version = ""
        while not self.ended:
            try:
                version = version or self.listed()
                for kind, one in self.api.watch("Pod", version):
                    if self.ended:
                        return
                    if kind == "ERROR":
                        version = ""
                        break
                    self.see(one)
                    version = one["metadata"]["resourceVersion"]
            except Refused:
                version = ""
                time.sleep(0.1)
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.1)

    def listed(self) -> str:
        all_pods = self.api.call("GET", "/api/v1/pods?resourceVersion=0")
        for pod in all_pods["items"]:
            self.see(pod)
        return all_pods["metadata"]["resourceVersion"]

    def see(self, pod: dict) -> None:
        if pod.get("spec", {}).get("nodeName"):
            self.bound.setdefault(pod["metadata"]["name"], time.monotonic())


def of_process(one: Process) -> tuple[float, float]:
    """Seconds of the processor, and the most memory so far in MB."""
    place = pathlib.Path(f"/proc/{one.popen.pid}")
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    peak = next(line for line in (place / "status").read_text().splitlines() if line.startswith("VmHWM"))
    return (int(fields[11]) + int(fields[12])) / SECOND_OF_CLOCK, int(peak.split()[1]) / 1024


class Contest:
    """One API server with its nodes, on which schedulers follow each other."""

    def __init__(self, programs: dict[str, pathlib.Path], load: Load, folder: pathlib.Path, steady: int, rate: float):
        self.programs, self.load, self.folder, self.steady, self.rate = programs, load, folder, steady, rate
        self.plane = ControlPlane(programs["control-plane"], folder)
        self.api = self.plane.api
        deploy(self.api)
        for i in range(QUEUES):
            self.api.create("Namespace", {"metadata": {"name": f"team-{i}"}})
            self.api.create("ServiceAccount", {"metadata": {"name": "default", "namespace": f"team-{i}"}})
        self.at_once(self.node, range(load.nodes))

    def at_once(self, do, numbers) -> None:
        with concurrent.futures.ThreadPoolExecutor(8) as workers:
            for _ in workers.map(do, numbers):
                pass

    def node(self, number: int) -> None:
        name = f"n{number:04}"
        labels = {ZONE: f"z{number % self.load.zones}"} if self.load.zones else {}
        body = node_object(name, 8, labels | {"kind": "off" if number < self.load.off else "on"})
        body["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": now(), "lastTransitionTime": now()}]
        self.api.create("Node", body)
        self.api.patch("Node", name, {"spec": {"taints": []}}, form=MERGE)

    def pods(self, scheduler: str) -> None:
        if self.load.gang:
            self.at_once(lambda i: self.api.create("PodGroup", group_object(self.load, i)), range(self.load.pods // self.load.gang))
        self.at_once(lambda i: self.api.create("Pod", pod_object(f"x{i}", scheduler, self.load, i, unplaceable=True)), range(self.load.unplaceable))
        self.at_once(lambda i: self.api.create("Pod", pod_object(f"p{i}", scheduler, self.load, i)), range(self.load.pods))

    def clear(self) -> None:
        for i in range(QUEUES):
            self.api.call("DELETE", f"/api/v1/namespaces/team-{i}/pods", {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
        while self.api.call("GET", "/api/v1/pods?limit=1")["items"]:
            time.sleep(0.1)
        for one in self.api.list("PodGroup") if self.load.gang else []:
            name, where = one["metadata"]["name"], one["metadata"]["namespace"]
            self.api.patch("PodGroup", name, {"metadata": {"finalizers": None}}, where, form=MERGE)  # its controller does not run
            self.api.delete("PodGroup", name, where)

    # The contenders: what each starts.

    def binder(self) -> list[Process]:
        config = self.plane.kubeconfig(self.folder / "admin", ADMIN)
        return [Process(self.folder / "blind.log", self.programs["blind"], "--kubeconfig", config, "--scheduler-name", "blind")]

    def kube_scheduler(self) -> list[Process]:
        gates = ("--feature-gates", "GenericWorkload=true") if self.load.gang else ()  # PodGroup
        return [self.plane.kube_scheduler(self.folder, "kube-scheduler", *gates)]

    def tenon(self) -> list[Process]:
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        rights = self.plane.kubeconfig(place / "kubeconfig", self.plane.token(NAMESPACE, "tenon"))
        server = Process(place / "tenon.log", self.programs["tenon"], "serve", "-c", self.configured(place))
        bridge = Bridge(place / "bridge.log", place / "tenon.sock", "--kubeconfig", str(rights), "--lease", "", "--kube-api-qps", "5000",
                        "--kube-api-burst", "10000", program=self.programs["bridge"], patience=("2s", "30s"))  # its defaults
        return [bridge, server]

    def configured(self, place: pathlib.Path) -> pathlib.Path:
        """Writes the scheduler's configuration, as it is deployed, into this folder. Returns its path."""
        data = self.api.get("ConfigMap", "tenon", NAMESPACE)["data"]
        (place / "tenon.yaml").write_text(data["tenon.yaml"].replace("/run/tenon", str(place)))
        (place / "queues.yaml").write_text(data["queues.yaml"])
        (place / "admin-token").write_text("a token of this test")
        return place / "tenon.yaml"

    def wait(self, watch: Watch, names: set[str], ours: list[Process]) -> None:
        deadline = time.monotonic() + WITHIN
        while not names <= watch.bound.keys():
            for one in ours:
                if not one.running():
                    raise SystemExit(f"speed.py: it ended: {one.log.read_text()[-3000:]}")
            if time.monotonic() > deadline:
                raise SystemExit(f"speed.py: {len(names - watch.bound.keys())} pods have no node: {ours[0].log.read_text()[-3000:]}")
            time.sleep(0.05)

    def run(self, name: str) -> dict:
        start = {"blind": self.binder, "kube-scheduler": self.kube_scheduler, "tenon": self.tenon}[name]
        self.pods(name)
        watch = Watch(self.api)
        names = {f"p{i}" for i in range(self.load.pods)}
        server = of_process(self.plane.server)[0]
        begun = time.monotonic()
        ours = start()
        try:
            self.wait(watch, names, ours)
            times = sorted(watch.bound[each] for each in names)
            used = [of_process(one)[0] for one in ours]
            of_server = of_process(self.plane.server)[0] - server
            waits = self.stream(name, watch, ours) if self.steady and name != "blind" else []
            peaks = [of_process(one)[1] for one in ours]
        finally:
            watch.ended = True
            for one in ours:
                one.kill()
        self.clear()
        return {
            "rate": (len(times) - 1) / (times[-1] - times[0]), "first": times[0] - begun, "cpu": sum(used) / len(times) * 1000,
            "server": of_server / len(times) * 1000, "memory": peaks, "waits": waits,
        }

    def stream(self, name: str, watch: Watch, ours: list[Process]) -> list[float]:
        """Pods that come one by one: milliseconds from the answer to the creation of each until it was seen on its node."""
        made = {}
        loose = dataclasses.replace(self.load, apart=0, gang=0, spread=0, off=0)
        begun = time.monotonic()
        for i in range(self.steady):
            time.sleep(max(0.0, begun + i / self.rate - time.monotonic()))
            self.api.create("Pod", pod_object(f"s{i}", name, loose, i))
            made[f"s{i}"] = time.monotonic()
        self.wait(watch, set(made), ours)
        return [max(0.0, watch.bound[each] - then) * 1000 for each, then in made.items()]

    def stop(self) -> None:
        self.plane.stop()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def row(name: str, rounds: list[dict]) -> str:
    def middle(key: str) -> float:
        return statistics.median(one[key] for one in rounds)
    waits = [each for one in rounds for each in one["waits"]]
    latency = f"{percentile(waits, 0.5):.0f} / {percentile(waits, 0.99):.0f}" if waits else "-"
    memory = " + ".join(f"{max(one['memory'][i] for one in rounds):.0f}" for i in range(len(rounds[0]["memory"])))
    return (f"| {name} | {middle('rate'):.0f} | {middle('cpu'):.2f} | {middle('server'):.2f} | {latency} | {memory} | {middle('first'):.1f} |")


def arguments() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                    epilog="cases:\n" + "\n".join(f"  {name:<12} {load.what}" for name, load in CASES.items()))
    known.add_argument("cases", nargs="*", metavar="CASE", help="without any, all of them")
    known.add_argument("--rounds", type=int, default=3, help="of each contender, in turn (%(default)s)")
    known.add_argument("--steady", type=int, default=300, help="pods that come one by one (%(default)s)")
    known.add_argument("--rate", type=float, default=20, help="of those a second (%(default)s)")
    known.add_argument("--only", choices=("blind", "kube-scheduler", "tenon"), action="append")
    known.add_argument("--tenon", type=pathlib.Path, default=ROOT / "build/release/bin/tenon")
    known.add_argument("--build-folder", type=pathlib.Path, default=ROOT / "build")
    known.add_argument("--programs", type=pathlib.Path, help="a folder with tenon-kubernetes and blind; without it, they are built")
    said = known.parse_args()
    for name in said.cases:
        if name not in CASES:
            known.error(f"there is no case {name}")
    return said


def main() -> int:
    said = arguments()
    programs = {"control-plane": build.control_plane(said.build_folder / "kubernetes-control-plane"), "tenon": said.tenon.resolve()}
    of_bridge = said.programs.resolve() if said.programs else build.bridge(said.build_folder / "kubernetes", "./e2e/blind").parent
    programs |= {"bridge": of_bridge / "tenon-kubernetes", "blind": of_bridge / "blind"}
    contenders = said.only or ["blind", "kube-scheduler", "tenon"]
    for case in said.cases or CASES:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-speed-"))
        contest = None
        try:
            contest = Contest(programs, CASES[case], folder, said.steady, said.rate)
            results: dict[str, list[dict]] = {name: [] for name in contenders}
            for _ in range(said.rounds):
                for name in contenders:
                    results[name].append(contest.run(name))
                    print(row(name, results[name][-1:]), file=sys.stderr, flush=True)
        finally:
            if contest:
                contest.stop()
            shutil.rmtree(folder)
        print(f"\n{CASES[case].what}; medians of {said.rounds}; load of the machine {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors\n")
        print("| who | pods bound /s | own CPU ms a pod | API server's CPU ms a pod | creation to binding p50 / p99 ms | memory MB | first binding after s |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name in contenders:
            print(row(name, results[name]), flush=True)
        if "kube-scheduler" in contenders and "tenon" in contenders:
            ratios = [ours["rate"] / theirs["rate"] for ours, theirs in zip(results["tenon"], results["kube-scheduler"])]
            print(f"\nTenon binds {statistics.median(ratios):.2f} times as many a second as kube-scheduler ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

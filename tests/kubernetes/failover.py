#!/usr/bin/python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""How long pods wait for a node after the bridge that works is killed: `failover.py [--nodes N] [--pods N] [--rounds N]`.

Two bridges, each with a scheduler of its own as in their pods, on one API server. In each round the one that works is killed, at another
moment of the two seconds between renewals of its lease each time, and a pod is made. The time runs from the last renewal that the API
server has, so it is what is to be at most the lease's 15 s and two more. Exit status 77: there is no Go here, or no modules; it says which."""

import argparse
import datetime
import os
import pathlib
import shutil
import sys
import tempfile
import time

import build
from cluster import NAMESPACE, ROOT, Bridge
from control_plane import Process
from speed import Contest, Load, Watch

LEASE = "tenon-kubernetes"


class Pair:
    """A bridge with its scheduler."""

    def __init__(self, contest: Contest, name: str):
        place = pathlib.Path(tempfile.mkdtemp(dir=contest.folder))
        self.name = name
        self.scheduler = Process(place / "tenon.log", contest.programs["tenon"], "serve", "-c", contest.configured(place))
        rights = contest.plane.kubeconfig(place / "kubeconfig", contest.plane.token(NAMESPACE, "tenon"))
        self.bridge = Bridge(place / "bridge.log", place / "tenon.sock", "--kubeconfig", str(rights), "--identity", name, program=contest.programs["bridge"])

    def until(self, what: str, holds) -> None:
        deadline = time.monotonic() + 600
        while not holds():
            if not self.bridge.running() or time.monotonic() > deadline:
                sys.exit(f"failover.py: never: {what}: {self.bridge.log.read_text()[-3000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        self.bridge.kill()
        self.scheduler.kill()


def renewed(contest: Contest) -> float:
    """Seconds since the lease was renewed, by the clock that both share."""
    text = contest.api.get("Lease", LEASE, NAMESPACE)["spec"]["renewTime"]
    return time.time() - datetime.datetime.fromisoformat(text).timestamp()


def round_of(contest: Contest, number: int, rounds: int, first: Pair) -> tuple[Pair, float, float]:
    """The pair that works afterwards, and seconds until a pod had a node: since the last renewal, and since the kill."""
    second = Pair(contest, f"bridge-{number + 1}")
    second.until("it has read the cluster", second.bridge.ready)
    while renewed(contest) > 0.1:
        time.sleep(0.02)
    time.sleep(1.8 * number / rounds)
    first.kill()
    killed, since = time.monotonic(), renewed(contest)
    watch = Watch(contest.api)
    name = f"after{number}"
    contest.api.create("Pod", {"metadata": {"name": name, "namespace": "team-0"}, "spec": {
        "schedulerName": "tenon", "containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": "100m"}}}]}})
    second.until("the pod has a node", lambda: name in watch.bound)
    watch.ended = True
    waited = watch.bound[name] - killed
    return second, waited + since, waited


def arguments() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known.add_argument("--nodes", type=int, default=5000)
    known.add_argument("--pods", type=int, default=0, help="that run before (%(default)s)")
    known.add_argument("--rounds", type=int, default=5)
    known.add_argument("--tenon", type=pathlib.Path, default=ROOT / "build/release/bin/tenon")
    known.add_argument("--build-folder", type=pathlib.Path, default=ROOT / "build")
    known.add_argument("--bridge", type=pathlib.Path, help="a built tenon-kubernetes; without it, it is built")
    return known.parse_args()


def main() -> int:
    said = arguments()
    programs = {"control-plane": build.control_plane(said.build_folder / "kubernetes-control-plane"), "tenon": said.tenon.resolve(),
                "bridge": said.bridge.resolve() if said.bridge else build.bridge(said.build_folder / "kubernetes")}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-failover-"))
    contest, pair = None, None
    try:
        contest = Contest(programs, Load("", said.nodes, said.pods), folder, 0, 1)
        contest.pods("tenon")
        pair = Pair(contest, "bridge-0")
        pair.until("it works", pair.bridge.connected)
        watch = Watch(contest.api)
        pair.until("all pods have nodes", lambda: len(watch.bound) >= said.pods)
        watch.ended = True
        print(f"{said.nodes} nodes, {said.pods} pods; load of the machine {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors")
        for number in range(said.rounds):
            pair, since, waited = round_of(contest, number, said.rounds, pair)
            print(f"round {number}: a pod had a node {since:.1f} s after the last renewal, {waited:.1f} s after the bridge was killed", flush=True)
    finally:
        if pair:
            pair.kill()
        if contest:
            contest.stop()
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

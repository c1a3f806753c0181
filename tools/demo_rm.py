#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager over gRPC: a generated cluster whose pods run, end, and make room for those that wait.

Ends with a summary once every pod was placed. Its client is the package tenon of sdk/python."""

import argparse
import collections
import pathlib
import random
import sys
import threading
import time

WITHIN_S = 120  # for the next answer
NODE = {"gpu": 8, "vcore": 96_000, "memory": 768 << 30}
SHAPES = [
    {"gpu": gpu, "vcore": 8_000 * gpu, "memory": (48 * gpu + more) << 30} for gpu in (1, 2, 4) for more in (0, 4, 12)
]
# Of the GPUs: beyond it the pods that run longest end. Some node then always has room for the largest shape.
BUSY = 0.5


class Cluster:
    """What the RM knows of its pods."""

    def __init__(self, options: argparse.Namespace):
        dice = random.Random(options.seed)
        self.attributes = {"tenon/devices/gpu": f"{NODE['gpu']}x1"} if options.devices else {}
        self.nodes = [f"node-{i:04}" for i in range(options.nodes)]
        self.groups = [] if options.no_groups else ["demo"]
        self.queues = [f"root.q{i}" for i in range(options.queues)]
        self.pods = {f"pod-{i:05}": dice.choice(SHAPES) for i in range(options.pods)}
        self.application = {pod: f"app-{dice.randrange(options.queues)}" for pod in self.pods}
        self.too_large = {f"large-{i:05}": {**NODE, "gpu": 1000} for i in range(options.too_large)}
        self.application |= dict.fromkeys(self.too_large, "app-0")
        self.ended: set = set()  # pods
        self.placed: collections.Counter = collections.Counter()  # by application
        self.running: collections.OrderedDict = collections.OrderedDict()  # pod: allocation
        self.used: collections.Counter = collections.Counter()
        self.peak: dict = {}

    def capacity(self, kind: str) -> int:
        return NODE[kind] * len(self.nodes)

    def report(self, rm) -> None:
        """All that there is: at the start, and to a scheduler that knows nothing any more."""
        for i, name in enumerate(self.queues):
            rm.add_application(f"app-{i}", name, f"user-{i}", self.groups)
        for name in self.nodes:
            rm.add_node(name, NODE, self.attributes)
        for allocation in self.running.values():
            rm.again(allocation)
        for pod, shape in (self.too_large | self.pods).items():
            if pod not in self.running and pod not in self.ended:
                rm.ask(self.application[pod], pod, shape)

    def start(self, allocation) -> None:
        self.placed[allocation.application] += 1
        self.running[allocation.key] = allocation
        self.used.update(self.pods[allocation.key])
        for kind in NODE:
            self.peak[kind] = max(self.peak.get(kind, 0), self.used[kind])

    def stop(self, pod: str) -> None:
        if self.running.pop(pod, None):
            self.used.subtract(self.pods[pod])
            self.ended.add(pod)

    def hear(self, rm, heard) -> None:
        import tenon

        match heard:
            case tenon.AskRejected() | tenon.ApplicationRejected() | tenon.NodeRejected():
                raise SystemExit(f"refused: {heard}")
            case tenon.Allocated():
                self.start(heard)
            case tenon.Released():
                self.stop(heard.key)
                if heard.to_confirm:
                    rm.confirm(heard)

    def end_some(self, rm) -> None:
        """Those that run longest, where many run."""
        while self.used["gpu"] > BUSY * self.capacity("gpu"):
            pod, allocation = next(iter(self.running.items()))
            self.stop(pod)
            rm.release(allocation.application, pod)


def schedule(rm, cluster: Cluster) -> float:
    """Until every pod was placed; the seconds that it took."""
    began = time.monotonic()
    while heard := rm.next(WITHIN_S):
        cluster.hear(rm, heard)
        if sum(cluster.placed.values()) == len(cluster.pods):
            return time.monotonic() - began
        cluster.end_some(rm)
    raise SystemExit(f"the scheduler says nothing for {WITHIN_S} s")


def stay(rm, cluster: Cluster) -> None:
    """Until standard input ends."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    while not ended.is_set():
        cluster.hear(rm, rm.next(0.1))


def tell(cluster: Cluster, seconds: float) -> None:
    placed = sum(cluster.placed.values())
    print(f"{len(cluster.nodes)} nodes, {len(cluster.pods)} pods over gRPC\n")
    print(f"placed    {placed}")
    print(f"pending   {len(cluster.pods) + len(cluster.too_large) - placed}")
    print("\nuse of the capacity    peak")
    for kind in NODE:
        print(f"  {kind:<18}{100 * cluster.peak[kind] / cluster.capacity(kind):7.1f}%")
    print("\nby queue                placed")
    for i, name in enumerate(cluster.queues):
        print(f"  {name:<18}{cluster.placed[f'app-{i}']:8}")
    rate = f"{placed / seconds:.0f} a second"
    print(f"\n{placed} decisions in {seconds:.3f} s, this RM's own time included: {rate}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", required=True, help="of the scheduler, as unix:/run/tenon/rm.sock")
    parser.add_argument("--package", type=pathlib.Path, help="folder of the package tenon, where it is not installed")
    parser.add_argument("--rm", default="demo", help="name of this resource manager")
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pods", type=int, default=4000)
    parser.add_argument("--queues", type=int, default=4, help="root.q0, root.q1, ...")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--too-large", type=int, default=0, help="so many more pods, which no node can hold")
    parser.add_argument("--devices", action="store_true", help="nodes say that each GPU is a device of its own")
    parser.add_argument("--no-groups", action="store_true", help="the scheduler finds the groups of users")
    parser.add_argument("--stay", action="store_true", help="go when standard input ends")
    options = parser.parse_args()
    if options.package:
        sys.path.insert(0, str(options.package))
    try:
        import tenon
    except ImportError as missing:
        print(f"skipped: {missing}; the package python3-grpcio has grpc, the package python3-tenon or --package has tenon")
        sys.exit(77)

    cluster = Cluster(options)
    with tenon.ResourceManager(options.address, options.rm, cluster.report, version="demo", policy_group="default") as rm:
        tell(cluster, schedule(rm, cluster))
        if options.stay:
            stay(rm, cluster)
        rm.leave()
        for _ in rm:
            pass


if __name__ == "__main__":
    main()

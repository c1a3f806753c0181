#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager over gRPC: a generated cluster whose pods run, end, and make room for those that wait.

Ends with a summary once every pod was placed. The generated code of the .proto files is made by protoc:
protoc -I sdk/proto --python_out=FOLDER si/v1/si.proto"""

import argparse
import collections
import pathlib
import queue
import random
import sys
import time

try:
    import grpc
except ImportError as missing:
    print(f"skipped: {missing}; the package python3-grpcio has it")
    sys.exit(77)

WITHIN_S = 120  # for the next answer
BATCH = 100
NODE = {"gpu": 8, "vcore": 96_000, "memory": 768 << 30}
SHAPES = [
    {"gpu": gpu, "vcore": 8_000 * gpu, "memory": (48 * gpu + more) << 30} for gpu in (1, 2, 4) for more in (0, 4, 12)
]
# Of the GPUs: beyond it the pods that run longest end. Some node then always has room for the largest shape.
BUSY = 0.5


class Session:
    """One RM with its stream."""

    def __init__(self, si, address: str, rm: str):
        self.si, self.rm = si, rm
        self.requests: queue.Queue = queue.Queue()
        self.channel = grpc.insecure_channel(address)
        grpc.channel_ready_future(self.channel).result(timeout=WITHIN_S)
        self.call("unary_unary", "RegisterResourceManager")(
            si.RegisterResourceManagerRequest(rmID=rm, version="demo", policyGroup="default"), timeout=WITHIN_S
        )
        self.answers = self.call("stream_stream", "Update")(iter(self.requests.get, None))
        self.send()

    def call(self, kind: str, method: str):
        request = self.si.RegisterResourceManagerRequest if kind == "unary_unary" else self.si.UpdateRequest
        answer = self.si.RegisterResourceManagerResponse if kind == "unary_unary" else self.si.UpdateResponse
        return getattr(self.channel, kind)(
            f"/si.v1.Scheduler/{method}",
            request_serializer=request.SerializeToString,
            response_deserializer=answer.FromString,
        )

    def send(self, **fields) -> None:
        self.requests.put(self.si.UpdateRequest(rmID=self.rm, **fields))

    def resource(self, amounts: dict):
        out = self.si.Resource()
        for name, value in amounts.items():
            out.resources[name].value = value
        return out

    def goodbye(self) -> None:
        self.requests.put(None)
        for _ in self.answers:
            pass
        self.channel.close()


class Cluster:
    """What the RM knows of its pods."""

    def __init__(self, options: argparse.Namespace):
        dice = random.Random(options.seed)
        self.nodes = [f"node-{i:04}" for i in range(options.nodes)]
        self.queues = [f"root.q{i}" for i in range(options.queues)]
        self.pods = {f"pod-{i:05}": dice.choice(SHAPES) for i in range(options.pods)}
        self.application = {pod: f"app-{dice.randrange(options.queues)}" for pod in self.pods}
        self.too_large = {f"large-{i:05}": {**NODE, "gpu": 1000} for i in range(options.too_large)}
        self.application |= dict.fromkeys(self.too_large, "app-0")
        self.placed: collections.Counter = collections.Counter()  # by application
        self.running: collections.OrderedDict = collections.OrderedDict()  # UUID: allocation
        self.used: collections.Counter = collections.Counter()
        self.peak: dict = {}

    def capacity(self, kind: str) -> int:
        return NODE[kind] * len(self.nodes)

    def take(self, allocation) -> None:
        self.placed[allocation.applicationID] += 1
        self.running[allocation.UUID] = allocation
        self.used.update(self.pods[allocation.allocationKey])
        for kind in NODE:
            self.peak[kind] = max(self.peak.get(kind, 0), self.used[kind])

    def end_some(self) -> list:
        """Those that run longest, where many run."""
        ended = []
        while self.used["gpu"] > BUSY * self.capacity("gpu"):
            _, allocation = self.running.popitem(last=False)
            self.used.subtract(self.pods[allocation.allocationKey])
            ended.append(allocation)
        return ended


def announce(session: Session, cluster: Cluster) -> None:
    si = session.si
    for i, name in enumerate(cluster.queues):
        session.send(newApplications=[si.AddApplicationRequest(
            applicationID=f"app-{i}", queueName=name, partitionName="default",
            ugi=si.UserGroupInformation(user=f"user-{i}", groups=["demo"]))])
    nodes = [si.NewNodeInfo(nodeID=name, schedulableResource=session.resource(NODE)) for name in cluster.nodes]
    for at in range(0, len(nodes), BATCH):
        session.send(newSchedulableNodes=nodes[at:at + BATCH])
    asks = [si.AllocationAsk(allocationKey=pod, applicationID=cluster.application[pod], partitionName="default",
                             maxAllocations=1, resourceAsk=session.resource(shape))
            for pod, shape in (cluster.too_large | cluster.pods).items()]
    for at in range(0, len(asks), BATCH):
        session.send(asks=asks[at:at + BATCH])


def schedule(session: Session, cluster: Cluster) -> float:
    """Until every pod was placed; the seconds that it took."""
    si = session.si
    began = time.monotonic()
    announce(session, cluster)
    for answer in session.answers:
        for refused in (*answer.rejectedAllocations, *answer.rejectedApplications, *answer.rejectedNodes):
            raise SystemExit(f"refused: {refused}")
        for allocation in answer.newAllocations:
            cluster.take(allocation)
        if sum(cluster.placed.values()) == len(cluster.pods):
            return time.monotonic() - began
        ended = [si.AllocationRelease(partitionName="default", applicationID=one.applicationID, UUID=one.UUID,
                                      terminationType=si.STOPPED_BY_RM) for one in cluster.end_some()]
        if ended:
            session.send(releases=si.AllocationReleasesRequest(allocationsToRelease=ended))
    raise SystemExit("the scheduler ended the stream")


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
    parser.add_argument("--code", required=True, type=pathlib.Path, help="folder of the generated code")
    parser.add_argument("--rm", default="demo", help="name of this resource manager")
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pods", type=int, default=4000)
    parser.add_argument("--queues", type=int, default=4, help="root.q0, root.q1, ...")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--too-large", type=int, default=0, help="so many more pods, which no node can hold")
    parser.add_argument("--stay", action="store_true", help="go when standard input ends")
    options = parser.parse_args()
    sys.path.insert(0, str(options.code))
    import si.v1.si_pb2 as si

    cluster = Cluster(options)
    session = Session(si, options.address, options.rm)
    tell(cluster, schedule(session, cluster))
    if options.stay:
        sys.stdin.read()
    session.goodbye()


if __name__ == "__main__":
    main()

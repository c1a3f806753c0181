#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager that asks for much and reads no allocation until a line comes on standard input; then all of them."""

import argparse
import pathlib
import queue
import sys

import grpc

NAME = "slow"
KEY_LENGTH = 900  # so that few answers fill what a connection holds
BATCH = 200
WITHIN_S = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--package", required=True, type=pathlib.Path)
    parser.add_argument("--asks", type=int, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(options.package))
    # The streams by hand: those of the package are always read.
    import tenon.si.v1later.si_pb2 as si

    # Left to itself the library takes more and more ahead of whoever reads, up to all that there is.
    channel = grpc.insecure_channel(options.address, [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_536)])
    grpc.channel_ready_future(channel).result(timeout=WITHIN_S)
    channel.unary_unary("/si.v1.Scheduler/RegisterResourceManager", si.RegisterResourceManagerRequest.SerializeToString)(
        si.RegisterResourceManagerRequest(rmID=NAME), timeout=WITHIN_S)

    def stream(method: str, kind: str):
        said: queue.Queue = queue.Queue()
        said.put(getattr(si, f"{kind}Request")(rmID=NAME))
        call = channel.stream_stream(f"/si.v1.Scheduler/{method}", getattr(si, f"{kind}Request").SerializeToString,
                                     getattr(si, f"{kind}Response").FromString)
        return said, call(iter(said.get, None))

    def cores(count: int) -> si.Resource:
        return si.Resource(resources={"vcore": si.Quantity(value=count)})

    nodes, accepted_nodes = stream("UpdateNode", "Node")
    nodes.put(si.NodeRequest(nodes=[si.NodeInfo(nodeID="slow-node", action=si.NodeInfo.CREATE, schedulableResource=cores(options.asks))]))
    applications, accepted_applications = stream("UpdateApplication", "Application")
    applications.put(si.ApplicationRequest(new=[si.AddApplicationRequest(
        applicationID="slow-app", queueName="root.q0", partitionName="default",
        ugi=si.UserGroupInformation(user="slow", groups=["slow"]))]))
    for answers in (accepted_nodes, accepted_applications):
        while not next(answers).accepted:
            pass
    asks, allocations = stream("UpdateAllocation", "Allocation")
    for first in range(0, options.asks, BATCH):
        asks.put(si.AllocationRequest(allocations=[si.Allocation(
            allocationKey=f"{i:05}".rjust(KEY_LENGTH, "x"), applicationID="slow-app", partitionName="default", resourcePerAlloc=cores(1))
            for i in range(first, min(first + BATCH, options.asks))]))
    print("asked", flush=True)
    sys.stdin.readline()
    keys: set = set()
    for answer in allocations:
        keys.update(one.allocationKey for one in answer.new)
        if len(keys) == options.asks:
            break
    print("placed", len(keys), flush=True)


if __name__ == "__main__":
    main()

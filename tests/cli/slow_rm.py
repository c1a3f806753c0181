#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager that asks for much and reads no answer until a line comes on standard input; then all of them."""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import demo_rm  # noqa: E402

KEY_LENGTH = 900  # so that few answers fill what a connection holds
BATCH = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--code", required=True, type=pathlib.Path)
    parser.add_argument("--asks", type=int, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(options.code))
    import si.v1.si_pb2 as si

    session = demo_rm.Session(si, options.address, "slow")
    node = si.NewNodeInfo(nodeID="slow-node", schedulableResource=session.resource({"vcore": options.asks}))
    application = si.AddApplicationRequest(applicationID="slow-app", queueName="root.q0", partitionName="default",
                                           ugi=si.UserGroupInformation(user="slow", groups=["slow"]))
    session.send(newSchedulableNodes=[node], newApplications=[application])
    for first in range(0, options.asks, BATCH):
        session.send(asks=[si.AllocationAsk(
            allocationKey=f"{i:05}".rjust(KEY_LENGTH, "x"), applicationID="slow-app", partitionName="default",
            maxAllocations=1, resourceAsk=session.resource({"vcore": 1}))
            for i in range(first, min(first + BATCH, options.asks))])
    print("asked", flush=True)
    sys.stdin.readline()
    keys = set()
    for answer in session.answers:
        keys.update(one.allocationKey for one in answer.newAllocations)
        if len(keys) == options.asks:
            break
    print("placed", len(keys), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""An RM in Python, on code that protoc and gRPC's plugin made of the .proto files: a whole session."""

import pathlib
import queue
import sys
import threading
from typing import Callable, Iterator

try:
    import grpc
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path.insert(0, sys.argv.pop(1))  # where the generated code is
import checks_py  # noqa: E402
import si.v1.si_pb2 as first  # noqa: E402
import tenon.si.v1later.si_pb2 as later  # noqa: E402

ANSWER_WITHIN = 30  # seconds


class Stream:
    """A stream whose answers arrive on a thread of their own."""

    def __init__(self, call: Callable):
        self.requests: queue.Queue = queue.Queue()
        self.answers: queue.Queue = queue.Queue()
        self.call = call(self.outgoing())
        self.status = None
        self.words = ""
        self.thread = threading.Thread(target=self.incoming, daemon=True)
        self.thread.start()

    def outgoing(self) -> Iterator:
        while (request := self.requests.get()) is not None:
            yield request

    def incoming(self) -> None:
        try:
            for answer in self.call:
                self.answers.put(answer)
            self.status = grpc.StatusCode.OK
        except grpc.RpcError as error:
            self.status = error.code()
            self.words = error.details()

    def send(self, request) -> None:
        self.requests.put(request)

    def close(self) -> None:
        """Half-closes, which is a goodbye."""
        self.requests.put(None)
        self.thread.join(ANSWER_WITHIN)

    def cut(self) -> None:
        self.call.cancel()
        self.requests.put(None)
        self.thread.join(ANSWER_WITHIN)


def resource(pb, **amounts):
    out = pb.Resource()
    for name, value in amounts.items():
        out.resources[name].value = value
    return out


class Rm:
    """What both dialects have in common: answers by kind, waited for."""

    def __init__(self, address: str, rm: str):
        self.channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        self.rm = rm
        self.heard: dict[str, list] = {}

    def method(self, kind: str, name: str, request, response) -> Callable:
        make = self.channel.unary_unary if kind == "unary" else self.channel.stream_stream
        return make(
            f"/si.v1.Scheduler/{name}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )

    def take(self, stream: Stream) -> None:
        try:
            answer = stream.answers.get(timeout=ANSWER_WITHIN)
        except queue.Empty:
            raise SystemExit(f"failed: no answer in time; the streams are {[(each.status, each.words) for each in self.streams]}")
        for field, value in answer.ListFields():
            if field.label == field.LABEL_REPEATED:
                self.heard.setdefault(field.name, []).extend(value)

    def wait(self, stream: Stream, kind: str, count: int, which: Callable = lambda answer: True) -> list:
        while len(found := [each for each in self.heard.get(kind, []) if which(each)]) < count:
            self.take(stream)
        return found

    def forget(self) -> None:
        self.heard.clear()


class First(Rm):
    """One stream for all."""

    pb = first
    NEW, RELEASED = "newAllocations", "releasedAllocations"
    ACCEPTED, NODES, REJECTED = "acceptedApplications", "acceptedNodes", "rejectedApplications"

    def register(self, **more) -> None:
        call = self.method(
            "unary", "RegisterResourceManager", first.RegisterResourceManagerRequest, first.RegisterResourceManagerResponse
        )
        call(first.RegisterResourceManagerRequest(rmID=self.rm, version="python", **more), timeout=ANSWER_WITHIN)

    def open(self) -> None:
        stream = Stream(self.method("stream", "Update", first.UpdateRequest, first.UpdateResponse))
        stream.send(first.UpdateRequest(rmID=self.rm))
        self.applications = self.nodes = self.allocations = stream
        self.streams = [stream]

    def add_application(self, application) -> None:
        self.applications.send(first.UpdateRequest(newApplications=[application]))

    def remove_application(self, name: str) -> None:
        self.applications.send(
            first.UpdateRequest(removeApplications=[first.RemoveApplicationRequest(applicationID=name, partitionName="default")])
        )

    def add_node(self, name: str, **amounts) -> None:
        node = first.NewNodeInfo(nodeID=name, schedulableResource=resource(first, **amounts))
        self.nodes.send(first.UpdateRequest(newSchedulableNodes=[node]))

    def ask(self, key: str, application: str, **more) -> None:
        ask = first.AllocationAsk(
            allocationKey=key, applicationID=application, partitionName="default", maxAllocations=1,
            resourceAsk=resource(first, vcore=1000), **more
        )
        self.allocations.send(first.UpdateRequest(asks=[ask]))

    def release(self, allocation, why: str) -> None:
        release = first.AllocationRelease(
            partitionName="default", applicationID=allocation.applicationID, UUID=allocation.UUID,
            terminationType=getattr(first, why),
        )
        releases = first.AllocationReleasesRequest(allocationsToRelease=[release])
        self.allocations.send(first.UpdateRequest(releases=releases))

    @staticmethod
    def name_of(allocation) -> str:
        return allocation.UUID


class Later(Rm):
    """Three streams, and allocations that are asks until they have a node."""

    pb = later
    NEW, RELEASED = "new", "released"
    ACCEPTED, NODES, REJECTED = "accepted", "accepted", "rejected"

    def register(self, **more) -> None:
        call = self.method(
            "unary", "RegisterResourceManager", later.RegisterResourceManagerRequest, later.RegisterResourceManagerResponse
        )
        call(
            later.RegisterResourceManagerRequest(rmID=self.rm, version="python", buildInfo={"language": "python"}, **more),
            timeout=ANSWER_WITHIN,
        )

    def open(self) -> None:
        self.applications = Stream(
            self.method("stream", "UpdateApplication", later.ApplicationRequest, later.ApplicationResponse)
        )
        self.nodes = Stream(self.method("stream", "UpdateNode", later.NodeRequest, later.NodeResponse))
        self.allocations = Stream(
            self.method("stream", "UpdateAllocation", later.AllocationRequest, later.AllocationResponse)
        )
        self.applications.send(later.ApplicationRequest(rmID=self.rm))
        self.nodes.send(later.NodeRequest(rmID=self.rm))
        self.allocations.send(later.AllocationRequest(rmID=self.rm))
        self.streams = [self.applications, self.nodes, self.allocations]

    def add_application(self, application) -> None:
        self.applications.send(later.ApplicationRequest(new=[application]))

    def remove_application(self, name: str) -> None:
        removal = later.RemoveApplicationRequest(applicationID=name, partitionName="default")
        self.applications.send(later.ApplicationRequest(remove=[removal]))

    def add_node(self, name: str, **amounts) -> None:
        node = later.NodeInfo(
            nodeID=name, action=later.NodeInfo.CREATE, schedulableResource=resource(later, **amounts)
        )
        self.nodes.send(later.NodeRequest(nodes=[node]))

    def ask(self, key: str, application: str, **more) -> None:
        ask = later.Allocation(
            allocationKey=key, applicationID=application, partitionName="default",
            resourcePerAlloc=resource(later, vcore=1000), **more
        )
        self.allocations.send(later.AllocationRequest(allocations=[ask]))

    def release(self, allocation, why: str) -> None:
        release = later.AllocationRelease(
            partitionName="default", applicationID=allocation.applicationID, allocationKey=allocation.allocationKey,
            terminationType=getattr(later, why),
        )
        releases = later.AllocationReleasesRequest(allocationsToRelease=[release])
        self.allocations.send(later.AllocationRequest(releases=releases))

    @staticmethod
    def name_of(allocation) -> str:
        return allocation.allocationKey


def application(rm: Rm, name: str, **more):
    return rm.pb.AddApplicationRequest(
        applicationID=name, queueName="root.work", partitionName="default",
        ugi=rm.pb.UserGroupInformation(user="python", groups=["clients"]), **more
    )


def check(held, what: str) -> None:
    if not held:
        raise SystemExit(f"failed: {what}")


def play(rm: Rm, queues: pathlib.Path) -> None:
    rm.register()
    rm.open()
    rm.add_node("node-1", vcore=10_000, memory=1 << 30)
    rm.wait(rm.nodes, rm.NODES, 1)
    rm.forget()
    rm.add_application(application(rm, "app"))
    rm.wait(rm.applications, rm.ACCEPTED, 1)
    print("registered, with a node and an application")

    for i in range(3):
        rm.ask(f"ask-{i}", "app")
    placed = rm.wait(rm.allocations, rm.NEW, 3)
    check({each.allocationKey for each in placed} == {"ask-0", "ask-1", "ask-2"}, "three asks are placed")
    check(all(each.nodeID == "node-1" for each in placed), "on the node that there is")
    rm.release(placed[0], "STOPPED_BY_RM")
    gone = rm.wait(rm.allocations, rm.RELEASED, 1)
    check(rm.name_of(gone[0]) == rm.name_of(placed[0]), "the release is answered")
    print("three asks placed, one released")

    rm.forget()
    rm.add_application(
        application(rm, "gang", placeholderAsk=resource(rm.pb, vcore=2000), gangSchedulingStyle="Soft")
    )
    rm.wait(rm.applications, rm.ACCEPTED, 1)
    for i in range(2):
        rm.ask(f"placeholder-{i}", "gang", taskGroupName="group", placeholder=True)
    holders = rm.wait(rm.allocations, rm.NEW, 2)
    check(all(each.placeholder for each in holders), "placeholders are placed")
    rm.ask("real", "gang", taskGroupName="group")
    replaced = rm.wait(rm.allocations, rm.RELEASED, 1)[0]
    check(replaced.terminationType == rm.pb.PLACEHOLDER_REPLACED, "a placeholder makes room")
    holder = next(each for each in holders if rm.name_of(each) == rm.name_of(replaced))
    rm.release(holder, "PLACEHOLDER_REPLACED")
    real = rm.wait(rm.allocations, rm.NEW, 1, lambda each: each.allocationKey == "real")[0]
    check(not real.placeholder and real.nodeID == "node-1", "the real one takes its place")
    print("a gang took its places")

    rm.forget()
    for stream in rm.streams:
        stream.cut()
    check(rm.streams[0].status == grpc.StatusCode.CANCELLED, "the streams were cut")
    rm.open()
    rm.ask("after", "app")
    after = rm.wait(rm.allocations, rm.NEW, 1, lambda each: each.allocationKey == "after")
    check(after[0].nodeID == "node-1", "an ask is placed after the return")
    print("cut, returned, and went on")

    queues.write_text(queues.read_text().replace("vcore: 20", "vcore: 5"))
    print("reload", flush=True)
    check(sys.stdin.readline().strip() == "reloaded", "the configuration is read again")
    rm.forget()
    rm.ask("too-much", "app")  # five are in use: ask-1, ask-2, after, real, the other placeholder
    rm.ask("waits", "app")
    rm.release(after[0], "STOPPED_BY_RM")
    asked = {"too-much", "waits"}
    rm.wait(rm.allocations, rm.NEW, 1, lambda each: each.allocationKey in asked)
    runs = asked & {each.allocationKey for each in rm.heard[rm.NEW]}  # after a cut, an answer may come a second time
    check(len(runs) == 1, "one ask runs in place of the released one, the other one waits")
    print("the new configuration holds")

    rm.remove_application("app")
    rm.wait(rm.allocations, rm.RELEASED, 3, lambda each: each.applicationID == "app")
    for stream in rm.streams:
        stream.close()
        check(stream.status == grpc.StatusCode.OK, f"goodbye ends with OK, not {stream.status}")
    rm.open()
    rm.streams[0].thread.join(ANSWER_WITHIN)
    check(rm.streams[0].status == grpc.StatusCode.FAILED_PRECONDITION, "after the goodbye it has to register again")
    print("goodbye")


def main() -> None:
    address, dialect, queues = sys.argv[1:4]
    kind = First if dialect == "first" else Later
    play(kind(address, f"python-{dialect}"), pathlib.Path(queues))
    checks_py.play(kind(address, f"python-{dialect}-checks"), ANSWER_WITHIN, Stream, application, check)


if __name__ == "__main__":
    main()

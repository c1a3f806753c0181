# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""An RM that checks placements: it refuses one node, leaves a check without answer, and asks to be asked again."""

from typing import Callable

import tenon.si.v1later.si_pb2 as later
import tenon.v1.checks_pb2 as checks


def play(rm, within: int, open_stream: Callable, application, check: Callable) -> None:
    """`rm` of either dialect; `check(held, what)` ends the program."""
    register = rm.channel.unary_unary(
        "/tenon.v1.Checks/RegisterResourceManager",
        request_serializer=later.RegisterResourceManagerRequest.SerializeToString,
        response_deserializer=later.RegisterResourceManagerResponse.FromString,
    )
    register(later.RegisterResourceManagerRequest(rmID=rm.rm, version="python"), timeout=within)
    rm.open()
    stream = open_stream(
        rm.channel.stream_stream(
            "/tenon.v1.Checks/CheckPlacements",
            request_serializer=checks.CheckPlacementsRequest.SerializeToString,
            response_deserializer=checks.CheckPlacementsResponse.FromString,
        )
    )
    stream.send(checks.CheckPlacementsRequest(rmID=rm.rm))
    rm.streams.append(stream)
    rm.add_node("refused", vcore=10_000, memory=1 << 30)
    rm.wait(rm.nodes, rm.NODES, 1)
    rm.forget()
    rm.add_application(application(rm, "app"))
    rm.wait(rm.applications, rm.ACCEPTED, 1)
    rm.forget()

    def answer(question, accepted: bool, reason: str = "") -> None:
        said = checks.CheckAnswer(
            partitionName=question.partitionName, number=question.number, accepted=accepted, reason=reason
        )
        stream.send(checks.CheckPlacementsRequest(answers=[said]))

    rm.ask("ask", "app")
    question = rm.wait(stream, "checks", 1)[0]
    check(question.nodeID == "refused" and question.applicationID == "app", "the placement is a check first")
    check(question.resourcePerAlloc.resources["vcore"].value == 1000, "with what it would take")
    answer(question, False, "no volume there")
    over = rm.wait(stream, "over", 1)[0]
    check(over.number == question.number and "no volume there" in over.reason, "it is over, and says why")
    rm.add_node("taken", vcore=10_000, memory=1 << 30)
    late = rm.wait(stream, "checks", 2)[1]
    check(late.nodeID == "taken", "another node is tried")
    rm.wait(stream, "over", 2)
    question = rm.wait(stream, "checks", 3)[2]
    check(question.nodeID == "taken", "it is tried again, since nobody refused")
    answer(question, False, "not yet")
    rm.wait(stream, "over", 3)
    stream.send(checks.CheckPlacementsRequest(again=[checks.CheckAgain(allocationKey="ask", nodeID="taken")]))
    question = rm.wait(stream, "checks", 4)[3]
    check(question.nodeID == "taken", "it is tried again when the RM says so")
    answer(question, True)
    placed = rm.wait(rm.allocations, rm.NEW, 1)[0]
    check(placed.nodeID == "taken", "and runs when the RM accepts it")
    print("placements checked: refused, late, tried again, accepted")
    for each in rm.streams:
        each.close()

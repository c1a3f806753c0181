# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Responses as answers: each once, and what has to wait for another answer is said when that is there."""

import collections
import time
from collections.abc import Iterable

from .answers import (
    Allocated, Answer, ApplicationAccepted, ApplicationRejected, ApplicationState, AskRejected, AskWithdrawn, Check,
    CheckOver, NodeAccepted, NodeRejected, Recovered, Released, Why,
)
from .requests import plain
from .session import Session
from .si.v1later import si_pb2 as si
from .v1 import checks_pb2 as checks_v1
from .v1 import recovery_pb2 as recovery_v1

RECOVERED = "tenon/recovered"
BIND_TIME = "tenon/bindTime"
FOREIGN = "foreign"  # tag of an allocation of others
# UUIDs of allocations that ended: what was told of them may be told again after a break. The scheduler keeps half as many
# answers for that, as a rule.
REMEMBERED = 100_000


def key_of(one) -> tuple[str, str]:
    """Application and key of an ask or allocation as this side said them. The scheduler makes an application for what
    came without one."""
    by_itself = one.applicationID == f"@independent/{one.allocationKey}"
    return ("" if by_itself else one.applicationID, one.allocationKey)


class Hearing:
    """Streams have no order among each other. So an ask waits here for its application, and what runs already for its
    node too; and the recovery is over when all that was reported has its answer.

    After a connection broke an answer may come a second time; UUIDs of allocations and numbers of checks tell."""

    def __init__(self, session: Session, partition: str):
        self.session, self.partition = session, partition
        self.reset()

    def reset(self) -> None:
        """The scheduler knows nothing; a report begins."""
        self.recovering = True
        self._held: dict[tuple, list[si.Allocation]] = collections.defaultdict(list)  # by what they wait for
        self._open: set[tuple] = set()  # what was reported and has no answer
        self._runs: set[str] = set()  # UUIDs
        self._ended: dict[str, None] = {}  # the same, the oldest first
        self._ending: set[str] = set()  # told as released, to be confirmed
        self._checks: dict[tuple[str, int], checks_v1.CheckAnswer | None] = {}
        self._checks_of: dict[tuple[str, str], set[tuple[str, int]]] = collections.defaultdict(set)
        for line in self.session.lines:
            line.clear()

    def reported(self) -> None:
        """All that is to be applied before anything is placed was said."""
        self._settle(None)

    # What is said

    def expect(self, kind: str, name: str) -> None:
        self._open.add((kind, name))

    def ask(self, *together: si.Allocation) -> None:
        for sent in together:
            if FOREIGN in sent.allocationTags:
                sent.applicationID = ""  # whatever was said: the answer has none
            if sent.nodeID:
                self._open.add(("allocation", sent.applicationID, sent.allocationKey))
        self._say(together)

    def _say(self, together: Iterable[si.Allocation]) -> None:
        """Those that wait for nothing, in one request: what begins whole must be known whole."""
        ready = {}
        for sent in together:
            needed = next((what for what in (("application", sent.applicationID), ("node", sent.nodeID)) if what in self._open), None)
            if needed:
                self._held[needed].append(sent)
            else:
                ready[sent.applicationID, sent.allocationKey] = si.AllocationRequest(allocations=[sent])
        self.session.allocations.say_together(ready)

    def forget_ask(self, application: str, key: str) -> None:
        """It is not wanted any more."""
        self.session.allocations.forget((application, key))
        for held in self._held.values():
            held[:] = [one for one in held if (one.applicationID, one.allocationKey) != (application, key)]
        self._settle(("allocation", application, key))

    def forget_application(self, name: str) -> None:
        """Nothing of it is asked for any more."""
        for key in [key for key in self.session.allocations.awaited() if key[0] == name]:
            self.session.allocations.forget(key)
        for held in self._held.values():
            held[:] = [one for one in held if one.applicationID != name]
        for what in [what for what in self._open if what[1] == name and what[0] != "node"]:
            self._settle(what)

    def end(self, application: str, key: str, uuid: str, why: Why, message: str) -> None:
        """A release, wished or confirmed; without UUID of whatever has the key."""
        one = si.AllocationRelease(partitionName=self.partition, applicationID=application, allocationKey=key, UUID=uuid,
                                   terminationType=why.value, message=message)
        releases = si.AllocationReleasesRequest(allocationsToRelease=[one])
        self.session.allocations.say(si.AllocationRequest(releases=releases))

    def confirm(self, released: Released) -> None:
        self._ending.discard(released.uuid)
        self.end(released.application, released.key, released.uuid, released.why, "")

    def not_started(self, one: Allocated) -> None:
        self._over_with(one.uuid)

    def _over_with(self, uuid: str) -> None:
        self._runs.discard(uuid)
        self._ended[uuid] = None
        if len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def check_answered(self, check: Check, said: checks_v1.CheckAnswer) -> None:
        if (check.partition, check.number) in self._checks:
            self._checks[check.partition, check.number] = said

    def _settle(self, what: tuple | None) -> None:
        """This has its answer: what waits for it is said, and when nothing is left the recovery is over."""
        self._open.discard(what)
        self._say(self._held.pop(what, ()))
        if self.recovering and not self._open:
            self.recovering = False
            done = recovery_v1.RecoveryRequest(reports=[recovery_v1.RecoveryReport(done=True)])
            self.session.recovery.say(done, awaits="state")

    # What is heard

    def take(self, response) -> list[Answer]:
        match response:
            case si.ApplicationResponse():
                return self._applications(response)
            case si.NodeResponse():
                return self._nodes(response)
            case si.AllocationResponse():
                return self._allocations(response)
            case checks_v1.CheckPlacementsResponse():
                return self._check_requests(response)
            case recovery_v1.RecoveryResponse():
                if response.states:
                    self.session.recovery.answered("state")
        return []

    def _applications(self, response: si.ApplicationResponse) -> list[Answer]:
        out: list[Answer] = []
        for one in response.accepted:
            if self.session.applications.answered(one.applicationID):
                out.append(ApplicationAccepted(one.applicationID))
                self._settle(("application", one.applicationID))
        for one in response.rejected:
            if self.session.applications.answered(one.applicationID):
                out.append(ApplicationRejected(one.applicationID, one.reason))
                self._settle(("application", one.applicationID))
        for one in response.updated:
            out.append(ApplicationState(one.applicationID, one.state, one.stateTransitionTimestamp, one.message))
        return out

    def _nodes(self, response: si.NodeResponse) -> list[Answer]:
        out: list[Answer] = []
        for one in response.accepted:
            if self.session.nodes.answered(one.nodeID):
                out.append(NodeAccepted(one.nodeID))
                self._settle(("node", one.nodeID))
        for one in response.rejected:
            if self.session.nodes.answered(one.nodeID):
                out.append(NodeRejected(one.nodeID, one.reason))
                self._settle(("node", one.nodeID))
        return out

    def _allocations(self, response: si.AllocationResponse) -> list[Answer]:
        # In the order in which they took effect.
        every = (*map(self._placed, response.new), *map(self._released, response.released),
                 *map(self._rejected, response.rejectedAllocations))
        return [answer for answer in every if answer is not None]

    def _placed(self, one: si.Allocation) -> Answer | None:
        key = key_of(one)
        waited = self.session.allocations.answered(key)
        for number in self._checks_of.pop(key, ()):
            self._checks.pop(number, None)
        tags = dict(one.allocationTags)
        if FOREIGN in tags:  # it has no UUID of the scheduler
            if not waited:
                return None
        elif one.UUID in self._runs or one.UUID in self._ended:
            return None
        else:
            self._runs.add(one.UUID)
        recovered = tags.pop(RECOVERED, "") == "true"
        bound_ms = int(tags.pop(BIND_TIME, time.time() * 1000))
        if recovered:
            self._settle(("allocation", *key))
        return (Recovered if recovered else Allocated)(
            *key, node=one.nodeID, resources=plain(one.resourcePerAlloc), tags=tags, priority=one.priority,
            task_group=one.taskGroupName, placeholder=one.placeholder, queue=one.queueName, uuid=one.UUID, bound_ms=bound_ms)

    def _released(self, one: si.AllocationRelease) -> Answer | None:
        key, why = key_of(one), Why(one.terminationType)
        if not one.UUID:  # nothing ran
            waited = self.session.allocations.answered(key)
            return AskWithdrawn(*key, why, one.message) if waited else None
        released = Released(*key, one.UUID, why, one.message)
        if one.UUID not in self._runs:
            if released.to_confirm and one.UUID not in self._ending:
                self.confirm(released)  # it was confirmed, and that was lost
            return None
        self._over_with(one.UUID)
        if released.to_confirm:
            self._ending.add(one.UUID)
        return released

    def _rejected(self, one: si.RejectedAllocation) -> Answer | None:
        key = key_of(one)
        waited = self.session.allocations.answered(key)
        self._settle(("allocation", *key))
        return AskRejected(*key, one.reason) if waited else None

    def _check_requests(self, response: checks_v1.CheckPlacementsResponse) -> list[Answer]:
        every = (*map(self._check, response.checks), *map(self._over, response.over))
        return [answer for answer in every if answer is not None]

    def _check(self, one: checks_v1.Check) -> Answer | None:
        number = (one.partitionName, one.number)
        check = Check(*key_of(one), one.nodeID, plain(one.resourcePerAlloc), dict(one.tags),
                      one.partitionName, one.number, one.allocate, one.placeholderKey)
        if check.reservation:  # nothing follows its answer, and the scheduler asks anew after a break
            return check
        if number in self._checks:
            if said := self._checks[number]:  # answered, and that was lost
                self.session.checks.say(checks_v1.CheckPlacementsRequest(answers=[said]))
            return None
        self._checks[number] = None
        self._checks_of[key_of(one)].add(number)
        return check

    def _over(self, one: checks_v1.CheckOver) -> Answer | None:
        number = (one.partitionName, one.number)
        if number not in self._checks:
            return None
        del self._checks[number]
        of_ask = self._checks_of[key_of(one)]
        of_ask.discard(number)
        if not of_ask:
            del self._checks_of[key_of(one)]
        return CheckOver(*key_of(one), one.nodeID, one.number, one.reason)

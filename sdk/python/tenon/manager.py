# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager: what it says, and when it says it again."""

import collections
import threading
import time
from typing import Callable, Iterator, Mapping

import grpc

from . import requests
from .answers import Allocated, Answer, Check, Interrupted, Recovered, Registered, Released, Resumed, Why
from .hearing import BIND_TIME, Hearing
from .requests import Gang
from .session import End, Session
from .si.v1later import si_pb2 as si
from .v1 import checks_pb2 as checks_v1


class ResourceManager:
    """One resource manager, by the name that it registers under.

    `report` is called with this object after each registration: at the start, and when the scheduler has forgotten
    everything. It tells all that there is, by the same methods as later changes: nodes, applications, what runs
    (`running`) and what waits (`ask`). Nothing is placed before all of it is applied. It must not wait for answers.

    `next` and iteration give what the scheduler says, open the connection, and open it again when it breaks; one thread
    calls them, and whoever does not call them has no connection. All other methods may be called from any thread. They
    say something and return; what may not have arrived when a connection broke is said again. The scheduler's words
    about a wrong registration or request are raised as `Refused`.

    With `checks` each placement and reservation is a `Check` first, which wants `answer`; `window` is how many may be
    open at once.
    `config` is the text of a queues.yaml for this resource manager alone, in place of the one of `policy_group`."""

    def __init__(
        self, address: str, name: str, report: Callable[["ResourceManager"], None], *, policy_group: str = "", config: str = "",
        version: str = "", build: Mapping[str, str] | None = None, partition: str = "default", checks: bool = False, window: int = 0,
        credentials: grpc.ChannelCredentials | None = None,
    ):
        registration = checks_v1.RegisterResourceManagerRequest(
            rmID=name, version=version, policyGroup=policy_group, config=config, buildInfo=build or {},
            extraConfig={"recovery.hold": "true"} | ({"checks.reservations": "true"} if checks else {})
            | ({"checks.window": str(window)} if window else {}))
        self.name, self.partition = name, partition
        self._report = report
        self._session = Session(address, registration, checks, credentials)
        self._hearing = Hearing(self._session, partition)
        self._answers: collections.deque[Answer] = collections.deque()
        self._lock = threading.RLock()
        self._ends_left = 0  # streams that have not ended yet, of one that said goodbye
        self._gone = False
        self._told_away = False

    # Nodes

    def add_node(self, name: str, resources: Mapping[str, int], attributes: Mapping[str, str] | None = None, *, drained: bool = False) -> None:
        """A node with all that may be used of it; answered by NodeAccepted or NodeRejected. Where it is `drained`, it
        takes nothing until `undrain_node`. Attributes that policies know: si/zone, si/rackname, si/hostname ..."""
        action = si.NodeInfo.CREATE_DRAIN if drained else si.NodeInfo.CREATE
        with self._lock:
            self._hearing.expect("node", name)
            self._session.nodes.say(requests.node(name, action, resources, attributes), awaits=name)

    def update_node(self, name: str, resources: Mapping[str, int] | None = None, attributes: Mapping[str, str] | None = None) -> None:
        """Other resources or attributes; None: as they are."""
        self._change_node(name, si.NodeInfo.UPDATE, resources, attributes)

    def drain_node(self, name: str) -> None:
        """Nothing more is placed there; what runs stays."""
        self._change_node(name, si.NodeInfo.DRAIN_NODE)

    def undrain_node(self, name: str) -> None:
        self._change_node(name, si.NodeInfo.DRAIN_TO_SCHEDULABLE)

    def remove_node(self, name: str) -> None:
        """It is gone, and what ran there ends: Released, for each."""
        self._change_node(name, si.NodeInfo.DECOMISSION)

    def _change_node(self, name: str, action: int, resources=None, attributes=None) -> None:
        with self._lock:
            self._session.nodes.say(requests.node(name, action, resources, attributes))

    # Applications

    def add_application(
        self, name: str, queue: str, user: str, groups=(), tags: Mapping[str, str] | None = None, gang: Gang | None = None,
    ) -> None:
        """Answered by ApplicationAccepted or ApplicationRejected; what it asks meanwhile waits for that."""
        with self._lock:
            self._hearing.expect("application", name)
            sent = requests.application(name, self.partition, queue, user, groups, tags, gang)
            self._session.applications.say(sent, awaits=name)

    def remove_application(self, name: str) -> None:
        """It is done: asks are forgotten, and what still runs is Released."""
        with self._lock:
            self._hearing.forget_application(name)
            removal = si.RemoveApplicationRequest(applicationID=name, partitionName=self.partition)
            self._session.applications.say(si.ApplicationRequest(remove=[removal]))

    # Asks and allocations

    def ask(
        self, application: str, key: str, resources: Mapping[str, int], tags: Mapping[str, str] | None = None, *, priority: int = 0,
        task_group: str = "", placeholder: bool = False, originator: bool = False, may_be_preempted: bool = True,
        may_preempt: bool = False,
    ) -> None:
        """Asks for one allocation; answered by Allocated, AskRejected or AskWithdrawn, sooner or later. A key that was
        asked for already is asked for anew, with what is said now."""
        self._ask(si.Allocation(
            allocationKey=key, applicationID=application, partitionName=self.partition, allocationTags=tags or {}, priority=priority,
            resourcePerAlloc=requests.amounts(resources), taskGroupName=task_group, placeholder=placeholder, originator=originator,
            preemptionPolicy=si.PreemptionPolicy(allowPreemptSelf=may_be_preempted, allowPreemptOther=may_preempt)))

    def ask_placeholders(
        self, application: str, groups: Mapping[str, tuple[Mapping[str, int], int]], tags: Mapping[str, str] | None = None, *,
        priority: int = 0,
    ) -> None:
        """Asks for all placeholders of a gang in one request: by task group what each has, and how many. Their keys are the
        task group's name with a number, as in workers-0. A hard gang begins whole with those that the scheduler knows of."""
        with self._lock:
            self._hearing.ask(*(si.Allocation(
                allocationKey=f"{group}-{number}", applicationID=application, partitionName=self.partition, allocationTags=tags or {},
                priority=priority, resourcePerAlloc=requests.amounts(each), taskGroupName=group, placeholder=True,
                preemptionPolicy=si.PreemptionPolicy(allowPreemptSelf=True))
                for group, (each, count) in groups.items() for number in range(count)))

    def running(
        self, application: str, key: str, node: str, resources: Mapping[str, int], tags: Mapping[str, str] | None = None, *,
        priority: int = 0, task_group: str = "", placeholder: bool = False, originator: bool = False, bound_ms: int = 0,
        uuid: str = "",
    ) -> None:
        """Reports what runs already, since `bound_ms` (Unix milliseconds; 0: now); answered by Recovered or AskRejected. No
        limit is looked at. With a `uuid` it keeps that, and is told apart by it from others of its key."""
        tags = dict(tags or {}) | ({BIND_TIME: str(bound_ms)} if bound_ms else {})
        self._ask(si.Allocation(
            allocationKey=key, applicationID=application, partitionName=self.partition, nodeID=node, allocationTags=tags,
            priority=priority, resourcePerAlloc=requests.amounts(resources), taskGroupName=task_group, placeholder=placeholder,
            originator=originator, UUID=uuid))

    def again(self, one: Allocated | Recovered) -> None:
        """`running` of an allocation that this object gave."""
        self.running(one.application, one.key, one.node, one.resources, one.tags, priority=one.priority, task_group=one.task_group,
                     placeholder=one.placeholder, bound_ms=one.bound_ms, uuid=one.uuid)

    def _ask(self, sent: si.Allocation) -> None:
        with self._lock:
            self._hearing.ask(sent)

    def release(self, application: str, key: str, message: str = "") -> None:
        """Wishes the end of an allocation, answered by Released, or withdraws the ask where nothing runs yet."""
        with self._lock:
            self._hearing.forget_ask(application, key)
            self._hearing.end(application, key, "", Why.STOPPED_BY_RM, message)

    def confirm(self, released: Released) -> None:
        """What the scheduler ended is stopped; its room is free from now on."""
        with self._lock:
            self._hearing.confirm(released)

    def could_not_start(self, one: Allocated, message: str = "") -> None:
        """The ask is placed again, perhaps elsewhere."""
        with self._lock:
            self._hearing.not_started(one)
            self._hearing.end(one.application, one.key, one.uuid, Why.SCHEDULING_FAILED_ON_RM, message)

    # Checks

    def answer(self, check: Check, accepted: bool, reason: str = "") -> None:
        """Accepted: Allocated follows, but for a reservation. Refused, with a reason for people: the node is left out for
        this ask until something about it changes, or `check_again`."""
        said = checks_v1.CheckAnswer(partitionName=check.partition, number=check.number, accepted=accepted, reason=reason)
        with self._lock:
            self._hearing.check_answered(check, said)
            self._session.checks.say(checks_v1.CheckPlacementsRequest(answers=[said]))

    def check_again(self, application: str = "", key: str = "", node: str = "") -> None:
        """What was refused may be right by now; a name that is empty stands for all."""
        again = checks_v1.CheckAgain(partitionName=self.partition, applicationID=application, allocationKey=key, nodeID=node)
        with self._lock:
            self._session.checks.say(checks_v1.CheckPlacementsRequest(again=[again]))

    # Hearing

    def next(self, timeout: float | None = None) -> Answer | None:
        """The next answer; None where none came within so many seconds, or where this one has gone."""
        until = float("inf") if timeout is None else time.monotonic() + timeout
        while True:
            with self._lock:
                if self._answers:
                    return self._answers.popleft()
                if self._gone:
                    return None
            # Not for ever: what another thread does meanwhile (leave, close) is looked at.
            soon = min(until, time.monotonic() + 0.2)
            heard = self._session.wait(soon if self._session.open else 0)  # what was heard before a break counts
            if heard is not None:
                with self._lock:
                    self._take(heard)
            elif not self._session.open:
                self._connect(until)
            if time.monotonic() >= until and not self._answers:
                return None

    def __iter__(self) -> Iterator[Answer]:
        while (heard := self.next()) is not None:
            yield heard

    def _connect(self, until: float) -> None:
        failed = self._session.connect(until)
        with self._lock:
            if self._gone:
                return
            if failed is not None:
                return self._away(failed)
            anew = self._session.to_register
            if anew:
                self._hearing.reset()
            self._session.begin()
            if anew:
                self._report(self)
                self._hearing.reported()
            self._told_away = False
            self._answers.append(Registered() if anew else Resumed())

    def _away(self, reason: str) -> None:
        """There is no connection; that is told once."""
        if reason and not self._told_away:
            self._told_away = True
            self._answers.append(Interrupted(reason))

    def _take(self, heard) -> None:
        if not isinstance(heard, End):
            self._answers.extend(self._hearing.take(heard))
        elif not self._ends_left:
            self._session.ended(heard)
            if not self._session.to_register:
                self._away(str(heard))
        else:
            self._ends_left -= 1
            if not self._ends_left:
                self._go()

    def leave(self) -> None:
        """Says goodbye: what is decided is still told, then everything of this one is released, and iteration ends."""
        with self._lock:
            if not self._session.open:
                return self._go()
            self._ends_left = len(self._session.lines)
            for line in self._session.lines:
                line.close()

    def close(self) -> None:
        """Goes without a word: the scheduler keeps everything for a while, for one that comes back by the same name."""
        with self._lock:
            self._go()

    def _go(self) -> None:
        self._gone = True
        self._session.close()

    def __enter__(self) -> "ResourceManager":
        return self

    def __exit__(self, *_) -> None:
        self.close()

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a resource manager hears, one class for each kind of answer."""

import dataclasses
import enum


class Why(enum.Enum):
    """Why an allocation ends or an ask is withdrawn; the numbers are the interface's."""

    UNKNOWN = 0
    STOPPED_BY_RM = 1  # the resource manager wished it, removed the application or lost the node
    TIMEOUT = 2
    PREEMPTED_BY_SCHEDULER = 3
    PLACEHOLDER_REPLACED = 4
    SCHEDULING_FAILED_ON_RM = 5


# Those that the scheduler began: the room is free for others only when the resource manager says that it is.
CONFIRMED = {Why.TIMEOUT, Why.PREEMPTED_BY_SCHEDULER, Why.PLACEHOLDER_REPLACED}


class Answer:
    """Whatever is heard."""


def answer(kind: type) -> type:
    return dataclasses.dataclass(frozen=True, slots=True)(kind)


@answer
class NodeAccepted(Answer):
    node: str


@answer
class NodeRejected(Answer):
    node: str
    reason: str


@answer
class ApplicationAccepted(Answer):
    application: str


@answer
class ApplicationRejected(Answer):
    application: str
    reason: str


@answer
class ApplicationState(Answer):
    """The application is in another state now. `message` says why."""

    application: str
    state: str
    since_ns: int  # Unix nanoseconds
    message: str


@answer
class Allocation:
    application: str
    key: str
    node: str
    resources: dict[str, int]
    tags: dict[str, str]
    priority: int
    task_group: str
    placeholder: bool
    queue: str
    uuid: str  # the scheduler's; differs where one key is placed a second time
    bound_ms: int  # when it began, Unix milliseconds


@answer
class Allocated(Allocation, Answer):
    """Start this on its node."""


@answer
class Recovered(Allocation, Answer):
    """An allocation that was reported is counted again. There is nothing to start."""


@answer
class Released(Answer):
    """An allocation ends. Where `to_confirm` is true the scheduler began it: stop what runs, then `confirm` this."""

    application: str
    key: str
    uuid: str
    why: Why
    message: str

    @property
    def to_confirm(self) -> bool:
        return self.why in CONFIRMED


@answer
class AskRejected(Answer):
    """An ask, or an allocation that was reported as running, is not taken."""

    application: str
    key: str
    reason: str


@answer
class AskWithdrawn(Answer):
    """The scheduler does not try to place this any more, as placeholders whose time is over."""

    application: str
    key: str
    why: Why
    message: str


@answer
class Check(Answer):
    """May this ask run there? It holds its place until `answer` was called for it, or its time is over."""

    application: str
    key: str
    node: str
    resources: dict[str, int]
    tags: dict[str, str]
    partition: str
    number: int
    allocate: bool  # false: it takes the room of the placeholder on this node
    placeholder: str  # key of the placeholder that it would replace; empty: none

    @property
    def reservation(self) -> bool:
        """May it wait for capacity on the node, where others may end for it? Nothing holds its place or follows a yes."""
        return not self.allocate and not self.placeholder


@answer
class CheckOver(Answer):
    """A check needs no answer any more: refused, late, or what it was about is gone."""

    application: str
    key: str
    node: str
    number: int
    reason: str


@answer
class Registered(Answer):
    """The scheduler knows this resource manager anew. `report` was called, and is applied before anything is placed."""


@answer
class Interrupted(Answer):
    """There is no connection, at the start or because it broke. It is tried again for ever; decisions wait."""

    reason: str


@answer
class Resumed(Answer):
    """The connection is there again. Where the scheduler knows nothing any more, Registered follows."""

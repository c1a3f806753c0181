# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager of the scheduler Tenon, over gRPC.

A resource manager (RM) tells a scheduler of its nodes, its applications and what they ask for, and is told what to
start where. `ResourceManager` is one; what it hears are the classes of `tenon.answers`. The page writing-an-rm.md of
the documentation shows a whole one."""

from .answers import (
    Allocated, Answer, ApplicationAccepted, ApplicationRejected, ApplicationState, AskRejected, AskWithdrawn, Check,
    CheckOver, Interrupted, NodeAccepted, NodeRejected, Recovered, Registered, Released, Resumed, Why,
)
from .errors import Refused, Replaced, SchedulerError
from .manager import ResourceManager
from .requests import Gang

__all__ = [
    "Allocated", "Answer", "ApplicationAccepted", "ApplicationRejected", "ApplicationState", "AskRejected",
    "AskWithdrawn", "Check", "CheckOver", "Gang", "Interrupted", "NodeAccepted", "NodeRejected", "Recovered", "Refused",
    "Registered", "Released", "Replaced", "ResourceManager", "Resumed", "SchedulerError", "Why",
]

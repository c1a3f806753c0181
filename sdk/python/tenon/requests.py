# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Messages that a resource manager sends, made from plain values."""

import dataclasses
from typing import Mapping

from .si.v1later import si_pb2 as si


@dataclasses.dataclass(frozen=True)
class Gang:
    """An application whose placeholders hold room together, before any of its own asks runs."""

    resources: Mapping[str, int]  # all placeholders together
    timeout_s: float = 0  # 0: that of the partition
    # All its placeholders are placed at once, and when their time is over and nothing else runs, the application fails.
    # Else they are placed one by one, and when the time is over it goes on without them. Tag tenon/gang-start: how alone.
    hard: bool = False


def amounts(of: Mapping[str, int]) -> si.Resource:
    return si.Resource(resources={name: si.Quantity(value=value) for name, value in of.items()})


def plain(of: si.Resource) -> dict[str, int]:
    return {name: quantity.value for name, quantity in of.resources.items()}


def node(name: str, action: int, resources: Mapping[str, int] | None, attributes: Mapping[str, str] | None) -> si.NodeRequest:
    """Resources of None: those that it has."""
    sent = si.NodeInfo(nodeID=name, action=action, attributes=attributes or {})
    if resources is not None:
        sent.schedulableResource.CopyFrom(amounts(resources))
    return si.NodeRequest(nodes=[sent])


def application(name: str, partition: str, queue: str, user: str, groups, tags, gang: Gang | None) -> si.ApplicationRequest:
    sent = si.AddApplicationRequest(
        applicationID=name, queueName=queue, partitionName=partition, tags=tags or {},
        ugi=si.UserGroupInformation(user=user, groups=groups))
    if gang:
        sent.placeholderAsk.CopyFrom(amounts(gang.resources))
        sent.executionTimeoutMilliSeconds = int(gang.timeout_s * 1000)
        sent.gangSchedulingStyle = "Hard" if gang.hard else "Soft"
    return si.ApplicationRequest(new=[sent])

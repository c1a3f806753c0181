# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The connection of a resource manager: its streams, read by threads of their own, and what to do when one ends."""

import dataclasses
import queue
import threading
import time

import grpc

from .errors import Refused, Replaced
from .line import Line
from .si.v1later import si_pb2 as si
from .v1 import checks_pb2 as checks_v1
from .v1 import recovery_pb2 as recovery_v1

PROBE_S = 5  # for an answer to a question that costs nothing
REGISTRATION_S = 30  # a scheduler that says nothing for so long is tried again
WAITING = 10_000  # responses that nobody took: beyond it the scheduler is not listened to, and stops
RETRY_S = (0.1, 5)  # the first pause before a connection is tried again, and the longest
OPTIONS = [
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
]
# The scheduler took the connection and does not want what came. All other ends are the connection's.
REFUSALS = {
    grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNIMPLEMENTED,
}


@dataclasses.dataclass
class End:
    """A stream ended."""

    code: grpc.StatusCode
    words: str

    def __str__(self) -> str:
        return f"{self.code.name}: {self.words}"


class Session:
    def __init__(self, address: str, registration: checks_v1.RegisterResourceManagerRequest, checks: bool,
                 credentials: grpc.ChannelCredentials | None):
        self.registration = registration
        self.applications = Line("/si.v1.Scheduler/UpdateApplication", si.ApplicationRequest, si.ApplicationResponse)
        self.nodes = Line("/si.v1.Scheduler/UpdateNode", si.NodeRequest, si.NodeResponse)
        self.allocations = Line("/si.v1.Scheduler/UpdateAllocation", si.AllocationRequest, si.AllocationResponse)
        self.recovery = Line("/tenon.v1.Recovery/UpdateRecovery", recovery_v1.RecoveryRequest, recovery_v1.RecoveryResponse)
        self.checks = Line("/tenon.v1.Checks/CheckPlacements", checks_v1.CheckPlacementsRequest, checks_v1.CheckPlacementsResponse)
        self.lines = [self.applications, self.nodes, self.allocations, self.recovery] + ([self.checks] if checks else [])
        self.open = False
        self.to_register = True
        self._inbox: queue.Queue = queue.Queue()  # (registration, opening, response or End)
        self._registrations = 0  # what was heard after an earlier one is void
        self._openings = 0  # of all streams; the end of one from an earlier opening is known already
        self._readers: list[threading.Thread] = []
        self._choked = False
        self._pause_s = 0.0
        self._not_before = 0.0
        service = "tenon.v1.Checks" if checks else "si.v1.Scheduler"
        make = (lambda: grpc.secure_channel(address, credentials, OPTIONS)) if credentials else (
            lambda: grpc.insecure_channel(address, OPTIONS))
        self._channel = make()
        self._probe = self._channel.unary_unary("/grpc.health.v1.Health/Check")
        self._register = self._channel.unary_unary(
            f"/{service}/RegisterResourceManager",
            request_serializer=checks_v1.RegisterResourceManagerRequest.SerializeToString,
            response_deserializer=checks_v1.RegisterResourceManagerResponse.FromString)

    def connect(self, until: float) -> str | None:
        """Tries to connect, and registers where that is due; not past this moment, or a little. None: it is there. Else why
        not; an empty text: it is not time to try again."""
        if (pause := min(self._not_before, until) - time.monotonic()) > 0:
            time.sleep(pause)
        if time.monotonic() < self._not_before:
            return ""
        try:
            self._probe(b"", timeout=PROBE_S)
            if self.to_register:
                self._register(self.registration, timeout=REGISTRATION_S)
        except grpc.RpcError as error:
            end = End(error.code(), error.details())
            self.ended(end)
            return str(end)
        except ValueError:  # closed by another thread
            return ""
        return None

    def begin(self) -> None:
        """Opens all streams; what was said and may not have arrived goes first."""
        for reader in self._readers:
            reader.join()  # so that nothing older is heard behind what comes now
        self._openings += 1
        self._registrations += self.to_register
        self.open, self.to_register = True, False
        for line in self.lines:
            line.open(self._channel, self.registration.rmID)
        self._readers = [threading.Thread(target=self._read, args=(line.call, self._registrations, self._openings), daemon=True)
                         for line in self.lines]
        for reader in self._readers:
            reader.start()

    def _read(self, call, registration: int, opening: int) -> None:
        """Reads at once what there is: to the scheduler it has arrived when the connection outlives it."""
        try:
            for response in call:
                self._inbox.put((registration, opening, response))
                while self._inbox.qsize() > WAITING and self._openings == opening:
                    self._choked = True
                    time.sleep(0.05)
            end = End(grpc.StatusCode.OK, "")
        except grpc.RpcError as error:
            end = End(error.code(), error.details())
        self._inbox.put((registration, opening, end))

    def wait(self, until: float):
        """The next response or End; None where none came."""
        while True:
            try:
                registration, opening, heard = self._inbox.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return None
            if registration == self._registrations and not isinstance(heard, End):
                self._pause_s = 0.0
                return heard
            if opening == self._openings and self.open:
                return heard

    def ended(self, end: End) -> None:
        """A stream or a registration ended without a wish of this side. Raises where that is for good."""
        self.drop()
        if end.code in REFUSALS:
            raise Refused(end.words)
        if end.code == grpc.StatusCode.ABORTED:
            raise Replaced(end.words)
        # What nobody read when the connection broke is lost, though the scheduler thinks that it arrived.
        if end.code == grpc.StatusCode.FAILED_PRECONDITION or self._choked:
            self.to_register = True
        self._choked = False
        self._pause_s = min(max(RETRY_S[0], 2 * self._pause_s), RETRY_S[1])
        self._not_before = time.monotonic() + self._pause_s

    def drop(self) -> None:
        self._openings += 1
        self.open = False
        for line in self.lines:
            line.drop()

    def close(self) -> None:
        self.drop()
        self._channel.close()

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""One stream to the scheduler, and what was said on it and may be lost when it breaks."""

import collections
import heapq
import itertools
import queue
from typing import Callable, Hashable, Iterator

from google.protobuf.message import Message

BATCH = 200  # requests that wait are joined to one
BATCH_BYTES = 1 << 20  # the scheduler takes 4 MiB as a rule


class Line:
    """The scheduler takes the requests of a stream in their order. So an answer to one says that those before it
    arrived, and a request is kept until it is answered or something behind it is. What is kept is said again when the
    stream is opened again; all requests are such that a second time changes nothing."""

    def __init__(self, path: str, request: type[Message], response: type[Message]):
        self.path, self.request, self.response = path, request, response
        self._serials = itertools.count()
        self._awaited: dict[int, tuple[Hashable, Message]] = {}  # by serial, which grows: what will be answered
        self._serial_of: dict[Hashable, int] = {}
        self._unanswered: collections.deque[tuple[int, Message]] = collections.deque()  # what never is
        self._outgoing: queue.SimpleQueue | None = None
        self.call = None

    def say(self, message: Message, awaits: Hashable = None) -> None:
        """`awaits` names the answer that it will have; None: it has none."""
        self._keep(message, awaits)
        if self._outgoing is not None:
            self._outgoing.put(message)

    def say_together(self, messages: dict[Hashable, Message]) -> None:
        """The same of several, which arrive as one request; by the answers that they will have."""
        joined = self.request()
        for awaits, message in messages.items():
            self._keep(message, awaits)
            joined.MergeFrom(message)
        if messages and self._outgoing is not None:
            self._outgoing.put(joined)

    def _keep(self, message: Message, awaits: Hashable) -> None:
        serial = next(self._serials)
        if awaits is None:
            self._unanswered.append((serial, message))
        else:
            self.forget(awaits)
            self._serial_of[awaits] = serial
            self._awaited[serial] = (awaits, message)

    def forget(self, awaits: Hashable) -> bool:
        """Whether something waited for this answer; it does not any more, and is not said again."""
        serial = self._serial_of.pop(awaits, None)
        if serial is None:
            return False
        del self._awaited[serial]
        return True

    def answered(self, awaits: Hashable) -> bool:
        """Whether something waited for it: if not, the answer came before."""
        serial = self._serial_of.get(awaits)
        if serial is None:
            return False
        while self._unanswered and self._unanswered[0][0] < serial:
            self._unanswered.popleft()
        return self.forget(awaits)

    def awaited(self) -> Iterator[Hashable]:
        return iter(self._serial_of)

    def clear(self) -> None:
        """Nothing that was said counts any more."""
        self._awaited.clear()
        self._serial_of.clear()
        self._unanswered.clear()

    def open(self, channel, rm: str) -> None:
        """Opens the stream, again or for the first time, and says what may not have arrived."""
        self._outgoing = queue.SimpleQueue()
        self._outgoing.put(self.request(rmID=rm))
        waiting = ((serial, message) for serial, (_, message) in self._awaited.items())
        for _, message in heapq.merge(waiting, self._unanswered, key=lambda each: each[0]):
            self._outgoing.put(message)
        open_call: Callable = channel.stream_stream(
            self.path, request_serializer=self.request.SerializeToString, response_deserializer=self.response.FromString)
        self.call = open_call(self._requests(self._outgoing))

    def close(self) -> None:
        """Half-closes the stream: when all are, that is a goodbye."""
        if self._outgoing is not None:
            self._outgoing.put(None)

    def drop(self) -> None:
        """Ends the stream from this side, as a broken connection does."""
        if self.call is not None:
            self.call.cancel()
        self.close()
        self._outgoing = self.call = None

    def _requests(self, outgoing: queue.SimpleQueue) -> Iterator[Message]:
        """Those that wait and are of one kind as one request: parts of several kinds would change their order."""
        message = outgoing.get()
        while message is not None:
            joined, kind, size = self.request(), fields(message), 0
            for _ in range(BATCH):
                joined.MergeFrom(message)
                size += message.ByteSize()
                try:
                    message = outgoing.get_nowait()
                except queue.Empty:
                    yield joined
                    joined = None
                    message = outgoing.get()
                if joined is None or message is None or fields(message) != kind or size > BATCH_BYTES:
                    break
            if joined is not None:
                yield joined


def fields(message: Message) -> list[str]:
    return [field.name for field, _ in message.ListFields()]

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""HTTP/2 as an attacker writes it: frames by hand, on a socket that may stop taking them."""

import collections
import select
import socket
import ssl
import struct
import time

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = 4, 5

REGISTER = "/si.v1.Scheduler/RegisterResourceManager"
UPDATE = "/si.v1.Scheduler/Update"
HEALTH = "/grpc.health.v1.Health/Check"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + body


def settings(**values: int) -> bytes:
    numbers = {"window": INITIAL_WINDOW_SIZE, "frame": MAX_FRAME_SIZE, "table": 1}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", numbers[key], value) for key, value in values.items()))


def whole(number: int, prefix: int, first: int = 0) -> bytes:
    """A number as HPACK writes it, behind the bits of `first`."""
    most = (1 << prefix) - 1
    if number < most:
        return bytes((first | number,))
    out, number = [first | most], number - most
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes((*out, number))


def varint(number: int) -> bytes:
    """As protobuf writes it."""
    out = []
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes((*out, number))


def field(name: str, value: str | bytes, keep: bool = False) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return (b"\x40" if keep else b"\x00") + whole(len(name), 7) + name.encode() + whole(len(value), 7) + value


def call(path: str, *more: tuple[str, str]) -> bytes:
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "a"),
              ("content-type", "application/grpc"), ("te", "trailers"), *more]
    return b"".join(field(*each) for each in fields)


def message(body: bytes, length: int | None = None, compressed: bool = False) -> bytes:
    return struct.pack(">BI", compressed, len(body) if length is None else length) + body


class Attacker:
    """One connection. What the other side says is thrown away, or left where it is: `deaf`."""

    def __init__(self, address: tuple[str, int], deaf: bool = False, tls=None):
        self.socket = socket.create_connection(address)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.socket.setblocking(False)
        self.deaf = deaf
        self.acknowledges = True
        self.to_acknowledge = 0
        self.sent = 0
        self.heard = b""  # that is no whole frame yet
        self.said = b""  # the last bodies of DATA
        self.ended = set()  # streams
        self.windows = collections.defaultdict(lambda: 65_535)  # of the connection, 0, and of streams

    def close(self) -> None:
        self.socket.close()

    def hello(self, **values: int) -> "Attacker":
        self.send(PREFACE + settings(**values))
        return self

    def send(self, data: bytes, stall_s: float = 2.0) -> bool:
        """All of it; False where the other side has closed, or takes nothing for so long."""
        view = memoryview(self.acknowledgements() + data)
        last = time.monotonic()
        while view:
            can = self.ready(select.POLLOUT if self.deaf else select.POLLIN | select.POLLOUT, 100)
            try:
                if can & ~select.POLLOUT and not self.deaf and not self.listen():
                    return False
                if can & select.POLLOUT:
                    count = self.socket.send(view)
                    view = view[count:]
                    self.sent += count
                    last = time.monotonic()
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError, InterruptedError):
                pass
            except OSError:
                return False
            if time.monotonic() - last > stall_s:
                return False
        return True

    def acknowledgements(self) -> bytes:
        count, self.to_acknowledge = self.to_acknowledge, 0
        return frame(SETTINGS, ACK, 0) * count * self.acknowledges

    def ready(self, what: int, within_ms: int) -> int:
        poll = select.poll()
        poll.register(self.socket, what)
        return next((events for _, events in poll.poll(within_ms)), 0)

    def listen(self) -> bool:
        got = self.socket.recv(1 << 16)
        self.heard += got
        while len(self.heard) >= 9 and len(self.heard) >= 9 + (size := int.from_bytes(self.heard[:3], "big")):
            self.hear(self.heard[3], self.heard[4], int.from_bytes(self.heard[5:9], "big"), self.heard[9:9 + size])
            self.heard = self.heard[9 + size:]
        return bool(got)

    def hear(self, kind: int, flags: int, stream: int, body: bytes) -> None:
        if kind == RST_STREAM or kind in (DATA, HEADERS) and flags & END_STREAM:
            self.ended.add(stream)
        if kind == WINDOW_UPDATE:
            self.windows[stream] += int.from_bytes(body, "big")
        elif kind == DATA:
            self.said = (self.said + body)[-4096:]
        elif kind == SETTINGS and not flags & ACK:
            self.to_acknowledge += 1
            for number, value in struct.iter_unpack(">HI", body):
                if number == INITIAL_WINDOW_SIZE:
                    for each in self.windows.keys() - {0}:
                        self.windows[each] += value - self.windows.default_factory()
                    self.windows.default_factory = lambda size=value: size

    def send_within_windows(self, stream: int, data: bytes, stall_s: float = 2.0) -> bool:
        """As one who keeps to the rules; False where the other side does not let all of it come."""
        last = time.monotonic()
        while data:
            size = min(16_384, len(data), self.windows[0], self.windows[stream])
            if size > 0:
                if not self.send(frame(DATA, 0, stream, data[:size]), stall_s):
                    return False
                self.windows[0] -= size
                self.windows[stream] -= size
                data = data[size:]
                last = time.monotonic()
            if self.to_acknowledge:
                self.send(b"")
            try:
                if self.ready(select.POLLIN, 0 if size > 0 else 100) and not self.listen():
                    return False
            except ssl.SSLWantReadError:
                pass
            except OSError:
                return False
            if time.monotonic() - last > stall_s:
                return False
        return True

    def flood(self, chunks, most: int = 64 << 20) -> None:
        """Chunk after chunk, until the other side has had enough of it."""
        for chunk in chunks:
            if self.sent >= most or not self.send(chunk):
                return

    def wait(self, until, within_s: float) -> bool:
        """Listens; whether the other side has closed."""
        end = time.monotonic() + within_s
        while not until() and time.monotonic() < end:
            if self.to_acknowledge:
                self.send(b"")
            try:
                if self.ready(select.POLLIN, 100) and not self.listen():
                    return True
            except ssl.SSLWantReadError:
                pass
            except OSError:
                return True
        return False

    def wait_closed(self, within_s: float = 60) -> bool:
        return self.wait(lambda: False, within_s)

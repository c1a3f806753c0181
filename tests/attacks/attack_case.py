# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A daemon under attack: how much it grew at most, and whether it serves others."""

import pathlib
import re
import sys
import time

import http2
from http2 import DATA, END_HEADERS, END_STREAM, HEADERS, Attacker, call, frame, message
from memory import Memory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from daemon import WITHIN_S, Daemon, ServeCase, main  # noqa: E402, F401

MIB = 1 << 20


class AttackCase(ServeCase):
    most = 16 * MIB  # that it may grow
    config = ""  # of tenon.grpc, beside the address
    tls = None

    def setUp(self):
        super().setUp()
        self.one: Attacker | None = None
        self.daemon = self.started(
            more=f"transports: [{{ use: tenon.grpc, config: {{ listen: '127.0.0.1:0' {self.config} }} }}]\n")
        self.address = ("127.0.0.1", int(self.wait_for_words(r"listens on 127.0.0.1:(\d+)")[1]))
        self.assert_serves()  # whatever is made once is made now
        self.most_grown = 0
        self.memory = Memory(self.daemon.process.pid)

    def wait_for_words(self, pattern: str) -> re.Match:
        """In the daemon's log, which comes when it comes."""
        end = time.monotonic() + WITHIN_S
        while not (found := re.search(pattern, self.daemon.words())):
            self.assertLess(time.monotonic(), end, f"no {pattern} in the daemon's log:\n{self.daemon.words()}")
            time.sleep(0.01)
        return found

    def attacker(self, deaf: bool = False, **settings: int) -> Attacker:
        """The only one: the one before leaves, and how much the daemon grew for it is noted."""
        if self.one is not None:
            self.one.close()
            self.note_growth()
        self.one = Attacker(self.address, deaf, self.tls)
        return self.one.hello(**settings)

    def note_growth(self) -> None:
        self.most_grown = max(self.most_grown, self.memory.grew())
        self.memory = Memory(self.daemon.process.pid)

    def assert_serves(self) -> None:
        """Another client, which comes again where it is turned away: limits make room when those that fill them leave."""
        end = time.monotonic() + WITHIN_S
        while not self.is_served():
            self.assertLess(time.monotonic(), end, "the daemon does not answer a client that asks for its health")
            time.sleep(0.1)

    def is_served(self) -> bool:
        try:
            client = Attacker(self.address, tls=self.tls)
        except OSError:
            return False  # turned away in the middle of the handshake
        try:
            client.hello()
            client.send(frame(HEADERS, END_HEADERS, 1, call(http2.HEALTH)) + frame(DATA, END_STREAM, 1, message(b"")))
            client.wait(lambda: message(b"\x08\x01") in client.said, WITHIN_S)
            return message(b"\x08\x01") in client.said
        finally:
            client.close()

    def tearDown(self):
        self.note_growth()
        print(f"{self._testMethodName}: {self.most_grown / MIB:.1f} MiB", file=sys.stderr)
        self.assert_serves()
        self.assertIsNone(self.daemon.process.poll())
        if self.one is not None:
            self.one.close()
        self.assertLess(self.most_grown, self.most)

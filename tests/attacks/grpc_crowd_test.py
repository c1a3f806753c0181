#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Many connections without credentials against a daemon: those that say nothing, those that never finish a handshake, more
than it may have files. It goes on serving others."""

import resource
import socket
import ssl
import subprocess
import time

import http2
from attack_case import MIB, AttackCase, main
from http2 import DATA, END_HEADERS, HEADERS, Attacker, call, frame, message


class Crowd(AttackCase):
    most = 64 * MIB

    def setUp(self):
        super().setUp()
        self.crowd: list[Attacker] = []
        self.addCleanup(lambda: [each.close() for each in self.crowd])

    def come(self, count: int, say: bytes = b"") -> None:
        for _ in range(count):
            self.crowd.append(Attacker(self.address))
            if say:
                self.crowd[-1].send(say)

    def test_those_who_say_nothing_make_room_for_others_and_are_closed(self):
        self.come(600)
        self.assert_serves()
        self.assertTrue(self.crowd[-1].wait_closed())

    def test_those_who_say_nothing_but_hello_make_room_for_others(self):
        self.come(600, http2.PREFACE + http2.settings())
        self.assert_serves()

    def test_calls_that_say_nothing_make_room_for_others(self):
        for path in (http2.UPDATE, http2.REFLECTION, http2.REGISTER):
            self.come(100, http2.PREFACE + http2.settings() + b"".join(
                frame(HEADERS, END_HEADERS, stream, call(path)) + frame(DATA, 0, stream, message(b"0" * 4_000, 1 << 20))
                for stream in range(1, 64, 2)))
        self.assert_serves()

    def test_out_of_files_the_rest_of_the_daemon_works_and_connections_come_back(self):
        process = self.daemon.process.pid
        most = 96
        resource.prlimit(process, resource.RLIMIT_NOFILE, (most, most))
        self.come(200, http2.PREFACE + http2.settings())
        self.assertEqual(self.daemon.ctl("queues").returncode, 0)
        self.wait_for_words(f"the process may open no more than {most} files")
        for each in self.crowd:
            each.close()
        self.assert_serves()


class CrowdWithTls(Crowd):
    config = ", tls_certificate: {folder}/server.pem, tls_key: {folder}/server.key"

    def setUp(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        self.tls = context
        super().setUp()

    def deployment(self, more: str = ""):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                        "-keyout", self.folder / "server.key", "-out", self.folder / "server.pem"],
                       check=True, capture_output=True)
        return super().deployment(more.replace("{folder}", str(self.folder)))

    def come(self, count: int, say: bytes = b"") -> None:
        """Each begins a handshake and does not go on."""
        tell, hear = ssl.MemoryBIO(), ssl.MemoryBIO()
        greeting = self.tls.wrap_bio(hear, tell, server_hostname="localhost")
        try:
            greeting.do_handshake()
        except ssl.SSLWantReadError:
            pass
        super().come(count, tell.read())


del AttackCase
if __name__ == "__main__":
    main()

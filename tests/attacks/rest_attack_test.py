#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Clients of REST without a token, and pages of others in a browser of this machine: configurations that are made to cost
much, requests whose end is not where another server sees it, hosts and pages that are not the daemon's."""

import concurrent.futures
import http.client
import pathlib
import resource
import socket
import sys
import threading
import time

from memory import Memory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from daemon import WITHIN_S, ServeCase, main  # noqa: E402

MIB = 1 << 20
SIZE = 4 * MIB - 16
# The most that one text may take while it is read.
MOST = 256 * MIB
# That stays afterwards: what threads keep at hand.
KEPT = 64 * MIB
VALIDATE = "/ws/v1/validate-conf"


class Rest(ServeCase):
    config = ""

    def setUp(self):
        super().setUp()
        self.daemon = self.started(
            more="transports: [{ use: tenon.rest, config: { listen: '127.0.0.1:0', "
                 f"address_file: '{self.folder}/address' {self.config} }} }}]\n")
        self.port = int((self.folder / "address").read_text().rsplit(":", 1)[1])

    def ask(self, method: str, path: str, body: bytes = b"", enough=threading.Event(), **headers: str) -> int:
        """The status of the answer; 503 only where it was so for a long time, or until `enough`."""
        for _ in range(WITHIN_S * 10):
            client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
            try:
                client.request(method, path, body, headers)
                status = client.getresponse().status
            except (OSError, http.client.HTTPException):
                status = 503  # closed while the body was on its way, or the machine is busy
            finally:
                client.close()
            if status != 503 or enough.is_set():
                return status
            time.sleep(0.1)
        return 503

    def say(self, text: str) -> int:
        """The status that bytes of a client's own get."""
        with socket.create_connection(("127.0.0.1", self.port), WITHIN_S) as client:
            client.sendall(text.replace("\n", "\r\n").encode())
            return int(client.makefile("rb").readline().split()[1])


class Configurations(Rest):
    def test_texts_that_are_made_to_take_much_memory(self):
        shapes = {"brackets": b"[", "maps": b"{a: ", "pairs": b"[a,", "entries": b"a,", "empty": b",", "colons": b": ",
                  "questions": b"? ", "quotations": b'"" ', "anchors": b"&a ", "tags": b"!a ", "aliases": b"*a ",
                  "hidden": b"[ #]\n", "dashes": b"- ", "keys": b"a: b\n", "lines": b"- [a]\n"}
        for name, shape in shapes.items():
            for first in (b"", b"[", b"{"):
                memory = Memory(self.daemon.process.pid)
                body = first + shape * ((SIZE - 1) // len(shape))
                with self.subTest(name=name, first=first):
                    self.assertEqual(self.ask("POST", VALIDATE, body), 200)
                    self.assertLess(memory.grew(), MOST)

    def test_many_at_once(self):
        memory = Memory(self.daemon.process.pid)
        body = b"[" + b"a," * (SIZE // 2 - 1)
        enough = threading.Event()

        def come(_: int) -> int:
            status = self.ask("POST", VALIDATE, body, enough)
            enough.set()
            return status

        with concurrent.futures.ThreadPoolExecutor(16) as clients:
            answers = list(clients.map(come, range(16)))
        # One at a time is checked, and the others are told to come again: who comes through is a matter of luck.
        self.assertLessEqual(set(answers), {200, 503})
        self.assertIn(200, answers)
        self.assertEqual(self.ask("POST", VALIDATE, body), 200)
        self.assertLess(memory.grew(), MOST)
        end = time.monotonic() + WITHIN_S
        while memory.now() - memory.before > KEPT:
            self.assertLess(time.monotonic(), end, f"{(memory.now() - memory.before) >> 20} MiB are not given back")
            time.sleep(0.1)


class Requests(Rest):
    def test_a_page_of_another_site_is_not_answered(self):
        for method, path in (("GET", "/ws/v1/partitions"), ("POST", VALIDATE), ("OPTIONS", VALIDATE)):
            for page in ("http://evil.example", "null", f"http://evil.example:{self.port}"):
                self.assertEqual(self.ask(method, path, Origin=page), 403)
            self.assertEqual(self.ask(method, path, Origin=f"http://127.0.0.1:{self.port}"), 200)

    def test_a_name_that_is_not_the_daemons_is_not_answered(self):
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", ""):
            self.assertEqual(self.ask("GET", "/ws/v1/partitions", Host=host), 421, host)
        for host in ("localhost", f"LOCALHOST:{self.port}", "[::1]:1", "192.0.2.1", socket.gethostname()):
            self.assertEqual(self.ask("GET", "/ws/v1/partitions", Host=host), 200, host)

    def test_requests_that_can_be_read_in_two_ways_are_refused(self):
        begin = "POST /ws/v1/validate-conf HTTP/1.1\nHost: localhost\n"
        self.assertEqual(self.say(begin + "Host: localhost\nContent-Length: 0\n\n"), 400)
        self.assertEqual(self.say("GET /ws/v1/partitions HTTP/1.1\n\n"), 400)
        for encoding in ("gzip", "gzip, chunked", "identity", "chunked, identity", "xchunked", "chunked\nTransfer-Encoding: x"):
            self.assertIn(self.say(begin + f"Transfer-Encoding: {encoding}\n\n0\n\n"), (400, 501), encoding)
        self.assertEqual(self.say(begin + "Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n"), 400)
        self.assertEqual(self.say(begin.replace("1.1", "1.0") + "Transfer-Encoding: chunked\n\n0\n\n"), 400)
        self.assertEqual(self.say(begin + "Transfer-Encoding: Chunked\n\n2\n{}\n0\n\n"), 200)


class Crowd(Rest):
    def test_out_of_files_health_says_so_and_connections_come_back(self):
        most = 96
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_NOFILE, (most, most))
        crowd = []
        for _ in range(200):
            crowd.append(socket.create_connection(("127.0.0.1", self.port), WITHIN_S))
        end = time.monotonic() + WITHIN_S
        while "connections are turned away" not in (said := self.daemon.ctl("health")).stdout:
            self.assertLess(time.monotonic(), end, said.stdout + said.stderr)
            time.sleep(0.05)
            crowd.append(socket.create_connection(("127.0.0.1", self.port), WITHIN_S))  # those that say nothing are closed
        self.assertEqual(said.returncode, 1)
        for each in crowd:
            each.close()
        end = time.monotonic() + WITHIN_S
        while self.ask("GET", "/ws/v1/partitions") != 200 or self.daemon.ctl("health").returncode != 0:
            self.assertLess(time.monotonic(), end, self.daemon.ctl("health").stdout)
            time.sleep(0.05)


class RequestsWithNames(Rest):
    config = ", hosts: [Scheduler.example], origin: 'https://pages.example'"

    def test_the_names_of_the_configuration_are_answered(self):
        self.assertEqual(self.ask("GET", "/ws/v1/partitions", Host="scheduler.example:80"), 200)
        self.assertEqual(self.ask("GET", "/ws/v1/partitions", Origin="https://pages.example"), 200)
        self.assertEqual(self.ask("GET", "/ws/v1/partitions", Origin="http://pages.example"), 403)


if __name__ == "__main__":
    main()

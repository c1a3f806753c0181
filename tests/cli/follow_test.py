#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Events that are waited for: the daemon holds the answer back, and `tenon ctl events --follow` asks no oftener."""

import json
import socket
import subprocess
import tempfile
import threading
import unittest

from daemon import WITHIN_S, Daemon, RmCase, end, main, say

MOST_WAITS = 8


def request(**fields) -> bytes:
    return json.dumps({"version": 1, "command": "events"} | fields).encode()


class Waiting(RmCase):
    def waiting(self, daemon: Daemon, **fields) -> socket.socket:
        client = daemon.connect()
        self.addCleanup(client.close)
        client.sendall(request(**{"wait_ms": 10_000} | fields) + b"\n")
        return client

    def next_id(self, daemon: Daemon) -> int:
        with daemon.connect() as client:
            return say(client, request(limit=1))["result"]["next_id"]

    def test_an_answer_comes_with_the_first_event_that_fits(self):
        daemon = self.served()
        first = self.rm()
        start = self.next_id(daemon)
        anything, of_other = self.waiting(daemon, first_id=start), self.waiting(daemon, first_id=start, object="node-x", wait_ms=1_000)
        self.assertEqual(daemon.json("rms")["rms"][0]["id"], "demo")  # nobody else waits
        other = self.rm("--rm", "other")
        answer = json.loads(anything.makefile("rb").readline())["result"]
        self.assertGreaterEqual(answer["records"][0]["id"], start)
        self.assertGreater(answer["next_id"], start)
        answer = json.loads(of_other.makefile("rb").readline())["result"]  # once it has waited as long as it may
        self.assertEqual(answer["records"], [])
        self.assertGreater(answer["next_id"], start)
        self.gone(first)
        self.gone(other)

    def test_nothing_is_waited_for_where_nothing_was_asked_from(self):
        daemon = self.served()
        with daemon.connect() as client:
            self.assertEqual(say(client, request(wait_ms=10_000))["result"]["records"], [])
            answer = say(client, request(wait_ms=1, first_id=1))["result"]
            self.assertEqual((answer["records"], answer["next_id"]), ([], 1))
            self.assertFalse(say(client, request(wait_ms="long", first_id=1))["ok"])
            self.assertFalse(say(client, request(wait_ms=-1, first_id=1))["ok"])

    def test_many_wait_and_one_more_is_answered(self):
        daemon = self.served()
        for _ in range(MOST_WAITS):
            self.waiting(daemon, first_id=1)
        self.assertEqual(daemon.ctl("rms").returncode, 0)
        with daemon.connect() as client:
            self.assertEqual(say(client, request(wait_ms=10_000, first_id=1))["result"]["records"], [])
        self.assertEqual(daemon.finish(), 0, daemon.words())  # while they wait


class Follower(unittest.TestCase):
    """`tenon ctl events --follow` and a daemon that is played here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/control.sock"
        self.server = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.server.close)
        self.server.settimeout(WITHIN_S)
        self.server.bind(self.path)
        self.server.listen()

    def asked(self) -> tuple[socket.socket, dict]:
        client, _ = self.server.accept()
        self.addCleanup(client.close)
        return client, json.loads(client.makefile("rb").readline())

    @staticmethod
    def answer(client: socket.socket, next_id: int, *ids: int) -> None:
        texts = ("run", "detail", "partition", "reference", "reason", "group", "message", "application", "queue", "node")
        records = [dict.fromkeys(texts, "") | {"id": i, "last_id": i, "time_ms": 0, "type": "APP", "change": "ADD",
                                               "object": "app", "resource": {}} for i in ids]
        result = {"run": "a", "records": records, "more": False, "next_id": next_id, "gone": 0}
        client.sendall(json.dumps({"version": 1, "ok": True, "result": result}).encode() + b"\n")
        client.close()

    def test_asks_once_for_what_has_not_happened_yet(self):
        process = subprocess.Popen([Daemon.tenon, "ctl", "events", "--follow", "--json", "--control", self.path],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        timer = threading.Timer(WITHIN_S, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        client, first = self.asked()
        self.assertNotIn("wait_ms", first)
        self.answer(client, 8, 7)
        self.assertEqual(json.loads(process.stdout.readline())["id"], 7)
        client, second = self.asked()
        self.assertEqual((second["first_id"], second["wait_ms"]), (8, 10_000))
        self.answer(client, 9, 8)
        self.assertEqual(json.loads(process.stdout.readline())["id"], 8)
        client, third = self.asked()
        self.assertEqual(third["first_id"], 9)
        self.server.settimeout(1.5)
        with self.assertRaises(TimeoutError):  # it waits for the answer and asks nobody else
            self.server.accept()


if __name__ == "__main__":
    main()

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What speed.py measures by."""

import time
import unittest

from api import Refused
from speed import Watch


def pod(name: str, version: int, node: str = "") -> dict:
    return {"metadata": {"name": name, "resourceVersion": str(version)}, "spec": {"nodeName": node} if node else {}}


class Server:
    """Answers lists and watches one after the other. A watch brings its events and ends; an exception is raised instead."""

    def __init__(self, lists: list[list[dict]], watches: list):
        self.lists, self.watches, self.asked = lists, watches, []

    def call(self, method: str, path: str) -> dict:
        self.asked.append("list")
        return {"metadata": {"resourceVersion": "1"}, "items": self.lists.pop(0)}

    def watch(self, kind: str, version: str):
        self.asked.append(version)
        events = self.watches.pop(0) if self.watches else []
        if isinstance(events, Exception):
            raise events
        yield from events


class Watches(unittest.TestCase):
    def seen(self, server: Server, *names: str) -> None:
        watch = Watch(server)
        try:
            deadline = time.monotonic() + 10
            while set(names) - watch.bound.keys():
                self.assertLess(time.monotonic(), deadline, f"have {sorted(watch.bound)}, asked for {server.asked[:9]}")
                time.sleep(0.01)
        finally:
            watch.ended = True

    def test_a_watch_that_ended_goes_on_where_it_ended(self):
        server = Server([[]], [[("MODIFIED", pod("a", 7, "n"))], OSError(), [("MODIFIED", pod("b", 8, "n"))]])
        self.seen(server, "a", "b")
        self.assertEqual(server.asked[:4], ["list", "1", "7", "7"])

    def test_pods_that_were_bound_between_two_watches_are_seen(self):
        for ends in ([("ERROR", {"code": 410})], Refused(410, "too old")):
            self.seen(Server([[pod("a", 1)], [pod("a", 5, "n")]], [[("MODIFIED", pod("c", 3))], ends]), "a")

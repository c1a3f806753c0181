#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Whoever reaches the broker may publish anything: an RM beside it works on, and the scheduler grows no further."""

import os
import pathlib
import random

from queue_case import CORE, QueueCase, main, paho, si, words


class Hostile(QueueCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.served(", max_message_bytes: 65536, max_rms: 8")
        self.rm = self.manager()
        self.rm.hears("entered")
        self.rm.add_node("node", {"vcore": 1_000_000})
        self.rm.add_application("app")
        self.asks = 0
        self.other = paho.Client(client_id="hostile")
        self.other.max_queued_messages_set(0)
        self.other.max_inflight_messages_set(1000)
        self.other.connect("127.0.0.1", self.broker.port)
        self.other.loop_start()
        self.addCleanup(self.other.loop_stop)
        self.addCleanup(self.other.disconnect)

    def publish(self, name: str, payload: bytes) -> None:
        self.last = self.other.publish(f"tenon/to-scheduler/{name}", payload, qos=1)

    def works_on(self) -> None:
        self.last.wait_for_publish(60)
        self.asks += 1
        self.rm.ask("app", f"ask-{self.asks}", CORE)
        self.rm.runs(f"ask-{self.asks}")
        self.rm.has_said_all()

    def assert_grew_less(self, before: int, kib: int, of: str = "VmRSS") -> None:
        if "TENON_MEMORY_IS_NOT_MEASURED" not in os.environ:
            self.assertLess(self.memory(of) - before, kib)

    def memory(self, of: str = "VmRSS") -> int:
        status = pathlib.Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith(of)))

    def test_bytes_that_are_none(self):
        chance = random.Random(1)
        for name in ("rm", "stranger", "%zz", "%7", "%72m", "a b", "x" * 3000, "ü"):
            for payload in (b"", b"\x00", b"\xff" * 10, b"\x0b" * 70_000, chance.randbytes(1000)):
                self.publish(name, payload)
        self.works_on()

    def test_messages_with_one_thing_wrong(self):
        mine = self.rm.session
        whole = words.FromManager(session=mine, number=1, connection=7, node=si.NodeRequest(rmID="rm").SerializeToString())
        for wrong in (
            words.FromManager(),
            words.FromManager(session=mine),
            words.FromManager(session=mine, number=-1, node=b""),
            words.FromManager(session=mine, number=2**63 - 1, node=b""),
            words.FromManager(session=mine, arrived=[words.Arrived(partitionName="default", number=2**63 - 1)] * 100),
            words.FromManager(session=mine, arrived=[words.Arrived(partitionName="nowhere", number=-5)]),
            words.FromManager(session=mine + 1, number=1, node=b"\xff"),
            words.FromManager(session=mine + 1, goodbye=words.Goodbye()),
            words.FromManager(connection=1, lost=words.Lost()),
            words.FromManager(registration=b""),
            words.FromManager(session=5, registration=b"\xff\xff"),
            words.FromManager(session=5, registration=si.RegisterResourceManagerRequest(rmID="else").SerializeToString()),
            words.FromManager(session=5, registration=si.RegisterResourceManagerRequest(
                rmID="rm", config="x" * 100_000).SerializeToString()),
        ):
            self.publish("rm", wrong.SerializeToString())
        chance = random.Random(2)
        for _ in range(2000):
            mutated = bytearray(whole.SerializeToString())
            for _ in range(chance.randrange(1, 4)):
                mutated[chance.randrange(9, len(mutated))] = chance.randrange(256)
            self.publish("stranger", bytes(mutated[: chance.randrange(len(mutated) + 1)]))
        self.works_on()

    def test_requests_that_cannot_be_read_are_refused_and_the_next_one_is_taken(self):
        for content in (b"\xff", b"\x0a\x05ab", b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"):
            number = self.rm.request_bytes("node", content)
            self.rm.hears("refused", lambda one, wanted=number: one.number == wanted)
        number = self.rm.request_bytes("node", b"\x0a" * 70_000)
        self.assertIn("65536 bytes at most", self.rm.hears("refused", lambda one: one.number == number).reason)
        self.last = self.rm.client.publish("tenon/nothing", b"", qos=1)
        self.works_on()

    def test_small_fields_that_are_large_objects_are_not_read(self):
        self.publish("nobody", b"")
        self.works_on()
        before = self.memory("VmHWM")
        mine = words.FromManager(session=self.rm.session).SerializeToString()
        arrived = b"\x22\x00"
        for _ in range(3):
            self.publish("rm", mine + arrived * 8_000_000)
        self.last.wait_for_publish(60)
        self.publish("rm", mine + arrived * 30_000)
        self.works_on()
        self.assert_grew_less(before, 200_000, "VmHWM")
        self.daemon.wait_for_words("`arrived`")
        # So many are read.
        self.publish("rm", mine + arrived * 4096)
        self.works_on()

    def test_bytes_that_are_no_text_are_told_to_nobody(self):
        heard = []
        self.other.on_message = lambda client, data, message: heard.append(message.payload)
        self.other.subscribe("tenon/to-rm/%FF", 1)
        registration = si.RegisterResourceManagerRequest(rmID="else").SerializeToString()
        self.publish("%FF", words.FromManager(session=5, registration=registration).SerializeToString())
        self.daemon.wait_for_words("topic tenon/to-scheduler/%FF: want a message")
        number = self.rm.request_bytes("node", b"\x12\x02a\xff")  # its rmID
        self.assertIn('have one of "a?"', self.rm.hears("refused", lambda one: one.number == number).reason)
        self.works_on()
        self.assertEqual(heard, [])

    def test_names_have_an_end(self):
        for number in range(100):
            registration = si.RegisterResourceManagerRequest(rmID=f"rm-{number}").SerializeToString()
            self.publish(f"rm-{number}", words.FromManager(session=1 + number, registration=registration).SerializeToString())
        self.works_on()
        self.assertLessEqual(len(self.daemon.json("rms")["rms"]), 8)

    def test_a_flood_fills_nothing(self):
        self.publish("nobody", b"")
        self.works_on()
        before = self.memory()
        said = words.FromManager(session=9, number=1, node=b"x" * 5000).SerializeToString()
        for number in range(20_000):
            self.publish(f"nobody-{number}" if number % 2 else "rm", said)
            if number % 200 == 0:
                self.last.wait_for_publish(60)
        self.works_on()
        self.assert_grew_less(before, 60_000)


if __name__ == "__main__":
    main()

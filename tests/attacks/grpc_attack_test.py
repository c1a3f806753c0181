#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""One connection without credentials against a daemon: whatever it sends, the daemon grows by no more than 16 MiB, and goes
on serving others. Each of these sends tens of megabytes, where it is let."""

import itertools
import struct
import time
import zlib

import http2
from attack_case import WITHIN_S, AttackCase, main
from http2 import (CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS,
                   WINDOW_UPDATE, call, field, frame, message)


def streams():
    return itertools.count(1, 2)


class OneConnection(AttackCase):
    # Frames of HTTP/2

    def test_header_fields_that_never_end(self):
        for block in (b"", b"".join(field(f"x{i}", "v" * 60) for i in range(200)), field("x", "v" * 16_000),
                      b"".join(field(f"x{i}", "v" * 60, keep=True) for i in range(200))):
            one = self.attacker()
            one.send(frame(HEADERS, 0, 1, call(http2.UPDATE)))
            one.flood(itertools.repeat(frame(CONTINUATION, 0, 1, block) * 16))

    def test_header_fields_that_never_end_in_a_frame_of_the_largest_size(self):
        one = self.attacker()
        one.send(struct.pack(">I", (1 << 24) - 1)[1:] + bytes((HEADERS, 0)) + struct.pack(">I", 1) + call(http2.UPDATE))
        one.flood(itertools.repeat(field("x", "v" * 16_000)))

    def test_few_bytes_that_stand_for_many_header_fields(self):
        one = self.attacker()
        entry = field("x", "v" * 3_900, keep=True)
        bomb = call(http2.UPDATE) + entry + b"\xbe" * 8_000
        one.flood(frame(HEADERS, END_HEADERS, stream, bomb) for stream in streams())

    def test_calls_that_are_opened_and_reset(self):
        for body in (b"", message(b"\x0a\x01a"), message(b"\x0a\x01a" + b"\x12" + http2.whole(3_000, 7) + b"v" * 3_000)):
            for path in (http2.UPDATE, http2.REGISTER, http2.REFLECTION):
                one = self.attacker()
                one.flood((b"".join(frame(HEADERS, END_HEADERS, stream, call(path)) + frame(DATA, END_STREAM, stream, body)
                                    + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
                                    for stream in itertools.islice(numbers, 64))
                           for numbers in itertools.repeat(streams())), 16 << 20)

    def test_pings_whose_answers_are_not_read(self):
        one = self.attacker(deaf=True)
        one.flood(itertools.repeat(frame(PING, 0, 0, b"01234567") * 1_000))

    def test_settings_whose_answers_are_not_read(self):
        for body in (b"", struct.pack(">HI", 4, 65_535) * 30, struct.pack(">HI", 1, 4_096) * 2_000):
            one = self.attacker(deaf=True)
            one.flood(itertools.repeat(frame(SETTINGS, 0, 0, body) * 100))

    def test_a_table_of_header_fields_of_any_size(self):
        one = self.attacker(table=(1 << 32) - 1)
        one.flood(frame(HEADERS, END_HEADERS | END_STREAM, stream, call("/" + "p" * 8_000 + str(stream)))
                  for stream in streams())

    def test_windows_that_are_opened_again_and_again(self):
        one = self.attacker(deaf=True)
        one.send(frame(HEADERS, END_HEADERS, 1, call(http2.UPDATE)))
        wider = frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) + frame(WINDOW_UPDATE, 0, 1, struct.pack(">I", 1))
        one.flood(itertools.repeat(wider * 1_000))

    def test_priorities_and_frames_that_nobody_knows(self):
        for kind, body in ((PRIORITY, struct.pack(">IB", 0, 1)), (0x2a, b"0" * 16_000), (DATA, b"")):
            one = self.attacker(deaf=True)
            one.send(frame(HEADERS, END_HEADERS, 1, call(http2.UPDATE)))
            one.flood((frame(kind, 0, 1 if kind == DATA else stream, body) * 100 for stream in streams()), 32 << 20)

    def test_calls_that_are_refused_and_whose_refusal_is_not_read(self):
        for path in ("/nothing", "/" + "p" * 12_000, http2.HEALTH):
            one = self.attacker(deaf=True, window=0)
            one.flood(frame(HEADERS, END_HEADERS | END_STREAM, stream, call(path)) for stream in streams())

    def test_trailers_again_and_again(self):
        one = self.attacker(deaf=True)
        one.send(frame(HEADERS, END_HEADERS, 1, call(http2.UPDATE)))
        one.flood(itertools.repeat(frame(HEADERS, END_HEADERS | END_STREAM, 1, field("x", "v" * 8_000))))

    # Messages of gRPC

    def test_messages_that_are_begun_and_not_ended(self):
        for length, sent in ((4 << 20, 60_000), (60_000, 59_000), (100, 50)):
            for path in (http2.UPDATE, http2.REGISTER):
                one = self.attacker()
                one.acknowledges = False  # so that it may send what HTTP/2 allows before the settings are read
                one.flood(frame(HEADERS, END_HEADERS, stream, call(path)) +
                          b"".join(frame(DATA, 0, stream, part) for part in
                                   parts(message(b"\0" * sent, length), 16_384)) for stream in streams())

    def test_a_message_that_is_begun_before_the_settings_are_known_goes_through(self):
        one = self.attacker(deaf=True)  # a client that has heard the settings keeps to them
        text = b"v" * 200_000
        data = message(b"\x0a\x01a\x2a" + http2.varint(len(text)) + text)
        one.send(frame(HEADERS, END_HEADERS, 1, call(http2.REGISTER)))
        for part in parts(data[:65_535], 16_384):  # as much as HTTP/2 allows before that
            one.send(frame(DATA, 0, 1, part))
            one.windows[1] -= len(part)
            one.windows[0] -= len(part)
        time.sleep(0.2)  # the daemon may answer before it hears that its settings were read, or not
        one.deaf = False
        self.assertTrue(one.send_within_windows(1, data[65_535:], stall_s=WITHIN_S))
        one.wait(lambda: 1 in one.ended, WITHIN_S)
        self.assertIn(1, one.ended)

    def test_a_message_that_is_larger_than_any(self):
        for length in ((1 << 32) - 1, 1 << 30, (4 << 20) + 1):
            one = self.attacker()
            one.send(frame(HEADERS, END_HEADERS, 1, call(http2.REGISTER)) + frame(DATA, 0, 1, message(b"", length)))
            one.flood(itertools.repeat(frame(DATA, 0, 1, b"\0" * 16_384)))

    def test_little_that_is_much_when_it_is_decompressed(self):
        packed = zlib.compressobj(9, wbits=31)
        bomb = packed.compress(b"\0" * (256 << 20)) + packed.flush()
        for path in (http2.UPDATE, http2.REGISTER):
            one = self.attacker()
            one.send(frame(HEADERS, END_HEADERS, 1, call(path, ("grpc-encoding", "gzip"))))
            one.send_within_windows(1, message(bomb, compressed=True))

    def test_messages_of_many_small_parts(self):
        pairs = b"".join(b"\x3a\x08\x0a\x04" + struct.pack(">I", 0x21212121 + i) + b"\x12\x00" for i in range(400_000))
        empty = [bytes((number << 3 | 2, 0)) * (2 << 20) for number in (1, 2, 3, 4, 5, 6, 15)]
        for path, body in (*((http2.UPDATE, each) for each in empty),
                           *(("/si.v1.Scheduler/UpdateNode", each) for each in empty[:3]),
                           (http2.REGISTER, b"\x0a\x01a" + pairs), (http2.REGISTER, b"\x0a\x01a" + empty[-1])):
            one = self.attacker()
            one.send(frame(HEADERS, END_HEADERS, 1, call(path)))
            one.send_within_windows(1, message(body[:(4 << 20) - 8]))
            one.wait(lambda: 1 in one.ended, WITHIN_S)
            self.assertIn(1, one.ended)

    def test_messages_of_many_small_parts_after_a_registration(self):
        one = self.attacker()
        for stream, (path, body) in zip(streams(), (
                (http2.REGISTER, b"\x0a\x01a"), (http2.UPDATE, b"\x0a\x01a" + b"\x12\x00" * (2 << 20)),
                (http2.REGISTER, b"\x0a\x01a"), (http2.UPDATE, b"\x0a\x01a" + b"\x22\x00" * (2 << 20)))):
            one.send(frame(HEADERS, END_HEADERS, stream, call(path)))
            one.send_within_windows(stream, message(body[:(4 << 20) - 8]))
            one.wait(lambda at=stream: at in one.ended, WITHIN_S)
            self.assertIn(stream, one.ended)

    def test_questions_whose_answers_are_not_read(self):
        symbol = b"tenon.si.v1later.Scheduler"
        question = message(b"\x22" + bytes((len(symbol),)) + symbol)
        one = self.attacker(window=0)
        one.flood((frame(HEADERS, END_HEADERS, stream, call(http2.REFLECTION)) + frame(DATA, 0, stream, question * 20)
                   for stream in streams()), 32 << 20)

    def test_registrations_with_a_large_configuration(self):
        largest = (4 << 20) - 64
        for text in (b"v" * largest, b"[" + b"a," * (largest // 2 - 1) + b"]", queues_of(largest), queues_of(1 << 20)):
            self.register(itertools.repeat("a", 4), text)

    def test_registrations_of_many_with_a_configuration(self):
        for size in (39 << 10, 20 << 10, 300):
            self.register((f"rm-{i}" for i in range(70)), queues_of(size))

    def register(self, names, config: bytes) -> None:
        one = self.attacker()
        for stream, name in zip(streams(), names):
            fields = b"\x0a" + http2.varint(len(name)) + name.encode() + b"\x2a" + http2.varint(len(config)) + config
            one.send(frame(HEADERS, END_HEADERS, stream, call(http2.REGISTER)))
            one.send_within_windows(stream, message(fields))
            one.send(frame(DATA, END_STREAM, stream, b""))
            one.wait(lambda at=stream: at in one.ended, WITHIN_S)
            self.assertIn(stream, one.ended)


def queues_of(size: int) -> bytes:
    """A configuration of so many bytes that is right, of as many queues as that holds."""
    text = b"partitions: [{name: default, queues: [{name: root, queues: ["
    number = 0
    while len(text) < size - 16:
        text += b"{name: q%d}," % number
        number += 1
    return text + b"]}]}]"


def parts(data: bytes, size: int):
    return (data[at:at + size] for at in range(0, len(data), size))


if __name__ == "__main__":
    main()

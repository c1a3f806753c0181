#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A daemon that is held up: by a resource manager that reads nothing, by a module, by somebody who cannot wait."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable

from daemon import ROOT, WITHIN_S, Daemon, ModuleCase, RmCase, end, main

ASKS = 4000


class HeldUp(RmCase):
    def slow_rm(self, daemon: Daemon) -> subprocess.Popen:
        """Until nothing is decided for it any more."""
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tests/cli/slow_rm.py", "--address", f"unix:{self.folder}/rm.sock",
             "--package", self.package, "--asks", str(ASKS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        timer = threading.Timer(WITHIN_S, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        self.assertEqual(process.stdout.readline(), "asked\n")
        self.wait(lambda: self.of_slow(daemon)["throttled"], daemon)
        return process

    def wait(self, condition: Callable[[], object], daemon: Daemon) -> None:
        until = time.monotonic() + WITHIN_S
        while not condition():
            self.assertLess(time.monotonic(), until, f"{self.of_slow(daemon)}\n{daemon.words()}")
            time.sleep(0.05)

    def is_held_up(self, daemon: Daemon) -> bool:
        """As programs and people see it. While what is between the two still fills, it is let go on for moments."""
        now = self.of_slow(daemon)
        return (now["throttled"] and now["waiting_answers"] > 0 and
                re.search(r"slow +Running, throttled", daemon.ctl("rms").stdout) is not None)

    def of_slow(self, daemon: Daemon) -> dict:
        return next(rm for rm in daemon.json("rms")["rms"] if rm["id"] == "slow")

    def held_up(self, *options: str, drain: str = "5s") -> Daemon:
        return self.served(*options, config=", queue_bytes: 4096, settle_bytes: 8192", more="outbox: { high: 1000 }\n"
                           f"rm: {{ drain: {drain}, pause_timeout: 1h }}\n")

    def test_a_resource_manager_that_does_not_read_delays_nobody(self):
        daemon = self.held_up()
        slow = self.slow_rm(daemon)
        self.gone(self.rm("--rm", "quick"))
        self.assertEqual(daemon.ctl("health").returncode, 0)
        self.wait(lambda: self.is_held_up(daemon), daemon)
        said, _ = slow.communicate("read\n", timeout=WITHIN_S)
        self.assertEqual(said, f"placed {ASKS}\n")
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_second_signal_ends_it_at_once_and_says_so(self):
        for first, second in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)):
            with self.subTest(f"{first.name}, {second.name}"):
                names = [self.folder / f"{name}-{first.name}" for name in ("journal", "decisions", "again")]
                daemon = self.held_up("--record", str(names[0]), "--decisions", str(names[1]), drain="1h")
                self.slow_rm(daemon)
                daemon.process.send_signal(first)
                daemon.wait("STOPPING=1")
                self.assertEqual(daemon.finish(second), 1, daemon.words())
                self.assertIn("a second signal: stops at once", daemon.words())
                self.assertNotIn("stopped\n", daemon.words())
                self.assertFalse(daemon.control.exists())
                self.whole(*names)

    def test_a_recording_that_nobody_reads_does_not_keep_it(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        full = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, full)
        try:
            while os.write(full, b"x" * 4096):
                pass
        except BlockingIOError:
            pass
        daemon = self.started("--record", str(pipe))
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait("STOPPING=1")
        self.assertEqual(daemon.finish(signal.SIGTERM), 1, daemon.words())
        self.assertIn("the recordings are not whole", daemon.words())

    def test_what_was_told_is_recorded_however_the_process_ends(self):
        names = [self.folder / name for name in ("journal", "decisions", "again")]
        daemon = self.served("--record", str(names[0]), "--decisions", str(names[1]), "--record-at-once")
        self.rm()  # which has been told of its 60 pods
        daemon.finish(signal.SIGKILL)
        self.whole(*names, least=60, killed=True)

    def test_a_full_disk_leaves_what_can_be_replayed(self):
        for room in (6_001, 6_010, 6_050):  # within a record, or between two
            with self.subTest(room=room):
                journal, again = self.folder / f"journal-{room}", self.folder / f"again-{room}"
                daemon = self.served("--record", str(journal))
                resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (room, room))
                self.gone(self.rm())
                until = time.monotonic() + WITHIN_S
                while "File too large" not in daemon.ctl("health").stdout:
                    self.assertLess(time.monotonic(), until, daemon.ctl("health").stdout)
                    time.sleep(0.1)
                self.assertEqual(daemon.finish(), 1, daemon.words())
                self.assertGreater(journal.stat().st_size, room - 4_000)
                replay = subprocess.run([Daemon.tenon, "simulate", "--replay", journal, "--decisions", again,
                                         "--no-progress"], capture_output=True, text=True, timeout=WITHIN_S)
                self.assertEqual(replay.returncode, 0, replay.stderr)
                self.assertIn("\n", again.read_text())

    def whole(self, journal: pathlib.Path, decisions: pathlib.Path, again: pathlib.Path, least: int = 1000,
              killed: bool = False) -> None:
        """A kill may come between the journal's last turn and what it decided; nobody has been told of that yet."""
        replay = subprocess.run([Daemon.tenon, "simulate", "--replay", journal, "--decisions", again, "--no-progress"],
                                capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertGreaterEqual(decisions.read_text().count("\n"), least)
        recorded, replayed = decisions.read_text(), again.read_text()
        self.assertEqual(recorded, replayed[:len(recorded)] if killed else replayed)

    def test_hanging_up_while_it_stops_neither_reloads_nor_ends_it(self):
        daemon = self.held_up(drain="1h")
        self.slow_rm(daemon)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait("STOPPING=1")
        daemon.process.send_signal(signal.SIGHUP)
        self.assertEqual(daemon.finish(signal.SIGTERM), 1, daemon.words())
        self.assertNotIn("reload", daemon.words())


class ModuleAtFault(ModuleCase):
    def test_that_is_to_stop_it_does_with_words_and_a_status(self):
        daemon = self.with_module("keys-status", "stop")
        self.ask()
        daemon.wait("STOPPING=1")
        self.assertEqual(daemon.finish(None), 1, daemon.words())
        self.assertIn("is at fault, and the deployment says that the daemon stops then",
                      daemon.words())
        self.assertRegex(daemon.log[-1], "stopped")
        self.assertFalse(daemon.control.exists())

    def test_that_has_a_fallback_does_not_stop_it(self):
        daemon = self.with_module("keys-status", "fallback", more="containment: { retry: 0s }\n")
        self.gone(self.rm())
        self.assertIn("modules", daemon.ctl("health").stdout)
        self.assertRegex(daemon.ctl("modules").stdout, r"zoo\.keys-status +\S+ +fallback ")
        self.assertIn("`tenon ctl modules restore zoo.keys-status`", daemon.ctl("modules").stdout)
        restored = daemon.ctl("modules", "restore", "zoo.keys-status")
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertIn("decides again", restored.stdout)
        self.assertRegex(daemon.ctl("modules").stdout, r"zoo\.keys-status +\S+ +loaded ")
        nobody = daemon.ctl("modules", "restore", "zoo.keys-statu")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("did you mean 'zoo.keys-status'?", nobody.stderr)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_that_failed_decides_again_without_a_word(self):
        daemon = self.with_module("keys-status", "fallback", more="containment: { retry: 100ms }\n")
        self.ask()
        daemon.wait_for_words("decides again")
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_that_hangs_leaves_health_and_modules_to_look_at(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "hang"},
                                  more="containment: { hang: 0s }\n")
        self.ask()
        until = time.monotonic() + WITHIN_S
        while "the cycle thread has not answered" not in daemon.ctl("health").stdout:
            self.assertLess(time.monotonic(), until, daemon.words())
            time.sleep(0.05)
        found = {one["id"]: one for one in daemon.json("modules")["modules"]}
        self.assertTrue(found["zoo.on-request-sort"]["loaded"])

    def test_that_hangs_is_named_within_a_second_by_whatever_does_not_wait_for_it(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "hang"},
                                  more="containment: { hang: 0s }\n")
        self.ask()
        named = r"zoo\.on-request-sort \S+: tenon\.node-sort/1 'zoo': score.* has not returned for (\d+) ms"
        daemon.wait_for_words("has not returned for")
        self.assertRegex(daemon.words(), named + ", on a thread with role cycle")
        self.assertLess(int(re.search(named, daemon.words())[1]), 1000)
        health = daemon.ctl("health")
        self.assertEqual(health.returncode, 1, health.stdout)
        self.assertRegex(health.stdout, named)
        found = {one["id"]: one for one in daemon.json("modules")["modules"]}
        call, = found["zoo.on-request-sort"]["long_calls"]
        self.assertEqual((call["slot"], call["thread"], call["interface"]), ("score", "cycle", "tenon.node-sort/1"))
        self.assertRegex(daemon.ctl("modules").stdout, r"zoo\.on-request-sort .* loaded, in score for \d+ ms")
        self.assertRegex(self.get("/ws/v1/metrics"), r'tenon_module_call_seconds\{[^}]*module="zoo.on-request-sort"[^}]*slot="score"')
        self.assertEqual(daemon.ctl("events").returncode, 0)
        self.assertEqual(daemon.ctl("rms").returncode, 0)
        apps = daemon.ctl("apps")
        self.assertEqual(apps.returncode, 1, apps.stdout)
        self.assertRegex(apps.stderr, named)

    def test_that_calls_exit_ends_it_with_a_status_of_its_own(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "leave"})
        self.ask()
        self.assertEqual(daemon.finish(None), 4, daemon.words())
        self.assertRegex(daemon.words(), r"(?s)fault: exit\(\) was called\n.*module: zoo\.on-request-sort .*slot: score\n")

    def test_that_does_not_end_is_ended_by_a_second_signal(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "destroy", "ZOO_HOW": "hang"})
        self.rm()
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait("STOPPING=1")
        self.assertEqual(daemon.finish(signal.SIGTERM), 1, daemon.words())


if __name__ == "__main__":
    main()

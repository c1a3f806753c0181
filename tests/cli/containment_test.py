#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A module in the scheduler's process that ends it, or that does not return: the daemon says which it was, and is back."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from daemon import WITHIN_S, Daemon, ModuleCase, end, main

STATUS, UNASKED = 5, 4
SORT = r"zoo\.on-request-sort \S+"


class Contained(ModuleCase):
    def served_with(self, *options: str, where: str, how: str, more: str = "") -> Daemon:
        return self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": where, "ZOO_HOW": how}, *options,
                                more=more)

    def begun_with(self, *options: str, where: str, how: str, more: str = "") -> Daemon:
        """Whether it is ready or not."""
        return self.module_begun("on-request-sort", "fallback", {"ZOO_WHERE": where, "ZOO_HOW": how}, *options, more=more)

    def setUp(self):
        super().setUp()
        self.asking: list[subprocess.Popen] = []

    def ask(self) -> subprocess.Popen:
        self.asking.append(super().ask())
        return self.asking[-1]

    def forget(self) -> None:
        """What the next one must not find."""
        shutil.rmtree(self.folder / "records")
        while self.asking:
            end(self.asking.pop())

    def records(self) -> list[pathlib.Path]:
        """Those for people; what a slot was given is beside them, and of a module in a process of its own alone."""
        return [file for file in (self.folder / "records").iterdir() if file.suffix != ".call"]

    def record(self) -> str:
        """The one that there is, which is of the library that did it."""
        file, = self.records()
        digest = (self.folder / "modules/on_request_sort.yaml").read_text().split("sha256:")[1].split()[0].strip('"')
        self.assertTrue(file.name.startswith(digest), file.name)
        return file.read_text()

    def ended_by_module(self, daemon: Daemon, status: int = STATUS) -> str:
        self.assertEqual(daemon.finish(None), status, daemon.words())
        record = self.record()
        self.assertRegex(record, rf"(?m)^module: {SORT}$")
        self.assertRegex(record, r"(?m)^policy: tenon\.node-sort/1 zoo$")
        self.assertIn(record.strip(), daemon.words())
        return record

    def test_a_crash_leaves_a_record_and_a_status(self):
        for how, words in (("crash", "signal SIG(ILL|TRAP) at 0x"), ("throw", "signal SIGABRT"),
                           ("overflow", "signal SIGSEGV at 0x"), ("abort", "signal SIGABRT")):
            with self.subTest(how):
                daemon = self.served_with(where="keys", how=how, more="containment: { records: records }\n")
                self.ask()
                record = self.ended_by_module(daemon)
                self.assertRegex(record, rf"(?m)^fault: {words}")
                self.assertRegex(record, r"(?m)^slot: score$")
                self.assertRegex(record, r"(?m)^thread: cycle \d+$")
                # Whatever happened: a place, its library, and calls of which one is the module's.
                self.assertRegex(record, r"(?m)^pc: \S+\+0x[0-9a-f]+\nbuild_ids: .*\bon_request_sort\.so=[0-9a-f]{40}\b.*\n"
                                         r"backtrace: .*\bon_request_sort\.so\+0x")
            self.forget()

    def test_a_record_says_where_the_module_crashed(self):
        daemon = self.served_with(where="keys", how="crash", more="containment: { records: records }\n")
        self.ask()
        record = self.ended_by_module(daemon)
        library = self.folder / "modules/on_request_sort.so"
        notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"build_ids: on_request_sort.so={re.search(r'Build ID: ([0-9a-f]+)', notes)[1]} ", record)
        place = re.search(r"(?m)^pc: on_request_sort\.so\+(0x[0-9a-f]+)$", record)[1]
        code = subprocess.run(["objdump", "-d", f"--start-address={place}", f"--stop-address={int(place, 16) + 8}", library],
                              capture_output=True, text=True, check=True).stdout
        self.assertRegex(code, rf"(?m)^ *{place[2:]}:.*\b(ud2|int3)\b")  # the instruction that crashed
        frames = re.search(r"(?m)^backtrace: (.*)$", record)[1].split()
        self.assertEqual(frames[0], f"on_request_sort.so+{place}")
        self.assertTrue(any(frame.startswith(("tenon+0x", "libtenon_kernel.so+0x")) for frame in frames), frames)
        self.assertLessEqual(len(frames), 24)

    def hangs_until_it_is_ended(self, where: str, slot: str) -> None:
        daemon = self.served_with(where=where, how="hang", more="containment: { records: records }\n")
        self.ask()
        record = self.ended_by_module(daemon)
        self.assertRegex(record, rf"(?m)^slot: {slot}$")
        lasted = int(re.search(r"(?m)^fault: has not returned for (\d+) ms$", record)[1])
        self.assertTrue(1000 <= lasted < 1500, record)

    def test_a_call_that_does_not_return_ends_the_process_in_time(self):
        self.hangs_until_it_is_ended("keys", "score")

    def test_an_instance_that_is_never_made_ends_the_process_in_time(self):
        self.hangs_until_it_is_ended("create", "create")

    def test_a_call_into_a_process_of_its_own_has_its_deadline_and_ends_nothing_else(self):
        daemon = self.with_module("keys-hang", "fallback", lane="isolation: process, process: { call_deadline: 2s }",
                                  more="containment: { records: records }\n")
        self.ask()
        daemon.wait_for_words("gave no answer in 2000 ms")
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertEqual(self.records(), [])

    def test_time_in_which_the_process_was_stopped_does_not_count(self):
        daemon = self.served_with(where="keys", how="linger", more="containment: { records: records }\n")
        self.ask()
        for _ in range(3):
            daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            daemon.process.send_signal(signal.SIGCONT)
            time.sleep(0.2)
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertEqual(self.records(), [])

    def test_a_supervised_daemon_is_back_within_a_second(self):
        daemon = self.served_with("--supervise", where="keys", how="crash", more="containment: { records: records }\n")
        self.ask()
        daemon.wait_for_words("it is started again")
        ended = time.monotonic()
        daemon.wait("READY=1")
        took = time.monotonic() - ended
        print(f"a supervised daemon is ready again after {took:.3f} s", flush=True)
        self.assertRegex(daemon.words(), f"nobody asked for, with status {STATUS}: it is started again")
        self.assertEqual(daemon.ctl("health").returncode, 0, daemon.words())
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_whoever_leaves_the_process_leaves_a_record_and_is_not_loaded_again(self):
        for how, words in (("leave", r"exit\(\) was called"), ("terminate", "signal SIGTERM, which it sent"),
                           ("terminate unseen", "signal SIGTERM, which it sent")):
            with self.subTest(how):
                self.ends_once(how, words)
            self.forget()

    def ends_once(self, how: str, words: str) -> None:
        daemon = self.served_with(where="keys", how=how, more="containment: { records: records }\n")
        self.ask()
        record = self.ended_by_module(daemon, UNASKED)
        self.assertRegex(record, rf"(?m)^fault: {words}$")
        self.assertRegex(record, r"(?m)^slot: score$")
        while self.asking:
            end(self.asking.pop())
        again = self.served_with(where="keys", how=how, more="containment: { records: records }\n")
        self.gone(self.rm())
        self.assertRegex(again.words(), rf"is in quarantine and not loaded: it ended the process, last with: {words}, in score")
        self.assertEqual(again.finish(), 0, again.words())

    def test_whoever_ends_the_process_while_it_is_loaded_leaves_a_record(self):
        for where, slot in (("the module's init", "init"), ("create", "create"), ("init", "init")):
            with self.subTest(where):
                daemon = self.begun_with(where=where, how="terminate", more="containment: { records: records }\n")
                self.ask()
                self.assertEqual(daemon.finish(None), UNASKED, daemon.words())
                self.assertRegex(self.record(), rf"(?m)^slot: {slot}$")
            self.forget()

    def test_the_supervisor_names_whom_the_process_itself_did_not_see(self):
        for how, words in (("exit", "its process ended with status 0"), ("run", "its process runs another program"),
                           ("kill", "its process ended with signal Killed")):
            with self.subTest(how):
                daemon = self.served_with("--supervise", where="keys", how=how,
                                          more="containment: { records: records }\n")
                self.ask()
                daemon.wait_for_words("it is started again")
                daemon.wait("READY=1")
                while self.asking:
                    end(self.asking.pop())
                self.gone(self.rm())
                self.assertEqual(daemon.words().count("it is started again"), 1, daemon.words())
                self.assertRegex(self.record(), rf"(?m)^fault: {words}$")
                self.assertRegex(daemon.words(), f"{words}, and nobody of the daemon did that: in {SORT}: tenon.node-sort/1 'zoo': score")
                self.assertIn("is in quarantine and not loaded", daemon.words())
                self.assertEqual(daemon.finish(), 0, daemon.words())
            self.forget()

    def killed_in_a_call(self, daemon: Daemon, number: int) -> None:
        """The daemon's process: that of the supervisor is another one."""
        self.ask()
        daemon.wait_for_words("has not returned for")
        served = int(re.findall(r"process (\d+)", daemon.words())[-1])
        os.kill(served, number)

    def test_whoever_is_killed_from_outside_in_a_call_has_done_nothing(self):
        slow = "containment: { records: records, hang: 0s }\n"
        for number in (signal.SIGSEGV, signal.SIGALRM):
            with self.subTest(number.name):
                daemon = self.served_with(where="keys", how="hang", more=slow)
                self.killed_in_a_call(daemon, number)
                self.assertEqual(daemon.finish(None), -number, daemon.words())
                again = self.served_with(where="keys", how="hang", more=slow)
                self.assertNotIn("is in quarantine", again.words())
                self.assertNotIn("ended without a word", again.words())
                self.assertEqual(again.finish(), 0, again.words())
                self.assertEqual(self.records(), [])
            self.forget()

    def test_whoever_was_on_trial_when_the_process_was_gone_is_in_quarantine(self):
        slow = "containment: { records: records, hang: 0s }\n"
        daemon = self.served_with(where="keys", how="hang", more=slow)
        self.killed_in_a_call(daemon, signal.SIGKILL)
        self.assertEqual(daemon.finish(None), -signal.SIGKILL, daemon.words())
        while self.asking:
            end(self.asking.pop())
        again = self.served_with(where="keys", how="hang", more=slow)
        said = rf"process {daemon.process.pid}, which served before, ended without a word, in {SORT}: .*score"
        self.assertRegex(again.words(), said)
        self.gone(self.rm())
        self.assertIn("is in quarantine and not loaded", again.words())
        self.assertEqual(again.finish(), 0, again.words())
        self.assertRegex(self.record(), r"(?m)^fault: its process ended without a word$")

    def test_records_that_nobody_asked_for_last_as_long_as_the_supervisor(self):
        daemon = self.served_with("--supervise", where="keys", how="crash")
        self.ask()
        daemon.wait_for_words("is in quarantine and not loaded")
        self.assertEqual(daemon.words().count("it is started again"), 1, daemon.words())
        folder = pathlib.Path(re.search(r"\((/\S+)/module-faults/", daemon.words())[1])
        self.assertTrue(folder.is_dir())
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertFalse(folder.exists())

    def test_a_daemon_that_is_stopped_for_good_is_started_again(self):
        daemon = self.served_with("--supervise", where="keys", how="nothing",
                                  more="containment: { records: records }\n")
        self.gone(self.rm())
        daemon.wait_for_words(", process ")
        served = int(re.findall(r"process (\d+)", daemon.words())[-1])
        os.kill(served, signal.SIGSTOP)
        daemon.wait_for_words("its process has shown no life for 20000 ms")
        daemon.wait("READY=1")
        self.gone(self.rm())
        self.assertRegex(daemon.words(), rf"while on trial were {SORT}\n")
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_what_a_life_has_started_ends_before_the_next_one(self):
        daemon = self.started("--supervise")
        daemon.wait_for_words(", process ")
        served = int(re.findall(r"process (\d+)", daemon.words())[-1])
        left = subprocess.Popen(["sleep", str(WITHIN_S)], preexec_fn=lambda: os.setpgid(0, served))
        self.addCleanup(end, left)
        os.kill(served, signal.SIGKILL)
        daemon.wait_for_words("it is started again")
        daemon.wait("READY=1")
        self.assertEqual(left.wait(WITHIN_S / 2), -signal.SIGKILL)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_folder_in_which_no_record_can_be_written_is_refused(self):
        daemon = Daemon(self, self.deployment("containment: { records: /proc/self/fd }\n"))
        self.assertEqual(daemon.finish(None), 2, daemon.words())
        self.assertIn("a folder for records of modules that end the process", daemon.words())

    def test_a_supervised_daemon_that_is_killed_in_a_call_loads_its_module_no_more(self):
        daemon = self.served_with("--supervise", where="keys", how="hang",
                                  more="containment: { records: records, hang: 0s }\n")
        self.killed_in_a_call(daemon, signal.SIGKILL)
        daemon.wait_for_words("with signal Killed: it is started again")
        self.assertRegex(daemon.words(), rf"ended with signal Killed, and nobody of the daemon did that: in {SORT}: .*score")
        daemon.wait("READY=1")
        while self.asking:
            end(self.asking.pop())
        self.gone(self.rm())
        self.assertIn("is in quarantine", daemon.words())
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_stop_in_a_call_is_a_stop(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "linger"},
                                  lane="isolation: none, budget: { call_us: 1, overruns: 1 }",
                                  more="containment: { records: records }\n")
        self.ask()
        daemon.wait_for_words("the budget is")
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertEqual(self.records(), [])

    def test_what_ended_it_is_in_quarantine_until_somebody_lifts_that(self):
        names = [self.folder / name for name in ("journal", "decisions", "again")]
        daemon = self.served_with("--supervise", "--record", str(names[0]), "--decisions", str(names[1]), where="keys",
                                  how="crash", more="containment: { records: records }\naudit: { file: audit.jsonl }\n")
        self.ask()
        daemon.wait_for_words("it is started again")
        daemon.wait("READY=1")
        while self.asking:
            end(self.asking.pop())
        self.gone(self.rm())
        self.assertEqual(daemon.words().count("it is started again"), 1, daemon.words())
        why = r"is in quarantine and not loaded: it ended the process, last with: signal SIG\w+ at 0x\w+, in score \("
        self.assertRegex(daemon.words(), SORT + " " + why)
        health = daemon.ctl("health")
        self.assertEqual(health.returncode, 0, health.stdout)
        self.assertRegex(health.stdout, r"Trusted modules +warning +zoo\.on-request-sort may end the daemon: isolation: none")
        self.assertRegex(health.stdout, rf"Quarantine +warning +zoo\.on-request-sort {why}")
        found = {one["id"]: one for one in daemon.json("modules")["modules"]}
        self.assertRegex(found["zoo.on-request-sort"]["quarantine"], why)
        self.assertRegex(daemon.ctl("modules").stdout, r"zoo\.on-request-sort +1\.0\.0 +in quarantine")
        self.assertIn('"quarantine"', self.get("/tenon/v1/modules"))
        lifted = daemon.ctl("lift", "quarantine", "zoo.on-request-sort", "--reason", "it was the disk")
        self.assertEqual(lifted.returncode, 0, lifted.stderr)
        self.assertIn("it was the disk", (self.folder / "audit.jsonl").read_text())
        self.assertEqual([file.suffix for file in self.records()], [".lifted"])
        self.assertEqual(daemon.ctl("lift", "quarantine", "zoo.on-request-sort").returncode, 1)
        self.assertEqual(daemon.finish(), 0, daemon.words())
        replay = subprocess.run([Daemon.tenon, "simulate", "--replay", f"{names[0]}.1", "--decisions", names[2],
                                 "--deployment", self.folder / "tenon.yaml", "--no-progress"], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertEqual(names[2].read_text(), (self.folder / "decisions.1").read_text())

    def test_another_configuration_of_what_ended_it_is_not_in_quarantine(self):
        self.ask_once(self.served_with(where="keys", how="crash", more="containment: { records: records }\n"))
        again = self.served_with(where="keys", how="nothing", more="containment: { records: records }\n")
        self.assertIn("is in quarantine", again.words())
        self.assertEqual(again.finish(), 0, again.words())
        record, = self.records()
        record.rename(record.with_name(record.name.replace(record.name[-4:], "0000")))
        other = self.served_with(where="keys", how="nothing", more="containment: { records: records }\n")
        self.assertNotIn("is in quarantine", other.words())
        self.assertEqual(other.finish(), 0, other.words())

    def ask_once(self, daemon: Daemon) -> None:
        self.ask()
        self.ended_by_module(daemon)
        while self.asking:
            end(self.asking.pop())

    def test_a_supervised_daemon_that_is_refused_is_not_started_again(self):
        daemon = Daemon(self, self.deployment("modules: [{ id: zoo.nobody }]\n"), "--supervise")
        self.assertEqual(daemon.finish(None), 2, daemon.words())

    def test_a_supervised_daemon_that_is_stopped_while_it_starts_ends_well(self):
        for after_ms in range(0, 101, 10):
            with self.subTest(after_ms=after_ms):
                daemon = Daemon(self, self.deployment(), "--supervise")
                time.sleep(after_ms / 1000)
                code = daemon.finish()
                # A signal that comes before the supervisor has blocked it ends the program, which has done nothing yet.
                if code != -signal.SIGTERM or daemon.words():
                    self.assertEqual(code, 0, daemon.words())

    def test_a_stop_takes_its_limit_for_all_calls_together(self):
        daemon = self.served_with(where="destroy", how="linger",
                                  more="containment: { stop: 400ms, records: records }\nrm: { drain: 100ms }\n")
        partition = self.queues.read_text().removeprefix("partitions:\n")
        self.queues.write_text("partitions:\n" + "".join(partition.replace("name: default", f"name: {name}")
                                                         for name in ("default", "p1", "p2", "p3", "p4", "p5")))
        self.assertEqual(daemon.ctl("reload").returncode, 0, daemon.words())
        self.rm()
        self.assertEqual(daemon.finish(), 1, daemon.words())  # six calls of 300 ms each
        self.assertRegex(daemon.words(), SORT + ": .*destroy.* has not returned for .*: the daemon ends without it")

    def test_a_stop_does_not_wait_for_a_module_longer_than_its_limit(self):
        daemon = self.served_with(where="destroy", how="hang",
                                  more="containment: { stop: 1s, records: records }\nrm: { drain: 100ms }\n")
        self.rm()
        self.assertEqual(daemon.finish(), 1, daemon.words())
        self.assertRegex(daemon.words(), SORT + ": .*destroy.* has not returned for .*: the daemon ends without it")
        self.assertEqual(self.records(), [])


if __name__ == "__main__":
    main()

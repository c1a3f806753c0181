#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a module was given when it ended a process, or did not return, is recorded in each lane, and is played again."""

import json
import pathlib
import shutil
import subprocess

from daemon import WITHIN_S, Daemon, ModuleCase, end, main

CONTAINED = 5
RECORDS = "containment: { records: records }\n"
LANES = {"in the daemon's process": "isolation: none",
         "in its own": "isolation: process, process: { call_deadline: 1s }"}


class Flight(ModuleCase):
    def recorded(self, name: str, lane: str, env: dict | None = None) -> pathlib.Path:
        """The call of a module that ended a process."""
        daemon = self.with_module(name, "fallback", env, lane=lane, more=RECORDS)
        asking = self.ask()
        if "none" in lane:
            self.assertEqual(daemon.finish(None), CONTAINED, daemon.words())
        else:
            daemon.wait_for_words("` plays it")
            self.assertEqual(daemon.finish(), 0, daemon.words())
        end(asking)
        call, = (self.folder / "records").glob("*.call")
        return call

    def replay(self, record: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run([Daemon.tenon, "plugin", "replay", record, *options], capture_output=True, text=True,
                              timeout=WITHIN_S)

    def outcome(self, code: int, record: pathlib.Path, *options: str) -> dict:
        done = self.replay(record, "--json", *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def forget(self) -> None:
        for folder in ("records", "modules"):
            shutil.rmtree(self.folder / folder)

    def test_a_crash_is_played_again(self):
        for words, lane in LANES.items():
            with self.subTest(words):
                call = self.recorded("keys-crash", lane)
                again = self.outcome(1, call)
                self.assertEqual((again["outcome"], again["where"]), ("crash", again["record"]["slot"]), again)
                self.assertIn(again["signal"], ("SIGILL", "SIGTRAP"))
                self.assertEqual(again["record"]["policy"], "tenon.node-sort/1 zoo")
                said = self.replay(call)
                self.assertEqual(said.returncode, 1, said.stderr)
                self.assertRegex(said.stdout, r"(?m)^replay    crash in keys: signal SIG(ILL|TRAP), after ")
            self.forget()

    def test_a_hang_is_played_again(self):
        for words, lane in LANES.items():
            with self.subTest(words):
                call = self.recorded("keys-hang", lane)
                again = self.outcome(1, call, "--timeout", "300")
                self.assertEqual((again["outcome"], again["where"]), ("hang", again["record"]["slot"]), again)
                self.assertIn("gave no answer in 300 ms", again["words"])
            self.forget()

    def test_opening_a_module_has_its_own_deadline(self):
        call = self.recorded("keys-crash", LANES["in the daemon's process"])
        modules, slow = self.folder / "modules", self.folder / "slow"
        slow.mkdir()
        shutil.copy(Daemon.zoo / "opening_hangs.so", slow)
        manifest, hangs = slow / "opening_hangs.yaml", (Daemon.zoo / "opening_hangs.yaml").read_text()
        manifest.write_text(hangs.replace("zoo.opening-hangs", "zoo.keys-crash"))
        deployment = self.deployment(f"module_path: [{modules}]\nmodules: [{{ id: zoo.keys-crash, isolation: process, "
                                     "process: { start_deadline: 900ms } }]\n")
        again = self.outcome(1, call, "--manifest", str(manifest), "--any-build", "--timeout", "300", "--deployment",
                             str(deployment))
        self.assertEqual((again["outcome"], again["where"]), ("hang", "open"), again)
        self.assertIn("after 900 ms", again["words"])

    def test_a_module_that_ends_its_process_otherwise_is_recorded_too(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "leave"}, more=RECORDS)
        self.ask()
        self.assertEqual(daemon.finish(None), 4, daemon.words())
        call, = (self.folder / "records").glob("*.call")
        self.assertEqual(self.outcome(0, call)["record"]["fault"], "exit() was called")

    def test_what_crashed_for_another_reason_than_its_input_answers(self):
        # The module asks its environment what to do, and a process of its own has none.
        call = self.recorded("on-request-sort", LANES["in the daemon's process"], {"ZOO_WHERE": "keys", "ZOO_HOW": "crash"})
        again = self.outcome(0, call)
        self.assertEqual((again["outcome"], again["status"]), ("answer", "OK"), again)
        given = json.loads(self.replay(call, "--input").stdout)
        self.assertEqual(len(given["items"]), int(again["record"]["items"]))
        self.assertEqual([one["item"] for one in again["answer"]["keys"]], given["items"])
        self.assertTrue(given["items"])
        free, = [one for one in given["columns"] if one["id"] == "node.free"]
        self.assertEqual(len(free["values"]), len(given["items"]))
        self.assertTrue(all(amounts["vcore"] > 0 for amounts in free["values"]), free)
        self.assertNotIn("cut", given)
        self.assertRegex(self.replay(call).stdout, r"(?m)^replay    answer in score: OK, after ")

    def test_a_simulation_records_what_a_process_did_not_survive(self):
        daemon = self.with_module("keys-crash", "fallback", lane=LANES["in its own"], more="containment: { records: not/yet }\n")
        self.assertEqual(daemon.finish(), 0, daemon.words())
        shutil.rmtree(self.folder / "not")
        done = subprocess.run([Daemon.tenon, "simulate", "--deployment", self.folder / "tenon.yaml", "--config", self.queues,
                               "--queue", "root.q0", "--nodes", "4", "--pods", "20", "--no-progress"], capture_output=True,
                              text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("` plays it", done.stderr)
        call, = (self.folder / "not/yet").iterdir()
        again = self.outcome(1, call)
        self.assertEqual((again["outcome"], again["where"]), ("crash", again["record"]["slot"]), again)

    def test_the_recording_is_made_whole_up_to_the_crash(self):
        journal = self.folder / "journal"
        daemon = self.with_module("keys-crash", "fallback", None, "--record", str(journal), more=RECORDS)
        asking = self.ask()
        self.assertEqual(daemon.finish(None), CONTAINED, daemon.words())
        end(asking)
        call, = (self.folder / "records").glob("*.call")
        for left in (journal.stat().st_size, 0):
            with journal.open("r+b") as file:
                file.truncate(left)
            self.assertEqual(self.replay(call, "--journal", str(journal)).returncode, 0)
        whole = journal.read_bytes()
        self.assertIn(b"demo", whole)
        again = self.replay(call, "--journal", str(journal))
        self.assertIn("0 bytes added", again.stdout)
        self.assertEqual(journal.read_bytes(), whole)
        # Of a part of the file, and where the daemon went on after the record.
        journal.write_bytes(whole[:len(whole) // 2])
        self.assertEqual(self.replay(call, "--journal", str(journal)).returncode, 0)
        self.assertEqual(journal.read_bytes(), whole)
        journal.write_bytes(whole + b"what came later")
        self.assertIn(" 0 bytes added", self.replay(call, "--journal", str(journal)).stdout)
        self.assertEqual(journal.read_bytes(), whole + b"what came later")
        journal.write_bytes(whole)
        good = self.with_module("good-node-sort", "fallback")  # for its deployment
        self.assertEqual(good.finish(), 0, good.words())
        replay = subprocess.run([Daemon.tenon, "simulate", "--replay", journal, "--deployment", self.folder / "tenon.yaml",
                                 "--no-progress"], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        journal.write_bytes(b"another one, which is long enough")
        # One that ends like the start of the record, too, but for less than an entry.
        for end_of_it in (b"", whole[:1], whole[:whole.index(b"\n") + 3]):
            journal.write_bytes(b"another one, which is long enough" + end_of_it)
            other = self.replay(call, "--journal", str(journal))
            self.assertEqual(other.returncode, 2, other.stdout)
            self.assertIn("ends elsewhere", other.stderr)

    def test_another_build_is_refused_unless_it_is_asked_for(self):
        call = self.recorded("keys-crash", LANES["in the daemon's process"])
        manifest = self.folder / "modules/keys_crash.yaml"
        with open(self.folder / "modules/keys_crash.so", "ab") as library:
            library.write(b"mended")
        subprocess.run([Daemon.tenon, "plugin", "seal", manifest], check=True, capture_output=True, timeout=WITHIN_S)
        refused = self.replay(call)
        self.assertEqual(refused.returncode, 2, refused.stdout)
        for words in ("want: sha256:", "have: sha256:", "fix: ", "--any-build"):
            self.assertIn(words, refused.stderr)
        self.assertEqual(self.outcome(1, call, "--any-build")["outcome"], "crash")
        other = self.folder / "elsewhere"
        other.mkdir()
        for ending in ("so", "yaml"):
            shutil.copy(Daemon.zoo / f"keys_crash.{ending}", other)
            shutil.copy(Daemon.zoo / f"keys_hang.{ending}", other)
        self.assertEqual(self.outcome(1, call, "--manifest", str(other / "keys_crash.yaml"))["outcome"], "crash")
        another = self.replay(call, "--manifest", str(other / "keys_hang.yaml"), "--any-build")
        self.assertEqual(another.returncode, 2, another.stdout)
        self.assertIn("the manifest of zoo.keys-crash", another.stderr)
        shutil.rmtree(self.folder / "modules")
        self.assertIn("--manifest", self.replay(call).stderr)

    def test_the_record_for_people_leads_there_and_a_broken_file_is_refused(self):
        call = self.recorded("keys-crash", LANES["in the daemon's process"])
        people = call.with_suffix("")
        self.assertIn(f"call: {call.name}\n", people.read_text())
        self.assertEqual(self.outcome(1, people)["outcome"], "crash")
        call.write_bytes(call.read_bytes()[:-7])
        broken = self.replay(call)
        self.assertEqual(broken.returncode, 2, broken.stdout)
        self.assertIn("cut off", broken.stderr)


if __name__ == "__main__":
    main()

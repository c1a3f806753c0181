#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon whatif` and `tenon ctl whatif`: their options, outcomes and exit codes."""

import json
import pathlib
import subprocess
import tempfile

from daemon import Daemon, RmCase, main

SMALL = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - { name: a, resources: { max: { vcore: 100 } } }
          - { name: b }
          - { name: closed, submitacl: "ann" }
"""


class OfAJournal(RmCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def tenon(self, *arguments, exits=0, given="") -> str:
        done = subprocess.run([Daemon.tenon, *map(str, arguments)], capture_output=True, text=True, cwd=self.at,
                              input=given)
        self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        self.said = done.stderr
        return done.stdout

    def ask(self, *options, exits=0, given="") -> dict:
        return json.loads(self.tenon("whatif", "run.journal", "--json", *options, exits=exits, given=given))

    def record(self) -> None:
        (self.at / "queues.yaml").write_text(SMALL)
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 100, "--interarrival-ms", 400, "--duration-s", 60,
                   "--config", "queues.yaml", "--queue", "root.b", "--record", "run.journal", "--no-progress")

    def test_outcomes_have_codes(self):
        self.record()
        one = self.ask("--queue", "root.a", "--resource", "vcore=1", "--count", 2)["asks"][0]
        self.assertEqual((one["outcome"], one["queue"], len(one["placed"]), one["victims"]), ("placed", "root.a", 2, []))
        one = self.ask("--queue", "root.a", "--resource", "vcore=101", exits=1)["asks"][0]
        self.assertEqual(one["outcome"], "waits")
        self.assertIn("queue-resources", [o["kind"] for o in one["explanation"]["obstacles"]])
        # Access lists of the copy are those of the queues, and a queue that nobody made is not there.
        for queue, user, outcome in (("root.none", "ann", "refused"), ("root.a", "bob", "placed")):
            said = self.ask("--queue", queue, "--user", user, "--resource", "vcore=1", exits=int(outcome == "refused"))
            self.assertEqual(said["asks"][0]["outcome"], outcome)

    def test_moments_of_the_journal(self):
        self.record()
        early = self.ask("--at", 1, "--queue", "root.a", "--resource", "vcore=1", exits=1)
        self.assertEqual(early["asks"][0]["explanation"]["obstacles"][0]["kind"], "cluster-resources")
        late = self.ask("--queue", "root.a", "--resource", "vcore=1")
        self.assertGreater(late["time_ms"], early["time_ms"])
        again = self.ask("--at-ms", late["time_ms"], "--queue", "root.a", "--resource", "vcore=1")
        self.assertEqual(again, late)
        self.tenon("whatif", "run.journal", "--at", 10**6, "--queue", "root.a", "--resource", "vcore=1", exits=2)
        self.assertIn("a number of commands up to the", self.said)

    def test_a_saved_state_answers_as_the_journal_does(self):
        self.record()
        said = self.tenon("snapshot", "run.journal", "--at", 100, "-o", "saved.state")
        self.assertRegex(said, r"^saved.state: \d+ bytes$")
        saved = self.at / "saved.state"
        self.assertEqual(saved.stat().st_mode & 0o777, 0o600)
        for options in (("--queue", "root.a", "--resource", "vcore=1", "--count", 3),
                        ("--queue", "root.a", "--resource", "vcore=101")):
            exits = int("vcore=101" in options)
            of_journal = self.ask("--at", 100, *options, exits=exits)
            self.assertEqual(json.loads(self.tenon("whatif", "saved.state", "--json", *options, exits=exits)), of_journal)
        # What is there stays, and is replaced where that is said.
        self.tenon("snapshot", "run.journal", "-o", "saved.state", exits=2)
        self.assertIn("--replace", self.said)
        before = saved.read_bytes()
        self.tenon("snapshot", "saved.state", "-o", "again.state")
        self.assertEqual((self.at / "again.state").read_bytes(), before)
        self.tenon("snapshot", "run.journal", "-o", "saved.state", "--replace")
        self.assertNotEqual(saved.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.at.iterdir()),
                         ["again.state", "queues.yaml", "run.journal", "saved.state"])

    def test_a_saved_state_has_the_shapes_that_an_order_looks_at(self):
        (self.at / "queues.yaml").write_text(SMALL.replace(
            "    queues:\n", "    nodesortpolicy: { type: gpu-pack }\n    queues:\n", 1))
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 100, "--interarrival-ms", 400, "--duration-s", 60,
                   "--config", "queues.yaml", "--queue", "root.b", "--record", "run.journal", "--no-progress")
        self.tenon("snapshot", "run.journal", "-o", "saved.state")
        options = ("--queue", "root.a", "--resource", "vcore=1", "--count", 40)
        self.assertEqual(json.loads(self.tenon("whatif", "saved.state", "--json", *options)), self.ask(*options))

    def test_a_damaged_state_is_refused_with_its_place(self):
        self.record()
        self.tenon("snapshot", "run.journal", "-o", "saved.state")
        whole = (self.at / "saved.state").read_bytes()
        asked = ("--queue", "root.a", "--resource", "vcore=1")
        for bytes_of_it, words in ((whole[:-1], "the journal ends within an entry"),
                                   (whole[:-9] + b"?" + whole[-8:], "the checksum of an entry does not match"),
                                   (whole.replace(b"tenon-journal 4", b"tenon-journal 9"), "journal format 9")):
            (self.at / "bad.state").write_bytes(bytes_of_it)
            self.tenon("whatif", "bad.state", *asked, exits=2)
            self.assertIn(words, self.said)
            self.assertRegex(self.said, r"bad.state: journal byte \d+")
        self.tenon("simulate", "--replay", "saved.state", "--no-progress", exits=2)
        self.assertIn("this one begins with a state", self.said)
        self.tenon("whatif", "saved.state", "--at-ms", 1, *asked, exits=2)
        self.assertIn("when the state was saved", self.said)

    def test_several_asks(self):
        self.record()
        question = {"within_ms": 1000, "applications": [
            {"queue": "root.a", "asks": [{"key": "ps", "resources": {"vcore": "1"}},
                                         {"key": "worker", "count": 3, "resources": {"vcore": 1000}}]},
            {"queue": "root.none", "asks": [{"resources": {"vcore": 1}}]}]}
        said = self.ask("--asks", "-", given=json.dumps(question), exits=1)
        self.assertEqual([(a["application"], a["key"], a["outcome"]) for a in said["asks"]],
                         [("what-if", "ps", "placed"), ("what-if", "worker", "placed"),
                          ("what-if-2", "what-if-2-ask-1", "refused")])

    def test_bad_input_is_refused(self):
        self.record()
        for options, words in (
                (("--resource", "vcore=1"), "--queue"),
                (("--queue", "root.a"), "--resource"),
                (("--queue", "root.a", "--resource", "vcore"), "TYPE=QUANTITY"),
                (("--queue", "root.a", "--resource", "vcore=1.5"), "invalid quantity"),
                (("--queue", "root.a", "--resource", "vcore=1", "--partition", "other"), "one of: [load]default"),
                (("--asks", "none.json"), "none.json")):
            self.tenon("whatif", "run.journal", *options, exits=2)
            self.assertIn(words, self.said)
        self.tenon("whatif", "run.journal", "--asks", "-", exits=2, given='{"applications":[{"ask":[]}]}')
        self.assertIn("asks", self.said)


class OfADaemon(RmCase):
    def test_it_says_and_changes_nothing(self):
        daemon = self.served()
        rm = self.rm()
        before = daemon.json("apps")["partitions"][0]["applications"]
        said = daemon.ctl("whatif", "--queue", "root.q1", "--resource", "vcore=3300", "--json")
        self.assertEqual(said.returncode, 1, said.stderr)
        answer = json.loads(said.stdout)
        self.assertEqual((answer["partition"], answer["asks"][0]["outcome"]), ("[demo]default", "waits"))
        self.assertIn("The max of queue root.q1", daemon.ctl("whatif", "--queue", "root.q1", "--resource", "vcore=3300").stdout)
        self.assertNotIn("what-if", [a["id"] for a in daemon.json("apps")["partitions"][0]["applications"]])
        self.assertLessEqual({a["id"] for a in before}, {a["id"] for a in daemon.json("apps")["partitions"][0]["applications"]})
        no = daemon.ctl("whatif", "--queue", "root.q1", "--resource", "vcore=1", "--partition", "none")
        self.assertEqual((no.returncode, "[demo]default" in no.stderr), (2, True), no.stderr)
        self.gone(rm)

    def test_its_saved_state_answers_as_it_does(self):
        daemon = self.served()
        rm = self.rm()
        saved = self.folder / "now.state"
        said = daemon.ctl("snapshot", "-o", str(saved))
        self.assertEqual((said.returncode, said.stdout), (0, f"{saved}: {saved.stat().st_size} bytes\n"), said.stderr)
        self.assertEqual(saved.stat().st_mode & 0o777, 0o600)
        for options in (("--queue", "root.q0", "--resource", "vcore=1", "--count", "3"),
                        ("--queue", "root.q1", "--resource", "vcore=3300"),
                        ("--queue", "root.none", "--resource", "vcore=1")):
            of_daemon = daemon.ctl("whatif", "--user", "ann", "--json", *options)
            of_file = subprocess.run([Daemon.tenon, "whatif", saved, "--user", "ann", "--json", *options],
                                     capture_output=True, text=True)
            self.assertEqual(of_file.returncode, of_daemon.returncode, of_file.stderr + of_daemon.stderr)
            answers = [json.loads(done.stdout) for done in (of_file, of_daemon)]
            for one in answers:
                del one["time_ms"]
            self.assertEqual(*answers)
        # What is there stays, and is replaced where that is said.
        before = saved.read_bytes()
        no = daemon.ctl("snapshot", "-o", str(saved))
        self.assertEqual((no.returncode, "--replace" in no.stderr, saved.read_bytes()), (2, True, before), no.stderr)
        saved.write_text("something else")
        self.assertEqual(daemon.json("snapshot", "-o", str(saved), "--replace")["bytes"], saved.stat().st_size)
        header = saved.read_text(errors="replace").partition("\n")[0]
        self.assertRegex(header, r'^tenon-journal .*"id":"tenon\.queue-fair".*"order_rev":1')
        no = daemon.ctl("snapshot", "-o", str(self.folder / "none" / "now.state"))
        self.assertEqual((no.returncode, "No such file or directory" in no.stderr), (2, True), no.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if ".state" in p.name], ["now.state"])
        # Only those two came to the daemon, which has them in its record.
        self.assertRegex(daemon.words(), r"control socket, process \d+\): save the state: done, \d+ bytes")
        self.assertEqual(daemon.words().count("save the state"), 2)
        self.gone(rm)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon config plan`: what it says of a new queues.yaml, and its exit codes."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from daemon import QUEUES as SERVED
from daemon import Daemon, RmCase, main

QUEUES = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - { name: q0, resources: { max: { vcore: 400 } } }
          - { name: q1 }
          - { name: idle }
"""


class OfAJournal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        (self.at / "queues.yaml").write_text(QUEUES)
        # It ends while most of them run and others wait.
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 200, "--queues", 2, "--interarrival-ms", 10,
                   "--duration-s", 0, "--mode", "fill", "--config", "queues.yaml", "--record", "run.journal", "--no-progress")

    def tenon(self, *arguments, exits=0, given="") -> str:
        done = subprocess.run([Daemon.tenon, *map(str, arguments)], capture_output=True, text=True, cwd=self.at,
                              input=given)
        self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        self.said = done.stderr
        return done.stdout

    def plan(self, text: str, *options, exits: int) -> dict:
        return json.loads(self.tenon("config", "plan", "-", "--journal", "run.journal", "--json", *options, exits=exits,
                                     given=text))

    def test_a_canary_is_a_change_of_its_partition(self):
        said = self.plan(QUEUES + "    canary: {nodesortpolicy: {type: binpacking}, queues: [root.q0], share: 50, salt: june}\n",
                         exits=2)
        found = {one["object"]: one["details"] for one in said["plans"][0]["changes"]}
        self.assertEqual([(one["key"], one["to"]) for one in found["partition"]],
                         [("canary", "binpacking, queues [root.q0], share 50, salt 'june'")])

    def test_the_same_changes_nothing(self):
        said = self.plan(QUEUES + "# a remark\n", exits=0)
        self.assertEqual((said["outcome"], said["refusals"]), ("nothing", []))
        self.assertEqual([(one["changes"], one["losses"], one["moves"]) for one in said["plans"]], [([], [], [])])
        self.assertIn("nothing changes", self.tenon("config", "plan", "queues.yaml", "--replay", "run.journal"))

    def test_what_changes_without_a_loss(self):
        said = self.plan(QUEUES.replace("vcore: 400", "vcore: 500").replace("name: idle", "name: fresh"), exits=2)
        self.assertEqual(said["outcome"], "changes")
        found = {(one["change"], one["object"]): one["details"] for one in said["plans"][0]["changes"]}
        self.assertEqual(found, {
            ("changed", "queue root.q0"): [{"key": "max", "from": "{vcore: 400}", "to": "{vcore: 500}"}],
            ("added", "queue root.fresh"): [], ("removed", "queue root.idle"): []})

    def test_what_is_lost(self):
        text = QUEUES.replace("vcore: 400", "vcore: 1").replace("          - { name: q1 }\n", "")
        said = self.plan(text, exits=3)
        self.assertEqual(said["outcome"], "loses")
        losses = {(one["kind"], one["queue"]): one for one in said["plans"][0]["losses"]}
        self.assertGreater(losses["draining", "root.q1"]["has"], 0)
        over = losses["over-max", "root.q0"]
        self.assertEqual((over["resource"], over["may"]), ("vcore", 1000))
        self.assertGreater(over["has"], 1000)
        self.assertIn(("ask", "root.q0"), losses)  # some ask for more than one core
        self.assertIn(("submission", "root.q1"), losses)
        words = self.tenon("config", "plan", "-", "--journal", "run.journal", exits=3, given=text)
        self.assertIn("  ~ queue root.q0\n      max {vcore: 400} -> {vcore: 1}\n", words)
        self.assertIn("  - queue root.q1\n", words)
        self.assertIn("queue root.q1 drains, with ", words)

    def test_where_new_applications_go(self):
        rules = "    placementrules: [{ name: fixed, value: root.idle }]\n"
        said = self.plan(QUEUES.replace("  - name: default\n", "  - name: default\n" + rules), exits=2)
        moves = {(one["from"], one["to"]) for one in said["plans"][0]["moves"]}
        self.assertEqual(moves, {("root.q0", "root.idle"), ("root.q1", "root.idle")})
        closed = self.plan(QUEUES.replace('submitacl: "*"', "submitacl: nobody-of-them"), exits=3)
        kinds = [one["kind"] for one in closed["plans"][0]["losses"]]
        self.assertEqual(set(kinds), {"submission"})

    def test_the_load_is_played_again(self):
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 200, "--queues", 2, "--interarrival-ms", 4000,
                   "--duration-s", 60, "--config", "queues.yaml", "--record", "day.journal", "--no-progress")
        smaller = QUEUES.replace("vcore: 400", "vcore: 4")
        said = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--json", exits=2, given=smaller))
        # As `tenon diff` plays it.
        (self.at / "smaller.yaml").write_text(smaller)
        diff = json.loads(self.tenon("diff", "day.journal", "--config-b", "smaller.yaml", "--windows", 1, "--json"))
        replay = said["replay"]
        self.assertTrue(replay["whole"])
        self.assertGreater(replay["all"]["then"]["waiting_seconds"]["p90"], replay["all"]["now"]["waiting_seconds"]["p90"])
        for one in replay["queues"]:
            for side, of in (("now", "a"), ("then", "b")):
                wanted = diff[of]["whole"]["waiting_seconds"][one["queue"]]
                self.assertEqual(one[side]["waiting_seconds"], {key: wanted[key] for key in ("p50", "p90", "p99", "at_least")})
                self.assertEqual((one[side]["placed"], one[side]["never_placed"]), (wanted["placed"], wanted["never_placed"]))
        shares = {one["queue"]: (one["now"]["share"], one["then"]["share"]) for one in replay["queues"]}
        self.assertLess(shares["root.q0"][1], shares["root.q0"][0])
        # Of the last hours: up to there both are one run, and only what was asked for then is shown.
        last = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--hours", 0.1, "--json", exits=2,
                                     given=smaller))["replay"]
        self.assertFalse(last["whole"])
        self.assertEqual(last["to_ms"] - last["from_ms"] >= 360_000, True)
        asked = [side["placed"] + side["never_placed"] for side in (last["all"]["now"], last["all"]["then"])]
        self.assertEqual(asked[0], asked[1])
        self.assertLess(asked[0], 200)
        none = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--no-replay", "--json", exits=2,
                                     given=smaller))
        self.assertIsNone(none["replay"])

    def test_thresholds_on_what_is_played_again(self):
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 200, "--queues", 2, "--interarrival-ms", 4000,
                   "--duration-s", 60, "--config", "queues.yaml", "--record", "day.journal", "--no-progress")
        smaller = QUEUES.replace("vcore: 400", "vcore: 4")
        (self.at / "smaller.yaml").write_text(smaller)
        limits = ("--fail-if", "p90(root.q0) +10%", "--fail-if", "use(vcore) -100%", "--fail-if", "placed -0")
        of = ("config", "plan", "smaller.yaml", "--journal", "day.journal")
        said = json.loads(self.tenon(*of, "--json", *limits, exits=4))
        # The figures, and the verdict, of `tenon diff`.
        diff = json.loads(self.tenon("diff", "day.journal", "--config-b", "smaller.yaml", "--windows", 1, "--json", *limits, exits=1))
        self.assertEqual([(one["fail_if"], one["now"], one["then"], one["passed"]) for one in said["replay"]["thresholds"]],
                         [(one["fail_if"], one["a"], one["b"], one["passed"]) for one in diff["thresholds"]])
        self.assertEqual((said["replay"]["passed"], said["outcome"]), (False, "changes"))
        waits = {one["queue"]: [one[side]["waiting_seconds"]["p90"] for side in ("now", "then")] for one in said["replay"]["queues"]}
        self.assertEqual(said["replay"]["waits_longer"], [queue for queue, (now, then) in waits.items() if then > now])
        self.assertIn("root.q0", said["replay"]["waits_longer"])
        text = self.tenon(*of, *limits, exits=4)
        self.assertIn("\n  waits longer: root.q0 (p90 ", text)
        self.assertIn("\n  waits shorter: ", text)
        self.assertTrue(text.endswith("\nverdict: failed\n"), text)
        text = self.tenon(*of, "--fail-if", "p90(root.q0) +1000000", exits=2)
        self.assertTrue(text.endswith("\nverdict: passed\n"), text)
        # Where more may run, it waits shorter.
        text = self.tenon("config", "plan", "-", "--journal", "day.journal", "--fail-if", "p90 +0", exits=2,
                          given=QUEUES.replace("vcore: 400", "vcore: 500").replace("{ name: idle }", "{ name: fresh }"))
        self.assertIn("  waits longer: no queue\n  waits shorter: no queue\n", text)
        # Nothing changes: nothing is worse.
        self.tenon("config", "plan", "queues.yaml", "--journal", "day.journal", "--fail-if", "p90 -100%")
        for wrong in (["p98 +1"], ["p99(root.nobody) +1%"], ["p90 +1%", "--no-replay"]):
            self.assertEqual(self.tenon(*of, "--fail-if", *wrong, exits=1), "")
            self.assertIn("--fail-if", self.said)

    def test_what_would_run_no_more(self):
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 100, "--queues", 2, "--interarrival-ms", 4000,
                   "--duration-s", 60, "--config", "queues.yaml", "--record", "day.journal", "--no-progress")
        said = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--json", exits=2,
                                     given=QUEUES.replace("vcore: 400", "vcore: 1")))
        never = said["replay"]["no_longer_placed"]
        self.assertGreater(len(never), 0)
        self.assertEqual({one["queue"] for one in never}, {"root.q0"})

    def test_what_was_in_the_way_then(self):
        self.tenon("simulate", "--seed", 3, "--nodes", 4, "--pods", 100, "--queues", 2, "--interarrival-ms", 4000,
                   "--duration-s", 60, "--config", "queues.yaml", "--record", "day.journal", "--no-progress")
        text = QUEUES.replace("name: q1", "name: q1, queues: [{ name: below }]")
        # All applications have ended, and a queue may become a parent; while they were there it could not.
        said = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--hours", 0.1, "--json", exits=3, given=text))
        self.assertIsNone(said["plans"][0]["refused"])
        self.assertIn("root.q1", said["replay"]["refused"])
        self.assertNotIn("queues", said["replay"])
        # What nobody knows is not good enough.
        said = json.loads(self.tenon("config", "plan", "-", "--journal", "day.journal", "--hours", 0.1, "--json", "--fail-if", "p90 +1%",
                                     exits=4, given=text))
        self.assertEqual(said["replay"]["thresholds"], [{"fail_if": "p90 +1%", "now": None, "then": None, "passed": False}])

    def test_refusals(self):
        # Of the text, all of them; of a scheduler in that state, in its words.
        said = self.plan(QUEUES.replace("vcore: 400", "vcore: -4").replace("name: idle", "name: q1"), exits=3)
        self.assertEqual((said["outcome"], len(said["refusals"]), said["plans"]), ("refused", 2, []))
        said = self.plan(QUEUES.replace("name: q1", "name: q1, queues: [{ name: below }]"), exits=3)
        self.assertEqual(said["outcome"], "refused")
        self.assertIn("root.q1", said["plans"][0]["refused"])
        said = self.plan("# nothing\n", exits=3)
        self.assertEqual(said["refusals"][0]["have"], "a text without content")

    def test_there_is_no_plan(self):
        for options in (["config", "plan", "queues.yaml"], ["config", "plan", "queues.yaml", "--journal", "none"],
                        ["config", "plan", "none", "--journal", "run.journal"], ["config", "plan", "--no-such-option"],
                        ["config", "plan", "queues.yaml", "--journal", "queues.yaml"],
                        ["config", "plan", "queues.yaml", "--journal", "run.journal", "--rm", "other"]):
            self.assertEqual(self.tenon(*options, exits=1), "")
            self.assertNotEqual(self.said, "")


class OfADaemon(RmCase):
    def plan(self, text: str, *options, exits: int) -> dict:
        done = subprocess.run([Daemon.tenon, "config", "plan", "-", "--live", self.folder / "control.sock", "--json", *options],
                              capture_output=True, text=True, input=text)
        self.assertEqual(done.returncode, exits, done.stdout + done.stderr)
        self.said = done.stderr
        return json.loads(done.stdout) if done.stdout else {}

    def reload(self, daemon: Daemon, text: str) -> subprocess.CompletedProcess:
        self.queues.write_text(text)
        return daemon.ctl("reload")

    def test_what_it_says_is_what_a_reload_does(self):
        daemon = self.served()
        self.assertEqual(self.plan(SERVED, exits=0)["outcome"], "nothing")
        # Nobody is there yet: of the texts alone.
        said = self.plan(SERVED.replace("name: q1", "name: other"), exits=2)
        self.assertEqual([one["rm"] for one in said["plans"]], [""])
        rm = self.rm()
        before = daemon.json("queues")
        parent = SERVED.replace("name: q1\n", "name: q1\n            queues: [{ name: below }]\n")
        said = self.plan(parent, exits=3)
        self.assertEqual((said["outcome"], [one["rm"] for one in said["plans"]]), ("refused", ["demo"]))
        refused = self.reload(daemon, parent)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(said["plans"][0]["refused"], refused.stderr)
        wrong = SERVED.replace("vcore: 3200", "vcore: -1")
        said = self.plan(wrong, exits=3)
        self.assertIn(said["refusals"][0]["have"], self.reload(daemon, wrong).stderr)
        self.assertEqual(self.plan("# nothing\n", exits=3)["refusals"][0]["have"], "a text without content")
        self.assertIn("a text without content", self.reload(daemon, "# nothing\n").stderr)
        said = self.plan("partitions: []\n", exits=3)
        self.assertIn(said["plans"][0]["refused"], self.reload(daemon, "partitions: []\n").stderr)
        smaller = SERVED.replace("vcore: 3200", "vcore: 1").replace("          - name: q0\n", "")
        said = self.plan(smaller, exits=3)
        losses = {(one["kind"], one["queue"]): one for one in said["plans"][0]["losses"]}
        self.assertEqual(losses["over-max", "root.q1"]["may"], 1000)
        self.assertIn(("draining", "root.q0"), losses)
        self.assertIn(("submission", "root.q0"), losses)
        self.assertEqual([q["allocated"] for q in daemon.json("queues")["partitions"][0]["queues"]],
                         [q["allocated"] for q in before["partitions"][0]["queues"]])
        done = self.reload(daemon, smaller)
        self.assertEqual(done.returncode, 0, done.stderr)
        queues = {q["path"]: q for q in daemon.json("queues")["partitions"][0]["queues"]}
        self.assertEqual(queues["root.q0"]["state"], "Draining")
        self.assertEqual(queues["root.q1"]["allocated"]["vcore"], losses["over-max", "root.q1"]["has"])
        self.assertEqual(self.plan(smaller, exits=0)["outcome"], "nothing")
        self.gone(rm)

    def test_it_says_what_it_did_not_try(self):
        text = SERVED + "".join(f"          - name: q{i}\n" for i in range(2, 1_100))
        self.queues.write_text(text)
        self.served()
        rm = self.rm("--queues", "1100")
        plan, = self.plan(text.replace("vcore: 3200", "vcore: 3100"), exits=2)["plans"]
        self.assertEqual((plan["submissions"], plan["submissions_left_out"]), (1000, 100))
        self.assertIn("\nnot tried: 100 other kinds of applications\nin all: ", plan["text"])
        self.gone(rm)

    def test_there_is_no_plan(self):
        self.served()
        self.plan(SERVED, "--policy-group", "none", exits=1)
        self.assertIn("policy group", self.said)
        self.plan(SERVED, "--rm", "none", exits=1)
        # A text of some size goes over the socket, too.
        self.assertEqual(self.plan(SERVED + "# a remark\n" * 100_000, exits=0)["outcome"], "nothing")
        done = subprocess.run([Daemon.tenon, "config", "plan", "-", "--live", self.folder / "none.sock"],
                              capture_output=True, text=True, input=SERVED)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    main()

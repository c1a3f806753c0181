#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What an operator does to a running daemon with `tenon ctl`, and who is told of it."""

import getpass
import json
import re
import subprocess
import time

from daemon import ROOT, WITHIN_S, Daemon, RmCase, ServeCase, end, main


class Actions(RmCase):
    def partition(self, daemon: Daemon) -> dict:
        return daemon.json("queues")["partitions"][0]

    def rm_seen(self, daemon: Daemon, *options: str) -> subprocess.Popen:
        """As rm(); once its applications are seen: what people read may be older than what it was told."""
        out = self.rm(*options)
        until = time.monotonic() + WITHIN_S
        while daemon.ctl("apps", "app-0").returncode != 0 and time.monotonic() < until:
            time.sleep(0.02)
        return out

    def queue(self, daemon: Daemon, path: str) -> dict:
        return next(q for q in self.partition(daemon)["queues"] if q["path"] == path)

    def done(self, daemon: Daemon, *words: str) -> str:
        said = daemon.ctl(*words)
        self.assertEqual(said.returncode, 0, said.stderr)
        return said.stdout

    def refused(self, daemon: Daemon, *words: str) -> str:
        said = daemon.ctl(*words)
        self.assertEqual(said.returncode, 1, said.stdout)
        return said.stderr

    def test_queues_are_stopped_and_started(self):
        daemon = self.served()
        rm = self.rm_seen(daemon)
        self.assertEqual(self.done(daemon, "stop", "queue", "root.q1"), "done: stop queue root.q1 of [demo]default\n")
        self.assertEqual(self.queue(daemon, "root.q1")["state"], "Stopped")
        self.assertIn("event stop is not possible in state Stopped", self.refused(daemon, "stop", "queue", "root.q1"))
        self.done(daemon, "start", "queue", "root.q1", "--partition", "default")
        self.assertEqual(self.queue(daemon, "root.q1")["state"], "Active")
        self.assertIn("there is no queue 'root.none'", self.refused(daemon, "stop", "queue", "root.none"))
        self.assertIn("there is no partition 'elsewhere', but [demo]default",
                      self.refused(daemon, "start", "queue", "root.q1", "--partition", "elsewhere"))
        self.gone(rm)

    def test_partitions_are_stopped_started_and_drained(self):
        daemon = self.served()
        rm = self.rm_seen(daemon, "--too-large", "1")
        self.done(daemon, "stop", "partition", "default")
        self.assertEqual(self.partition(daemon)["state"], "Stopped")
        self.assertRegex(daemon.ctl("apps", "app-0").stdout, r"(?m)^app-0 .* the partition is stopped$")
        self.assertIn("start partition [demo]default", daemon.ctl("explain", "app-0").stdout)
        self.done(daemon, "start", "partition", "[demo]default")
        self.done(daemon, "drain", "partition", "default", "--reason", "it moves")
        self.assertEqual(self.partition(daemon)["state"], "Draining")
        self.done(daemon, "reload")
        self.assertEqual(self.partition(daemon)["state"], "Draining")
        self.done(daemon, "start", "partition", "default")
        self.assertEqual(self.partition(daemon)["state"], "Active")
        self.gone(rm)

    def with_canary(self) -> Daemon:
        self.queues.write_text(self.queues.read_text() + "    canary:\n      nodesortpolicy: { type: binpacking }\n"
                               "      queues: [root.q0]\n      back: { waitingp99: 1h, waitingfactor: 5000 }\n")
        return self.served()

    def test_a_canary_is_shown_taken_back_and_put_in_place_again(self):
        daemon = self.with_canary()
        self.assertIn("no resource manager has registered", daemon.ctl("canary").stdout)
        rm = self.rm_seen(daemon)
        until = time.monotonic() + WITHIN_S
        while daemon.json("canary")["partitions"][0]["canary"]["canary"]["placed"] == 0 and time.monotonic() < until:
            time.sleep(0.02)
        self.assertRegex(daemon.ctl("canary").stdout,
                         r"\Apartition \[demo\]default, nodes by fair\ncanary binpacking, root.q0, 1000 of 1000\n"
                         r"faults 0, back with 1, or where 1 in 100 waits longer than 3600000 ms, or where it waits 5000 "
                         r"thousandths of the others, of 100 placements\n"
                         r"ORDER OF NODES +APPLICATIONS +PLACED +AVERAGE WAIT *\nthe canary's +\d+ +[1-9]\d* +\d+ ms\n"
                         r"the partition's +\d+ +\d+ +(\d+ ms|-)\n\Z")
        self.assertIn("the canary is in place", self.refused(daemon, "canary", "again"))
        self.assertEqual(self.done(daemon, "canary", "back", "--reason", "slow jobs"), "done: canary back [demo]default\n")
        now = self.partition(daemon)["canary"]
        self.assertEqual((now["active"], now["why"]), (False, f"taken back by {getpass.getuser()}: slow jobs"))
        self.assertEqual(now["canary"]["applications"], 0)
        self.assertIn("went back: taken back by", daemon.ctl("canary").stdout)
        self.assertIn("the canary is back already", self.refused(daemon, "canary", "back"))
        self.done(daemon, "canary", "again", "--partition", "default")
        self.assertTrue(self.partition(daemon)["canary"]["active"])
        daemon.wait_for_words("canary again of [demo]default: done")
        self.gone(rm)

    def test_a_canary_that_went_back_is_in_the_health(self):
        daemon = self.with_canary()
        rm = self.rm_seen(daemon)
        self.done(daemon, "canary", "back", "--reason", "slow jobs")
        until = time.monotonic() + 2 * WITHIN_S  # it looks each half minute
        while not re.search(r"(?m)^Canaries +warning .*taken back by", health := daemon.ctl("health").stdout):
            self.assertLess(time.monotonic(), until, health)
            time.sleep(0.5)
        self.gone(rm)

    def test_nodes_are_drained_and_used_again(self):
        daemon = self.served()
        rm = self.rm_seen(daemon)
        self.done(daemon, "drain", "node", "node-0001")
        self.assertRegex(daemon.ctl("nodes", "--state", "draining").stdout, r"(?m)^node-0001 +draining ")
        self.done(daemon, "undrain", "node", "node-0001")
        self.assertIn("is not draining", self.refused(daemon, "undrain", "node", "node-0001"))
        self.assertIn("there is no node 'none'", self.refused(daemon, "drain", "node", "none"))
        self.gone(rm)

    def test_applications_are_moved_and_killed(self):
        daemon = self.served()
        rm = self.rm_seen(daemon, "--too-large", "1")
        self.done(daemon, "move", "app-0", "root.q1")
        self.assertEqual(daemon.json("apps", "app-0")["partitions"][0]["applications"][0]["queue"], "root.q1")
        self.assertIn("there is no queue 'root.none'", self.refused(daemon, "move", "app-0", "root.none"))
        self.done(daemon, "kill", "app-0", "--reason", "enough")
        self.assertIn("there is no application 'nobody'", self.refused(daemon, "kill", "nobody"))
        events = daemon.ctl("events", "--application", "app-0").stdout
        self.assertRegex(events + daemon.ctl("apps", "app-0").stdout, r"ApplicationKilled: by \S+: enough")
        for words, fix in ((("move", "app-1", "root.q9"), "did you mean 'root.q0'?"), (("kill", "app-99"), "did you mean 'app-1'?"),
                           (("drain", "node", "node-001"), "did you mean 'node-0001'?"), (("queues", "--queue", "q0"), "did you mean 'root.q0'?"),
                           (("apps", "--user", "usr-0"), "did you mean 'user-"), (("explain", "app-1/none"), "`tenon ctl explain app-1`"),
                           (("queues", "--partition", "defalt"), "did you mean 'default'?")):
            no = daemon.ctl(*words)
            self.assertEqual((no.returncode, fix in no.stderr), (1, True), no.stderr + no.stdout)
        none = daemon.ctl("events", "--application", "app-none")
        self.assertEqual((none.returncode, "no application 'app-none'" in none.stderr), (1, True), none.stderr)
        none = daemon.ctl("events", "--application", "app-0", "--until-ms", "1")
        self.assertEqual((none.returncode, "no record that is kept is like that" in none.stderr), (0, True), none.stderr)
        no = daemon.ctl("events", "--partition", "default")
        self.assertEqual((no.returncode, "full name, [RM]NAME" in no.stderr, "`tenon ctl queues`" in no.stderr), (1, True, True), no.stderr)
        self.gone(rm)

    def test_a_recovery_is_declared_done(self):
        daemon = self.served()
        rm = subprocess.Popen([self.python, "-B", ROOT / "tests/cli/held_rm.py", "--address", f"unix:{self.folder}/rm.sock",
                               "--package", self.package], stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, rm)
        self.assertEqual(rm.stdout.readline(), "asked\n")
        until = time.monotonic() + WITHIN_S
        while daemon.ctl("apps", "app").returncode != 0 and time.monotonic() < until:
            time.sleep(0.05)
        self.assertRegex(daemon.ctl("apps", "app").stdout, r"(?m)^app .* RM 'held': its recovery is not done$")
        explained = daemon.ctl("explain", "app").stdout
        self.assertIn("tenon ctl recovery done", explained)
        self.assertNotIn("It is placed next", explained)
        while "held: its recovery is not done" not in daemon.ctl("health").stdout and time.monotonic() < until:
            time.sleep(0.05)
        self.assertRegex(daemon.ctl("health").stdout, r"(?m)^Resource managers +warning +held: its recovery is not done")
        self.assertIn("there is no resource manager 'none'", self.refused(daemon, "recovery", "done", "none"))
        self.assertEqual(self.done(daemon, "recovery", "done", "held"), "done: recovery done held\n")
        self.assertEqual(rm.stdout.readline(), "placed 1\n")
        daemon.wait_for_words("recovery done held: done")
        self.assertEqual(rm.wait(WITHIN_S), 0)

    def test_one_of_two_partitions_has_to_be_named(self):
        daemon = self.served()
        first, second = self.rm_seen(daemon, "--rm", "one"), self.rm_seen(daemon, "--rm", "two")
        said = self.refused(daemon, "stop", "queue", "root.q1", "--partition", "default")
        self.assertIn("[one]default, [two]default", said)
        self.done(daemon, "stop", "queue", "root.q1", "--partition", "[two]default")
        states = {p["name"]: q["state"] for p in daemon.json("queues")["partitions"] for q in p["queues"]
                  if q["path"] == "root.q1"}
        self.assertEqual(states, {"[one]default": "Active", "[two]default": "Stopped"})
        self.gone(first)
        self.gone(second)

    def test_what_is_asked_for_by_name_and_is_not_there_is_a_no(self):
        daemon = self.served()
        self.rm_seen(daemon, "--too-large", "1")
        for words, said in ((("apps", "nope"), "no application 'nope'"), (("nodes", "node-001"), "did you mean 'node-0001'?"),
                            (("queues", "--queue", "root.q9"), "did you mean 'root.q0'?"),
                            (("apps", "--queue", "root.q9"), "did you mean 'root.q0'?"),
                            (("apps", "--state", "Runing"), "did you mean 'Running'?"),
                            (("explain", "nope"), "no application 'nope'")):
            done = daemon.ctl(*words)
            self.assertEqual((done.returncode, said in done.stderr), (1, True), (words, done.stdout, done.stderr))
            self.assertIn("fix:", done.stderr)
            self.assertEqual(daemon.ctl(*words, "--json").returncode, 1, words)
        self.assertEqual(daemon.ctl("apps", "--queue", "root.q1").returncode, 0)

    def test_commands_are_taken_in_either_order_of_words(self):
        daemon = self.served()
        self.rm_seen(daemon)
        for words, done in ((("drain", "node-0001"), "drain node node-0001"),
                            (("undrain", "node-0001"), "undrain node node-0001"),
                            (("node", "drain", "node-0001"), "drain node node-0001"),
                            (("undrain", "node", "node-0001"), "undrain node node-0001"),
                            (("stop", "root.q1"), "stop queue root.q1"),
                            (("queue", "start", "root.q1"), "start queue root.q1")):
            said = daemon.ctl(*words)
            self.assertEqual((said.returncode, done in said.stdout), (0, True), (words, said.stdout, said.stderr))
        said = daemon.ctl("kill", "application", "nope")
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertIn("`tenon ctl apps` lists all", said.stderr)

    def test_a_node_is_shown_with_what_runs_on_it(self):
        daemon = self.served()
        rm = self.rm_seen(daemon)
        node = daemon.json("nodes", "node-0001")["partitions"][0]["nodes"][0]
        self.assertEqual(len(node["running"]), node["allocations"])
        shown = daemon.ctl("nodes", "node-0001").stdout
        self.assertRegex(shown, r"(?m)^ALLOCATION +APPLICATION +STATE +PRIORITY +AGE +RESOURCES +DEVICES$")
        self.assertIn(node["running"][0]["key"], shown)
        app = daemon.json("apps", "app-0")["partitions"][0]["applications"][0]
        self.assertEqual(len(app["running"]), app["allocations"])
        self.assertNotIn("running", daemon.json("nodes")["partitions"][0]["nodes"][0], "a list has no details")
        self.gone(rm)

    def test_nothing_is_a_stroke_and_zero_is_zero(self):
        daemon = self.served()
        rm = self.rm_seen(daemon)
        queues = daemon.ctl("queues").stdout
        self.assertRegex(queues, r"(?m)^ *root\.q1 .* [0-9.]+/-/3200 .* 0$", queues)
        self.gone(rm)

    def test_what_people_do_is_in_log_and_events_and_outlives_the_daemon(self):
        audit = self.folder / "audit.jsonl"
        daemon = self.served(more="audit: { file: audit.jsonl }\n")
        rm = self.rm_seen(daemon)
        self.done(daemon, "drain", "node", "node-0002", "--reason", "it smells")
        self.refused(daemon, "stop", "queue", "root.none")
        self.done(daemon, "stop", "partition", "default")
        who = f"{getpass.getuser()} (control socket, process "
        daemon.wait_for_events("SYSTEM", lambda e: e["message"].startswith(who) and "drain node node-0002" in e["message"])
        daemon.wait_for_events("SYSTEM", lambda e: "stop partition [demo]default: done" in e["message"])
        daemon.kill()  # whatever is only in memory is gone
        daemon.reader.join(WITHIN_S)
        self.assertRegex(daemon.words(), r"RM 'demo' \(session 1\) registered over grpc, policy group 'default'")
        self.assertRegex(daemon.words(), r"\(control socket, process \d+\): drain node node-0002 of \[demo\]default: done, "
                                         "because it smells")
        self.assertRegex(daemon.words(), r"warning .*: stop queue root\.none of \[demo\]default: refused")
        records = [json.loads(line) for line in audit.read_text().splitlines()]
        self.assertEqual([(r["action"], r["object"], r["done"]) for r in records],
                         [("drain node", "node-0002", True), ("stop queue", "root.none", False), ("stop partition", "[demo]default", True)])
        self.assertTrue(records[0]["who"].startswith(who))
        self.assertEqual(audit.stat().st_mode & 0o777, 0o600)
        with audit.open("a") as file:
            file.write('{"half a line')  # as a full disk leaves it
        again = self.started(more="audit: { file: audit.jsonl }\n")
        self.assertEqual(again.ctl("reload").returncode, 0)
        again.finish()
        self.assertEqual(json.loads(audit.read_text().splitlines()[-1])["action"], "reload the configuration")

    def test_a_resource_manager_that_goes_is_in_the_log(self):
        daemon = self.served()
        self.gone(self.rm_seen(daemon))
        self.rm_seen(daemon, "--rm", "killed").kill()
        daemon.wait_for_words("RM 'killed' (session 2) is lost")
        daemon.finish()
        self.assertIn("RM 'demo' (session 1) said goodbye", daemon.words())

    def test_a_resource_manager_whose_streams_break_one_by_one_is_lost_once(self):
        daemon = self.served()
        for number in range(1, 6):  # how its streams break is a race each time
            self.rm_seen(daemon).kill()
            daemon.wait_for_words(f"RM 'demo' (session {number}) is lost")
        daemon.finish()
        for number in range(1, 6):
            self.assertEqual(daemon.words().count(f"RM 'demo' (session {number}) is lost"), 1, daemon.words())
        self.assertNotIn(" is back", daemon.words())


class Manual(RmCase):
    MORE = "cycle: { manual: true }\n"

    def rm_that_waits(self, name: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock", "--package", self.package,
             "--nodes", "4", "--pods", "60", "--queues", "2", "--stay", "--rm", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        return process

    def allocations(self, daemon: Daemon) -> dict:
        return {p["name"]: p["allocations"] for p in daemon.json("queues")["partitions"]}

    def test_nothing_moves_but_by_steps_of_the_partition_that_is_named(self):
        daemon = self.served(more=self.MORE)
        self.rm_that_waits("one")
        self.rm_that_waits("two")
        until = time.monotonic() + WITHIN_S
        while len(daemon.json("rms")["rms"]) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        made = 0
        while made < 60:  # requests arrive when they do; each step takes what is there
            made += daemon.json("step", "--decisions", "7", "--partition", "[two]default")["decisions"]
        held = self.allocations(daemon)
        self.assertEqual(held["[one]default"], 0)
        self.assertGreater(held["[two]default"], 0)
        no = daemon.ctl("step", "--partition", "[three]default").stderr
        self.assertRegex(no, r"there is no partition '\[three\]default', but \[\w+\]default, \[\w+\]default\n")
        self.assertIn("fix:  `tenon ctl queues` shows what there is", no)
        while made < 120:
            made += daemon.json("step", "--decisions", "100")["decisions"]
        self.assertGreater(self.allocations(daemon)["[one]default"], 0)
        self.assertEqual(daemon.ctl("health").returncode, 0)
        books = daemon.ctl("check")
        self.assertEqual(books.returncode, 0, books.stdout)
        self.assertRegex(books.stdout, r"^The books are right: 2 partitions, \d+ nodes?, \d+ applications?, \d+ asks? and \d+ allocations? were looked at\.\n$")
        self.assertEqual(daemon.json("check")["wrong"], [])
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_daemon_that_runs_by_itself_is_not_stepped(self):
        said = self.started().ctl("step")
        self.assertEqual(said.returncode, 1)
        self.assertIn("cycle.manual: true", said.stderr)
        self.assertIn("fix:  leave the step out", said.stderr)


class Words(ServeCase):
    """The command line itself; no daemon runs."""

    def run_ctl(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([Daemon.tenon, *words], capture_output=True, text=True, timeout=WITHIN_S)

    def test_what_was_typed_wrong_is_named_with_what_to_type(self):
        for words, want, fix in (
                (("ctl", "drain"), "one of: node, partition", "as `tenon ctl drain node n-17"),
                (("ctl", "drain", "nodes", "n-1"), "one of: node, partition", "did you mean 'node'?"),
                (("ctl",), "one of: queues, apps", "as `tenon ctl queues`"),
                (("ctl", "explain"), "APPLICATION", "name it, as `tenon ctl explain app-1`"),
                (("ctl", "move", "app-1"), "QUEUE", "name it, as `tenon ctl move app-7 root.batch.night`"),
                (("ctl", "events", "--type", "APPS"), "--type: one of: SYSTEM, REQUEST, APP", "did you mean 'APP'?"),
                (("ctl", "events", "--since-ms", "yesterday"), "--since-ms: a number", "write it in digits"),
                (("ctl", "whatif", "--count", "0"), "--count: a number from 1 to 1000000", "write such a number"),
                (("simulate", "--beside", "a"), "--report beside --beside", "add --report"),
                (("simulate", "--shuffle", "1", "--in-order"), "one of --in-order and --shuffle", "leave one of them out"),
                (("simulate", "--node", "5"), "an option", "did you mean '--nodes'?"),
                (("ctl", "rms", "one"), "nothing more", "leave it out"),
                (("ctl", "health", "--jsno"), "an option", "did you mean '--json'?"),
                (("simulate", "--mode", "fil"), "--mode: one of: fill, replay", "did you mean 'fill'?"),
                (("--versoin",), "one of: scenario, simulate", "did you mean '--version'?")):
            no = self.run_ctl(*words)
            self.assertEqual((no.returncode, no.stdout), (2, ""), no.stderr)
            self.assertIn(f"  want: {want}", no.stderr)
            self.assertIn(fix, no.stderr.partition("  fix:  ")[2])

    def test_what_cannot_be_printed_is_a_failure(self):
        with open("/dev/full", "w") as full:  # a disk that takes nothing
            done = subprocess.run([Daemon.tenon, "simulate", "--pods", "1", "--no-progress"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("tenon: standard output\n", done.stderr)

    def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(self):
        for words, meant in ((("ctl", "qeues"), "'queues'"), (("ctl", "stop", "que", "root.a"), "'queue'"),
                             (("ctrl",), "'ctl'"), (("ctl", "apps", "--stat", "Running"), "'--state'")):
            with self.subTest(words):
                said = self.run_ctl(*words)
                self.assertEqual(said.returncode, 2)
                self.assertIn(f"did you mean {meant}?", said.stderr)
        self.assertNotIn("did you mean", self.run_ctl("ctl", "zzzzzzzzz").stderr)

    def test_each_help_has_examples_of_its_own(self):
        for words in (("ctl",), ("ctl", "stop"), ("ctl", "drain", "node"), ("ctl", "recovery"), ("scenario",), ("config",), ("plugin",)):
            with self.subTest(words):
                help_text = self.run_ctl(*words, "--help").stdout
                examples = [line for line in help_text.split("Examples:\n")[1].splitlines() if line.startswith("  tenon ")]
                self.assertTrue(examples)
                for line in examples:
                    self.assertTrue(line.startswith("  tenon " + words[0] + " "), line)

    def test_each_option_of_a_built_in_module_is_described(self):
        def said(*words: str) -> dict:
            return json.loads(subprocess.run([Daemon.tenon, "plugin", *words, "--json"], capture_output=True, text=True, check=True).stdout)

        options = {f"{one['id']}: {name}": option for one in said("list")["modules"]
                   for name, option in said("describe", one["id"])["config"].get("properties", {}).items()}
        self.assertGreater(len(options), 80)
        self.assertEqual([name for name, option in options.items() if not option.get("description", "").endswith(".")], [])

    def test_an_audit_file_that_cannot_be_written_is_refused(self):
        file = self.deployment("audit: { file: none/audit.jsonl }\n")
        for more in ((), ("--check",)):
            self.assertIn("none/audit.jsonl", self.refused("serve", "-c", str(file), *more))


if __name__ == "__main__":
    main()

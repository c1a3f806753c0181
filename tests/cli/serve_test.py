#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The daemon from its start to its end, as its operator, its service manager and `tenon ctl` see it."""

import json
import pathlib
import re
import signal
import stat
import subprocess
import threading
import time
import unittest

from daemon import QUEUES, ROOT, WITHIN_S, Daemon, RmCase, ServeCase, end, main, say


class Life(ServeCase):
    def test_it_starts_answers_and_stops_when_asked(self):
        daemon = self.started()
        self.assertEqual(daemon.ctl("health").returncode, 0)
        self.assertIn("no resource manager has registered", daemon.ctl("queues").stdout)
        self.assertEqual(stat.S_IMODE(daemon.control.stat().st_mode), 0o600)
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.assertIn("STOPPING=1", list(daemon.notices.queue))
        self.assertFalse(daemon.control.exists())

    def test_an_interrupt_stops_it_too(self):
        self.assertEqual(self.started().finish(signal.SIGINT), 0)

    def test_a_service_manager_that_asks_is_told_that_it_lives(self):
        daemon = Daemon(self, self.deployment(), env={"WATCHDOG_USEC": "3000000"})
        daemon.wait("READY=1")
        for _ in range(3):
            daemon.wait("WATCHDOG=1")
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_second_daemon_is_refused_and_the_first_one_goes_on(self):
        daemon = self.started()
        words = self.refused("serve", "-c", str(self.folder / "tenon.yaml"))
        self.assertIn("a daemon that runs has it", words)
        self.assertIn("fix:", words)
        self.assertEqual(daemon.ctl("health").returncode, 0)

    def test_what_a_killed_daemon_left_behind_is_replaced(self):
        daemon = self.started()
        daemon.kill()
        self.assertTrue(daemon.control.exists())
        self.assertEqual(self.started().ctl("health").returncode, 0)

    def test_a_file_that_is_no_socket_is_left_alone(self):
        (self.folder / "control.sock").write_text("mine")
        self.assertIn("a file of another kind", self.refused("serve", "-c", str(self.deployment())))
        self.assertEqual((self.folder / "control.sock").read_text(), "mine")

    def test_a_log_of_json_lines(self):
        daemon = self.started("--log-json")
        daemon.finish()
        levels = {json.loads(line)["level"] for line in daemon.log}
        self.assertLessEqual(levels, {"info", "warning"})
        self.assertTrue(json.loads(daemon.log[-1])["time"].endswith("Z"))


class Refusals(ServeCase):
    def test_a_bad_deployment_says_where_and_what(self):
        words = self.refused("serve", "-c", str(self.deployment("transpots: []\n")))
        self.assertRegex(words, r"tenon\.yaml:4:1\b")
        for part in ("want:", "have:", "fix:", "transports"):
            self.assertIn(part, words)

    def test_bad_queues_say_where_and_what(self):
        self.queues.write_text(QUEUES.replace("max:", "maximum:"))
        words = self.refused("serve", "-c", str(self.deployment()))
        self.assertRegex(words, r"queues\.yaml:10:15\b")

    def test_a_module_that_is_not_there(self):
        words = self.refused("serve", "-c", str(self.deployment("transports: [{ use: acme.pigeon }]\n")))
        self.assertIn("acme.pigeon", words)

    def test_no_deployment_at_all(self):
        self.assertIn("--deployment", self.refused("serve"))
        self.assertIn("no-such.yaml", self.refused("serve", "-c", str(self.folder / "no-such.yaml")))

    def test_check_opens_everything_and_starts_nothing(self):
        done = subprocess.run([Daemon.tenon, "serve", "--check", "-c", str(self.deployment())],
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("can be served", done.stdout)
        self.assertFalse((self.folder / "control.sock").exists())
        self.queues.write_text(QUEUES.replace("max:", "maximum:"))
        self.refused("serve", "--check", "-c", str(self.folder / "tenon.yaml"))

    def test_a_journal_is_never_written_over(self):
        journal = self.folder / "day.journal"
        journal.write_text("of yesterday")
        self.assertIn("move it away", self.refused("serve", "-c", str(self.deployment()), "--record", str(journal)))
        self.assertEqual(journal.read_text(), "of yesterday")
        new = ("--record", f"{self.folder}/new", "--decisions", f"{self.folder}/./new")
        self.assertIn("another file", self.refused("serve", "-c", str(self.deployment()), *new))

    def test_a_limit_below_nothing(self):
        for command in ("apps", "events"):
            self.assertIn("--limit", self.refused("ctl", command, "--limit", "-1"))


class Control(ServeCase):
    def test_nobody_listens(self):
        done = subprocess.run([Daemon.tenon, "ctl", "queues", "--control", str(self.folder / "none.sock")],
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 3)
        self.assertIn("tenon serve", done.stderr)

    def test_the_deployment_names_the_socket(self):
        daemon = self.started()
        done = subprocess.run([Daemon.tenon, "ctl", "health", "-c", str(self.folder / "tenon.yaml"), "--json"],
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["healthy"])
        self.assertIn("tenon.node-fair", [m["id"] for m in daemon.json("modules")["modules"]])

    def test_what_is_no_request_is_answered_and_the_connection_goes_on(self):
        daemon = self.started()
        with daemon.connect() as client:
            for line in (b"", b"nonsense", b"[]", b'{"version":1}', b'{"version":2,"command":"health"}',
                         b'{"version":1,"command":"helth"}', b'{"version":1,"command":"apps","limit":-1}',
                         b'{"version":1,"command":"apps","queu":"root"}', b'{"version":1,"command":3}', b"\xff\xfe",
                         b"[" * 1000):
                with self.subTest(line[:40]):
                    answer = say(client, line)
                    self.assertFalse(answer["ok"])
                    self.assertEqual(set(answer["error"]), {"where", "want", "have", "fix"})
            answer = say(client, b'{"version":1,"id":[7],"command":"health"}')
            self.assertTrue(answer["ok"])
            self.assertEqual(answer["id"], [7])

    def test_requests_may_be_sent_ahead(self):
        daemon = self.started()
        with daemon.connect() as client:
            client.sendall(b"".join(b'{"version":1,"id":%d,"command":"queues"}\n' % i for i in range(50)))
            lines = client.makefile("rb")
            self.assertEqual([json.loads(lines.readline())["id"] for _ in range(50)], list(range(50)))

    def test_a_line_that_is_too_long_ends_the_connection(self):
        daemon = self.started()
        with daemon.connect() as client:
            try:
                client.sendall(b"x" * (9 << 20))
            except (BrokenPipeError, ConnectionResetError):
                pass
            lines = client.makefile("rb")
            try:
                self.assertFalse(json.loads(lines.readline())["ok"])
                self.assertEqual(lines.readline(), b"")
            except ConnectionResetError:  # with bytes that nobody read
                pass
        self.assertEqual(daemon.ctl("health").returncode, 0)

    def test_one_client_too_many_is_told_so(self):
        daemon = self.started()
        clients = [daemon.connect() for _ in range(64)]
        for client in clients:
            self.addCleanup(client.close)
            self.assertTrue(say(client, b'{"version":1,"command":"health"}')["ok"])
        told = daemon.ctl("health")
        self.assertEqual(told.returncode, 1)
        self.assertIn("64 clients", told.stderr)


class WithRm(RmCase):
    def test_its_threads_have_names_that_the_page_explains(self):
        daemon = self.served()
        until = time.monotonic() + WITHIN_S
        names: set[str] = set()
        # A thread names itself when it begins.
        while not {"tenon-cycle", "tenon-transport"} <= names and time.monotonic() < until:
            tasks = pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir()
            names = {(task / "comm").read_text().strip() for task in tasks}
        self.assertLessEqual({"tenon-cycle", "tenon-transport"}, names)
        explained = set(re.findall(r"`(tenon-[a-z-]+)`", (ROOT / "docs/running.md").read_text()))
        self.assertLessEqual({name for name in names if name.startswith("tenon-")}, explained,
                             "add the thread to the table below \"## Threads\" in docs/running.md")

    def test_what_it_has_is_shown(self):
        daemon = self.served()
        rm = self.rm("--too-large", "2")
        self.assertRegex(daemon.ctl("queues").stdout, r"(?m)^QUEUE +STATE +APPS +GPU used/guar/max .*\n *root +Active")
        queues = {q["path"]: q for q in daemon.json("queues", "--partition", "default")["partitions"][0]["queues"]}
        self.assertEqual(set(queues), {"root", "root.q0", "root.q1"})
        self.assertEqual(queues["root.q1"]["max"], {"vcore": 3_200_000})
        nodes = daemon.json("nodes")["partitions"][0]["nodes"]
        self.assertEqual([n["id"] for n in nodes], [f"node-{i:04}" for i in range(4)])
        self.assertEqual(sum(n["allocated"].get("gpu", 0) for n in nodes), queues["root"]["allocated"]["gpu"])
        few = daemon.json("nodes", "--limit", "1")
        self.assertTrue(few["more"])
        self.assertEqual(len(few["partitions"][0]["nodes"]), 1)
        apps = daemon.json("apps", "--queue", "root.q0")["partitions"][0]["applications"]
        self.assertEqual([(a["id"], len(a["asks"])) for a in apps], [("app-0", 2)])
        self.assertIn("768Gi", daemon.ctl("nodes", "node-0001").stdout)
        explained = daemon.json("explain", "app-0/large-00001")["explanations"]
        self.assertEqual(explained[0]["key"], "large-00001")
        self.assertTrue(explained[0]["changes"])
        self.assertEqual(len(daemon.json("explain", "app-0")["explanations"]), 2)
        self.assertEqual(daemon.ctl("explain", "nobody").returncode, 1)
        self.assertEqual(daemon.ctl("queues", "--partition", "elsewhere").returncode, 1)
        self.assertEqual(daemon.json("rms")["rms"][0]["id"], "demo")
        self.gone(rm)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_a_recorded_journal_gives_the_same_decisions(self):
        journal, decisions, again = (self.folder / name for name in ("journal", "decisions", "again"))
        daemon = self.served("--record", str(journal), "--decisions", str(decisions))
        self.gone(self.rm())
        self.assertEqual(daemon.finish(), 0, daemon.words())
        replay = subprocess.run([Daemon.tenon, "simulate", "--replay", journal, "--decisions", again, "--no-progress"],
                                capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertGreaterEqual(decisions.read_text().count("\n"), 60)
        self.assertEqual(decisions.read_text(), again.read_text())

    def test_new_queues_are_in_force_after_a_reload_and_bad_ones_are_not(self):
        daemon = self.served()
        rm = self.rm()

        def most():
            return daemon.json("queues", "--queue", "root.q1")["partitions"][0]["queues"][0]["max"]

        self.queues.write_text(QUEUES.replace("3200", "1600"))
        self.assertEqual(daemon.ctl("reload").returncode, 0)
        self.assertEqual(most(), {"vcore": 1_600_000})
        self.queues.write_text(QUEUES.replace("3200", "800").replace("submitacl", "submitacll"))
        self.assertEqual(daemon.ctl("reload").returncode, 1)
        self.assertEqual(most(), {"vcore": 1_600_000})
        self.gone(rm)

    def test_events_are_shown_chosen_and_followed(self):
        daemon = self.served()
        rm = self.rm()
        shown = daemon.ctl("events", "--type", "NODE", "--limit", "3", "--json")
        lines = [json.loads(line) for line in shown.stdout.splitlines()]
        self.assertEqual({line["type"] for line in lines}, {"NODE"}, shown.stderr)
        self.assertEqual(len(lines), 3)
        self.assertRegex(daemon.ctl("events", "--application", "app-1").stdout, r"^TIME +ID +TYPE ")
        follower = subprocess.Popen([Daemon.tenon, "ctl", "events", "--follow", "--json", "--limit", "1", "--type", "APP",
                                     "--control", str(daemon.control)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, follower)
        timer = threading.Timer(WITHIN_S, follower.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        ids = [json.loads(follower.stdout.readline())["id"]]
        other = self.rm("--rm", "other")
        ids.append(json.loads(follower.stdout.readline())["id"])
        self.assertLess(ids[0], ids[1])
        self.gone(rm)
        self.gone(other)

    def test_it_stops_while_a_resource_manager_is_connected(self):
        daemon = self.served()
        self.rm()
        self.assertEqual(daemon.finish(), 0, daemon.words())


if __name__ == "__main__":
    main()

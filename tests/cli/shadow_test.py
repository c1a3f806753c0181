#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The shadow of a deployment: what it finds beside a daemon and in a journal, and what its end costs."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from daemon import ROOT, WITHIN_S, Daemon, RmCase, ServeCase, end, main

QUEUES = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues: [{ name: q0 }, { name: q1 }, { name: q2 }]
"""


class OfAJournal(unittest.TestCase):
    """`tenon shadow` on what `tenon simulate` recorded."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        (self.at / "queues.yaml").write_text(QUEUES)

    def tenon(self, *arguments, exits=0) -> str:
        done = subprocess.run([Daemon.tenon, *map(str, arguments)], capture_output=True, text=True, cwd=self.at)
        self.assertEqual(done.returncode, exits, done.stdout[-2000:] + done.stderr)
        return done.stdout if exits == 0 else done.stderr

    def deployment(self, shadow: str, name: str = "tenon.yaml", more: str = "") -> None:
        (self.at / name).write_text(f"apiVersion: tenon/v1\npolicy_groups: {{ default: queues.yaml }}\n{more}"
                                    + (f"shadow: {shadow}\n" if shadow else ""))

    def recorded(self, seed: int) -> None:
        chance = random.Random(seed)
        for file in ("run.journal", "run.decisions"):
            (self.at / file).unlink(missing_ok=True)
        self.tenon("simulate", "--seed", seed, "--nodes", chance.randint(3, 12), "--pods", 300, "--queues", 3, "--config",
                   "queues.yaml", "--interarrival-ms", chance.choice([20, 200, 2000]), "--duration-s", 60, "--node-sort",
                   chance.choice(["fair", "binpacking"]), "--record", "run.journal", "--decisions", "run.decisions",
                   "--no-progress")

    def said(self, *more) -> dict:
        return json.loads(self.tenon("shadow", "run.journal", "-c", "tenon.yaml", "--decisions", "run.decisions", "--json",
                                     *more))

    def test_the_same_decides_the_same(self):
        self.deployment("{ every: 3 }")
        for seed in range(8):
            with self.subTest(seed=seed):
                self.recorded(seed)
                said = self.said()
                self.assertGreater(said["compared"], 30)
                self.assertEqual((said["other"], said["refused"], said["unequal"]), (0, 0, 0))
                self.assertEqual(said["same"], said["compared"])
                self.assertEqual(said["checked"], len((self.at / "run.decisions").read_text().splitlines()))

    def test_the_same_of_another_deployment_decides_the_same(self):
        self.deployment("", name="other.yaml")
        self.deployment("{ every: 3, deployment: other.yaml }")
        for seed in (2, 5):
            self.recorded(seed)
            # The configuration of the group has the usual order of nodes; what was recorded may have another one.
            (self.at / "other.yaml").write_text("apiVersion: tenon/v1\n")
            said = self.said()
            self.assertGreater(said["compared"], 30)
            self.assertEqual((said["other"], said["refused"], said["unequal"]), (0, 0, 0))

    def test_another_order_is_found_at_its_decision(self):
        """The first one is where diff's own copy of that state decides otherwise, and nothing before differs."""
        self.tenon("simulate", "--seed", 3, "--nodes", 6, "--pods", 200, "--queues", 3, "--config", "queues.yaml",
                   "--interarrival-ms", 100, "--duration-s", 60, "--record", "run.journal", "--decisions", "run.decisions",
                   "--no-progress")
        self.deployment("{ every: 1, node_sort: binpacking }")
        said = self.said()
        self.assertGreater(said["other"], 10)
        self.assertEqual(said["unequal"], 0)
        first = said["first"][0]
        lines = (self.at / "run.decisions").read_text().splitlines()
        fields = [line.split("\t") for line in lines]
        # What the shadow says of the daemon is what the daemon then did.
        after = next(f for f in fields[first["decision"] - 1:] if f[2] in ("allocated", "released"))
        self.assertEqual(first["a"]["decision"].split("\t")[1:], after[1:])
        self.assertNotEqual(first["a"]["decision"], first["b"]["decision"])
        # Both sides of a load that was left alone are equal up to there: it is the first difference of diff.
        diff = json.loads(self.tenon("diff", "run.journal", "--node-sort-b", "binpacking", "--json"))
        other = diff["first_difference"]
        self.assertEqual(other["b"]["decision"].split("\t")[3:], first["b"]["decision"].split("\t")[3:])
        # The same of another deployment's modules, which have names of their own meanwhile.
        self.deployment("", name="other.yaml")
        self.deployment("{ every: 1, node_sort: binpacking, deployment: other.yaml }")
        again = self.said()
        self.assertEqual([one["decision"] for one in again["first"]], [one["decision"] for one in said["first"]])
        self.assertEqual(again["other"], said["other"])
        self.assertEqual(again["first"][0]["b"]["policies"]["node order"], "binpacking")
        self.assertNotIn("shadow:", json.dumps(again["first"]))

    def test_another_configuration(self):
        self.recorded(4)
        (self.at / "small.yaml").write_text(QUEUES.replace("{ name: q0 }", "{ name: q0, resources: { max: { vcore: 1 } } }"))
        self.deployment("{ every: 2, policy_groups: { default: small.yaml } }")
        self.assertGreater(self.said()["other"], 0)

    def test_a_replay_that_is_not_what_was_done(self):
        self.recorded(1)
        self.deployment("{}")
        lines = (self.at / "run.decisions").read_text().splitlines()
        lines[40] = lines[40].replace("\t", "\tX", 1)
        (self.at / "run.decisions").write_text("\n".join(lines) + "\n")
        said = self.said()
        self.assertEqual((said["unequal"], said["first_unequal"]["decision"]), (1, 41))
        self.assertIn("unequal   decision 41\n", self.tenon("shadow", "run.journal", "-c", "tenon.yaml", "--decisions", "run.decisions"))

    def test_decisions_that_are_not_there_are_not_checked(self):
        self.recorded(1)
        self.deployment("{}")
        lines = (self.at / "run.decisions").read_text().splitlines()
        (self.at / "run.decisions").write_text("\n".join(lines[:40]) + "\n")
        said = self.said()
        self.assertEqual((said["checked"], said["unchecked"], said["unequal"]), (40, len(lines) - 40, 0))
        self.assertIn(f"unchecked {len(lines) - 40} decisions: run.decisions ends after 40 of them\n",
                      self.tenon("shadow", "run.journal", "-c", "tenon.yaml", "--decisions", "run.decisions"))

    def recorded_with_the_zoo(self) -> None:
        """Of a module whose order of nodes is called zoo."""
        for name in ("good_node_sort", "keys_status", "keys_crash"):
            (self.at / name).mkdir()
            for ending in ("so", "yaml"):
                shutil.copy(Daemon.zoo / f"{name}.{ending}", self.at / name)
        (self.at / "queues.yaml").write_text(QUEUES.replace("name: default", "name: default\n    nodesortpolicy: { type: zoo }"))
        self.deployment("", more=self.zoo("good_node_sort"))
        self.tenon("simulate", "--nodes", 5, "--pods", 100, "--queues", 3, "--config", "queues.yaml", "--deployment", "tenon.yaml",
                   "--record", "run.journal", "--decisions", "run.decisions", "--no-progress")

    def zoo(self, name: str, more: str = "") -> str:
        return f"module_path: [{name}]\nmodules: [{{ id: zoo.{name.replace('_', '-')}{more} }}]\n"

    def test_a_module_that_fails_here_is_named(self):
        self.recorded_with_the_zoo()
        self.deployment("{ every: 3 }", more=self.zoo("keys_status"))
        # The copies are asked before the replay is.
        before, fault = self.said()["first_faults"]
        self.assertEqual((before["where"], fault["where"], fault["module"]), ("comparison", "replay", "zoo.keys-status 1.0.0"))
        self.assertIn(f"fault     of zoo.keys-status 1.0.0 in the shadow's replay, after decision {fault['decision']}: zoo: keys ",
                      self.tenon("shadow", "run.journal", "-c", "tenon.yaml"))
        (self.at / "other.yaml").write_text("apiVersion: tenon/v1\n" + self.zoo("keys_status"))
        self.deployment("{ every: 3, deployment: other.yaml }", more=self.zoo("good_node_sort"))
        said = self.said()
        fault, = said["first_faults"]
        self.assertEqual((fault["where"], fault["module"], said["unequal"]), ("comparison", "zoo.keys-status 1.0.0", 0))
        self.deployment("{ every: 3 }", more=self.zoo("good_node_sort"))
        said = self.said()
        self.assertEqual((said["faults"], said["first_faults"]), (0, []))

    def test_records_of_calls_are_the_daemons(self):
        self.recorded_with_the_zoo()
        (self.at / "records").mkdir()
        self.deployment("{}", more="containment: { records: records }\n" + self.zoo("keys_crash", ", isolation: process"))
        self.assertGreater(self.said()["faults"], 0)
        self.assertEqual(list((self.at / "records").iterdir()), [])

    def test_from_a_decision_on(self):
        self.recorded(1)
        self.deployment("{ every: 3 }")
        self.assertLess(self.said("--from", 200)["compared"], self.said()["compared"])

    def test_where_nothing_is_compared_nothing_is_decided_again(self):
        self.recorded_with_the_zoo()
        self.deployment("{ every: 1 }", more=self.zoo("keys_status"))
        self.assertEqual({one["where"] for one in self.said()["first_faults"]}, {"comparison", "replay"})
        self.assertEqual([one["where"] for one in self.said("--from", 1_000_000)["first_faults"]], ["replay"])

    def test_it_speaks_within_a_step(self):
        """All of it is asked for at once. Each round of that step is a comparison, and the daemon kills one that is silent."""
        self.tenon("simulate", "--nodes", 3000, "--pods", 500, "--queues", 3, "--config", "queues.yaml", "--interarrival-ms", 0,
                   "--record", "run.journal", "--no-progress")
        self.deployment("{ every: 1 }")
        follower = subprocess.Popen([Daemon.tenon, "shadow", "run.journal", "-c", "tenon.yaml", "--follow"], cwd=self.at,
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, follower)
        timer = threading.Timer(WITHIN_S, follower.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        last = {}
        for line in follower.stdout:
            counts = json.loads(line).get("counts", {})
            if last.get("compared", 0) < counts.get("compared", 0) and last.get("commands") == counts["commands"]:
                return
            self.assertLess(counts.get("compared", 0), 500, "it spoke between steps alone")
            last = counts
        self.fail("it never compared anything")

    def test_what_is_refused(self):
        self.recorded(1)
        for shadow, words in (("{ every: 0 }", ("tenon.yaml:3:18", "every is 0", "at least 1")),
                              ("{ hang: 1s }", ("hang is 1000 ms", "more than 1s")),
                              ("{ most_behind_mb: 0 }", ("most_behind_mb is 0",)),
                              ("{ deployment: none.yaml }", ("no file", "none.yaml", "the deployment of the shadow")),
                              ("{ policy_groups: { default: no.yaml } }", ("no file", "no.yaml")),
                              ("{ policy_groups: { others: queues.yaml } }", ("shadow.policy_groups names 'others'",)),
                              ("{ node_sort: upside-down }", ("shadow.node_sort is 'upside-down'", "binpacking")),
                              ("{ node_order: fair }", ("unknown key",)),
                              ("", ("a deployment with a shadow", "one without"))):
            with self.subTest(shadow=shadow):
                self.deployment(shadow)
                said = self.tenon("shadow", "run.journal", "-c", "tenon.yaml", exits=2)
                for one in words:
                    self.assertIn(one, said)


class OfADaemon(RmCase):
    def shadowed(self, shadow: str, more: str = "") -> Daemon:
        return self.started(
            "--record", f"{self.folder}/day.journal", "--decisions", f"{self.folder}/day.decisions",
            more="events: [{ use: tenon.ring }]\ntransports:\n"
            f"  - {{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}\n"
            f"  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', address_file: {self.folder}/address }} }}\n"
            f"shadow: {shadow}\n" + more)

    def get(self, path: str) -> str:
        with urllib.request.urlopen((self.folder / "address").read_text().strip() + path, timeout=WITHIN_S) as answer:
            return answer.read().decode()

    def until(self, daemon: Daemon, what, words: str) -> dict:
        end = time.monotonic() + WITHIN_S
        while not what(said := daemon.json("shadow")):
            self.assertLess(time.monotonic(), end, f"never {words}: {json.dumps(said)[:2000]}\n{daemon.words()}")
            time.sleep(0.1)
        return said

    def caught_up(self, daemon: Daemon, least: int = 1) -> dict:
        return self.until(daemon, lambda said: said["commands_behind"] == 0 and said["checked"] == said["decisions"]
                          and said["compared"] >= least and said["state"] == "follows", "caught up")

    def test_it_follows(self):
        daemon = self.shadowed("{ every: 1 }")
        self.rm()
        said = self.caught_up(daemon)
        self.assertEqual((said["other"], said["refused"], said["unequal"], said["restarts"]), (0, 0, 0, 0))
        words = daemon.ctl("shadow").stdout
        self.assertIn("state     follows\n", words)
        self.assertIn(" same, 0 other, 0 refused; 0 passed over\n", words)
        self.assertIn("Shadow", daemon.ctl("health").stdout)
        metrics = self.get("/ws/v1/metrics")
        same = re.search(r'^tenon_world_shadow_decisions_total\{outcome="same"\} (\d+)$', metrics, flags=re.M)
        self.assertGreaterEqual(int(same[1]), said["same"])
        self.assertIn('tenon_world_shadow_decisions_total{outcome="other"} 0\n', metrics)
        self.assertIn("tenon_world_shadow_follows 1\n", metrics)
        page = (ROOT / "docs/metrics.md").read_text()
        self.assertEqual(set(re.findall(r"^# TYPE (tenon_world_shadow_\w+)", metrics, flags=re.M)),
                         set(re.findall(r"^\| `(tenon_world_shadow_\w+)` \|", page, flags=re.M)), "docs/metrics.md has a row for each")
        self.assertIn("Shadow", self.get("/ws/v1/scheduler/healthcheck"))
        # The RM goes on, and so do counts.
        by_rest = json.loads(self.get("/tenon/v1/shadow"))
        self.assertEqual(set(by_rest), set(said))
        for key in ("settings", "every", "process", "other", "unequal", "restarts", "most_restarts", "message", "first", "faults"):
            self.assertEqual(by_rest[key], said[key], key)
        self.assertGreaterEqual(by_rest["compared"], said["compared"])
        described = json.loads(self.get("/tenon/v1/openapi.json"))["components"]["schemas"]["WorldShadow"]
        self.assertEqual(set(described["properties"]) - {"text"}, set(by_rest))
        self.assertEqual(daemon.finish(), 0)

    def test_the_same_over_several_loads(self):
        daemon = self.shadowed("{ every: 1 }")
        for seed in range(2, 7):
            self.gone(self.rm("--seed", str(seed), "--rm", f"rm-{seed}", *(["--devices"] if seed % 2 else [])))
        said = self.caught_up(daemon, 5)
        self.assertEqual((said["other"], said["refused"], said["unequal"]), (0, 0, 0))

    def test_under_load(self):
        """What the daemon does while its shadow is killed and stopped is what it does without one."""
        daemon = self.shadowed("{ every: 100, restarts: 9 }")
        load = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock", "--package",
             self.package, "--nodes", "300", "--pods", "4000", "--queues", "1"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, load)
        killed = 0
        while load.poll() is None:
            process = daemon.json("shadow")["process"]
            if process is not None:
                os.kill(process, signal.SIGSTOP)
                time.sleep(0.2)
                os.kill(process, signal.SIGCONT if killed >= 3 else signal.SIGKILL)
                killed += 1
            time.sleep(0.2)
        said = self.caught_up(daemon)
        self.assertGreater(said["restarts"], 0)
        self.assertEqual((said["other"], said["unequal"], said["passed_over"]), (0, 0, 0))
        placed = [line for line in (self.folder / "day.decisions").read_text().splitlines() if line.split("\t")[2] == "allocated"]
        self.assertIn(f"placed    {len(placed)}\n", load.stdout.read())
        self.assertEqual(daemon.finish(), 0)
        # The journal is whole: played again it is what was decided.
        subprocess.run([Daemon.tenon, "simulate", "--replay", "day.journal", "--decisions", "again", "--no-progress", "--deployment",
                        "tenon.yaml"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual((self.folder / "again").read_bytes(), (self.folder / "day.decisions").read_bytes())

    def test_what_differs_is_an_event(self):
        daemon = self.shadowed("{ every: 1, node_sort: binpacking }")
        self.rm()
        said = self.until(daemon, lambda said: said["other"] > 0, "otherwise")
        first = said["first"][0]
        self.assertIn("node order: binpacking", first["text"])
        daemon.wait_for_words(f"shadow: before decision {first['decision']} it decides otherwise")
        daemon.wait_for_events("SYSTEM", lambda one: "it decides otherwise" in one["message"])
        self.assertIn(f"other, before decision {first['decision']}\n", daemon.ctl("shadow").stdout)
        self.assertIn("other     node order binpacking\n", daemon.ctl("shadow").stdout)

    def test_it_is_killed(self):
        daemon = self.shadowed("{ every: 1, restarts: 2 }")
        first = self.until(daemon, lambda said: said["state"] == "follows", "there")
        os.kill(first["process"], signal.SIGKILL)
        self.rm()
        said = self.caught_up(daemon)
        self.assertEqual((said["restarts"], said["unequal"], said["other"]), (1, 0, 0))
        compared = said["compared"]
        os.kill(said["process"], signal.SIGKILL)
        said = self.until(daemon, lambda said: said["restarts"] == 2 and said["state"] == "follows" and said["commands_behind"] == 0, "back")
        self.assertGreaterEqual(said["compared"], compared)  # which the one before had found
        os.kill(said["process"], signal.SIGKILL)
        said = self.until(daemon, lambda said: said["state"] == "stopped", "stopped")
        self.assertIn("Killed", said["message"])
        self.assertIn("stopped: it ended with signal Killed", daemon.ctl("health").stdout)
        self.assertEqual(daemon.ctl("health").returncode, 0)  # a warning
        self.assertEqual(daemon.finish(), 0)

    def test_faults_of_all_its_lives_are_counted_and_the_first_is_told(self):
        for name in ("good_node_sort", "keys_status"):
            for ending in ("so", "yaml"):
                shutil.copy(Daemon.zoo / f"{name}.{ending}", self.folder)
        self.queues.write_text(self.queues.read_text().replace("name: default", "name: default\n    nodesortpolicy: { type: zoo }"))
        (self.folder / "other.yaml").write_text("apiVersion: tenon/v1\nmodule_path: [.]\nmodules: [{ id: zoo.keys-status }]\n")
        daemon = self.shadowed("{ every: 1, deployment: other.yaml }", "module_path: [.]\nmodules: [{ id: zoo.good-node-sort }]\n")
        self.gone(self.rm())
        said = self.caught_up(daemon)
        faults, first = said["faults"], said["first_faults"]
        self.assertGreater(faults, 0)
        self.assertEqual([(one["where"], one["module"]) for one in first], [("comparison", "zoo.keys-status 1.0.0")])
        os.kill(said["process"], signal.SIGKILL)
        self.until(daemon, lambda said: said["restarts"] == 1 and said["state"] == "follows", "back")
        self.gone(self.rm("--rm", "second"))
        said = self.until(daemon, lambda said: said["faults"] > faults, "failing again")
        self.assertEqual(said["first_faults"], first)
        daemon.wait_for_words("shadow: a module failed in its comparison: zoo.keys-status 1.0.0, zoo: keys ")
        self.assertEqual(daemon.words().count("a module failed in its"), 1)

    def test_it_stands_still(self):
        daemon = self.shadowed("{ every: 1, hang: 20s }")
        said = self.until(daemon, lambda said: said["state"] == "follows", "there")
        os.kill(said["process"], signal.SIGSTOP)
        rm = self.rm()  # whose pods are placed
        said = self.until(daemon, lambda said: said["state"] == "silent", "silent")
        self.assertGreater(said["commands_behind"], 0)
        self.assertGreater(said["behind_ms"], 0)
        os.kill(said["process"], signal.SIGCONT)
        said = self.caught_up(daemon)
        self.assertEqual((said["restarts"], said["unequal"]), (0, 0))
        self.gone(rm)

    def test_one_that_hangs_is_killed(self):
        daemon = self.shadowed("{ every: 1, hang: 2s }")
        said = self.until(daemon, lambda said: said["state"] == "follows", "there")
        os.kill(said["process"], signal.SIGSTOP)
        said = self.until(daemon, lambda said: said["restarts"] == 1 and said["state"] == "follows", "killed")
        self.assertIn("it said nothing for", said["message"])
        self.assertEqual(daemon.finish(), 0)

    def test_it_ends_with_the_daemon(self):
        daemon = self.shadowed("{}")
        child = self.until(daemon, lambda said: said["state"] == "follows", "there")["process"]
        daemon.kill()
        end = time.monotonic() + WITHIN_S
        while pathlib.Path(f"/proc/{child}").exists() and "Z" not in pathlib.Path(f"/proc/{child}/stat").read_text().split()[2]:
            self.assertLess(time.monotonic(), end, "it goes on")
            time.sleep(0.1)

    def test_one_that_cannot_be_had(self):
        daemon = self.shadowed("{ node_sort: upside-down }")
        said = self.until(daemon, lambda said: said["state"] == "refused", "refused")
        self.assertIn("shadow.node_sort is 'upside-down'", said["message"])
        self.assertEqual(said["restarts"], 0)
        self.rm()
        self.assertEqual(daemon.finish(), 0)


class OfOptions(ServeCase):
    def test_there_is_none(self):
        daemon = self.started()
        self.assertEqual(daemon.ctl("shadow").returncode, 1)
        self.assertIn("a deployment with a shadow", daemon.ctl("shadow").stderr)

    def test_without_a_journal(self):
        file = self.deployment("shadow: {}\n")
        said = self.refused("serve", "-c", str(file))
        for words in ("a daemon that records its journal", "`shadow` without --record", "--record FILE"):
            self.assertIn(words, said)
        done = subprocess.run([Daemon.tenon, "serve", "-c", str(file), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()

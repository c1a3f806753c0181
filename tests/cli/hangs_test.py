#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A call into a module that never returns, of every kind that there is: it is named, bounded, and has a status."""

import argparse
import hashlib
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from daemon import QUEUES, WITHIN_S, Daemon, ModuleCase, end, main

CRASHED, FAILED = 5, 1
LIMITS = "containment: { hang: 1s, io_hang: 1s, stop: 1s, records: records }\nrm: { drain: 100ms }\n"
ASKING = """
import sys
sys.path.insert(0, sys.argv[2])
import tenon
def report(rm):
    rm.add_application("application", "root.q0", "stuck", [])
with tenon.ResourceManager(sys.argv[1], "asking", report, version="1", policy_group="default") as rm:
    while True:
        rm.next(1)
"""
HEALTH = """
import grpc, sys
with grpc.insecure_channel(sys.argv[1]) as channel:
    print(channel.unary_unary('/grpc.health.v1.Health/Check')(b'', wait_for_ready=True, timeout=60)[1])
"""


class Hangs(ModuleCase):
    fixtures = pathlib.Path()

    def records(self) -> list[str]:
        return [file.read_text() for file in (self.folder / "records").iterdir() if file.suffix != ".call"]

    def ended_with_record(self, daemon: Daemon, module: str, slot: str, role: str) -> None:
        """After a second, and not much later: the machine may be busy."""
        self.assertEqual(daemon.finish(None), CRASHED, daemon.words())
        record, = self.records()
        self.assertRegex(record, rf"(?m)^module: {re.escape(module)} ")
        self.assertRegex(record, rf"(?m)^slot: {slot}$")
        self.assertRegex(record, rf"(?m)^thread: {role} \d+$")
        lasted = int(re.search(r"(?m)^fault: has not returned for (\d+) ms$", record)[1])
        self.assertGreaterEqual(lasted, 1000, record)

    def left_behind(self, daemon: Daemon, module: str, slot: str) -> None:
        """By a stop, which waits for nobody longer than it says."""
        self.assertEqual(daemon.finish(), FAILED, daemon.words())
        self.assertRegex(daemon.words(), rf"{re.escape(module)} \S+: .*{slot}.* has not returned for \d+ ms: the daemon ends without it")
        self.assertEqual(self.records(), [])

    def install(self, name: str) -> None:
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        for ending in ("so", "yaml"):
            shutil.copy(Daemon.zoo / f"{name.replace('-', '_')}.{ending}", modules)

    def beside_grpc(self, name: str, entry: str, env: dict) -> Daemon:
        """A module that is no order."""
        self.install(name)
        daemon = Daemon(self, self.deployment(
            f"module_path: [modules]\nmodules: [{{ id: zoo.{name}, isolation: none }}]\n{entry}" + LIMITS), env=env)
        daemon.wait("READY=1")
        return daemon

    def transports(self, more: str = "") -> str:
        return f"transports: [{{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}{more}]\n"

    def order(self, where: str) -> Daemon:
        return self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": where, "ZOO_HOW": "hang"}, more=LIMITS)

    def test_an_instance_that_is_made_or_begins(self):
        for where in ("init", "activate"):
            with self.subTest(where):
                daemon = self.order(where)
                asking = self.ask()
                self.ended_with_record(daemon, "zoo.on-request-sort", where, "cycle")
                end(asking)
                shutil.rmtree(self.folder / "records")

    def test_a_simulation(self):
        self.install("keys-hang")
        self.queues.write_text(QUEUES.replace("    queues:\n      - name: root", "    nodesortpolicy: { type: zoo }\n"
                                              "    queues:\n      - name: root"))
        deployment = self.deployment("module_path: [modules]\nmodules: [{ id: zoo.keys-hang, isolation: none }]\n" + LIMITS)
        done = subprocess.run([Daemon.tenon, "simulate", "--generate", "--nodes", "4", "--pods", "9", "--duration-s", "2",
                               "--config", self.queues, "--deployment", deployment, "--no-progress"],
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, CRASHED, done.stderr)
        self.assertRegex(done.stderr, r"zoo\.keys-hang .* has not returned for \d+ ms: the program ends")

    def test_an_instance_that_is_replaced(self):
        daemon = self.order("deactivate")
        self.rm()
        self.queues.write_text(QUEUES.replace("    queues:\n      - name: root", "    nodesortpolicy: { type: fair }\n"
                                              "    queues:\n      - name: root"))
        daemon.process.send_signal(signal.SIGHUP)
        self.ended_with_record(daemon, "zoo.on-request-sort", "deactivate", "cycle")

    def test_an_instance_or_a_module_that_ends_with_the_daemon(self):
        for where, slot in (("deactivate", "deactivate"), ("the module's deinit", "deinit")):
            with self.subTest(where):
                daemon = self.order(where)
                self.rm()
                self.left_behind(daemon, "zoo.on-request-sort", slot)

    def test_a_sink(self):
        daemon = self.beside_grpc("on-request-sink", "events: [{ use: zoo.on-request-sink }]\n" + self.transports(),
                                  {"ZOO_WHERE": "emit", "ZOO_HOW": "hang"})
        self.ask()
        self.ended_with_record(daemon, "zoo.on-request-sink", "emit", "io")

    def of_transport(self, where: str) -> Daemon:
        return self.beside_grpc("on-request-transport", self.transports(", { use: zoo.on-request-transport }"),
                                {"ZOO_WHERE": where, "ZOO_HOW": "hang", "ZOO_RM": "zoo"})

    def test_a_transport_that_delivers(self):
        self.ended_with_record(self.of_transport("deliver"), "zoo.on-request-transport", "deliver", "io")

    def test_a_transport_that_stops(self):
        self.left_behind(self.of_transport("stop"), "zoo.on-request-transport", "stop")

    def test_a_source_of_groups(self):
        modules = self.folder / "modules"
        modules.mkdir()
        shutil.copy(self.fixtures / "directory.so", modules)
        digest = hashlib.sha256((modules / "directory.so").read_bytes()).hexdigest()
        draft = re.search(r"(?m)^draft_rev: \d+$", (Daemon.zoo / "good_node_sort.yaml").read_text())[0]
        (modules / "directory.yaml").write_text(
            "apiVersion: tenon.module/v1\nid: test.directory\nversion: 1.0.0\nvendor: Tests\nlicense: Apache-2.0\n"
            f"description: Groups.\nlibrary: directory.so\ndigest: sha256:{digest}\nabi_epoch: 1\n{draft}\n"
            "provides: [{ interface: tenon.identity/1, name: directory, order_rev: 1 }]\n")
        self.queues.write_text(QUEUES.replace("    queues:\n      - name: root", "    usergroupresolver: { type: directory }\n"
                                              "    queues:\n      - name: root"))
        daemon = Daemon(self, self.deployment("module_path: [modules]\nmodules: [{ id: test.directory, isolation: none }]\n" +
                                              self.transports() + LIMITS))
        daemon.wait("READY=1")
        asking = subprocess.Popen([self.python, "-B", "-c", ASKING, f"unix:{self.folder}/rm.sock", self.package],
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(end, asking)
        self.ended_with_record(daemon, "test.directory", "resolve", "io")

    def test_a_cycle_that_is_frozen_is_seen_by_health_and_by_who_asks_why(self):
        daemon = self.with_module("on-request-sort", "fallback", {"ZOO_WHERE": "keys", "ZOO_HOW": "hang"},
                                  more="containment: { hang: 0s }\n")
        self.ask()
        daemon.wait_for_words("has not returned for")
        said = subprocess.run([self.python, "-c", HEALTH, f"unix:{self.folder}/rm.sock"], capture_output=True, text=True,
                              timeout=2 * WITHIN_S)
        self.assertEqual(said.stdout.strip(), "2", said.stderr)  # NOT_SERVING
        why = daemon.ctl("explain", "app-0")
        self.assertEqual(why.returncode, 1, why.stdout)
        named = r"zoo\.on-request-sort \S+: tenon\.node-sort/1 'zoo': score.* has not returned for \d+ ms"
        self.assertRegex(why.stderr, named)
        no = daemon.ctl("snapshot", "-o", str(self.folder / "now.state"))
        self.assertEqual((no.returncode, (self.folder / "now.state").exists()), (1, False), no.stdout)
        self.assertRegex(no.stderr, named)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixtures", type=pathlib.Path, required=True)
    given, sys.argv[1:] = parser.parse_known_args()
    Hangs.fixtures = given.fixtures
    main()

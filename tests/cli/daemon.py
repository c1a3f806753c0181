# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A daemon under test, and resource managers for it."""

import argparse
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from collections.abc import Callable

from cases import run_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHIN_S = 60
QUEUES = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: q0
          - name: q1
            resources:
              max: { vcore: 3200 }
"""


class Daemon:
    """The process, what it says to its service manager, and its log."""

    tenon = ""  # the program
    zoo = pathlib.Path()  # folder of bad modules

    def __init__(self, case: unittest.TestCase, deployment: pathlib.Path, *options: str, env: dict | None = None):
        self.folder = deployment.parent
        self.control = self.folder / "control.sock"
        self.notices: queue.Queue = queue.Queue()
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = tempfile.mkdtemp(dir=self.folder)
        manager.bind(f"{path}/notify")
        self.log: list[str] = []
        self.more_log = threading.Condition()
        self.process = subprocess.Popen(
            [Daemon.tenon, "serve", "-c", str(deployment), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"NOTIFY_SOCKET": f"{path}/notify"} | (env or {}),
        )
        self.ended = threading.Event()
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        threading.Thread(target=self.read_notices, args=(manager,), daemon=True).start()
        case.addCleanup(self.kill)

    def read_log(self) -> None:
        for line in self.process.stderr:
            with self.more_log:
                self.log.append(line)
                self.more_log.notify_all()
        self.ended.set()
        self.notices.put("ENDED")

    def read_notices(self, manager: socket.socket) -> None:
        while notice := manager.recv(4096).decode():
            for line in notice.splitlines():
                self.notices.put(line)

    def wait(self, notice: str) -> None:
        while (heard := self.notices.get(timeout=WITHIN_S)) != notice:
            if heard == "ENDED":
                raise AssertionError(f"ended before {notice}:\n" + "".join(self.log))

    def words(self) -> str:
        return "".join(self.log)

    def wait_for_words(self, words: str) -> None:
        with self.more_log:
            if not self.more_log.wait_for(lambda: words in self.words(), WITHIN_S):
                raise AssertionError(f"never logged: {words}\n{self.words()}")

    def finish(self, number: int | None = signal.SIGTERM) -> int:
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(WITHIN_S)
        self.reader.join(WITHIN_S)
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WITHIN_S)
        if not self.process.stdout.closed:
            self.process.stdout.close()

    def ctl(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([Daemon.tenon, "ctl", *words, "--control", str(self.control)],
                              capture_output=True, text=True, timeout=WITHIN_S)

    def json(self, *words: str) -> dict:
        done = self.ctl(*words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def wait_for_events(self, kind: str, wanted: Callable[[dict], bool], count: int = 1) -> list[dict]:
        """Returns the events of the kind that are wanted, as soon as there are so many: they come after the log's words."""
        until = time.monotonic() + WITHIN_S
        while True:
            said = [json.loads(line) for line in self.ctl("events", "--type", kind, "--json").stdout.splitlines()]
            found = [one for one in said if wanted(one)]
            if len(found) >= count:
                return found
            if time.monotonic() > until:
                raise AssertionError(f"no such event among {said}\n{self.words()}")

    def connect(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(WITHIN_S)
        client.connect(str(self.control))
        return client


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait(WITHIN_S)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def say(client: socket.socket, line: bytes) -> dict:
    client.sendall(line + b"\n")
    return json.loads(client.makefile("rb").readline())


class ServeCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.queues = self.folder / "queues.yaml"
        self.queues.write_text(QUEUES)

    def deployment(self, more: str = "") -> pathlib.Path:
        file = self.folder / "tenon.yaml"
        file.write_text("apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\n"
                        "control: { socket: control.sock }\n" + more)
        return file

    def started(self, *options: str, more: str = "") -> Daemon:
        daemon = Daemon(self, self.deployment(more), *options)
        daemon.wait("READY=1")
        return daemon

    def refused(self, *words: str) -> str:
        done = subprocess.run([Daemon.tenon, *words], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr


def built_package() -> pathlib.Path:
    """The folder of the Python package tenon, of the build that made the program under test."""
    return pathlib.Path(Daemon.tenon).resolve().parents[1] / "python"


class RmCase(ServeCase):
    """Resource managers over gRPC, on a Unix socket."""

    python = "/usr/bin/python3"  # the distribution's, for which grpcio is a package

    @classmethod
    def setUpClass(cls):
        if subprocess.run([cls.python, "-c", "import grpc"], capture_output=True).returncode:
            raise unittest.SkipTest("python3-grpcio is not installed")
        cls.package = built_package()

    def served(self, *options: str, more: str = "", config: str = "") -> Daemon:
        listen = f"listen: 'unix:{self.folder}/rm.sock'{config}"
        return self.started(*options, more="events: [{ use: tenon.ring }]\n"
                            f"transports: [{{ use: tenon.grpc, config: {{ {listen} }} }}]\n" + more)

    def rm(self, *options: str) -> subprocess.Popen:
        """One whose pods are placed, and which stays until its standard input is closed."""
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock",
             "--package", self.package, "--nodes", "4", "--pods", "60", "--queues", "2", "--stay", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        timer = threading.Timer(WITHIN_S, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        said = []
        while "decisions in" not in (said or [""])[-1]:
            said.append(process.stdout.readline())
            self.assertTrue(said[-1], "".join(said))
        timer.cancel()
        self.assertIn("placed    60\n", said)
        return process

    def gone(self, process: subprocess.Popen) -> None:
        process.stdin.close()
        self.assertEqual(process.wait(WITHIN_S), 0)


class ModuleCase(RmCase):
    """A daemon with a module of the zoo, which orders nodes."""

    def with_module(self, *how, **more) -> Daemon:
        daemon = self.module_begun(*how, **more)
        daemon.wait("READY=1")
        return daemon

    def module_begun(self, name: str, on_fault: str, env: dict | None = None, *options: str, more: str = "",
                     lane: str = "isolation: none") -> Daemon:
        """It may end before it is ready."""
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        for ending in ("so", "yaml"):
            shutil.copy(Daemon.zoo / f"{name.replace('-', '_')}.{ending}", modules)
        self.queues.write_text(QUEUES.replace("    queues:\n      - name: root", "    nodesortpolicy: { type: zoo }\n"
                                              "    queues:\n      - name: root"))
        return Daemon(self, self.deployment(
            f"module_path: [modules]\nmodules: [{{ id: zoo.{name}, on_fault: {on_fault}, {lane} }}]\n"
            "events: [{ use: tenon.ring }]\ntransports:\n"
            f"  - {{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}\n"
            f"  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', address_file: {self.folder}/address }} }}\n"
            + more), *options, env=env)

    def ask(self) -> subprocess.Popen:
        """An RM that goes on asking, whatever becomes of it."""
        process = subprocess.Popen(
            [self.python, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock", "--package",
             self.package, "--nodes", "4", "--pods", "60", "--queues", "2", "--stay"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(end, process)
        return process

    def get(self, path: str) -> str:
        with urllib.request.urlopen((self.folder / "address").read_text().strip() + path, timeout=WITHIN_S) as answer:
            return answer.read().decode()


def main() -> None:
    """Runs the cases that the command line names, or all, with the program that it names. Ends as run_cases does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--zoo", type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    Daemon.tenon, Daemon.zoo = arguments.tenon, arguments.zoo
    run_cases(rest)

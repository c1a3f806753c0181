#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What systemd says of the daemon's unit and user, and what the example deployment that comes with them is worth."""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from cases import run_cases

SERVICE = pathlib.Path(__file__).resolve().parents[2] / "cli/service"
EXPOSURE = 20  # tenths, of what systemd-analyze counts; "OK" ends at 50
TENON = ""


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Unit(unittest.TestCase):
    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.unit = pathlib.Path(folder.name) / "tenon.service"
        self.unit.write_text((SERVICE / "tenon.service").read_text().replace("/usr/bin/tenon", TENON))

    def test_systemd_understands_all_of_it(self):
        done = run("systemd-analyze", "verify", "--man=no", str(self.unit))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_it_is_back_however_it_ended_unless_it_is_refused(self):
        words = self.unit.read_text()
        self.assertRegex(words, r"(?m)^Restart=always$")
        self.assertRegex(words, r"(?m)^RestartPreventExitStatus=2$")
        self.assertRegex(words, r"(?m)^StartLimitIntervalSec=0$")

    def test_it_may_do_little_else(self):
        done = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", str(self.unit))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_sees_which_user_a_resource_manager_is_of(self):
        # Costs a tenth of exposure. In a user namespace all users but root and its own would be one, whose RMs could take
        # names of one another.
        self.assertNotRegex(self.unit.read_text(), r"(?m)^PrivateUsers=(?!no)")

    def calls_of(self, name: str) -> set[str]:
        """A system call, or all of a group and of the groups in it, as systemd lists them."""
        if not name.startswith("@"):
            return {name}
        listed = run("systemd-analyze", "syscall-filter", name).stdout.splitlines()[1:]
        return {call for word in listed if word and not word.strip().startswith("#") for call in self.calls_of(word.strip())}

    def may_call(self) -> set[str]:
        """What its filter leaves: the first line is a list of what is allowed, each later one adds to it or takes away."""
        allowed: set[str] = set()
        for line in re.findall(r"^SystemCallFilter=(.+)$", self.unit.read_text(), re.MULTILINE):
            named = {call for word in line.lstrip("~").split() for call in self.calls_of(word)}
            allowed = allowed - named if line.startswith("~") else allowed | named
        return allowed

    def test_threads_that_answer_may_step_back_as_the_documents_promise(self):
        allowed = self.may_call()
        self.assertIn("epoll_wait", allowed)
        self.assertNotIn("mount", allowed)
        self.assertNotIn("sched_setscheduler", allowed)
        rest = (SERVICE.parents[1] / "plugins/transports/rest/src/conversation.cpp").read_text()
        self.assertIn("::setpriority(", rest)
        self.assertIn("setpriority", allowed)
        # Forward is another matter: with no capability a thread stays behind.
        self.assertIn("\nCapabilityBoundingSet=\n", self.unit.read_text())

    def test_its_user(self):
        if not shutil.which("systemd-sysusers"):
            self.skipTest("systemd-sysusers is not installed")
        done = run("systemd-sysusers", "--dry-run", str(SERVICE / "tenon.sysusers.conf"))
        self.assertEqual(done.returncode, 0, done.stderr)
        user = re.search(r"^User=(\w+)$", self.unit.read_text(), re.MULTILINE)[1]
        self.assertRegex((SERVICE / "tenon.sysusers.conf").read_text(), rf"(?m)^u {user} ")


class Example(unittest.TestCase):
    def test_it_can_be_served_as_it_comes(self):
        done = run(TENON, "serve", "--check", "-c", str(SERVICE / "tenon.yaml"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_paths_are_those_that_the_unit_provides(self):
        unit = (SERVICE / "tenon.service").read_text()
        self.assertIn("RuntimeDirectory=tenon\n", unit)
        for path in re.findall(r"(/(?:run|var)/[\w./-]+)", (SERVICE / "tenon.yaml").read_text()):
            self.assertTrue(path.startswith("/run/tenon/"), path)
        for path in re.findall(r"-c (\S+)", unit):
            self.assertEqual(path, "/etc/tenon/tenon.yaml")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    arguments, rest = parser.parse_known_args()
    TENON = arguments.tenon
    run_cases(rest)

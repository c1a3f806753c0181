#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A script of test cases ends with a status from which ctest knows whether it passed, failed or was skipped."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from cases import run_cases

SCRIPT = """\
import sys
import unittest
from cases import run_cases


class Needs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no program for the class")

    def test_something(self):
        pass


class Cases(unittest.TestCase):
    def test_that_passes(self):
        pass

    def test_that_fails(self):
        self.fail()

    def test_that_is_skipped(self):
        self.skipTest("no program for the case")


run_cases(sys.argv[1:])
"""


class Ends(unittest.TestCase):
    def ends(self, *names: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
            script = pathlib.Path(folder) / "script.py"
            script.write_text(SCRIPT)
            done = subprocess.run([sys.executable, "-B", script, *names], capture_output=True, text=True,
                                  env={"PYTHONPATH": str(pathlib.Path(__file__).resolve().parent)})
        return done.returncode, done.stdout

    def test_with_0_if_all_passed(self):
        self.assertEqual(self.ends("Cases.test_that_passes"), (0, ""))

    def test_with_77_and_the_reason_if_a_case_was_skipped(self):
        status, said = self.ends("Cases.test_that_passes", "Cases.test_that_is_skipped")
        self.assertEqual(status, 77)
        self.assertRegex(said, r"skipped: test_that_is_skipped .*: no program for the case")

    def test_with_77_if_a_class_was_skipped(self):
        status, said = self.ends("Needs")
        self.assertEqual(status, 77)
        self.assertIn("no program for the class", said)

    def test_with_1_if_a_case_failed_and_another_was_skipped(self):
        self.assertEqual(self.ends()[0], 1)

    def test_with_1_if_none_ran(self):
        self.assertEqual(self.ends("-k", "nothing")[0], 1)


if __name__ == "__main__":
    run_cases(sys.argv[1:])

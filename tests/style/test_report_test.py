#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The summary of tools/test: which tests it names, and when it refuses a run."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = '<testcase name="{name}" classname="{name}" time="0.1" status="{status}"><system-out>{output}</system-out></testcase>'


class Summary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for part in ("tools", "tests", "build/phases"):
            (self.root / part).mkdir(parents=True)
        (self.root / "tools/test_report.py").write_bytes((ROOT / "tools/test_report.py").read_bytes())
        (self.root / "tests/allowed_skips.txt").write_text("# why\nfuzz\\.requests  # needs Clang\n")
        self.phases: list[str] = []

    def phase(self, name: str, status: int = 0, log: str = "", budget: int = 0, **tests: str) -> None:
        """`tests` are names of tests, with two underscores for a dot, and how each ended."""
        folder = self.root / "build/phases"
        self.phases.append(f"{name}\t90\t{status}\t{budget}\t\n")
        (folder / "phases.tsv").write_text("".join(self.phases))
        (folder / f"{name}.log").write_text(log)
        if tests:
            cases = "".join(CASE.format(name=test.replace("__", "."), status=how, output=f"printed by {test}\nskipped: no luck\n")
                            for test, how in tests.items())
            (folder / f"{name}.xml").write_text(f'<testsuite name="all">{cases}</testsuite>')

    def summary(self, wanted: int) -> str:
        done = subprocess.run([sys.executable, "-B", self.root / "tools/test_report.py", self.root / "build/phases"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
        self.assertEqual((self.root / "build/report.txt").read_text(), done.stdout)
        return done.stdout

    def test_all_is_well(self):
        self.phase("test", a__b="run", fuzz__requests="notrun")
        said = self.summary(0)
        self.assertRegex(said, r"test +90 s  passed  1 of 2 tests passed\n")
        self.assertIn("      skipped: fuzz.requests: skipped: no luck", said)

    def test_failed_tests_are_named_with_what_they_printed(self):
        self.phase("test", 8, a__b="fail", c__d="run", e__f="fail")
        self.phase("sim")
        said = self.summary(1)
        self.assertIn("FAILED  1 of 3 tests passed\n      failed: a.b\n      failed: e.f\n", said)
        self.assertIn("== test: a.b\nprinted by a__b\n", said)
        self.assertRegex(said, r"sim +90 s  passed")

    def test_a_phase_without_tests_shows_the_end_of_its_log(self):
        self.phase("build", 1, "".join(f"line {i}\n" for i in range(100)) + "tools/test: failed: a check\n")
        said = self.summary(1)
        self.assertIn("failed: a check", said)
        self.assertNotIn("line 70\n", said)
        self.assertIn("line 71\n", said)

    def test_a_skipped_test_that_is_not_listed_fails_the_run(self):
        self.phase("test", a__b="notrun")
        self.assertIn("SKIPPED WITHOUT LEAVE (tests/allowed_skips.txt): a.b: skipped: no luck", self.summary(1))

    def test_a_phase_that_is_skipped_as_a_whole_needs_leave_too(self):
        self.phase("kubernetes", 77, "begins\nskipped: there is no Go here\n")
        said = self.summary(1)
        self.assertRegex(said, r"kubernetes +90 s  FAILED\n      SKIPPED WITHOUT LEAVE \(tests/allowed_skips.txt\): phase.kubernetes: skipped: there is no Go")
        with (self.root / "tests/allowed_skips.txt").open("a") as file:
            file.write("phase\\.kubernetes\n")
        self.assertRegex(self.summary(0), r"kubernetes +90 s  skipped\n      skipped: phase.kubernetes: skipped: there is no Go here\n$")

    def test_a_program_that_was_not_built_has_failed(self):
        self.phase("test", 8, some_test_NOT_BUILT="notrun")
        self.assertIn("failed: some_test_NOT_BUILT", self.summary(1))

    def test_the_whole_run_is_there_as_junit(self):
        self.phase("build", 1, "no \x1b[31mcompiler\n")
        self.phase("test", 8, a__b="fail", c__d="run", fuzz__requests="notrun")
        self.summary(1)
        suites = xml.etree.ElementTree.parse(self.root / "build/report.xml").getroot().findall("testsuite")
        found = {f"{case.get('classname')}.{case.get('name')}": [ending.tag for ending in case] for suite in suites for case in suite}
        self.assertEqual(found, {"build.phase": ["failure"], "test.phase": ["failure"], "test.a.b": ["failure"], "test.c.d": [],
                                 "test.fuzz.requests": ["skipped"]})
        self.assertIn("no ?[31mcompiler", suites[0].find("testcase/failure").text)

    def test_an_excused_skipped_phase_is_skipped_in_junit(self):
        (self.root / "tests/allowed_skips.txt").write_text("phase\\.cost\n")
        self.phase("cost", 77, "cost: skipped, another toolchain\n")
        self.phase("kubernetes", 77, "skipped: there is no Go here\n")
        self.summary(1)
        suites = xml.etree.ElementTree.parse(self.root / "build/report.xml").getroot().findall("testsuite")
        found = {suite.get("name"): [(ending.tag, ending.text) for ending in suite.find("testcase")] for suite in suites}
        self.assertEqual(found, {"cost": [("skipped", "cost: skipped, another toolchain")],
                                 "kubernetes": [("failure", "skipped: there is no Go here")]})

    def test_a_phase_over_its_budget_is_named_and_passes(self):
        self.phase("build", budget=60)
        self.assertIn("passed  over its budget of 1 min", self.summary(0))


if __name__ == "__main__":
    unittest.main()

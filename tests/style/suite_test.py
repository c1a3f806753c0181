#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""tools/suite with tests that fail always, once, by a signal, with a sanitizer's words, or in numbers."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = """{"version": 5, "configurePresets": [{"name": "made", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/made"}],
 "testPresets": [{"name": "made", "configurePreset": "made", "output": {"outputOnFailure": true}}]}"""
ONCE = "if [ -e {0} ]; then echo well; else touch {0}; echo the first time; exit 1; fi"


class Suite(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.build = self.root / "build/made"
        (self.root / "tools").mkdir()
        self.build.mkdir(parents=True)
        (self.root / "tools/suite").write_bytes((ROOT / "tools/suite").read_bytes())
        (self.root / "CMakePresets.json").write_text(PRESETS)

    def run_with(self, **tests: str) -> subprocess.CompletedProcess:
        lines = "".join(f'add_test({name} sh -c "{script}")\n' for name, script in {"good": "exit 0", **tests}.items())
        (self.build / "CTestTestfile.cmake").write_text(lines)
        return subprocess.run(["/usr/bin/python3", "-B", self.root / "tools/suite", "made"], capture_output=True, text=True)

    def once(self, name: str) -> str:
        return ONCE.format(self.root / name)

    def unsteady(self) -> list[str]:
        told = self.build / "unsteady.txt"
        return told.read_text().split() if told.exists() else []

    def test_all_pass(self):
        done = self.run_with()
        self.assertEqual((done.returncode, self.unsteady()), (0, []), done.stdout)

    def test_what_fails_twice_failed_and_its_words_come_last(self):
        done = self.run_with(bad="echo why it is so; exit 1")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"== bad \*\*\*Failed +[0-9.]+ sec; it printed, at its end:\nwhy it is so\n\ntools/suite: failed: bad\n\Z")
        self.assertEqual(self.unsteady(), [])

    def test_what_passes_the_second_time_is_told(self):
        done = self.run_with(lucky=self.once("lucky"))
        self.assertEqual((done.returncode, self.unsteady()), (0, ["lucky"]), done.stdout)
        self.assertIn("UNSTEADY, failed once and then passed: lucky", done.stdout)

    def test_one_of_two_fails_twice(self):
        done = self.run_with(lucky=self.once("lucky"), bad="exit 1")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"tools/suite: failed: bad\n\Z")
        self.assertEqual(self.unsteady(), [])

    def test_four_are_no_matter_of_luck(self):
        done = self.run_with(**{name: self.once(name) for name in ("one", "two", "three", "four")})
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("once more", done.stdout)

    def test_what_a_sanitizer_found_is_found(self):
        done = self.run_with(leaks=self.once("leaks").replace("the first time", "ERROR: LeakSanitizer"))
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("once more", done.stdout)

    def test_a_signal_is_no_matter_of_luck(self):
        done = self.run_with(dies=self.once("dies").replace("exit 1", "kill -SEGV $$"))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("once more", done.stdout)

    def test_what_an_earlier_run_said_is_gone(self):
        self.run_with(lucky=self.once("lucky"))
        self.assertEqual(self.run_with(lucky="exit 0").returncode, 0)
        self.assertEqual(self.unsteady(), [])


if __name__ == "__main__":
    unittest.main()

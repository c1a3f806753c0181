#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon plugin verify` beside a library of the checks that is not of its build: refused in words, and nothing is run."""

import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from cases import run_cases

TENON = pathlib.Path()


class ChecksLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "lib").mkdir()
        shutil.copy(TENON, self.folder / "bin" / "tenon")
        for library in (TENON.parent.parent / "lib").glob("lib*.so*"):
            if library.name != "libtenon_conformance.so":
                os.symlink(library, self.folder / "lib" / library.name)
        self.checks = self.folder / "lib" / "libtenon_conformance.so"

    def verify(self):
        manifest = TENON.parent.parent / "lib" / "tenon" / "modules" / "app-fifo.yaml"
        return subprocess.run([self.folder / "bin" / "tenon", "plugin", "verify", manifest], capture_output=True,
                              text=True, timeout=60, check=False)

    def test_one_that_is_missing_is_named(self):
        done = self.verify()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("lib/libtenon_conformance.so\n  want: the library of the checks", done.stderr)

    def test_one_of_another_build_is_refused(self):
        # A library without the function that says which build it is of, as older ones were.
        os.symlink((TENON.parent.parent / "lib" / "libtenon_kernel.so").resolve(), self.checks)
        done = self.verify()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("tenon_conformance_open", done.stderr)
        self.assertIn("fix:  install the package tenon anew", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    TENON = options.tenon.resolve()
    run_cases(rest)

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""How a script of test cases ends."""

import sys
import unittest


def run_cases(names: list[str]) -> None:
    """Runs the cases of the script that these words of the command line name, or all, and ends the program.

    The exit status is 1 if a case failed or none ran, 77 if a case was skipped, and 0 otherwise. ctest takes 77 for skipped, so that
    tests/allowed_skips.txt decides."""
    done = unittest.main(module="__main__", argv=[sys.argv[0], *names], exit=False).result
    for case, reason in done.skipped:
        print(f"skipped: {case}: {reason}", flush=True)
    if not done.wasSuccessful() or not (done.testsRun or done.skipped):
        sys.exit(1)
    sys.exit(77 if done.skipped else 0)

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The cost gate itself: what it lets through, what it refuses, and what it writes down."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gate  # noqa: E402


def stretch(**other):
    return {"units": 1000, "instructions": 5000.0, "l1_code_misses": 60.0, "l1_data_misses": 200.0, "ll_misses": 5.0,
            "mispredicts": 30.0, "heap_bytes": 300.0, **other}


class Compare(unittest.TestCase):
    def rose(self, **now):
        return gate.compare({"schedule": {"decide": stretch()}}, {"schedule": {"decide": stretch(**now)}})[1]

    def test_a_judged_counter_may_rise_by_its_share_and_no_further(self):
        for counter in gate.JUDGED:
            value = stretch()[counter]
            self.assertEqual([r[0] for r in self.rose(**{counter: value * 1.04})], ["all"], counter)
            self.assertEqual([r[:3] for r in self.rose(**{counter: value * 1.06})],
                             [("schedule", "decide", counter), ("all", "mean ratio", counter)])

    def test_all_stretches_together_may_rise_by_two_per_cent(self):
        def rose(share):
            baseline = {"a": {name: stretch() for name in "bcde"}}
            now = {name: stretch(instructions=5000.0 * (1 + share)) for name in "bcd"} | {"e": stretch()}
            return gate.compare(baseline, {"a": now})[1]
        self.assertEqual(rose(0.025), [])
        self.assertEqual([r[:3] for r in rose(0.03)], [("all", "mean ratio", "instructions")])

    def test_misses_are_printed_and_not_judged(self):
        self.assertEqual(self.rose(l1_code_misses=600.0, l1_data_misses=900.0, ll_misses=50.0, mispredicts=300.0), [])

    def test_one_vector_more_is_no_growth_of_a_stretch_of_few_units(self):
        baseline = {"a": {"b": stretch(units=3)}}
        self.assertEqual(gate.compare(baseline, {"a": {"b": stretch(units=3, heap_bytes=332.0)}})[1], [])
        self.assertTrue(gate.compare(baseline, {"a": {"b": stretch(units=3, heap_bytes=390.0)}})[1])

    def test_less_is_no_fault_and_is_said(self):
        lines, rose, fell = gate.compare({"a": {"b": stretch()}}, {"a": {"b": stretch(instructions=4000.0)}})
        self.assertEqual((rose, [f[2] for f in fell]), ([], ["instructions"]))
        self.assertTrue(any("fell" in line for line in lines))

    def test_what_the_baseline_lacks_and_what_was_not_counted_are_faults(self):
        self.assertTrue(gate.compare({}, {"a": {"b": stretch()}})[1])
        self.assertTrue(gate.compare({"a": {"b": stretch(), "c": stretch()}}, {"a": {"b": stretch()}})[1])


class Build(unittest.TestCase):
    def otherwise(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            if text is not None:
                (root / "CMakeCache.txt").write_text(text)
            return gate.built_otherwise(root / "bin" / "tenon-bench")

    def test_only_the_release_preset_is_compared(self):
        release = "CMAKE_BUILD_TYPE:STRING=Release\nTENON_JOIN_SOURCES:BOOL=ON\nCMAKE_CXX_FLAGS:STRING=\n"
        self.assertEqual(self.otherwise(release), [])
        self.assertEqual(self.otherwise(release.replace("=ON", "=OFF")), ["TENON_JOIN_SOURCES is 'OFF', wanted 'ON'"])
        self.assertEqual(self.otherwise(release + "TENON_SANITIZE:STRING=thread\n"),
                         ["TENON_SANITIZE is 'thread', wanted ''"])
        self.assertIn("does not exist", self.otherwise(None)[0])


class Skips(unittest.TestCase):
    def gate(self, has_valgrind):
        with unittest.mock.patch.object(gate.shutil, "which", lambda name: f"/usr/bin/{name}" if has_valgrind else None), \
                unittest.mock.patch.object(gate, "toolchain", lambda: {"compiler": "another"}), \
                unittest.mock.patch.object(sys, "argv", ["gate.py"]), contextlib.redirect_stdout(io.StringIO()) as said:
            return gate.main(), said.getvalue()

    def test_another_toolchain_is_a_skip(self):
        status, said = self.gate(has_valgrind=True)
        self.assertEqual(status, gate.SKIPPED)
        self.assertIn("cost: skipped, the baseline is of another toolchain", said)

    def test_a_missing_valgrind_is_a_failure(self):
        with self.assertRaisesRegex(RuntimeError, "there is no valgrind here"):
            self.gate(has_valgrind=False)


class Write(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, gate, "BASELINE", gate.BASELINE)
        gate.BASELINE = pathlib.Path(folder.name) / "baseline.json"

    def written(self, counted):
        known = json.loads(gate.BASELINE.read_text()) if gate.BASELINE.exists() else {}
        gate.write(known, {"a": {"b": counted}})
        return json.loads(gate.BASELINE.read_text())

    def test_takes_what_was_counted(self):
        self.written(stretch())
        self.assertEqual(self.written(stretch(instructions=4000.0))["cases"]["a"]["b"]["instructions"], 4000.0)
        self.assertEqual(self.written(stretch(instructions=6000.0))["cases"]["a"]["b"]["instructions"], 6000.0)


class Baseline(unittest.TestCase):
    def test_has_every_case(self):
        self.assertEqual(set(json.loads(gate.BASELINE.read_text())["cases"]), set(gate.CASES))


if __name__ == "__main__":
    unittest.main()

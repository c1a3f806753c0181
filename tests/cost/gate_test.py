#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The cost gate itself: what it lets through, what it refuses, and what it writes down."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gate  # noqa: E402


def stretch(**other):
    return {"units": 1000, "instructions": 5000.0, "l1_code_misses": 60.0, "l1_data_misses": 200.0, "ll_misses": 5.0,
            "mispredicts": 30.0, "heap_bytes": 300.0, **other}


class Compare(unittest.TestCase):
    def rose(self, **now):
        return gate.compare({"schedule": {"decide": stretch()}}, {"schedule": {"decide": stretch(**now)}})[1]

    def test_each_counter_may_rise_by_its_share_and_no_further(self):
        for counter, share in gate.TOLERANCE.items():
            value = stretch()[counter]
            self.assertEqual(self.rose(**{counter: value * (1 + 0.95 * share)}), [], counter)
            self.assertEqual([r[2] for r in self.rose(**{counter: value * (1 + 1.5 * share)})], [counter])

    def test_tiny_counters_may_waver(self):
        baseline = {"a": {"b": stretch(ll_misses=0.01)}}
        self.assertEqual(gate.compare(baseline, {"a": {"b": stretch(ll_misses=0.02)}})[1], [])

    def test_few_data_misses_may_move_by_a_dozen(self):
        baseline = {"a": {"b": stretch(l1_data_misses=20.0)}}
        self.assertEqual(gate.compare(baseline, {"a": {"b": stretch(l1_data_misses=31.0)}})[1], [])
        self.assertTrue(gate.compare(baseline, {"a": {"b": stretch(l1_data_misses=33.0)}})[1])

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


class Write(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, gate, "BASELINE", gate.BASELINE)
        gate.BASELINE = pathlib.Path(folder.name) / "baseline.json"

    def written(self, counted, why=None):
        known = json.loads(gate.BASELINE.read_text()) if gate.BASELINE.exists() else {}
        gate.write(known, {"a": {"b": counted}}, why)
        return json.loads(gate.BASELINE.read_text())

    def test_falls_freely_and_rises_with_a_reason_alone(self):
        self.written(stretch())
        self.assertEqual(self.written(stretch(instructions=4000.0))["cases"]["a"]["b"]["instructions"], 4000.0)
        with self.assertRaisesRegex(RuntimeError, "--why"):
            self.written(stretch())
        kept = self.written(stretch(), "a rule more")
        self.assertEqual(kept["rises"][0]["why"], "a rule more")


class Baseline(unittest.TestCase):
    def test_has_every_case(self):
        self.assertEqual(set(json.loads(gate.BASELINE.read_text())["cases"]), set(gate.CASES))


if __name__ == "__main__":
    unittest.main()

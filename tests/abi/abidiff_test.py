#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Proves that the comparison with the frozen headers bites: each change below must be reported."""

import argparse
import pathlib
import shutil
import sys
import tempfile
import unittest

import abidiff

HERE = pathlib.Path(__file__).resolve().parent
ARGUMENTS = argparse.Namespace()


class Abidiff(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.headers = pathlib.Path(folder.name) / "headers"
        shutil.copytree(HERE / "frozen/epoch-1", self.headers)
        self.accepted = pathlib.Path(folder.name) / "accepted.yaml"

    def change(self, header: str, old: str, new: str):
        path = self.headers / header
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new, 1))

    def check(self) -> list[str]:
        return abidiff.check(HERE / "frozen/epoch-1", self.headers, self.accepted, ARGUMENTS.compiler)

    def expect(self, *parts: str):
        said = "\n".join(self.check())
        for part in parts:
            self.assertIn(part, said)

    def test_nothing_changed(self):
        self.assertEqual(self.check(), [])

    def test_new_struct_is_no_change(self):
        self.change("columns.h", "/* What every batch call sees.", "typedef struct tenon_new {\n  uint32_t size;\n} tenon_new;\n\n/* What every batch call sees.")
        self.assertEqual(self.check(), [])

    def test_struct_that_is_gone(self):
        self.change("sort.h", "tenon_prepare_in", "tenon_prepared_in")
        path = self.headers / "sort.h"
        path.write_text(path.read_text().replace("tenon_prepare_in", "tenon_prepared_in"))
        self.expect("tenon_prepare_in:\ngone")

    def test_append(self):
        self.change("columns.h", "  tenon_world world;\n}", "  tenon_world world;\n  uint64_t more;\n}")
        self.expect("tenon_batch:", "uint64_t more")

    def test_reorder(self):
        self.change("sort.h", "  uint64_t *keys; ", "  uint64_t first;\n  uint64_t *keys; ")
        self.expect("tenon_keys_out:")

    def test_changed_type_of_the_same_size(self):
        self.change("columns.h", "  int64_t now_ms;", "  uint64_t now_ms;")
        self.expect("tenon_batch:")

    def test_changed_signature_of_a_slot(self):
        self.change("sort.h", "(*keys)(tenon_instance *, const tenon_batch *,", "(*keys)(tenon_instance *, uint64_t, const tenon_batch *,")
        self.expect("tenon_sort_v1:")

    def test_slot_that_is_gone(self):
        self.change("predicate.h", "(*signature)(tenon_instance *, const tenon_batch *, tenon_signature_out *out);",
                    "(*words)(tenon_instance *, const tenon_batch *, tenon_signature_out *out);")
        self.expect("tenon_predicate_v1:")

    def test_smaller_scalar(self):
        self.change("columns.h", "  uint32_t type_count;", "  uint16_t type_count;\n  uint16_t gap;")
        self.expect("tenon_batch:")

    def test_header_that_is_gone(self):
        (self.headers / "predicate.h").unlink()
        self.expect("predicate.h", "gone")

    def test_an_accepted_change_needs_a_reason_and_must_still_be_there(self):
        self.change("columns.h", "  tenon_world world;\n}", "  tenon_world world;\n  uint64_t more;\n}")
        self.accepted.write_text("- { name: tenon_batch, reason: appended; readers look at size first }\n")
        self.assertEqual(self.check(), [])
        self.accepted.write_text("- { name: tenon_batch, reason: grew }\n")
        self.expect("has no reason")
        self.accepted.write_text("- { name: tenon_batch, reason: appended; readers look at size first }\n"
                                 "- { name: tenon_column, reason: it was something once before }\n")
        self.expect("not reported any more")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="cc")
    ARGUMENTS, others = parser.parse_known_args()
    if shutil.which("abidiff") is None:
        print("abidiff: skipped: the package abigail-tools is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *others])

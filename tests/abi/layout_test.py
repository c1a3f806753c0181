#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Proves that the layout check lets appends through and nothing else."""

import argparse
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import layout

HEADER = """
#include <stdint.h>
typedef int32_t a_status;
typedef uint64_t tenon_handle;
#define TENON_LIMIT 4u
#define TENON_DRAFT_REV 1u
typedef struct tenon_pair {
  uint64_t left;
  uint64_t right;
} tenon_pair;
typedef struct tenon_table {
  uint32_t size;
  uint32_t reserved; /* 0 */
  a_status (*first)(void *, const tenon_pair *in);
  a_status (*second)(void *, tenon_handle in);
} tenon_table;
"""
SECOND = "  a_status (*second)(void *, tenon_handle in);\n"
COMPILER = "cc"


class LayoutCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.golden = self.folder / "golden.txt"
        self.draft = False
        self.assertEqual(self.run_check(HEADER, update=True)[0], 0)

    def run_check(self, header: str, update: bool = False) -> tuple[int, str]:
        note = "/* DRAFT: loads only on an equal host build. */" if self.draft else ""
        (self.folder / "a.h").write_text("#pragma once\n" + note + header)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = layout.check(self.folder, "", self.golden, COMPILER, update)
        return status, said.getvalue()

    def expect_break(self, old: str, new: str, words: str):
        self.assertIn(old, HEADER)
        for update in (False, True):
            before = self.golden.read_text()
            status, said = self.run_check(HEADER.replace(old, new), update)
            self.assertEqual(status, 1, said)
            self.assertIn(words, said)
            self.assertEqual(self.golden.read_text(), before)

    def expect_append(self, old: str, new: str):
        self.assertIn(old, HEADER)
        status, said = self.run_check(HEADER.replace(old, new))
        self.assertEqual(status, 1, "an append that the text does not have yet passes")
        self.assertIn("--update", said)
        self.assertEqual(self.run_check(HEADER.replace(old, new), update=True)[0], 0)
        self.assertEqual(self.run_check(HEADER.replace(old, new))[0], 0)

    def test_no_change_passes(self):
        self.assertEqual(self.run_check(HEADER)[0], 0)

    def test_other_comments_and_spacing_pass(self):
        self.assertEqual(self.run_check(HEADER.replace("/* 0 */", "/* zero */ ").replace("  uint64_t", "uint64_t"))[0], 0)

    def test_appended_slot_passes_once_recorded(self):
        self.expect_append(SECOND, SECOND + "  a_status (*third)(void *);\n")

    def test_new_struct_and_constant_pass_once_recorded(self):
        self.expect_append("#define TENON_LIMIT 4u", "#define TENON_LIMIT 4u\n#define TENON_OTHER 1u\n"
                           "typedef struct tenon_new {\n  uint32_t size;\n} tenon_new;")

    def test_reorder_of_an_append_is_refused_after_recording(self):
        third, fourth = "  a_status (*third)(void *);\n", "  a_status (*fourth)(void *);\n"
        self.expect_append(SECOND, SECOND + third + fourth)
        status, said = self.run_check(HEADER.replace(SECOND, SECOND + fourth + third), update=True)
        self.assertEqual(status, 1, said)

    def test_reordered_slots_are_refused(self):
        first = "  a_status (*first)(void *, const tenon_pair *in);\n"
        self.expect_break(first + SECOND, SECOND + first, "tenon_table: 'a_status (*)(void *, const tenon_pair *in) first'")

    def test_reordered_fields_of_one_type_are_refused(self):
        self.expect_break("left;\n  uint64_t right", "right;\n  uint64_t left", "tenon_pair: 'uint64_t left' at 0 became")

    def test_changed_signature_is_refused(self):
        self.expect_break("tenon_handle in);\n} tenon_table", "const tenon_handle *in);\n} tenon_table", "second")

    def test_changed_sign_of_a_field_is_refused(self):
        self.expect_break("uint64_t right", "int64_t right", "tenon_pair: 'uint64_t right'")

    def test_changed_width_is_refused(self):
        self.expect_break("uint64_t left;", "uint32_t left;\n  uint32_t left_high;", "tenon_pair: 'uint64_t left'")

    def test_inserted_slot_is_refused(self):
        self.expect_break(SECOND, "  a_status (*between)(void *);\n" + SECOND, "second")

    def test_removed_slot_is_refused(self):
        self.expect_break(SECOND, "", "tenon_table.second is gone")

    def test_removed_struct_is_refused(self):
        self.expect_break(HEADER[HEADER.index("typedef struct tenon_table"):], "", "tenon_table is gone")

    def test_growth_of_a_struct_without_size_is_refused(self):
        self.expect_break("uint64_t right;", "uint64_t right;\n  uint64_t more;", "has no size field")

    def test_changed_constant_is_refused(self):
        self.expect_break("TENON_LIMIT 4u", "TENON_LIMIT 5u", "TENON_LIMIT: 4u became 5u")

    def test_removed_constant_is_refused(self):
        self.expect_break("#define TENON_LIMIT 4u\n", "", "TENON_LIMIT: 4u became nothing")

    def test_changed_typedef_is_refused(self):
        self.expect_break("uint64_t tenon_handle", "int64_t tenon_handle", "tenon_handle: typedef uint64_t became")

    def test_unnamed_padding_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "padding"):
            self.run_check(HEADER.replace("  uint32_t reserved; /* 0 */\n", ""))
        with self.assertRaisesRegex(SystemExit, "padding at the end"):
            self.run_check(HEADER.replace(SECOND, SECOND + "  uint32_t flags;\n"))

    def test_draft_changes_only_with_its_revision(self):
        self.draft = True
        changed = HEADER.replace(SECOND, "")
        self.assertEqual(self.run_check(changed, update=True)[0], 1)
        self.assertEqual(self.run_check(changed.replace("REV 1u", "REV 2u"), update=True)[0], 0)

    def test_revision_of_drafts_frees_no_other_header(self):
        changed = HEADER.replace(SECOND, "").replace("REV 1u", "REV 2u")
        self.assertEqual(self.run_check(changed, update=True)[0], 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default=COMPILER)
    COMPILER = parser.parse_args().compiler
    unittest.main(argv=sys.argv[:1])

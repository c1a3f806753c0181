#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Proves that the header check complains about headers that do not stand alone."""

import pathlib
import tempfile
import unittest

import headers_alone

GOOD = {"a.h": "#ifndef A_H\n#define A_H\n#include <stdint.h>\ntypedef uint32_t a;\n#endif\n", "a.hpp": "#pragma once\n"}


def complaints(files: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder)
        for name, text in files.items():
            (include / name).write_text(text)
        return [text for job in headers_alone.jobs(include, "gcc") if (text := headers_alone.complaint(job, include))]


class HeadersAlone(unittest.TestCase):
    def test_headers_that_stand_alone_pass(self):
        self.assertEqual(complaints(GOOD), [])

    def test_missing_include_is_found(self):
        self.assertEqual(len(complaints(GOOD | {"b.h": "typedef int b;\nuint32_t f(void);\n"})), 4)
        self.assertEqual(len(complaints(GOOD | {"b.hpp": "#pragma once\ninline std::string f() { return {}; }\n"})), 1)

    def test_missing_guard_is_found(self):
        self.assertEqual(len(complaints(GOOD | {"b.h": "struct b {\n  int c;\n};\n"})), 4)

    def test_one_language_alone_is_found(self):
        found = complaints(GOOD | {"b.h": GOOD["a.h"].replace("#endif", "static inline a *b(void *p) { return p; }\n#endif")
                                   .replace("A_H", "B_H").replace("uint32_t a", "uint32_t a_")
                                   .replace("inline a *", "inline a_ *")})
        self.assertEqual(sorted(text.split("\n")[0] for text in found), ["b.h as c++17 by g++:", "b.h as c++20 by g++:"])

    def test_narrowing_is_found(self):
        narrows = "#ifndef B_H\n#define B_H\nstatic inline char b(int v) { return v; }\n#endif\n"
        self.assertEqual(len(complaints(GOOD | {"b.h": narrows})), 4)


if __name__ == "__main__":
    unittest.main()

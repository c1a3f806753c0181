#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The changes by which tests/mutate switches features off: what each replaces, and when it is refused."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import mutations

SOURCE = '''// first(a) of the file
int first(int a) {
  if (a == 1 && b.c(a, "}")) return 2;  // limit
  for (auto x : all) {
    if (x > a) go(x);
    else stop(x);
  }
  const auto f = [&](int y) { return y + 1; };
  switch (a) {
    case one::two:
      return f(3);
  }
  return a - 1'000;
}
int second(long a) { return first(a); }
int second(short a) { return -first(a); }
'''


def changed(way: str, text: str, function: str = "first", source: str = SOURCE, **more: str) -> str:
    return mutations.changed(source, {"file": "a.cpp", "in": function, way: text, **more})


class Changes(unittest.TestCase):
    def assert_replaced(self, result: str, was: str, now: str) -> None:
        self.assertEqual(result, SOURCE.replace(was, now, 1))

    def test_the_innermost_statement_is_left_out(self):
        self.assert_replaced(changed("statement", "b.c"), 'if (a == 1 && b.c(a, "}")) return 2;', ";")
        self.assert_replaced(changed("statement", "return 2"), "return 2;", ";")
        self.assert_replaced(changed("statement", "go(x)"), "go(x);", ";")
        self.assert_replaced(changed("statement", "stop(x)"), "stop(x);", ";")
        self.assert_replaced(changed("statement", "y + 1"), "return y + 1;", ";")
        self.assert_replaced(changed("statement", "f(3)", replace="break;"), "return f(3);", "break;")

    def test_a_condition_is_false(self):
        self.assert_replaced(changed("condition", "b.c"), 'a == 1 && b.c(a, "}")', "false")
        self.assert_replaced(changed("condition", "x > a", replace="true"), "x > a", "true")

    def test_a_text_is_replaced(self):
        self.assert_replaced(changed("text", "a == 1 &&"), "a == 1 &&", "")
        self.assert_replaced(changed("text", "1'000", replace="2"), "1'000", "2")
        self.assert_replaced(changed("text", "-", function="second(short"), "-first", "first")

    def test_blanks_line_breaks_and_comments_do_not_matter(self):
        wrapped = SOURCE.replace("b.c(a,", "b\n      .c(  // why\n          a,")
        self.assertNotEqual(wrapped, SOURCE)
        self.assertEqual(mutations.words(changed("condition", 'b.c(a, "}")', source=wrapped)), mutations.words(changed("condition", "b.c")))

    def test_what_does_not_fit_is_refused_with_what_to_do(self):
        for way, text, function, said in (
            ("statement", "limit", "first", "has `limit` nowhere in `first`; set `statement`"),
            ("statement", "a", "first", "times in `first`"),
            ("text", "first", "second", "has `first` 2 times in `second`"),
            ("condition", "1'000", "first", "but in no condition"),
            ("text", "y", "third", "has no function `third`; set `in`"),
        ):
            with self.subTest(text), self.assertRaisesRegex(mutations.Unfit, said):
                changed(way, text, function)

    def test_the_form_of_a_change_is_checked(self):
        right = {"file": "a.cpp", "in": "f", "text": "x"}
        self.assertEqual(mutations.problem_with(right), "")
        self.assertEqual(mutations.problem_with(right | {"replace": "y"}), "")
        for wrong in ({"file": "a.cpp", "in": "f"}, right | {"statement": "x"}, {"in": "f", "text": "x"}, right | {"finds": "x"}, None):
            with self.subTest(wrong):
                self.assertIn("a change has the keys file, in,", mutations.problem_with(wrong))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A page is played as it stands, and one that is wrong is a failure."""

import os
import pathlib
import tempfile
import unittest

import page_session

PAGE = """\
Text with `code`.

<!-- write words.txt -->
```text
one
two
```

```console
$ cat words.txt
one
two
$ sleep 1000 &
$ cd ..
$ back=$OLDPWD
```

```yaml
not: run
```

```console
$ cat $back/words.txt | wc -l
2
```
"""


class PageSession(unittest.TestCase):
    def play(self, page: str) -> int:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="tenon-")))
        (folder / "page.md").write_text(page)
        return page_session.play(folder / "page.md", folder, dict(os.environ))

    def test_commands_share_a_shell_that_ends_with_what_it_started(self):
        self.assertEqual(self.play(PAGE), 6)

    def test_another_output_and_a_failing_command_are_found(self):
        for right, wrong, words in (("two\n$ sleep", "three\n$ sleep", "wanted\none\nthree"), ("$ cd ..", "$ cd nowhere", "ended with 1"),
                                    ("wc -l\n2", "wc -l", "printed\n2"), ("$ back=", "$ exit 0; back=", "no end")):
            with self.subTest(wrong), self.assertRaisesRegex(AssertionError, words):
                self.assertIn(right, PAGE)
                self.play(PAGE.replace(right, wrong))


if __name__ == "__main__":
    unittest.main()

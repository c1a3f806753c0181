#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A page is played as it stands, and one that is wrong is a failure."""

import os
import pathlib
import tempfile
import unittest

import page_session
from page_session import Session

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
$ grep three $back/words.txt   # fails
$ echo one \\
>   more
one more
$ seq 9
1
...
9
$ echo said >&2
said
$ echo "scenario ok (1.234 s) of 7"
scenario ok (0.001 s) … 7
```

```console
# rm --root-alone
```
"""


class PageSession(unittest.TestCase):
    def play(self, page: str, session: Session = Session()) -> int:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="tenon-")))
        (folder / "page.md").write_text(page)
        return page_session.play(folder / "page.md", folder, dict(os.environ), session)

    def test_commands_share_a_shell_that_ends_with_what_it_started(self):
        self.assertEqual(self.play(PAGE), 11)

    def test_another_output_and_a_failing_command_are_found(self):
        for right, wrong, words in (("two\n$ sleep", "three\n$ sleep", "shows\none\nthree"), ("$ cd ..", "$ cd nowhere", "ended with 1"),
                                    ("wc -l\n2", "wc -l\n3", "printed\n2"), ("$ back=", "$ exit 0; back=", "no end"),
                                    ("grep three", "grep two", "ended with 0"), ("1\n...", "2\n...", "shows\n2\n"),
                                    ("more\none more", "more\none less", "page.md:26"), ("… 7", "… 8", "of 7"),
                                    ("said\n$", "not said\n$", "printed\nsaid")):
            with self.subTest(wrong), self.assertRaisesRegex(AssertionError, words):
                self.assertIn(right, PAGE)
                self.play(PAGE.replace(right, wrong))

    def test_a_session_puts_in_what_a_reader_does(self):
        page = "```console\n$ cd folder\n$ cat /path/to/it\nhere\n```\n\n<!-- not run: it is not here -->\n```console\n$ not-here\n```\n"
        page += "```console\n$ cd folder\n$ touch later &\n$ rm later\n```\n"
        session = Session(before="mkdir folder && echo here >folder/it", instead=(("/path/to/", "./"),),
                          after=(("touch", "until test -e later; do sleep 0.1; done"),), each_block_at_start=True)
        self.assertEqual(self.play(page, session), 7)
        with self.assertRaisesRegex(AssertionError, "no '/path/to/' any more"):
            self.play(PAGE, session)

    def test_a_session_that_does_not_end_is_a_failure(self):
        with self.assertRaisesRegex(AssertionError, "no end"):
            self.play("```console\n$ sleep 1000\n```\n", Session(within_s=1))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Commands and options that documents, remedies and examples name are those that the programs have.

`--help` says what `tenon` has; what is compared is each `tenon …` and `ctl …` in backticks, in blocks of commands, in the
examples of --help itself and in texts of the sources, and each option in backticks that stands alone.
"""

import argparse
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from page_session import documents

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARGUMENTS = argparse.Namespace()

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.M | re.S)
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
OPERATORS = re.compile(r"[;&|<>()]+")
# A word of a document that stands for one: FILE, [APPLICATION], KIND:FILES, …
STANDS_FOR = re.compile(r"[\[…<]|[A-Z][A-Z:\[\]/…]*$")

# Options in backticks without their program, which is none of ours.
OF_OTHERS = {"--go_opt": "protoc"}


@functools.cache
def help_of(program: str, *words: str) -> str:
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True)
    return done.stdout + done.stderr


@functools.cache
def subcommands(*above: str) -> tuple[str, ...]:
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_of(ARGUMENTS.tenon, *above), flags=re.M)
    return tuple(re.findall(r"^  (\w\S*)", listed[1], flags=re.M)) if listed else ()


@functools.cache
def options(*command: str) -> frozenset[str]:
    found = re.findall(r"^  ((?:-\w,)?--[\w-]+(?:,--[\w-]+)*)", help_of(ARGUMENTS.tenon, *command), flags=re.M)
    return frozenset(name for names in found for name in names.split(","))


def commands(*above: str):
    """All commands of `tenon`, groups among them."""
    yield above
    for one in subcommands(*above):
        yield from commands(*above, one)


def complaint(words: list[str]) -> str:
    """What is wrong with what stands behind `tenon`."""
    at: tuple[str, ...] = ()
    after_option = False
    for word in words:
        if word.startswith("-") and len(word) > 1:
            name = word.partition("=")[0]
            if name not in options(*at):
                return f"tenon {' '.join(at)} has no option {name}"
            after_option = "=" not in word
            continue
        if subcommands(*at):
            if word in subcommands(*at):
                at += (word,)
            elif STANDS_FOR.match(word):
                return ""
            elif not after_option:
                return f"tenon {' '.join(at)} has no command {word}"
        after_option = False
    return ""


def simple_commands(line: str):
    """The words of each command of a line of shell, without what is set in front of it."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.commenters = "#"
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:  # a quote that the text leaves open
        words = line.split()
    one: list[str] = []
    for word in [*words, ";"]:
        if OPERATORS.fullmatch(word):
            if one:
                yield one
            one = []
        elif one or not re.match(r"[A-Za-z_]\w*=", word):
            one.append(word)


def wrong_in(line: str) -> str:
    """What is wrong with the commands of ours in a line."""
    for words in simple_commands(line):
        program = words[0]
        if program in ("tenon", "build/release/bin/tenon"):
            found = complaint(words[1:])
        elif program == "ctl" and len(words) > 1:
            found = complaint(words)
        else:
            found = complaint_of_another(program, words[1:])
        if found:
            return found
    return ""


def complaint_of_another(program: str, words: list[str]) -> str:
    """Scripts of the tree have their options in their text, programs that are built in their --help."""
    file, built = ROOT / program, ARGUMENTS.tenon.parent / pathlib.Path(program).name
    if "/" in program and file.is_file() and not program.startswith("build/kubernetes/"):
        known = file.read_text(errors="replace")
    elif re.fullmatch(r"(?:build/release/bin/)?(?:sim|[\w-]*-property|tenon-bench|event-kill|grpc-cuts)", program) and built.is_file():
        known = help_of(str(built))
    else:
        return ""
    for word in words:
        if word.startswith("--") and word.partition("=")[0] not in known:
            return f"{program} has no option {word}"
    return ""


def lines_of(text: str):
    """Of a document: what stands in backticks, and the commands of its blocks."""
    for language, body in FENCED.findall(text):
        if language in ("console", "sh"):
            joined = re.sub(r"\\\n(?:> )?|\n> ", " ", body)
            yield from re.findall(r"^[$#] (.*)$" if language == "console" else r"^(.*)$", joined, flags=re.M)
    for code in CODE.findall(FENCED.sub("", text)):
        yield " ".join(code.split())


def every_option() -> frozenset[str]:
    return frozenset().union(*(options(*command) for command in commands()))


def wrong_in_document(text: str) -> list[str]:
    out = []
    for line in lines_of(text):
        if line.startswith("--"):
            found = next((f"nothing has an option {name}" for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", line)
                          if name not in every_option() and name not in OF_OTHERS and name not in scripts()), "")
        else:
            found = wrong_in(line)
        if found:
            out.append(f"`{line}`: {found}")
    return out


@functools.cache
def scripts() -> frozenset[str]:
    """Options of the tree's own tools and programs of tests."""
    texts = [(ROOT / name).read_text() for name in ("tools/test", "tools/demo", "tests/cost/gate.py", "tests/mutate",
                                                  "tests/bench/beside_shadow.py", "tests/kubernetes/speed.py")]
    texts += [file.read_text() for folder in ("tests/bench", "tests/sim") for file in (ROOT / folder).rglob("*.cpp")]
    in_go = (ROOT / "bridges/kubernetes/cmd/tenon-kubernetes/main.go").read_text()
    return frozenset(name for text in texts for name in re.findall(r"--[a-z][\w-]*", text)) | frozenset(
        f"--{name}" for name in re.findall(r'flag\.\w+\([^"\n]*"([a-z][\w-]*)"', in_go))


class Commands(unittest.TestCase):
    maxDiff = None

    def test_what_documents_name_is_there(self):
        pages = [ROOT / name for name in documents(ROOT)]
        self.assertIn(ROOT / "docs/serve.md", pages)
        wrong = [f"{page.relative_to(ROOT)}: {what}" for page in pages for what in wrong_in_document(page.read_text())]
        self.assertEqual("\n".join(wrong), "")

    def test_what_remedies_and_comments_name_is_there(self):
        wrong = []
        for folder in ("cli", "kernel", "plugins", "sdk", "tools"):
            for file in (ROOT / folder).rglob("*"):
                if file.suffix in (".cpp", ".hpp", ".h", ".yaml", ".c", ".py", ".rs", ".service", ".cmake") or file.name == "demo":
                    for line in re.findall(r"`(tenon [^`\"\n]*)`", file.read_text(errors="replace")):
                        if found := wrong_in(line):
                            wrong.append(f"{file.relative_to(ROOT)}: `{line}`: {found}")
        self.assertEqual("\n".join(wrong), "")

    def test_examples_of_help_are_right(self):
        found = 0
        for command in commands():
            for line in re.findall(r"^  (tenon .*|source .*)$", help_of(ARGUMENTS.tenon, *command), flags=re.M):
                found += 1
                self.assertEqual(wrong_in(line.replace("<(", "")), "", line)
        self.assertGreater(found, 0)

    def test_pages_have_every_option_and_command(self):
        missing = []
        for page, command in (("docs/serve.md", ("serve",)), ("docs/simulate.md", ("simulate",)), ("docs/diff.md", ("diff",)), ("docs/tune.md", ("tune",)), ("docs/shadow.md", ("shadow",)), ("docs/plan.md", ("config", "plan")), ("docs/conformance.md", ("plugin", "verify"))):
            text = (ROOT / page).read_text()
            missing += [f"{page}: {name}" for name in options(*command) - {"--help"}
                        if name.startswith("--") and not re.search(rf"`[^`]*{name}(?![\w-])", text)]
        text = (ROOT / "docs/serve.md").read_text()
        missing += [f"docs/serve.md: {name}" for name in subcommands("ctl") if not re.search(rf"`{name}[` ]", text)]
        self.assertEqual(sorted(missing), [])

    def test_the_table_of_ctl_has_commands_that_are_there(self):
        section = (ROOT / "docs/serve.md").read_text().split("\n## tenon ctl\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| (`.*?) \|", section[section.index("\n|"):].split("\n\n")[0], flags=re.M)
        self.assertTrue(rows)
        known = {word for command in commands("ctl") for word in command[1:]}
        for row in rows:
            for word in re.findall(r"`([a-z]+)", row):
                self.assertIn(word, known, row)

    def test_what_is_wrong_is_found(self):
        for text in ("`tenon srve`", "`tenon serve --chek`", "`tenon ctl\nqueue`", "`ctl stop nothing`", "`tenon config chek FILE`",
                     "`--no-such-option`", "```console\n$ cd a && tenon simulate \\\n>   --nods 3\n```\n", "`tools/demo --twice`",
                     "```console\n$ A=b tenon plugin lnt x | cat\n```\n", "```sh\ntenon ctl apps --jsn\n```\n", "`tenon --vrsion`"):
            with self.subTest(text):
                self.assertEqual(len(wrong_in_document(text)), 1)
        for text in ("`tenon serve`", "`tenon ctl`", "`tenon COMMAND --help`", "`tenon ctl -c FILE`" if "-c" in options("ctl") else "`tenon`",
                     "`tenon serve -c x --check`", "`tenon scenario run FILE…`", "`--record-at-once`", "`tools/demo --once`",
                     "`tenon simulate --seed=7 && tenon ctl apps`", "```yaml\ntenon: srve\n```\n", "`a tenon srve`"):
            with self.subTest(text):
                self.assertEqual(wrong_in_document(text), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", type=pathlib.Path, required=True, help="the program")
    ARGUMENTS, others = parser.parse_known_args()
    if not ARGUMENTS.tenon.exists():
        print("skipped: tenon is not built; cmake --build --preset release --target tenon")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *others])

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What shells offer and what the manual page has is what --help lists, for every command."""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from cases import run_cases

TENON = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]


def tenon(*words: str) -> str:
    return subprocess.run([TENON, *words], check=True, capture_output=True, text=True).stdout


def offered(*words: str, folder: str | None = None) -> list[str]:
    """What is offered in place of the last word."""
    script = (
        f"source <({shlex.quote(TENON)} completion bash)\n"
        f"COMP_WORDS=({' '.join(shlex.quote(word) for word in (TENON, *words))}) COMP_CWORD={len(words)}\n"
        "_tenon\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    done = subprocess.run(["bash", "-uc", script], check=True, capture_output=True, text=True, cwd=folder)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if line]


def commands(*above: str) -> list[tuple[str, ...]]:
    """This command and all below it."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", tenon(*above, "--help"), re.MULTILINE)
    below = re.findall(r"^  (\w[\w-]*)", listed.group(1), re.MULTILINE) if listed else []
    return [above, *(found for name in below for found in commands(*above, name))]


class Completion(unittest.TestCase):
    def test_no_option_of_any_command_is_missing(self):
        found = commands()
        self.assertIn(("scenario", "run"), found)
        for command in found:
            with self.subTest(" ".join(command)):
                options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", tenon(*command, "--help"), re.MULTILINE)
                self.assertIn("--help", options)
                self.assertEqual(sorted(offered(*command, "--")), sorted(options))

    def test_commands_are_offered_below_their_own(self):
        self.assertEqual(sorted(offered("")), sorted(c[0] for c in commands() if len(c) == 1))
        self.assertEqual(offered("sim"), ["simulate"])
        self.assertEqual(offered("scenario", ""), ["run"])
        self.assertEqual(offered("completion", ""), ["bash", "zsh", "fish"])

    def test_every_command_that_a_message_names_exists_and_is_whole(self):
        """A message that points to a command can be copied: the command exists and has the words that it requires."""
        required = {}
        for command in commands():
            usage = re.search(r"^Usage: (.*)$", tenon(*command, "--help"), re.MULTILINE).group(1)
            required[command] = re.findall(r" ([A-Z]+)\b(?!\])", usage)  # SUBCOMMAND, of a group
        for source in (path for folder in ("kernel", "cli", "plugins", "sdk") for path in (ROOT / folder).rglob("*.cpp")):
            code = re.sub(r"^\s*//.*$", "", source.read_text(), flags=re.MULTILINE)
            for named, end in re.findall(r'`tenon ([^`"\n]+)(`|" \+)', code):
                words = named.split()
                if tuple(words) in required and "SUBCOMMAND" in required[tuple(words)]:
                    continue  # a whole group is named
                command = max((one for one in required if list(one) == words[: len(one)]), key=len)
                given = len(words) - len(command) + (end != "`")
                with self.subTest(source=str(source.relative_to(ROOT)), named=named):
                    self.assertGreaterEqual(given, len(required[command]), f"requires {required[command]}")
                    if "SUBCOMMAND" in required[command]:
                        self.assertIn(words[len(command)], ("COMMAND", "--help"), "no such command")

    def test_values_of_options_are_words_files_or_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a queue.yaml").write_text("")
            (pathlib.Path(folder) / "below").mkdir()
            self.assertEqual(offered("simulate", "--mode", ""), ["fill", "replay"])
            self.assertEqual(offered("simulate", "--gangs", "s"), ["soft"])
            self.assertEqual(sorted(offered("simulate", "--config", "", folder=folder)), ["a queue.yaml", "below"])
            self.assertEqual(offered("simulate", "--module-path", "", folder=folder), ["below"])
            self.assertEqual(offered("simulate", "--seed", "", folder=folder), [])
            self.assertEqual(offered("config", "check", "a", folder=folder), ["a queue.yaml"])
            self.assertEqual(offered("simulate", "--trace", "s"), ["swf:"])
            self.assertEqual(offered("simulate", "--trace", "swf", ":", "a", folder=folder), ["a queue.yaml"])
            self.assertEqual(len(offered("simulate", "--trace", "swf", ":", folder=folder)), 2)

    def test_the_script_is_sound(self):
        script = tenon("completion", "bash")
        done = subprocess.run(["shellcheck", "--shell=bash", "-"], input=script, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_other_shells_ask_the_same_and_show_what_each_means(self):
        said = dict(line.split("\t") for line in tenon("complete", "--", "sim").splitlines())
        self.assertEqual(list(said), ["simulate"])
        self.assertIn("load", said["simulate"])
        self.assertEqual(tenon("complete", "--", "simulate", "--config", ""), ":files\n")
        self.assertEqual(tenon("complete", "--", "simulate", "--module-path", ""), ":folders\n")
        plays = {
            "zsh": ["zsh", "-f", "-c", "compdef() { :; }; _describe() { print -l $candidates; }; _files() { print FILES; }; "
                    f"source <({shlex.quote(TENON)} completion zsh); words=({shlex.quote(TENON)} ctl un); CURRENT=3; _tenon; "
                    f"words=({shlex.quote(TENON)} simulate --config ''); CURRENT=4; _tenon"],
            "fish": ["fish", "-c", f"{shlex.quote(TENON)} completion fish | source; complete -C {shlex.quote(TENON + ' ctl un')}"]}
        for shell, play in plays.items():
            self.assertIn("complete -- ", tenon("completion", shell))
            if shutil.which(shell):  # where there is none, the words above are all that is looked at
                done = subprocess.run(play, capture_output=True, text=True)
                self.assertRegex(done.stdout, "^undrain[:\t]Use a node again", done.stderr)
                self.assertEqual("FILES" in done.stdout, shell == "zsh")

    def test_the_manual_has_every_command_and_option(self):
        page = tenon("manual")
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-K", "utf8"], input=page, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for command in commands():
            part = page.partition(f".SS {' '.join(('tenon', *command))}\n".replace("-", "\\-"))[2].partition(".SS ")[0]
            for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", tenon(*command, "--help"), re.MULTILINE):
                self.assertIn(option.replace("-", "\\-"), part, command)

    def test_options_follow_a_value(self):
        self.assertEqual(offered("simulate", "--mode", "fill", "--rep"), ["--replay", "--report"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True, help="the program")
    arguments, rest = parser.parse_known_args()
    TENON = arguments.tenon
    run_cases(rest)

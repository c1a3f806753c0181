# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Plays a page of the documentation in one shell: writes its files, runs its commands and compares what they print."""

import pathlib
import re
import subprocess

PIECE = re.compile(r"(?:^<!-- write (\S+) -->\n)?^```(\w+)\n(.*?)^```$", flags=re.M | re.S)
WITHIN_S = 300


def steps(page: str) -> list[tuple[str, str]]:
    """Commands in their order, each with what the page says that it prints. To write a file is one that prints nothing."""
    out: list[tuple[str, str]] = []
    for written, language, body in PIECE.findall(page):
        if written:
            out.append((f"cat >{written} <<'end-of-{written}'\n{body}end-of-{written}", ""))
        elif language == "console":
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, flags=re.M):
                out.append((command, printed))
    return out


def play(page: pathlib.Path, folder: pathlib.Path, environment: dict) -> int:
    """How many commands were run. Raises AssertionError at the first one that fails or prints something else."""
    wanted = steps(page.read_text())
    mark = "=== end of command"
    script = "".join(f"{command}\nprintf '\\n{mark} %s\\n' $?\n" for command, _ in wanted)
    # What is left in the background goes with the shell.
    shell = subprocess.Popen(["bash", "-c", f"trap 'kill $(jobs -p) 2>/dev/null' EXIT\n{script}"], cwd=folder, env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        said, errors = shell.communicate(timeout=WITHIN_S)
    except subprocess.TimeoutExpired:
        shell.terminate()
        said, errors = shell.communicate()
    pieces = re.split(rf"\n{mark} (\d+)\n", said)
    for i, (command, printed) in enumerate(wanted):
        code = pieces[2 * i + 1] if len(pieces) > 2 * i + 1 else "no end"
        if code != "0" or pieces[2 * i] != printed:
            raise AssertionError(f"$ {command}\nended with {code}, printed\n{pieces[2 * i]}\nwanted\n{printed}\nerrors:\n{errors}")
    return len(wanted)

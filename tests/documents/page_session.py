# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Plays a page of the documentation in one shell: writes its files, runs its commands and compares what they print.

A block in a fence of the language `console` has commands behind "$ ", with ">" in front of further lines, and below each one
what it prints. Where nothing is shown nothing is compared; a line "..." is any number of lines, and "…" any text within a
line. A command that ends with "# fails" must. "# " in place of "$ " is root's. A block right under `<!-- write FILE -->` is
written to that file, one right under `<!-- not run: REASON -->` is left out.
"""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile

FENCE = re.compile(r"^(?:<!-- (write|not run:|shown alone:) (\S[^\n]*) -->\n)?^```(\w*)\n(.*?)^```$", flags=re.M | re.S)
COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", flags=re.M)
MARK = "=== end of command"

# What differs from run to run, and what stands for it. Everything else is compared as it is.
VARIES = (
    (r"\(\d+\.\d+ s\)", "(0.000 s)", "how long a scenario took"),
    (r'"now_ms":\d+', '"now_ms":0', "the time of day"),
)


@dataclasses.dataclass(frozen=True)
class Block:
    line: int  # of the page, where the fence begins
    written: str  # the file that it is written to
    language: str
    body: str
    not_run: str = ""  # why it is left out
    shown_alone: str = ""  # why no command stands above the output

    @property
    def first(self) -> str:
        return self.body.partition("\n")[0]


@dataclasses.dataclass(frozen=True)
class Session:
    """How a page is played."""

    before: str = ""  # what the page takes for granted, as shell
    instead: tuple[tuple[str, str], ...] = ()  # what a reader puts in, for what the page has
    after: tuple[tuple[str, str], ...] = ()  # shell after commands that begin so: what a person waits for
    each_block_at_start: bool = False  # every block begins in the folder of the first
    within_s: float = 300


def documents(root: pathlib.Path) -> list[str]:
    """All pages of the tree, but those that a build made."""
    found = (path.relative_to(root) for path in root.rglob("*.md"))
    return sorted(str(path) for path in found if path.parts[0] != "build" and not any(part.startswith(".") for part in path.parts))


def blocks(page: str) -> list[Block]:
    out = []
    for found in FENCE.finditer(page):
        written, not_run, shown_alone = (found[2] if found[1] == mark else "" for mark in ("write", "not run:", "shown alone:"))
        out.append(Block(page.count("\n", 0, found.start(3)) + 1, written, found[3], found[4], not_run, shown_alone))
    return out


@dataclasses.dataclass(frozen=True)
class Step:
    line: int
    command: str
    shown: str


def until_socket(path: str) -> str:
    """The daemon of a session is there when its control socket is."""
    return f"for _ in $(seq 600); do test -S {path} && break; sleep 0.1; done"


def steps(page: str, session: Session = Session()) -> list[Step]:
    """Commands in their order, each with what the page says that it prints. To write a file is one that shows nothing."""
    for has, put_in in session.instead:
        if has not in page:
            raise AssertionError(f"the page has no {has!r} any more")
        page = page.replace(has, put_in)
    out = []
    for block in blocks(page):
        if block.not_run:
            continue
        if session.each_block_at_start and (block.written or block.language == "console"):
            out.append(Step(block.line, 'cd "$start"', ""))
        if block.written:
            out.append(Step(block.line, f"cat >{block.written} <<'end-of-{block.written}'\n{block.body}end-of-{block.written}", ""))
        elif block.language == "console":
            for found in COMMAND.finditer(block.body):
                command = found[1].rstrip("\n").replace("\n> ", "\n")
                out.append(Step(block.line + 1 + block.body.count("\n", 0, found.start()), command, found[2]))
    return out


def same(text: str) -> str:
    for varies, stands_for, _ in VARIES:
        text = re.sub(varies, stands_for, text)
    return text


def agrees(shown: str, printed: str) -> bool:
    if not shown:
        return True
    pattern = ""
    for line in same(shown).splitlines():
        pattern += r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("…"))) + r"\n"
    return re.fullmatch(pattern, same(printed)) is not None


def script(wanted: list[Step], session: Session) -> str:
    # What is left in the background goes with the shell; what it says is not what the command before it prints.
    out = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\nstart=$PWD\nbackground=$(mktemp)\n" + session.before
    out += f"\nprintf '\\n{MARK} %s\\n' $?\n"
    for step in wanted:
        if step.command.endswith("&"):
            out += f'exec 8>&1 >>"$background" 2>&1\n{step.command}\nexec >&8 2>&1 8>&-\n'
        else:
            out += f"{step.command}\n"
        out += f"printf '\\n{MARK} %s\\n' $?\n"
        for begins, wait in session.after:
            if step.command.startswith(begins):
                out += f"{{ {wait}\n}} >/dev/null 2>&1\n"
    return out + 'exec >&2\ncat "$background"\nrm "$background"\n'


def play(page: pathlib.Path, folder: pathlib.Path, environment: dict, session: Session = Session()) -> int:
    """How many commands were run. Raises AssertionError at the first one that does or prints something else."""
    wanted = steps(page.read_text(), session)
    with tempfile.TemporaryFile("w+") as aside:  # what the background said, for who reads of a failure
        # Lines go out one by one, as on a terminal: what is said on either output keeps its order.
        shell = subprocess.Popen(["stdbuf", "-oL", "bash", "-c", "exec 7>&2 2>&1\n" + script(wanted, session).replace("exec >&2", "exec >&7")],
                                 cwd=folder, env=environment, text=True, start_new_session=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=aside)
        try:
            said = shell.communicate(timeout=session.within_s)[0]
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            said = shell.communicate()[0]
        finally:
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        aside.seek(0)
        background = aside.read()
    pieces = re.split(rf"\n{MARK} (\d+)\n", said)[2:]
    for i, step in enumerate(wanted):
        code = pieces[2 * i + 1] if len(pieces) > 2 * i + 1 else "no end"
        good = code not in ("0", "no end") if step.command.endswith("# fails") else code == "0"
        printed = pieces[2 * i] if len(pieces) > 2 * i else said
        if not good or not agrees(step.shown, printed):
            raise AssertionError(f"{page.name}:{step.line}: $ {step.command}\nended with {code}, printed\n{printed}\n"
                                 f"the page shows\n{step.shown}\nin the background:\n{background}")
    return len(wanted)

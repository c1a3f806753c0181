# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Rules about documents: what they point to exists."""

import posixpath
import re
from typing import Iterator

from tree import Complaint, Tree

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$")
FENCE = re.compile(r"^\s*(```|~~~)")
# A path in backticks that claims to be a file of the repository.
NAMED_FILE = re.compile(r"`((?:kernel|sdk|plugins|cli|tests|tools|docs|cmake)/[\w./-]+\.\w+)`")


def prose(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside of code blocks."""
    fenced = False
    for number, line in enumerate(tree.lines(path), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor(heading: str) -> str:
    """The anchor that a heading gets on the usual forges."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(tree: Tree, path: str) -> set[str]:
    found = (HEADING.match(line) for _, line in prose(tree, path))
    return {anchor(heading.group(1)) for heading in found if heading}


def links(tree: Tree) -> Iterator[Complaint]:
    """relative links and named files of a document exist"""
    for path in tree.paths("*.md"):
        folder = posixpath.dirname(path)
        for number, line in prose(tree, path):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, fragment = target.partition("#")
                file = posixpath.normpath(posixpath.join(folder, name)) if name else path
                if not tree.exists(file):
                    yield Complaint(path, number, f"links to {target}, which does not exist")
                elif fragment and file.endswith(".md") and fragment not in anchors(tree, file):
                    yield Complaint(path, number, f"links to {target}, and {file} has no such heading")
            for file in NAMED_FILE.findall(line):
                if not tree.exists(file) and not tree.exists(posixpath.join(folder, file)):
                    yield Complaint(path, number, f"names {file}, which does not exist")


INDEX = "docs/README.md"


def index(tree: Tree) -> Iterator[Complaint]:
    """docs/README.md lists every page of docs/"""
    pages = [path for path in tree.paths("*.md", under=("docs/",)) if path != INDEX]
    listed = {posixpath.normpath(f"docs/{target}") for target in LINK.findall(tree.text(INDEX) or "")}
    for path in pages:
        if path not in listed:
            yield Complaint(path, 0, f"is not listed in {INDEX}")


HOW_TO_ADD = "docs/how-to-add.md"
STEP = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| .+ \|$")


def how_to_add(tree: Tree) -> Iterator[Complaint]:
    """docs/how-to-add.md: each file exists and has the words that the page names"""
    if not tree.exists(HOW_TO_ADD):
        return
    for number, line in enumerate(tree.lines(HOW_TO_ADD), 1):
        if step := STEP.match(line):
            file, words = step.groups()
            if not tree.exists(file):
                yield Complaint(HOW_TO_ADD, number, f"names {file}, which does not exist; name the file that does this now")
            elif words not in (tree.text(file) or ""):
                yield Complaint(HOW_TO_ADD, number, f"{file} does not have `{words}`; name words that lead to the place")


DIFFERENCES = "docs/differences.md"
ROW = re.compile(r"^\|\s*(\d+)\s*\|(.*)\|\s*(?:`(\w+)\.(\w+)`|`(tests/scenarios/[\w-]+\.yaml)`|—)\s*\|$")
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")


def differences(tree: Tree) -> Iterator[Complaint]:
    """docs/differences.md numbers the items of each section from 1 on, and the tests and scenarios that the page names exist"""
    if not tree.exists(DIFFERENCES):
        return
    tests = {found for path in tree.paths("*.cpp", under=("tests/", "plugins/")) for found in TEST.findall(tree.text(path) or "")}
    expected = 1
    for number, line in prose(tree, DIFFERENCES):
        if line.startswith("## "):
            expected = 1
        if not (row := ROW.match(line)):
            continue
        item, text, suite, name, scenario = row.groups()
        if int(item) != expected:
            yield Complaint(DIFFERENCES, number, f"has the number {item}; items are numbered from 1 on, so this is item {expected}")
        expected += 1
        if suite and (suite, name) not in tests:
            yield Complaint(DIFFERENCES, number, f"names the test {suite}.{name}, which does not exist")
        if scenario and not tree.exists(scenario):
            yield Complaint(DIFFERENCES, number, f"names the scenario {scenario}, which does not exist")
        if not suite and not scenario and "*not built*" not in text:
            yield Complaint(DIFFERENCES, number, "names no test, and does not say that it is not built")


PHASES, BUDGETS = "tools/test", "HACKING.md"
MOST_MINUTES = (15, 45)  # of all phases of the gate together: warm, cold
GATE = re.compile(r"^gate_phases=\(([^)]*)\)", re.MULTILINE)
PHASE = re.compile(r'\[([\w-]+)\]="(\d+) (\d+)"')
BUDGET = re.compile(r"^\|\s*`?([\w-]+)`?\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|$")


WRITE_BUDGETS = "python3 -B tests/style/style.py --write-budgets"


def minutes(tree: Tree) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """The phases of the gate, and the minutes of each phase and of the gate as tools/test has them."""
    text = tree.text(PHASES) or ""
    gate = GATE.search(text)
    phases = gate[1].split() if gate else []
    found = {phase: (int(warm), int(cold)) for phase, warm, cold in PHASE.findall(text)}
    found["gate"] = tuple(sum(found[phase][column] for phase in phases if phase in found) for column in (0, 1))
    return phases, found


def budgets(tree: Tree) -> Iterator[Complaint]:
    """HACKING.md has the minutes of each phase as tools/test has them, and the gate's are few enough in all"""
    if not tree.exists(PHASES):
        return
    gate, wanted = minutes(tree)
    for phase in gate:
        if phase not in wanted:
            yield Complaint(PHASES, 0, f"has no minutes for {phase}, a phase of the gate; add them to `budget`")
    if any(has > most for has, most in zip(wanted["gate"], MOST_MINUTES)):
        yield Complaint(PHASES, 0, f"the gate may take {wanted['gate']} minutes, warm and cold; the limit is {MOST_MINUTES}")
    found = {row[1]: (int(row[2]), int(row[3])) for _, line in prose(tree, BUDGETS) if (row := BUDGET.match(line))}
    if found != wanted:
        differing = sorted(phase for phase in found.keys() | wanted.keys() if found.get(phase) != wanted.get(phase))
        yield Complaint(BUDGETS, 0, f"has other minutes than {PHASES} for {', '.join(differing)}; update the table: {WRITE_BUDGETS}")


def with_budgets(tree: Tree) -> str:
    """HACKING.md with the minutes of tools/test."""
    gate, wanted = minutes(tree)
    rows = {phase: f"| {phase if phase == 'gate' else f'`{phase}`'} | {warm} | {cold} |" for phase, (warm, cold) in wanted.items()}
    out: list[str] = []
    last = 0
    for line in tree.lines(BUDGETS):
        row = BUDGET.match(line)
        if row and row[1] == "gate":  # phases of the gate that the table lacks come before their sum
            out += [rows.pop(phase) for phase in gate if phase in rows]
        if not row or row[1] in rows:
            out.append(rows.pop(row[1]) if row else line)
        if row:
            last = len(out)
    return "\n".join([*out[:last], *rows.values(), *out[last:]]) + "\n"


RULES = [links, index, how_to_add, differences, budgets]

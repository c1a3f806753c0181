#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Summarises a run of tools/test: `test_report.py FOLDER`. Exits with 1 if a phase failed or a test was skipped without leave.

FOLDER has phases.tsv (a line for each phase: name, seconds, exit status, budget in seconds or 0, a note), the output of each phase
in PHASE.log and, where the phase ran tests, PHASE.xml in JUnit's format. The summary goes to the standard output, to
build/report.txt and, in JUnit's format with all phases, to build/report.xml. tests/allowed_skips.txt lists the tests that may be
skipped."""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree
from typing import Iterator, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED_STATUS = 77  # of a phase that cannot run here
LAST_LINES = 30  # of the output of a failed test or phase
BY_ITSELF = re.compile(r"^tools/test: failed: (.*)$", re.MULTILINE)  # how a phase without a test runner names a failure
NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")  # what XML 1.0 cannot hold, and what is rare
SKIPPED = re.compile(r"^.*\b(?:skipped|SKIP)\b.*$", re.MULTILINE | re.IGNORECASE)


class Result(NamedTuple):
    """One test of a phase. `state` is passed, failed or skipped; `output` is what the test printed."""
    name: str
    state: str
    output: str
    seconds: str = "0"


def results(report: pathlib.Path) -> Iterator[Result]:
    if not report.exists():
        return
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        state = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        if state == "skipped" and "NOT_BUILT" in case.get("name"):
            state = "failed"
        yield Result(case.get("name"), state, output, case.get("time") or "0")


def allowed_skips(file: pathlib.Path) -> list[re.Pattern]:
    lines = (line.split("#")[0].strip() for line in file.read_text().splitlines())
    return [re.compile(line) for line in lines if line]


def last_lines(text: str) -> list[str]:
    return text.rstrip().splitlines()[-LAST_LINES:]


def machine() -> str:
    """The processor, the load and, since the machine started, the share of time that other machines took."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    ticks = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores, load {load}, steal {100 * ticks[7] / sum(ticks):.1f} %"


def commit() -> str:
    try:
        done = subprocess.run(["git", "log", "-1", "--format=%h of %cs"], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown commit"
    return done.stdout.strip() or "unknown commit"


class JUnit:
    """The whole run in JUnit's format: a suite for each phase, with a case for the phase itself and one for each of its tests."""

    def __init__(self):
        self.root = xml.etree.ElementTree.Element("testsuites")

    def add_phase(self, phase: str, seconds: str, state: str, log: str, tests: list[Result]) -> None:
        """`state` is that of the phase as a whole: passed, failed or skipped."""
        suite = xml.etree.ElementTree.SubElement(self.root, "testsuite", name=phase, time=seconds)
        self._add_case(suite, phase, Result("phase", state, log), seconds)
        for test in tests:
            self._add_case(suite, phase, test, test.seconds)

    def _add_case(self, suite, phase: str, test: Result, seconds: str) -> None:
        case = xml.etree.ElementTree.SubElement(suite, "testcase", classname=phase, name=test.name, time=seconds)
        if test.state != "passed":
            ending = xml.etree.ElementTree.SubElement(case, {"failed": "failure"}.get(test.state, test.state))
            ending.text = NO_XML.sub("?", "\n".join(last_lines(test.output)))

    def write(self, file: pathlib.Path) -> None:
        xml.etree.ElementTree.ElementTree(self.root).write(file, encoding="unicode", xml_declaration=True)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    allowed = allowed_skips(ROOT / "tests/allowed_skips.txt")
    table, details, failed = [], [], 0
    junit = JUnit()
    for line in (folder / "phases.tsv").read_text().splitlines():
        phase, seconds, status, budget, note = line.split("\t")
        log = (folder / f"{phase}.log").read_text(errors="replace")
        tests = list(results(folder / f"{phase}.xml"))
        bad = [test for test in tests if test.state == "failed"]
        skipped = [test for test in tests if test.state == "skipped"]
        forbidden = [test for test in skipped if not any(pattern.fullmatch(test.name) for pattern in allowed)]
        by_itself = BY_ITSELF.findall(log)
        left_out = int(status) == SKIPPED_STATUS  # the phase as a whole
        excused = left_out and any(pattern.fullmatch(f"phase.{phase}") for pattern in allowed)
        verdict = "skipped" if excused else "FAILED" if int(status) or forbidden else "passed"
        failed += verdict == "FAILED"
        junit.add_phase(phase, seconds, verdict.lower(), log, tests)
        row = f"  {phase:11}{seconds:>5} s  {verdict} {note}".rstrip()
        if tests:
            row += f"  {sum(test.state == 'passed' for test in tests)} of {len(tests)} tests passed"
        if int(budget) and int(seconds) > int(budget):
            row += f"  over its budget of {int(budget) // 60} min"
        table.append(row)
        table += [f"      failed: {name}" for name in [test.name for test in bad] + by_itself]
        if left_out:
            reason = SKIPPED.search(log)
            leave = "skipped" if excused else "SKIPPED WITHOUT LEAVE (tests/allowed_skips.txt)"
            table.append(f"      {leave}: phase.{phase}: {reason[0].strip() if reason else 'no reason given'}")
        for test in skipped:
            reason = SKIPPED.search(test.output)
            leave = "SKIPPED WITHOUT LEAVE (tests/allowed_skips.txt)" if test in forbidden else "skipped"
            table.append(f"      {leave}: {test.name}: {reason[0].strip() if reason else 'no reason given'}")
        details += [line for test in bad for line in ("", f"== {phase}: {test.name}", *last_lines(test.output))]
        if int(status) and not bad and not excused:
            details += ["", f"== {phase}", *last_lines(log)]
    text = "\n".join([f"== summary of {commit()} on {machine()}", *table, *details, ""])
    (ROOT / "build/report.txt").write_text(text)
    junit.write(ROOT / "build/report.xml")
    print(text, end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

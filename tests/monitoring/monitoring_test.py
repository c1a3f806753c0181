#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Alert rules and the Grafana board: promtool takes them, alerts fire when they must, and every metric is served."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
MONITORING = TREE / "docs" / "monitoring"
# What Prometheus adds to a histogram, and makes itself.
SUFFIXES = ("_bucket", "_count", "_sum")
OWN = {"up"}


def served() -> set[str]:
    """The names of docs/metrics.md, which a test of tenon.rest compares with what is served."""
    page = (TREE / "docs" / "metrics.md").read_text().split("## Exceptions")[0]
    return set(re.findall(r"^\| `([a-z_<>]+)`", page, re.MULTILINE))


def metrics_in(expression: str) -> set[str]:
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\{[^}]*\}", "", bare)
    found = set(re.findall(r"\b(?:tenon|yunikorn|process|up)(?:_[a-z_]+)?\b", bare))
    return {re.sub("(%s)$" % "|".join(SUFFIXES), "", name) for name in found}


def expressions_of_board() -> list[str]:
    board = json.loads((MONITORING / "board.json").read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def promtool(*arguments: str | pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=300)


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_rules_are_taken(self):
        done = promtool("check", "rules", MONITORING / "alerts.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_alerts_fire_when_they_must_and_not_else(self):
        for file in (MONITORING / "alerts.yaml", TREE / "tests" / "monitoring" / "alerts_test.yaml"):
            shutil.copy(file, self.folder)
        done = promtool("test", "rules", self.folder / "alerts_test.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_is_tested(self):
        tested = (TREE / "tests" / "monitoring" / "alerts_test.yaml").read_text()
        alerts = re.findall(r"- alert: (\w+)", (MONITORING / "alerts.yaml").read_text())
        self.assertGreater(len(alerts), 10)
        for alert in alerts:
            self.assertIn(f"alertname: {alert}}}", tested)
            self.assertIn(f'alertname="{alert}"', tested)

    def test_what_the_board_asks_is_taken(self):
        rules = []
        for number, expression in enumerate(expressions_of_board()):
            # What Grafana fills in.
            for name, value in {"$__rate_interval": "5m", "$__range": "6h"}.items():
                expression = expression.replace(name, value)
            rules.append({"record": f"board:expression:{number}", "expr": re.sub(r"\$\w+", "any", expression)})
        file = self.folder / "board.yaml"
        file.write_text(json.dumps({"groups": [{"name": "board", "rules": rules}]}))  # which is YAML
        done = promtool("check", "rules", file)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_metric_that_is_asked_for_is_served(self):
        rules = (MONITORING / "alerts.yaml").read_text().partition("groups:")[2]
        alerts = re.findall(r"expr: (?:>-\n)?(.*?)\n +(?:for|labels):", rules, re.DOTALL)
        self.assertEqual(len(alerts), rules.count("- alert:"))
        known = served() | OWN
        for expression in alerts + expressions_of_board():
            for name in metrics_in(expression):
                shape = re.sub(r"^(yunikorn_scheduler_)\w+(_node_usage_total)$", r"\1<resource>\2", name)
                self.assertIn(shape, known, expression)


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        print("promtool (package prometheus) is not installed", file=sys.stderr)
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Checks the house style that CONTRIBUTING.md describes. `style.py --list` names the rules."""

import argparse
import pathlib
import sys

import class_rules
import code_rules
import doc_rules
import text_rules
from tree import Tree

RULES = {rule.__name__.replace("_", "-"): rule for module in (text_rules, code_rules, class_rules, doc_rules) for rule in module.RULES}
NEEDS_BUILD = {"dead-sources"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", metavar="RULE", help="only these rules")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path, help="a configured build folder: rules about it run too")
    parser.add_argument("--write-budgets", action="store_true", help="writes the minutes of tools/test into HACKING.md and ends")
    parser.add_argument("--list", action="store_true", help="names the rules and ends")
    options = parser.parse_args()
    if options.list:
        for name, rule in RULES.items():
            print(f"{name:14}{rule.__doc__}")
        return 0
    if unknown := [name for name in options.rules if name not in RULES]:
        parser.error(f"no rule {unknown[0]}; rules are: {', '.join(RULES)}")

    tree = Tree(options.root, options.build)
    if options.write_budgets:
        (options.root / doc_rules.BUDGETS).write_text(doc_rules.with_budgets(tree))
        return 0
    failed = 0
    for name in options.rules or RULES:
        if name in NEEDS_BUILD and not options.build:
            print(f"{name}: left out, it needs --build")
            continue
        complaints = list(RULES[name](tree))
        for complaint in complaints:
            print(complaint)
        failed += len(complaints)
        print(f"{name}: {len(complaints) or 'no'} complaints ({RULES[name].__doc__})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

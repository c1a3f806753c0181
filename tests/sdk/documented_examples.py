#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Checks that the listings of the documents are the files that they name; --update copies the files into the documents.

A listing that is a file stands in a fence right under a comment with the file's path.
"""

import pathlib
import re
import sys

LISTING = re.compile(r"^<!-- (\S+) -->\n```\w*\n(.*?)^```$", flags=re.M | re.S)

UPDATE = "tests/sdk/documented_examples.py --update"


def update(root: pathlib.Path, document: pathlib.Path) -> None:
    """Copies each file that the document lists into its listing."""
    def listing(found: re.Match) -> str:
        file = root / found[1]
        return found[0].replace(found[2], file.read_text()) if found[2] and file.exists() else found[0]
    document.write_text(LISTING.sub(listing, document.read_text()))


def complaints(root: pathlib.Path, document: pathlib.Path) -> list[str]:
    found = LISTING.findall(document.read_text())
    out = []
    for path, text in found:
        file = root / path
        if not file.exists():
            out.append(f"{document.name} lists {path}, which does not exist")
        elif file.read_text() != text:
            out.append(f"{document.name} lists {path} otherwise than it is; update the document: {UPDATE}")
    if not found:
        out.append(f"{document.name} has no listing")
    return out


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    documents = [root / "docs/writing-a-policy.md", root / "docs/cookbook.md"]
    if sys.argv[1:] == ["--update"]:
        for document in documents:
            update(root, document)
    found = [complaint for document in documents for complaint in complaints(root, document)]
    listed = {path for document in documents for path, _ in LISTING.findall(document.read_text())}
    for path in sorted((root / "sdk/examples").rglob("module.*")):
        if str(path.relative_to(root)) not in listed:
            found.append(f"no document lists {path.relative_to(root)}")
    print("\n".join(found) or f"documents: {len(listed)} listings are the files they name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

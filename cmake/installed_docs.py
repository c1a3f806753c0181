#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Makes the pages that the package tenon installs, from those of the source tree: installed_docs.py SOURCE OUT PREFIX

Links and paths lead to what is installed. What stays in the source tree is said to be there: "(source tree)". OUT becomes
share/doc/tenon of PREFIX. `place` is where a file of the source tree is installed.
"""

import os
import pathlib
import re
import shutil
import sys

HERE = "share/doc/tenon"
# Of the source tree; below the prefix. The first that fits counts.
PLACES = (
    (r"cli/service/installed\.md", f"{HERE}/README.md"),
    (r"README\.md", f"{HERE}/README.md"),
    (r"(COMPATIBILITY|SECURITY)\.md", rf"{HERE}/\1.md"),
    (r"LICENSE", f"{HERE}/copyright"),
    (r"docs(|/.*)", rf"{HERE}/docs\1"),
    (r"plugins/[\w-]+/([\w-]+)/README\.md", rf"{HERE}/docs/modules/\1.md"),
    (r"cli/service/(local|queues)\.yaml", rf"{HERE}/examples/\1.yaml"),
    (r"cli/service/(tenon\.service)", r"lib/systemd/system/\1"),
    (r"sdk/(?:conformance/)?include(|/.*)", r"include\1"),
    (r"sdk/proto(|/.*)", r"share/tenon/proto\1"),
    (r"sdk/rust(|/.*)", r"share/tenon/rust\1"),
    (r"sdk/examples(|/.*)", r"share/doc/tenon-sdk/examples\1"),
    (r"build/release/bin/tenon", "bin/tenon"),
)
PAGES = ("cli/service/installed.md", "COMPATIBILITY.md", "SECURITY.md", "docs/**/*.md", "plugins/**/README.md")
BESIDE = ("docs/**/*.png", "docs/**/*.svg", "docs/**/*.yaml", "docs/**/*.json", "cli/service/local.yaml", "cli/service/queues.yaml")

ELSEWHERE = "(source tree)"
FENCE = re.compile(r"^((?:<!-- [^\n]* -->\n)?)(```[^\n]*\n.*?^```$)", flags=re.M | re.S)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# A path that begins with a folder of the source tree, up to where a path ends.
PATH = re.compile(r"(?<![\w./{-])((?:kernel|sdk|plugins|cli|tests|tools|docs|cmake|build)/[\w./*-]*[\w*]/?)(?![\w-])")
ROW_OF_ONE = re.compile(r"^\| \[[^\]]*\]\(([^)\s#]+)\) \|.*\n", flags=re.M)


def place(path: str) -> str | None:
    """Where a file or folder of the source tree is installed, below the prefix."""
    path = path.rstrip("/")
    for source, installed in PLACES:
        if found := re.fullmatch(source, path):
            return found.expand(installed)
    return None


class Page:
    def __init__(self, source: pathlib.Path, path: str, prefix: str):
        self.source, self.folder, self.prefix = source, os.path.dirname(path), prefix
        self.text, self.lies = (source / path).read_text(), os.path.dirname(place(path))

    def target(self, link: str) -> str:
        """What a relative link leads to, in the source tree."""
        return os.path.normpath(os.path.join(self.folder, link.partition("#")[0]))

    def link(self, found: re.Match) -> str:
        text, link = found.groups()
        if link.startswith("#") or re.match(r"[a-z]+:", link):
            return found[0]
        installed = place(self.target(link))
        if installed is None:
            return f"{text} {ELSEWHERE}"
        return f"[{text}]({os.path.relpath(installed, self.lies)}{''.join(link.partition('#')[1:])})"

    def code(self, found: re.Match) -> str:
        """Code within a line: paths as they are after installation, or where they stayed."""
        said = self.text_after(found).startswith(("of the source tree", ELSEWHERE))
        stays = PATH.match(found[1]) and not place(PATH.match(found[1])[1]) and self.is_of_the_tree(PATH.match(found[1])[1])
        return f"`{PATH.sub(self.absolute, found[1])}`" + (f" {ELSEWHERE}" if stays and not said else "")

    def is_of_the_tree(self, path: str) -> bool:
        """And not of a reader's project, which has a build/ and tests/ as well."""
        return path.startswith(("build/release", "build/browser-tools")) or any(self.source.glob(path.rstrip("/")))

    @staticmethod
    def text_after(found: re.Match) -> str:
        return found.string[found.end():found.end() + 40].replace("\n", " ").lstrip()

    def absolute(self, found: re.Match) -> str:
        installed = place(found[1])
        return f"{self.prefix}/{installed}{'/' if found[1].endswith('/') else ''}" if installed else found[1]

    def prose(self, text: str) -> str:
        # Code first, with its link where it is one: a link's text says where it leads.
        pieces = re.split(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)\s]+\))", text)
        for i, piece in enumerate(pieces):
            if i % 2:
                pieces[i] = LINK.sub(self.link, piece)
            else:
                rest = "".join(pieces[i + 1:i + 2])
                pieces[i] = re.sub(r"`([^`]+)`", self.code, piece + rest)[: None if not rest else -len(rest)]
        return "".join(pieces)

    def fence(self, comment: str, block: str) -> str:
        # An example is built in a copy: where it is installed nobody but root may write.
        block = re.sub(r"^\$ cd sdk/examples/([\w-]+)$", r"$ cp -r sdk/examples/\1 . && cd \1", block, flags=re.M)
        block = PATH.sub(self.absolute, block.replace("/path/to/installed/tenon", self.prefix))
        stays = block.startswith(("```console", "```sh")) and any(self.is_of_the_tree(path) for path in PATH.findall(block))
        return ("In the source tree:\n\n" if stays else "") + PATH.sub(self.absolute, comment) + block

    def installed(self) -> str:
        # An index has no row for what is not there.
        text = ROW_OF_ONE.sub(lambda row: row[0] if place(self.target(row[1])) else "", self.text)
        out, at = "", 0
        for found in FENCE.finditer(text):
            out += self.prose(text[at:found.start()]) + self.fence(*found.groups())
            at = found.end()
        return out + self.prose(text[at:])


def files(source: pathlib.Path, patterns: tuple[str, ...]) -> list[str]:
    return sorted({str(path.relative_to(source)) for pattern in patterns for path in source.glob(pattern)})


def write(source: pathlib.Path, out: pathlib.Path, prefix: str) -> None:
    shutil.rmtree(out, ignore_errors=True)
    for paths, is_page in ((files(source, PAGES), True), (files(source, BESIDE), False)):
        for path in paths:
            installed = place(path)
            if installed is None:
                continue
            to = out / os.path.relpath(installed, HERE)
            to.parent.mkdir(parents=True, exist_ok=True)
            if is_page:
                to.write_text(Page(source, path, prefix).installed())
            else:
                shutil.copyfile(source / path, to)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The files that style rules look at, and how a rule complains."""

import fnmatch
import json
import pathlib
import re
import subprocess
from typing import Iterator, NamedTuple

JOINED = re.compile(r'^#include "(.+)"$', re.MULTILINE)  # in a source that CMake made of several
C_SOURCES = ("*.c", "*.h", "*.cpp", "*.hpp")


class Complaint(NamedTuple):
    path: str
    line: int  # from 1; 0: the file as a whole
    text: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


class Tree:
    """A work tree: the files that git tracks or would track, as text."""

    def __init__(self, root: pathlib.Path, build: pathlib.Path | None = None):
        self.root = root
        self.build = build  # a configured build folder, for rules that ask what is compiled
        self._texts: dict[str, str | None] = {}
        self._paths = sorted(path for path in self._listed() if (root / path).is_file())

    def _listed(self) -> set[str]:
        if not (self.root / ".git").exists():
            return {p.relative_to(self.root).as_posix() for p in self.root.rglob("*")}
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True)
        return set(listed.stdout.split("\0")) - {""}

    def paths(self, *patterns: str, under: tuple[str, ...] = ("",)) -> Iterator[str]:
        """Paths below one of `under` whose name matches a pattern; all names when there is no pattern."""
        for path in self._paths:
            name = path.rsplit("/", 1)[-1]
            if not path.startswith(under):
                continue
            if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                yield path

    def text(self, path: str) -> str | None:
        """The text of a file, None for one that is not UTF-8 text."""
        if path not in self._texts:
            try:
                text = (self.root / path).read_bytes().decode()
            except UnicodeDecodeError:
                text = None
            self._texts[path] = None if text is not None and "\0" in text else text
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        """Lines without their ends; a file that ends in a line end has no empty last line."""
        lines = (self.text(path) or "").split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def compiled(self) -> set[str]:
        """Sources that the build compiles, relative to the root."""
        assert self.build is not None
        root = self.root.resolve()
        entries = json.loads((self.build / "compile_commands.json").read_text())
        sources = [pathlib.Path(entry["directory"], entry["file"]).resolve() for entry in entries]
        # A joined one includes those that it stands for.
        for joined in [s for s in sources if s.parent.name == "Unity"]:
            sources += (pathlib.Path(path).resolve() for path in JOINED.findall(joined.read_text()))
        return {s.relative_to(root).as_posix() for s in sources if s.is_relative_to(root)}

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""How much memory a process has, and had at most."""

import pathlib


class Memory:
    """Of a process: what it has now, and how much more it had at most since this was made."""

    def __init__(self, process: int):
        self.folder = pathlib.Path(f"/proc/{process}")
        (self.folder / "clear_refs").write_text("5")  # the most is counted anew
        self.before = self.now()

    def field(self, name: str) -> int:
        for line in (self.folder / "status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) << 10
        raise AssertionError(f"no {name}")

    def now(self) -> int:
        return self.field("VmRSS")

    def grew(self) -> int:
        """At any time since then."""
        return self.field("VmHWM") - self.before

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A resource manager that is held until somebody else says that its recovery is done: then its ask is placed."""

import argparse
import pathlib
import sys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--package", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sys.path.insert(0, str(options.package))
    import tenon

    def report(rm: tenon.ResourceManager) -> None:
        rm.add_node("node", {"vcore": 1000})
        rm.add_application("app", "root.q0", "held", ["held"])
        rm.ask("app", "ask", {"vcore": 1000})
        # As shims do at their start: every node takes work, also one that does already, or that nobody knows.
        for name in ("node", "elsewhere"):
            rm.undrain_node(name)
        rm._hearing.recovering = False  # so it never says itself that it is done

    with tenon.ResourceManager(options.address, "held", report) as rm:
        placed = 0
        while not placed:
            heard = rm.next()
            if isinstance(heard, tenon.ApplicationState) and heard.state == "Accepted":
                print("asked", flush=True)
            placed += isinstance(heard, tenon.Allocated)
        print("placed", placed, flush=True)
        rm.leave()
        for _ in rm:
            pass


if __name__ == "__main__":
    main()

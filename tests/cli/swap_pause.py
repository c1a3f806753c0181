#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""How long nothing is placed while another build of a module takes over: not a test, it prints what it measured.

swap_pause.py --tenon PROGRAM --zoo FOLDER [--nodes N]: as module_swap_test.py, in both lanes, ten swaps each."""

import statistics
import sys
import time

import module_swap_test
from daemon import main

NODES = 1000


class Pause(module_swap_test.Swap):
    test_what_is_wrong_with_a_build_is_found_before_it_takes_over = None
    test_a_replay_without_a_build_says_so = None
    test_a_build_takes_over_and_goes_back_while_pods_are_placed = None

    def test_pause(self):
        self.install("cost")
        daemon = self.serve()
        self.ask()
        self.placed_on("node-0")
        self.install("price")
        with self.more:
            before = len(self.said)
        time.sleep(2)
        quiet = self.longest(2)
        swaps, gaps = [], []
        for number in range(10):
            started = time.monotonic()
            swaps.append(self.swapped(daemon, *(["--back"] if number else []))["paused_us"])
            time.sleep(0.5)
            gaps.append(self.longest(time.monotonic() - started))
        print(f"\n{self.lane}, {NODES} nodes: the scheduler paused for {min(swaps)} to {max(swaps)} us (median "
              f"{statistics.median(swaps):.0f}); longest time without a placement {max(gaps) * 1000:.1f} ms, "
              f"{quiet * 1000:.1f} ms without a swap; {len(self.said) - before} placements", file=sys.stderr)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def longest(self, seconds: float) -> float:
        """Between two placements, in the last so many seconds."""
        with self.more:
            since = time.monotonic() - seconds
            times = [at for at in self.times if at >= since]
        return max(later - earlier for earlier, later in zip(times, times[1:]))


class PauseInTheLane(Pause):
    lane = "isolation: process"


if __name__ == "__main__":
    if "--nodes" in sys.argv:
        at = sys.argv.index("--nodes")
        NODES = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    module_swap_test.RM = module_swap_test.RM.replace("range(4)", f"range({NODES})").replace("3 - number", f"{NODES - 1} - number")
    main()

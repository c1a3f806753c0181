#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What an operation costs must not grow with what is there: instructions, counted at several loads."""

import pathlib
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gate  # noqa: E402

# Maps of names are a little deeper in the larger one. A search among siblings would be several times as much.
MOST = 1.15


# Operations of `tenon-bench growth` that cost the same whatever waits or runs, and the smallest load of each.
FLAT = {
    "application-after-queue-maximum": 500,
    "application-after-user-maximum": 500,
    "application-after-user-resources": 500,
    "inspect-a-part": 4000,
    "inspect-a-part-of-one": 16000,  # a round has one part more, which finds nothing
    "node-changes-beside-gangs-that-wait": 250,
    "node-comes-then-a-placement": 500,
    "one-ends-beside-gangs-that-wait": 250,
    "one-ends-one-comes-after-many-shapes": 400,
    "part-of-a-removed-application": 8000,
    "place-a-placeholder-of-many-groups": 250,
    "place-after-many-shapes": 500,
    "place-beside-other-partitions": 250,
    "place-by-stateaware": 250,
    "reject-an-application": 500,
    "release-after-withdrawn-shapes": 500,
    "release-by-sequence": 1000,
    "release-of-one-ask": 1000,
    "report-one-of-an-ask": 1000,
    "withdraw-one-of-many-shapes": 250,
}
# Those that cost the same for each of what is there.
FLAT_FOR_EACH = {
    "nodes-empty-for-a-gang": 250,
}
MOST_AT_ANY_LOAD = 1.3  # of the least


def instructions(case, queues):
    stretches = gate.count(PROGRAM, case, [case, "--queues", str(queues)], model=[])
    return {name: counters["instructions"] for name, counters in stretches.items()}


class Growth(unittest.TestCase):
    def check(self, case, few, many):
        small, large = instructions(case, few), instructions(case, many)
        self.assertEqual(small.keys(), large.keys())
        for stretch, before in small.items():
            print(f"{case}, {stretch}: {before:.0f} instructions a queue of {few}, {large[stretch]:.0f} of {many}")
            self.assertLess(large[stretch], MOST * before, f"{case}, {stretch}")

    def test_a_configuration_costs_the_same_for_each_queue_and_limit(self):
        self.check("configure", 1500, 12000)

    def test_reading_it_too(self):
        self.check("read-config", 200, 1600)

    def test_operations_cost_the_same_at_every_load(self):
        for operation, least in {**FLAT, **FLAT_FOR_EACH}.items():
            with self.subTest(operation):
                counted = []
                for load in (least, 2 * least, 4 * least, 8 * least):
                    arguments = ["growth", "--operation", operation, "--asks", str(load)]
                    counters = gate.count(PROGRAM, "growth", arguments, model=[])["operation"]
                    counted.append(counters["instructions"] / (load if operation in FLAT_FOR_EACH else 1))
                print(f"{operation}: " + ", ".join(f"{n:.0f}" for n in counted) + " instructions")
                self.assertLessEqual(max(counted), MOST_AT_ANY_LOAD * min(counted), operation)


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("growth: skipped, there is no valgrind here; tools/setup brings it")
        sys.exit(gate.SKIPPED)
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the deployment in which packing-fgd knows the asks of a list of openb pods: the commonest shapes that make up
95 of 100 pods, each with its part of these.

    typical_asks.py PODS.csv > tenon.yaml
"""

import collections
import csv
import gzip
import sys

PART = 0.95


def shapes(rows) -> list[tuple[int, int, int, str]]:
    """(cores, GPUs in sum, how often it comes, models) of the typical asks, the commonest first."""
    counts = collections.Counter()
    for row in rows:
        gpus = int(row["num_gpu"]) * int(row["gpu_milli"])
        models = row.get("gpu_spec", "") if gpus else ""
        counts[int(row["cpu_milli"]), gpus, models] += 1
    # Equal counts: larger shapes first.
    ordered = sorted(counts.items(), key=lambda one: (one[1], one[0]), reverse=True)
    out, reached, wanted = [], 0, PART * sum(counts.values())
    for (vcore, gpus, models), count in ordered:
        if reached >= wanted:
            break
        out.append((vcore, gpus, count, models))
        reached += count
    return out


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    opened = gzip.open if sys.argv[1].endswith(".gz") else open
    with opened(sys.argv[1], "rt", newline="") as file:
        typical = shapes(csv.DictReader(file))
    together = sum(count for _, _, count, _ in typical)
    print("apiVersion: tenon/v1\npredicates: [{ use: tenon.node-attributes }]\nmodules:\n  - id: example.packing\n"
          "    isolation: none\n    config:\n      shapes:")
    for vcore, gpus, count, models in typical:
        print(f'        - "{vcore} {gpus} {count / together:.9f}{" " + models if models else ""}"')
    return 0


if __name__ == "__main__":
    sys.exit(main())

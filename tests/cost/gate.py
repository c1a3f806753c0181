#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The cost gate: counts what scaled benchmark cases cost, and compares that with tests/cost/baseline.json.

Times on shared machines lie, so nothing here looks at a clock. Each case of tenon-bench runs once under callgrind with a
fixed model of the caches and of branch prediction. What is counted is the same on every machine that builds with the
compiler and the C library that the baseline names. Elsewhere the gate says so and ends with status 77, which means
"skipped". Without valgrind the gate fails, because tools/setup can install it.

Counters, each divided by the units of its stretch (asks, decisions, turns):
  instructions   executed
  l1_code_misses first-level cache, instructions
  l1_data_misses first-level cache, data
  ll_misses      last-level cache, instructions and data
  mispredicts    of branches, conditional and indirect
  heap_bytes     what the stretch added to the heap; not divided where it is negative
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
BASELINE = HERE / "baseline.json"
SKIPPED = 77

# Each stays below a thousand million instructions in its counted stretches.
CASES = {
    "schedule": ["schedule", "--nodes", "2000", "--asks", "20000"],
    "schedule-large": ["schedule", "--nodes", "20000", "--asks", "20000"],
    "schedule-devices": ["schedule", "--nodes", "1000", "--asks", "10000", "--devices"],
    "schedule-gpu-pack": ["schedule", "--nodes", "20000", "--asks", "10000", "--devices", "--node-sort", "gpu-pack"],
    "queues": ["queues", "--nodes", "1000", "--asks", "20000", "--queues", "200", "--applications", "10"],
    "mixed": ["mixed", "--nodes", "300", "--asks", "12000", "--shapes", "100"],
    "mixed-gpu-pack": ["mixed", "--nodes", "5000", "--asks", "8000", "--devices", "--node-sort", "gpu-pack"],
    "unplaceable": ["unplaceable", "--nodes", "1000", "--asks", "10000", "--unplaceable", "2000"],
    "churn": ["churn", "--nodes", "1000", "--asks", "20000", "--turns", "10000"],
    "steady-fair": ["steady", "--nodes", "1000", "--asks", "30000", "--turns", "5000"],
    "steady-binpacking": ["steady", "--nodes", "1000", "--asks", "30000", "--turns", "5000",
                          "--node-sort", "binpacking"],
    "waiting": ["waiting", "--nodes", "1000", "--asks", "30000", "--shapes", "5000", "--turns", "1000"],
    "gang": ["gang", "--nodes", "500", "--asks", "10000", "--applications", "50"],
    "start": ["start", "--nodes", "500", "--asks", "15000"],
    "load": ["load", "--nodes", "5000", "--asks", "50000"],
    "preempt": ["preempt", "--nodes", "2000"],
    "events": ["events", "--nodes", "1000", "--asks", "10000"],
    "configure": ["configure", "--queues", "2000"],
    "read-config": ["read-config", "--queues", "500"],
    "readers": ["readers", "--nodes", "1000", "--asks", "30000", "--turns", "3000"],
}

# Sizes of a processor of today; the point is that they are the same everywhere.
MODEL = ["--cache-sim=yes", "--branch-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]
# The C library chooses its copying loops by processor: the plainest ones are chosen here.
PLAIN_LIBC = ("glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load,"
              "-Prefer_No_AVX512_Probing:glibc.cpu.x86_non_temporal_threshold=0xc0000:"
              "glibc.cpu.x86_rep_movsb_threshold=0x800:glibc.cpu.x86_shared_cache_size=0x800000:"
              "glibc.cpu.x86_data_cache_size=0x8000")

# How the program must have been built: the baseline is of preset release.
BUILD = {"CMAKE_BUILD_TYPE": "Release", "TENON_JOIN_SOURCES": "ON", "TENON_SANITIZE": "", "CMAKE_CXX_FLAGS": ""}

COUNTERS = {
    "instructions": ("Ir",),
    "l1_code_misses": ("I1mr",),
    "l1_data_misses": ("D1mr", "D1mw"),
    "ll_misses": ("ILmr", "DLmr", "DLmw"),
    "mispredicts": ("Bcm", "Bim"),
}
# The counters that are judged. The others are printed alone: where functions and objects lie decides them too, so that with
# the same instructions changes elsewhere moved misses of code by -45 to +90 % and mispredicted branches by a quarter.
JUDGED = ("instructions", "heap_bytes")
MOST_OF_A_STRETCH = 0.05  # that a judged counter of one stretch may rise by
MOST_IN_ALL = 0.02  # that the mean of the ratios of all stretches may rise by
# Below these a difference is no change: the counters of a unit, in their own units.
SLACK = {"instructions": 2, "heap_bytes": 1}
# And these of a whole stretch: a stretch of three units is not larger because one vector grew.
STRETCH_SLACK = {"heap_bytes": 256}


def slack(counter, units):
    return max(SLACK[counter], STRETCH_SLACK.get(counter, 0) / units)


def toolchain():
    """What the counts depend on beside the source."""
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"compiler": compiler, "libc": " ".join(platform.libc_ver()), "machine": platform.machine()}


def built_otherwise(program):
    """What of the program's build differs from preset release; other builds cost otherwise and say nothing here."""
    cache = program.parent.parent / "CMakeCache.txt"
    if not cache.exists():
        return [f"{cache} does not exist, so nothing says how {program.name} was built"]
    set_to = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.MULTILINE))
    return [f"{option} is '{set_to.get(option, '')}', wanted '{wanted}'"
            for option, wanted in BUILD.items() if set_to.get(option, "") != wanted]


def totals(dump):
    """The counters of one file of callgrind's, and the stretch that it is of."""
    name, events, values = None, None, None
    for line in dump.read_text().splitlines():
        if match := re.match(r"desc: Trigger: Client Request: (.*)", line):
            name = match[1]
        elif line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith(("totals:", "summary:")):
            values = [int(v) for v in line.split()[1:]]
    return name, dict(zip(events or [], values or []))


def count(program, case, arguments, model=MODEL):
    """Runs one case; its stretches with their counters by unit. Without a model, instructions alone."""
    with tempfile.TemporaryDirectory(prefix="tenon-cost-") as folder:
        out = pathlib.Path(folder) / "out"
        # The environment lies on the stack and so moves what the caches see: it is the same everywhere.
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "GLIBC_TUNABLES": PLAIN_LIBC}
        ran = subprocess.run(
            ["valgrind", "--tool=callgrind", "--quiet", *model, "--instr-atstart=no", f"--callgrind-out-file={out}",
             str(program), *arguments, "--repetitions", "1", "--linked-policies", "--json"],
            capture_output=True, text=True, env=environment, cwd=program.parent, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"{case}: tenon-bench ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        figures = json.loads(ran.stdout.splitlines()[-1])
        stretches = {}
        for dump in sorted(pathlib.Path(folder).glob("out.*")):
            name, values = totals(dump)
            if name is None:
                continue
            units = figures[f"count/{name}/units"]
            counted = {counter: round(sum(values.get(e, 0) for e in parts) / units, 4)
                       for counter, parts in COUNTERS.items()}
            counted["heap_bytes"] = round(figures[f"count/{name}/heap_bytes"] / units, 2)
            stretches[name] = {"units": units, **counted}
        if not stretches:
            raise RuntimeError(f"{case}: nothing was counted")
        return stretches


def compare(baseline, counted):
    """Lines for people, and (case, stretch, counter, before, now) of what rose by more than it may and of what fell. The
    means of all stretches are those of the case "all"."""
    lines, rose, fell, ratios = [], [], [], {counter: [] for counter in JUDGED}
    for case, stretches in counted.items():
        for stretch, now in stretches.items():
            before = baseline.get(case, {}).get(stretch)
            for counter in (*COUNTERS, "heap_bytes"):
                value = now[counter]
                if before is None or counter not in before:
                    lines.append(f"  {case:18} {stretch:14} {counter:13} {'':>12} {value:12.2f}  new")
                    rose.append((case, stretch, counter, None, value))
                    continue
                old, word = before[counter], ""
                if counter in JUDGED:
                    most = max(abs(old) * MOST_OF_A_STRETCH, slack(counter, now["units"]))
                    if value > old + most:
                        word = "ROSE"
                        rose.append((case, stretch, counter, old, value))
                    elif value < old - most:
                        word = "fell"
                        fell.append((case, stretch, counter, old, value))
                    if old > 0:
                        is_change = abs(value - old) > slack(counter, now["units"])
                        ratios[counter].append(value / old if is_change else 1)
                ratio = f"{value / old:6.3f}" if old > 0 else "     -"
                lines.append(f"  {case:18} {stretch:14} {counter:13} {old:12.2f} {value:12.2f} {ratio} {word}")
    for case, stretches in baseline.items():
        for stretch in stretches:
            if stretch not in counted.get(case, {}) and case in counted:
                lines.append(f"  {case:18} {stretch:14} is in the baseline and was not counted")
                rose.append((case, stretch, "missing", None, None))
    for counter, all_of_them in ratios.items():
        if not all_of_them:
            continue
        mean = sum(all_of_them) / len(all_of_them)
        word = "ROSE" if mean > 1 + MOST_IN_ALL else ""
        lines.append(f"  {'all':18} {'':14} {counter:13} {'':>12} {'':>12} {mean:6.3f} {word}")
        if word:
            rose.append(("all", "mean ratio", counter, 1, round(mean, 4)))
    return lines, rose, fell


def write(known, counted):
    """The baseline with what was counted. The commit that changes it says why."""
    cases = {**known.get("cases", {}), **counted}
    BASELINE.write_text(json.dumps({**toolchain(), "cases": cases}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="these alone: " + ", ".join(CASES))
    parser.add_argument("--program", type=pathlib.Path, default=TREE / "build/release/bin/tenon-bench")
    parser.add_argument("--write", action="store_true", help="writes the baseline instead of comparing with it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if unknown := [c for c in options.cases if c not in CASES]:
        parser.error(f"there is no case {unknown[0]}; cases are: {', '.join(CASES)}")
    if shutil.which("valgrind") is None:
        raise RuntimeError("there is no valgrind here; tools/setup installs it")
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    here = toolchain()
    other = [key for key, value in here.items() if known and known.get(key) != value]
    if other and not options.write:
        print("cost: skipped, the baseline is of another toolchain: " +
              "; ".join(f"{key} {known.get(key)}, here {here[key]}" for key in other))
        return SKIPPED
    program = options.program.resolve()
    if other := built_otherwise(program):
        raise RuntimeError("the program is not of preset release: " + "; ".join(other) + "\n"
                           "  fix:  cmake --preset release --fresh && cmake --build --preset release --target tenon-bench")
    chosen = options.cases or list(CASES)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counted = dict(zip(chosen, pool.map(lambda c: count(program, c, CASES[c]), chosen)))
    if options.write:
        write(known, counted)
        print(f"cost: {BASELINE.relative_to(TREE)} is written")
        return 0
    lines, rose, fell = compare(known.get("cases", {}), counted)
    print("  case               stretch        counter           baseline          now  ratio")
    print("\n".join(lines))
    if fell:
        print(f"cost: {len(fell)} counters fell; tests/cost/gate.py --write keeps that")
    if rose:
        print(f"cost: {len(rose)} counters rose by more than they may:", file=sys.stderr)
        for case, stretch, counter, before, now in rose:
            print(f"  {case}, {stretch}: {counter} {before} -> {now}", file=sys.stderr)
        print(f"  want: {' and '.join(JUDGED)} at most {MOST_OF_A_STRETCH:.0%} above tests/cost/baseline.json in a stretch, "
              f"{MOST_IN_ALL:.0%} in the mean of all\n"
              "  fix:  callgrind_annotate shows where (docs/performance.md); where a rise is right, "
              "tests/cost/gate.py --write, in a commit that says why", file=sys.stderr)
        return 1
    print(f"cost: {sum(len(s) for s in counted.values())} stretches of {len(counted)} cases cost no more than the baseline")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as problem:
        print(f"cost: {problem}", file=sys.stderr)
        sys.exit(2)

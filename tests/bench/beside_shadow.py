#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a world shadow on another core costs a scheduler: rounds of runs in turn, alone, beside a shadow, and beside a process
that only spins there, which says what of it is the machine's.

The load is `schedule`, which decides as fast as it can, or with --rate `grpc-uds`, whose answers are timed at so many
allocations a second, which is below the most (half_load_*), beside the most itself (allocations_per_second). The shadow plays a recorded fill of as many nodes, and compares without a pause for the whole of each run.
It wants an idle machine: without --anyway it ends where others use the processor.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import threading

DEPLOYMENT = "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\nshadow: { every: 20, node_sort: binpacking }\n"
QUEUES = ('partitions: [{ name: default, queues: [{ name: root, submitacl: "*", '
          "queues: [{ name: q0 }, { name: q1 }] }] }]\n")
SHOWN = ("decisions_per_second", "latency_p50_ns", "latency_p99_ns", "allocations_per_second", "half_load_p50_us", "half_load_p99_us",
         "scheduler_cpu_us_per_allocation", "processor_ms")
MOST_LOAD = 0.3  # of others


def on_core(core: int, *words: str) -> list[str]:
    return ["taskset", "-c", str(core), *words]


def measured(arguments: argparse.Namespace) -> dict:
    load = ("grpc-uds", "--rate", str(arguments.rate)) if arguments.rate else ("schedule", "--asks", "50000")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        on_core(arguments.cores[0], arguments.bench, *load, "--nodes", str(arguments.nodes),
                "--repetitions", str(arguments.repetitions), "--json"), capture_output=True, text=True, check=True)
    # Of a machine with other work on it the processor time says more than the clock.
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout) | {"processor_ms": 1000 * used}


def alone(arguments: argparse.Namespace, _at: pathlib.Path) -> dict:
    return measured(arguments)


def beside_spinning(arguments: argparse.Namespace, _at: pathlib.Path) -> dict:
    with spinning(arguments):
        return measured(arguments)


@contextlib.contextmanager
def spinning(arguments: argparse.Namespace):
    other = subprocess.Popen(on_core(arguments.cores[1], "nice", "-n", "10", sys.executable, "-c", "while True: pass"))
    try:
        yield
    finally:
        other.kill()
        # Not waited for before the run is measured: what it used is not the scheduler's.
        other.wait()


def beside_shadow(arguments: argparse.Namespace, at: pathlib.Path) -> dict:
    shadow = subprocess.Popen(
        on_core(arguments.cores[1], arguments.tenon, "shadow", "day.journal", "-c", "tenon.yaml", "--follow"),
        cwd=at, stdout=subprocess.PIPE, text=True)
    counts: list[dict] = []
    compares = threading.Event()

    def hear() -> None:
        for line in shadow.stdout:
            if line.startswith('{"counts"'):
                counts.append(json.loads(line)["counts"])
                if counts[-1]["compared"] > 0:  # its modules are open
                    compares.set()

    ears = threading.Thread(target=hear)
    ears.start()
    try:
        if not compares.wait(60):
            sys.exit("the shadow compares nothing")
        out = measured(arguments)
        # One that has played all of it only waits, and costs nothing.
        if counts[-1]["commands"] == counts[-3]["commands"]:
            sys.exit("the shadow was at the end of the journal before the run was: give more --pods")
        return out | {"compared": counts[-1]["compared"]}
    finally:
        shadow.kill()
        shadow.wait()
        ears.join()
        shadow.stdout.close()


ARMS = {"alone": alone, "beside a shadow": beside_shadow, "beside a process that spins": beside_spinning}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--pairs", type=int, default=9, help="rounds of all three")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=40000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--rate", type=float, default=0, help="allocations a second over gRPC; 0: as fast as it can")
    parser.add_argument("--cores", type=int, nargs=2, default=[0, 1], metavar=("SCHEDULER", "SHADOW"))
    parser.add_argument("--anyway", action="store_true", help="also where others use the processor")
    arguments = parser.parse_args()
    if os.getloadavg()[0] > MOST_LOAD and not arguments.anyway:
        sys.exit(f"want: an idle machine\nhave: a load of {os.getloadavg()[0]:.2f} in the last minute\n"
                 "fix:  wait until what else runs has ended, or say --anyway")
    arguments.tenon, arguments.bench = (str((arguments.build / "bin" / name).resolve()) for name in ("tenon", "tenon-bench"))
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        at = pathlib.Path(folder)
        (at / "tenon.yaml").write_text(DEPLOYMENT)
        (at / "queues.yaml").write_text(QUEUES)
        subprocess.run([arguments.tenon, "simulate", "--nodes", str(arguments.nodes), "--pods", str(arguments.pods),
                        "--queues", "2", "--config", "queues.yaml", "--interarrival-ms", "20", "--duration-s", "60",
                        "--record", "day.journal", "--no-progress"], cwd=at, check=True, stdout=subprocess.DEVNULL)
        ratios: dict = collections.defaultdict(list)
        for pair in range(arguments.pairs):
            # Which is first takes turns, so that a machine that slows down is no difference.
            order = list(ARMS)[pair % len(ARMS):] + list(ARMS)[:pair % len(ARMS)]
            found = {arm: ARMS[arm](arguments, at) for arm in order}
            what = [one for one in SHOWN if one in found["alone"]]
            for arm in list(ARMS)[1:]:
                for one in what:
                    ratios[arm, one].append(found[arm][one] / found["alone"][one])
            print(f"round {pair + 1}: " + "; ".join(f"{arm} " + ", ".join(f"{one} {found[arm][one]:.6g}" for one in what) for arm in ARMS)
                  + f"; compared {found['beside a shadow']['compared']}, load {os.getloadavg()[0]:.2f}", flush=True)
        for (arm, one), all_of_it in ratios.items():
            print(f"{one}, {arm} / alone: median {statistics.median(all_of_it):.3f} ({min(all_of_it):.3f} to {max(all_of_it):.3f})")


if __name__ == "__main__":
    main()

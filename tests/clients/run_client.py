#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Runs a client program against a scheduler of its own, over TCP and over a Unix socket, in both dialects.

The client gets the address, the dialect and the path of the queues' configuration. It writes "reload" where it changed
that file and reads "reloaded"; its exit status is the result, 77 that something is absent, which it names."""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


class Scheduler:
    """The program, its addresses and its answers."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path):
        self.queues = folder / "queues.yaml"
        self.queues.write_text((HERE / "queues.yaml").read_text())
        socket = folder / "tenon.sock"
        deployment = folder / "tenon.yaml"
        deployment.write_text(
            "apiVersion: tenon/v1\n"
            "policy_groups: { default: queues.yaml }\n"
            f"transports: [{{ use: tenon.grpc, config: {{ listen: ['127.0.0.1:0', 'unix:{socket}'] }} }}]\n"
        )
        self.process = subprocess.Popen(
            [program, deployment], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log: list[str] = []
        self.listening = threading.Event()
        self.addresses: list[str] = []
        threading.Thread(target=self.read_log, daemon=True).start()
        if self.process.stdout.readline().strip() != "started" or not self.listening.wait(30):
            raise SystemExit("the scheduler did not start:\n" + "".join(self.log))

    def read_log(self) -> None:
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"listens on (\S+)", line):
                self.addresses.append(found[1])
            if len(self.addresses) == 2:
                self.listening.set()

    def reload(self) -> str:
        self.process.stdin.write("reload\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def stop(self) -> int:
        self.process.stdin.close()
        return self.process.wait(60)


def play(scheduler: Scheduler, client: list[str], address: str, dialect: str) -> int:
    scheduler.queues.write_text((HERE / "queues.yaml").read_text())
    scheduler.reload()
    process = subprocess.Popen(
        [*client, address, dialect, scheduler.queues], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )
    timer = threading.Timer(120, os.killpg, [process.pid, signal.SIGKILL])  # with what it started
    timer.start()
    for line in process.stdout:
        if line.strip() == "reload":
            process.stdin.write(scheduler.reload() + "\n")
            process.stdin.flush()
        else:
            print(f"  {line}", end="", flush=True)
    timer.cancel()
    return process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scheduler", type=pathlib.Path)
    parser.add_argument("client", nargs="+", help="program and arguments; the address and more are added")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        scheduler = Scheduler(arguments.scheduler, pathlib.Path(folder))
        results = []
        for dialect in ("first", "later"):
            for address in scheduler.addresses:
                print(f"{dialect} dialect, {address}", flush=True)
                results.append(play(scheduler, arguments.client, address, dialect))
                if results[-1] == SKIPPED:
                    return SKIPPED
        status = scheduler.stop()
        if any(results) or status:
            print(f"results {results}, scheduler ended with {status}", "".join(scheduler.log), sep="\n")
            return 1
        print("all sessions went through")
    return 0


if __name__ == "__main__":
    sys.exit(main())

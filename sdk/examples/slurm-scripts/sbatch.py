#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Runs batch scripts of Slurm on this machine, as Tenon decides: a resource manager with one node.

    sbatch.py --scheduler unix:rm.sock --cpus 8 --memory-gib 16 SCRIPT...

Each script is an application in the queue root.PARTITION, each of its tasks an ask: those of an array, or one. Known are the
#SBATCH options of OPTIONS below; another one is refused with its line. The time limit is kept here, since Tenon has none."""

import argparse
import dataclasses
import getpass
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

import tenon

OPTIONS = {"-J": "job-name", "-p": "partition", "-c": "cpus-per-task", "-n": "ntasks", "-N": "nodes", "-a": "array", "-o": "output",
           "-t": "time", "--mem": "mem", "--nice": "nice"}
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def refuse(where: str, want: str, have: str, fix: str):
    raise SystemExit(f"sbatch.py: {where}\n  want: {want}\n  have: {have}\n  fix:  {fix}")


def seconds(text: str) -> float:
    """90, 30:00, 1:00:00 or 2-12:00:00, as Slurm has them; minutes where there is one number."""
    days, _, rest = text.rpartition("-")
    parts = [int(one) for one in rest.split(":")]
    if days:
        parts += [0] * (3 - len(parts))
    elif len(parts) == 1:
        parts.append(0)
    return sum(part * 60**at for at, part in enumerate(reversed(parts))) + int(days or 0) * 86_400


class Job:
    def __init__(self, number: int, script: pathlib.Path, partition: str):
        self.name, self.script, self.given = f"{script.stem}-{number}", script, {}
        self.number, self.ended = number, {}
        for at, line in enumerate(script.read_text().splitlines(), 1):
            if line.startswith("#SBATCH"):
                self.take(f"{script}:{at}", shlex.split(line[len("#SBATCH"):], comments=True))
            elif line.strip() and not line.startswith("#"):
                break  # as Slurm reads: no option stands behind the first command
        self.queue = f"root.{self.given.get('partition', partition)}"
        whole, unit = re.fullmatch(r"(\d+)([KMGT]?)", self.given.get("mem", "1G")).groups()
        self.asks = {"vcore": 1000 * int(self.given.get("cpus-per-task", 1)) * int(self.given.get("ntasks", 1)),
                     "memory": int(whole) * UNITS[unit or "M"]}
        first, _, last = self.given.get("array", "").partition("%")[0].partition("-")
        self.tasks = list(range(int(first), int(last or first) + 1)) if first else [None]
        self.limit = seconds(self.given["time"]) if "time" in self.given else float("inf")

    def take(self, where: str, words: list[str]) -> None:
        known = set(OPTIONS.values())
        while words:
            name, _, value = words.pop(0).partition("=")
            option = OPTIONS.get(name, name[2:] if name.startswith("--") else "")
            if option not in known:
                refuse(where, "one of: " + ", ".join(f"--{one}" for one in sorted(known)), name, "leave it out, or add it to OPTIONS")
            self.given[option] = value or (words.pop(0) if words else "")
        if self.given.get("nodes", "1") != "1":
            refuse(where, "--nodes=1: this machine is one node", f"--nodes={self.given['nodes']}", "make a task of each, with --array")

    def key(self, task: int | None) -> str:
        return self.name if task is None else f"{self.name}_{task}"

    def start(self, task: int | None) -> subprocess.Popen:
        number = str(self.number) if task is None else f"{self.number}_{task}"
        output = self.given.get("output", "slurm-%j.out").replace("%j", number).replace("%x", self.given.get("job-name", self.script.stem))
        environment = os.environ | {"SLURM_JOB_ID": str(self.number), "SLURM_JOB_NAME": self.given.get("job-name", self.script.stem),
                                    "SLURM_CPUS_PER_TASK": self.given.get("cpus-per-task", "1"), "SLURM_JOB_PARTITION": self.queue[5:]}
        if task is not None:
            environment["SLURM_ARRAY_TASK_ID"] = str(task)
        with open(output, "ab") as file:
            return subprocess.Popen(["bash", str(self.script)], stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True)


@dataclasses.dataclass
class Running:
    said: tenon.Allocated
    process: subprocess.Popen
    until: float

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()


class Machine:
    def __init__(self, jobs: list[Job], cpus: int, memory_gib: int):
        self.jobs = {job.key(task): (job, task) for job in jobs for task in job.tasks}
        self.has = {"vcore": 1000 * cpus, "memory": memory_gib << 30}
        self.running: dict[str, Running] = {}
        self.states: dict[str, str] = {}

    def report(self, rm: tenon.ResourceManager) -> None:
        rm.add_node(os.uname().nodename, self.has)
        for job in {job.name: job for job, _ in self.jobs.values()}.values():
            rm.add_application(job.name, job.queue, getpass.getuser())
        for one in self.running.values():
            rm.again(one.said)
        for key in self.jobs.keys() - self.running.keys() - self.states.keys():
            self.ask(rm, key)

    def ask(self, rm: tenon.ResourceManager, key: str) -> None:
        job, _ = self.jobs[key]
        rm.ask(job.name, key, job.asks, priority=-int(job.given.get("nice", 0)))

    def hear(self, rm: tenon.ResourceManager, answer) -> None:
        match answer:
            case tenon.Allocated():
                job, task = self.jobs[answer.key]
                self.running[answer.key] = Running(answer, job.start(task), time.monotonic() + job.limit)
            case tenon.Released() if answer.to_confirm:  # preempted, as Slurm's PreemptMode=requeue
                self.running.pop(answer.key).kill()
                rm.confirm(answer)
                self.ask(rm, answer.key)
            case tenon.ApplicationRejected() | tenon.AskRejected():
                for key, (job, _) in self.jobs.items():
                    if job.name == answer.application and getattr(answer, "key", key) == key:
                        self.end(key, f"REJECTED: {answer.reason}")

    def end(self, key: str, state: str) -> None:
        self.states[key] = state
        print(f"{key:30} {state}", flush=True)

    def look(self, rm: tenon.ResourceManager) -> None:
        for key, one in list(self.running.items()):
            late = time.monotonic() > one.until
            if one.process.poll() is None and not late:
                continue
            del self.running[key]
            one.kill()
            code = one.process.returncode
            self.end(key, "TIMEOUT" if late else "COMPLETED" if code == 0 else f"FAILED: exit code {code}")
            rm.release(self.jobs[key][0].name, key)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", default="unix:rm.sock", help="unix:PATH or HOST:PORT of tenon.grpc")
    parser.add_argument("--cpus", type=int, default=os.cpu_count())
    parser.add_argument("--memory-gib", type=int, default=4)
    parser.add_argument("--partition", default="batch", help="of scripts that name none; the queue root.PARTITION")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    machine = Machine([Job(at, script, given.partition) for at, script in enumerate(given.scripts, 1)], given.cpus, given.memory_gib)
    with tenon.ResourceManager(given.scheduler, "sbatch", machine.report) as rm:
        while machine.states.keys() != machine.jobs.keys():
            if (answer := rm.next(timeout=0.2)) is not None:
                machine.hear(rm, answer)
            machine.look(rm)
        rm.leave()
        for _ in rm:
            pass
    return 0 if all(state == "COMPLETED" for state in machine.states.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

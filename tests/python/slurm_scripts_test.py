#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The example that runs Slurm's batch scripts: scripts as users have them, in queues of a real scheduler."""

import os
import subprocess
import sys

from rm_case import PACKAGE, ROOT, RmCase, main

EXAMPLE = ROOT / "sdk/examples/slurm-scripts/sbatch.py"


class SlurmScripts(RmCase):
    def played(self, **scripts: str) -> subprocess.CompletedProcess:
        for name, text in scripts.items():
            (self.folder / f"{name}.sh").write_text(text)
        return subprocess.run(
            [sys.executable, "-B", EXAMPLE, "--scheduler", self.address, "--cpus", "2", "--partition", "work",
             *(f"{name}.sh" for name in scripts)],
            cwd=self.folder, capture_output=True, text=True, timeout=60, env=os.environ | {"PYTHONPATH": str(PACKAGE)})

    def test_scripts_run_with_what_they_ask_for(self):
        self.served()
        done = self.played(
            one="#!/bin/bash\n#SBATCH --job-name=first -c 2\n#SBATCH --output=%x.out --time=10:00 --mem=512M\n"
                "echo $SLURM_JOB_NAME has $SLURM_CPUS_PER_TASK\n#SBATCH --unknown\n",
            many="#!/bin/bash\n#SBATCH -a 1-3 -p work --nice=5\necho task $SLURM_ARRAY_TASK_ID\n",
            bad="#!/bin/bash\nexit 3\n")
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        states = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
        self.assertEqual(states, {"one-1": "COMPLETED", "many-2_1": "COMPLETED", "many-2_2": "COMPLETED", "many-2_3": "COMPLETED",
                                  "bad-3": "FAILED: exit code 3"})
        self.assertEqual((self.folder / "first.out").read_text(), "first has 2\n")
        self.assertEqual([(self.folder / f"slurm-2_{at}.out").read_text() for at in (1, 2, 3)], ["task 1\n", "task 2\n", "task 3\n"])

    def test_what_cannot_be_done_is_said(self):
        self.served()
        no = self.played(nodes="#!/bin/bash\n#SBATCH --nodes=4\ntrue\n")
        self.assertEqual(no.returncode, 1)
        self.assertIn("nodes.sh:2\n  want: --nodes=1", no.stderr)
        no = self.played(unknown="#!/bin/bash\n#SBATCH --reservation=friday\ntrue\n")
        self.assertIn("have: --reservation\n  fix:  leave it out", no.stderr)
        no = self.played(nowhere="#!/bin/bash\n#SBATCH -p nowhere\ntrue\n")
        self.assertEqual(no.returncode, 1)
        self.assertRegex(no.stdout, r"nowhere-1 +REJECTED: .*there is no queue root.nowhere")

    def test_a_time_limit_ends_a_task(self):
        self.served()
        done = self.played(endless="#!/bin/bash\n#SBATCH --time=0:01\nsleep 1000\n")
        self.assertRegex(done.stdout, r"endless-1 +TIMEOUT\n")


if __name__ == "__main__":
    main()

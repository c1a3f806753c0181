#!/usr/bin/python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The bridge to Kubernetes against a real API server: `run.py --tenon PROGRAM [-k PATTERN] [--times N] [--rounds N]`.

etcd and kube-apiserver are built once into build/kubernetes-control-plane and started on loopback, without privileges; so
is the bridge, in build/kubernetes. What a case checks it looks up at the API server. Exit status 77: there is no Go here,
or no modules; it says which."""

import argparse
import pathlib
import secrets
import shutil
import sys
import tempfile
import time
import unittest

import build
from cluster import ROOT, Shared, deploy
from control_plane import ControlPlane
from nodes import Kubelets

HERE = pathlib.Path(__file__).resolve().parent


def arguments() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known.add_argument("--tenon", type=pathlib.Path, default=ROOT / "build/release/bin/tenon")
    known.add_argument("--bridge", type=pathlib.Path, help="a built tenon-kubernetes; without it, it is built")
    known.add_argument("--race", action="store_true", help="builds the bridge with Go's race detector, which any case then fails by")
    known.add_argument("--render", type=pathlib.Path, help="a built tests/kubernetes/render; without it, it is built")
    known.add_argument("--build-folder", type=pathlib.Path, default=ROOT / "build")
    known.add_argument("--kubernetes", metavar="MINOR", choices=build.minors(), default="",
                       help=f"plays the cases on an older control plane: {', '.join(build.minors())}")
    known.add_argument("-k", metavar="PATTERN", action="append", help="only cases whose names have this in them")
    known.add_argument("--times", type=int, default=1, help="plays each case so often (%(default)s)")
    known.add_argument("--rounds", type=int, default=20, help="of restarts in any order (%(default)s)")
    known.add_argument("--seed", type=int, default=1, help="of those (%(default)s); 0: one by chance, which is told")
    known.add_argument("--each-node", action="store_true", help="plays the cases of reference.yaml for each node by itself")
    known.add_argument("--keep", action="store_true", help="leaves the folder with the logs of the control plane")
    return known.parse_args()


def bridge(said: argparse.Namespace) -> pathlib.Path:
    """The bridge as said, in a folder of its own where it has the race detector."""
    return build.bridge(said.build_folder / "kubernetes-race", "--race") if said.race else build.bridge(said.build_folder / "kubernetes")


class Timed(unittest.TextTestResult):
    """Tells at the end which cases took longest."""

    def startTestRun(self) -> None:
        super().startTestRun()
        self.took: list[tuple[float, str]] = []

    def startTest(self, test: unittest.TestCase) -> None:
        self.begun = time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        self.took.append((time.monotonic() - self.begun, test.id()))

    def stopTestRun(self) -> None:
        super().stopTestRun()
        for seconds, name in sorted(self.took, reverse=True)[:12]:
            self.stream.writeln(f"{seconds:6.1f} s  {name}")


def main() -> int:
    said = arguments()
    said.seed = said.seed or secrets.randbelow(2**32) + 1
    begun = time.monotonic()
    Shared.tenon = said.tenon.resolve()
    if not Shared.tenon.exists():
        sys.exit(f"run.py: there is no {Shared.tenon}; build it, or name it by --tenon")
    programs = build.control_plane(said.build_folder / "kubernetes-control-plane", said.kubernetes)
    Shared.program = said.bridge.resolve() if said.bridge else bridge(said)
    Shared.render = said.render.resolve() if said.render else build.render(said.build_folder / "kubernetes-render")
    built = time.monotonic()
    import reference_test
    import restarts_test
    reference_test.Filters.each_node = said.each_node
    restarts_test.Restarts.rounds, restarts_test.Restarts.seed = said.rounds, said.seed
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in said.k] if said.k else None
    Shared.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-kubernetes-"))
    Shared.plane = ControlPlane(programs, Shared.folder, newest=not said.kubernetes)
    try:
        deploy(Shared.plane.api)
        Shared.kubelets = Kubelets(Shared.plane.api)
        version = Shared.plane.api.call("GET", "/version")["gitVersion"]
        print(f"API server {version} is ready: building {built - begun:.0f} s, starting {time.monotonic() - built:.1f} s; "
              f"seed of restarts {said.seed}", flush=True)
        cases = unittest.TestSuite(loader.discover(str(HERE), "*_test.py") for _ in range(said.times))
        done = unittest.TextTestRunner(verbosity=2, resultclass=Timed).run(cases)
    finally:
        if hasattr(Shared, "kubelets"):
            Shared.kubelets.stop()
        Shared.plane.stop()
        if said.keep:
            print(f"logs are in {Shared.folder}")
        else:
            shutil.rmtree(Shared.folder)
    if done.testsRun == 0:
        sys.exit("run.py: no such case")
    return 0 if done.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

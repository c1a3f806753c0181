# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Tests with resource managers made from the package tenon, each with a daemon of its own."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The package lies in the build folder of the program under test.
PACKAGE = pathlib.Path(sys.argv[sys.argv.index("--tenon") + 1]).resolve().parents[1] / "python"
sys.path[:0] = [str(ROOT / "tests/cli"), str(PACKAGE)]
try:
    import grpc
except ImportError as missing:
    print(f"skipped: {missing}; the package python3-grpcio has it")
    sys.exit(77)
import daemon  # noqa: E402
import tenon  # noqa: E402

QUEUES = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
          - name: poor
            resources: { guaranteed: { vcore: 1 } }
            properties: { preemption.delay: 1ms }
          - name: small
            resources: { max: { vcore: 2 } }
"""
CORE = {"vcore": 1000}


class RmCase(daemon.ServeCase):
    def setUp(self):
        super().setUp()
        self.queues.write_text(QUEUES)
        self.kept: dict[tenon.ResourceManager, list] = {}
        self.address = f"unix:{self.folder}/rm.sock"

    def served(self, more: str = "", config: str = "") -> daemon.Daemon:
        return self.started(more="predicates: [{ use: tenon.node-attributes }]\n"
                            f"transports: [{{ use: tenon.grpc, config: {{ listen: '{self.address}'{config} }} }}]\n{more}")

    def manager(self, report=lambda rm: None, name: str = "rm", **options) -> tenon.ResourceManager:
        return self.enterContext(tenon.ResourceManager(options.pop("address", self.address), name, report, **options))

    def hears(self, rm: tenon.ResourceManager, kind: type, **wanted):
        """An answer of this kind with these values, the oldest that no earlier call took. Streams have no order among each
        other, so others may come before it: they are kept."""
        kept = self.kept.setdefault(rm, [])

        def fits(heard) -> bool:
            return isinstance(heard, kind) and all(getattr(heard, name) == value for name, value in wanted.items())

        if found := next((heard for heard in kept if fits(heard)), None):
            kept.remove(found)
            return found
        while heard := rm.next(daemon.WITHIN_S):
            if fits(heard):
                return heard
            kept.append(heard)
        self.fail(f"no {kind.__name__} with {wanted}; heard were {kept}")

    def one_node(self, vcore: int = 1000):
        """A report of one node and one application."""
        def report(rm):
            rm.add_node("node", {"vcore": vcore})
            rm.add_application("app", "root.work", "somebody", ["people"])
        return report


main = daemon.main

# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Tests of tenon.mqtt, each with a broker and a daemon of its own, and RMs of paho, Eclipse's client."""

import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(sys.argv[sys.argv.index("--tenon") + 1]).resolve().parents[1] / "python"
sys.path[:0] = [str(ROOT / "tests/cli"), str(PACKAGE)]
MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
try:
    import paho.mqtt.client as paho
    from tenon.si.v1later import si_pb2 as si
    from tenon.v1 import broker_pb2 as words, checks_pb2 as checks
    from tenon.v1 import configuration_pb2 as configuration, reports_pb2 as reports
except ImportError as missing:
    print(f"skipped: {missing}; the packages python3-paho-mqtt and python3-protobuf have it")
    sys.exit(77)
if MOSQUITTO is None:
    print("skipped: there is no broker; the package mosquitto has one")
    sys.exit(77)
import daemon  # noqa: E402

WITHIN_S = daemon.WITHIN_S
INSISTS_AFTER_S = 5
CORE = {"vcore": 1000}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Broker:
    """A broker that keeps nothing: what it has not passed on is lost with it."""

    def __init__(self, folder: pathlib.Path, more: str = ""):
        self.port = free_port()
        self.file = folder / "mosquitto.conf"
        self.log = folder / "mosquitto.log"
        self.file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_dest stderr\n"
                             f"max_queued_messages 0\n{more}")  # its tests make it forget what they want forgotten
        self.process: subprocess.Popen | None = None
        self.start()

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen([MOSQUITTO, "-c", str(self.file)], stdout=log, stderr=log)
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.01)
        raise AssertionError(self.log.read_text())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WITHIN_S)

    @staticmethod
    def add_user(file: pathlib.Path, name: str, password: str) -> None:
        program = shutil.which("mosquitto_passwd", path="/usr/bin:/usr/local/bin")
        new = [] if file.exists() else ["-c"]
        subprocess.run([program, "-b", *new, str(file), name, password], check=True, capture_output=True)
        file.chmod(0o644)
        for folder in (file.parent, file.parent.parent):
            folder.chmod(0o755)  # a broker that root starts reads it as another user


class Manager:
    """An RM, as docs/mqtt.md says one works: requests are kept until they are taken, answers are told from repeated ones by
    their numbers, and after each connection it says that it is there."""

    def __init__(self, port: int, name: str, topics: str = "tenon", topic_name: str | None = None,
                 registers_as: str | None = None, login: tuple | None = None, checks: bool = False, **options):
        self.name, self.topics, self.topic_name = name, topics, topic_name or name
        self.registers_as = registers_as or name
        self.login, self.checks = login, checks
        self.options = options
        self.session = secrets.randbits(63) | 1
        self.connection = secrets.randbits(63) | 1
        self.changed = threading.Condition()
        self.sent: list[words.FromManager] = []  # not taken yet
        self.next_number = 1
        self.had: dict[str, int] = {}  # by partition: the last answer
        self.heard: list[tuple[str, object]] = []
        self.is_entered = False
        self.repeated = self.greetings = 0
        # What a test makes it do: requests that do not reach the broker, answers that do not come from it, silence.
        self.skips = self.forgets = 0
        self.confirms = True
        self.connect(port)

    def connect(self, port: int) -> None:
        self.client = paho.Client(client_id=f"rm-{self.connection}", clean_session=True)
        self.client.on_connect, self.client.on_message = self.is_connected, self.hear
        self.client.reconnect_delay_set(1, 1)
        self.client.max_inflight_messages_set(100)
        if self.login:
            self.client.username_pw_set(*self.login)
        lost = words.FromManager(connection=self.connection, lost=words.Lost())
        self.client.will_set(self.to_scheduler, lost.SerializeToString(), qos=1)
        self.client.connect("127.0.0.1", port, keepalive=30)
        self.client.loop_start()

    def reconnect(self, port: int) -> None:
        self.connection = secrets.randbits(63) | 1
        self.connect(port)

    @property
    def to_scheduler(self) -> str:
        return f"{self.topics}/to-scheduler/{self.topic_name}"

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def break_connection(self) -> None:
        """Without a word to the broker."""
        self.client._thread_terminate = True  # paho has no way to end without a goodbye
        self.client._thread.join()
        if self.client.socket() is not None:
            self.client._sock_close()

    def is_connected(self, *_unused) -> None:
        self.client.subscribe([(f"{self.topics}/to-rm/{self.topic_name}", 1), (f"{self.topics}/scheduler", 1)])
        with self.changed:
            self.greet()

    def greet(self) -> None:
        self.greetings += 1
        if self.is_entered:
            self.say(words.FromManager(connection=self.connection, present=words.Present()))
        else:
            registration = si.RegisterResourceManagerRequest(rmID=self.registers_as, **self.options)
            self.say(words.FromManager(connection=self.connection, checksPlacements=self.checks,
                                       registration=registration.SerializeToString()))

    def say(self, message: words.FromManager) -> None:
        message.session = self.session
        self.client.publish(self.to_scheduler, message.SerializeToString(), qos=1)

    def request(self, **content) -> int:
        (kind, message), = content.items()
        return self.request_bytes(kind, message.SerializeToString())

    def request_bytes(self, kind: str, content: bytes) -> int:
        with self.changed:
            one = words.FromManager(session=self.session, number=self.next_number, **{kind: content})
            self.next_number += 1
            self.sent.append(one)
            if self.skips:
                self.skips -= 1
            else:
                self.say(one)
            return one.number

    def hear(self, _client, _data, message) -> None:
        with self.changed:
            if message.topic == f"{self.topics}/scheduler":
                self.heard.append(("scheduler", bytes(message.payload)))
                if message.payload and not message.retain:
                    self.greet()
            else:
                answer = words.ToManager()
                answer.ParseFromString(message.payload)
                if answer.session == self.session:
                    self.take(answer)
            self.changed.notify_all()

    def take(self, answer: words.ToManager) -> None:
        kind = answer.WhichOneof("says")
        if answer.lastNumber:
            last = self.had.get(answer.partitionName, 0)
            if self.forgets:
                self.forgets -= 1
                return
            if answer.firstNumber > last + 1:
                self.greet()  # one is missing: all that follow come again
                return
            arrived = words.Arrived(partitionName=answer.partitionName, number=max(last, answer.lastNumber))
            if self.confirms:
                self.say(words.FromManager(arrived=[arrived]))
            if answer.lastNumber <= last:
                self.repeated += 1
                return
            self.had[answer.partitionName] = answer.lastNumber
            if kind is None:
                return
            read = {"application": si.ApplicationResponse, "node": si.NodeResponse, "allocation": si.AllocationResponse,
                    "checks": checks.CheckPlacementsResponse, "reports": reports.ReportResponse,
                    "configuration": configuration.ConfigurationResponse}[kind]()
            read.ParseFromString(getattr(answer, kind))
            for field, values in read.ListFields():
                self.heard += [(f"{kind}.{field.name}", value) for value in values]
            return
        said = getattr(answer, kind)
        if kind == "entered":
            self.is_entered = True
        elif kind == "whoIsThere":
            self.greet()
        elif kind == "taken":
            self.sent = [one for one in self.sent if one.number > said.number]
            if said.again:
                for one in self.sent:
                    self.say(one)
        elif kind == "refused" and said.number:
            self.sent = [one for one in self.sent if one.number > said.number]
        self.heard.append((kind, said))

    def hears(self, kind: str, fits=lambda value: True):
        """The oldest of its kind that no earlier call took."""
        found = []

        def look() -> bool:
            for i, (what, value) in enumerate(self.heard):
                if what == kind and fits(value):
                    found.append(self.heard.pop(i)[1])
                    return True
            return False

        with self.changed:
            if not self.insists_until(look):
                raise AssertionError(f"{self.name} never heard {kind}; it heard {self.heard}")
        return found[0]

    def insists_until(self, holds) -> bool:
        """Waits. Where none of its requests are taken meanwhile, the broker may have dropped the last one."""
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until:
            oldest = self.sent[0].number if self.sent else 0
            if self.changed.wait_for(holds, min(INSISTS_AFTER_S, max(0.0, until - time.monotonic()))):
                return True
            if self.is_entered and self.sent and self.sent[0].number == oldest:
                self.greet()
        return False

    def confirm_all(self) -> None:
        with self.changed:
            self.confirms = True
            arrived = [words.Arrived(partitionName=name, number=number) for name, number in self.had.items()]
            self.say(words.FromManager(arrived=arrived))

    def has_said_all(self) -> None:
        with self.changed:
            assert self.insists_until(lambda: not self.sent), self.sent

    # What an RM asks for.

    def add_node(self, name: str, resources: dict) -> None:
        info = si.NodeInfo(nodeID=name, action=si.NodeInfo.CREATE, schedulableResource=amounts(resources))
        self.request(node=si.NodeRequest(nodes=[info]))

    def add_application(self, name: str, queue: str = "root.q0") -> None:
        one = si.AddApplicationRequest(applicationID=name, queueName=queue, partitionName="default",
                                       ugi=si.UserGroupInformation(user="somebody", groups=["people"]))
        self.request(application=si.ApplicationRequest(new=[one]))

    def ask(self, application: str, key: str, resources: dict) -> None:
        one = si.Allocation(allocationKey=key, applicationID=application, partitionName="default",
                            resourcePerAlloc=amounts(resources))
        self.request(allocation=si.AllocationRequest(allocations=[one]))

    def answer(self, check, accepted: bool) -> None:
        one = checks.CheckAnswer(partitionName=check.partitionName, number=check.number, accepted=accepted)
        self.request(checks=checks.CheckPlacementsRequest(answers=[one]))

    def runs(self, key: str):
        return self.hears("allocation.new", lambda one: one.allocationKey == key)


def amounts(of: dict) -> si.Resource:
    return si.Resource(resources={name: si.Quantity(value=value) for name, value in of.items()})


class QueueCase(daemon.ServeCase):
    def setUp(self):
        super().setUp()
        self.broker = Broker(self.folder)
        self.addCleanup(self.broker.kill)

    def transports(self, config: str) -> str:
        return (f"transports: [{{ use: tenon.mqtt, config: {{ broker: '127.0.0.1:{self.broker.port}', "
                f"retry_ms: 50{config} }} }}]\n")

    def served(self, config: str = "") -> daemon.Daemon:
        return self.started(more=self.transports(config))

    def refused_to_serve(self, config: str) -> str:
        return self.refused("serve", "-c", str(self.deployment(self.transports(config))))

    def until(self, holds) -> None:
        until = time.monotonic() + WITHIN_S
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def manager(self, name: str = "rm", **options) -> Manager:
        one = Manager(self.broker.port, name, **options)
        self.addCleanup(one.close)
        return one


main = daemon.main

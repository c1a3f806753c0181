# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What a daemon answers to messages of a resource manager over gRPC, and to requests over HTTP."""

import http.client
import json
import pathlib
import queue
import sys
import threading
import urllib.parse

# The package lies in the build folder of the program under test.
sys.path.insert(0, str(pathlib.Path(sys.argv[sys.argv.index("--tenon") + 1]).resolve().parents[1] / "python"))
try:
    import grpc
    from google.protobuf import json_format
except ImportError as missing:
    print(f"skipped: {missing}; the package python3-grpcio has it")
    sys.exit(77)
from tenon.si.v1later import si_pb2 as si  # noqa: E402

WITHIN_S = 60
TOKENS = {"root": "token-of-root-0000", "sue": "token-of-sue-00000"}  # by user
STREAMS = {
    "UpdateApplication": (si.ApplicationRequest, si.ApplicationResponse),
    "UpdateNode": (si.NodeRequest, si.NodeResponse),
    "UpdateAllocation": (si.AllocationRequest, si.AllocationResponse),
}


def read(message: dict, into):
    """The message that a table of an input stands for. LONG stands for a name longer than any may be."""
    return json_format.Parse(json.dumps(message).replace("LONG", 5_000 * "a"), into)


class RmClient:
    """A resource manager that sends whatever it is told to, and says what it heard."""

    def __init__(self, address: str, name: str):
        self.name = name
        self._channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        self._heard: queue.Queue = queue.Queue()
        self._outgoing: dict[str, queue.SimpleQueue] = {}
        self._calls: list = []

    def __enter__(self) -> "RmClient":
        return self

    def __exit__(self, *_) -> None:
        for call in self._calls:
            call.cancel()
        self._channel.close()

    def register(self, message: dict) -> str:
        """The refusal of a registration; empty: there was none."""
        ask = self._channel.unary_unary(
            "/si.v1.Scheduler/RegisterResourceManager",
            request_serializer=si.RegisterResourceManagerRequest.SerializeToString,
            response_deserializer=si.RegisterResourceManagerResponse.FromString)
        try:
            ask(read(message, si.RegisterResourceManagerRequest()), timeout=WITHIN_S)
        except grpc.RpcError as error:
            return f"{error.code().name}: {error.details()}"
        return ""

    def begin(self, named: bool = True) -> None:
        """Registers, and has a node and an application from then on where its streams have a name."""
        refused = self.register({"rmID": self.name, "version": "1", "policyGroup": "default"})
        if refused:
            raise AssertionError(refused)
        if not named:
            return
        self.send("UpdateNode", {"nodes": [{
            "nodeID": "n1", "action": "CREATE",
            "schedulableResource": {"resources": {"vcore": {"value": 4000}, "gpu": {"value": 8000}}}}]})
        self.send("UpdateApplication", {"new": [{
            "applicationID": "app-1", "partitionName": "default", "queueName": "root.prod", "ugi": {"user": "sue"}}]})
        accepted = 0
        while accepted < 2:
            heard = self._heard.get(timeout=WITHIN_S)
            accepted += len(getattr(heard, "accepted", ()))

    def send(self, stream: str, message: dict, named: bool = True) -> None:
        request, response = STREAMS[stream]
        if stream not in self._outgoing:
            outgoing = self._outgoing[stream] = queue.SimpleQueue()
            call = self._channel.stream_stream(
                f"/si.v1.Scheduler/{stream}", request_serializer=request.SerializeToString,
                response_deserializer=response.FromString)(iter(outgoing.get, None))
            self._calls.append(call)
            threading.Thread(target=self._read, args=(call,), daemon=True).start()
        self._outgoing[stream].put(read(message | ({"rmID": self.name} if named else {}), request()))

    def _read(self, call) -> None:
        try:
            for response in call:
                self._heard.put(response)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.CANCELLED:
                self._heard.put(f"{error.code().name}: {error.details()}")

    def refusal(self) -> str:
        """The next refusal; empty where none comes in time."""
        while True:
            try:
                heard = self._heard.get(timeout=WITHIN_S)
            except queue.Empty:
                return ""
            if isinstance(heard, str):
                return heard
            for one in [*getattr(heard, "rejected", ()), *getattr(heard, "rejectedAllocations", ())]:
                return one.reason

    def wait_for_allocation(self) -> None:
        while not getattr(self._heard.get(timeout=WITHIN_S), "new", ()):
            pass


class RestClient:
    def __init__(self, address: str):
        self._at = urllib.parse.urlsplit(address)

    def ask(self, one: dict) -> tuple[int, str]:
        """The status, and the texts of the answer."""
        token = TOKENS.get(one.get("as", "root"), "token-of-nobody-00")
        headers = {} if one.get("as") == "nobody" else {"Authorization": f"Bearer {token}"}
        if "host" in one:
            headers["Host"] = one["host"]
        connection = http.client.HTTPConnection(self._at.hostname, self._at.port, timeout=WITHIN_S)
        connection.request(one.get("method", "GET"), one["path"].replace("LONG", 1_000 * "a"), one.get("body"), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        try:
            body = json.loads(text)
            text = body.get("description") or text if isinstance(body, dict) else text
        except ValueError:
            pass
        return answer.status, text

#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Serves the dashboard with a cluster that does not exist: what a real scheduler shows too seldom to wait for.

Its trouble can be set: none, "refuse" (500 for every read), "silent" (connections are closed), "token" (401 without one).
By hand: fake_server.py --nodes 10000 --port 8080
"""

import argparse
import hashlib
import json
import pathlib
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import fake_cluster

PAGE = pathlib.Path(__file__).resolve().parents[2] / "plugins/transports/rest/dashboard"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
TOKEN = "a-token-for-tests"
PARTITION = "/ws/v1/partition/([^/]+)"
OURS = "/tenon/v1/partition/([^/]+)"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/" or url.path.startswith("/dashboard/"):
            return self.page(url.path.rpartition("/")[2] or "index.html")
        if self.server.trouble == "silent":
            self.close_connection = True
            return self.connection.close()
        if self.server.trouble == "refuse":
            return self.refuse(500, "internal error")
        if self.server.trouble == "token" and not self.known():
            sent = self.headers.get("Authorization")
            return self.refuse(401, "the token is not known" if sent else "want a token: Authorization: Bearer TOKEN")
        if url.path == "/ws/v1/events/stream":
            return self.stream()
        return self.read(url.path, parse_qs(url.query))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if not self.known():
            return self.refuse(401, "the token is not known")
        self.server.actions.append(" ".join(part for part in (unquote(self.path), body) if part))
        return self.json({"done": True, "action": "some"})

    def known(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def page(self, name: str):
        file = PAGE / name
        if "/" in name or not file.is_file():
            return self.refuse(404, "404 page not found")
        body = file.read_bytes()
        self.answer(200, TYPES[file.suffix], body, {"Content-Security-Policy": POLICY, "ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"'})

    def read(self, path: str, query: dict):
        cluster = self.server.cluster
        empty = path.startswith(("/ws/v1/partition/gpu/", "/tenon/v1/partition/gpu/"))
        for pattern, value in (
            ("/ws/v1/partitions", lambda: cluster.partitions()),
            ("/ws/v1/scheduler/healthcheck", lambda: fake_cluster.HEALTH),
            ("/ws/v1/config", lambda: fake_cluster.CONFIG),
            ("/tenon/v1/rms", lambda: fake_cluster.RMS),
            ("/tenon/v1/modules", lambda: fake_cluster.MODULES),
            ("/tenon/v1/call-shadows", lambda: fake_cluster.SHADOWS),
            ("/tenon/v1/shadow", lambda: fake_cluster.WORLD_SHADOW),
            ("/tenon/v1/openapi.json", lambda: fake_cluster.OPENAPI),
            (f"{PARTITION}/queues", lambda _: {"queuename": "root", "partition": "gpu", "isLeaf": True, "isManaged": True,
                                               "status": "Active"} if empty else fake_cluster.queues()),
            (f"{PARTITION}/nodes", lambda _: [] if empty else cluster.nodes),
            (f"{PARTITION}/node/([^/]+)", lambda _, name: next((n for n in cluster.nodes if n["nodeID"] == name), None)),
            (f"{PARTITION}/usage/(users|groups)", lambda _, of: [] if empty else fake_cluster.usage(of)),
            (f"{OURS}/reservations", lambda _: [] if empty else fake_cluster.RESERVATIONS),
            (f"{OURS}/history", lambda _: [] if empty else fake_cluster.history()),
            (f"{OURS}/queue/([^/]+)/history", lambda _, name: [] if empty else fake_cluster.queue_history()),
            (f"{OURS}/devices", lambda _: [] if empty else fake_cluster.devices()),
            (f"{OURS}/preemptions", lambda _: fake_cluster.PREEMPTIONS),
            (f"{PARTITION}/applications/(\\w+)", lambda _, state: [] if empty else cluster.applications[state]),
            (f"{PARTITION}/application/([^/]+)",
             lambda _, name: next((a for a in cluster.applications["active"] if a["applicationID"] == name), None)),
            (f"{OURS}/application/([^/]+)/explain/([^/]+)", lambda _, name, key: fake_cluster.explanation(name, key)),
        ):
            if found := re.fullmatch(pattern, path):
                answer = value(*found.groups())
                if answer is None:
                    return self.refuse(404, "not found")
                return self.listed(answer, query) if isinstance(answer, list) else self.json(answer)
        return self.refuse(404, "404 page not found")

    def listed(self, answer: list, query: dict):
        start, limit = int(query.get("cursor", ["0"])[0], 16), int(query.get("limit", ["1000000"])[0])
        part = answer[start:start + limit]
        if "fields" in query:
            fields = query["fields"][0].split(",")
            part = [{key: one[key] for key in fields if key in one} for one in part]
        more = {"Tenon-Next-Cursor": f"{start + limit:x}"} if start + limit < len(answer) else {}
        return self.json(part, more)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.server.streams.add(self)
        try:
            self.wfile.write(b'{"InstanceUUID":"one"}\n')
            for at in range(1_000_000):
                if self.server.trouble or self.server.ended:
                    return
                self.wfile.write(json.dumps(fake_cluster.event(at)).encode() + b"\n")
                self.wfile.flush()
                if at > 60:
                    time.sleep(0.1)
        except OSError:
            pass
        finally:
            self.server.streams.discard(self)

    def json(self, answer, headers: dict | None = None):
        self.answer(200, "application/json; charset=UTF-8", json.dumps(answer).encode(), headers or {})

    def refuse(self, status: int, words: str):
        self.answer(status, "application/json; charset=UTF-8",
                    json.dumps({"status_code": status, "message": words, "description": words}).encode(), {})

    def answer(self, status: int, kind: str, body: bytes, headers: dict):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, cluster: fake_cluster.Cluster, port: int = 0):
        super().__init__(("127.0.0.1", port), Handler)
        self.cluster, self.trouble, self.ended, self.actions = cluster, "", False, []
        self.streams = set()  # those that are open

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass  # a browser that leaves is no news

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--applications", type=int, default=90)
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    server = Server(fake_cluster.Cluster(arguments.nodes, arguments.applications), arguments.port)
    print(server.url)
    server.serve_forever()

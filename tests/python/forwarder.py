# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Connections to a Unix socket by way of another one, which can be cut."""

import contextlib
import socket
import threading


class Forwarder:
    def __init__(self, path: str, to: str):
        self.to = to
        self.lock = threading.Lock()
        self.ends: list[socket.socket] = []  # of connections
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):  # until it is closed
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self.to)
                except OSError:
                    client.close()
                    continue
                with self.lock:
                    self.ends += [client, server]
                threading.Thread(target=self.connect, args=(client, server), daemon=True).start()

    def connect(self, client: socket.socket, server: socket.socket) -> None:
        """Both ways, until one of them ends."""
        with client, server:
            back = threading.Thread(target=self.pass_on, args=(server, client), daemon=True)
            back.start()
            self.pass_on(client, server)
            back.join()

    @staticmethod
    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                target.sendall(piece)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Ends all connections, with what is on its way."""
        with self.lock:
            ends, self.ends = self.ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

# SPDX-License-Identifier: Apache-2.0
"""A server of `orrery ui` for tests."""

import http.client
import json
import os
import socket
import subprocess
import tempfile
import time

PROGRAM = os.environ["ORRERY_PROGRAM"]
SOURCE = os.environ["ORRERY_SOURCE"]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Server:
    """`with Server() as server:` starts it in a new folder, and ends it."""

    def __init__(self, *options):
        self.options = list(options)

    def __enter__(self):
        self.root = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.root.name, "mine")
        os.mkdir(self.folder)
        self.process = subprocess.Popen([PROGRAM, "ui", self.folder, "--no-open", *self.options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if self.address.startswith("http"):
            place, self.token = self.address.split("/#token=")
            self.host, port = place.removeprefix("http://").split(":")
            self.port = int(port)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.root.cleanup()

    def connect(self, timeout=60):
        if self.address.startswith("unix:"):
            return UnixConnection(self.address.removeprefix("unix:"))
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def headers(self, **others):
        given = {"Authorization": f"Bearer {self.token}"} if self.address.startswith("http") else {}
        given["Content-Type"] = "application/json"
        given.update({name.replace("_", "-"): value for name, value in others.items()})
        return {name: value for name, value in given.items() if value is not None}

    def request(self, method, path, body=None, **headers):
        """Status, headers and bytes of the answer. Objects are sent as JSON."""
        connection = self.connect()
        data = json.dumps(body) if isinstance(body, (dict, list)) else body
        connection.request(method, path, data, self.headers(**headers))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def ask(self, command, question, **headers):
        """Status and parsed answer."""
        status, _, content = self.request("POST", "/v1/" + command.replace(" ", "/"), question, **headers)
        return status, json.loads(content)

    def memory(self):
        """Resident bytes of the server."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def children(self):
        """Process ids of the processes that answer."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(word) for word in listed.stdout.split()]

    def busy_children(self):
        """Those that have a question: they have used more time of a processor than a start needs."""
        return [pid for pid in self.children() if _processor_seconds(pid) > 0.4]

    def busy_child(self):
        """Waits until one has a question for some time."""
        for _ in range(3000):
            if busy := self.busy_children():
                return busy[0]
            time.sleep(0.01)
        raise TimeoutError("no process answers")


def _processor_seconds(pid):
    """0 if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended(pid):
    """Whether a process has ended; its parent need not have noticed."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True

# SPDX-License-Identifier: Apache-2.0
"""The server of `orrery ui`: answers of the command line, and what it refuses. Costs 20 CPU s."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import unittest

from serving import PROGRAM, SOURCE, Server, ended

JOB = {"model": "llama-3.1-8b", "tp": "4", "dp": "2", "cluster": "h100-sxm:8"}
FULL = os.environ.get("ORRERY_TEST_EFFORT") == "full"


class Answers(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        with Server() as server:
            for command, line, question in (
                    ("run", ["--model", "llama-3.1-8b", "--tp", "4", "--dp", "2", "--cluster", "h100-sxm:8"], JOB),
                    ("memory", ["--model", "llama-3.1-8b", "--device", "h100-sxm"],
                     {"model": "llama-3.1-8b", "device": "h100-sxm"}),
                    ("job count", ["--model", "llama-3.1-8b"], {"model": "llama-3.1-8b"}),
                    ("list", ["devices"], {"list": "devices"}),
                    ("run", ["--model", "llama-9", "--cluster", "h100-sxm:8"],
                     {"model": "llama-9", "cluster": "h100-sxm:8"})):
                with self.subTest(command=command):
                    ran = subprocess.run([PROGRAM, *command.split(), *line, "--json"], capture_output=True, text=True,
                                         cwd=server.folder)
                    status, _, content = server.request("POST", "/v1/" + command.replace(" ", "/"), question)
                    self.assertEqual(json.loads(content), json.loads(ran.stdout))
                    self.assertEqual(status, 200 if ran.returncode in (0, 1) else 422)

    def test_equal_questions_are_kept(self):
        with Server() as server:
            first = server.request("POST", "/v1/run", JOB)
            second = server.request("POST", "/v1/run", dict(reversed(JOB.items())))
            self.assertNotIn("Orrery-Kept", first[1])
            self.assertEqual(second[1]["Orrery-Kept"], "1")
            self.assertEqual(first[2], second[2])

    def test_files_of_the_folder_and_pages(self):
        with Server() as server:
            with open(os.path.join(SOURCE, "examples/clusters/dgx-h100-8.yaml"), "rb") as file:
                cluster = file.read()
            self.assertEqual(server.request("PUT", "/v1/files/my.yaml", cluster)[0], 201)
            status, answer = server.ask("run", {**JOB, "cluster": "my.yaml"})
            self.assertEqual(status, 200, answer)
            # Another content under the name: the kept answer does not count.
            with open(os.path.join(server.folder, "my.yaml"), "wb") as file:
                file.write(cluster.replace(b"h100-sxm", b"a100-80gb"))
            slower = server.ask("run", {**JOB, "cluster": "my.yaml"})[1]
            self.assertGreater(slower["result"]["step_ns"], answer["result"]["step_ns"])
            status, answer = server.ask("run", {**JOB, "output": "page.html"})
            self.assertEqual(status, 200, answer)
            status, headers, page = server.request("GET", "/v1/files/page.html")
            self.assertIn(b"orrery-data", page)
            self.assertEqual(headers["Content-Disposition"], "attachment")
            names = [file["name"] for file in json.loads(server.request("GET", "/v1/files")[2])["files"]]
            self.assertEqual(names, ["my.yaml", "page.html"])

    def test_jobs_with_progress(self):
        with Server() as server:
            status, job = server.ask("search", {"model": "llama-3.1-8b", "cluster": "h100-sxm:8"}, Prefer="respond-async")
            self.assertEqual(status, 202)
            events = server.request("GET", f"/v1/jobs/{job['job']}/events")[2].decode()
            self.assertIn("event: done", events)
            status, _, content = server.request("GET", f"/v1/jobs/{job['job']}/answer")
            self.assertEqual(status, 200)
            self.assertIn("result", json.loads(content))

    def test_the_description_names_every_command(self):
        with Server() as server:
            document = json.loads(server.request("GET", "/v1/openapi.json")[2])
            self.assertEqual(document["openapi"], "3.1.0")
            listed = subprocess.run([PROGRAM, "schema", "question"], capture_output=True, text=True)
            for name in json.loads(listed.stdout)["$defs"]:
                if f"/v1/{name.replace('_', '/', 1)}" in document["paths"] or f"/v1/{name}" in document["paths"]:
                    continue
                self.assertIn(name, ("ui", "completion", "man"), "has no path")
            for path in document["paths"].values():
                for reference in _references(path):
                    self.assertIn(reference.rsplit("/", 1)[1], document["components"]["schemas"])


def _references(json_value):
    if isinstance(json_value, dict):
        if "$ref" in json_value:
            yield json_value["$ref"]
        for each in json_value.values():
            yield from _references(each)
    elif isinstance(json_value, list):
        for each in json_value:
            yield from _references(each)


class Refusals(unittest.TestCase):
    def test_other_origins(self):
        with Server() as server:
            own = f"127.0.0.1:{server.port}"
            for status, headers in (
                    (421, {"Host": "attacker.example"}), (421, {"Host": f"attacker.example:{server.port}"}),
                    (421, {"Host": "127.0.0.1"}), (403, {"Origin": "http://attacker.example"}),
                    (403, {"Origin": "null"}), (403, {"Origin": f"https://{own}"}),
                    (403, {"Sec_Fetch_Site": "cross-site"}), (401, {"Authorization": None}),
                    (401, {"Authorization": "Bearer " + "0" * 32}), (415, {"Content_Type": "text/plain"}),
                    (415, {"Content_Type": "application/x-www-form-urlencoded"})):
                with self.subTest(headers=headers):
                    answer = server.request("POST", "/v1/run", json.dumps(JOB), **headers)
                    self.assertEqual(answer[0], status)
                    self.assertNotIn("Access-Control-Allow-Origin", answer[1])
            self.assertEqual(server.request("OPTIONS", "/v1/run", Origin="http://attacker.example")[0], 403)
            self.assertEqual(server.request("POST", "/v1/run", JOB, Origin=f"http://{own}")[0], 200)

    def test_other_files(self):
        with Server() as server:
            secret = os.path.join(server.root.name, "secret.yaml")
            with open(secret, "w", encoding="ascii") as file:
                file.write("secret: 42\n")
            os.symlink(secret, os.path.join(server.folder, "link.yaml"))
            for name in (secret, "../secret.yaml", "link.yaml", "a/../../secret.yaml"):
                with self.subTest(name=name):
                    status, answer = server.ask("run", {**JOB, "cluster": name})
                    self.assertEqual(status, 422)
                    self.assertNotIn("secret: 42", json.dumps(answer))
                    self.assertNotEqual(server.request("GET", "/v1/files/" + name)[0], 200)
            # A file of the folder that names one outside: the system refuses it.
            with open(os.path.join(server.folder, "mine.yaml"), "w", encoding="ascii") as file:
                file.write(f"version: 1\ndevice: {{name: x, peak: 1 TFLOP/s, kernel_table: {secret}}}\n"
                           "network: [{block: ring, size: 8, bandwidth: 1 GB/s}]\n")
            status, answer = server.ask("run", {**JOB, "cluster": "mine.yaml"})
            self.assertEqual(status, 422, answer)
            self.assertNotIn("42", json.dumps(answer))
            status, answer = server.ask("run", {**JOB, "output": "../page.html"})
            self.assertEqual(status, 422)
            self.assertEqual(os.listdir(server.root.name).count("page.html"), 0)

    def test_sizes_and_limits(self):
        with Server("--job-seconds", "0.3") as server:
            status, _, _ = server.request("POST", "/v1/run", '{"model": "' + "a" * (5 << 20) + '"}')
            self.assertEqual(status, 413)
            status, answer = server.ask("search", {"model": "llama-3.1-405b", "cluster": "h100-sxm:16384"})
            self.assertEqual((status, answer["error"]["name"]), (413, "limit_exceeded"), answer)
            self.assertEqual(server.request("GET", "/v1/" + "a" * 5000)[0], 414)


class Robustness(unittest.TestCase):
    def test_a_thousand_requests_at_once(self):
        with Server("--jobs", "2") as server:
            server.ask("run", JOB)
            statuses = []

            def ask(number):
                try:
                    statuses.append(server.request("POST", "/v1/run", JOB if number % 10 else {"model": "none"})[0])
                except OSError as error:
                    statuses.append(error)

            def burst(count):
                threads = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()

            burst(200)
            before = server.memory()
            burst(1000)
            self.assertEqual(set(statuses), {200, 422})
            self.assertEqual(len(statuses), 1200)
            self.assertLess(server.memory() - before, 32 << 20)

    def test_a_killed_process_is_an_answer(self):
        with Server() as server:
            answers = []
            question = {"model": "llama-3.1-405b", "cluster": "h100-sxm:16384"}
            thread = threading.Thread(target=lambda: answers.append(server.ask("search", question)))
            thread.start()
            os.kill(server.busy_child(), signal.SIGKILL)
            thread.join()
            self.assertEqual(answers[0][0], 413)
            self.assertIn("ended the process", answers[0][1]["error"]["what"])
            self.assertEqual(server.ask("run", JOB)[0], 200)

    def test_cancelled_jobs_end_their_process(self):
        with Server() as server:
            job = server.ask("search", {"model": "llama-3.1-405b", "cluster": "h100-sxm:16384"}, Prefer="respond-async")[1]
            self.assertEqual(server.request("DELETE", f"/v1/jobs/{job['job']}")[0], 204)
            for _ in range(500):
                state = json.loads(server.request("GET", f"/v1/jobs/{job['job']}")[2])
                if state["state"] == "done":
                    break
                time.sleep(0.01)
            self.assertEqual(state["status"], 130)
            self.assertEqual(server.busy_children(), [])

    def test_answers_do_not_wait_for_the_start_of_a_program(self):
        with Server() as server:
            self.assertEqual(server.ask("run", JOB)[0], 200)
            waiting = server.children()
            self.assertGreater(len(waiting), 0)
            self.assertLessEqual(len(waiting), 4)
            for pid in waiting:  # what was ended while it waited is replaced
                os.kill(pid, signal.SIGKILL)
            while not all(ended(pid) for pid in waiting):
                time.sleep(0.01)
            self.assertEqual(server.ask("run", {**JOB, "tp": "2", "dp": "4"})[0], 200)
            self.assertEqual(set(server.children()) & set(waiting), set())

    def test_processes_end_with_the_server(self):
        with Server() as server:
            server.ask("search", {"model": "llama-3.1-405b", "cluster": "h100-sxm:16384"}, Prefer="respond-async")
            server.busy_child()
            children = server.children()
            server.process.kill()
            server.process.wait()
            for _ in range(500):
                if not any(os.path.exists(f"/proc/{child}") for child in children):
                    break
                time.sleep(0.01)
            self.assertFalse(any(os.path.exists(f"/proc/{child}") for child in children))

    def test_random_bytes(self):
        """Mutated requests; a second in CI, 20 minutes with ORRERY_TEST_EFFORT=full."""
        seconds = 20 * 60 if FULL else 1
        draw = random.Random(1)
        with Server() as server:
            seeds = [
                f"GET /v1/version HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n",
                f"POST /v1/explain HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
                "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"words\": [\"mfu\"]}",
                f"PUT /v1/files/a%2e.json HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                f"GET / HTTP/1.0\r\nHost: localhost:{server.port}\r\nRange: bytes=0-5,7-9\r\nExpect: 100-continue\r\n\r\n",
            ]
            end = time.monotonic() + seconds
            count = 0
            while time.monotonic() < end:
                text = bytearray(draw.choice(seeds).encode())
                for _ in range(draw.randrange(1, 8)):
                    place = draw.randrange(len(text))
                    kind = draw.randrange(4)
                    if kind == 0:
                        text[place] = draw.randrange(256)
                    elif kind == 1:
                        del text[place:place + draw.randrange(1, 20)]
                    elif kind == 2:
                        text[place:place] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 20)))
                    else:
                        text[place:place] = text[place:place + draw.randrange(1, 60)] * draw.randrange(1, 5)
                    if not text:
                        text = bytearray(b"\n")
                with socket.create_connection((server.host, server.port), timeout=5) as link:
                    link.sendall(bytes(text))
                    link.shutdown(socket.SHUT_WR)
                    try:
                        while link.recv(65536):
                            pass
                    except OSError:
                        pass
                count += 1
            self.assertIsNone(server.process.poll(), "the server ended")
            self.assertEqual(server.ask("run", JOB)[0], 200)
            self.assertGreater(count, 20)


class Sockets(unittest.TestCase):
    def test_a_socket_of_its_own(self):
        with Server("--socket", "/tmp/orrery-ui-test-%d.sock" % os.getpid()) as server:
            path = server.address.removeprefix("unix:")
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            self.assertEqual(server.ask("run", JOB)[0], 200)
            self.assertEqual(server.request("GET", "/")[0], 404)
            second = subprocess.run([PROGRAM, "ui", server.folder, "--socket", path], capture_output=True, text=True)
            self.assertEqual(second.returncode, 2)
        # What a killed server left is no obstacle.
        with Server("--socket", path) as server:
            self.assertEqual(server.ask("explain", {"words": ["mfu"]})[0], 200)
        os.unlink(path)

    def test_wrong_options(self):
        for options, what in ((["/none"], "is no folder"), (["--job-seconds", "0"], "above 0"),
                              (["--socket", "x", "--port", "1"], "replaces --port")):
            ran = subprocess.run([PROGRAM, "ui", *options], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(what, ran.stderr)


if __name__ == "__main__":
    unittest.main()

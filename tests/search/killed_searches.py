#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches killed at random moments: no point that was kept is lost or found out again, and in the
end everything is as if nobody had been killed.

    killed_searches.py PROGRAM [KILLS] [SEED]
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

SPACE = """
job:
  model: {name: small, layers: 8, hidden: 1024, heads: 16, vocab: 32000}
  batch: {global: 64, micro: "=micro", seq: 1024}
  parallel: {tp: "=tp", pp: "=pp", sharding: "=sharding"}
  schedule: {kind: "=schedule"}
cluster:
  device: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, memory_capacity: 2 GB}
  collectives: {library: ideal}
  network:
    - {block: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}
    - {block: switch, size: 4, bandwidth: "{nic} GB/s", latency: 2 us}
axes:
  - {name: nic, from: 10, to: 60, points: 6}
  - {name: tp, values: [1, 2, 4, 8]}
  - {name: pp, values: [1, 2, 4]}
  - {name: micro, values: [1, 2, 4]}
  - {name: sharding, values: [none, zero1]}
  - {name: schedule, values: [1f1b, gpipe]}
"""


class Search:
    def __init__(self, program, folder):
        self.command = [program, "search", os.path.join(folder, "space.yaml"), "-q", "--json"]
        self.file = os.path.join(folder, "points.jsonl")
        with open(self.command[2], "w") as out:
            out.write(SPACE)

    def start(self, threads, part=None, **environment):
        words = self.command + ["-o", self.file, "--threads", str(threads)]
        words += ["--part", part] if part else []
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, **environment})

    def files(self):
        folder = os.path.dirname(self.file)
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                      if name.startswith("points.jsonl"))

    def kept(self):
        """Whole lines by digest; each is there once in a file."""
        lines = {}
        for path in self.files():
            with open(path, "rb") as text:
                whole = text.read().split(b"\n")[:-1]
            digests = [json.loads(line)["digest"] for line in whole]
            assert len(set(digests)) == len(digests), f"{path} has a point twice"
            lines.update(zip(digests, whole))
        return lines

    def forget(self):
        for path in self.files():
            os.remove(path)


def launch(search, draw):
    """One process with some threads, parts by number, or parts as a launcher starts them."""
    how = draw.choice(["threads", "parts", "launcher"])
    if how == "threads":
        return [search.start(draw.choice([1, 2, 4]))]
    if how == "parts":
        return [search.start(1, f"{part}/3") for part in (1, 2, 3)]
    return [search.start(1, "env", OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
            for rank in (0, 1)]


def check_kept(before, search):
    after = search.kept()
    for digest, line in before.items():
        assert after.get(digest) == line, f"lost or changed: {line}"
    return after


def main():
    program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        search = Search(program, folder)
        begun = time.monotonic()
        told = search.start(2).communicate()[0]
        whole = time.monotonic() - begun
        with open(search.file, "rb") as text:
            wanted = text.read()
        points = json.loads(told)["result"]
        search.forget()
        done, ended, lines = 0, 0, {}
        while done < kills:
            running = launch(search, draw)
            time.sleep(draw.uniform(0, whole / 3))
            for process in running:
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                    done += 1
            for process in running:
                _, errors = process.communicate()
                assert process.returncode in (0, -signal.SIGKILL), errors
            lines = check_kept(lines, search)
            # Now and then to the end: as if nothing had happened.
            if draw.random() < 0.1 or done >= kills:
                finished = search.start(2).communicate()[0]
                result = json.loads(finished)["result"]
                assert result["found_out"] + len(lines) == points["found_out"], "found out again"
                with open(search.file, "rb") as text:
                    assert text.read() == wanted, "another file than undisturbed"
                result["found_out"] = points["found_out"]
                assert result == points, "another answer than undisturbed"
                search.forget()
                lines, ended = {}, ended + 1
        print(f"{done} killed, {ended} searches ended as one that nobody disturbed")


if __name__ == "__main__":
    main()

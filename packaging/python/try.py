# SPDX-License-Identifier: Apache-2.0
"""try.py PROGRAM: whether the installed package works and answers as the program does, byte for byte."""

import pickle
import subprocess
import sys
import threading
import time
import warnings

began = time.perf_counter()
import orrery as o  # noqa: E402

imported = time.perf_counter() - began
warnings.simplefilter("ignore", o.OrreryWarning)

question = {"model": "llama-3.1-8b", "tp": "4", "cluster": "h100-sxm:8"}
line = [sys.argv[1], "run", "--json"] + [word for name, value in question.items() for word in (f"--{name}", value)]
printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout
assert o.call("run", question).document == printed, "another answer than the program's"

run = o.Job("llama-3.1-8b", tp=4).run("h100-sxm:8")
ranks = run.table("rank")
assert len(ranks) == 8 and ranks["id"].tolist() == list(range(8))
assert not ranks["id"].flags.owndata, "a copy"
assert pickle.loads(pickle.dumps(run)).step == run.step

# Exceptions of C++ and of Python pass through the module and the library.
try:
    o.Job("no-such-model").run("h100-sxm:8")
    sys.exit("a wrong model is no error")
except o.OrreryError as error:
    assert error.code and error.where == "--model", error


def stop(_):
    raise ValueError("enough")


try:
    o.call("search", {"model": "llama-3.1-8b", "cluster": "h100-sxm:8"}, progress=stop)
    sys.exit("an exception of a progress function is lost")
except ValueError:
    pass

documents = []
threads = [threading.Thread(target=lambda: documents.append(o.call("run", question).document)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert documents == [printed] * 4, "threads answer differently"
print(f"imported in {imported * 1e3:.0f} ms, answers as the program does")

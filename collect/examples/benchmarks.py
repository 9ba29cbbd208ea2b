# SPDX-License-Identifier: Apache-2.0
"""Records or times five small training steps on the host.

    PYTHONPATH=collect python3 collect/examples/benchmarks.py record cnn traces
    python3 collect/examples/benchmarks.py time cnn --iterations 10

`record` writes the trace that `orrery bench run` replays (cnn.json). It also writes the operator times of further steps
(cnn.kineto.json), from which `orrery bench run` derives the host time between operators. `time` prints, as JSON, the
CPU time of each step, the number of operator calls, and the peak memory of tensors (docs/bench.md).
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from typing import Callable, Dict, List

import torch
from torch import nn

Step = Callable[[], None]


def training(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Callable[[], torch.Tensor]) -> Step:
    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss().backward()
        optimizer.step()

    return step


def cnn() -> Step:
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 8 * 8, 10))
    images, labels = torch.rand(32, 3, 32, 32), torch.randint(0, 10, (32,))
    return training(model, torch.optim.SGD(model.parameters(), 0.01, momentum=0.9),
                    lambda: nn.functional.cross_entropy(model(images), labels))


class Mlp(nn.Module):
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def mlp() -> Step:
    model = Mlp(512, 6)
    x = torch.rand(128, 512)
    return training(model, torch.optim.SGD(model.parameters(), 0.01), lambda: model(x).mean())


def accumulated() -> Step:
    """Accumulates the gradients of four microbatches."""
    model = Mlp(128, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    microbatches = torch.rand(4, 32, 128)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        for x in microbatches:
            (model(x).mean() / 4).backward()
        optimizer.step()

    return step


def transformer() -> Step:
    embedding = nn.Embedding(1000, 128)
    layers = nn.ModuleList(
        nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True) for _ in range(2))
    head = nn.Linear(128, 1000)
    model = nn.ModuleList([embedding, layers, head])
    tokens, targets = torch.randint(0, 1000, (8, 64)), torch.randint(0, 1000, (8 * 64,))

    def loss() -> torch.Tensor:
        x = embedding(tokens)
        for layer in layers:
            x = layer(x)
        return nn.functional.cross_entropy(head(x).view(-1, 1000), targets)

    return training(model, torch.optim.Adam(model.parameters(), 1e-3), loss)


def dlrm() -> Step:
    tables = nn.ModuleList(nn.EmbeddingBag(10_000, 64, mode="sum") for _ in range(8))
    bottom = nn.Sequential(nn.Linear(13, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
    top = nn.Sequential(nn.Linear(64 + 36, 256), nn.ReLU(), nn.Linear(256, 1))
    model = nn.ModuleList([tables, bottom, top])
    batch = 256
    dense, clicks = torch.rand(batch, 13), torch.rand(batch)
    looked_up = [torch.randint(0, 10_000, (batch * 10,)) for _ in tables]
    offsets = torch.arange(0, batch * 10, 10)
    pairs = torch.tril_indices(9, 9, -1)

    def loss() -> torch.Tensor:
        below = bottom(dense)
        features = torch.stack([below] + [table(rows, offsets) for table, rows in zip(tables, looked_up)], 1)
        crossed = torch.bmm(features, features.transpose(1, 2))[:, pairs[0], pairs[1]]
        score = top(torch.cat([below, crossed], 1)).squeeze(1)
        return nn.functional.binary_cross_entropy(torch.sigmoid(score), clicks)

    return training(model, torch.optim.SGD(model.parameters(), 0.01), loss)


STEPS: Dict[str, Callable[[], Step]] = {
    "cnn": cnn, "mlp": mlp, "accumulated": accumulated, "transformer": transformer, "dlrm": dlrm}


def record(step: Step, path: pathlib.Path) -> None:
    observer = torch.profiler.ExecutionGraphObserver()
    observer.register_callback(str(path))
    observer.start()
    step()
    observer.stop()
    observer.unregister_callback()
    several(step, path.with_suffix(".kineto.json"))


def several(step: Step, path: pathlib.Path, steps: int = 20) -> None:
    """Profiles several steps without the observer, which is slower than most operators."""
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=steps, repeat=1)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule) as profile:
        for _ in range(1 + steps):
            step()
            profile.step()
    profile.export_chrome_trace(str(path))


def peak_bytes(step: Step) -> int:
    """Peak memory of one step, without the memory that existed before it."""
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        step()
    held = most = 0
    for event in profile.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            most = max(most, held)
    return most


def operators(step: Step) -> int:
    with torch.autograd.profiler.profile() as profile:
        step()
    return sum(event.name().startswith("aten::") for event in profile.kineto_results.events())


def times(step: Step, iterations: int) -> List[int]:
    taken = []
    for _ in range(iterations):
        begin = time.process_time_ns()
        step()
        taken.append(time.process_time_ns() - begin)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "time"])
    parser.add_argument("model", choices=sorted(STEPS))
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--iterations", type=int, default=10)
    asked = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    step = STEPS[asked.model]()
    for _ in range(3):
        step()
    if asked.what == "record":
        folder = pathlib.Path(asked.folder)
        folder.mkdir(parents=True, exist_ok=True)
        record(step, folder / f"{asked.model}.json")
        return
    print(json.dumps({"cpu_ns": times(step, asked.iterations), "operators": operators(step),
                      "peak_bytes": peak_bytes(step)}))


if __name__ == "__main__":
    main()

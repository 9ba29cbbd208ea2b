# SPDX-License-Identifier: Apache-2.0
"""Trains a small transformer with DDP over gloo in two processes and records it for Orrery.

    PYTHONPATH=collect python3 collect/examples/ddp_transformer.py traces

Needs no device. This script made the trace in data/demo/ddp_transformer.
"""

from __future__ import annotations

import argparse
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import nn

import orrery_collect

VOCABULARY, HIDDEN, LENGTH, BATCH = 256, 64, 32, 4


class Layer(nn.Module):
    """A pre-norm transformer layer: causal attention, then a perceptron."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(HIDDEN, elementwise_affine=False)
        self.project_in = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.project_out = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.before_perceptron = nn.LayerNorm(HIDDEN, elementwise_affine=False)
        self.widen = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False)
        self.narrow = nn.Linear(4 * HIDDEN, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = self.project_in(self.before_attention(x)).chunk(3, -1)
        weights = torch.softmax(torch.baddbmm(mask, query, key.mT, alpha=HIDDEN**-0.5), -1)
        x = x + self.project_out(torch.bmm(weights, value))
        return x + self.narrow(nn.functional.gelu(self.widen(self.before_perceptron(x))))


class LanguageModel(nn.Module):
    """Transformer layers over byte tokens; one attention head, so that the trace stays small."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.places = nn.Embedding(LENGTH, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.head = nn.Linear(HIDDEN, VOCABULARY, bias=False)
        self.register_buffer("mask", torch.full((LENGTH, LENGTH), float("-inf")).triu(1))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        x = self.tokens(text) + self.places.weight
        for layer in self.layers:
            x = layer(x, self.mask)
        return self.head(x)


def train(rank: int, world: int, meeting: str, options: argparse.Namespace) -> None:
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=world)
    # Small buckets: several all-reduces per step, most of them during the backward pass
    dist._DEFAULT_FIRST_BUCKET_BYTES = 64 << 10
    model = nn.parallel.DistributedDataParallel(LanguageModel(options.layers), bucket_cap_mb=0.125)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with orrery_collect.Recorder(options.folder, record=options.record) as recorder:
        while not recorder.done:
            text = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))
            scores = model(text[:, :-1])
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            shown = loss.detach().clone()
            dist.all_reduce(shown)  # the mean loss, as a log would show it
            recorder.step()
    dist.barrier()
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="output folder for the traces")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--record", type=int, default=2, help="steps to record")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        processes.spawn(train, (options.ranks, os.path.join(scratch, "meeting"), options),
                        nprocs=options.ranks)


if __name__ == "__main__":
    main()

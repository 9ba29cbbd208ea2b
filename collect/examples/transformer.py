# SPDX-License-Identifier: Apache-2.0
"""Trains a transformer on one host without accelerators and records it for Orrery.

    PYTHONPATH=collect python3 collect/examples/transformer.py traces --layers 6 --microbatches 2

Recordings of two sizes test whether one is predicted correctly from the other (docs/what-if.md).
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext

import torch
from torch import nn
from torch.profiler import record_function

import orrery_collect

VOCABULARY = 512


class Layer(nn.Module):
    """A pre-norm transformer layer: causal attention of one head, then a perceptron."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.scale = hidden**-0.5
        self.before_attention = nn.LayerNorm(hidden)
        self.project_in = nn.Linear(hidden, 3 * hidden)
        self.project_out = nn.Linear(hidden, hidden)
        self.before_perceptron = nn.LayerNorm(hidden)
        self.widen = nn.Linear(hidden, 4 * hidden)
        self.narrow = nn.Linear(4 * hidden, hidden)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = self.project_in(self.before_attention(x)).chunk(3, -1)
        weights = torch.softmax(torch.baddbmm(mask, query, key.mT, alpha=self.scale), -1)
        x = x + self.project_out(torch.bmm(weights, value))
        return x + self.narrow(nn.functional.gelu(self.widen(self.before_perceptron(x))))


class LanguageModel(nn.Module):
    """Transformer layers over tokens."""

    def __init__(self, layers: int, hidden: int, length: int, named: bool) -> None:
        super().__init__()
        self.named = named
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        self.places = nn.Embedding(length, hidden)
        self.layers = nn.ModuleList(Layer(hidden) for _ in range(layers))
        self.head = nn.Linear(hidden, VOCABULARY, bias=False)
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        x = self.tokens(text) + self.places.weight
        for number, layer in enumerate(self.layers):
            with record_function(f"layer {number}") if self.named else nullcontext():
                x = layer(x, self.mask)
        return self.head(x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the traces go")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--length", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--batch", type=int, default=4, help="sequences per microbatch")
    parser.add_argument("--microbatches", type=int, default=1, help="whose gradients are summed")
    parser.add_argument("--named", action="store_true", help="write ranges around the layers")
    parser.add_argument("--record", type=int, default=1, help="steps to record")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = LanguageModel(options.layers, options.hidden, options.length, options.named)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with orrery_collect.Recorder(options.folder, record=options.record) as recorder:
        while not recorder.done:
            for _ in range(options.microbatches):
                text = torch.randint(VOCABULARY, (options.batch, options.length + 1))
                scores = model(text[:, :-1])
                nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten()).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            recorder.step()


if __name__ == "__main__":
    main()

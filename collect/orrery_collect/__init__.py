# SPDX-License-Identifier: Apache-2.0
"""Records a few steps of a PyTorch training run for Orrery.

    import orrery_collect
    with orrery_collect.Recorder("traces") as recorder:
        for batch in loader:
            train_step(batch)
            recorder.step()

Every rank writes its own files into the folder:

    rank<r>.kineto.json.gz   what ran when, on host and device (Kineto's trace)
    rank<r>.et.json.gz       the operators with their tensors (PyTorch's execution trace)
    rank<r>.facts.json       versions, devices, process groups, clean step times, what is missing

Needs the standard library and torch alone: copy this folder, or put the one it is in on PYTHONPATH.
What a version of PyTorch cannot do is found out by asking it, and written into the facts. A failure
in here never ends the training run: it is reported once, on standard error, and training continues.
docs/collect.md tells the rest.
"""

from .hooks import lightning_callback, wrap_step
from .recorder import Recorder

__all__ = ["Recorder", "lightning_callback", "wrap_step"]

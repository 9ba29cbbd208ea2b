# SPDX-License-Identifier: Apache-2.0
"""Hooks for training loops that you cannot edit: Lightning, Megatron, any step function."""

from __future__ import annotations

import atexit
import functools
import importlib
from typing import Any, Callable

from .recorder import Recorder


def lightning_callback(folder: str, **options: Any) -> Any:
    """A callback for Lightning's Trainer, old or new; options as in Recorder."""
    recorder = Recorder(folder, **options)

    class OrreryCallback(_lightning_base()):  # type: ignore[misc]
        """Notifies the recorder of every training batch."""

        def on_train_batch_start(self, *_: Any, **__: Any) -> None:
            recorder.start()

        def on_train_batch_end(self, *_: Any, **__: Any) -> None:
            recorder.step()

        def on_train_end(self, *_: Any, **__: Any) -> None:
            recorder.stop()

        def on_exception(self, *_: Any, **__: Any) -> None:
            recorder.stop()

    return OrreryCallback()


def _lightning_base() -> Any:
    for name in ("lightning.pytorch", "pytorch_lightning"):
        try:
            return importlib.import_module(name).Callback
        except ImportError:
            continue
    raise ImportError("neither lightning nor pytorch_lightning is installed")


def wrap_step(function: Callable[..., Any], folder: str, **options: Any) -> Callable[..., Any]:
    """Wraps a function whose every call is one step; options as in Recorder."""
    recorder = Recorder(folder, **options)
    atexit.register(recorder.stop)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        recorder.start()
        result = function(*args, **kwargs)
        recorder.step()
        return result

    return wrapped

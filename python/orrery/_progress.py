# SPDX-License-Identifier: Apache-2.0
"""Progress bars, on terminals and in notebooks."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """How far a call is: `done` of `of` units ("ranks", "plans", "bytes") of a phase."""

    phase: str
    unit: str
    done: int
    of: int  #: 0: unknown


class Reporter:
    """Takes the progress of one call."""

    def update(self, phase: str, unit: str, done: int, of: int) -> None:
        """Called by the library, one call at a time."""
        raise NotImplementedError

    def close(self) -> None:
        """The call has ended."""


class _Function(Reporter):
    def __init__(self, function: Callable[[Progress], None]) -> None:
        self._function = function

    def update(self, phase: str, unit: str, done: int, of: int) -> None:
        self._function(Progress(phase, unit, done, of))


class _Bar(Reporter):
    """A line that is drawn again, at most ten times a second."""

    def __init__(self, after: float) -> None:
        self._next = time.monotonic() + after
        self._drawn = False
        self._display: Any = None

    def update(self, phase: str, unit: str, done: int, of: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.1
        share = f"{100 * done // of:3d} % of {of:,}" if of else f"{done:,}"
        self._draw(f"{phase}: {share} {unit}")

    def _draw(self, text: str) -> None:
        self._drawn = True
        if _in_notebook():
            from IPython.display import display  # type: ignore[import]

            if self._display is None:
                self._display = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._display.update({"text/plain": text}, raw=True)
        else:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def close(self) -> None:
        if not self._drawn:
            return
        if self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)
        else:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    return kernel is not None and "IPKernelApp" in getattr(kernel, "config", {})


def reporter(progress: Union[bool, Callable[[Progress], None], None]) -> Optional[Reporter]:
    """What a call reports to; None: nothing."""
    if progress is False:
        return None
    if callable(progress):
        return _Function(progress)
    if not (_in_notebook() or sys.stderr.isatty()):
        return None
    return _Bar(0.0 if progress else 1.0)

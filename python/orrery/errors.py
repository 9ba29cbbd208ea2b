# SPDX-License-Identifier: Apache-2.0
"""The exception and the warning of this package."""

from __future__ import annotations

from typing import Any, Mapping


class OrreryError(Exception):
    """A call that failed.

    `code` ("E1006") and `name` ("config_range") identify the kind; `where` is the option or the
    place in a file; `what` says what is wrong, `hint` what to do; `status` is the exit code of the
    command line.
    """

    def __init__(self, code: str, name: str, where: str, what: str, hint: str, status: int) -> None:
        super().__init__(code, name, where, what, hint, status)
        self.code = code
        self.name = name
        self.where = where
        self.what = what
        self.hint = hint
        self.status = status

    def __str__(self) -> str:
        text = f"{self.where}: {self.what} ({self.code})"
        return f"{text}\n  hint: {self.hint}" if self.hint else text

    @classmethod
    def of(cls, error: Mapping[str, Any], status: int) -> "OrreryError":
        """The exception of the object `error` in an answer."""
        return cls(
            str(error.get("code", "")),
            str(error.get("name", "")),
            str(error.get("where", "")),
            str(error.get("what", "")),
            str(error.get("hint", "")),
            status,
        )


class OrreryWarning(UserWarning):
    """A finding of a call: a default that was chosen, a key that is ignored, a damaged record."""

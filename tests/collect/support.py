# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests of collect/."""

import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any, Dict, List, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHIPPED = ROOT / "data" / "demo" / "ddp_transformer"
EXAMPLE = ROOT / "collect" / "examples" / "ddp_transformer.py"


def load(path: Any) -> Any:
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        return json.load(file)


def program() -> Optional[str]:
    """Path of the built program, if it can convert recorded traces."""
    found = os.environ.get("ORRERY_PROGRAM")
    if not found or not os.access(found, os.X_OK):
        return None
    asked = subprocess.run([found, "trace", "convert", "--help"], capture_output=True, check=False)
    return found if asked.returncode == 0 else None


class InFolder(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def names(self) -> List[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def facts(self, rank: int = 0) -> Dict[str, Any]:
        return load(self.folder / f"rank{rank}.facts.json")

    def check_pair(self, folder: pathlib.Path, rank: int, steps: int) -> None:
        """The timed operators and the execution trace contain the same operators."""
        timed = load(folder / f"rank{rank}.kineto.json.gz")
        nodes = load(folder / f"rank{rank}.et.json.gz")["nodes"]
        events = [event for event in timed["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(sorted(event["name"] for event in events),
                         sorted(node["name"] for node in nodes if node["rf_id"] != 0))
        marks = [event for event in events if event["name"].startswith("ProfilerStep#")]
        self.assertEqual(len(marks), steps)
        for event in events:
            self.assertGreaterEqual(event["dur"], 0)
            self.assertIn(event["cat"], ("cpu_op", "user_annotation"))
        named = {node["rf_id"]: node["name"] for node in nodes}
        for event in events:
            self.assertEqual(named.pop(event["args"]["Record function id"]), event["name"])
        ids = [event["args"]["External id"] for event in events]
        self.assertEqual(len(ids), len(set(ids)))

# SPDX-License-Identifier: Apache-2.0
"""Every recording at hand through every command that reads recordings: the exit code is one of the documented ones, a
success prints JSON, a failure one error with its code, and figures that several commands state are the same.

Without the recordings, the test is skipped, which the output says. Short form: recordings of up to 30 KB; with
ORRERY_TEST_EFFORT=full all of them. Costs 3 s of a processor, or 60 s.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from exit_codes import documented_codes  # noqa: E402  # pylint: disable=wrong-import-position

DATA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data"
PROGRAM = os.environ.get("ORRERY_PROGRAM", "")
SHORT_BYTES = 30_000
CODES = documented_codes(PROGRAM) if PROGRAM else set()
LIMIT_S = 120
COMMANDS = {
    "info": ["trace", "info"],
    "views": ["trace", "info", "--view", "all"],
    "structure": ["trace", "info", "--structure"],
    "validate": ["trace", "validate"],
    "replay": ["trace", "replay"],
    "predict": ["trace", "predict"],
    "stragglers": ["trace", "stragglers"],
    "context": ["kernels", "context"],
    "same": ["whatif", "--change", "kernels=1"],
    "half": ["whatif", "--change", "kernels=0.5"],
    "host": ["whatif", "--change", "host=0.5"],
}


def recordings():
    full = os.environ.get("ORRERY_TEST_EFFORT") == "full"
    folders = [DATA / "traces", DATA / "pairs", DATA / "cases" / "traces", DATA / "replay"]
    files = [path for folder in folders for path in sorted(folder.rglob("*"))
             if path.is_file() and path.name.endswith((".json", ".json.gz", ".tar.gz", ".sqlite"))
             and path.name != "index.json"]
    return [path for path in files if full or path.stat().st_size <= SHORT_BYTES]


def answer(words):
    done = subprocess.run([PROGRAM, *words, "--json", "-q"], capture_output=True, text=True, check=False,
                          timeout=LIMIT_S)
    return done.returncode, done.stdout, done.stderr


class AllCommands(unittest.TestCase):
    def result(self, name, words):
        code, out, err = answer(words)
        self.assertIn(code, CODES, f"{name}: {err[-400:]}")
        try:
            document = json.loads(out)
        except json.JSONDecodeError:
            self.fail(f"{name}: exit code {code} and no JSON: {out[:200]!r} {err[-200:]!r}")
        if code in (0, 1):
            self.assertIn("result", document, name)
            return document["result"]
        # `trace validate` lists what it found.
        error = document["error"] if "error" in document else document["result"]["errors"][0]
        self.assertTrue(error["code"].startswith("E") and error["what"], f"{name}: {error}")
        return None

    def test_exit_codes_and_equal_figures(self):
        for path in recordings():
            with self.subTest(str(path.relative_to(DATA))):
                results = {name: self.result(name, [*words[:2], str(path), *words[2:]] if words[0] != "whatif"
                                             else ["whatif", str(path), *words[1:]])
                           for name, words in COMMANDS.items()}
                self.lengths(results)
                self.idle(results)
                self.unchanged(results)

    def lengths(self, results):
        """`trace info`, `trace replay`: the recorded length of each rank. `whatif`: that of one rank."""
        info, replay, same = results["info"], results["replay"], results["same"]
        if info is None or replay is None:
            return
        by_rank = {one["rank"]: one["breakdown"]["length_ns"] for one in info["per_rank"]}
        for one in replay["per_rank"]:
            self.assertEqual(one["recorded_ns"], by_rank[one["rank"]], f"length of rank {one['rank']}")
        if same is not None and len(by_rank) == 1:
            self.assertEqual(same["recorded_ns"], *by_rank.values())

    def idle(self, results):
        """The view's causes add up to the idle time and to the host-bound time of the breakdown."""
        info, views = results["info"], results["views"]
        if info is None or views is None:
            return
        by_rank = {one["rank"]: one["breakdown"] for one in info["per_rank"]}
        for rank in {row["rank"] for row in views["views"]["idle"]["causes"]}:
            rows = [row for row in views["views"]["idle"]["causes"] if row["rank"] == rank]
            self.assertAlmostEqual(sum(row["idle_ns"] for row in rows), by_rank[rank]["idle_ns"], delta=1,
                                   msg=f"idle time of rank {rank}")
            self.assertAlmostEqual(sum(row["idle_ns"] for row in rows if row["host_bound"]),
                                   by_rank[rank]["host_bound_ns"], delta=1, msg=f"host-bound time of rank {rank}")

    def unchanged(self, results):
        """A factor of 1 changes nothing, and less work takes no longer."""
        same, half, host = results["same"], results["half"], results["host"]
        if same is None:
            return
        self.assertEqual(same["base_step_ns"], same["changed_step_ns"])
        for one in (half, host):
            if one is not None:
                self.assertEqual(one["base_step_ns"], same["base_step_ns"])
                self.assertLessEqual(one["changed_step_ns"], one["base_step_ns"])

    def test_a_missing_file_is_named(self):
        for name, words in COMMANDS.items():
            with self.subTest(name):
                code, out, err = answer([*words[:2], "no/such.json", *words[2:]] if words[0] != "whatif"
                                        else ["whatif", "no/such.json", *words[1:]])
                self.assertIn(code, {2, 3})
                self.assertIn("no/such.json", out + err)


if __name__ == "__main__":
    if not DATA.exists():
        print("skipped: the recordings are not beside the project (../shared/data)")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1])

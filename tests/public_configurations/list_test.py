# SPDX-License-Identifier: Apache-2.0
"""The list of public configurations, and the script that reads them, on files made here. Costs 0.5 s."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE / "public_configurations.py"
PROGRAM = os.environ.get("ORRERY_PROGRAM", "")
# 50,304 x 1,024 of the table, 4 x (12 x 1,024^2 + 13 x 1,024) of the layers, 2 x 1,024 of the last norm: 101,898,240 weights.
JOB = "num_layers: 4\nhidden_size: 1024\nnum_attention_heads: 16\npos_emb: rotary\npipe_parallel_size: 1\n"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class PublicList(unittest.TestCase):
    def test_states_every_file_once_with_a_result(self):
        rows = rows_of(HERE / "configurations.csv")
        self.assertGreaterEqual(len(rows), 200)
        self.assertEqual(len({(row["repository"], row["path"]) for row in rows}), len(rows))
        for row in rows:
            with self.subTest(row["path"]):
                self.assertRegex(row["repository"], r"^[\w.-]+/[\w.-]+$")
                self.assertRegex(row["commit"], r"^[0-9a-f]{40}$")
                self.assertRegex(row["expected"], r"^(\d+\.\d+|refuse:.+|plan:[\w.-]+)$")
                self.assertIn(row["result"], ("equal", "refused"))
                self.assertTrue(row["origin"])


class PublicScript(unittest.TestCase):
    def results(self, texts, rows):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, text in texts.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            listed = folder / "list.csv"
            with listed.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow("repository path commit expected options origin result".split())
                writer.writerows([["a/b", *row, "", ""] for row in rows])
            done = subprocess.run(
                [sys.executable, SCRIPT, PROGRAM, folder, "--list", listed, "--update"], capture_output=True, text=True, check=False
            )
            return done.returncode, [row["result"] for row in rows_of(listed)]

    def test_tells_what_became_of_each_file(self):
        code, results = self.results(
            {"a/b/x.yml": JOB, "a/b/y.yml": JOB + "num_experts: 8\n", "a/b/ds.json": '{"train_batch_size": 8}'},
            [
                ["x.yml", "0", "0.101898", ""],
                ["x.yml", "0", "0.2", ""],
                ["y.yml", "0", "refuse:num_experts", ""],
                ["y.yml", "0", "refuse:elephants", ""],
                ["ds.json", "0", "plan:llama-3.1-8b", ""],
                ["x.yml", "0", "0.083155", "--set model.vocab=32000"],
                ["gone.yml", "0", "1.0", ""],
            ],
        )
        self.assertEqual(results, ["equal", "wrong", "refused", "wrong", "equal", "equal", ""])
        self.assertEqual(code, 1)

    def test_all_right_is_exit_code_0(self):
        code, results = self.results({"a/b/ds.json": '{"train_batch_size": 8}'}, [["ds.json", "0", "plan:llama-3.1-8b", ""]])
        self.assertEqual((code, results), (0, ["equal"]))


if __name__ == "__main__":
    unittest.main()

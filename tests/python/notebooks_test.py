# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks run, and the repository has none of their outputs."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
import warnings

SOURCE = pathlib.Path(os.environ["ORRERY_SOURCE"])
FOLDER = SOURCE / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: A folder for the executed notebooks; `./check docs` sets it.
KEPT = os.environ.get("ORRERY_NOTEBOOKS_OUT", "")
#: A kernel for each notebook costs 38 CPU s for all eight, their code alone 14.
IN_KERNELS = bool(KEPT) or os.environ.get("ORRERY_TEST_EFFORT") == "full"

try:
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
    from jupyter_client.kernelspec import KernelSpecManager

    MISSING = "" if "python3" in KernelSpecManager().find_kernel_specs() else "ipykernel is missing"
except ImportError as error:
    MISSING = str(error)


class Notebooks(unittest.TestCase):
    def test_there_are_eight(self):
        self.assertEqual(len(NOTEBOOKS), 8)

    def test_no_outputs_are_stored(self):
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                with self.subTest(notebook=path.name, cell="".join(cell["source"])[:60]):
                    self.assertFalse(cell.get("outputs"), "clear the outputs: they depend on the release")
                    self.assertIsNone(cell.get("execution_count"))

    def test_each_begins_with_its_question(self):
        for path in NOTEBOOKS:
            first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
            self.assertEqual(first["cell_type"], "markdown", path.name)
            self.assertTrue("".join(first["source"]).startswith("# "), path.name)

    @unittest.skipIf(MISSING, f"{MISSING}; './setup notebooks' installs what notebooks need")
    def test_each_runs_and_shows_pictures(self):
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                self.assertGreater(pictures_of(path) if IN_KERNELS else pictures_of_code(path), 0)


def pictures_of(path):
    """Executes a notebook as Jupyter does, and counts its pictures."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(IPYTHONDIR=home, MPLCONFIGDIR=home, PYDEVD_DISABLE_FILE_VALIDATION="1")
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": str(FOLDER)}}).execute()
    if KEPT:
        nbformat.write(notebook, pathlib.Path(KEPT) / path.name)
    return sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))


def pictures_of_code(path):
    """Runs the code of a notebook in this process, and counts its pictures."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    names, before = {}, os.getcwd()
    os.chdir(FOLDER)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), path.name, "exec"), names)
        return len(plt.get_fignums())
    finally:
        plt.close("all")
        os.chdir(before)


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: {MISSING}; './setup notebooks' installs what notebooks need", file=sys.stderr)
    unittest.main()

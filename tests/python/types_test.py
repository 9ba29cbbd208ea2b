# SPDX-License-Identifier: Apache-2.0
"""The package's types are complete, and the documentation of its public names too."""

import inspect
import os
import shutil
import subprocess
import sys
import unittest

import orrery

PACKAGE = os.path.join(os.environ["ORRERY_SOURCE"], "python", "orrery")


class Types(unittest.TestCase):
    def test_are_strict(self):
        if shutil.which("mypy", path="/usr/bin") is None:
            self.skipTest("mypy is not installed")
        ran = subprocess.run(["/usr/bin/mypy", "--strict", "--cache-dir", os.devnull, PACKAGE], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_public_names_have_a_text(self):
        for name in orrery.__all__:
            member = getattr(orrery, name)
            self.assertTrue(inspect.getdoc(member), name)
            if not inspect.isclass(member) or issubclass(member, tuple):
                continue
            for inner, value in vars(member).items():
                if not inner.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    self.assertTrue(inspect.getdoc(getattr(member, inner)), f"{name}.{inner}")

    def test_it_imports_without_pandas(self):
        code = "import sys; import orrery; assert 'pandas' not in sys.modules and 'IPython' not in sys.modules"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


if __name__ == "__main__":
    unittest.main()

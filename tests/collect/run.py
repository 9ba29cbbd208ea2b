# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of collect/ in this folder. Without PyTorch it prints that they are skipped, and passes."""

import importlib.util
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("skipped: this Python has no torch; ./setup collect installs Debian's package")
        sys.exit(0)
    sys.path[:0] = [str(HERE), str(HERE.parent.parent / "collect")]
    tests = unittest.defaultTestLoader.discover(str(HERE), "*_test.py")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)

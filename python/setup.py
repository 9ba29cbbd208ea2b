# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel: `python3 -m build --wheel --no-isolation python`.

The files of the package come from CMake's component `python`. ORRERY_BUILD: a folder in which
CMake has built it; without it, this script builds it with the preset `release`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

SOURCE = pathlib.Path(__file__).resolve().parent.parent


class InstallFromCMake(build_py):
    """Puts what CMake installs where setuptools collects files."""

    def run(self):
        build = os.environ.get("ORRERY_BUILD") or self._build()
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            (package,) = pathlib.Path(prefix).glob("**/dist-packages/orrery")
            shutil.copytree(package, pathlib.Path(self.build_lib, "orrery"), dirs_exist_ok=True)

    def _build(self):
        subprocess.run(["cmake", "--preset", "release"], cwd=SOURCE, check=True)
        subprocess.run(["cmake", "--build", "build/release", "--target", "orrery_python"], cwd=SOURCE, check=True)
        return str(SOURCE / "build/release")


class WithModule(Distribution):
    """The wheel is of one version of Python and one kind of processor."""

    def has_ext_modules(self):
        return True


# The folders of the source stay as they are.
scratch = tempfile.TemporaryDirectory()
version = re.search(r"^project\(orrery VERSION ([0-9.]+) ", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
setup(version=version[1], packages=["orrery"], cmdclass={"build_py": InstallFromCMake}, distclass=WithModule,
      options={"build": {"build_base": scratch.name}, "egg_info": {"egg_base": scratch.name}})

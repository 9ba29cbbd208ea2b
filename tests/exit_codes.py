# SPDX-License-Identifier: Apache-2.0
"""The exit codes that the program documents."""
import re
import subprocess

DEFECT_CODES = {70, 130}  # defects and interruptions


def documented_codes(program):
    """The codes of `orrery help exit-codes` without those of defects and interruptions."""
    text = subprocess.run([program, "help", "exit-codes"], capture_output=True, text=True, check=True).stdout
    return {int(code) for code in re.findall(r"^\s+(\d+)\s", text, re.M)} - DEFECT_CODES

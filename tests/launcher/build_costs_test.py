# SPDX-License-Identifier: Apache-2.0
"""build_costs_test.py PROJECT: output of benchmarks/build_costs.py for an invented build."""
import pathlib
import subprocess
import sys
import tempfile

script = pathlib.Path(sys.argv[1]) / "benchmarks/build_costs.py"

# Start and end in ms since the start of ninja, and the date of the output. The first two steps ran concurrently for 10 s.
# The third ran alone for 5 s, on one of two cores.
LOG = """# ninja log v5
0\t10000\t20000000000\tCMakeFiles/orrery_sim.dir/a.o\t1
1\t10000\t20000000000\tCMakeFiles/orrery_sim_tests.dir/b.o\t2
10000\t15000\t25000000000\torrery_sim_tests\t3
"""
TESTS = '"orrery_sim_tests" time elapsed: 00:01:05\n"orrery_cli_tests_1" time elapsed: 00:00:00\n'


def run(folder):
    return subprocess.run([sys.executable, script, folder, "--cores", "2"], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    missing = run(folder)
    assert missing.returncode == 1 and "no .ninja_log" in missing.stderr, missing
    (folder / ".ninja_log").write_text(LOG)
    (folder / "Testing/Temporary").mkdir(parents=True)
    (folder / "Testing/Temporary/LastTest.log").write_text(TESTS)
    printed = run(folder).stdout
    for line in ("| **program** | **10** | **0** |", "| `orrery_sim` | 10.0 | 0.0 |", "| `orrery_sim_tests` | 10.0 | 5.0 |",
                 "| **all 2** | **65** |", "| `orrery_sim_tests` | 65 |"):
        assert line in printed, (line, printed)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes totals.csv from the stored results of STAGE's runs: totals.py stg_truth.json > totals.csv"""

import json
import sys

HEAD = """\
# What the STAGE generator (astra-sim/stage at 9ec6c02, unmodified, Python 3.11, sympy 1.11) wrote for 23
# configurations: totals over each rank's trace. Made by totals.py. Columns:
#   run      its name; rows of rank "-" are arguments that differ from num_stacks 4, dmodel 1024,
#            dff 4096, batch 8, micro_batch 8, seq 512, head 16, kvhead 4, dvocal 32000
#   rank     one of each kind (others repeat its numbers)
#   what     node type, class of operation, collective, or "results" (elements that operations write)
#   group    members of a collective's group
#   count    nodes
#   sum      of num_ops (operations), of comm_size (communication); "-" where it means nothing
run,rank,what,group,count,sum"""
USUAL = {"num_stacks": 4, "dmodel": 1024, "dff": 4096, "batch": 8, "micro_batch": 8, "seq": 512,
         "head": 16, "kvhead": 4, "dvocal": 32000}


def rows(name, run):
    for key, value in run["config"].items():
        if USUAL.get(key) != value:
            yield name, "-", key, "", "-", value
    for entry in run["per_rank"]:
        rank = entry["ranks"][0]
        for kind, count in entry["by_type"].items():
            yield name, rank, kind, "", count, entry["p2p"].get(f"{kind}_elems", "-")
        for kind, total in entry["num_ops_by_op_type"].items():
            yield name, rank, kind, "", "-", total
        for key, coll in entry["coll"].items():
            kind, group = key.split("|g")
            members = " ".join(str(r) for r in run["comm_groups"][group])
            yield name, rank, kind, members, coll["count"], coll["comm_size_sum"]
        yield name, rank, "results", "", "-", entry["out_tensor_elems"]


def main():
    print(HEAD)
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, run in json.load(file)["runs"].items():
            for row in rows(name, run):
                print(*row, sep=",")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""A training on emulated GPUs with one planted bug goes wrong: caught.py NAME PROGRAM MPIEXEC

It is caught in at least one of the orders in which streams and threads may run: the matrix finds another result,
or the emulated device names what was wrong. With the right program all of them pass, which device_layouts_test shows."""
import json
import os
import pathlib
import re
import subprocess
import sys

ORDERS = {"lazy": "forward", "others": "reverse", "random": "random"}  # of streams: of threads
LIMIT_S = 150
# A difference of the matrix; a line of the emulated device; what a rank that waits for ever was doing.
NAMED = re.compile(r"step \d+: .*|emulated device: .*|CUDA: .*|NCCL: .*|cuBLASLt: .*|.*waits for.*|.*no rank has moved.*")


def train(program, launcher, mutant, order):
    ranks = 1
    for size in re.findall(r"[a-z]p_(\d)", mutant["layout"].replace("sp_1", "")):
        ranks *= int(size)
    environment = os.environ | {"SHARDSTONE_EMULATED_DEVICES": "8", "SHARDSTONE_EMULATED_STREAMS": order,
                                "SHARDSTONE_EMULATED_ORDER": ORDERS[order], "SHARDSTONE_TEST_LIMIT_S": str(LIMIT_S),
                                "SHARDSTONE_TEST_STEPS": str(mutant.get("steps", 2))}
    tests = f"*{mutant.get('precision', 'Fp32')}*/{mutant['layout']}"
    done = subprocess.run([launcher, "-n", str(ranks), program, f"--gtest_filter={tests}"], env=environment,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    name, program, launcher = sys.argv[1:]
    mutants = json.loads(pathlib.Path(__file__).with_name("device_mutants.json").read_text())
    mutant = next(one for one in mutants if one["name"] == name)
    for order in ORDERS:
        code, said = train(program, launcher, mutant, order)
        if "[  SKIPPED ]" in said or "[ RUN      ]" not in said:
            sys.exit(f"the layout {mutant['layout']} was not trained:\n{said}")
        if code != 0:
            place = NAMED.search(said)
            print(f"{name}: caught where streams run in the order '{order}': "
                  f"{place[0] if place else 'without a place:' + said[-2000:]}")
            sys.exit(0 if place else 1)
    sys.exit(f"{name}: not caught: {mutant['bug']}")


main()

# SPDX-License-Identifier: BSD-3-Clause
"""One layout of the equivalence matrix, trained on emulated GPUs by device_layouts_test, device_steps_test or a
program with a planted bug, on as many ranks as the layout has."""
import os
import re
import subprocess

# The orders in which the streams of a GPU may run, and the threads of a block with each of them.
ORDERS = {"lazy": "forward", "others": "reverse", "random": "random"}
# That of the host's calls, in which a missing wait shows only under the thread sanitizer.
HOST_ORDER = {"issue": "forward"}
# Under the thread sanitizer UCX's hooks of memory functions end the process.
UNDER_SANITIZERS = {"UCX_MEM_EVENTS": "no"}


def ranks_of(layout):
    """Of a layout as GoogleTest takes its name: of dp_2_tp_2_sp_1 four, since sp has the ranks of tp."""
    ranks = 1
    for size in re.findall(r"(?:^|_)(?:dp|tp|pp|cp|ep)_(\d+)", layout):
        ranks *= int(size)
    return ranks


def train(program, launcher, precision, layout, order, limit_s, **settings):
    """Its exit status and all it said. `settings` are further variables of the environment."""
    ranks = ranks_of(layout)
    threads = (ORDERS | HOST_ORDER)[order]
    environment = os.environ | {"SHARDSTONE_EMULATED_DEVICES": "8", "SHARDSTONE_EMULATED_STREAMS": order,
                                "SHARDSTONE_EMULATED_ORDER": threads, "SHARDSTONE_TEST_LIMIT_S": str(limit_s)}
    environment |= UNDER_SANITIZERS | settings
    if ranks > 3:  # the thread sanitizer's lines of execution for the threads of all streams are 3 GB a rank
        environment["SHARDSTONE_EMULATED_RACES"] = "streams"
    done = subprocess.run([launcher, "-n", str(ranks), program, f"--gtest_filter=*{precision}*/{layout}"],
                          env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    trained = "[ RUN      ]" in said and "[  SKIPPED ]" not in said
    return done.returncode if trained else "not trained", said

# SPDX-License-Identifier: BSD-3-Clause
"""Trains layouts of the equivalence matrix on emulated GPUs, each on as many ranks as it has, and says of each
whether it passed and how long it took.

PROGRAM is device_layouts_test, which holds the weights against those of one GPU, or device_steps_test.tsan or
.asan, which end at the first access that nothing orders or that is outside of its memory."""
import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import time

import layout_training

CHOSEN = pathlib.Path(__file__).with_name("chosen_layouts.txt")
PRECISIONS = ["Fp32", "Bf16", "Fp8"]


def read_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--launcher", default="mpiexec")
    options.add_argument("--layouts", default="chosen", help="'chosen': a pair or more of every kind and precision, "
                         "chosen_layouts.txt; 'all'; or a pattern of pairs: 'Fp32 dp_2*'")
    options.add_argument("--order", default="lazy", choices=list(layout_training.ORDERS | layout_training.HOST_ORDER),
                         help="of the streams of a GPU; 'others', than the host waits for")
    options.add_argument("--limit", type=int, default=3000, metavar="S", help="seconds for one layout")
    return options.parse_args()


def all_pairs(program):
    """In the order of the program's own list: (precision, layout)."""
    said = subprocess.run([program, "--gtest_list_tests"], env=os.environ | layout_training.UNDER_SANITIZERS,
                          capture_output=True, text=True, check=True).stdout
    tests = [line.split("#")[0].strip() for line in said.splitlines() if "/" in line and line.startswith(" ")]
    return [(next(one for one in PRECISIONS if one in test), test.split("/")[1]) for test in tests]


def wanted_pairs(program, wanted):
    pairs = all_pairs(program)
    if wanted == "chosen":
        chosen = [tuple(line.split()) for line in CHOSEN.read_text().splitlines()]
        unknown = set(chosen) - set(pairs)
        if unknown:
            sys.exit(f"{CHOSEN.name}: {sorted(unknown)} are not in {program}")
        return chosen
    pattern = "*" if wanted == "all" else wanted
    found = [pair for pair in pairs if fnmatch.fnmatch(" ".join(pair), pattern)]
    return found or sys.exit(f"--layouts '{wanted}': {program} has no such pair; '{' '.join(pairs[0])}' is one")


def main():
    options = read_options()
    pairs = wanted_pairs(options.program, options.layouts)
    failed = []
    for number, (precision, layout) in enumerate(pairs, 1):
        begin = time.monotonic()
        code, said = layout_training.train(options.program, options.launcher, precision, layout, options.order,
                                           options.limit)
        verdict = {0: "passed", "not trained": "is not trained"}.get(code, "FAILED")
        print(f"{number} of {len(pairs)}: {precision} {layout}, {layout_training.ranks_of(layout)} ranks: {verdict} "
              f"in {time.monotonic() - begin:.0f} s", flush=True)
        if verdict == "FAILED" or (verdict != "passed" and options.layouts != "all"):
            print(said, flush=True)
            failed.append(f"{precision} {layout}")
    print(f"{len(failed)} of {len(pairs)} failed" + "".join(f"\n  {pair}" for pair in failed))
    sys.exit(1 if failed else 0)


main()

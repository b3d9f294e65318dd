# SPDX-License-Identifier: BSD-3-Clause
"""A training on emulated GPUs with one planted bug goes wrong: caught.py NAME PROGRAM MPIEXEC EMULATION

Of the emulation "plain" in at least one of the orders in which streams and threads may run: the matrix finds another
result, or the emulated device names what was wrong. Under the thread sanitizer ("tsan") in the order of the host's
calls, in which the result is right: it has to see that nothing else orders them. With the right program all of them
pass, which device_layouts_test and device_steps_test show."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from layout_training import HOST_ORDER, ORDERS, train

LIMIT_S = 150
# A difference of the matrix; a line of the emulated device; what a rank that waits for ever was doing.
NAMED = re.compile(r"step \d+: .*|emulated device: .*|CUDA: .*|NCCL: .*|cuBLASLt: .*|.*waits for.*|.*no rank has moved.*")
ACCESS = re.compile(r"(?:Read|Write|Previous (?:read|write)) of size .*\n((?: +#.*\n)+)", re.IGNORECASE)
# A place in what does it, before one in what all kernels are made of.
FRAMES = [re.compile(r"\.\./((?!kernels/base/|src/|validation/emulated_device/(?:sanitizers|block|launch)\.)[a-z]\S+:\d+)"),
          re.compile(r"\.\./(kernels/\S+:\d+)")]


def place_of(said):
    """In words; empty if there is none."""
    named = NAMED.search(said)
    return named[0] if named else ""


def place_of_access(frames):
    found = [match[1] for match in (kind.search(frames) for kind in FRAMES) if match]
    return found[0] if found else "the host"


def place_of_race(said):
    """Both accesses, each by the place that is nearest to it in what the sanitizer compiled."""
    if "ThreadSanitizer: data race" not in said:
        return ""
    return "data race of " + " and ".join(place_of_access(frames) for frames in ACCESS.findall(said)[:2])


def main():
    name, program, launcher, emulation = sys.argv[1:]
    orders, place_in = (HOST_ORDER, place_of_race) if emulation == "tsan" else (ORDERS, place_of)
    mutants = json.loads(pathlib.Path(__file__).with_name("device_mutants.json").read_text())
    mutant = next(one for one in mutants if one["name"] == name)
    for order in orders:
        code, said = train(program, launcher, mutant.get("precision", "Fp32"), mutant["layout"], order, LIMIT_S,
                           SHARDSTONE_TEST_STEPS=str(mutant.get("steps", 2)))
        if code == "not trained":
            sys.exit(f"the layout {mutant['layout']} was not trained:\n{said}")
        if code != 0:
            place = place_in(said)
            print(f"{name}: caught where streams run in the order '{order}': "
                  f"{place or 'without a place:' + said[-2000:]}")
            sys.exit(0 if place else 1)
    sys.exit(f"{name}: not caught: {mutant['bug']}")


main()

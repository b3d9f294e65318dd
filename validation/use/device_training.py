# SPDX-License-Identifier: BSD-3-Clause
"""A short training on emulated GPUs, which their tests have in common."""
import json

SMALL = "train --model nano --steps 2 --seed 7 --global-batch 6 --micro-batch 1 --sequence 16"
ON_GPUS = SMALL + " --device cuda"


def trained(place, line, ranks, name):
    """Its record."""
    place.succeeds(f"{line} --json {name}", ranks)
    return json.loads(place.path(name).read_text())

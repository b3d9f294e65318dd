# SPDX-License-Identifier: BSD-3-Clause
"""Which GPU is taken for stalled: device_stalls_test.py BEHAVIOUR SHARDSTONE MPIEXEC, SHARDSTONE linked with the
emulated device (device_test.py)."""
import json
import os
import re
import signal
import time

from command import expect, main
from killed_runs import STEP_LINE, columns, processes_of, start_and_see

ON_GPUS = "train --model nano --seed 7 --global-batch 6 --micro-batch 1 --sequence 16 --device cuda"


def long_graphs_are_no_stall(place):
    """A graph tells nothing before it has run, though it takes longer than a rank may be without progress; the step
    before, call by call, has told how long it may."""
    line = ON_GPUS.replace("--global-batch 6", "--global-batch 96") + " --plan tp=2 --graphs --steps 3 --stall-after 1"
    place.succeeds(f"{line} --json g.json", 2)
    steps_s = columns(json.loads(place.path("g.json").read_text()), "steps")["time_s"]
    expect(len(steps_s) == 3 and min(steps_s) > 1.1, "steps take longer than that", steps_s)


def stopped_rank_is_named(place):
    """A rank that stops in a step is named, with what it was doing."""
    job = start_and_see(place, f"{ON_GPUS} --steps 500 --log-every 1 --plan dp=3", 3, STEP_LINE, 2)
    pid = processes_of(place, job)[1]
    os.kill(pid, signal.SIGSTOP)
    out, err = job.communicate(timeout=100)
    expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", out + err)
    expect(re.search(r"stalled: rank 1 on .* stopped for", out + err), "rank 1 is named", out + err)
    until = time.monotonic() + 10
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
        time.sleep(0.1)
    expect(not os.path.exists(f"/proc/{pid}"), "and nothing is left", out + err)


main({each.__name__: each for each in (long_graphs_are_no_stall, stopped_rank_is_named)})

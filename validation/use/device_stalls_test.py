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


def messages_waited_for_are_named(place):
    """Where messages are copied from GPU to GPU, those that wait for a stopped rank say which are to or from it, in
    which operation. What a rank does between two operations is short, and if it stopped there, another is tried."""
    line = "collectives --device cuda --op all_reduce --algorithm over_ipc:ring -b 24M -e 24M -c 0 --seconds 100"
    words = [r"stalled: rank 1 on \S+ \(in point 1, all_reduce over_ipc:ring, 24 MiB\) stopped for"]
    words += [rf"^ +rank {rank} on .*: waits [\d.]+ s in point 1, all_reduce over_ipc:ring, 24 MiB, for step \d of 4: {what}"
               for rank, what in ((0, r".*\b4 MiB to rank 1 \(which has not permitted it yet\)"),
                                  (2, r"4 MiB from rank 1(,|$)"))]
    for attempt in range(4):
        job = start_and_see(place, line + " --stall-after 2", 3, r"^ +elements place", 1)
        time.sleep(1 + attempt)
        os.kill(processes_of(place, job)[1], signal.SIGSTOP)
        out, err = job.communicate(timeout=100)
        expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", out + err)
        if all(re.search(said, out + err, re.M) for said in words):
            return
    expect(False, "rank 1 is named with its operation, and the others say for which messages they wait", out + err)


main({each.__name__: each for each in (long_graphs_are_no_stall, stopped_rank_is_named, messages_waited_for_are_named)})

# SPDX-License-Identifier: BSD-3-Clause
"""The real command on emulated GPUs: device_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import os
import re
import signal
import time

from command import expect, main
from killed_runs import STEP_LINE, columns, processes_of, start_and_see

SMALL = "train --model nano --steps 2 --seed 7 --global-batch 6 --micro-batch 1 --sequence 16"
ON_GPUS = SMALL + " --device cuda"
PARTS = ("compute_s", "communication_s", "data_s", "optimizer_s", "preempted_s")


def trained(place, line, ranks, name):
    place.succeeds(f"{line} --json {name}", ranks)
    return json.loads(place.path(name).read_text())


def record_says_what_trained(place):
    """One to three GPUs: the losses of the cores to FP32's rounding, every check passed, the time by part."""
    on_cores = columns(trained(place, SMALL, 1, "cpu.json"), "steps")
    for ranks in (1, 2, 3):
        record = trained(place, ON_GPUS + f" --plan dp={ranks}", ranks, f"gpu{ranks}.json")
        expect(all(check["passed"] for check in record["verification"]), f"{ranks} GPUs pass", record["verification"])
        steps = columns(record, "steps")
        expect(len(steps["loss"]) == 2, "of two steps", steps)
        for ours, theirs in zip(steps["loss"], on_cores["loss"]):
            expect(abs(ours - theirs) < 1e-4 * theirs, f"loss on {ranks} GPUs, {theirs} on cores", ours)
        for step, time_s in enumerate(steps["time_s"]):
            parts = {part: steps[part][step] for part in PARTS}
            expect(parts["compute_s"] > 0.0 and parts["optimizer_s"] > 0.0, "computations take time", parts)
            expect((parts["communication_s"] > 0.0) == (ranks > 1), "communication is among several", parts)
            expect(parts["preempted_s"] == 0.0, "a host that is idle is none", parts)
            expect(0.5 * time_s < sum(parts.values()) < 1.001 * time_s, f"the parts make up {time_s} s", parts)
        place.succeeds(f"report gpu{ranks}.json --out r{ranks}.html")


def graphs_change_no_number(place):
    """Steps that the GPU is given as one graph have the losses of the others to the last bit, and times by part."""
    line = ON_GPUS.replace("--steps 2", "--steps 4") + " --plan dp=2"
    plain, graphs = (trained(place, line + more, 2, name)
                     for more, name in (("", "plain.json"), (" --graphs", "graphs.json")))
    expect([one["configuration"]["graphs"] for one in (plain, graphs)] == [False, True], "the record says which",
           graphs["configuration"])
    ours, theirs = columns(graphs, "steps"), columns(plain, "steps")
    for column in ("loss", "gradient_norm"):
        expect(ours[column] == theirs[column], f"{column} is the same", f"{ours[column]}\n{theirs[column]}")
    for part in ("compute_s", "communication_s", "optimizer_s"):
        expect(all(value > 0.0 for value in ours[part]), f"{part} is measured in every step", ours)


def failures_are_one_line(place):
    """What is wrong, on which rank, of what, and the job has ended."""
    for settings, line, ranks, code, words in (
            ("DEVICES=0", ON_GPUS, 1, 2, ["--device cuda: no NVIDIA GPU was found: "]),
            ("DEVICES=1", ON_GPUS + " --plan dp=2", 2, 2, ["ranks", "GPU"]),
            ("MEMORY=64K", ON_GPUS, 1, 2, ["cannot allocate ", " on the GPU: "]),
            ("MEMORY=64K", ON_GPUS + " --plan dp=3", 3, 2, ["rank ", "cannot allocate ", " on the GPU: "])):
        outcome = place.shell(f"SHARDSTONE_EMULATED_{settings} mpiexec -n {ranks} $S {line}")
        expect(outcome.code == code, f"{settings} on {ranks} ranks ends with {code}", outcome)
        said = [text for text in outcome.err.splitlines() if text.startswith("shardstone: ")]
        expect(1 <= len(said) <= ranks, f"{settings}: one line of each rank at most", outcome)
        for text in said:
            expect(all(word in text for word in words), f"{settings}: {words} in one line", outcome)


def errors_of_nccl_name_rank_and_operation(place):
    """One rank's call fails: in setting up, in a step, and at its end, when the host looks for errors that came
    after a call had returned."""
    on_one = "mpiexec -n 3 bash -c 'if [ \"$PMI_RANK\" = 1 ]; then export SHARDSTONE_EMULATED_FAIL={}; fi; exec $S {}'"
    for call, plan, words in (("ncclCommInitRank:1", "dp=3", ["rank 1", "ncclCommInitRank"]),
                              ("ncclGroupEnd:4", "dp=3", ["rank 1", " of ", " in group ", "ncclGroupEnd"]),
                              ("ncclCommGetAsyncError:2", "dp=3", ["rank 1", " in group ", "ncclCommGetAsync"])):
        begin = time.monotonic()
        outcome = place.shell(on_one.format(call, ON_GPUS + f" --plan {plan}"))
        expect(outcome.code not in (0, None), f"{call} ends the job", outcome)
        expect(time.monotonic() - begin < 60, f"{call} ends it soon", outcome)
        lines = [text for text in outcome.err.splitlines() if all(word in text for word in words)]
        expect(len(lines) == 1, f"{call}: {words} in one line", outcome)


def stopped_rank_is_named(place):
    """A rank that stops in a step is named, with what it was doing."""
    job = start_and_see(place, ON_GPUS.replace("--steps 2", "--steps 500 --log-every 1") + " --plan dp=3", 3, STEP_LINE, 2)
    pid = processes_of(place, job)[1]
    os.kill(pid, signal.SIGSTOP)
    out, err = job.communicate(timeout=100)
    expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", out + err)
    expect(re.search(r"stalled: rank 1 on .* stopped for", out + err), "rank 1 is named", out + err)
    until = time.monotonic() + 10
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
        time.sleep(0.1)
    expect(not os.path.exists(f"/proc/{pid}"), "and nothing is left", out + err)


main({each.__name__: each for each in (
    record_says_what_trained, graphs_change_no_number, failures_are_one_line, errors_of_nccl_name_rank_and_operation,
    stopped_rank_is_named)})

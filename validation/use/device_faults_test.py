# SPDX-License-Identifier: BSD-3-Clause
"""Plans, calls and kernels that fail on emulated GPUs, by the real command (device_test.py)."""
import json
import os
import re
import time

from command import expect, main
from device_training import ON_GPUS, trained
from killed_runs import columns


def plans_that_cannot_fit_are_refused(place):
    """A byte less than the tensors of a rank need: one line before anything is begun. With that byte, and what
    libraries and scratch memory take, it trains."""
    said = r"--plan (\S+) --micro-batch 3 needs ([\d.]+) KiB on rank (\d) \((.*)\) besides what libraries take, and " \
           r"its GPU \(emulated device\) has ([\d.]+) KiB of its ([\d.]+) KiB free: (.*)"
    for ranks, plan, advice in ((1, "dp=1", r"use --plan dp=1 --recompute \w+ --micro-batch 3, the nearest for 1 rank "
                                            r"that fits, with [\d.]+ KiB, or --micro-batch [12] with [\d.]+ KiB"),
                                (2, "dp=2", r"use --plan dp=2,zero=1 --micro-batch 3, the nearest for 2 ranks that fits,")):
        line = f"{ON_GPUS.replace('--micro-batch 1', '--micro-batch 3')} --plan {plan}"
        memory = columns(trained(place, line, ranks, f"m{ranks}.json"), "memory")
        needed = sum(memory["measured_bytes"])
        on = f"{place.launcher} -n {ranks} $S {line}"
        outcome = place.shell(f"SHARDSTONE_EMULATED_MEMORY={int(needed) - 1} {on}")
        expect(outcome.code == 2 and outcome.out == "", "refused before anything is said", outcome)
        lines = [text for text in outcome.err.splitlines() if text.startswith("shardstone: ")]
        told = re.search(said, lines[0]) if len(lines) == 1 else None
        expect(told, "one line tells it", outcome)
        largest = sorted(zip(memory["measured_bytes"], memory["class"]), reverse=True)[:3]
        expect((told[1], told[3]) == (plan, "0"), "of the plan and the first rank", outcome)
        expect(all(abs(float(told[k]) * 1024 / needed - 1.0) < 1e-3 for k in (2, 5, 6)), f"{needed} B", outcome)
        expect(re.findall(r"(\w+) [\d.]+ KiB", told[4]) == [name for _, name in largest], f"{largest}", outcome)
        expect(re.match(advice, told[7]), "with what to do", outcome)
        outcome = place.shell(f"SHARDSTONE_EMULATED_MEMORY={int(needed)} {on}")
        expect("needs" not in outcome.err and "cannot allocate " in outcome.err, "what may fit is tried", outcome)
        outcome = place.shell(f"SHARDSTONE_EMULATED_MEMORY={int(needed) + 400 * 1024} {on}")
        expect(outcome.code == 0, "and what fits trains", outcome)


def failures_are_one_line(place):
    """What is wrong, on which rank, of what, and the job has ended. 660 KiB hold the tensors, but no scratch memory."""
    for settings, line, ranks, code, words in (
            ("DEVICES=0", ON_GPUS, 1, 2, ["--device cuda: no NVIDIA GPU was found: "]),
            ("DEVICES=1", ON_GPUS + " --plan dp=2", 2, 2, ["ranks", "GPU"]),
            ("MEMORY=660K", ON_GPUS, 1, 2, ["cannot allocate ", " on the GPU: ", "of its 660 KiB are free"]),
            ("MEMORY=660K", ON_GPUS + " --plan dp=3", 3, 2, ["rank ", "cannot allocate ", " on the GPU: "])):
        outcome = place.shell(f"SHARDSTONE_EMULATED_{settings} mpiexec -n {ranks} $S {line}")
        expect(outcome.code == code, f"{settings} on {ranks} ranks ends with {code}", outcome)
        said = [text for text in outcome.err.splitlines() if text.startswith("shardstone: ")]
        expect(1 <= len(said) <= ranks, f"{settings}: one line of each rank at most", outcome)
        for text in said:
            expect(all(word in text for word in words), f"{settings}: {words} in one line", outcome)


def faults_of_the_gpu_end_the_job(place):
    """What goes wrong on it shows in a later call, on one of several ranks, and in a step or between steps. Ranks that
    would share a GPU are refused before anything is begun."""
    on_one = "mpiexec -n 2 bash -c 'if [ \"$PMI_RANK\" = 1 ]; then export SHARDSTONE_EMULATED_FAIL={}; fi; exec $S {}'"
    over_ipc = "collectives --device cuda --algorithm over_ipc:ring -b 8M -e 8M"
    for fault, line, words in (
            ("kernel:40", ON_GPUS + " --plan dp=2 --json f.json", ["rank 1", "CUDA: "]),
            ("kernel:200", ON_GPUS + " --plan dp=2 --json f.json", ["rank 1", "CUDA: "]),
            # In a graph: calls of NCCL then fail, too, but it is the GPU's to tell.
            ("kernel:400", ON_GPUS.replace("--steps 2", "--steps 3") + " --plan dp=2 --graphs --json f.json",
             ["rank 1 on ", ": CUDA: an illegal memory access", "queue_graph_cuda.cpp"]),
            ("cublasLtMatmul:9", ON_GPUS + " --plan dp=2 --json f.json", ["rank 1", "cublasLtMatmul("]),
            ("cudaMemcpyAsync:9", "collectives --device cuda --algorithm over_pinned:ring -b 64 -e 64",
             ["rank 1", "all_reduce over_pinned:ring of 64 B: CUDA: "]),
            ("cudaIpcOpenMemHandle:2", over_ipc, ["rank 1", "CUDA: ", "cudaIpcOpenMemHandle("]),
            ("cudaIpcGetMemHandle:2", over_ipc, ["CUDA: ", "cudaIpcGetMemHandle("])):
        outcome = place.shell(on_one.format(fault, line + " --force"))
        expect(outcome.code not in (0, 6, None) and "terminate called" not in outcome.err, f"{fault} ends the job", outcome)
        said = [text for text in outcome.err.splitlines() if all(word in text for word in words)]
        expect(len(said) == 1, f"{fault}: {words} in one line", outcome)
    for name in os.listdir(place.folder):
        os.remove(place.path(name))
    for line in (ON_GPUS + " --plan dp=2 --json s.json", "overlap --device cuda --json s.json",
                 "validate equivalence --device cuda --steps 1 --only dp=2 --json s.json",
                 "study pipeline --device cuda --layers 1 --channels 32 --micro-batches 1 --steps 1 --json s.json",
                 "study batch-size --device cuda --json s.json"):
        shared = place.shell(f"SHARDSTONE_EMULATED_DEVICES=1 mpiexec -n 2 $S {line}")
        expect(shared.code == 2, f"{line}: refused", shared)
        expect("--device cuda: ranks 0 and 1 on " in shared.err and "start at most 1 rank on that node" in shared.err,
               "with what to do", shared)
        expect(place.files() == [], "and nothing is left", place.files())


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


def gpus_that_go_wrong_meanwhile_are_told(place):
    """One that multiplies right until the steps have begun, and never again: the record is kept, and says of which rank
    what was wrong when its peak was measured again."""
    name = "every GPU multiplies right at the end"
    line = ON_GPUS.replace("--steps 2", "--steps 12") + " --plan dp=2 --lr 1e-9"
    on_one = "mpiexec -n 2 bash -c 'if [ \"$PMI_RANK\" = 1 ]; then export SHARDSTONE_EMULATED_FAIL=product:200+; fi; exec $S {}'"
    outcome = place.shell(on_one.format(line + " --json w.json"))
    expect(outcome.code == 1, "it ends with 1", outcome)
    record = json.loads(place.path("w.json").read_text())
    expect(len(columns(record, "steps")["loss"]) == 12, "all steps were made", record["verification"])
    details = [check["detail"] for check in record["verification"] if check["name"] == name and not check["passed"]]
    said = r"rank 1: GPU 0000:02:00\.0 computes wrong: a product of (\d+) x \1 matrices in fp32 has "
    expect(len(details) == 1 and re.match(said, details[0]), f"one check says it: {details}", record["verification"])
    expect(re.search(said, outcome.out), "and the screen", outcome)
    shown = place.run("report w.json --out w.html")
    expect(shown.code != 0 and re.search(said, shown.err), "a report shows no such speed, and says why", shown)
    sound = trained(place, line, 2, "s.json")
    expect(name not in [check["name"] for check in sound["verification"]], "of a sound one nothing is said", "")


main({each.__name__: each for each in (
    plans_that_cannot_fit_are_refused, failures_are_one_line, faults_of_the_gpu_end_the_job,
    errors_of_nccl_name_rank_and_operation, gpus_that_go_wrong_meanwhile_are_told)})

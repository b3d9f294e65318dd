# SPDX-License-Identifier: BSD-3-Clause
"""The real command on emulated GPUs: device_test.py BEHAVIOUR SHARDSTONE MPIEXEC FAKE_NVML

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import os
import re
import signal
import sys
import time
import zipfile

from command import ROOT, expect, main
from killed_runs import STEP_LINE, columns, start_and_see

SMALL = "train --model nano --steps 2 --seed 7 --global-batch 6 --micro-batch 1 --sequence 16"
ON_GPUS = SMALL + " --device cuda"
WRONG_PRODUCT = {"SHARDSTONE_EMULATED_FAIL": "product:1"}
WRONG = r"^linear forward, \w+ in fp32: [\d.e+]+ of its bound$"
PARTS = ("compute_s", "communication_s", "data_s", "optimizer_s", "preempted_s")


def trained(place, line, ranks, name):
    place.succeeds(f"{line} --json {name}", ranks)
    return json.loads(place.path(name).read_text())


def record_says_what_trained(place):
    """One to three GPUs: the losses of the cores to FP32's rounding, every check passed, the time by part."""
    shown = place.succeeds(f"{SMALL} --json cpu.json", 1).out
    on_cores = columns(json.loads(place.path("cpu.json").read_text()), "steps")
    expect(" optimizer preempted\n" in shown and re.search(r", preempted [\d.]+ % \(mean", shown),
           "the screen tells how long a rank on a core was preempted", shown)
    shown = place.succeeds(f"{ON_GPUS} --log-every 1 --json shown.json", 1).out
    summary = columns(json.loads(place.path("shown.json").read_text()), "summary")
    whole_s = sum(summary[part][0] for part in PARTS)
    said = ", ".join(f"{name} {100.0 * summary[part][0] / whole_s:.1f} %" for name, part in zip(
        ("compute", "exposed communication", "data", "optimizer"), PARTS))
    expect(re.search(rf"^time +{said}, preempted not counted \(mean", shown, re.M), f"and not of one on a GPU: {said}",
           shown)
    expect(" optimizer\n" in shown and "optimizer preempted" not in shown, "nor has it a column of that", shown)
    for name, told in (("cpu.json", True), ("shown.json", False)):
        place.succeeds(f"report {name} --out {name}.html")
        page = place.path(f"{name}.html").read_text()
        expect((">Optimizer</th>" in page, ">Preempted</th>" in page) == (True, told), f"{name}: as the report")
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
        summary = columns(record, "summary")
        expect(summary["busy_cores"] == [ranks], "as many GPUs as ranks", summary)
        place.succeeds(f"report gpu{ranks}.json --out r{ranks}.html")


def uneven_shares_train_alike(place):
    """Four heads on three GPUs: what these hold alike stays so, wherever shares of other tensors have moved it."""
    whole = trained(place, ON_GPUS + " --heads 4", 1, "whole.json")
    split = trained(place, ON_GPUS + " --heads 4 --plan tp=3", 3, "split.json")
    expect(all(check["passed"] for check in split["verification"]), "replicas are identical", split["verification"])
    for ours, theirs in zip(columns(split, "steps")["loss"], columns(whole, "steps")["loss"]):
        expect(abs(ours - theirs) < 1e-4 * theirs, f"loss, {theirs} on one", ours)


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


def tf32_rounds_and_is_recorded(place):
    """A loss that is off by about 2^-11 of what it is without; each type's peak is that of its own products."""
    plain, rounded = (trained(place, ON_GPUS + more, 1, name) for more, name in (("", "plain.json"),
                                                                                 (" --tf32", "tf32.json")))
    expect([one["configuration"]["tf32"] for one in (plain, rounded)] == [False, True], "the record says which",
           rounded["configuration"])
    for ours, theirs in zip(columns(rounded, "steps")["loss"], columns(plain, "steps")["loss"]):
        expect(0.0 < abs(ours - theirs) < 1e-3 * theirs, f"a loss near {theirs}", ours)
    speeds = {"FP32": 1, "TF32": 2, "BF16": 4, "FP16": 4, "FP8": 8}  # of the emulated cuBLASLt
    records = [plain, rounded, *(trained(place, f"{ON_GPUS} --precision {precision}", 1, f"{precision}.json")
                                 for precision in ("bf16", "fp16", "fp8"))]
    for (kind, speed), record in zip(speeds.items(), records):
        peak = columns(record, "summary")
        expect(peak["peak_arithmetic"] == [f"{kind} products of cuBLASLt"], f"the peak is that of {kind}", peak)
        ratio = peak["core_peak_flop_per_s"][0] / columns(plain, "summary")["core_peak_flop_per_s"][0]
        expect(abs(ratio / speed - 1.0) < 0.01, f"and {speed} times FP32's, as {kind} alone is", ratio)
    expect("TF32 products" in place.succeeds("report tf32.json --out r.html").out
           or "TF32 products" in place.path("r.html").read_text(), "which the report tells")


def energy_is_that_of_the_gpus(place):
    """As a library tells that plays NVML: each of these GPUs takes 350 W, and is held down all the time."""
    line = ON_GPUS.replace("--steps 2", "--steps 14") + " --plan dp=2"
    silent = place.succeeds(ON_GPUS + " --plan dp=2 --json silent.json", 2).out
    expect(re.search(r"^energy +not told by the GPU of rank 0: \S*libnvidia-ml\.so\.1", silent, re.M),
           "without that library it is said that nothing is told", silent)
    place.path("lib").mkdir()
    place.path("lib/libnvidia-ml.so.1").symlink_to(sys.argv[4])
    outcome = place.shell(f"LD_LIBRARY_PATH=$PWD/lib {place.launcher} -n 2 $S {line} --json told.json")
    expect(outcome.code == 0, "it trains", outcome)
    record = json.loads(place.path("told.json").read_text())
    use, steps = columns(record, "gpu_use"), columns(record, "steps")
    expect((use["rank"], use["address"]) == ([0.0, 1.0], ["0000:01:00.0", "0000:02:00.0"]), "each rank's GPU", use)
    lasted_s = sum(steps["time_s"])
    for gpu in (0, 1):
        expect(2.0 < lasted_s * 0.99 < use["time_s"][gpu] < lasted_s + 20, f"was read for all {lasted_s} s", use)
        expect(abs(use["power_w"][gpu] - 350.0) < 5.0, "took what it counted", use)
        expect((use["sm_mhz"][gpu], use["most_celsius"][gpu], use["limited_share"][gpu], use["limited_by"][gpu]) ==
               (1755.0, 75.0, 1.0, "heat, power"), "at its clock", use)
        expect(use["readings"][gpu] > 0.5 * len(steps["loss"]), "step by step", use)
        held = sum(columns(record, "memory")["measured_bytes"]) if gpu == 0 else use["trainer_bytes"][1]
        expect(use["trainer_bytes"][gpu] == held, "memory of the trainer is what its classes add up to", use)
        expect(0 < use["scratch_bytes"][gpu] < held, "which are no scratch memory", use)
        parts = sum(use[f"{name}_bytes"][gpu] for name in ("trainer", "scratch", "libraries", "before"))
        expect(0 <= use["libraries_bytes"][gpu] and parts <= use["memory_bytes"][gpu], "and all of it is there", use)
    expect("GPU memory " in outcome.out, "the screen tells memory", outcome.out)
    tokens = 14 * 6 * 16
    said = re.search(r"^energy +([\d.]+) (m?)J per token: (?:69|70)\d W of 2 GPUs over ", outcome.out, re.M)
    expect(said, "the screen tells both together", outcome.out)
    per_token_j = float(said[1]) * (1e-3 if said[2] else 1.0)
    expect(abs(per_token_j * tokens / sum(use["energy_j"]) - 1.0) < 0.01, "and a token's part", said[0])
    place.succeeds("report told.json --out r.html")
    expect(said[0].split(maxsplit=1)[1] in place.path("r.html").read_text(), "as the report does", said[0])
    place.succeeds("bundle told.json --out told.zip")
    place.succeeds("verify told.zip")


def layouts_train_as_one_gpu_does(place):
    """Bits are those of one GPU, and every layout, whether it claims bits or not, is held against a core."""
    outcome = place.shell(f"{place.launcher} -n 2 $S validate equivalence --device cuda --quick --steps 1 "
                          "--only 'p=2 frozen' --json layouts.json")
    expect(outcome.code == 0, "all are equal", outcome)
    record = json.loads(place.path("layouts.json").read_text())
    settings = record["configuration"]
    expect((settings["device"], settings["graphs"], settings["arithmetics"]) == ("cuda", True, ["FP32 adamw"]),
           "the record says on what, and how", settings)
    found = columns(record, "layouts")
    claims = dict(zip(found["layout"], found["claim"]))
    expect(claims == {"dp=2 frozen": "bitwise", "tp=2 frozen": "bounded"}, "the layouts of two ranks", claims)
    expect(all(equal == 1.0 for equal in found["equal"]), "are equal", found)
    expect(all(0.0 < share < 1.0 for share in found["share_of_bound"]), "and near a core's", found)
    shown = place.succeeds("report layouts.json --out r.html").out
    expect(re.search(r"2 layouts of training on up to 2 GPUs train the same model as one GPU, 1 of them bitwise, "
                     rf"and all within the bound of a core's \({re.escape(settings['gpu'])}\)\.", shown),
           "the report says so", shown)
    outcome = place.shell("SHARDSTONE_EMULATED_DEVICES=0 $S validate equivalence --device cuda")
    expect(outcome.code == 2 and "--device cuda: no NVIDIA GPU was found: " in outcome.err, "none is no core", outcome)


def policies_are_compared_on_gpus(place):
    """Trainings of two seeds in FP32 and BF16, which differ, on the GPU; FP64, which is none of its types, on a core."""
    line = "validate numerics --policy fp32,bf16 --model nano --steps 2 --seeds 2"
    records = []
    for more, name in ((" --device cuda", "gpu.json"), (" --part trajectories", "core.json")):
        outcome = place.run(f"{line}{more} --json {name}", 2, timeout_s=800)
        expect(outcome.code == 1, "the entropy, far below after so few steps, is missed", outcome)
        records.append(json.loads(place.path(name).read_text()))
    settings = records[0]["configuration"]
    expect((settings["device"], settings["gpu"]) == ("cuda", "emulated device"), "the record says on what", settings)
    verdicts = columns(records[0], "verdicts")
    found = set(zip(verdicts["part"], (each == "fail" for each in verdicts["verdict"])))
    expect(found == {("trajectories", False), ("entropy", True)}, "what was compared", verdicts)
    ours, theirs = (columns(record, "held_out_losses") for record in records)
    expect(ours["policy"] == theirs["policy"] and {"fp32", "bf16"} <= set(ours["policy"]), "of the same policies", ours)
    for policy, mine, loss in zip(ours["policy"], ours["held_out_loss"], theirs["held_out_loss"]):
        apart = abs(mine - loss)
        expect(apart == 0.0 if policy == "fp64" else 0.0 < apart < 1e-3 * loss, f"{policy}, on a core {loss}", mine)


def overlap_is_measured_on_gpus(place):
    """With and without overlap it trains to the same bits, and the record is that of GPUs."""
    outcome = place.run("overlap --device cuda --model nano --global-batch 4 --sequence 16 --rounds 3 --json o.json", 2)
    record = json.loads(place.path("o.json").read_text())
    checks = {check["name"]: check["passed"] for check in record["verification"]}
    for name in ("losses and gradient norms with and without overlap are bitwise equal",
                 "weights with and without overlap are bitwise equal", "bytes sent equal the step program's"):
        expect(checks.get(name), name, outcome)
    settings = record["configuration"]
    expect((settings["device"], settings["gpu"]) == ("cuda", "emulated device"), "the record says on what", settings)
    ways = columns(record, "overlap_rounds", "samples")
    rows = re.findall(r"^(?:apart|overlapped) .* (\S+)$", outcome.out, re.M)
    expect(rows == ["-", "-"], "none was preempted that could have been counted", outcome)
    expect(len(ways["step_s"]) == 6 and all(value > 0.0 for value in ways["compute_s"] + ways["exposed_s"]),
           "each step has both parts", ways)


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
                 "validate equivalence --device cuda --steps 1 --only dp=2 --json s.json"):
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


def records_are_not_those_of_a_gpu(place):
    """Every record of an emulated GPU names it, with the software that was used, and is called emulated."""
    place.succeeds("collectives --device cuda --op all_reduce --algorithm nccl -b 1K -e 4K --seconds 0.05 --json emulated.json")
    record = json.loads(place.path("emulated.json").read_text())
    environment = record["environment"]
    expect(environment["machine"]["accelerators"] == ["emulated device"], "the machine has it", environment["machine"])
    expect({"CUDA driver", "CUDA runtime", "NCCL", "matrix products"} == set(environment["gpus"]["software"]),
           "the software is told", environment["gpus"])
    said = place.succeeds("verify emulated.json").out
    expect("; EMULATED: NOT a measurement of a GPU: " in said, "verify says what it is", said)
    endless = ON_GPUS.replace("--steps 2", "--steps 100000 --log-every 1")
    job = start_and_see(place, f"{endless} --json s.json", 0, STEP_LINE, 1)
    job.send_signal(signal.SIGINT)
    job.communicate(timeout=100)
    said = place.run("verify s.json")
    words = r"BAD +s\.json: unchanged, but .*; EMULATED: NOT a measurement of a GPU: "
    expect(said.code == 1 and re.match(words, said.out), "of a bad record, too", said)
    place.succeeds("bundle emulated.json --out b.zip")
    place.succeeds("verify b.zip")  # the figures of one rank, too, are those of its samples
    trained(place, ON_GPUS, 1, "t.json")
    said = place.succeeds("report t.json --out r.html").out
    expect("nano, fp32, emulated device" in said and "nano, fp32, cuda" not in said, "the report names it", said)


def wrong_splits_are_left_out(place):
    """The first trainings on a GPU were split by what their host waited for: the report says so, and shows no split."""
    place.succeeds(f"report {ROOT}/results/archive/h200/train.h5 --out old.html")
    page = place.path("old.html").read_text()
    said = "The time of train.h5 is not split here: programs of that age counted a GPU's work to the part of a step"
    expect(said in page.replace("&#39;", "'"), "it says so")
    expect("Share of the training time" not in page and ">Optimizer</th>" not in page, "and shows none")
    trained(place, ON_GPUS, 1, "new.json")
    out = place.succeeds(f"report {ROOT}/results/archive/h200/train.h5 new.json --out both.html").out
    page = place.path("both.html").read_text()
    expect(said in page.replace("&#39;", "'"), "beside others, too")
    expect("Share of the training time" in page and ">Optimizer</th>" in page, "whose split is shown")
    expect(re.search("The training time of 'nano, fp32, dp=1, emulated device' is ", out), "and told", out)
    expect(not re.search("The training time of 'gpt2-124m", out), "of them alone", out)


def commands_have_the_gpus_that_they_need(place):
    """As they stand in bundle and report they run again: the program with emulated GPUs, and what these were."""
    for name in [name for name in os.environ if re.match("(OMP|UCX|MPI|FI|CUDA|OPENBLAS|DNNL|NCCL|SHARDSTONE_EMUL)", name)]:
        del os.environ[name]
    gpus = "NCCL_ALGO='allreduce:tree;broadcast:ring' SHARDSTONE_EMULATED_DEVICES=3 SHARDSTONE_EMULATED_PEERS=0"
    line = f"{ON_GPUS} --plan dp=3 --json t.json"
    outcome = place.shell(f"{gpus} mpiexec -n 3 $S {line}")
    expect(outcome.code == 0, "it trains", outcome)
    command = f"{gpus} mpiexec -n 3 bin/emulated/shardstone {line}"
    place.succeeds("bundle t.json --out b.zip")
    with zipfile.ZipFile(place.path("b.zip")) as bundle:
        readme = bundle.read("README.md").decode()
    expect(f"\n    {command}\n" in readme, f"the bundle says '{command}'", readme[-1000:])
    place.succeeds("verify b.zip")
    place.succeeds("report t.json --out r.html")
    shown = command.replace("'", "&#39;")
    expect(f"<code>{shown}</code>" in place.path("r.html").read_text(), f"the report says '{command}'")
    place.path("bin/emulated").mkdir(parents=True)
    place.path("bin/emulated/shardstone").symlink_to(place.program)
    place.path("t.json").unlink()
    outcome = place.shell(f"unset ${{!SHARDSTONE_EMULATED_*}}; {command}")
    expect(outcome.code == 0 and place.path("t.json").exists(), "which runs again", outcome)


def kernels_are_held_against_the_gpu(place):
    """Those that --filter names, each compared with FP64 in three types; one that is wrong ends with 1."""
    line = "kernels --device cuda --filter COPY --json k.json"
    os.environ.update(WRONG_PRODUCT)
    spoiled = place.run(line, timeout_s=1500)
    os.environ.pop(*WRONG_PRODUCT)
    expect(spoiled.code == 1, "one that is wrong ends it with 1", spoiled)
    checks = json.loads(place.path("k.json").read_text())["verification"]
    failed = [check["name"] for check in checks if not check["passed"]]
    expect(failed and all(name.startswith("kernels in fp32: ") for name in failed), "as the record says", checks)
    expect(re.search(WRONG, spoiled.out, re.M) and f"FAILED: {failed[0]} (" in spoiled.out, "and the screen", spoiled)
    outcome = place.run(line + " --force", timeout_s=1500)
    expect(outcome.code in (0, 1), "it ends", outcome)
    expect(not re.search(" of its bound$", outcome.out, re.M), "and none is wrong", outcome)
    record = json.loads(place.path("k.json").read_text())
    found = columns(record, "device_kernels")
    expect((found["name"], found["bytes"]) == (["copy"], [8.0 * 124439808]), "what was asked for", found)
    names = [check["name"].split(":")[0] for check in record["verification"]]
    expect(names[:3] == [f"kernels in {kind}" for kind in ("fp32", "bf16", "fp16")], "in each type", names)
    passed = all(check["passed"] for check in record["verification"])
    expect(outcome.code == (0 if passed else 1), "the code is that of the checks", outcome)
    rates = columns(record, "device_rates")
    rate = rates["copy_bytes_per_s"][0]
    best = [rates[name][0] * unit for name, unit in (("copy_bytes_per_s", 1e-9), ("bf16_flop_per_s", 1e-12),
                                                     ("fp32_flop_per_s", 1e-12))]
    words = (r"copies (\S+) GB/s, products up to \(8192, 8192\) (\S+) TFLOP/s in BF16, "
             r"up to \(4096, 4096\) (\S+) in FP32")
    before, said = (re.search(beginning + words + "$", outcome.out, re.M) for beginning in (
        "^emulated device: ", "^the best before and after, of which the record has the shares: "))
    expect(before and said, "the screen tells the rates at first and at last", outcome)
    expect(all(abs(float(told) / held - 1.0) < 1e-3 for told, held in zip(said.groups(), best)),
           f"at last those of the record, {best}", outcome)
    expect(all(float(told) < (1.0 + 1e-3) * held for told, held in zip(before.groups(), best)),
           f"of which none is less than at first, {best}", outcome)
    expect(abs(found["share"][0] * rate / found["bytes_per_s"][0] - 1.0) < 1e-9, "and which the shares are of", found)
    expect(0.2 < found["bytes_per_s"][0] / rate < 2.0, f"a copy is as fast as copies, {rate} B/s", found)


def a_wrong_kernel_is_told(place):
    """The screen names it, with what it got wrong, minutes before the end."""
    os.environ.update(WRONG_PRODUCT)
    job = start_and_see(place, "kernels --device cuda --filter COPY", 0, WRONG, 1)
    job.kill()
    job.communicate(timeout=60)


def stopped_kernels_are_kept(place):
    """A signal ends it after the kernel under way; the record has what was measured, and is not taken for the whole."""
    job = start_and_see(place, "kernels --device cuda --json k.json", 0, r" % \((memory|products)\)$", 1)
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=1500)
    expect(job.returncode == 130, f"it ends with 130, not {job.returncode}", out + err)
    record = json.loads(place.path("k.json").read_text())
    found = columns(record, "device_kernels")["name"]
    failed = [check["name"] for check in record["verification"] if not check["passed"]]
    expect(1 <= len(found) < 10 and "the run was complete" in failed, "what was measured is there", record["verification"])


main({each.__name__: each for each in (
    record_says_what_trained, uneven_shares_train_alike, graphs_change_no_number, records_are_not_those_of_a_gpu,
    commands_have_the_gpus_that_they_need, wrong_splits_are_left_out, kernels_are_held_against_the_gpu,
    a_wrong_kernel_is_told, stopped_kernels_are_kept, tf32_rounds_and_is_recorded, energy_is_that_of_the_gpus,
    layouts_train_as_one_gpu_does, policies_are_compared_on_gpus, overlap_is_measured_on_gpus,
    plans_that_cannot_fit_are_refused, failures_are_one_line, faults_of_the_gpu_end_the_job,
    errors_of_nccl_name_rank_and_operation)})

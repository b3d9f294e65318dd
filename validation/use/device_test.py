# SPDX-License-Identifier: BSD-3-Clause
"""The real command on emulated GPUs: device_test.py BEHAVIOUR SHARDSTONE MPIEXEC FAKE_NVML

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import os
import re
import sys
import time

from command import expect, main
from device_training import ON_GPUS, SMALL, trained
from killed_runs import columns

PARTS = ("compute_s", "communication_s", "data_s", "optimizer_s", "preempted_s")


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


def traces_are_of_the_gpus_clock(place):
    """One after the other on each GPU, a pass behind the message that it needs; on one half as fast twice as long. A
    traced training is the same."""
    line = ON_GPUS + " --plan pp=2 --layers 2 --all-reduce nccl"
    passes = {}
    for slow in (None, "0"):
        if slow:
            os.environ["SHARDSTONE_EMULATED_SLOW"] = slow
        traced = trained(place, f"{line} --trace t{slow}.json", 2, f"traced{slow}.json")
        events = json.loads(place.path(f"t{slow}.json").read_text())
        for rank in (0, 1):
            own = sorted((event for event in events if event["pid"] == rank and event["ph"] != "M"), key=lambda e: e["ts"])
            computed = [event for event in own if event["ph"] == "X"]
            for one, other in zip(computed, computed[1:]):
                expect(one["ts"] + one["dur"] <= other["ts"] + 0.002, "they follow each other", (one, other))
            ends = [event["ts"] for event in own if event["ph"] == "e" and event["cat"] == "receive"]
            needed = {0: "backward", 1: "forward"}[rank]
            begins = [event["ts"] for event in computed if event["cat"] == needed and ", unit" in event["name"]]
            expect(len(ends) == 12 and len(begins) % 12 == 0, "of six micro-batches in two steps", (ends, computed))
            first = begins[::len(begins) // 12]
            expect(all(end <= begin + 0.002 for end, begin in zip(ends, first)), f"{needed} has its input", (ends, first))
            passes[slow, rank] = sum(event["dur"] for event in computed if "ward" in event["cat"])
        os.environ.pop("SHARDSTONE_EMULATED_SLOW", None)
    for rank, factor in ((0, 2.0), (1, 1.0)):
        expect(abs(passes["0", rank] / passes[None, rank] - factor) < 0.1, f"rank {rank}'s last {factor} times as long", passes)
    plain = trained(place, line, 2, "plain.json")
    expect(columns(traced, "steps")["loss"] == columns(plain, "steps")["loss"], "tracing changes nothing", traced)


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
    """As a library tells that plays NVML: these GPUs take 360 and 370 W, and is held down all the time."""
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
        expect(abs(use["power_w"][gpu] - (360.0, 370.0)[gpu]) < 3.0, "took what it counted", use)
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
    said = re.search(r"^energy +([\d.]+) (m?)J per token: 7[23]\d W of 2 GPUs over ", outcome.out, re.M)
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


main({each.__name__: each for each in (
    record_says_what_trained, uneven_shares_train_alike, graphs_change_no_number, traces_are_of_the_gpus_clock,
    tf32_rounds_and_is_recorded,
    energy_is_that_of_the_gpus, layouts_train_as_one_gpu_does, policies_are_compared_on_gpus,
    overlap_is_measured_on_gpus)})

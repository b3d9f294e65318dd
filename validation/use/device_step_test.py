# SPDX-License-Identifier: BSD-3-Clause
"""`step` on emulated GPUs: device_step_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device (device_test.py), whose events tell a time that is made up but always the
same: that of a part says which work is in it. The time of a whole step is that of the host, which emulates.
"""
import json
import re
import statistics
import sys

from command import expect, main
from killed_runs import columns

# V = 256, C = 32, 2 layers, a context of 64: embeddings, two blocks of 12 C^2 + 13 C, a last normalisation.
POSITIONS = 64 * 32
PARAMETERS = 256 * 32 + POSITIONS + 2 * (12 * 32 * 32 + 13 * 32) + 2 * 32
BATCH, SEQUENCE, STEPS = 2, 16, 6  # of fewer steps there is no interval
SMALL = f"step --model nano --batch {BATCH} --sequence {SEQUENCE} --iterations {STEPS}"
ON_GPU = SMALL + " --device cuda"
PARTS = ("forward_s", "backward_s", "optimizer_s", "zeroing_s")


def stepped(place, line, name, ranks=1):
    """What it prints, its record, and of that the one row of figures and the steps."""
    out = place.succeeds(f"{line} --json {name}", ranks).out
    record = json.loads(place.path(name).read_text())
    expect(all(check["passed"] for check in record["verification"]), f"{line} passes", record["verification"])
    figures = {column: values[0] for column, values in columns(record, "arithmetic").items()}
    return out, record, figures, columns(record, "arithmetic_steps", "samples")


def near(ours, theirs, part, claim):
    expect(abs(ours - theirs) <= part * abs(theirs), claim, f"{ours}, not {theirs}")


def losses_are_those_of_a_core(place):
    """In each precision, before the first step and, by as much as the updates lower it, before the last. A loss is off
    by no more than a logit is, which of up to 0.5 is rounded to 9, or 12, bits; in FP32 there are its sums as well."""
    of_core, of_gpu = {}, {}
    for precision, tolerance in (("fp32", 1e-6), ("bf16", 2**-10), ("bf16-stream", 2**-10), ("fp16", 2**-13)):
        _, _, of_core[precision], _ = stepped(place, f"{SMALL} --precision {precision}", f"core_{precision}.json")
        _, record, on_gpu, _ = stepped(place, f"{ON_GPU} --precision {precision}", f"gpu_{precision}.json")
        of_gpu[precision], on_core = on_gpu, of_core[precision]
        for loss in ("first_loss", "last_loss"):
            expect(abs(on_gpu[loss] - on_core[loss]) < tolerance, f"{loss} in {precision} is that of a core",
                   f"{on_gpu[loss]}, not {on_core[loss]}")
        near(on_gpu["first_loss"] - on_gpu["last_loss"], on_core["first_loss"] - on_core["last_loss"], 0.004,
             f"in {precision} it falls as fast")
        kind = precision.split("-")[0].upper()
        expect(on_gpu["peak_arithmetic"] == f"{kind} products of cuBLASLt", "with a peak of its own", on_gpu)
        settings = record["configuration"]
        expect((settings["device"], settings["gpu"], settings["precision"]) == ("cuda", "emulated device", precision),
               "the record says on what", settings)
    for precision in ("bf16", "bf16-stream", "fp16"):
        expect(of_gpu[precision]["first_loss"] != of_gpu["fp32"]["first_loss"], f"{precision} rounds", of_gpu)
        expect(of_gpu[precision]["optimizer_s"] > 1.5 * of_gpu["fp32"]["optimizer_s"],
               "masters are rounded after their update", of_gpu)
        near(of_gpu[precision]["zeroing_s"], of_gpu["fp32"]["zeroing_s"], 0.01, "gradients are as long")


def figures_follow_from_the_steps(place):
    """Rates, shares and what is printed, with the model's size by hand; each part is timed around its own work."""
    out, _, figures, steps = stepped(place, ON_GPU, "small.json")
    for column in ("step_s", *PARTS):
        expect(len(steps[column]) == STEPS, f"{column} of each step", steps)
        expect(figures[column] == statistics.median(steps[column]), f"{column} is the median", figures)
    for step, time_s in enumerate(steps["step_s"]):
        parts_s = [steps[part][step] for part in PARTS]
        expect(all(part_s > 0.0 for part_s in parts_s) and sum(parts_s) < time_s, "the GPU's parts fit in it", steps)
    expect(figures["backward_s"] > 1.5 * figures["forward_s"], "backward has two products for each of forward's", figures)
    per_token = 6 * (PARAMETERS - POSITIONS) + 6 * 2 * 32 * SEQUENCE
    near(figures["tokens_per_s"], BATCH * SEQUENCE / figures["step_s"], 1e-9, "tokens/s are the step's")
    near(figures["flop_per_s"], per_token * figures["tokens_per_s"], 1e-9, "FLOP/s are the model's")
    near(figures["mfu"], figures["flop_per_s"] / figures["core_peak_flop_per_s"], 1e-9, "MFU is of the GPU's peak")
    expect("on each GPU" in figures["peak_method"], "which is measured on it", figures["peak_method"])
    expect(re.search(r"^on 1 GPU \(emulated device\), products by cuBLASLt \S+$", out, re.M), "the screen names it", out)
    expect(re.search(r" % MFU of a GPU's measured peak of [\d.]+ GFLOP/s, FP32 products of cuBLASLt$", out, re.M)
           and "core's" not in out, "and says GPU", out)
    _, _, longer, _ = stepped(place, ON_GPU.replace(f"--batch {BATCH}", f"--batch {4 * BATCH}"), "long.json")
    for part in ("forward_s", "backward_s"):
        expect(longer[part] > 1.03 * figures[part], f"{part} is longer of a larger batch", (longer, figures))
    for part in ("optimizer_s", "zeroing_s"):
        near(longer[part], figures[part], 0.01, f"{part} is of weights, as many as in a smaller batch")


def ranks_may_share_a_gpu(place):
    """Two ranks on one GPU, or on two, or three on two: all do the whole step, and the record says on how many. The
    emulated device does 125 GFLOP/s; what counts is the rank with the smallest share of it."""
    for devices, ranks, words, share in ((1, 2, "2 ranks that share 1 GPU", 0.5), (8, 2, "2 GPUs", 1.0),
                                         (2, 3, "3 ranks that share 2 GPUs", 0.5)):
        outcome = place.shell(f"SHARDSTONE_EMULATED_DEVICES={devices} {place.launcher} -n {ranks} $S {ON_GPU} --json {devices}.json")
        expect(outcome.code == 0, "they run", outcome)
        record = json.loads(place.path(f"{devices}.json").read_text())
        gpus = record["environment"]["gpus"]
        expect((gpus["of_ranks"], gpus["different"]) == (["emulated device"] * ranks, min(devices, 2)), "its GPUs", gpus)
        expect(record["identity"]["title"] == f"Arithmetic of a training step, model nano on {words}", "the title says so",
               record["identity"])
        expect(f"\non {words} (emulated device), products by " in outcome.out, "and so does the screen", outcome.out)
        figures = columns(record, "arithmetic")
        expect(figures["ranks"] == [ranks], "all are counted", figures)
        near(figures["tokens_per_s"][0], BATCH * SEQUENCE / figures["step_s"][0], 1e-9, "tokens/s are those of one")
        near(figures["core_peak_flop_per_s"][0], share * 125e9, 0.05, "the peak is that of a rank's share")
        whose = "its share of a GPU's measured peak: " if share < 1 else " of a GPU's measured peak of "
        expect(whose in outcome.out, "and of what MFU is a share", outcome.out)


def clocks_of_steps_are_told(place):
    """By a library that plays NVML; and memory, of which what does not grow with the batch is 16 B per parameter: weight,
    gradient and two moments. With BF16 weights and masters it is 18 B."""
    silent = place.succeeds(ON_GPU).out
    expect(re.search(r"^clock of the GPUs: not told, \S*libnvidia-ml\.so\.1", silent, re.M), "without it that is said", silent)
    place.path("lib").mkdir()
    place.path("lib/libnvidia-ml.so.1").symlink_to(sys.argv[4])
    held, libraries = {}, []
    for precision, batch in (("fp32", BATCH), ("fp32", 2 * BATCH), ("bf16", BATCH), ("bf16", 2 * BATCH)):
        line = ON_GPU.replace(f"--batch {BATCH}", f"--batch {batch}") + f" --precision {precision} --json told.json"
        outcome = place.shell(f"LD_LIBRARY_PATH=$PWD/lib {place.launcher} -n 2 $S {line} --force")
        expect(outcome.code == 0, "it runs", outcome)
        expect(re.search(r"^clock of the GPUs: 1755 MHz .*75 degC at most; held down by heat, power in 100 % ", outcome.out,
                         re.M), "the screen tells the clock", outcome)
        use = columns(json.loads(place.path("told.json").read_text()), "gpu_use")
        expect((use["rank"], use["sm_mhz"], use["limited_by"]) == ([0.0, 1.0], [1755.0] * 2, ["heat, power"] * 2),
               "and the record each rank's", use)
        held[precision, batch] = use["trainer_bytes"]
        libraries.append(use["libraries_bytes"])
        for readings, time_s in zip(use["readings"], use["time_s"]):
            expect(readings >= min(STEPS, time_s / 0.3), "step by step", use)
    expect(all(0 <= size < 4096 for both in libraries for size in both), "libraries have none of the model's", libraries)
    for precision, each in (("fp32", 16), ("bf16", 18)):
        for one, two in zip(held[precision, BATCH], held[precision, 2 * BATCH]):
            expect(2 * one - two == each * PARAMETERS, f"memory without activations in {precision}", held)
    place.succeeds("report told.json --out r.html")
    expect("heat, power" in place.path("r.html").read_text(), "and the report")


def records_of_steps_are_taken(place):
    """By verify, show, report, bundle and compare, as no record of a core's step."""
    stepped(place, ON_GPU, "gpu.json")
    stepped(place, SMALL, "core.json")
    expect("; EMULATED: NOT a measurement of a GPU: " in place.succeeds("verify gpu.json").out, "verify says what it is")
    expect('"device": "cuda"' in place.succeeds("show gpu.json").out, "show has the device")
    findings = place.succeeds("report gpu.json --out r.html").out
    page = place.path("r.html").read_text()
    expect("FP32 products of cuBLASLt" in page and "nano on 1 GPU" in page, "the report names what it ran on")
    figures = columns(json.loads(place.path("gpu.json").read_text()), "arithmetic")
    found = re.search(r"One step \(nano, fp32, 2 sequences of 16 tokens, on emulated device\) takes ([\d.]+) (m?)s \([^)]*\).*?: "
                      r"([\d.]+) tokens/s a rank, 1 rank, [^[]*\[[^\]]*, emulated GPUs: gpu.json\]", findings)
    expect(found, "a finding tells the step, and that nobody measured it on a GPU", findings)
    near(float(found[1]) * (1e-3 if found[2] else 1.0), figures["step_s"][0], 0.01, "the step's time")
    near(float(found[3]), figures["tokens_per_s"][0], 0.01, "and rate")
    expect(re.search(r"GPU in use: emulated device; CUDA driver [\d.]+, .*cuBLASLt ", page), "software is named")
    place.succeeds("bundle gpu.json --out b.zip")
    said = place.succeeds("verify b.zip").out
    expect(re.search(r"1 record \(1 emulated\), 20 figures recomputed from their samples", said), "a bundle holds", said)
    compared = place.succeeds("compare core.json gpu.json").out
    expect(re.search(r"^ +settings +device +cpu -> cuda$", compared, re.M), "the device is a difference", compared)
    expect("~ emulated (B)" in compared and "only one side was on emulated GPUs" in compared, "which is no GPU", compared)


def failures_of_steps_are_one_line(place):
    """What is wrong, of what, and the job has ended without a record."""
    place.refuses(SMALL + " --device gpu", "'gpu'")
    place.refuses(ON_GPU + " --precision fp64", "--precision fp64: this benchmark computes in FP32")
    for settings, ranks, words in (
            ("DEVICES=0", 1, ["--device cuda: no NVIDIA GPU was found: "]),
            ("DEVICES=0", 2, ["--device cuda: no NVIDIA GPU was found: ", "; see nvidia-smi on ", " (rank "]),
            ("MEMORY=64K", 1, ["cannot allocate ", " on the GPU: ", "of its 64 KiB are free"]),
            ("FAIL=cublasLtMatmul:9", 1, ["cublasLtMatmul("]),
            ("FAIL=cublasLtMatmul:150", 1, ["cublasLtMatmul("]),
            ("FAIL=kernel:300", 1, ["CUDA: ", "(cudaErrorIllegalAddress)", "a bug in Shardstone"])):
        outcome = place.shell(f"SHARDSTONE_EMULATED_{settings} {place.launcher} -n {ranks} $S {ON_GPU} --json f.json")
        expect("terminate called" not in outcome.err, f"{settings} ends it", outcome)
        said = [text for text in outcome.err.splitlines() if all(word in text for word in words)]
        expect(len(said) == 1, f"{settings}: {words} in one line", outcome)
        expect(outcome.code == (70 if "bug" in said[0] else 2), "the code tells whose fault it is", outcome)
        expect(not place.path("f.json").exists(), "and there is no record", place.files())


main({each.__name__: each for each in (
    losses_are_those_of_a_core, figures_follow_from_the_steps, ranks_may_share_a_gpu, records_of_steps_are_taken,
    clocks_of_steps_are_told, failures_of_steps_are_one_line)})

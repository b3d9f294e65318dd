# SPDX-License-Identifier: BSD-3-Clause
"""Links between emulated GPUs, measured and predicted from: device_calibrate_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import math
import re
import signal

from command import ROOT, expect, main
from killed_runs import columns, processes_of, signal_all, start_and_see

QUICK = "calibrate --largest 4K --seconds 0.01"
SWEEP = "collectives --device cuda -b 64 -e 4K -f 64 --seconds 0.05"
TRAIN = "train --model nano --steps 2 --global-batch 6 --micro-batch 1 --sequence 16 --plan dp=3 --dry-run"
GPU_RATES = "--device cuda --gflop-rate 400000 --memory-rate 3000"
SHEET = ROOT / "jobs/clusters/dgx-h100-rails.toml"
SIZES = [8, 32, 128, 512, 2048, 4096]


def described(place, name):
    """The description as it was written: each value is one of JSON, too."""
    root = table = {}
    for line in place.path(name).read_text().splitlines():
        if line.startswith("["):
            table = root
            for key in line.strip("[]").split("."):
                table = table.setdefault(key, {})
        elif " = " in line and not line.startswith("#"):
            key, value = line.split(" = ", 1)
            table[key] = json.loads(value)
    return root


def calibrated(place, options, name, ranks=3):
    outcome = place.succeeds(f"{QUICK} {options} -o {name}", ranks)
    expect(f"# written to {name}" in outcome.out, "it says where", outcome)
    return described(place, name), outcome


def rewritten(place, name, to, old, new):
    """The description without its seal, with the first of what matches changed."""
    text, found = re.subn(old, new, place.path(name).read_text().split("\n", 1)[1], count=1)
    expect(found == 1, f"{name} has '{old}'", text)
    place.path(to).write_text(text)


def shown_rows(screen):
    """Rows of a sweep's table by algorithm and number of elements."""
    rows = {}
    for line in screen.splitlines():
        size, yes, figures = line.partition(" yes ")
        if yes:
            rows[figures.split()[0], int(size.split()[-1])] = line
    return rows


def slowed(place, name):
    """Each message takes 10 s. The first times are those of links inside a node."""
    rewritten(place, name, "slow.toml", r"(?m)^times_s = .*$", "times_s = [10, 10, 10, 10, 10, 10]")


def links_between_gpus_are_measured(place):
    """Over each way: curves, intervals, the GPU's reductions; between nodes, too; ranks may share a GPU but by NCCL."""
    for over in ("nccl", "pinned", "cuda_mpi", "ipc"):
        found, outcome = calibrated(place, f"--device cuda --over {over}", f"{over}.toml")
        expect(found["gpus"] == {"transport": over, "emulated": True}, "it says over what", found)
        expect(found["measured"] and (found["nodes"], found["ranks_per_node"]) == (1, 3), "of these ranks", found)
        expect("3 ranks on 3 GPUs (3 x emulated device); CUDA driver " in found["source"], "on GPUs", found["source"])
        expect(outcome.out.startswith("3 ranks on 3 GPUs"), "first it says on what", outcome)
        link = found["links"]["intra_node"]
        expect(f": over_{over} between GPUs inside a node" in link["source"], "each link says so", link)
        for measured in (link, found["reduction"]):
            expect(measured["sizes_bytes"] == SIZES and min(measured["times_s"]) > 0.0, "over all sizes", measured)
        low, high = link["alpha_interval_s"]
        expect(low <= link["alpha_s"] <= high, "with an interval", link)
        expect("shared_memory" not in found["links"] and "direct" not in found, "nothing of cores", found)
    nodes, _ = calibrated(place, "--device cuda --ranks-per-node 2 -d bf16 --reduction max", "nodes.toml", 4)
    expect((nodes["nodes"], nodes["ranks_per_node"], nodes["gpus"]["transport"]) == (2, 2, "nccl"), "of nodes", nodes)
    expect("over_nccl between GPUs between nodes" in nodes["links"]["inter_node"]["source"], "and between them", nodes)
    expect("bf16 max" in nodes["reduction"]["source"], "in the type and by the reduction", nodes["reduction"])
    shared = place.shell(f"SHARDSTONE_EMULATED_DEVICES=1 mpiexec -n 2 $S {QUICK} --device cuda --over pinned "
                         "-o one.toml")
    expect(shared.code == 0 and "2 ranks on 1 GPU" in described(place, "one.toml")["source"],
           "ranks may share a GPU", shared)


def sweeps_are_predicted(place):
    """What goes over the way that was measured, and nothing else; screen and record have it."""
    place.succeeds(f"{QUICK} --device cuda --over pinned -o p.toml", 3)
    names = "over_pinned:ring,over_ipc:ring,nccl"
    outcome = place.succeeds(f"{SWEEP} --algorithm {names} --cluster p.toml --json p.json", 3)
    expect("# predicted with alpha and bandwidth of messages " in outcome.out and
           re.search(r" predicted +meas/ ", outcome.out), "the screen has predictions", outcome)
    record = json.loads(place.path("p.json").read_text())
    table = columns(record, "collectives")
    rows = list(zip(table["algorithm"], table["size_bytes"], table["predicted_s"], table["time_s"]))
    expect(len(rows) == 6, "of all points", rows)
    said = shown_rows(outcome.out)
    expect(len(said) == 6, "each on the screen", outcome)
    for algorithm, size, predicted_s, time_s in rows:
        has = isinstance(predicted_s, (int, float)) and math.isfinite(predicted_s)
        expect(has == (algorithm == "over_pinned:ring"), f"{algorithm} is predicted: {predicted_s}", outcome)
        if has:
            line = said[algorithm, int(size) // 4]
            expect(f" {time_s / predicted_s:.2f} " in line, "with the error beside it", line)
    expect('transport = "pinned"' in record["configuration"]["prediction"], "by what", record["configuration"])
    costs = columns(record, "cost_parameters")
    expect("alpha_intra_node_s" in costs["name"], "and what it costs", costs)
    slowed(place, "p.toml")
    place.succeeds(f"{SWEEP} --algorithm over_pinned:ring --cluster slow.toml --json slow.json", 3)
    for predicted_s in columns(json.loads(place.path("slow.json").read_text()), "collectives")["predicted_s"]:
        expect(40.0 < predicted_s < 41.0, "4 steps on 3 ranks by the description's times", predicted_s)


def sweeps_that_go_on_are_predicted(place):
    """By the description of the earlier part, which need not be given again; where that had none, by none."""
    place.succeeds(f"{QUICK} --device cuda --over pinned -o p.toml", 2)
    sweep = "collectives --device cuda -b 4 -e 64K -f 2 --seconds 0.2 --algorithm over_pinned:ring,nccl"
    for given, name in (("--cluster p.toml", "has.json"), ("", "none.json")):
        job = start_and_see(place, f"{sweep} {given} --json {name}", 2, r" over_pinned:", 1)
        signal_all(processes_of(place, job).values(), signal.SIGINT)
        out, err = job.communicate(timeout=100)
        expect(place.path(name).exists(), "what was measured is kept", out + err)
    expect(columns(json.loads(place.path("none.json").read_text()), "cost_parameters") == {}, "without, there are none")
    on = place.succeeds(f"{sweep} --resume has.json --json on.json", 2)
    expect("# predicted with alpha" in on.out and "  earlier" in on.out, "it says so", on)
    table = columns(json.loads(place.path("on.json").read_text()), "collectives")
    for algorithm, predicted_s, time_s in zip(table["algorithm"], table["predicted_s"], table["time_s"]):
        if algorithm == "over_pinned:ring":
            expect(f" {time_s / predicted_s:.2f} " in on.out, "rows of both parts have them", on)
    refused = place.run(f"{sweep} --cluster p.toml --resume none.json --json no.json", 2)
    expect(refused.code == 2 and "--cluster p.toml: 'none.json' has no predictions: omit --cluster" in refused.err,
           "they are not added later", refused)


def steps_and_simulations_are_priced(place):
    """simulate and train --dry-run go by the links between GPUs, and say where they are from."""
    place.succeeds(f"{QUICK} --device cuda -o g.toml", 3)
    shown = place.succeeds("simulate --cluster g.toml --algorithm ring -b 4K -e 4K").out
    expect("# the description is measured: measured by 3 ranks on 3 GPUs (3 x emulated device)" in shown, "so",
           shown)
    slowed(place, "g.toml")
    steps = [place.succeeds(f"{TRAIN} {GPU_RATES} --cluster {name}").out for name in ("g.toml", "slow.toml")]
    expect("emulated device" in steps[0], "the step's prediction says on what", steps[0])
    expect(steps[0] != steps[1] and re.search(r"predicted step: \d+ s ", steps[1]), "and follows the links", steps[1])


def cores_and_gpus_do_not_mix(place):
    """One line for each command that would predict messages of the one from links of the other."""
    place.succeeds(f"{QUICK} --op all_reduce -o c.toml", 2)
    place.succeeds(f"{QUICK} --device cuda -o g.toml", 2)
    of_gpus = ("--cluster g.toml: its links were measured between GPUs \\(over_nccl\\), and these messages are "
               "between cores: ")
    of_cores = "--cluster c.toml with --device cuda: its links were measured between cores: "
    place.succeeds(f"{QUICK} --device cuda --over pinned -o p.toml", 2)
    place.refuses(f"{TRAIN} {GPU_RATES} --cluster p.toml",
                  "its links were measured over_pinned, and messages of a training go through NCCL: ")
    place.refuses(TRAIN + " --gflop-rate 1 --memory-rate 1 --cluster g.toml", of_gpus)
    place.refuses(f"{TRAIN} {GPU_RATES} --cluster c.toml", of_cores)
    for line, words in (("collectives --cluster g.toml", of_gpus),
                        ("validate interconnect --cluster g.toml", of_gpus),
                        ("train --plan dp=2 --explain --gflop-rate 1 --memory-rate 1 --cluster g.toml", of_gpus),
                        (f"{SWEEP} --cluster c.toml", of_cores),
                        (f"{SWEEP} --cluster {SHEET}", "it does not say over what its messages go between GPUs")):
        outcome = place.run(line, 2)
        said = [text for text in outcome.err.splitlines() if re.search(words, text)]
        expect(outcome.code == 2 and len(said) == 1, f"{line} is refused", outcome)
    rewritten(place, "g.toml", "real.toml", "emulated = true", "emulated = false")
    outcome = place.run(f"{SWEEP} --cluster real.toml", 2)
    words = "--cluster real.toml: it was measured on real GPUs, and these are emulated: "
    expect(outcome.code == 2 and words in outcome.err, "nor do real GPUs and emulated ones", outcome)
    place.succeeds(f"{TRAIN} {GPU_RATES} --cluster {SHEET}")


def ways_that_there_are_not_are_refused(place):
    """Before anything is measured; nothing is written."""
    on_gpus = "calibrate --seconds 0.01 --device cuda"
    for settings, options, ranks, words in (
            ("DEVICES=0", "", 2, "--device cuda: no NVIDIA GPU was found: "),
            ("DEVICES=1", "", 2, "--over nccl: ranks 0 and 1 on "),
            ("DEVICES=8", "--over rdma", 2, "--over rdma: there is no such way between GPUs: give one of "
             "cuda_mpi, ipc, nccl, pinned"),
            ("MPI=0", "--over cuda_mpi", 2, "--over cuda_mpi: this MPI does not take memory of GPUs"),
            ("PEERS=0", "--over ipc", 2, "--over ipc: the GPU of rank 0 on "),
            ("MEMORY=1M", "--largest 512K", 2, "--largest 512K: vectors and scratch"),
            # Two ranks share the GPU, each with the three vectors that just fit on one.
            ("MEMORY=4M SHARDSTONE_EMULATED_DEVICES=1", "--over pinned --largest 1M", 2, "--largest 1M: vectors and scratch"),
            ("DEVICES=8", "", 1, "a single rank has no links to measure"),
            ("DEVICES=8", "--op all_reduce", 2, "--op with --device cuda: ")):
        outcome = place.shell(f"SHARDSTONE_EMULATED_{settings} mpiexec -n {ranks} $S {on_gpus} {options} -o n.toml")
        said = [text for text in outcome.err.splitlines() if words in text]
        expect(outcome.code == 2 and len(said) == 1, f"{options}: {words}", outcome)
        expect(place.files() == [], "and nothing is left", place.files())


main({each.__name__: each for each in (
    links_between_gpus_are_measured, sweeps_are_predicted, sweeps_that_go_on_are_predicted,
    steps_and_simulations_are_priced, cores_and_gpus_do_not_mix, ways_that_there_are_not_are_refused)})

# SPDX-License-Identifier: BSD-3-Clause
"""Collectives between emulated GPUs: device_collectives_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import re
import signal

from command import expect, main
from killed_runs import columns, processes_of, signal_all, start_and_see

ON_GPUS = "collectives --device cuda"
SHORT = ON_GPUS + " -b 4 -e 4 --seconds 0.05"
TRAIN = "train --model nano --steps 2 --global-batch 6 --micro-batch 1 --sequence 16 --device cuda"


def on_two(place, settings, line):
    return place.shell(f"SHARDSTONE_EMULATED_{settings} mpiexec -n 2 $S {line}")


def collectives_run_in_all_ways(place):
    """All of them stands for those between GPUs, NCCL's own among them; none of the host's is timed beside them."""
    place.succeeds(f"{ON_GPUS} --op all_reduce,broadcast -b 4K -e 4K --seconds 0.05 --json c.json", 3)
    record = json.loads(place.path("c.json").read_text())
    table = columns(record, "collectives")
    found = {(operation, name.split(":")[0]) for operation, name in zip(table["operation"], table["algorithm"])}
    ways = ("nccl", "over_nccl", "over_pinned", "over_cuda_mpi", "over_ipc")
    expect(found == {(operation, name) for operation in ("all_reduce", "broadcast") for name in ways},
           "both are timed in all ways", found)
    expect(set(table["checked"]) == {1.0} and set(table["ranks"]) == {3.0}, "and checked, on 3 ranks", table)
    expect((record["configuration"]["device"], record["identity"]["title"]) == ("cuda", "2 operations on 3 GPUs"),
           "it says so", record["identity"])
    lines = place.succeeds(SHORT + " --algorithm over_nccl:ring --json n.json", 3).out.splitlines()
    head = lines[0]
    expect(re.fullmatch(r"# 3 ranks on 3 GPUs \(3 x emulated device\); CUDA driver [\d.]+, CUDA runtime [\d.]+, NCCL "
                        r"[\d.]+", head), "first it says on what", head)
    expect(re.fullmatch(r" +size .* skew +algbw +busbw +sent/rank +checked", lines[2]), "no column is of predictions",
           lines)
    point = columns(json.loads(place.path("n.json").read_text()), "collectives")
    figures = [f"{point[name][0]:.3g}" for name in ("algbw_gb_s", "busbw_gb_s", "bytes_sent_per_rank")]
    row = re.match(r".* (\S+) +(\S+) +(\S+) +exact(?: !|$)", lines[4])
    expect(row and list(row.groups()) == figures, f"and those that there are have {figures}", lines)
    place.succeeds("report n.json --out r.html")
    expect("redicted" not in place.path("r.html").read_text(), "nor is there one in the report")
    listed = place.succeeds(f"{ON_GPUS} --list --op all_reduce").out
    expect("\n  nccl\n" in listed and "\n  ring\n" not in listed, "the list has no others", listed)


def ranks_that_share_a_gpu_pass_messages(place):
    """But not by NCCL, which is left out and told; nodes that are only declared have GPUs of the node as it is."""
    shared = on_two(place, "DEVICES=1", ON_GPUS + " -b 4K -e 4K --seconds 0.05 --json s.json")
    expect(shared.code == 0, "it runs", shared)
    left_out = [text for text in shared.out.splitlines() if text.startswith("# left out: nccl, over_nccl:")]
    expect(len(left_out) == 1 and "would share a GPU, which NCCL refuses" in left_out[0], "not by NCCL", shared)
    record = json.loads(place.path("s.json").read_text())
    names = {name.split(":")[0] for name in columns(record, "collectives")["algorithm"]}
    expect(names == {"over_pinned", "over_cuda_mpi", "over_ipc"}, "which is not timed", names)
    expect(record["identity"]["title"] == "all_reduce on 2 ranks that share 1 GPU", "the title says so",
           record["identity"])
    gpus = record["environment"]["gpus"]
    expect(gpus["of_ranks"] == ["emulated device"] * 2, "GPUs are named", gpus)
    expect("cost_parameters" not in {table["name"] for table in record["derived"]}, "and no links of the host",
           [table["name"] for table in record["derived"]])
    for name in ("nccl", "over_pinned:ring"):
        own = on_two(place, "DEVICES=8", f"{SHORT} --ranks-per-node 1 --algorithm {name}")
        expect(own.code == 0, f"{name} on nodes that are declared", own)


def over_ipc_stays_inside_a_node(place):
    """Between nodes that are only declared it is refused by name, and left out where all are asked for; not inside."""
    words = (r"ranks 0 and {} are on different nodes as declared \(--ranks-per-node\), and these messages pass inside a "
             "node only: give over_pinned")
    line = f"{SHORT} --algorithm over_ipc:ring --ranks-per-node"
    for per_node, apart in ((1, 1), (2, 2)):
        place.refuses(f"{line} {per_node}", "--algorithm over_ipc:ring: " + words.format(apart), 3)
    place.succeeds(f"{line} 3", 3)
    outcome = place.succeeds(f"{SHORT} --ranks-per-node 2 --json n.json", 3)
    expect(re.search(r"^# left out: over_ipc:[^\n]*: " + words.format(2) + "$", outcome.out, re.M), "it is left out", outcome)
    names = {name.split(":")[0] for name in columns(json.loads(place.path("n.json").read_text()), "collectives")["algorithm"]}
    expect(names == {"nccl", "over_nccl", "over_pinned", "over_cuda_mpi"}, "and alone", names)


def ways_that_there_are_not_are_told(place):
    """An MPI that takes no memory of GPUs, GPUs that do not reach or see each other: left out, or refused by name."""
    host = on_two(place, "MPI=0", SHORT)
    said = r"^# left out: over_cuda_mpi:[^\n]*: this MPI does not take memory of GPUs, as its "
    expect(re.search(said, host.out, re.M) and host.out.count("left out") == 1, "an MPI may not take them", host)
    named = on_two(place, "MPI=0", SHORT + " --algorithm over_cuda_mpi:ring")
    expect(named.code == 2 and "--algorithm over_cuda_mpi:ring: this MPI does not take" in named.err, "which is said",
           named)
    alone = place.shell(f"mpiexec -n 1 $S {SHORT} : -n 1 env SHARDSTONE_EMULATED_MPI=0 $S {SHORT}")
    expect(alone.code == 0 and re.search(said, alone.out, re.M), "nor may that of one rank alone", alone)
    closed = on_two(place, "PEERS=0", SHORT + " --algorithm over_ipc:ring")
    expect(closed.code == 2 and "--algorithm over_ipc:ring: the GPU of rank 0 on " in closed.err and
           " has no peer access to that of rank 1: give over_pinned" in closed.err, "GPUs may not reach one another",
           closed)
    failing = on_two(place, "FAIL=cudaIpcOpenMemHandle:1", SHORT)
    said = r"^# left out: over_ipc:[^\n]*: rank 0 cannot open GPU memory of rank 1: CUDA: [^\n]*: give over_pinned$"
    expect(failing.code == 0 and re.search(said, failing.out, re.M), "or not open each other's memory", failing)
    on_one = "mpiexec -n 2 bash -c 'if [ \"$PMI_RANK\" = 1 ]; then export SHARDSTONE_EMULATED_FAIL={}; fi; exec $S {}'"
    for call, words in (("cudaIpcOpenMemHandle:1", "rank 1 cannot open GPU memory of rank 0"),
                        ("cudaIpcGetMemHandle:1", "rank 1 cannot export")):
        alone = place.shell(on_one.format(call, SHORT))
        expect(alone.code == 0 and re.search(r"^# left out: over_ipc:[^\n]*: " + words, alone.out, re.M),
               "also if one rank alone cannot", alone)
    # Each rank sees its own GPU only, as number 0; those of the emulation differ by their number.
    line = SHORT + " --algorithm over_ipc:ring"
    unseen = place.shell(f"mpiexec -n 1 env SHARDSTONE_EMULATED_DEVICES=1 $S {line} : -n 1 $S {line}")
    expect(unseen.code == 2 and "--algorithm over_ipc:ring: rank 0 on " in unseen.err and
           " does not see the GPU of rank 1, and so cannot open its memory: " in unseen.err, "or be seen", unseen)


def sweeps_go_on_where_they_were(place):
    """Not on cores, nor where what was measured is not possible any more: the record would be of two machines."""
    sweep = ON_GPUS + " -b 4 -e 256 -f 8 --seconds 0.3"
    job = start_and_see(place, sweep + " --json r.json", 2, r" over_ipc:", 1)
    signal_all(processes_of(place, job).values(), signal.SIGINT)
    out, err = job.communicate(timeout=100)
    expect(place.path("r.json").exists(), "what was measured is kept", out + err)
    resume = "--resume r.json --json r2.json"
    outcome = on_two(place, "PEERS=0", f"{sweep} {resume}")
    expect(outcome.code == 2 and re.search("--resume: the earlier run measured over_ipc:.* leave out", outcome.err),
           "over_ipc cannot be left out now", outcome)
    outcome = on_two(place, "PEERS=1", f"{sweep.replace(' --device cuda', '')} {resume}")
    expect(outcome.code == 2 and re.search("cannot be continued: its option 'device'", outcome.err), "nor on cores", outcome)
    outcome = on_two(place, "PEERS=1", f"{sweep} {resume} --algorithm nccl")
    expect(outcome.code == 2 and re.search("cannot be continued: its option 'algorithms?'", outcome.err), "nor others", outcome)
    place.succeeds(f"{sweep} {resume}", 2)
    table = columns(json.loads(place.path("r2.json").read_text()), "collectives")
    found = list(zip(table["algorithm"], table["size_bytes"]))
    ipc = [name for name, _ in found if name.startswith("over_ipc:")]
    expect(len(found) == len(set(found)) and len(ipc) == 3 * 4, "the rest follows", found)


def ranks_have_one_command_line(place):
    for line in ("collectives", "validate interconnect", "step", "train"):
        outcome = place.shell(f"mpiexec -n 1 $S {line} --device cuda : -n 1 $S {line} --device cpu")
        said = [text for text in outcome.err.splitlines() if text.startswith("shardstone: ")]
        expect(outcome.code == 2 and len(said) == 1 and f"rank 0 was started with '{line} --device cuda', rank 1 with "
               f"'{line} --device cpu': " in said[0], f"{line} refuses two", outcome)


def what_gpus_have_not_is_refused(place):
    """Vectors of hosts and of GPUs in one table, too long ones, and what is of hosts alone."""
    place.refuses(f"{ON_GPUS} --algorithm ring",
                  "--algorithm ring with --device cuda: its vectors are in the host's memory; give one that "
                  "`collectives --list --device cuda` has, such as over_pinned:ring")
    place.refuses("collectives --algorithm ring,over_nccl:ring",
                  "--algorithm over_nccl:ring: its vectors are in memory of GPUs: add --device cuda")
    big = on_two(place, "MEMORY=1M", ON_GPUS + " -b 512K -e 512K")
    expect(big.code == 2 and "-e 512K: vectors" in big.err and "memory of a GPU" in big.err, "too much is refused", big)
    for line, words in (("--accuracy", "--accuracy excludes --device: "), ("-o avg", "-o avg with --device cuda: ")):
        place.refuses(f"{ON_GPUS} {line}", words)
    place.refuses(TRAIN.replace(" --device cuda", "") + " --all-reduce nccl", "--all-reduce nccl: it sums in memory of GPUs: ")
    place.refuses(TRAIN + " --dry-run", "--dry-run with --device cuda: what can be measured here are a core's rates")
    rates = " --dry-run --gflop-rate 400000 --memory-rate 3000"
    place.refuses(TRAIN + rates + " --plan dp=2", "--dry-run with --device cuda: where no links are given, those of cores are assumed")
    place.succeeds(TRAIN + rates + " --plan dp=2 --cluster dgx-h100-rails")
    place.succeeds(TRAIN + rates)
    for name in ("over_pinned:ring", "over_ipc:ring"):
        place.refuses(f"{TRAIN} --all-reduce {name}", f"--device cuda with --all-reduce {name}: in a step's streams messages go through NCCL only")


main({each.__name__: each for each in (
    collectives_run_in_all_ways, ranks_that_share_a_gpu_pass_messages, over_ipc_stays_inside_a_node,
    ways_that_there_are_not_are_told,
    sweeps_go_on_where_they_were, ranks_have_one_command_line, what_gpus_have_not_is_refused)})

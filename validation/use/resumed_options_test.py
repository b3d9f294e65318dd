# SPDX-License-Identifier: BSD-3-Clause
"""A run does not go on from one with other options: resumed_options_test.py BEHAVIOUR SHARDSTONE MPIEXEC

Each option that the figures of a command depend on is given another value once.
"""
import re

from command import expect, main
from killed_runs import kill_ranks, start_and_keep

# Of each command that takes --resume: a line of it, on how many ranks (0: without a launcher), and its
# options with another value than in that line. What goes on and where it is written is none of them.
OUTPUTS = {"--help", "--json", "--hdf5", "--force", "--resume", "--stall-after"}
COMMANDS = {
    "collectives": (
        "collectives --op all_reduce,all_gather,broadcast --algorithm linear,mpi -b 4 -e 64K -f 2 --seconds 0.05", 2,
        {"--op": "all_reduce,all_gather,reduce", "--algorithm": "linear", "--minbytes": "8", "--maxbytes": "32K",
         "--stepfactor": "4", "--datatype": "bf16", "--reduction": "max", "--root": "1", "--shares": "ramp",
         "--in-place": "no", "--ranks-per-node": "1", "--iters": "12", "--warmup_iters": "2", "--check": "2",
         "--seconds": "0.06", "--rotate": "3", "--fail-on-outlier": ""},
        # These exclude --resume, or are of what does.
        {"--cluster", "--noise-floor", "--list", "--accuracy", "--types", "--elements", "--runs",
         "--device"}),  # it takes a GPU to have another one
    "kernels": ("kernels --quick --filter layernorm", 0, {"--filter": "layer", "--quick": ""},
        {"--device"}),
    "batch_sizes": (
        "study batch-size --batches 8,16 --factors 1,2 --tokens 20000 --most-sequences 1048576", 0,
        {"--batches": "8,32", "--target": "0.06", "--factors": "1,3", "--most-sequences": "8192",
         "--eval-every": "256", "--noise-pairs": "8", "--noise-small": "2", "--noise-big": "8", "--model": "tiny",
         "--sequence": "16", "--order": "2", "--symbols": "16", "--tokens": "20001", "--optimizer": "sgd",
         "--lr": "0.01", "--scale-rate": "linear", "--base-batch": "32", "--warmup": "5", "--seed": "2"},
        {"--device"}),
    "pipelines": (
        "study pipeline --layers 1 --channels 32 --micro-batches 1,2,4 --steps 100", 2,
        {"--schedules": "naive,1f1b", "--micro-batches": "1,2", "--layers": "2", "--channels": "64",
         "--micro-batch": "2", "--steps": "101", "--warmup": "10", "--pace": "1000"},
        {"--timeline", "--pace-memory", "--pace-slow", "--device"}),
    "paced_pipelines": (
        "study pipeline --layers 1 --channels 32 --micro-batches 1,2,4 --steps 100 --pace 1000 --pace-memory 5", 2,
        {"--pace": "999", "--pace-memory": "6", "--pace-slow": "0:2"},
        {"--schedules", "--micro-batches", "--layers", "--channels", "--micro-batch", "--steps", "--warmup",
         "--timeline", "--device"}),
    "matrices": (
        "validate equivalence --steps 1 --only dp=2", 2,
        {"--steps": "2", "--only": "tp=2", "--optimizer": "adamw,lamb", "--precision": "bf16", "--quick": ""},
        # It takes a GPU to have another one.
        {"--device"}),
    "numerics": (
        "validate numerics --policy fp32,bf16 --model nano --part kernels,trajectories", 0,
        {"--policy": "fp32,fp16", "--model": "tiny", "--part": "kernels,reductions", "--steps": "299",
         "--seeds": "3", "--gradient-steps": "99"},
        {"--device"}),  # likewise
    "self_tests": (
        "validate self-test --nodes 9 --rails 1 --nodes-per-leaf 8 --uplinks 2 --trials 100000", 2,
        {"--nodes": "10", "--rails": "2", "--nodes-per-leaf": "7", "--uplinks": "1", "--fault": "healthy,node",
         "--rates": "0.97", "--repetitions": "2", "--trials": "99999", "--seed": "2"},
        # Another file, or one of other noise; it takes a measurement to have one.
        {"--noise"})}


def options_of(place, line):
    """The long names that --help has, each with its short one."""
    listed = place.succeeds(line.split(" -")[0] + " --help").out.split("Options:")[1].split("\n\n")[0]
    return {long: short for short, long in re.findall(r"^  (?:(-\w),)?(--[\w-]+)", listed, re.MULTILINE)}


def with_other(line, names, value):
    """`line` with the option of these names changed, added or, where there is no value, left out."""
    words = line.split()
    at = next((i for i, word in enumerate(words) if word in names), None)
    if at is None:
        return f"{line} {names[0]} {value}".rstrip()
    words[at:at + 2 if value else at + 1] = [words[at], value] if value else []
    return " ".join(words)


def refuses_any_other_option(place, name):
    line, ranks, others, none_of_it = COMMANDS[name]
    options = options_of(place, line)
    known = set(others) | none_of_it | OUTPUTS
    expect(set(options) <= known, f"the table has all options of '{line}'", set(options) - known)
    job = start_and_keep(place, line, ranks, 0)
    kill_ranks(place, job, ranks)
    job.communicate(timeout=30)
    for option, value in others.items():
        changed = with_other(line, (option, options[option]), value)
        # Nodes that are declared are told before the options are.
        place.refuses(f"{changed} --json r.json --resume r.json.journal",
                      "cannot be continued: its (option '|declared_nodes)", ranks)


main({name: lambda place, name=name: refuses_any_other_option(place, name) for name in COMMANDS})

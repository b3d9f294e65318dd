# SPDX-License-Identifier: BSD-3-Clause
"""Losses planted in paced trainings over 1 Gbit/s links: planted_losses_test.py CLUSTER SHARDSTONE [FOLDER]. Each
shows up in its own part of the gap, within 15 % of what is derived for it, and no other part changes by more than those
15 %, as `scale` tells it of the records of `train --explain`. With FOLDER the records are left there, and those that
are there are judged anew."""
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "use"))
# pylint: disable=wrong-import-position
from command import SKIPPED, Place, expect

NAME = f"planted{os.getpid()}"
RANKS = 4  # one on each node: a link serves one rank
UNHARMED = 4  # runs, before, between and after the others
LAYERS, CHANNELS, TOKENS, VOCABULARY, MICRO_BATCHES = 8, 320, 12, 256, 3
PACE, MEMORY = 1.25e9, 0.5e9
# A full Ethernet frame of 1514 B, as the shaper counts it, holds 1448 B of a message.
LINK = 1e9 / 8 * 1448 / 1514
SLOWER, INPUT_S = 1.2, 0.1
TRAIN = (f"train --pace {PACE / 1e9} --pace-memory {MEMORY / 1e9} --explain --cluster cpu-virtual-4x8 --model tiny "
         f"--layers {LAYERS} --channels {CHANNELS} --context {TOKENS} --micro-batch 1 --steps 6")
# What is planted: its part, options of the training, and the rate of a link.
PLANTED = {
    "slow rank": ("imbalance", f"--pace-slow 1:{SLOWER}", None),
    "slow link": ("slower than described between nodes", "", "500mbit"),
    "no overlap": ("overlap off", "--no-overlap", None),
    "slow input": ("input", f"--pace-input {INPUT_S * 1e3}", None),
}
MOST_OFF = 0.15
MOST_UNEXPLAINED = 0.02  # of a step that its parts do not add up to


def on_link_s(parameters):
    """Seconds that a ring's share of an all-reduce of their gradients takes on one link."""
    return 2 * (RANKS - 1) / RANKS * 4 * parameters / LINK


def derived_losses():
    """Seconds by what is planted. A pass of a block multiplies 12 C^2 weights with each token, and scores and values
    with half of the tokens before it (6 L C T FLOP per token for forward and backward, which takes twice as long as
    forward). Norm and update move eight numbers of four bytes per parameter.

    A block's gradients are a bucket, which leaves when its backward pass has ended, and takes longer than the next
    block's pass: so from the first bucket on the step waits for the link alone, and what passes do from there on is
    hidden, unless nothing overlaps. What is slower before it, or in the link, makes the step longer by all of it."""
    block_s = TOKENS * (24 * CHANNELS**2 + 2 * CHANNELS * TOKENS) / PACE
    head_s = TOKENS * 2 * CHANNELS * VOCABULARY / PACE
    forward_s = LAYERS * block_s + head_s
    until_first_bucket_s = 2 * (head_s + block_s)
    parameters = LAYERS * (12 * CHANNELS**2 + 13 * CHANNELS) + (VOCABULARY + TOKENS + 2) * CHANNELS
    optimizer_s = 8 * 4 * parameters / MEMORY
    visible_s = MICRO_BATCHES * forward_s + (MICRO_BATCHES - 1) * 2 * forward_s + until_first_bucket_s + optimizer_s
    expect(on_link_s(12 * CHANNELS**2) > SLOWER * 2 * block_s, "a bucket takes longer than a slow rank's next pass")
    return {"slow rank": (SLOWER - 1) * visible_s,
            "slow link": on_link_s(parameters),
            "no overlap": 2 * forward_s - until_first_bucket_s,
            "slow input": MICRO_BATCHES * INPUT_S}


class Cluster:
    """Nodes that are up while they are used, and trainings on them."""

    def __init__(self, cluster, shardstone, folder):
        self.cluster, self.shardstone, self.folder = cluster, shardstone, folder

    def __enter__(self):
        said = self.call("up", "--nodes", str(RANKS), "--rate", "1gbit")
        if said.returncode == SKIPPED:
            print(said.stderr.strip())
            sys.exit(SKIPPED)
        expect(said.returncode == 0, "the cluster comes up", said.stderr)
        return self

    def __exit__(self, *_):
        self.call("down")

    def call(self, command, *words):
        return subprocess.run([self.cluster, command, "--name", NAME, *words], capture_output=True, text=True,
                              check=False, timeout=300, stdin=subprocess.DEVNULL)

    def change_link(self, *words):
        said = self.call(*words)
        expect(said.returncode == 0, f"the cluster does '{' '.join(words)}'", said.stdout + said.stderr)

    def train(self, name, ranks, options="", rate=None):
        """The record of a run."""
        record = pathlib.Path(self.folder) / f"{name.replace(' ', '-')}-{ranks}.json"
        if record.exists():
            return record
        if rate is not None:
            self.change_link("slow", "node2", rate)
        said = self.call("run", "-n", str(ranks), self.shardstone, *TRAIN.split(), "--plan", f"dp={ranks}",
                         "--global-batch", str(ranks * MICRO_BATCHES), *options.split(), "--json", str(record))
        if rate is not None:
            self.change_link("restore", "node2")
        expect(said.returncode == 0, f"the training '{name}' on {ranks} ranks ends well", said.stdout + said.stderr)
        return record

    def parts_of(self, name, options="", rate=None):
        """Seconds by part of a run's gap, as the last point of a curve."""
        records = [self.train(name, ranks, options, rate) for ranks in (2, RANKS)]
        curve = pathlib.Path(self.folder) / f"{name.replace(' ', '-')}-curve.json"
        said = subprocess.run([self.shardstone, "scale", *records, "--json", curve, "--force"], capture_output=True,
                              text=True, check=False)
        expect(said.returncode == 0, f"scale takes the records of '{name}'", said.stdout + said.stderr)
        tables = tables_of(curve)
        point = next(row for row in tables["scaling"] if row["ranks"] == RANKS)
        expect(abs(point["parts_s"] - point["split_step_s"]) <= MOST_UNEXPLAINED * point["split_step_s"],
               f"the parts of '{name}' add up to its step", str(point))
        parts = {row["part"]: row["time_s"] for row in tables["scaling_gap"] if row["ranks"] == RANKS}
        of_train = {row["part"]: row["time_s"] for row in tables_of(records[-1])["gap"]}
        expect(parts == of_train, f"scale has the parts of '{name}' from its record", f"{parts}\n{of_train}")
        print(f"{name:12} " + "  ".join(f"{part} {1e3 * time_s:.0f}" for part, time_s in parts.items()) + " (ms)",
              flush=True)
        return parts


def tables_of(record):
    """Rows by column of each table of a record."""
    tables = {}
    for table in json.loads(record.read_text())["derived"]:
        columns = {column["name"]: column.get("texts") or column.get("numbers") for column in table["columns"]}
        tables[table["name"]] = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return tables


def unharmed_parts(runs):
    """Mean of each part, and how far the runs are apart in the part in which they are so most."""
    parts = {part: [run.get(part, 0.0) for run in runs] for run in runs for part in run}
    return ({part: statistics.mean(times_s) for part, times_s in parts.items()},
            max(max(times_s) - min(times_s) for times_s in parts.values()))


def faults_of(parts, unharmed, own, loss_s):
    """What contradicts that this loss, and nothing else, is in these parts."""
    faults = []
    for part in sorted({*parts, *unharmed}):
        grown_s = parts.get(part, 0.0) - unharmed.get(part, 0.0)
        expected_s = loss_s if part == own else 0.0
        if abs(grown_s - expected_s) > MOST_OFF * loss_s:
            faults.append(f"'{part}' grew by {1e3 * grown_s:.0f} ms, not by {1e3 * expected_s:.0f} to within "
                          f"{1e3 * MOST_OFF * loss_s:.0f} ms")
    return faults


def judge(found, unharmed, apart_s):
    """Prints what was found; returns what contradicts it. A loss that is taken for another one is seen."""
    losses_s, faults = derived_losses(), []
    expect(apart_s <= MOST_OFF * min(losses_s.values()), "unharmed runs differ by less than what a part may be off by",
           f"{1e3 * apart_s:.0f} ms")
    for name, parts in found.items():
        own, loss_s = PLANTED[name][0], losses_s[name]
        grown_s = {part: parts.get(part, 0.0) - unharmed.get(part, 0.0) for part in {*parts, *unharmed, own}}
        other = max((part for part in grown_s if part != own), key=lambda part: abs(grown_s[part]))
        print(f"{name:12} '{own}' grew by {1e3 * grown_s[own]:.0f} ms of {1e3 * loss_s:.0f} planted: "
              f"{grown_s[own] / loss_s:.3f}; of other parts '{other}' changed most, by {1e3 * grown_s[other]:+.0f} ms "
              f"({100 * grown_s[other] / loss_s:+.1f} % of what was planted)")
        faults += [f"{name}: {fault}" for fault in faults_of(parts, unharmed, own, loss_s)]
        for mistaken in PLANTED:
            expect(mistaken == name or faults_of(parts, unharmed, PLANTED[mistaken][0], losses_s[mistaken]),
                   f"a {name} is not taken for a {mistaken}")
    return faults


def main(cluster, shardstone, *folder):
    place = Place(shardstone, "mpiexec")
    with Cluster(cluster, shardstone, *(folder or [place.folder])) as on:
        runs, found = [on.parts_of("unharmed 1")], {}
        for name, (_, options, rate) in PLANTED.items():
            found[name] = on.parts_of(name, options, rate)
            if len(runs) < UNHARMED:
                runs.append(on.parts_of(f"unharmed {len(runs) + 1}"))
    unharmed, apart_s = unharmed_parts(runs)
    print(f"unharmed runs are at most {1e3 * apart_s:.0f} ms apart in a part")
    faults = judge(found, unharmed, apart_s)
    expect(not faults, "each loss is in its own part, and nowhere else", "\n".join(faults))


main(*sys.argv[1:])

# SPDX-License-Identifier: BSD-3-Clause
"""All-reduces over 4 nodes of 2 ranks, held against what the links of the virtual cluster have counted and what the
cost model predicts from a calibration just before: collective_traffic_test.py CLUSTER SHARDSTONE. A hierarchical
all-reduce puts 2 (N - 1) vectors on the links of N nodes, a flat ring 2 (P - 1) / P on each link where neighbours
share nodes, and 2 (P - 1) where ranks are dealt to the nodes in turn."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "use"))
# pylint: disable=wrong-import-position
from command import Place, expect
from slurm_cluster import Nodes

# Two cores can drive these links beside 8 ranks; with 1gbit they are busy all the time, and what is measured is them.
NODES, RANKS, RATE = 4, 8, "500mbit"
RING, HIERARCHICAL = "ring", "hierarchical:ring/ring"
# Vectors on all links together.
VECTORS = {("block", RING): NODES * 2 * (RANKS - 1) / RANKS, ("cyclic", RING): 2 * (RANKS - 1),
           ("block", HIERARCHICAL): 2 * (NODES - 1), ("cyclic", HIERARCHICAL): 2 * (NODES - 1)}
MOST_BYTES_OFF, MOST_TIME_OFF = 0.02, 0.15
LEAST_GAIN, GAIN_SIZES = 1.3, (4 << 20, 16 << 20)
# More are more even if a disturbed machine made the few be timed three times.
COUNTED_BYTES, FEW_AND_MORE = 4 << 20, (6, 24)


def run(nodes, placement, *words):
    said = nodes.call("run", "-n", str(RANKS), "--placement", placement, "--timeout", "500", *words, limit_s=600)
    expect(said.returncode == 0, " ".join(words), said.stdout + said.stderr)
    return said.stdout


def sent_bytes(nodes):
    """What the links of all nodes have sent so far."""
    return sum(int(line.split()[1]) for line in nodes.call("bytes").stdout.splitlines())


def points(record):
    """Table `collectives` of a record, a dict a row."""
    table = next(t for t in json.loads(record.read_text())["derived"] if t["name"] == "collectives")
    columns = {c["name"]: c.get("texts") or c.get("numbers") for c in table["columns"]}
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def vectors_sent(nodes, place, placement, algorithm):
    """By one all-reduce: what more of them add, so that neither setting up nor checking counts."""
    runs, sent = [], []
    record = place.path("counted.json")
    for iterations in FEW_AND_MORE:
        before = sent_bytes(nodes)
        run(nodes, placement, place.program, "collectives", "--algorithm", algorithm, "-b", str(COUNTED_BYTES), "-e",
            str(COUNTED_BYTES), "-n", str(iterations), "-w", "0", "--cluster", str(place.path("links.toml")), "--json",
            str(record), "--force")
        sent.append(sent_bytes(nodes) - before)
        runs.append(iterations * points(record)[0]["tries"])
    return (sent[1] - sent[0]) / (runs[1] - runs[0]) / COUNTED_BYTES


def rows(nodes, place, placement, *algorithms):
    """Of table `collectives`, by algorithm and size."""
    record = place.path(f"{placement}.json")
    run(nodes, placement, place.program, "collectives", "--algorithm", ",".join(algorithms), "-b", "1M", "-e", "16M",
        "-f", "4", "--seconds", "5", "--cluster", str(place.path("links.toml")), "--json", str(record))
    return {(row["algorithm"], row["size_bytes"]): row for row in points(record)}


def wrong_bytes(nodes, place):
    for (placement, algorithm), expected in VECTORS.items():
        found = vectors_sent(nodes, place, placement, algorithm)
        print(f"{placement:7} {algorithm:23} {found:6.3f} vectors on all links, expected {expected:6.3f}: "
              f"{found / expected - 1:+.2%}", flush=True)
        if abs(found / expected - 1) > MOST_BYTES_OFF:
            yield f"bytes of {algorithm}, {placement}"


def wrong_times(placement, found):
    for (algorithm, size_bytes), row in found.items():
        if algorithm not in (RING, HIERARCHICAL):
            continue
        off = row["time_s"] / row["predicted_s"] - 1
        print(f"{placement:7} {algorithm:23} {int(size_bytes) >> 20:3} MiB  measured {row['time_s']:.4f} s "
              f"({row['time_low_s']:.4f} to {row['time_high_s']:.4f})  predicted {row['predicted_s']:.4f} s  {off:+.1%}", flush=True)
        if abs(off) > MOST_TIME_OFF:
            yield f"time of {algorithm}, {placement}, {size_bytes:.0f} B"


def too_slow(placement, found):
    for size_bytes in GAIN_SIZES:
        ours_s = {name: found[name, size_bytes]["time_s"] for name in (HIERARCHICAL, "auto")}
        theirs_s = found["mpi", size_bytes]["time_s"]
        best = min(ours_s, key=ours_s.get)
        print(f"{placement:7} {size_bytes >> 20:3} MiB  {best} {ours_s[best]:.4f} s, MPICH {theirs_s:.4f} s: "
              f"{theirs_s / ours_s[best]:.2f} times as fast", flush=True)
        if theirs_s < LEAST_GAIN * ours_s[best]:
            yield f"{placement}, {size_bytes} B: less than {LEAST_GAIN} times as fast as MPICH"


def main(cluster, shardstone):
    place = Place(shardstone, "mpiexec")
    wrong = []
    with Nodes(cluster, f"traffic{os.getpid()}", "--rate", RATE) as nodes:
        print(run(nodes, "block", place.program, "calibrate", "--op", "all_reduce", "--largest", "4M", "--output",
                  str(place.path("links.toml"))), flush=True)
        wrong += wrong_bytes(nodes, place)
        for placement in ("block", "cyclic"):
            found = rows(nodes, place, placement, RING, HIERARCHICAL, "auto", "mpi")
            wrong += [*wrong_times(placement, found), *too_slow(placement, found)]
    expect(not wrong, "bytes, times and gains are as they must be", wrong)


main(*sys.argv[1:])

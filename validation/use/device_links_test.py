# SPDX-License-Identifier: BSD-3-Clause
"""Validation of links between emulated GPUs: device_links_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import math
import os
import re
import signal
import time

from command import expect, main
from killed_runs import columns, processes_of, start_and_keep

ON_GPUS = "validate interconnect --device cuda"
SHORT = ON_GPUS + " --part pairs,congestion --ranks-per-node 1 --budget 2 --sizes 8,64K"


def validated(place, line, ranks, name):
    outcome = place.run(f"{line} --json {name}", ranks)
    # A machine that is shared may hold up a message for so long that it counts as slow.
    expect(outcome.code in (0, 1, 7) and "wrong data:" not in outcome.out, "it comes to a verdict", outcome)
    return json.loads(place.path(name).read_text()), outcome


def screen_has_the_figures_of(record, out):
    """Each with its unit and the record's name for it: paths, congestion, and the matrix of pairs, which is of the
    largest size, in rows that send."""
    def rows(name):
        table = columns(record, name)
        return [dict(zip(table, row)) for row in zip(*table.values())]

    def interval(row, name, unit, scale=1.0, low="{}_low", high="{}_high"):
        stem, suffix = name
        value, least, most = (scale * float(row[each.format(stem) + suffix]) for each in ("{}", low, high))
        if math.isnan(most):  # on a busy machine larger messages may take no longer
            least = re.escape(f"{least:.3g}")
            return rf"(uncertain: {re.escape(f'{value:.3g}')} {unit} \(at least {least}\)|unknown( \(at least {least} {unit}\))?)"
        return rf"(uncertain: )?{re.escape(f'{value:.3g}')} {unit} \({re.escape(f'{least:.3g} to {most:.3g}')}\)"

    paths, loads, bisection = rows("paths"), rows("congestion"), rows("bisection")
    expect(paths and loads and bisection, "there are such tables", [table["name"] for table in record["derived"]])
    said = [rf"^  {row['path']} +(alone|at once) +{row['tests']:.0f} tests  latency "
            f"{interval(row, ('alpha', '_s'), 'us', 1e6)}  rate {interval(row, ('rate', '_gb_s'), 'GB/s')}$" for row in paths]
    said += [rf"^  {row['direction']}: rate {interval(row, ('rate', '_gb_s'), 'GB/s')} of "
             rf"{row['alone_gb_s']:.3g} GB/s that its {row['pairs']:.0f} pairs have alone$" for row in bisection]
    worst = {}
    for row in loads:
        place = (row["load"], row["size_bytes"])
        if place not in worst or row["slowdown"] > worst[place]["slowdown"]:
            worst[place] = row
    said += [rf"^  {load}, {'8 B' if size == 8 else '64 KiB'}: slowdown over alone {interval(row, ('slowdown', ''), 'times')}; "
             rf"worst: rank {row['sender']:.0f} to rank {row['receiver']:.0f}$" for (load, size), row in worst.items()]
    for words in said:
        expect(re.search(words, out, re.M), words, out)
    matrix = re.search(r"^Pairs: rate in GB/s of 64 KiB from rank \(row\) to rank \(column\)\n +0 +1 +2 +3\n((  +\d.*\n){4})", out, re.M)
    expect(matrix, "the matrix says of what it is", out)
    cells = [line.split()[1:] for line in matrix[1].splitlines()]
    pairs = [row for row in rows("pairs") if row["size_bytes"] == 65536 and not row["alone"]]
    expect(len(pairs) == 12, "of all pairs", pairs)
    for row in pairs:
        shown = cells[int(row["sender"])][int(row["receiver"])]
        expect(shown == f"{row['rate_gb_s']:.3g}", f"its cell is the record's: {row}", out)


def messages_are_between_gpus(place):
    """Every pair, direction and size, all data as sent; screen, record, report and verify say between what."""
    record, outcome = validated(place, SHORT, 4, "i.json")
    settings = record["configuration"]
    expect((settings["device"], settings["gpu"]) == ("cuda", "emulated device"), "the record says on what", settings)
    expect(record["identity"]["title"] == "Validation of GPUs and links between them", "as its title", record["identity"])
    places = columns(record, "rank_places", "samples")
    addresses = [f"0000:{gpu + 1:02x}:00.0" for gpu in range(4)]
    expect(places["gpu"] == [f"emulated device at {address}" for address in addresses], "with each rank's GPU", places)
    expect(record["environment"]["gpus"]["addresses"] == addresses, "which are all ranks'", record["environment"])
    expect(record["environment"]["gpus"]["of_ranks"] == ["emulated device"] * 4 and
           "NCCL" in record["environment"]["gpus"]["software"], "and the software", record["environment"]["gpus"])
    pairs = columns(record, "pair_samples", "samples")
    found = set(zip(pairs["sender"], pairs["receiver"], pairs["size_bytes"]))
    expect(found == {(a, b, size) for a in range(4) for b in range(4) if a != b for size in (8, 65536)},
           "all were timed", found)
    loads = set(columns(record, "congestion_samples", "samples")["load"])
    expect({"pairs at once", "victim alone", "victim beside an all-to-all"} <= loads, "under all loads", loads)
    checks = record["verification"]
    expect(all(check["passed"] for check in checks) and "bytes" in checks[1]["detail"], "and compared", checks)
    expect("GPUs (emulated device): messages between them go through NCCL" in outcome.out and
           "clocks, and tests of ranks without GPU in their names, are of the hosts" in outcome.out and
           "not tested   links between memories of hosts" in outcome.out, "the screen says so", outcome)
    expect("computations and copies of GPUs" in outcome.out,
           "and that no GPU had work to do", outcome)
    expect("GPUDirect" not in outcome.out, "but not that their links are not tested", outcome)
    screen_has_the_figures_of(record, outcome.out)
    shown = place.succeeds("report i.json --out r.html").out
    expect(re.search(r"Interconnect of emulated device: (PASS|FAIL|INCONCLUSIVE) on GPUs", shown), "the report says so", shown)
    page = place.path("r.html").read_text()
    expect("from GPU memory), computations and copies of GPUs." in page and "GPUDirect" not in page, "on its page, too", "")
    said = place.succeeds("verify i.json").out
    expect("EMULATED: NOT a measurement of a GPU" in said, "verify says what it is", said)


def host_and_gpu_do_not_mix(place):
    """A soak between GPUs goes on between GPUs; one between hosts is another."""
    short = " --part pairs --budget 1 --sizes 8,4K"
    job = start_and_keep(place, f"{ON_GPUS}{short} --for 1h", 2, 12)
    time.sleep(3)
    job.send_signal(signal.SIGINT)
    job.communicate(timeout=60)
    refused = place.run(f"validate interconnect{short} --for 1s --resume r.json --json more.json", 2)
    expect(refused.code == 2 and "device" in refused.err, "with other memories it does not go on", refused)
    record, _ = validated(place, f"{ON_GPUS}{short} --for 1s --resume r.json", 2, "more.json")
    expect(record["configuration"]["device"] == "cuda", "with the same it does", record["configuration"])
    expect(len(columns(record, "soak_windows", "samples")["window"]) >= 1, "and has soaked", record["configuration"])
    host = place.run("validate interconnect --part pairs --budget 1 --sizes 8,4K --json host.json", 2)
    record = json.loads(place.path("host.json").read_text())
    expect(record["configuration"]["device"] is None and "gpu" not in record["configuration"] and
           set(columns(record, "rank_places", "samples")["gpu"]) == {""}, "hosts have no GPUs", record["configuration"])
    expect("not tested   GPU memory, NVLink, GPUDirect" in host.out, "and say so", host)


def what_cannot_be_is_refused(place):
    """Before anything is begun, in a line that says what to do."""
    for settings, line, ranks, words in (
            ("DEVICES=0", ON_GPUS, 2, "--device cuda: no NVIDIA GPU was found: "),
            ("DEVICES=1", ON_GPUS, 2, "--device cuda: ranks 0 and 1 on "),
            ("DEVICES=8", ON_GPUS + " --cluster c.toml", 2, "--cluster with --device cuda: "),
            ("DEVICES=8", ON_GPUS + " --part traffic", 2, "--part traffic with --device cuda: "),
            ("DEVICES=8", ON_GPUS, 1, "--device cuda: one rank has nobody to pass messages to or to be compared with"),
            ("DEVICES=8", ON_GPUS + " --part clocks", 2, "these tests need no GPU: add pairs or ranks to --part"),
            ("DEVICES=8", ON_GPUS + " --part congestion", 2, "these tests need no GPU: add pairs or ranks to --part"),
            ("DEVICES=8", ON_GPUS + " --accept 8xh100-400g --ranks-per-node 1", 2, 'give a file that has memory = "gpu"'),
            ("DEVICES=8", "validate interconnect --device gpu", 2, "'gpu'")):
        outcome = place.shell(f"SHARDSTONE_EMULATED_{settings} mpiexec -n {ranks} $S {line} --json n.json")
        expect(outcome.code == 2 and words in outcome.err, f"{line}: {words}", outcome)
        expect(place.files() == [], "and nothing is left", place.files())


def failures_of_links_name_the_rank(place):
    """An error of NCCL on one rank, and a rank that stops in a test."""
    on_one = "mpiexec -n 3 bash -c 'if [ \"$PMI_RANK\" = 1 ]; then export SHARDSTONE_EMULATED_FAIL={}; fi; exec $S {}'"
    beside_turns = SHORT.replace("congestion", "ranks")  # whose memory on the GPU is not waited for then
    for call, line in (("ncclGroupEnd:4", SHORT), ("ncclCommGetAsyncError:9", SHORT), ("ncclCommGetAsyncError:9", beside_turns)):
        outcome = place.shell(on_one.format(call, line + " --json f.json --force"))
        expect(outcome.code not in (0, 1, 7, None), f"{call} ends the job", outcome)
        name = call.split(":")[0]
        said = [text for text in outcome.err.splitlines() if "rank 1" in text and name in text]
        expect(len(said) == 1, f"{call}: one line names the rank", outcome)
    job = start_and_keep(place, ON_GPUS + " --part pairs --budget 60 --sizes 8,64K", 3, 4)
    pid = processes_of(place, job)[1]
    os.kill(pid, signal.SIGSTOP)
    out, err = job.communicate(timeout=100)
    expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", out + err)
    expect(re.search(r"stalled: rank 1 on .* stopped for", out + err), "rank 1 is named", out + err)


main({each.__name__: each for each in (
    messages_are_between_gpus, host_and_gpu_do_not_mix, what_cannot_be_is_refused, failures_of_links_name_the_rank)})

# SPDX-License-Identifier: BSD-3-Clause
"""Validation of links between emulated GPUs: device_links_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device in place of CUDA, cuBLASLt and NCCL; all else of it is as shipped.
"""
import json
import math
import os
import re
import signal
import sys
import time

from command import expect, main
from killed_runs import columns, kill_ranks, processes_of, start_and_keep

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


def a_slow_gpu_is_named(place):
    """Of eight devices the one that rank 2 takes lasts twice as long in its products, copies and transfers."""
    outcome = place.shell(f"SHARDSTONE_EMULATED_SLOW=2 mpiexec -n 4 $S {ON_GPUS} --part ranks --budget 2 --json i.json")
    expect(outcome.code == 1, "it fails", outcome)
    record = json.loads(place.path("i.json").read_text())
    rows = columns(record, "rank_tests")
    factors = {(test, rank): factor for test, rank, factor in zip(rows["test"], rows["rank"], rows["factor"])}
    expect({test for test, _ in factors} == {"arithmetic", "memory", "wake-up", "GPU product", "GPU memory", "GPU transfer"},
           "all is timed", factors)
    for (test, rank), factor in factors.items():
        if test.startswith("GPU"):
            expect(abs(factor - (2.0 if rank == 2 else 1.0)) < 0.02, f"{test} of rank {rank} is {factor} times the median", factors)
    # What others take of the cores may explain slow transfers, but neither of these.
    for test in ("GPU product", "GPU memory"):
        said = re.search(rf"rank 2 on .*, GPU 0000:03:00.0 is slow: {test} takes (9[89]|10[012]) % longer than on other ranks", outcome.out)
        expect(said, f"{test}: the rank is named", outcome)
        work = {"GPU product": "2.00 s to 4.00 s for a TFLOP in BF16", "GPU memory": "1.34 ms to 2.69 ms for a copy of 128 MiB"}[test]
        expect(re.search(rf"^  {test} +{work}; slowest: rank 2, factor 2\.0", outcome.out, re.M), f"{test} on the screen", outcome)
        expect(not re.search(rf"rank [013] on .* is slow: {test}", outcome.out), "and no other", outcome)
    bounds = "not tested: links between GPUs, links between memories of hosts (messages go through NCCL from GPU memory), GPUs under lasting load."
    expect("computations and copies" not in outcome.out and "GPUs under lasting load" in outcome.out, "they are tested", outcome)
    checks = record["verification"]
    expect(all(check["passed"] for check in checks), "all samples are there that there should be", checks)
    # A copy takes the emulated device 10 ps a byte, a product in BF16 2 ps a FLOP.
    samples = columns(record, "rank_samples", "samples")
    for test, least_s in (("GPU memory", 128 * 2**20 * 1e-11), ("GPU transfer", 64 * 2**20 * 1e-11), ("GPU product", 1e12 * 2e-12)):
        times = [time_s for name, rank, time_s in zip(samples["test"], samples["rank"], samples["time_s"]) if (name, rank) == (test, 0)]
        expect(all(0.999 * least_s < time_s < 1.05 * least_s for time_s in times), f"{test}: seconds on the GPU's clock: {least_s}", times)
    copies = [time_s for name, rank, time_s in zip(samples["test"], samples["rank"], samples["time_s"]) if (name, rank) == ("GPU memory", 0)]
    copy_s = 128 * 2**20 * 1e-11 + 2e-6
    expect(all(abs(time_s / copy_s - 1) < 3e-4 for time_s in copies), f"without the host's calls, of 1 us: {copy_s}", copies)
    shown = place.succeeds("report i.json --out r.html").out
    page = place.path("r.html").read_text()
    expect("FAIL" in shown and "GPU product" in page and bounds in page, "the report shows them", shown)
    expect(place.run("verify i.json").code == 0, "and they are found again from the samples", "")


LIMITS_ON_GPUS = """memory = "gpu"
[[limit]]
quantity = "GPU product rate"
statistic = "mean"
limit = 0.4
unit = "TFLOP/s"
[[limit]]
quantity = "GPU memory rate"
statistic = "mean"
limit = 150
unit = "GB/s"
[[limit]]
quantity = "GPU transfer rate"
statistic = "mean"
limit = 70
unit = "GB/s"
"""


def limits_on_gpus_are_judged(place):
    """An emulated device multiplies 0.5 TFLOP/s, copies 200 GB/s (read and written) and transfers 100 GB/s; a slow one
    half of that."""
    place.path("gpus.toml").write_text(LIMITS_ON_GPUS)
    line = f"{ON_GPUS} --part ranks --budget 2 --accept gpus.toml --json"
    outcome = place.shell(f"SHARDSTONE_EMULATED_SLOW=1 mpiexec -n 3 $S {line} slow.json")
    expect(outcome.code == 1, "a slow one fails", outcome)
    for words in ("GPU product rate of rank 1 on .*: mean of the means of turns 0.25 TFLOP/s .*, limit 0.4 TFLOP/s",
                  "GPU memory rate of rank 1 on .*: mean of the means of turns 9[89].* GB/s .*, limit 150 GB/s"):
        expect(re.search(words, outcome.out), words, outcome)
    rows = columns(json.loads(place.path("slow.json").read_text()), "acceptance")
    expect(all(abs(value / want - 1) < 0.05 for value, want in zip(rows["value"], (0.25, 100, 50))), "as the record has it", rows)
    # Whoever takes cores may be why a transfer is slow.
    of_transfers = "inconclusive" if rows["disturbed"][2] else "fail"
    expect(rows["verdict"] == ["fail", "fail", of_transfers] and rows["disturbed"][:2] == [0, 0], "they are broken", rows)
    expect(rows["subjects"] == [3] * 3 and rows["subjects_passed"] == [2] * 3, "the other two are within them", rows)
    sound = place.shell(f"mpiexec -n 3 $S {line} sound.json")
    rows = columns(json.loads(place.path("sound.json").read_text()), "acceptance")
    expect(rows["verdict"] == ["pass"] * 3, "without it none is broken", sound)
    shown = place.succeeds("report slow.json --out r.html")
    page = place.path("r.html").read_text()
    expect("FAIL" in shown.out and "GPU product rate" in page and "limit 0.4 TFLOP/s" in shown.out, "the report shows them", shown)
    expect(place.run("verify slow.json").code == 0, "and they are found again", "")
    refused = place.run("validate interconnect --part ranks --budget 1 --accept gpus.toml --json n.json", 2)
    expect(refused.code == 2 and 'memory = "gpu"' in refused.err, "between hosts they are refused", refused)
    without = place.run(f"{ON_GPUS} --part pairs --budget 1 --accept gpus.toml --json n.json", 2)
    expect(without.code == 2 and "add ranks to --part" in without.err, "and where no GPU has work to do", without)


def a_gpu_that_multiplies_wrong_is_named(place):
    """At once, and in its first turn, where it was right before: one line names the rank and says how much is
    wrong."""
    one = 'mpiexec -n 3 bash -c \'if [ "$PMI_RANK" = 1 ]; then export SHARDSTONE_EMULATED_FAIL={}; fi; exec $S {}\''
    line = ON_GPUS + " --part ranks --budget 2 --json w.json --force"
    of_turns = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]  # after those that find the size
    for numbers, words in (([1], r"a product of 128 x 128 matrices in bf16 has \S+ in row 0, column 127, which is \S+ within"),
                           (of_turns, r"in bf16, made again by the same algorithm, differs in \d+ of its \d+ elements")):
        outcome = place.shell(one.format(",".join(f"product:{number}" for number in numbers), line))
        expect(outcome.code == 1, f"products {numbers} end the run", outcome)
        said = [text for text in outcome.err.splitlines() if "GPU 0000:02:00.0 computes wrong: " in text]
        expect(len(said) == 1 and re.search(r"rank 1\b.*" + words, said[0]), f"products {numbers}: one line: {words}", outcome)


def clocks_of_slow_gpus_are_told(place):
    """By a library that plays NVML, while products run: on the screen, of a slow one in the verdict, in record and report;
    a soak that goes on keeps them."""
    line = f"{ON_GPUS} --part ranks --budget 1 --json"
    silent = place.shell(f"mpiexec -n 3 $S {line} silent.json")
    expect(re.search(r"^Clocks of 3 of 3 GPUs are not known \(rank 0: \S*libnvidia-ml\.so\.1.*\): nothing tells", silent.out, re.M),
           "without it that is said", silent)
    expect("GPU clocks" not in silent.out, "and no clock", silent)
    place.succeeds("report silent.json --out silent.html")
    expect("libnvidia-ml.so.1" in place.path("silent.html").read_text(), "by the report, too")
    place.path("lib").mkdir()
    place.path("lib/libnvidia-ml.so.1").symlink_to(sys.argv[4])
    start = "SHARDSTONE_EMULATED_SLOW=1 LD_LIBRARY_PATH=$PWD/lib mpiexec -n 3 $S"
    outcome = place.shell(f"{start} {line} told.json")
    expect(re.search(r"rank 1 on .*, GPU 0000:02:00.0 is slow: GPU product takes .* odds .* "
                     r"\(its clock, 1755 MHz, all GPUs' median 1755 MHz, was held down by heat, power in 100 % of the readings\)", outcome.out),
           "the verdict says what may be why", outcome)
    expect(not re.search("GPU memory takes .*its clock", outcome.out), "of products only", outcome)
    expect(re.search(r"^  GPU clocks +1755 MHz \(median; 1755 at least, of rank \d\), 75 degC at most; held down by heat, power "
                     r"in 100 % of the readings of rank \d$", outcome.out, re.M), "and the screen", outcome)
    expect("GPUs are not known" not in outcome.out, "which are known", outcome)
    record = json.loads(place.path("told.json").read_text())
    use, readings = columns(record, "gpu_use"), columns(record, "gpu_readings", "samples")
    expect((use["rank"], use["sm_mhz"], use["limited_by"]) == ([0.0, 1.0, 2.0], [1755.0] * 3, ["heat, power"] * 3), "each rank's", use)
    expect(use["address"] == [f"0000:{gpu + 1:02x}:00.0" for gpu in range(3)] and use["model"] == ["emulated device"] * 3,
           "of which GPU", use)
    expect(use["power_w"] == [350.5, 360.5, 370.5] and use["energy_j"] == ["NaN"] * 3, "by its own meter", use)
    samples = columns(record, "rank_samples", "samples")
    for rank in range(3):
        mine = [time_s for time_s, of in zip(readings["time_s"], readings["rank"]) if of == rank]
        began = [at_s for at_s, of, test in zip(samples["at_s"], samples["rank"], samples["test"]) if (of, test) == (rank, "GPU product")]
        after = [at_s for at_s, of, test in zip(samples["at_s"], samples["rank"], samples["test"]) if (of, test) == (rank, "GPU memory")]
        expect(len(mine) == len(began) and all(begin <= time_s <= end for begin, time_s, end in zip(began, mine, after)),
               "one in each turn of products", (mine, began, after))
    shown = place.succeeds("report told.json --out r.html").out
    page = place.path("r.html").read_text()
    expect("Clock of multiprocessors of emulated device during products: 1755 MHz (median;" in shown, "the report tells it", shown)
    expect("GPUs during products" in page, "and has the table", "")
    expect(place.run("verify told.json").code == 0, "it is found again from the readings", "")
    os.environ["LD_LIBRARY_PATH"] = str(place.path("lib"))
    soak = f"{ON_GPUS} --part ranks,pairs --budget 1 --sizes 8,4K --for"
    job = start_and_keep(place, f"{soak} 1h", 2, 1)
    while "soak_windows" not in place.path("r.json.journal").read_text():
        expect(job.poll() is None, "it soaks until it is ended")
        time.sleep(0.1)
    kill_ranks(place, job, 2)
    job.communicate(timeout=30)
    goes_on = place.run(f"{soak} 1s --resume r.json.journal --json more.json", 2)
    expect(goes_on.code in (1, 7), "it goes on", goes_on)
    use = columns(json.loads(place.path("more.json").read_text()), "gpu_use")
    expect(use["sm_mhz"] == [1755.0] * 2, "a soak that goes on keeps them", use)


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
    messages_are_between_gpus, a_slow_gpu_is_named, limits_on_gpus_are_judged, a_gpu_that_multiplies_wrong_is_named,
    clocks_of_slow_gpus_are_told, host_and_gpu_do_not_mix, what_cannot_be_is_refused, failures_of_links_name_the_rank)})

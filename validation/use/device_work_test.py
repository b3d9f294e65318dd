# SPDX-License-Identifier: BSD-3-Clause
"""Work of emulated GPUs in a validation of links between them: device_work_test.py BEHAVIOUR SHARDSTONE MPIEXEC NVML

SHARDSTONE is as in device_links_test.py; NVML is a library that plays NVIDIA's.
"""
import json
import os
import re
import sys
import time

from command import expect, main
from killed_runs import columns, kill_ranks, start_and_keep

ON_GPUS = "validate interconnect --device cuda"


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


main({each.__name__: each for each in (
    a_slow_gpu_is_named, limits_on_gpus_are_judged, a_gpu_that_multiplies_wrong_is_named, clocks_of_slow_gpus_are_told)})

# SPDX-License-Identifier: BSD-3-Clause
"""Records of emulated GPUs, and what the real command and its reports say of them (device_test.py)."""
import json
import os
import re
import signal
import statistics
import zipfile

from command import ROOT, expect, main
from device_training import ON_GPUS, trained
from killed_runs import STEP_LINE, columns, start_and_see

WRONG_PRODUCT = {"SHARDSTONE_EMULATED_FAIL": "product:1"}
WRONG = r"^linear forward, \w+ in fp32: [\d.e+]+ of its bound$"


def records_are_not_those_of_a_gpu(place):
    """Every record of an emulated GPU names it, with the software that was used, and is called emulated."""
    place.succeeds("collectives --device cuda --op all_reduce --algorithm nccl -b 1K -e 4K --seconds 0.05 --json emulated.json")
    record = json.loads(place.path("emulated.json").read_text())
    environment = record["environment"]
    expect(environment["machine"]["accelerators"] == ["emulated device"], "the machine has it", environment["machine"])
    expect({"CUDA driver", "CUDA runtime", "NCCL", "matrix products"} == set(environment["gpus"]["software"]),
           "the software is told", environment["gpus"])
    said = place.succeeds("verify emulated.json").out
    expect("; EMULATED: NOT a measurement of a GPU: " in said, "verify says what it is", said)
    endless = ON_GPUS.replace("--steps 2", "--steps 100000 --log-every 1")
    job = start_and_see(place, f"{endless} --json s.json", 0, STEP_LINE, 1)
    job.send_signal(signal.SIGINT)
    job.communicate(timeout=100)
    said = place.run("verify s.json")
    words = r"BAD +s\.json: unchanged, but .*; EMULATED: NOT a measurement of a GPU: "
    expect(said.code == 1 and re.match(words, said.out), "of a bad record, too", said)
    place.succeeds("bundle emulated.json --out b.zip")
    place.succeeds("verify b.zip")  # the figures of one rank, too, are those of its samples
    trained(place, ON_GPUS, 1, "t.json")
    said = place.succeeds("report t.json --out r.html").out
    expect("nano, fp32, emulated device" in said and "nano, fp32, cuda" not in said, "the report names it", said)


def wrong_splits_are_left_out(place):
    """The first trainings on a GPU were split by what their host waited for: the report says so, and shows no split."""
    place.succeeds(f"report {ROOT}/results/archive/h200/train.h5 --out old.html")
    page = place.path("old.html").read_text()
    said = "The time of train.h5 is not split here: programs of that age counted a GPU's work to the part of a step"
    expect(said in page.replace("&#39;", "'"), "it says so")
    expect("Share of the training time" not in page and ">Optimizer</th>" not in page, "and shows none")
    trained(place, ON_GPUS, 1, "new.json")
    out = place.succeeds(f"report {ROOT}/results/archive/h200/train.h5 new.json --out both.html").out
    page = place.path("both.html").read_text()
    expect(said in page.replace("&#39;", "'"), "beside others, too")
    expect("Share of the training time" in page and ">Optimizer</th>" in page, "whose split is shown")
    expect(re.search("The training time of 'nano, fp32, dp=1, emulated device' is ", out), "and told", out)
    expect(not re.search("The training time of 'gpt2-124m", out), "of them alone", out)


def commands_have_the_gpus_that_they_need(place):
    """As they stand in bundle and report they run again: the program with emulated GPUs, and what these were."""
    for name in [name for name in os.environ if re.match("(OMP|UCX|MPI|FI|CUDA|OPENBLAS|DNNL|NCCL|SHARDSTONE_EMUL)", name)]:
        del os.environ[name]
    gpus = "NCCL_ALGO='allreduce:tree;broadcast:ring' SHARDSTONE_EMULATED_DEVICES=3 SHARDSTONE_EMULATED_PEERS=0"
    line = f"{ON_GPUS} --plan dp=3 --json t.json"
    outcome = place.shell(f"{gpus} mpiexec -n 3 $S {line}")
    expect(outcome.code == 0, "it trains", outcome)
    command = f"{gpus} mpiexec -n 3 bin/emulated/shardstone {line}"
    place.succeeds("bundle t.json --out b.zip")
    with zipfile.ZipFile(place.path("b.zip")) as bundle:
        readme = bundle.read("README.md").decode()
    expect(f"\n    {command}\n" in readme, f"the bundle says '{command}'", readme[-1000:])
    place.succeeds("verify b.zip")
    place.succeeds("report t.json --out r.html")
    shown = command.replace("'", "&#39;")
    expect(f"<code>{shown}</code>" in place.path("r.html").read_text(), f"the report says '{command}'")
    place.path("bin/emulated").mkdir(parents=True)
    place.path("bin/emulated/shardstone").symlink_to(place.program)
    place.path("t.json").unlink()
    outcome = place.shell(f"unset ${{!SHARDSTONE_EMULATED_*}}; {command}")
    expect(outcome.code == 0 and place.path("t.json").exists(), "which runs again", outcome)


def kernels_are_held_against_the_gpu(place):
    """Those that --filter names, each compared with FP64 in three types; one that is wrong ends with 1."""
    line = "kernels --device cuda --filter COPY --json k.json"
    os.environ.update(WRONG_PRODUCT)
    spoiled = place.run(line, timeout_s=1500)
    os.environ.pop(*WRONG_PRODUCT)
    expect(spoiled.code == 1, "one that is wrong ends it with 1", spoiled)
    checks = json.loads(place.path("k.json").read_text())["verification"]
    failed = [check["name"] for check in checks if not check["passed"]]
    expect(failed and all(name.startswith("kernels in fp32: ") for name in failed), "as the record says", checks)
    expect(re.search(WRONG, spoiled.out, re.M) and f"FAILED: {failed[0]} (" in spoiled.out, "and the screen", spoiled)
    outcome = place.run(line + " --force", timeout_s=1500)
    expect(outcome.code in (0, 1), "it ends", outcome)
    expect(not re.search(" of its bound$", outcome.out, re.M), "and none is wrong", outcome)
    record = json.loads(place.path("k.json").read_text())
    found = columns(record, "device_kernels")
    expect((found["name"], found["bytes"]) == (["copy"], [8.0 * 124439808]), "what was asked for", found)
    names = [check["name"].split(":")[0] for check in record["verification"]]
    expect(names[:3] == [f"kernels in {kind}" for kind in ("fp32", "bf16", "fp16")], "in each type", names)
    passed = all(check["passed"] for check in record["verification"])
    expect(outcome.code == (0 if passed else 1), "the code is that of the checks", outcome)
    rates = columns(record, "device_rates")
    rate = rates["copy_bytes_per_s"][0]
    best = [rates[name][0] * unit for name, unit in (("copy_bytes_per_s", 1e-9), ("bf16_flop_per_s", 1e-12),
                                                     ("fp32_flop_per_s", 1e-12))]
    words = (r"copies (\S+) GB/s, products up to \(8192, 8192\) (\S+) TFLOP/s in BF16, "
             r"up to \(4096, 4096\) (\S+) in FP32")
    before, said = (re.search(beginning + words + "$", outcome.out, re.M) for beginning in (
        "^emulated device: ", "^the best before and after, of which the record has the shares: "))
    expect(before and said, "the screen tells the rates at first and at last", outcome)
    expect(all(abs(float(told) / held - 1.0) < 1e-3 for told, held in zip(said.groups(), best)),
           f"at last those of the record, {best}", outcome)
    expect(all(float(told) < (1.0 + 1e-3) * held for told, held in zip(before.groups(), best)),
           f"of which none is less than at first, {best}", outcome)
    expect(abs(found["share"][0] * rate / found["bytes_per_s"][0] - 1.0) < 1e-9, "and which the shares are of", found)
    expect(0.2 < found["bytes_per_s"][0] / rate < 2.0, f"a copy is as fast as copies, {rate} B/s", found)


def a_wrong_kernel_is_told(place):
    """The screen names it, with what it got wrong, minutes before the end."""
    os.environ.update(WRONG_PRODUCT)
    job = start_and_see(place, "kernels --device cuda --filter COPY", 0, WRONG, 1)
    job.kill()
    job.communicate(timeout=60)


def stopped_kernels_are_kept(place):
    """A signal ends it after the kernel under way; the record has what was measured, and is not taken for the whole."""
    job = start_and_see(place, "kernels --device cuda --json k.json", 0, r" % \((memory|products)\)$", 1)
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=1500)
    expect(job.returncode == 130, f"it ends with 130, not {job.returncode}", out + err)
    record = json.loads(place.path("k.json").read_text())
    gpus = record["environment"]["gpus"]
    expect((gpus["of_ranks"], gpus["addresses"]) == (["emulated device"], ["0000:01:00.0"]), "of the GPU that computed", gpus)
    found = columns(record, "device_kernels")["name"]
    failed = [check["name"] for check in record["verification"] if not check["passed"]]
    expect(1 <= len(found) < 10 and "the run was complete" in failed, "what was measured is there", record["verification"])
    rates = {name: values[0] for name, values in columns(record, "device_rates").items()}
    for name, expected in (("copy_bytes_per_s", 2e11), ("bf16_flop_per_s", 5e11), ("fp32_flop_per_s", 1.25e11)):
        expect(abs(rates[name] / expected - 1) < 0.05, f"{name} is the emulated device's: {expected}", rates)
    samples = columns(record, "device_kernel_samples", "samples")
    times = dict(zip(found, columns(record, "device_kernels")["time_s"]))
    for name, time_s in times.items():
        of_it = [one_s for kernel, one_s in zip(samples["name"], samples["time_s"]) if kernel == name]
        expect(abs(time_s - statistics.median(of_it)) <= 1e-9 * time_s, f"{name}: the median", of_it)


main({each.__name__: each for each in (
    records_are_not_those_of_a_gpu, wrong_splits_are_left_out, commands_have_the_gpus_that_they_need,
    kernels_are_held_against_the_gpu, a_wrong_kernel_is_told, stopped_kernels_are_kept)})

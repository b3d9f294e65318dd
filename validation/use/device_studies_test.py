# SPDX-License-Identifier: BSD-3-Clause
"""Studies on emulated GPUs: device_studies_test.py BEHAVIOUR SHARDSTONE MPIEXEC

SHARDSTONE is linked with the emulated device (device_test.py), whose passes last as long in every step.
"""
import json
import os
import re

from command import expect, main
from killed_runs import columns

STAGES = "study pipeline --layers 1 --channels 32 --micro-batches 1 --steps 3 --warmup 1"
BATCHES = ("study batch-size --batches 8 --factors 1 --tokens 20000 --most-sequences 256 --eval-every 16 --target 1.2 "
           "--sequence 8 --noise-pairs 4 --noise-big 4 --base-batch 8")


def recorded(place, line, name, codes=(0,)):
    outcome = place.run(f"{line} --json {name}", 2)
    expect(outcome.code in codes, line, outcome)
    return json.loads(place.path(name).read_text()), outcome.out


def busy_s(record):
    """What the passes of both stages take, in each step."""
    steps = columns(record, "pipeline_steps", "samples")
    return [2 * share * span for share, span in zip(steps["utilisation"], steps["span_s"])]


def stages_are_timed_on_their_gpus(place):
    """By the GPUs' own clocks: in every step alike, and a GPU half as fast takes as long again for its passes."""
    line = STAGES + " --schedules naive,gpipe --device cuda"
    record, out = recorded(place, line + " --timeline t.svg", "p.json")
    expect(record["identity"]["title"] == "Utilisation of pipeline schedules on 2 GPUs", "the title says on what", record["identity"])
    settings = record["configuration"]
    expect((settings["device"], settings["gpu"]) == ("cuda", "emulated device"), "and the configuration", settings)
    expect("2 ranks on 2 GPUs (2 x emulated device)" in out, "and the screen", out)
    expect(all(check["passed"] for check in record["verification"]), "its checks pass", record["verification"])
    rows = columns(record, "utilisation")
    for schedule, replayed, formula in zip(rows["schedule"], rows["replayed"], rows["formula"]):
        # Of one micro-batch no two stages compute at a time; messages take none, passes are the measured ones.
        expect(formula == 0.5 and abs(replayed - 0.5) < 1e-9, f"{schedule} is one stage after the other", rows)
    # With several, the losses stay the same to the bit, and passes at the rate of this GPU fill the formula's share.
    several, _ = recorded(place, STAGES.replace("--micro-batches 1 --steps 3 --warmup 1", "--micro-batches 3 --steps 1 --warmup 0") +
                          " --schedules naive,1f1b,zb-h1 --device cuda", "several.json")
    checks = {check["name"]: check["passed"] for check in several["verification"]}
    expect(checks == {"all schedules give the same losses with 3 micro-batches": True,
                      "virtual time is within 5 % of the formula": True}, "as on cores", several["verification"])
    # Heads of more than 128 channels no GPU's attention has: so wide a model has five there, and four on cores.
    wide = STAGES.replace("--channels 32", "--channels 516").replace("--steps 3", "--steps 1") + " --schedules gpipe"
    refused = place.run(wide + " --device cuda", 2)
    expect(refused.code == 2 and "516 channels do not divide into 5 heads" in refused.err, "wide models have more heads", refused)
    on_cores, _ = recorded(place, wide, "c.json")
    expect(on_cores["configuration"]["heads"] == 4, "cores have four", on_cores["configuration"])
    usual = busy_s(record)
    expect(len(usual) == 6 and max(usual) < 1.01 * min(usual), "all steps last as long", usual)
    slow = []
    for gpu in ("0", "1"):
        os.environ["SHARDSTONE_EMULATED_SLOW"] = gpu
        slow.append(busy_s(recorded(place, line, f"slow{gpu}.json")[0])[0])
        expect(1.3 * usual[0] < slow[-1] < 1.7 * usual[0], f"GPU {gpu} has about half of the passes", (slow, usual))
    del os.environ["SHARDSTONE_EMULATED_SLOW"]
    expect(abs(sum(slow) / usual[0] - 3.0) < 0.05, "both together twice as much as all of them", (slow, usual))
    texts = re.findall(r"<(?:text|title)[^>]*>([^<]*)<", place.path("t.svg").read_text())
    expect(any("measured: the step of median utilisation" in text for text in texts), "its timeline is drawn", texts)


def batch_sizes_train_on_gpus(place):
    """As many steps as on cores, of the same losses; the noise of the same weights."""
    of_core, _ = recorded(place, BATCHES, "core.json", (0, 1))  # so few pairs resolve no noise
    of_gpu, out = recorded(place, BATCHES + " --device cuda", "gpu.json", (0, 1))
    expect(of_gpu["identity"]["title"] == "Steps and tokens to a target loss on 2 GPUs", "the title says on what", of_gpu["identity"])
    settings = of_gpu["configuration"]
    expect((settings["device"], settings["gpu"], settings["graphs"]) == ("cuda", "emulated device", True),
           "and the configuration", settings)
    expect("2 ranks on 2 GPUs (2 x emulated device)" in out, "and the screen", out)
    for table, column in (("batches", "steps"), ("noise", "validation_loss"), ("noise", "trace")):
        ours, theirs = (columns(record, table)[column] for record in (of_gpu, of_core))
        expect(len(ours) == len(theirs) > 0, f"{table} has as many rows", (ours, theirs))
        for one, other in zip(ours, theirs):
            expect(abs(one - other) < 1e-3 * abs(other), f"{column} is that of cores", (ours, theirs))
    expect(columns(of_gpu, "noise")["validation_loss"] != columns(of_core, "noise")["validation_loss"], "but was computed on GPUs", of_gpu)


def studies_refuse_what_gpus_cannot(place):
    for line, why in ((STAGES + " --device cuda --pace 20", "--device cuda with --pace"),
                      (STAGES + " --device gpu", "--device 'gpu': give cpu or cuda"),
                      (BATCHES + " --device gpu", "--device 'gpu': give cpu or cuda")):
        outcome = place.run(line, 2)
        expect(outcome.code == 2 and why in outcome.err, f"{line} is refused", outcome)
    os.environ["SHARDSTONE_EMULATED_DEVICES"] = "0"
    for line in (STAGES, BATCHES):
        outcome = place.run(line + " --device cuda", 2)
        expect(outcome.code == 2 and "no NVIDIA GPU was found" in outcome.err, "nor without one", outcome)


main(globals())

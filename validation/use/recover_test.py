# SPDX-License-Identifier: BSD-3-Clause
"""A run that is killed loses what was under way and no more: recover_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import re
import resource
import subprocess

from command import expect, main
from killed_runs import (ACCURACY, BATCH_LINE, BATCH_SIZE, INCOMPLETE, KERNEL_LINE, KERNELS, NUMERICS, OVERLAP,
                         PIPELINE, PIPELINE_LINE, POINT, POINT_LINE, SELF_TEST, SELF_TEST_LINE, STEP_LINE, SWEEP,
                         columns, kill_ranks, record_in, recovered, rows, run_and_kill, start_and_keep, start_and_see)

TRAIN = ("train --model nano --global-batch 4 --steps 100000 --log-every 1 --eval-every 50 "
         "--eval-sequences 4")


def training(place):
    for ranks in (0, 2):
        place.path("r.json").unlink(missing_ok=True)
        seen = run_and_kill(place, TRAIN, ranks, STEP_LINE, 400)
        record = recovered(place, "of 100000 steps done")
        steps = [int(step) for step, in rows(place, "r.json", "steps", ("step",))]
        expect(steps == list(range(1, len(steps) + 1)), f"all steps, in order: {steps[:5]}...")
        # Steps of a millisecond go to the journal every 50.
        expect(len(steps) > 0.5 * seen, f"{len(steps)} steps of {seen} seen")
        judged = [int(step) for step, in rows(place, "r.json", "evaluations", ("step",))]
        due = list(range(50, len(steps) + 1, 50))
        # Of the last step the row may be there and its evaluation not yet.
        expect([step for step in judged if step] in (due, due[:-1] if due[-1] == len(steps) else due),
               f"an evaluation every 50 of {len(steps)} steps: {judged}")
        log = place.path("r.json.failures.jsonl")
        expect(ranks or not log.exists(), f"a program that was killed alone said nothing: {place.files()}")
        said = json.loads(log.read_text().splitlines()[0]) if log.exists() else None
        reason = said and f"rank {said['rank']} on {said['host']}, {said['phase']}: {said['reason']}"
        why = record["verification"][-1]["detail"]
        expect(why.startswith(reason or "killed, or the power was lost: no rank could report why"),
               f"why it ended is what the other rank said, where it could: {why}; log: {said}")
        expect(not said or re.search("lost|stopped by SIGTERM", said["reason"]), f"a loss: {said}")


def training_of_experts(place):
    run_and_kill(place, f"{TRAIN} --experts 4 --top-k 2 --capacity 1", 2, STEP_LINE, 100)
    recovered(place, "of 100000 steps done")
    steps = [step for step, in rows(place, "r.json", "steps", ("step",))]
    routed = rows(place, "r.json", "router", ("step", "balance_loss", "router_z_loss", "dropped_share"))
    expect([row[0] for row in routed] == steps, f"{len(routed)} router rows of {len(steps)} steps")
    expect(len(steps) >= 50, f"most of the steps are there: {len(steps)}")
    # 1 where four experts are used alike, 4 where one has everything; log(4)^2 while all logits are small.
    expect(all(1 - 1e-6 < balance < 4 for _, balance, _, _ in routed), f"the balance is there: {routed[0]}")
    expect(1.7 < routed[0][2] < 2.2, f"the z-loss, too: {routed[0]}")
    expect(0 < routed[0][3] < 0.75, f"and what was dropped: {routed[0]}")


def kernels(place):
    run_and_kill(place, "kernels --quick", 0, KERNEL_LINE, 3)
    record = recovered(place, "sizes were measured")
    # The row that was printed last may not be in the journal yet.
    expect(len(rows(place, "r.json", "kernels", ("name", "size"))) >= 2, "the kernels are there")
    expect(columns(record, "machine") and columns(record, "machine_rates", "samples"),
           "and the rates that they are held against")
    expect("instruction_set" in record["environment"]["kernels"], "and what was built in")


def pipeline(place):
    run_and_kill(place, PIPELINE, 2, PIPELINE_LINE, 4)
    record = recovered(place, "of 9 points were measured")
    points = rows(place, "r.json", "utilisation", ("schedule", "micro_batches"))
    expect(len(set(points)) == len(points) >= 3, f"the points are there: {points}")
    expect(f"{len(points)} of 9 points" in record["verification"][-1]["detail"], "and counted")


def batch_sizes(place):
    run_and_kill(place, BATCH_SIZE, 2, BATCH_LINE, 2)
    recovered(place, "of 4 batch sizes and ")
    batches = rows(place, "r.json", "batches", ("batch",))
    # A line that is printed is in the journal a moment later: the last one may not be.
    expect([int(batch) for batch, in batches] in ([8], [8, 16], [8, 16, 32]), f"they are there: {batches}")


def numerics(place):
    run_and_kill(place, NUMERICS, 2, r"^(kernels|reductions): ", 2)
    record = recovered(place, "of 4 items")
    checks = {check["name"].split(",")[0] for check in record["verification"]}
    expect({"kernels"} <= checks, f"the checks of what was judged are there: {checks}")
    expect(columns(record, "kernel_errors") and columns(record, "verdicts"), "and so are its rows")


def self_test(place):
    seen = run_and_kill(place, SELF_TEST, 2, SELF_TEST_LINE, 3)
    record = recovered(place, "of 15 rows were counted")
    counted = rows(place, "r.json", "simulated_trials", ("fault", "repetitions", "trials"), "samples")
    expect(seen - 1 <= len(counted) < 15, f"{len(counted)} rows of {seen} seen")
    expect(counted[:2] == [("healthy", 1, 300), ("nic-out", 1, 300)], f"with all their trials: {counted}")
    shares = rows(place, "r.json", "simulated_detection", ("fault", "repetitions"))
    expect(shares == [row[:2] for row in counted], f"and their shares: {shares}")
    why = record["verification"][-1]["detail"]
    expect(re.search(r"row of trials [45]\b|no rank could report why", why), f"and it is said where it was: {why}")


def accuracy(place):
    job = start_and_keep(place, ACCURACY, 2, 5)
    kill_ranks(place, job, 2)
    job.communicate(timeout=30)
    record = recovered(place, "sums were studied")
    sums = rows(place, "r.json", "accuracy", ("operation", "algorithm", "type", "elements"))
    expect(len(set(sums)) == len(sums) >= 5, f"the sums are there: {len(sums)}")
    expect(len(record["verification"]) == len(sums) + 1, "each with its check")


def overlap(place):
    job = start_and_keep(place, OVERLAP, 2, 5)
    kill_ranks(place, job, 2)
    job.communicate(timeout=30)
    recovered(place, "of 10000 rounds were measured")
    rounds = rows(place, "r.json", "overlap_rounds", ("way", "round"), "samples")
    expect(len(rounds) >= 10 and len(rounds) % 2 == 0, f"5 rounds are there, at least: {len(rounds)}")
    expect(rounds == [(way, i // 2) for i, way in enumerate(("overlapped", "apart") * (len(rounds) // 2))],
           "each of both ways, in turn")


def form_follows_the_name(place):
    run_and_kill(place, SWEEP, 0, POINT_LINE, 4, "--hdf5 r.h5")
    place.succeeds("recover r.h5.journal")
    expect(place.files() == ["r.h5"], f"the record takes the journal's place: {place.files()}")
    expect(b"\x89HDF" in place.path("r.h5").read_bytes()[:4096], "in the form that its name has")
    place.succeeds(f"{SWEEP} --hdf5 whole.h5")
    expect(place.files() == ["r.h5", "whole.h5"], f"one file, no journal: {place.files()}")


def damage_is_named(place):
    run_and_kill(place, SWEEP, 0, POINT_LINE, 4)
    journal = place.path("r.json.journal")
    place.refuses("show r.json.journal", "shardstone recover r.json.journal")
    lines = journal.read_text().splitlines(keepends=True)
    for damaged, words in ((lines[:1] + lines[2:], "line 2"), (["x" + lines[0]] + lines[1:], "no journal")):
        journal.write_text("".join(damaged))
        place.refuses("recover r.json.journal --json made.json", words)
    for damaged in (lines[:2] + [lines[2].replace('"time_s"', '"time_x"')] + lines[3:], lines[:2] + [lines[3], lines[2]]):
        journal.write_text("".join(damaged))
        place.refuses(f"{SWEEP} --json made.json --resume r.json.journal", "line 3")
        outcome = place.succeeds("recover r.json.journal --json made.json")
        expect("line 3" in outcome.out and rows(place, "made.json", "collectives", POINT) == [], "what is before", outcome)
        place.path("made.json").unlink()
        place.path("r.json.journal.damaged").unlink()
    place.refuses("recover other.json.journal", "other.json.journal' does not exist")
    journal.write_text("".join(lines)[:-20])
    outcome = place.succeeds("recover r.json.journal --json made.json")
    expect("the last line was incomplete" in outcome.out, "a torn end is left out", outcome)
    expect(len(rows(place, "made.json", "collectives", POINT)) == len(lines) - 3, "and no more is")


def others_lines_in_the_failure_log_are_read(place):
    """Lines of whatever types: the journal is recovered all the same."""
    run_and_kill(place, SWEEP, 0, POINT_LINE, 2)
    place.path("r.json.failures.jsonl").write_text(
        json.dumps({"time": "2999-01-01T00:00:00Z", "rank": "x", "host": None, "reason": 7}) + "\n")
    record = recovered(place, "rank x on null")
    expect(record["verification"][-1]["name"] == INCOMPLETE, "what others wrote is said as it stands")


def live_journals_are_left_alone(place):
    """A run that goes on keeps its journal and its name, whatever others do meanwhile."""
    job = start_and_see(place, f"{SWEEP} --json r.json", 0, POINT_LINE, 2)
    place.refuses("recover r.json.journal --json other.json", "of a run that goes on")
    place.refuses(f"{SWEEP} --json r.json --force", "another run is writing 'r.json'")
    expect(job.poll() is None, "the run was under way all the time")
    out, err = job.communicate(timeout=200)
    expect(job.returncode == 0, "the run ends well", out + err)
    expect(place.files() == ["r.json"], f"with its record: {place.files()}")
    expect(record_in(place, "r.json")["verification"], "which is whole")


def full_disk_spares_the_run(place):
    """A journal that cannot be written is given up in a line. (Without ranks: MPI has files, too.)"""
    outcome = place.shell("ulimit -f 4; $S kernels --quick --filter sum --json r.json", 120)
    expect(outcome.err.count("the run continues without a journal") == 1, "it says so, once", outcome)
    expect("8388608" in outcome.out, "the run goes on to its end", outcome)


def a_journal_given_up_goes(place):
    """Where the journal that a run goes on from cannot be written anew, and the record in the end can,
    the record is all that is left."""
    run_and_kill(place, KERNELS, 0, KERNEL_LINE, 1)
    expect(place.path("r.json.journal").stat().st_size > 4096, "the journal is too large for what follows")
    line = f"{KERNELS} --json r.json --resume r.json.journal"
    with subprocess.Popen(["bash", "-c", f"ulimit -S -f 4; exec {place.program} {line}"], cwd=place.folder, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as job:
        said = any("the run continues without a journal" in line for line in job.stderr)
        expect(said, "it says so")
        _, most = resource.prlimit(job.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(job.pid, resource.RLIMIT_FSIZE, (most, most))
        rest = job.stderr.read()
    # 1: a check on speed failed, as it may where the machine is busy.
    expect(job.returncode in (0, 1), f"the run ends: {job.returncode}", rest)
    expect(place.files() == ["r.json"], f"with its record alone: {place.files()}")
    expect(record_in(place, "r.json")["identity"]["continues"], "which goes on from the journal's")


main({each.__name__: each for each in (
    training, training_of_experts, kernels, pipeline, batch_sizes, numerics, self_test, accuracy, overlap,
    form_follows_the_name, damage_is_named, others_lines_in_the_failure_log_are_read, live_journals_are_left_alone,
    full_disk_spares_the_run, a_journal_given_up_goes)})

# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are stopped while they are measured are named, others are not:
stall_test.py BEHAVIOUR TIMES SHARDSTONE MPIEXEC"""
import json
import os
import random
import re
import signal
import sys
import time

from command import Place, expect
from killed_runs import processes_of, ranks_of, signal_all
from watched_jobs import CLUSTER, PLAN, STUDY, TRAIN, Watched, outliers, rows_of, step_row, stop, study_row, sweep_row

RANKS = (2, 3, 4)
LEAST_STOP_S, MOST_STOP_S = 0.06, 0.2
PERIOD_S = 0.02  # of a pulse (pulse.hpp): so much less than the stop may be seen


def stop_one(place, line, is_row, chance):
    """Stops a rank for a while; none where the run was over before. What it says and its record."""
    ranks = chance.choice(RANKS)
    begun = time.monotonic()
    job = Watched(place, line, ranks, is_row)
    job.wait_for_row()
    time.sleep(chance.random() * 0.2)
    processes = ranks_of(place)
    if len(processes) != ranks:
        job.end()
        return None
    rank = chance.randrange(ranks)
    before = time.monotonic()
    stop(processes[rank])
    stopped = time.monotonic()
    stop_s = chance.uniform(LEAST_STOP_S, MOST_STOP_S)
    time.sleep(stop_s)
    rows = job.rows
    os.kill(processes[rank], signal.SIGCONT)
    most_s = time.monotonic() - before
    code, said = job.end()
    if job.rows < rows + 2:
        return None
    # So small a study misses its formula, which is a failed check of its own.
    expect(code in ((0, 1) if line == STUDY else (0,)), f"'{line}' ends with 0, not {code}", said)
    record = json.loads(place.path("r.json").read_text())
    return {"rank": rank, "ranks": ranks, "least": stop_s, "most": most_s, "said": said, "record": record,
            "stopped_s": stopped - begun}


def names_it(planted, wanted):
    """One row names the rank, and how long it stood still; no other names any."""
    rows = outliers(planted["record"])
    what = f"rank {planted['rank']} of {planted['ranks']}, stopped for {planted['least']:.3f} s"
    still = [row for row in rows if row["rank"] != "NaN"]
    expect(len(still) == 1 and still[0]["rank"] == planted["rank"], f"{what}: named in one row",
           str(rows) + planted["said"])
    row = still[0]
    expect(planted["least"] - PERIOD_S - 0.005 <= row["still_s"] <= planted["most"] + PERIOD_S,
           f"{what}: its length", row)
    expect("! STALLED: " in planted["said"] and f"rank {planted['rank']} on node 0" in planted["said"],
           f"{what}: said", planted["said"])
    if row["timed"] == 1:
        expect(row[wanted] != "NaN", f"{what}: the {wanted} is told", row)
        expect(row["time_s"] > planted["least"] / 2, f"{what}: its sample is long", row)
        expect(row["times_as_large"] > 1, f"{what}: longer than usual", row)
    expect(0 < row["at_s"] < planted["stopped_s"], f"{what}: it ran last before it was stopped, after "
           f"{planted['stopped_s']:.3f} s of the job", row)
    (belongs_to_its_step if wanted == "step" else belongs_to_its_point)(planted["record"], row, what)


def belongs_to_its_step(record, row, what):
    """A training has one try, and the row of its step the same time."""
    expect((row["attempt"], row["kept"]) == (1, 1), f"{what}: in the only try", row)
    times = {step["step"]: step["time_s"] for step in rows_of(record, "steps")}
    if row["step"] != "NaN":
        expect(times[row["step"]] == row["time_s"], f"{what}: the time of its step: {times[row['step']]}", row)


def belongs_to_its_point(record, row, what):
    """A stalled try is taken again; the samples that the record holds are those of the kept one."""
    def same(other):
        return all(other[name] == row[name] for name in ("operation", "algorithm", "in_place", "size_bytes"))
    for point in filter(same, rows_of(record, "collectives")):
        expect(1 <= row["attempt"] <= point["tries"], f"{what}: one of {point['tries']} tries", row)
        expect(row["timed"] == 0 or row["attempt"] > 1 or point["tries"] >= 2, f"{what}: taken again", row)
        expect(row["kept"] == 1 or point["tries"] >= 2, f"{what}: another was kept in its place", row)
    times = {sample["iteration"]: sample["time_s"] for sample in filter(same, rows_of(record, "samples", "samples"))}
    if row["iteration"] != "NaN":
        held = times.get(row["iteration"])
        expect((held == row["time_s"]) == (row["kept"] == 1), f"{what}: the sample that is held has {held} s", row)


def plant(place, line, is_row, times, wanted):
    chance, held, timed = random.Random(times), 0, 0
    for _ in range(3 * times):
        planted = stop_one(place, line, is_row, chance)
        if planted is None:
            continue
        names_it(planted, wanted)
        held += 1
        timed += any(row["timed"] == 1 for row in outliers(planted["record"]))
        if held == times:
            break
    print(f"{held} of {times} stops named, {timed} of them in a timed part")
    expect(held == times, f"{held} of {times} stops were planted in time")


def sweeps(place, times):
    plant(place, PLAN, sweep_row, times, "iteration")


def trainings(place, times):
    plant(place, TRAIN, step_row, times, "step")


def pipelines(place, times):
    plant(place, STUDY, study_row, times, "operation")


def overlaps(place, times):
    """What is said at the end stands in the record, whose rows name the rank."""
    for turn in range(times):
        job = place.start("overlap --model nano --rounds 1500 --json r.json --force", 2)
        while len(ranks_of(place)) < 2 and job.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        process = processes_of(place, job, at_least=2)[turn % 2]
        stop(process)
        time.sleep(0.2)
        os.kill(process, signal.SIGCONT)
        out, err = job.communicate(timeout=200)
        expect(job.returncode == 0, f"overlap ends with 0, not {job.returncode}", out + err)
        record = json.loads(place.path("r.json").read_text())
        still = [row for row in outliers(record) if row["rank"] == turn % 2 and row["still_s"] > 0.17]
        expect(len(still) == 1 and "! STALLED: " in out, "one row for the stop, and a word", out + str(outliers(record)))
        times_of = next(t for t in record["derived"] if t["name"] == "rank_times")
        expect(next(c["numbers"] for c in times_of["columns"] if c["name"] == "rank") == [0, 1], "each rank's time")


def quiet(place, times):
    for turn in range(times):
        ranks = RANKS[turn % len(RANKS)]
        for line in (PLAN, TRAIN):
            said = place.succeeds(f"{line} --fail-on-outlier --json r.json --force", ranks)
            record = json.loads(place.path("r.json").read_text())
            rows = [row for row in outliers(record) if row["excused"] != 1]
            expect(rows == [] and "STALLED" not in said.out, f"nothing stalls '{line}'", rows)
            expect_factors(rows_of(record, "rank_times"), line, ranks)


def expect_factors(times, line, ranks):
    """At each point all ranks, and who took longer has the larger factor: the slowest above 1."""
    points = {}
    for row in times:
        points.setdefault((row["operation"], row["algorithm"], row["size_bytes"]), []).append(row)
    expect(points, f"'{line}' has times of its ranks")
    for point, of_point in points.items():
        seen = sorted(row["rank"] for row in of_point)
        expect(seen == list(range(ranks)), f"'{line}' has times of each of {ranks} ranks: {seen}")
        by_time = sorted(of_point, key=lambda row: row["own_s"])
        factors = [row["factor"] for row in by_time]
        expect(factors == sorted(factors), f"{point}: the factors are in the order of the times", by_time)
        expect(factors[0] <= 1 <= factors[-1], f"{point}: the fastest below 1, the slowest above", by_time)


CHECK = "no sample was stalled and no rank stood still"
# Where in the run a stall was, as the lines of both commands say it.
WHERE = (r"(?:(?:all_reduce|all_gather) (?:ring|mpi), [\d.]+ (?:B|KiB)(?:, out of place)?, "
         r"(?:(?:before )?iteration \d+|outside the timed parts)|(?:before )?step \d+|outside the timed parts)")


def stopped_job(place, line, is_row, times, end):
    """A job of two ranks of which rank 1 was stopped before two more rows; what `end` makes of it."""
    for _ in range(5 * times):
        job = Watched(place, f"{line} --fail-on-outlier", 2, is_row)
        job.wait_for_row()
        processes = ranks_of(place)
        if len(processes) == 2:
            stop(processes[1])
            time.sleep(0.1)
            rows = job.rows
            os.kill(processes[1], signal.SIGCONT)
            while job.rows < rows + 2 and job.job.poll() is None:
                time.sleep(0.005)
        ended = end(job, processes)
        if len(processes) == 2 and job.rows >= rows + 2:
            return ended
    sys.exit("NOT TRUE: a stop was planted in time")


def says_why(outcome, what):
    """Code 1, a failed check among those printed, and the last line: who, where and what."""
    # MPICH's launcher gives what its ranks end with.
    expect(outcome.code == 1, f"{what} ends with 1, not {outcome.code}", outcome)
    detail = WHERE + r": rank 1 on node 0 \(\S+\).*; stalled for .*"
    expect(re.search(rf"^FAILED  {CHECK} \({detail}\)$", outcome.out, re.MULTILINE),
           f"{what} prints the failed check", outcome)
    expect(re.fullmatch(f"shardstone: --fail-on-outlier: {detail}", (outcome.err.splitlines() or [""])[-1]),
           f"{what} says why in its last line", outcome)


def failing(place, times):
    """--fail-on-outlier: code 1, and the check says who."""
    for line, is_row in ((PLAN, sweep_row), (TRAIN, step_row)):
        outcome = stopped_job(place, line, is_row, times, lambda job, _: job.outcome())
        says_why(outcome, f"'{line}' with a stopped rank")
        expect(re.search(rf"^! STALLED: .*\n!   {WHERE}: rank 1 on node 0", outcome.out, re.MULTILINE),
               "the note says where, too", outcome)
        expect("preempted 1 times" not in outcome.out and "0 stalls" not in outcome.out,
               "once is no '1 times', and a kind of which there is none is left out", outcome)
        checks = json.loads(place.path("r.json").read_text())["verification"]
        failed = [check for check in checks if not check["passed"]]
        expect(len(failed) == 1 and "rank 1 on node 0" in failed[0]["detail"],
               f"one check fails, and names the rank: {failed}")
        place.refuses("report r.json --out page.html", "r.json")


def failing_after_resume(place, times):
    """What stood still before the job was killed counts in the sweep that goes on from it."""
    def kill(job, processes):
        signal_all(processes.values(), signal.SIGKILL)
        return job.end()

    stopped_job(place, PLAN, sweep_row, times, kill)
    outcome = place.run(f"{PLAN.replace('--cluster clock.toml', '')} --fail-on-outlier --json s.json --resume r.json.journal", 2)
    says_why(outcome, "a sweep that goes on")


behaviour, many, program, launcher = sys.argv[1:5]
here = Place(program, launcher)
here.path("clock.toml").write_text(CLUSTER)
{each.__name__: each for each in (sweeps, trainings, pipelines, overlaps, quiet, failing,
                                       failing_after_resume)}[behaviour](here, int(many))
print(f"{behaviour}: holds")

# SPDX-License-Identifier: BSD-3-Clause
"""A soak that is killed keeps all of it but the last window, and goes on: soak_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import os
import random
import signal
import time

from command import expect, main
from killed_runs import columns, kill_ranks, ranks_of, record_in, recovered, signal_all, start_and_keep

SOAK = ("validate interconnect --part pairs --ranks-per-node 1 --sizes 8,64K --budget 0.5")
TABLE = "soak_windows"
# A window of a second, and a pass and the journal's line after it, on a machine that does other things.
LOST_S = 10.0
CODES = {"pass": 0, "fail": 1, "inconclusive": 7}
STOPPED_S = 3.0


def passes(record):
    """First and number of passes of each window, in order."""
    held = columns(record, TABLE, "samples")
    return sorted(set(zip(held["first_pass"], held["passes"])))


def expect_without_gaps(windows, what):
    for (first, count), (after, _) in zip(windows, windows[1:]):
        expect(first + count == after, f"{what}: pass {first} and {count} more, then {after}")


def gone_on(place, line):
    """The record of a soak that went on, whose verdict the exit code tells."""
    outcome = place.run(f"{SOAK} {line} --json again.json", 2)
    expect(place.path("again.json").exists(), "the soak goes on", outcome)
    record = record_in(place, "again.json")
    verdict = columns(record, "interconnect_verdict")["verdict"][0]
    expect(outcome.code == CODES[verdict], f"{verdict} ends with {CODES[verdict]}", outcome)
    return record


def start_soak(place, duration):
    """The job once the first window of its soak was written."""
    job = start_and_keep(place, f"{SOAK} --for {duration}", 2, 1)
    while TABLE not in place.path("r.json.journal").read_text(errors="replace"):
        expect(job.poll() is None, "the soak goes on until it is ended")
        time.sleep(0.1)
    return job


def kill(place, ranks):
    """Kills one of the ranks, or all, at a random moment of the soak; when that was."""
    job = start_soak(place, "10m")
    time.sleep(random.uniform(0.0, 3.0))
    killed_at_s = time.time()
    if ranks == 1:
        kill_ranks(place, job, 2)
    else:
        signal_all(ranks_of(place).values(), signal.SIGKILL)
    out, err = job.communicate(timeout=60)
    expect(job.returncode != 0, "a killed soak does not end well", out + err)
    return killed_at_s


def killed(place):
    """By SIGKILL at a random moment; it then goes on to its end."""
    killed_at_s = kill(place, 2)
    record = recovered(place, "of the soak")
    last_s = max(columns(record, TABLE, "samples")["end_unix_s"])
    expect(killed_at_s - last_s < LOST_S, f"whole up to {killed_at_s - last_s:.1f} s before the kill")
    before = passes(record)
    expect_without_gaps(before, "the killed soak")
    soaked_s = last_s - min(columns(record, TABLE, "samples")["begin_unix_s"])
    again = gone_on(place, f"--for {soaked_s + 3:.0f}s --resume r.json")
    expect(all(check["passed"] for check in again["verification"]), "and is whole")
    after = passes(again)
    expect(after[:len(before)] == before and len(after) > len(before), "what there was is kept")
    expect_without_gaps(after[len(before):], "the rest")
    expect(after[len(before)][0] >= sum(before[-1]), "passes are counted on")
    place.succeeds("verify again.json")
    place.succeeds("report again.json --out page.html")
    expect("windows of the soak" in place.path("page.html").read_text(), "the report tells of it")


def one_rank_killed(place):
    """The others notice, and what was measured is a record or a journal."""
    kill(place, 1)
    name = "r.json" if place.path("r.json").exists() else "r.json.journal"
    expect(passes(gone_on(place, f"--for 1s --resume {name}")) != [], "with its windows")


def stopped_rank(place):
    """The rank that stands still is the one that was stopped."""
    job = start_soak(place, "6s")
    stopped = ranks_of(place)[1]
    os.kill(stopped, signal.SIGSTOP)
    time.sleep(STOPPED_S)
    os.kill(stopped, signal.SIGCONT)
    out, err = job.communicate(timeout=60)
    expect(place.path("r.json").exists(), "a rank that goes on ends no soak", out + err)
    held = columns(record_in(place, "r.json"), "standstills", "samples")
    expect(held, "the record tells of a standstill", out)
    # What a busy machine does to a rank for a moment is shorter.
    ranks = {rank for rank, still_s in zip(held["rank"], held["still_s"]) if still_s > STOPPED_S / 2}
    expect(ranks == {1}, f"rank 1 was stopped, and stood still: {held}")


main({"killed": killed, "one_rank_killed": one_rank_killed, "stopped_rank": stopped_rank})

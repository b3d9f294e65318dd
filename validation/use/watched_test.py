# SPDX-License-Identifier: BSD-3-Clause
"""What watchdogs see besides stopped ranks, and what is kept then: watched_test.py BEHAVIOUR SHARDSTONE MPIEXEC

sleeping_rank_is_named is given the library of sleeping_rank_test.cpp as a fourth word.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

from command import expect, main
from killed_runs import (STEP_LINE, TRAIN, detail_of_end, processes_of, ranks_of, record_in, rows, signal_all,
                         start_and_see)

SKIPPED = 77


def failures(place):
    return [json.loads(line) for line in place.path("r.json.failures.jsonl").read_text().splitlines()]


def sleeping_rank_is_named(place):
    """A rank that neither moves nor waits, e.g. on a disk that never answers, is no stopped process."""
    os.environ["LD_PRELOAD"] = sys.argv[4]
    job = start_and_see(place, f"{TRAIN} --json r.json --stall-after 4", 2, STEP_LINE, 6)
    del os.environ["LD_PRELOAD"]
    ranks = processes_of(place, job, at_least=2)
    begin = time.monotonic()
    os.kill(ranks[1], signal.SIGUSR1)
    out, err, left = end_of(job, ranks)
    seconds, said = time.monotonic() - begin, out[-500:] + err
    expect(left == [], "somebody ends the job", said)
    expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", said)
    named = re.search(r"stalled: no rank has moved for ([\d.]+) s \(since [\d:]+ UTC\); "
                      r"not waiting for others: (.*)", err)
    expect(named, "it is said that no rank moves", said)
    expect(re.fullmatch(r"rank 1 on \S+ \(in step \d+.*\)", named[2]) and "rank 0 on" not in named[2],
           f"and that rank 1 alone waits for nobody: {named[2]}", said)
    expect(4.0 <= float(named[1]) < 6.0, f"--stall-after 4 is obeyed: {named[1]} s", said)
    expect(re.search(r"^  rank 0 on .*: waits [\d.]+ s in step", err, re.MULTILINE), "rank 0 waits", said)
    expect(re.search(r"^  rank 1 on .*: does not wait, last moved [\d.]+ s ago in step", err, re.MULTILINE),
           "rank 1 does not", said)
    expect(seconds < 20, f"it took {seconds:.1f} s", said)
    expect("stalled: no rank has moved" in detail_of_end(record_in(place, "r.json")), "the record says so, too")


def end_of(job, ranks):
    """What it says, and the ranks that had to be killed because they did not end."""
    try:
        return *job.communicate(timeout=60), []
    except subprocess.TimeoutExpired:
        left = living(ranks)
        signal_all(left, signal.SIGKILL)
        return *job.communicate(timeout=60), left


def lost_launcher_ends_the_job(place):
    """The launcher's child is killed, and nobody is left who would end the ranks but they themselves."""
    job = start_and_see(place, f"{TRAIN} --json r.json", 2, STEP_LINE, 6)
    ranks = processes_of(place, job, at_least=2)
    proxy = kill_parent(job, ranks)
    left = wait_for_the_end_of(ranks)
    job.kill()
    out, err = job.communicate(timeout=60)
    seen = failures(place) if "r.json.failures.jsonl" in place.files() else []
    expect(left == [], f"no rank is left after 10 s: {left} of {ranks}; {seen}", out[-500:] + err)
    why = f"the launcher of this rank (process {proxy}) has died, and the job with it"
    expect([one["reason"] for one in seen].count(why) == 1, f"the failure log says why, once: {seen}")
    # The library may say of one rank that it has lost the other.
    expect({one["code"] for one in seen} == {5}, f"and nothing else than that ranks are lost: {seen}")
    expect("r.json.journal" not in place.files(), f"the journal became a record: {place.files()}")
    expect(why in detail_of_end(record_in(place, "r.json")), "which says it, too")


def lost_launcher_is_seen_while_it_starts(place):
    """Whether it dies before the ranks know each other, or between that and their watchdogs' first look."""
    tries, starts_within_s = 16, 0.8
    for turn in range(tries):
        job = place.start(f"{TRAIN} --json r{turn}.json", 2)
        begin = time.monotonic()
        ranks = {}
        while not ranks and time.monotonic() - begin < 10:
            ranks = ranks_of(place)
        time.sleep(turn / tries * starts_within_s)
        ranks = processes_of(place, job)
        kill_parent(job, ranks)
        left = wait_for_the_end_of(ranks)
        job.kill()
        out, err = job.communicate(timeout=60)
        expect(left == [], f"try {turn}: no rank is left after 10 s: {left} of {ranks}", out[-500:] + err)


def kill_parent(job, ranks):
    """Of the ranks; its process number."""
    with open(f"/proc/{next(iter(ranks.values()))}/stat", encoding="ascii") as file:
        proxy = int(file.read().rpartition(")")[2].split()[1])
    if proxy == job.pid:
        print("this launcher has no child between it and the ranks")
        job.kill()
        sys.exit(SKIPPED)
    os.kill(proxy, signal.SIGKILL)
    return proxy


def wait_for_the_end_of(ranks):
    """Those that had to be killed after 10 s."""
    begin = time.monotonic()
    while living(ranks) and time.monotonic() - begin < 10:
        time.sleep(0.05)
    left = living(ranks)
    signal_all(left, signal.SIGKILL)
    return left


def living(ranks):
    """Those that have not ended; dead ones may not have been buried."""
    found = []
    for pid in ranks.values():
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] != "Z":
                    found.append(pid)
        except OSError:
            pass
    return found


def stopped_training_keeps_every_step(place):
    """Those that were done within the pace of the journal, too, and the failure says in which it stands."""
    most = 10
    for turn in range(most):
        if a_step_had_to_wait(place):
            print(f"turn {turn + 1}: the last steps were not in the journal yet")
            return
        for name in place.files():
            place.path(name).unlink()
    print(f"each of {most} times all steps were in the journal: they are slow here")


def a_step_had_to_wait(place):
    job = place.start(f"{TRAIN} --json r.json --stall-after 2", 2)
    text = ""
    while len(re.findall(STEP_LINE, text, re.MULTILINE)) < 60:
        read = job.stdout.readline()
        expect(read != "", "the training goes on until it is stopped", job.stderr.read() if not read else "")
        text += read
    os.kill(processes_of(place, job, at_least=2)[1], signal.SIGSTOP)
    time.sleep(1)
    last = place.path("r.json.journal").read_text().splitlines()[-1]
    out = job.stdout.read()  # not communicate(): that loses lines which have been read ahead
    err = job.stderr.read()
    job.wait(timeout=100)
    printed = [int(line.split()[0]) for line in re.findall(f"{STEP_LINE}.*", text + out, re.MULTILINE)]
    expect(job.returncode == 4, f"it ends with 4, not {job.returncode}", err)
    kept = [int(step) for step, in rows(place, "r.json", "steps", ("step",))]
    expect(printed == list(range(1, len(printed) + 1)), f"every step is printed: {printed[-3:]}")
    expect(kept == printed, f"and kept: {kept[-3:]} of {printed[-3:]}")
    phases = [one["phase"] for one in failures(place)]
    # At the end of each step the ranks ask each other whether one was told to stop: who is alone there
    # has printed the step and is in it still.
    expect(len(phases) == 1 and phases[0] in (f"step {printed[-1]}", f"step {printed[-1] + 1}"),
           f"the failure is at the end of step {printed[-1]} or in the next: {phases}")
    return int(re.search(r'"done": ?"(\d+) of', last)[1]) < printed[-1]


main({each.__name__: each for each in (
    sleeping_rank_is_named, lost_launcher_ends_the_job, lost_launcher_is_seen_while_it_starts,
    stopped_training_keeps_every_step)})

# SPDX-License-Identifier: BSD-3-Clause
"""A rank that does not go on is named, and nobody waits for ever: stalled_test.py BEHAVIOUR SHARDSTONE MPIEXEC [TIMES]

A rank is stopped as anybody may stop it (SIGSTOP) while the real commands run.
"""
import ctypes
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from command import ROOT, expect, main
from killed_runs import (INCOMPLETE, POINT_LINE, STEP_LINE, SWEEP, TRAIN, detail_of_end, processes_of, record_in,
                         rows, signal_all, start_and_see)

# Command, ranks, output, and a line that says that it is under way.
# With a description, so that it begins at once.
CLUSTER = ROOT / "jobs/clusters/cpu-virtual-4x4.toml"
COMMANDS = ((f"{SWEEP.replace('-f 4', '-f 2')} -n 2000 --json r.json", 3, POINT_LINE),
            (f"{TRAIN} --json r.json", 2, STEP_LINE),
            ("validate equivalence --json r.json", 4, r"^"),
            ("study pipeline --layers 1 --channels 32 --micro-batches 4,8 --steps 3000 --json r.json", 2, r"^"),
            ("calibrate --output c.toml", 3, None))
STOPPED_S = 5.0  # after so long a stopped rank is named
LONGEST_S = 10.0  # from the stop to the end of the job


def start(place, line, ranks, pattern):
    if pattern:
        return start_and_see(place, line, ranks, pattern, 2)
    job = place.start(line, ranks)
    time.sleep(2)
    return job


def end_of(job, begin):
    out, err = job.communicate(timeout=100)
    return job.returncode, time.monotonic() - begin, out + err


def expect_named(said, victim, pid, code, seconds):
    expect(code == 4, f"it ends with 4, not {code}", said)
    named = re.findall(r"stalled: (.*) stopped for", said)
    expect(len(named) == 1 and re.fullmatch(rf"rank {victim} on \S+ \(in .+\)", named[0]),
           f"rank {victim} is named, with what it was doing: {named}", said)
    expect(f"kill -CONT {pid} " in said, "and its process", said)
    expect(seconds < LONGEST_S, f"within {LONGEST_S} s, not {seconds:.1f}", said)


def stop_one(place, line, ranks, pattern, victim, delay_s=0.0):
    """Whatever the job says until its end, and how long that took."""
    job = start(place, line, ranks, pattern)
    time.sleep(delay_s)
    pid = processes_of(place, job)[victim]
    os.kill(pid, signal.SIGSTOP)
    code, seconds, said = end_of(job, time.monotonic())
    expect_named(said, victim, pid, code, seconds)
    return said


def clear(place):
    for name in place.files():
        if name.startswith(("r.json", "c.toml")):
            place.path(name).unlink()


def every_command(place):
    """Each command, a random rank, a random moment."""
    times = int(sys.argv[4]) if len(sys.argv) > 4 else len(COMMANDS)
    seed = int(os.environ.get("SHARDSTONE_SEED", random.randrange(1 << 30)))
    print(f"SHARDSTONE_SEED={seed}")
    choice = random.Random(seed)
    slowest_s = 0.0
    for turn in range(times):
        line, ranks, pattern = COMMANDS[turn % len(COMMANDS)]
        victim, delay_s = choice.randrange(ranks), choice.uniform(0.0, 2.0)
        begin = time.monotonic()
        stop_one(place, line, ranks, pattern, victim, delay_s)
        if (turn + 1) % 25 == 0:
            print(f"{turn + 1} of {times}", flush=True)
        slowest_s = max(slowest_s, time.monotonic() - begin)
        clear(place)
    print(f"{times} of {times} named; the longest turn took {slowest_s:.1f} s")


def while_it_starts(place):
    """Before the ranks know each other, too."""
    for ranks, victim in ((2, 0), (2, 1), (5, 3)):
        job = place.start("collectives --op all_reduce -b 4 -e 4 --cluster " + str(CLUSTER), ranks)
        found = {}
        while victim not in found:
            found = processes_of(place, job, at_least=0)
        os.kill(found[victim], signal.SIGSTOP)
        code, seconds, said = end_of(job, time.monotonic())
        expect_named(said, victim, found[victim], code, seconds)
        print(f"rank {victim} of {ranks}: {re.findall(r'.in [^)]+.', said)[0]}")
    job = place.start(f"collectives --op all_reduce -b 4 -e 4 --cluster {CLUSTER} --stall-after off", 2)
    found = {}
    while 1 not in found:
        found = processes_of(place, job, at_least=0)
    os.kill(found[1], signal.SIGSTOP)
    time.sleep(8)
    os.kill(found[1], signal.SIGCONT)
    expect_well(job, "off, while it starts")
    # A rank that never comes.
    job = place.shell(f"{place.launcher} -n 1 $S collectives --op all_reduce -b 4 -e 4 --cluster {CLUSTER} "
                      "--stall-after 3 : -n 1 sleep 60")
    expect(job.code == 4 and re.search(r"stalled: MPI has not come up for 3\.\d s .*: ranks 0 to 1 on ", job.err),
           "one that does not start MPI ends the job as well", job)
    # One that ends before it: no launcher notices.
    job = place.shell(f"{place.launcher} -n 1 $S collectives --op all_reduce -b 4 -e 4 --cluster {CLUSTER} "
                      ": -n 1 sleep 2")
    expect(job.code == 5 and re.search(r"lost: rank 1 on \S+ ended before MPI came up", job.err),
           "nor waits for one that has ended before MPI's start", job)


def what_was_measured_is_kept(place):
    line, ranks, pattern = COMMANDS[0]
    said = stop_one(place, line, ranks, pattern, 2)
    expect(place.files().count("r.json.journal") == 0, f"the journal became a record: {place.files()}")
    check = next(c for c in record_in(place, "r.json")["verification"] if c["name"] == INCOMPLETE)
    expect("stalled: rank 2 on " in check["detail"] and "kill" not in check["detail"],
           f"which says why, and no hint for a process that is gone: {check['detail']}", said)
    expect(rows(place, "r.json", "collectives", ("operation", "size_bytes")), "with what it has measured")
    failures = [json.loads(one) for one in place.path("r.json.failures.jsonl").read_text().splitlines()]
    expect([one["code"] for one in failures] == [4] and "rank 2 on" in failures[0]["reason"],
           f"the failure log has it once: {failures}")
    clear(place)
    stop_one(place, line, ranks, pattern, 0)
    expect("r.json.journal" in place.files(), "rank 0's own stop leaves its journal")
    outcome = place.succeeds("recover r.json.journal")
    expect("stalled: rank 0 on " in outcome.out, "of which the record is made", outcome)


def one_that_ends_is_named(place):
    """Where no launcher ends the others, as under srun: soon, with what was measured, be it rank 0 or another.

    Named at once where MPI sees a message fail, after three seconds where it sees nothing.
    """
    program = place.path("survivor")
    program.write_text(f'#!/bin/sh\n{place.program} "$@"\n[ $? -ne 137 ] || exec sleep 8\n')
    program.chmod(0o755)
    place.program = str(program)
    os.environ["UCX_TLS"] = "^cma"  # with it UCX itself aborts a rank that copies from a process that is gone
    for victim in (1, 0):
        job = start(place, f"{TRAIN} --json r.json", 2, STEP_LINE)
        pid = processes_of(place, job)[victim]
        os.kill(pid, signal.SIGKILL)
        _, seconds, said = end_of(job, time.monotonic())
        named = re.findall(r"lost: (.*) ended [0-5]\.\d s ago", said)
        expect(len(named) == 1 and re.fullmatch(rf"rank {victim} on \S+ \(in step \d+.*\)", named[0]),
               f"rank {victim} is named, with what it was doing: {named}", said)
        expect(re.search(rf"rank {victim} on \S+, process {pid}, ended: ", said), "and its process", said)
        expect(seconds < LONGEST_S, f"within {LONGEST_S} s, not {seconds:.1f}", said)
        failures = [json.loads(one) for one in place.path("r.json.failures.jsonl").read_text().splitlines()]
        expect([one["code"] for one in failures] == [5], f"the failure log has it as a lost rank: {failures}")
        if victim == 0:
            place.succeeds("recover r.json.journal")
        expect(f"lost: rank {victim} on " in detail_of_end(record_in(place, "r.json")), "and so has the record")
        clear(place)


def everyone_says_what_it_waits_for(place):
    said = stop_one(place, TRAIN.replace("dp=2", "dp=3").replace("batch 4", "batch 3"), 3, STEP_LINE, 1)
    for rank in (0, 2):
        line = re.search(rf"^  rank {rank} on .*", said, re.MULTILINE)
        waits = line and re.search(r"waits ([\d.]+) s in step \d+.*, for .*(from|to) rank \d", line.group(0))
        expect(waits, f"rank {rank} waits for a message", said)
        # It was not looked at more often than four times a second, and had to notice that it waits.
        expect(float(waits[1]) >= STOPPED_S - 1, f"rank {rank} has waited since rank 1 was stopped", said)
    expect(re.search(r"^  rank 1 on \S+, process \d+, stopped: .* in step \d+", said, re.MULTILINE),
           "and rank 1 is stopped", said)


def goes_on_where_it_is_wanted(place):
    """Nobody is named where the user says off, a debugger holds a rank, or all are stopped."""
    line = TRAIN.replace("100000", "2000")
    job = start(place, f"{line} --stall-after off", 2, STEP_LINE)
    pid = processes_of(place, job)[1]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STOPPED_S + 3)
    os.kill(pid, signal.SIGCONT)
    expect_well(job, "off")

    soon_s = 2
    line += f" --stall-after {soon_s}"
    job = start(place, line, 2, STEP_LINE)
    every = processes_of(place, job).values()
    signal_all(every, signal.SIGSTOP)
    time.sleep(soon_s + 3)
    signal_all(every, signal.SIGCONT)
    expect_well(job, "a job that was stopped as a whole")

    job = start(place, line, 2, STEP_LINE)
    held = hold_as_a_debugger(processes_of(place, job)[1])
    time.sleep(soon_s + 3)
    held()
    expect_well(job, "a rank in a debugger")


def hold_as_a_debugger(pid):
    """All threads of the process, as gdb would; what lets them go again. (PTRACE_SEIZE, INTERRUPT)"""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    threads = [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    for thread in threads:
        expect(libc.ptrace(0x4206, thread, None, None) == 0 and libc.ptrace(0x4207, thread, None, None) == 0,
               f"thread {thread} can be traced: {os.strerror(ctypes.get_errno())}")
        os.waitpid(thread, 0x40000000)  # __WALL

    def release():
        for thread in threads:
            expect(libc.ptrace(17, thread, None, None) == 0, "it is let go")

    return release


def no_alarm(said):
    return "stalled" not in said and "lost:" not in said


def expect_well(job, which):
    out, err = job.communicate(timeout=200)
    expect(job.returncode == 0 and no_alarm(err), f"{which}: the run goes on to its end", out + err)


# Of so many ranks each.
HEALTHY = (("collectives --op all_reduce,all_gather --algorithm ring,linear -b 4 -e 64K -f 64 -n 20 --seconds 0.5 "
            f"--cluster {CLUSTER}", (2, 3, 5, 8), (8, 16, 33, 64)),
           ("train --model nano --global-batch {ranks} --steps 6 --plan dp={ranks}", (2, 3, 4, 8), (8, 12, 16, 32)),
           ("train --model nano --global-batch 4 --micro-batch 1 --layers {ranks} --steps 4 --plan pp={ranks}",
            (2, 3, 4), (8, 9, 16)),
           ("validate equivalence --quick --steps 3 --only tp=2", (4, 8), (8,)),
           ("study pipeline --layers 1 --channels 32 --micro-batches 2 --steps 3 --warmup 2", (2, 3), (8, 11)),
           ("collectives --accuracy --op all_reduce --elements 1000", (2, 4), (8, 16)))


def healthy(place):
    """Nobody is named where nothing is wrong; every other run beside two programs that take all they get."""
    times = int(sys.argv[4]) if len(sys.argv) > 4 else 12
    choice = random.Random(times)
    for turn in range(times):
        line, few, many = HEALTHY[turn // 2 % len(HEALTHY)]
        loaded = turn % 2 == 1
        ranks = choice.choice(many if loaded else few)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * loaded)]
        try:
            outcome = place.run(line.format(ranks=ranks), ranks, timeout_s=600)
        finally:
            for one in busy:
                one.kill()
                one.wait()
        expect(no_alarm(outcome.err) and outcome.code in (0, 1),
               f"run {turn + 1}: '{line}' on {ranks} ranks{' beside two busy programs' * loaded} ends well", outcome)
        if (turn + 1) % 25 == 0:
            print(f"{turn + 1} of {times}", flush=True)
    print(f"{times} of {times} without an alarm")


def words_are_checked(place):
    for words in ("soon", "0", "-3", "nan", "1e9", "5s", ""):
        outcome = place.shell(f"$S collectives --stall-after '{words}'")
        expect(outcome.code == 2 and "give 1 to 1e+06 seconds, or off" in outcome.err,
               f"--stall-after '{words}' is refused", outcome)
    job = start(place, f"{TRAIN} --stall-after 2", 2, STEP_LINE)
    pid = processes_of(place, job)[0]
    begin = time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    code, seconds, said = end_of(job, begin)
    expect_named(said, 0, pid, code, seconds)
    expect(re.search(r"stopped for 2\.\d s", said), "--stall-after 2 is obeyed", said)
    for command in ("report", "show", "draw"):
        expect("--stall-after" not in place.succeeds(f"{command} --help").out, f"{command} has no ranks")


main({each.__name__: each for each in (
    every_command, while_it_starts, what_was_measured_is_kept, one_that_ends_is_named, everyone_says_what_it_waits_for,
    goes_on_where_it_is_wanted, healthy, words_are_checked)})

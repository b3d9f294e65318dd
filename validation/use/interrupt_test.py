# SPDX-License-Identifier: BSD-3-Clause
"""A command that is stopped writes what it has: interrupt_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

from command import ROOT, expect, main
from killed_runs import ACCURACY, OVERLAP, columns, ranks_of, signal_all, start_and_keep, start_and_see

# With a description of the cluster, so that nothing is calibrated before the first point.
SWEEP = ("collectives --op all --algorithm ring,mpi,linear -b 4 -e 16M -f 2 --seconds 1 "
         f"--cluster {ROOT / 'jobs/clusters/cpu-virtual-4x4.toml'}")
TRAIN = "train --model nano --global-batch 12 --steps 100000 --log-every 1"
KERNELS = "kernels"
INCOMPLETE = "the run was complete"


def stop(place, line, ranks, seen, which=signal.SIGINT):
    """Runs it until a line of its table is there, sends the signal to the launcher or, without one,
    to the program, and gives the record."""
    place.path("r.json").unlink(missing_ok=True)
    job = place.start(f"{line} --json r.json", ranks)
    said = ""
    while seen not in said:
        read = job.stdout.readline()
        expect(read != "", f"'{line}' gets as far as '{seen}'", said)
        said += read
    job.stdout.readline()
    return record_of(place, job, line, ranks, which, said)


def record_of(place, job, line, ranks, which, said=""):
    """What it leaves when it is sent the signal."""
    job.send_signal(which)
    out, err = job.communicate(timeout=60)
    # MPICH's launcher, asked to end its job, gives 0 for it whatever the ranks end with.
    expect(job.returncode == 130 or (ranks > 0 and job.returncode == 0),
           f"'{line}' on {ranks} ranks ends with 130, not {job.returncode}", said + out + err)
    expect(place.path("r.json").exists(), f"'{line}' on {ranks} ranks leaves a record", out + err)
    return json.loads(place.path("r.json").read_text())


def hold(place, record, table, least, most):
    """What was measured is there, and is not taken for the whole."""
    rows = {t["name"]: t["columns"][0] for t in record["derived"]}[table]
    count = len(rows.get("numbers") or rows.get("texts"))
    expect(least <= count < most, f"the record holds what was measured: {count} rows of {table}")
    failed = [check for check in record["verification"] if not check["passed"]]
    expect([check["name"] for check in failed] == [INCOMPLETE], f"one check fails: {failed}")
    expect("SIGINT or SIGTERM" in failed[0]["detail"], f"it says why: {failed}")
    place.refuses("report r.json --out page.html", "r.json")


def collectives(place):
    for ranks, which in ((0, signal.SIGINT), (0, signal.SIGTERM), (1, signal.SIGINT),
                         (2, signal.SIGINT), (4, signal.SIGINT)):
        record = stop(place, SWEEP, ranks, "ring", which)
        hold(place, record, "collectives", 1, 100)


def training(place):
    for ranks, which in ((0, signal.SIGTERM), (2, signal.SIGINT), (3, signal.SIGINT),
                         (4, signal.SIGINT)):
        hold(place, stop(place, TRAIN, ranks, " step ", which), "steps", 1, 100000)


def kernels(place):
    for which in (signal.SIGINT, signal.SIGTERM):
        hold(place, stop(place, KERNELS, 0, "of library", which), "kernels", 1, 60)


def batch_sizes(place):
    line = "study batch-size --factors 1,2 --tokens 20000 --target 0.1 --lr 0.02"
    for ranks, which in ((0, signal.SIGTERM), (2, signal.SIGINT)):
        # One was there, and the next may have been at its last step: no training goes by the pace of another.
        hold(place, stop(place, line, ranks, "peak rate", which), "batches", 1, 3)


def numerics(place):
    line = "validate numerics --policy fp32,bf16 --model nano"
    for ranks, which in ((0, signal.SIGINT), (2, signal.SIGTERM)):
        hold(place, stop(place, line, ranks, "reductions: ", which), "verdicts", 6, 12)


def pipeline(place):
    line = "study pipeline --layers 1 --channels 32 --steps 100"
    for which in (signal.SIGINT, signal.SIGTERM):
        hold(place, stop(place, line, 2, "gpipe", which), "utilisation", 3, 15)


def accuracy(place):
    for ranks, which in ((0, signal.SIGINT), (3, signal.SIGTERM)):
        place.path("r.json").unlink(missing_ok=True)
        job = start_and_keep(place, ACCURACY, ranks, 2)
        hold(place, record_of(place, job, ACCURACY, ranks, which), "accuracy", 2, 1000)


def overlaps(place):
    """The rounds of both ways so far, also where ranks only take the time of devices."""
    for more, which in (("", signal.SIGINT), (" --pace 0.2", signal.SIGTERM)):
        place.path("r.json").unlink(missing_ok=True)
        job = start_and_keep(place, OVERLAP + more, 2, 3)
        record = record_of(place, job, OVERLAP + more, 2, which)
        hold(place, record, "overlap", 10, 100)
        ways = columns(record, "overlap_rounds", "samples")["way"]
        rounds = ways.count("apart")
        expect(3 <= rounds < 10000 and ways.count("overlapped") == rounds, f"{rounds} rounds of both")
        detail = record["verification"][-1]["detail"]
        expect(f"{rounds} of 10000 rounds were measured" in detail, f"it says how many: {detail}")
        expect(not place.path("r.json.journal").exists(), "the record took the journal's place")


def end_soon(job, within_s, line):
    """What it says when it has ended; it is ended where it goes on."""
    try:
        return "".join(job.communicate(timeout=within_s))
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        expect(False, f"'{line}' ends within {within_s} s of the signal")


def paced_steps_that_take_days(place):
    """A signal wakes the ranks, also those that it did not reach: whether it comes to all by way of the
    launcher, or to a single one. Nothing is left, as nothing was measured."""
    train = "train --model tiny --plan dp=2 --global-batch 4 --pace 1e-5 --steps 2"
    overlap = "overlap --model nano --global-batch 6 --pace 1e-5"
    pipelines = "study pipeline --layers 1 --channels 32 --pace 1e-5"
    for line, ranks, reached in ((train, 2, None), (train, 2, 1), (overlap, 3, 2), (pipelines, 2, 0)):
        job = start_and_keep(place, line, ranks, 0)
        time.sleep(1)  # the step has begun, or begins with the signal noted
        if reached is None:
            job.send_signal(signal.SIGINT)
        else:
            os.kill(ranks_of(place)[reached], signal.SIGTERM)
        said = end_soon(job, 20, line)
        expect(job.returncode == 130 or (reached is None and job.returncode == 0),
               f"'{line}' ends with 130, not {job.returncode}", said)
        expect("nothing was measured, so no record is written" in said, f"'{line}' says what there is", said)
        expect(not [name for name in place.files() if name.startswith("r.json") and "failures" not in name],
               f"'{line}' leaves nothing: {place.files()}")


def long_paced_steps(place):
    """The step in which the signal came is cut short and left out, the one before is whole."""
    line = "train --model nano --plan dp=3 --global-batch 3 --pace 0.015 --steps 5 --explain --trace t.json"
    job = start_and_see(place, f"{line} --json r.json", 3, r"^ +1 +\d", 1)
    time.sleep(0.5)
    begin_s = time.monotonic()
    os.kill(ranks_of(place)[2], signal.SIGTERM)
    said = end_soon(job, 60, line)
    took_s = time.monotonic() - begin_s
    expect(job.returncode == 130, f"it ends with 130, not {job.returncode}", said)
    record = json.loads(place.path("r.json").read_text())
    hold(place, record, "steps", 1, 2)
    steps, parts = columns(record, "steps"), columns(record, "gap")
    expect(took_s < 0.75 * steps["time_s"][0], f"{took_s} s after the signal, of steps of {steps['time_s']} s")
    predicted_s = sum(parts["predicted_s"])
    expect(steps["time_s"][0] > 0.95 * predicted_s, f"{steps['time_s'][0]} s of predicted {predicted_s}")
    expect(abs(sum(parts["time_s"]) / steps["time_s"][0] - 1) < 0.02, "the parts are those of the whole step")
    detail = record["verification"][-1]["detail"]
    expect("1 step done, 4 missing" in detail, f"it says how many: {detail}")


def interconnects(place):
    """Also in the tests of ranks, which last for ten seconds; its first line then says that there is no verdict."""
    job = place.start("validate interconnect --part ranks --budget 100 --json r.json", 2)
    turn = 0
    while turn < 4:  # three have quartiles
        said = job.stderr.readline()
        expect(said != "", "it gets as far as the tests of ranks, and says how far")
        found = re.search(r"tests of ranks, turn (\d+) of 24", said)
        turn = int(found[1]) if found else 0
    job.send_signal(signal.SIGINT)
    begin_s = time.monotonic()
    out, err = job.communicate(timeout=60)
    took_s = time.monotonic() - begin_s
    expect("stopping after this turn of the tests of ranks" in err, "it says after what it ends", err)
    own = [line for line in out.splitlines() if not line.startswith("[mpiexec@")]
    expect(own and own[0].startswith("STOPPED, incomplete: "), "its first line says so", out)
    expect(re.search("^(PASS|FAIL|INCONCLUSIVE)", out, re.MULTILINE) is None, "there is no verdict", out)
    shown = place.succeeds("show r.json").out
    expect("Its verdict" not in shown and "interconnect_verdict" not in shown, "nor one in its record", shown)
    verified = place.run("verify r.json")
    expect("rows" not in verified.out + verified.err, "whose findings are those of its samples", verified)
    record = json.loads(place.path("r.json").read_text())
    last = max(columns(record, "rank_samples", "samples")["turn"])
    expect(2 <= last < 23, f"what was measured is there, up to turn {last}, {took_s} s after the signal")
    failed = [check["name"] for check in record["verification"] if not check["passed"]]
    expect(failed == [INCOMPLETE], f"one check fails: {failed}")


def second_signal(place):
    """Who asks twice does not want to wait for the record."""
    job = place.start("collectives --algorithm mpi --in-place no -b 64M -e 64M -n 100000 -c 0")
    job.stdout.readline()
    job.stdout.readline()
    for _ in range(2):
        job.send_signal(signal.SIGINT)
        try:
            job.wait(1)
        except Exception:
            pass
    expect(job.wait(20) in (130, -signal.SIGINT), f"two signals end it at once: {job.returncode}")


def everyone_at_once(place):
    """Who signals a whole job reaches its ranks twice, once by way of the launcher: that is one request. What
    the launcher's code is then is the launcher's affair."""
    for turn in range(3):
        job = place.start(f"{SWEEP} --json r.json", 2)
        while "ring" not in job.stdout.readline():
            expect(job.poll() is None, "it runs")
        signal_all([*ranks_of(place).values(), job.pid], signal.SIGTERM)
        _, err = job.communicate(timeout=60)
        expect("stopped by SIGTERM" not in err and "to continue: " in err, f"turn {turn}: the run ends by itself", err)
        record = json.loads(place.path("r.json").read_text())
        expect([c["name"] for c in record["verification"] if not c["passed"]] == [INCOMPLETE], "and writes its record")
        for name in place.files():
            place.path(name).unlink()


def kill_with_children(pid):
    for child in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split():
        kill_with_children(int(child))
    with contextlib.suppress(ProcessLookupError):  # it went with them
        os.kill(pid, signal.SIGKILL)


def end_of_launch(place, job):
    """A rank that ends while it speaks with the proxy of MPICH 4.0.2 may leave that one waiting for it, at full speed,
    and the other ranks for the proxy: nothing of ours runs there that could end them."""
    try:
        job.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        expect(2 not in ranks_of(place), "the rank that was told to end has ended")
        kill_with_children(job.pid)
        job.communicate()


def before_the_ranks_meet(place):
    """While MPI starts, too, a rank says which it is and ends with the code for it. With sanitizers a program
    takes longer until it is asked."""
    seen = set()
    for delay_s in (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.8, 1.6):
        if seen and delay_s > 0.1:
            break
        job = place.start(f"{SWEEP} --json r.json", 4)
        found = {}
        while len(found) < 4 and job.poll() is None:
            found = ranks_of(place)
        time.sleep(delay_s)
        os.kill(found[2], signal.SIGTERM)
        end_of_launch(place, job)
        log = place.path("r.json.failures.jsonl")
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        seen |= {(line["rank"], line["code"]) for line in lines if line["pid"] == found[2]}
        for name in place.files():
            place.path(name).unlink()
    expect(seen == {(2, 130)}, f"the rank that was told to end is named, and nothing else of it: {seen}")


def cpu_time_limit(place):
    """ulimit -t, whose kernel otherwise kills without a word. The study must have measured something by then, and
    must not have ended: on a busy machine and with sanitizers it takes longer."""
    for line, ranks in ((TRAIN, 0), ("study pipeline --layers 1 --channels 32 --steps 400", 2)):
        place.path("r.json").unlink(missing_ok=True)
        for limit_s in (6, 12, 24, 40):
            if not place.path("r.json").exists():
                end_by_limit(place, line, ranks, limit_s)
        record = json.loads(place.path("r.json").read_text())
        failed = [check for check in record["verification"] if not check["passed"]]
        expect([check["name"] for check in failed] == [INCOMPLETE], f"one check fails: {failed}")
        # Of several ranks another may reach its limit first, which is a signal to the one that writes.
        expect("stopped by the CPU time limit" in failed[0]["detail"] or ranks, f"the record says why: {failed}")


def end_by_limit(place, line, ranks, limit_s):
    launch = f"ulimit -t {limit_s}; exec"
    if ranks:
        launch = f"{place.launcher} -n {ranks} bash -c 'ulimit -t {limit_s}; exec \"$@\"' bash"
    outcome = place.shell(f"{launch} $S {line} --json r.json")
    expect(outcome.code == 130, f"'{line}' under ulimit -t ends with 130", outcome)
    expect(f"the CPU time limit is reached (ulimit -t, RLIMIT_CPU: {limit_s} s)" in outcome.err, "it says why",
           outcome)


main({each.__name__: each for each in (collectives, training, kernels, batch_sizes, numerics,
                                       pipeline, accuracy, overlaps, paced_steps_that_take_days, long_paced_steps,
                                       interconnects, second_signal, everyone_at_once, before_the_ranks_meet,
                                       cpu_time_limit)})

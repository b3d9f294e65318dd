# SPDX-License-Identifier: BSD-3-Clause
"""Where Slurm does not say what is queued: submit_questions_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import os
import pathlib
import re
import signal
import time

from command import expect, main
from studies import POINTS, FakeSlurm, states

RUN = "submit small.toml --site site.toml --out runs"
WHOLE = dict.fromkeys(POINTS, "done")


def a_status_needs_no_queue(place):
    """It tells the records, and of the rest that it is unknown: with no controller, and where there is no Slurm."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    records = [place.path("runs/points") / point / "record.json" for point in POINTS]
    kept = [record.read_bytes() for record in records[2:]]
    records[2].write_text("{}")
    records[3].unlink()
    place.path("runs/points/ranks-2_run-2/exit_code").unlink()  # it is running, for all that can be told
    down = slurm.folder / "down"
    down.write_text("5")
    told = "\nthe queue cannot be asked, so points without a record may be under way: "
    for why in ("squeue does not say what is queued: .*slurm controller", "there is no 'sbatch' on the PATH"):
        status = place.run(f"{RUN} --status")
        expect(list(states(status).values()) == ["done", "done", "unknown", "unknown"], "the records are told", status)
        expect(status.code == 7 and re.search(f"{told}.*{why}", status.out), "and what is not", status)
        expect(re.search(r"^ranks-2_run-1 .*record.json\]$", status.out, re.MULTILINE), "a refused record is", status)
        expect(re.search(r"^ranks-2_run-2 +1 +unknown$", status.out, re.MULTILINE), "of a running one nothing", status)
        waited = down.exists()
        expect(("asking squeue what is queued" in status.err) == waited, "it says what it waits for", status)
        down.unlink(missing_ok=True)
        os.environ["PATH"] = "/nowhere"
    for record, whole in zip(records[2:], kept):
        record.write_bytes(whole)
    status = place.run(f"{RUN} --status")
    expect(status.code == 0 and states(status) == WHOLE and told in status.out, "records of all are enough", status)


def children_of(process):
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


def runs(process):
    """Also false of one that has ended and that nobody has waited for yet."""
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except OSError:
        return False


def interrupted_questions_hold_nothing(place):
    """Of a submit that is stopped while squeue hangs, nothing is left that a next one would have to wait for."""
    slurm = FakeSlurm(place)
    down = slurm.folder / "down"
    for by in (signal.SIGINT, signal.SIGKILL):
        down.write_text("600")
        job = place.start(RUN)
        until = time.monotonic() + 30
        while not (slurm.folder / "asked").exists():
            expect(time.monotonic() < until, "squeue is asked")
            time.sleep(0.01)
        asked = children_of(job.pid)
        job.send_signal(by)
        job.communicate(timeout=30)
        down.unlink()
        (slurm.folder / "asked").unlink()
        outcome = place.succeeds(RUN)
        expect("at work" not in outcome.err, f"after {by} a next one goes on at once", outcome)
        expect(len(asked) == 1, f"squeue was asked by the first: {asked}")
        left = [process for process in asked if runs(process)]
        expect(left == [], f"after {by} no squeue is left: {left}")


def a_queue_that_hangs_is_given_up(place):
    """After as long as Slurm's own clients would wait."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)
    (slurm.folder / "down").write_text("1000")
    begin = time.monotonic()
    status = place.run(f"{RUN} --status", timeout_s=400)
    expect(300 <= time.monotonic() - begin < 330, "it ends after five minutes", status)
    expect(status.code == 7 and "squeue does not say what is queued: no answer within 300 s" in status.out,
           "as one that cannot be asked", status)


main({each.__name__: each for each in (
    a_status_needs_no_queue, interrupted_questions_hold_nothing, a_queue_that_hangs_is_given_up)})

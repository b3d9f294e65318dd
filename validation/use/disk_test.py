# SPDX-License-Identifier: BSD-3-Clause
"""Disks that fail while a run goes on: disk_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import os
import shutil
import time

from command import SmallDisk, expect, main
from killed_runs import detail_of_end, record_in, rows

TRAIN = "train --model nano --global-batch 4 --log-every 1000000 --eval-sequences 4"
LOST = 6
ROOM = 17 << 20  # of which 16 MiB have to be left as a run begins


class LoggedDisk(SmallDisk):
    """One that can be filled, and emptied again, while failures are logged elsewhere."""

    def __init__(self, place):
        super().__init__(place, ROOM)
        self.logs = place.path("logs")
        self.logs.mkdir()
        os.environ["TMPDIR"] = str(self.logs)


def lines_in(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_until(job, condition, what):
    until = time.monotonic() + 60
    while not condition():
        expect(job.poll() is None, f"the run goes on until {what}", job.stderr.read() if job.poll() else "")
        expect(time.monotonic() < until, f"{what} within a minute")
        time.sleep(0.01)


def start(place, steps, name="small/r.json"):
    """A training once a part of it is in its journal."""
    job = place.start(f"{TRAIN} --steps {steps} --json {name}")
    journal = place.path(f"{name}.journal")
    wait_until(job, lambda: lines_in(journal) >= 4, "its journal has parts")
    return job, journal


def steps_in(place, name):
    return [int(step) for step, in rows(place, name, "steps", ("step",))]


def journal_goes_on_when_there_is_room(place):
    """What could not be written meanwhile is not lost: a kill after that finds all of it."""
    with LoggedDisk(place) as disk:
        job, journal = start(place, 1000000)
        disk.fill()
        before, page = lines_in(journal), os.sysconf("SC_PAGE_SIZE")
        size = -(-journal.stat().st_size // page) * page  # its last page is there already
        time.sleep(1.5)
        expect(journal.stat().st_size <= size, "nothing goes to a full disk")
        expect(journal.read_bytes().endswith(b"\n"), "it ends where a line does")
        disk.empty()
        wait_until(job, lambda: lines_in(journal) > before + 10, "its journal grows again")
        job.kill()
        err = job.communicate(timeout=30)[1]
        expect(err.count("warning: cannot write the journal 'small/r.json.journal': No space left") == 1,
               "it is said once that it fails", err)
        expect(err.count("'small/r.json.journal' is being written again: ") == 1, "and once that it works again", err)
        place.succeeds("recover small/r.json.journal")
        steps = steps_in(place, "small/r.json")
        expect(steps == list(range(1, len(steps) + 1)), f"all steps are there, in order: {steps[:3]}...{steps[-3:]}")


def full_disk_at_the_end_is_the_reason(place):
    """The journal ends with a line, the reason is kept where there is room, and recover finds it."""
    with LoggedDisk(place) as disk:
        job, journal = start(place, 1500)
        disk.fill()
        err = job.communicate(timeout=200)[1]
        expect(job.returncode == LOST, f"it ends with {LOST}: {job.returncode}", err)
        expect("; the journal 'small/r.json.journal' lacks what was measured after: " in err, "what is lost is said", err)
        expect(journal.read_bytes().endswith(b"\n"), "the journal ends where a line does")
        left = sorted(each.name for each in disk.folder.iterdir())
        expect(left == ["filler", "r.json.journal"], f"no empty log is left: {left}")
        log = (disk.logs / f"shardstone-failures-{os.geteuid()}.jsonl").read_text()
        expect("No space left" in log and f'"output": "{disk.folder}/r.json"' in log, "the reason is kept elsewhere", log)
        disk.empty()
        place.succeeds("recover small/r.json.journal")
        expect("No space left" in detail_of_end(record_in(place, "small/r.json")), "and recover finds it",
               detail_of_end(record_in(place, "small/r.json")))


def room_at_the_end_is_enough(place):
    """Where the record has no room and the journal has, the journal is whole."""
    with LoggedDisk(place) as disk:
        job, journal = start(place, 2000)
        disk.fill()
        time.sleep(0.5)
        blocker = place.path("small/r.json")  # the record cannot take the place of a folder
        disk.empty()
        blocker.mkdir()
        err = job.communicate(timeout=200)[1]
        expect(job.returncode == LOST or job.returncode == 2, f"it does not end well: {job.returncode}", err)
        expect("lacks what was measured" not in err, "nothing is missing in the journal", err)
        place.succeeds("recover small/r.json.journal --json whole.json")
        expect(len(steps_in(place, "whole.json")) == 2000, f"all steps are there: {len(steps_in(place, 'whole.json'))}")


def lost_folder_is_logged_elsewhere(place):
    """The folder of the output is taken away: the reason goes to $TMPDIR."""
    place.path("logs").mkdir()
    os.environ["TMPDIR"] = str(place.path("logs"))
    place.path("out").mkdir()
    job, _ = start(place, 1500, "out/r.json")
    shutil.rmtree(place.path("out"))
    err = job.communicate(timeout=200)[1]
    expect(job.returncode == LOST, f"it ends with {LOST}: {job.returncode}", err)
    log = place.path(f"logs/shardstone-failures-{os.geteuid()}.jsonl")
    expect(log.exists() and "No such file" in log.read_text(), "the reason is kept elsewhere", err)
    expect("; the journal 'out/r.json.journal' was removed while this ran, and what was in it is lost" in err and
           "remain" not in err, "no journal is named as if it were there", err)


def moved_journal_is_found(place):
    """The folder is moved, and there is none for the record: the journal is named where it is now."""
    place.path("out").mkdir()
    job, _ = start(place, 1500, "out/r.json")
    place.path("out").rename(place.path("old"))
    err = job.communicate(timeout=200)[1]
    expect(job.returncode == LOST, f"it ends with {LOST}: {job.returncode}", err)
    journal = place.path("old/r.json.journal")
    expect(f"; the results remain in the journal '{journal}', too" in err, "it says where they are", err)
    place.succeeds("recover old/r.json.journal --json whole.json")
    expect(len(steps_in(place, "whole.json")) == 1500, "all steps are there")


def moved_folder_keeps_no_journal(place):
    """The folder is moved and made anew: the record goes to the new one, the journal goes from the old."""
    place.path("out").mkdir()
    job, _ = start(place, 1500, "out/r.json")
    place.path("out").rename(place.path("old"))
    place.path("out").mkdir()
    err = job.communicate(timeout=200)[1]
    expect(job.returncode == 0, f"it ends well: {job.returncode}", err)
    expect(place.files() == ["old", "out", "out/r.json"], f"no journal is left: {place.files()}")


main({each.__name__: each for each in (
    journal_goes_on_when_there_is_room, full_disk_at_the_end_is_the_reason, room_at_the_end_is_enough,
    lost_folder_is_logged_elsewhere, moved_journal_is_found, moved_folder_keeps_no_journal)})

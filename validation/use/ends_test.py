# SPDX-License-Identifier: BSD-3-Clause
"""How runs end when something goes wrong: ends_test.py BEHAVIOUR SHARDSTONE MPIEXEC

What was measured is on the disk wherever it could be put there, the reason is said, and the exit code
tells one kind of end from another.
"""
import json
import os
import pathlib
import random
import re
import signal
import time

from command import ROOT, SmallDisk, expect, main
from killed_runs import ranks_of

CLUSTER = ROOT / "jobs/clusters/ethernet-one-nic.toml"
SWEEP = "collectives --algorithm ring -b 4 -e 4 -n 10"
TRAIN = "train --model nano --global-batch 4 --steps 2 --eval-sequences 2"
DIVERGING = "train --model nano --global-batch 4 --steps 30 --lr 1e18 --min-lr 1e17 --clip 0 --warmup 0"
LOST, DIVERGED, INTERRUPTED = 6, 3, 130


def record(place, name):
    expect(place.path(name).exists(), f"{name} is there: {place.files()}")
    return json.loads(place.path(name).read_text())


def launch(ranks):
    return f"mpiexec -n {ranks} " if ranks else ""


def failures_below(folder):
    """All lines of failure logs, which are removed."""
    found = []
    for log in [*folder.rglob("*.failures.jsonl"), *folder.glob("shardstone-failures-*.jsonl")]:
        found += [json.loads(line) for line in log.read_text().splitlines()]
        log.unlink()
    return found


def full_disk_is_named(place):
    """One output on a full disk: the others are written, nothing crashes, nothing half stays."""
    os.environ["TMPDIR"] = str(place.folder)  # where failures go that cannot be kept on the full disk
    with SmallDisk(place, "64k") as disk:
        disk.fill()
        for ranks in (0, 2):
            for line in (f"{SWEEP} --json r.json --hdf5 small/r.h5", f"{SWEEP} --hdf5 r.json --json small/r.h5",
                         f"{TRAIN} --hdf5 small/r.h5 --json r.json", f"{TRAIN} --trace small/r.h5 --json r.json"):
                place.path("r.json").unlink(missing_ok=True)
                outcome = place.run(line, ranks)
                expect(outcome.code == LOST, f"'{line}' on {ranks} ranks ends with {LOST}", outcome)
                expect("small/r.h5" in outcome.err and "No space left" in outcome.err,
                       "the file and the reason are named", outcome)
                expect(place.path("r.json").stat().st_size > 1000, "the other output is whole", outcome)
                place.succeeds("show r.json")
                seen = failures_below(place.folder)
                expect([each["code"] for each in seen] == [LOST], f"the failure is kept once: {seen}", outcome)
                left = sorted(each.name for each in disk.folder.iterdir())
                expect(left == ["filler"], f"nothing half is left: {left}")


def limit_of_size_is_named(place):
    """All outputs beyond the limit of a file's size: each is named. (Without ranks: MPI has files, too.)"""
    outcome = place.shell("ulimit -f 1; $S kernels --quick --filter sum --json r.json --hdf5 r.h5")
    expect(outcome.code == LOST, f"it ends with {LOST}", outcome)
    for name in ("r.json", "r.h5"):
        expect(f"cannot write '{name}'" in outcome.err, f"{name} is named", outcome)
    expect("File too large" in outcome.err, "the reason is said", outcome)
    expect(place.files() == [], f"nothing half is left: {place.files()}")


def lost_stdout_spares_the_record(place):
    long_sweep = "collectives --algorithm all -b 4 -e 64 -f 4 -n 10 -c 1"
    for line in (long_sweep, f"{TRAIN} --log-every 1"):
        for sink, codes in (("> /dev/full", [LOST]), (">&-", [LOST]), ("2>&- >&-", [LOST]),
                            ("| true; exit ${PIPESTATUS[0]}", [0])):
            place.path("r.json").unlink(missing_ok=True)
            outcome = place.shell(f"$S {line} --json r.json {sink}")
            expect(outcome.code in codes, f"'{line} {sink}' ends with {codes}", outcome)
            expect(all(c["passed"] for c in record(place, "r.json")["verification"]),
                   f"'{line} {sink}' leaves its whole record")
    outcome = place.shell(f"$S {SWEEP} --json - --hdf5 r.h5 > /dev/full")
    expect(outcome.code == LOST and place.path("r.h5").exists(), "one output lost, the other kept", outcome)


def any_bytes_are_recorded(place):
    """Arguments, variables and host names that are not UTF-8 are escaped, not refused at the end."""
    lines = [f"{SWEEP} --json $'r\\xff.json' --hdf5 r.h5", f"{TRAIN} --json $'r\\xff.json' --hdf5 r.h5",
             "kernels --quick --filter sum --json $'r\\xff.json' --hdf5 r.h5"]
    for line in lines:
        for ranks in (0, 2) if "kernels" not in line else (0,):
            outcome = place.shell(f"rm -f r*; SLURM_JOB_PARTITION=$'p\\xfe' {launch(ranks)}$S {line}")
            expect(outcome.code == 0, f"'{line}' on {ranks} ranks ends well", outcome)
            made = os.listdir(os.fsencode(place.folder))
            expect(b"r\xff.json" in made, f"the file has the name that was given: {made}")
            text = pathlib.Path(os.fsdecode(os.fsencode(place.folder) + b"/r\xff.json")).read_text("utf-8")
            held = json.loads(text)
            expect("r\\xff.json" in held["identity"]["command_line"], "the argument is escaped")
            expect(held["environment"]["variables"]["SLURM_JOB_PARTITION"] == "p\\xfe", "so is a variable")
            place.succeeds("show r.h5")
    outcome = place.shell("rm -f r*; unshare --uts bash -c 'hostname $\"h\\xff\"; "
                          f"$S {SWEEP} --json r.json'")
    if "ermi" not in outcome.err and outcome.code != 127:
        expect(outcome.code == 0, "a host of such a name measures as any other", outcome)


def divergence_is_recorded(place):
    for ranks, more in ((0, ""), (1, ""), (2, ""), (2, "--plan dp=2,zero=1 --reproducible"),
                        (2, "--plan pp=2"), (4, "--plan dp=2,tp=2")):
        place.path("r.json").unlink(missing_ok=True)
        line = f"{DIVERGING} {more} --json r.json"
        outcome = place.run(line, ranks)
        expect(outcome.code == DIVERGED, f"'{line}' on {ranks} ranks ends with {DIVERGED}", outcome)
        expect("the training diverged in step" in outcome.err, "it says so", outcome)
        held = record(place, "r.json")
        steps = {t["name"]: t["columns"][0] for t in held["derived"]}["steps"]["numbers"]
        failed = [c for c in held["verification"] if not c["passed"]]
        expect(0 < len(steps) <= 30, f"the record holds the steps until then: {steps}")
        expect(any(c["name"] == "the run was complete" and "diverged in step" in c["detail"]
                   for c in failed), f"it is marked incomplete, with the reason: {failed}")
        expect("diverged" in place.path("r.json.failures.jsonl").read_text(), "the failure is kept")
        place.path("r.json.failures.jsonl").unlink()
        place.refuses("report r.json --out page.html", "r.json")


def interrupts_have_their_code(place):
    """Also where nothing is recorded; bad input, which is 2, is another thing."""
    for line, ranks in (("validate equivalence", 2), ("study pipeline --steps 1000", 2),
                        ("calibrate --seconds 5", 2), ("validate equivalence", 0),
                        ("study batch-size", 0), ("data synthetic --out d --tokens 400000000", 0)):
        job = place.start(line, ranks)
        time.sleep(2.0)
        target = job.pid
        if ranks:
            target = random.choice(sorted(ranks_of(place).values()))
        os.kill(target, signal.SIGINT)
        out, err = job.communicate(timeout=30)
        expect(job.returncode == INTERRUPTED, f"'{line}' on {ranks} ranks: {job.returncode}", out + err)
        expect("stopped by SIGINT" in err, f"'{line}' says why it ends", err)


def kills_leave_nothing(place):
    """A record is there whole or not at all, no temporary file is, and a journal can be recovered."""
    for turn in range(20):
        place.path("r.json").unlink(missing_ok=True)
        job = place.start(f"{SWEEP} --json r.json --hdf5 r.h5 --force", 0)
        time.sleep(random.Random(turn).uniform(0.0, 0.15))
        job.kill()
        job.communicate(timeout=30)
        left = set(place.files())
        expect(left <= {"r.json", "r.h5", "r.json.journal"}, f"nothing else is left: {left}")
        if "r.json.journal" in left:
            place.succeeds("recover r.json.journal --force")
        for name in place.files():
            place.succeeds(f"show {name}")


def links_are_outputs_too(place):
    place.path("dangling.json").symlink_to("nowhere.json")
    place.refuses(f"{SWEEP} --json dangling.json", "'dangling.json' already exists")
    place.path("target").write_text("precious")
    place.path("link.json").symlink_to("target")
    place.succeeds(f"{SWEEP} --json link.json --force")
    expect(place.path("target").read_text() == "precious", "what a link points to stays")
    expect(not place.path("link.json").is_symlink(), "the record takes the link's place")


def fifos_are_refused(place):
    os.mkfifo(place.path("fifo"))
    place.path("data").mkdir()
    os.mkfifo(place.path("data/manifest.json"))
    place.succeeds("data synthetic --out shards --tokens 1000")
    place.path("shards/train-00000.tok").unlink()
    os.mkfifo(place.path("shards/train-00000.tok"))
    for line in ("report fifo --out p.html", "show fifo", "verify fifo", "convert fifo",
                 f"{SWEEP} --cluster fifo", "simulate --cluster fifo --ranks 4",
                 "data inspect data", f"{TRAIN} --data data", "data prepare fifo --out tokens",
                 f"{TRAIN} --data fifo", f"{TRAIN} --data shards", "data inspect shards",
                 "train --dry-run --cluster fifo"):
        outcome = place.run(line, timeout_s=20)
        expect(outcome.code in (1, 2), f"'{line}' ends at once", outcome)
        named = {"data": "manifest.json", "shards": "shards/train-00000.tok"}.get(line.split()[-1], "fifo")
        expect(named in outcome.err + outcome.out, f"'{line}' names it", outcome)


def files_that_appear_are_kept(place):
    """Another's file that comes to the name of an output while the run goes on; --force replaces it."""
    for ranks, options in ((0, "--json z.json"), (2, "--hdf5 z.h5 --trace t.json")):
        line = f"train --model nano --global-batch 4 --steps 400 --log-every 1 {options}"
        job = place.start(line, ranks)
        while not re.match(r" +5 ", job.stdout.readline()):
            pass
        names = re.findall(r"\w+\.(?:json|h5)", options)
        for name in names:
            place.path(name).write_text("mine")
        out, err = job.communicate(timeout=120)
        expect(job.returncode == 6, f"'{line}' ends with 6, not {job.returncode}", out + err)
        for name in names:
            stem, _, ending = name.partition(".")
            beside = f"{stem}.2.{ending}"
            expect(place.path(name).read_text() == "mine", f"{name} is kept")
            expect(f"'{name}' appeared while this ran and is kept: what was to be there is '{beside}'" in err,
                   "it says so", err)
            if name != "t.json":
                place.succeeds(f"verify {beside}")
                expect(f"the results remain in the journal '{name}.journal', too" in err, "it names the journal", err)
        place.succeeds(f"{line} --force".replace("--steps 400", "--steps 2"), ranks)
        expect(place.path(names[0]).read_bytes()[:4] != b"mine", "--force replaces it")


def codes_are_documented(place):
    """One table, in --help and in the manual page, with a line for each."""
    text = place.succeeds("--help").out
    page = place.succeeds("man").out
    for code in (0, 1, 2, 3, 4, 5, 6, 70, 130):
        expect(any(line.strip().startswith(f"{code}  ") for line in text.splitlines()), f"--help has {code}", text)
        expect(any(line.strip().startswith(f"{code}  ") for line in page.splitlines()), f"the page has {code}", page)
    expect("failures.jsonl" in text, "--help says where failures are kept")


main({each.__name__: each for each in (
    full_disk_is_named, limit_of_size_is_named, lost_stdout_spares_the_record, any_bytes_are_recorded,
    divergence_is_recorded, interrupts_have_their_code, kills_leave_nothing, links_are_outputs_too,
    fifos_are_refused, files_that_appear_are_kept, codes_are_documented)})

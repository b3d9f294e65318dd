# SPDX-License-Identifier: BSD-3-Clause
"""A run that is killed loses what was under way and no more: recover_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import os
import random
import re
import signal
import subprocess

from command import expect, main

SWEEP = "collectives --op all_reduce,all_gather --algorithm ring,linear -b 4 -e 64K -f 2 --seconds 0.05"
MATRIX = "validate equivalence --quick --steps 2 --only dp=2"
TRAIN = "train --model nano --global-batch 4 --steps 100000 --log-every 1 --eval-every 5000"
KERNELS = "kernels --quick --filter sum"
INCOMPLETE = "the run was complete"


def columns(record, table):
    for each in record["derived"]:
        if each["name"] == table:
            return {c["name"]: c.get("texts") or c.get("numbers") or [] for c in each["columns"]}
    return {}


def rows(place, name, table, key):
    """What tells the rows of a table apart, in their order."""
    held = columns(json.loads(place.path(name).read_text()), table)
    return list(zip(*(held[column] for column in key)))


POINT = ("operation", "algorithm", "in_place", "size_bytes")


def kill_ranks(place, job, line, ranks):
    """SIGKILL to one rank, or to the program where there is no launcher."""
    if ranks == 0:
        job.kill()
        return
    found = subprocess.run(["pgrep", "-f", f"^{place.program} {line.split()[0]}"], capture_output=True,
                           text=True, check=False).stdout.split()
    for pid in random.sample(found, min(1, len(found))):
        os.kill(int(pid), signal.SIGKILL)


def run_and_kill(place, line, ranks, pattern, least):
    """Kills it once `least` lines like that were printed; how many were in the end."""
    job = place.start(f"{line} --json r.json", ranks)
    seen = 0
    while seen < least:
        read = job.stdout.readline()
        expect(read != "", f"'{line}' goes on until it is killed", job.stderr.read() if not read else "")
        seen += re.search(pattern, read) is not None
    kill_ranks(place, job, line, ranks)
    out, err = job.communicate(timeout=30)
    expect(job.returncode != 0, "a killed run does not end well", out + err)
    return seen + len(re.findall(pattern, out, re.MULTILINE))


def recovered(place, said):
    """The record that is made of the journal; nothing else is left."""
    expect(place.path("r.json.journal").exists(), f"the journal stays: {place.files()}")
    expect(not place.path("r.json").exists(), "no record was written")
    outcome = place.succeeds("recover r.json.journal")
    expect(said in outcome.out, f"it says '{said}'", outcome)
    expect(not place.path("r.json.journal").exists(), "the record took the journal's place")
    record = json.loads(place.path("r.json").read_text())
    failed = [check for check in record["verification"] if not check["passed"]]
    expect([check["name"] for check in failed] == [INCOMPLETE], f"it is incomplete: {failed}")
    place.refuses("report r.json --out page.html", "r.json")
    return record


def sweeps(place):
    place.succeeds(f"{SWEEP} --json whole.json --force", 2)
    whole = rows(place, "whole.json", "collectives", POINT)
    for turn, ranks in enumerate((2, 0, 2, 3)):
        for name in ("r.json", "again.json"):
            place.path(name).unlink(missing_ok=True)
        seen = run_and_kill(place, SWEEP, ranks, r"^ +[\d.]+ (B|KiB) +\d", random.Random(turn).randint(1, 20))
        record = recovered(place, " of ")
        points = rows(place, "r.json", "collectives", POINT)
        # A line that is printed is in the journal a moment later: the last one may not be.
        expect(seen - 1 <= len(points) < len(whole), f"{len(points)} points of {seen} seen")
        checks = [c for c in record["verification"] if c["name"] != INCOMPLETE]
        expect(len(checks) == len(points), "every point has its check")
        outcome = place.run(f"{SWEEP} --json again.json --resume r.json", ranks)
        expect(outcome.code == 0, "the sweep goes on", outcome)
        if ranks == 2:
            expect(rows(place, "again.json", "collectives", POINT) == whole, "with the rows of a whole one")
        again = json.loads(place.path("again.json").read_text())
        expect(again["identity"]["continues"][0]["id"] == record["identity"]["id"], "it names the first")
        place.succeeds("verify again.json")
        held, earlier = columns(again, "collectives"), columns(record, "collectives")
        expect(held["time_s"][:len(points)] == earlier["time_s"], "what was measured is not measured again")


def journals_are_resumed(place):
    """From the journal itself; with another option it is refused, and by itself nothing is lost."""
    run_and_kill(place, SWEEP, 2, r"^ +[\d.]+ (B|KiB) +\d", 5)
    place.refuses(f"{SWEEP} --json r.json", "recover r.json.journal", 2)
    other = SWEEP.replace("64K", "32K")
    place.refuses(f"{other} --json r.json --resume r.json.journal", "option 'largest' was \"64K\"", 2)
    place.refuses(f"{SWEEP} --json r.json --resume r.json.journal", "ranks was 2", 3)
    outcome = place.run(f"{SWEEP} --json r.json --resume r.json.journal", 2)
    expect(outcome.code == 0, "it goes on from the journal", outcome)
    expect(place.files() == ["r.json"], f"and the journal goes: {place.files()}")
    place.refuses(f"{SWEEP} --json again.json --resume r.json", "nothing is missing", 2)


def matrices(place):
    place.succeeds(f"{MATRIX} --json whole.json", 2)
    run_and_kill(place, MATRIX, 2, r"^ *\d+/\d+ ", 3)
    recovered(place, "layouts were judged")
    place.path("r.json").rename(place.path("part.json"))
    outcome = place.run(f"{MATRIX} --json r.json --resume part.json", 2)
    expect(outcome.code == 0, "the matrix goes on", outcome)
    expect(len(re.findall(r"^ *\d+/\d+ ", outcome.out, re.MULTILINE)) <
           len(rows(place, "whole.json", "layouts", ("layout",))), "with what is missing only", outcome)
    expect(rows(place, "r.json", "layouts", ("layout", "arithmetic", "final_loss")) ==
           rows(place, "whole.json", "layouts", ("layout", "arithmetic", "final_loss")), "to the same rows")


def training(place):
    for ranks in (0, 2):
        place.path("r.json").unlink(missing_ok=True)
        seen = run_and_kill(place, TRAIN, ranks, r"^ +\d+ +\d+\.\d{4} +\d", 400)
        record = recovered(place, "of 100000 steps were done")
        steps = [int(step) for step, in rows(place, "r.json", "steps", ("step",))]
        expect(steps == list(range(1, len(steps) + 1)), f"all steps, in order: {steps[:5]}...")
        # Steps of a millisecond go to the journal every 50.
        expect(len(steps) > 0.5 * seen, f"{len(steps)} steps of {seen} seen")
        why = record["verification"][-1]["detail"]
        expect("killed, or the power was lost" in why or ranks and "stopped by SIGTERM" in why,
               f"why it ended is said where somebody could: {why}")


def kernels(place):
    run_and_kill(place, "kernels --quick", 0, r"% [ma]", 3)
    recovered(place, "sizes were measured")
    # The row that was printed last may not be in the journal yet.
    expect(len(rows(place, "r.json", "kernels", ("name", "size"))) >= 2, "the kernels are there")


def damage_is_named(place):
    run_and_kill(place, SWEEP, 0, r"^ +[\d.]+ (B|KiB) +\d", 4)
    journal = place.path("r.json.journal")
    lines = journal.read_text().splitlines(keepends=True)
    for damaged, words in ((lines[:2] + [lines[2].replace('"time_s"', '"time_x"')] + lines[3:], "line 3"),
                           (lines[:1] + lines[2:], "line 2"), (lines[:2] + [lines[3], lines[2]], "line 3"),
                           (["x" + lines[0]] + lines[1:], "no journal")):
        journal.write_text("".join(damaged))
        place.refuses("recover r.json.journal --json made.json", words)
    journal.write_text("".join(lines)[:-20])
    outcome = place.succeeds("recover r.json.journal --json made.json")
    expect("the last line was being written" in outcome.out, "a torn end is left out", outcome)
    expect(len(rows(place, "made.json", "collectives", POINT)) == len(lines) - 3, "and no more is")


def full_disk_spares_the_run(place):
    """A journal that cannot be written is given up in a line. (Without ranks: MPI has files, too.)"""
    outcome = place.shell("ulimit -f 4; $S kernels --quick --filter sum --json r.json", 120)
    expect(outcome.err.count("the run goes on without a journal") == 1, "it says so, once", outcome)
    expect("8388608" in outcome.out, "the run goes on to its end", outcome)


main({each.__name__: each for each in (sweeps, journals_are_resumed, matrices, training, kernels,
                                       damage_is_named, full_disk_spares_the_run)})

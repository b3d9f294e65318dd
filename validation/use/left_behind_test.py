# SPDX-License-Identifier: BSD-3-Clause
"""What ended runs left, whole, damaged or another's, is told apart: left_behind_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json

from command import expect, main
from killed_runs import (POINT, POINT_LINE, SWEEP, command_in, detail_of_end, expect_whole, record_in, rows,
                         run_and_kill, run_literally, start_and_see)

# A record within a second, by the same description.
BRIEF = "collectives --algorithm ring -b 4 -e 4 -n 10 " + SWEEP[SWEEP.index("--cluster"):]


def damaged_journals_give_what_is_whole(place):
    run_and_kill(place, SWEEP, 0, POINT_LINE, 6)
    journal = place.path("r.json.journal")
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines[:4], lines[4].replace('"time_s"', '"time_x"'), *lines[5:]]))
    place.refuses(f"{SWEEP} --json s.json --resume r.json.journal", "line 5 .*recover r.json.journal")
    place.refuses(f"{SWEEP} --json r.json", "shardstone recover r.json.journal")
    place.refuses("show r.json.journal", "shardstone recover r.json.journal")
    outcome = place.succeeds("recover r.json.journal")
    expect("line 5" in outcome.out and f"{len(lines) - 4} lines in all" in outcome.out, "the damage is said", outcome)
    expect(len(rows(place, "r.json", "collectives", POINT)) == 2, "lines 3 and 4 are points")
    expect("line 5" in detail_of_end(record_in(place, "r.json")), "the record says it, too")
    expect(place.files() == ["r.json", "r.json.journal.damaged"], f"the journal is put away: {place.files()}")
    expect(run_literally(place, command_in(outcome.out)).code == 0, "and it goes on", outcome)
    expect_whole(place)


def hopeless_journals_are_no_circle(place):
    """Nothing can be saved of it: each command that meets it says so, and none sends to another."""
    run_and_kill(place, SWEEP, 0, POINT_LINE, 3)
    journal = place.path("r.json.journal")
    text = journal.read_text()
    for hopeless in ("", "x" + text, text[:30] + "y" + text[31:], text[:40], text.split("\n")[0] + "\n" + "z" * 50 + "\n"):
        journal.write_text(hopeless)
        for line in ("recover r.json.journal", f"{SWEEP} --json r.json"):
            place.refuses(line, "nothing can be recovered, and the file may be removed")
        for line in ("show r.json.journal", "convert r.json.journal", "report r.json.journal",
                     f"{SWEEP} --json s.json --resume r.json.journal"):
            outcome = place.run(line)
            told = "may be removed" in outcome.err or "shardstone recover r.json.journal" in outcome.err
            expect(outcome.code == 2 and told, f"'{line}' leads to an end", outcome)


def folders_name_journals(place):
    place.path("runs").mkdir()
    place.succeeds(f"{BRIEF} --json runs/k.json")
    run_and_kill(place, SWEEP, 0, POINT_LINE, 3)
    place.path("r.json.journal").rename(place.path("runs/r.json.journal"))
    outcome = place.succeeds("verify runs")
    expect("shardstone recover runs/r.json.journal" in outcome.out, "it is named, with what to do", outcome)
    expect("1 of 1 files are good, 1 left out" in outcome.out, "and not counted", outcome)
    place.path("runs/r.json.journal").write_text("")
    outcome = place.run("verify runs")
    expect(outcome.code == 1 and "may be removed" in outcome.out, "one that holds nothing is bad", outcome)


def failures_go_with_their_record(place):
    """The log of a replaced record goes; that of another record, and lines since then, stay."""
    old = json.dumps({"time": "2001-01-01T00:00:00.000Z", "reason": "long ago"}) + "\n"
    new = json.dumps({"time": "2001-01-01T00:00:01.000Z", "reason": "another run"}) + "\n"
    log = place.path("r.json.failures.jsonl")
    log.write_text(old)
    place.succeeds(f"{BRIEF} --json r.json")
    expect(log.read_text() == old, "nothing was replaced, nothing goes")
    place.path("s.json.failures.jsonl").write_text(old)
    place.succeeds(f"{BRIEF} --json r.json --force")
    expect(place.files() == ["r.json", "s.json.failures.jsonl"], f"the replaced one's goes: {place.files()}")
    log.write_text(old)
    job = start_and_see(place, f"{SWEEP} --json r.json --force", 0, POINT_LINE, 1)
    with log.open("a") as more:
        more.write(new)
    out, err = job.communicate(timeout=200)
    expect(job.returncode == 0 and log.read_text() == new, "lines since the run began stay", out + err)
    log.write_text(old)
    outcome = place.run("kernels --filter nothing_like_it --json r.json --force")
    expect(outcome.code == 2 and log.read_text() == old, "a run that writes none leaves it", outcome)
    said = " ".join(place.succeeds("kernels --help").out.split())
    expect("and with a record its RECORD.failures.jsonl" in said, "the help says so")


def foreign_files_are_left_out(place):
    """In a folder, JSON of others is no record; one of ours is bad whichever of its bytes changed."""
    place.path("runs").mkdir()
    place.succeeds(f"{BRIEF} --json runs/k.json")
    place.path("runs/other.json").write_text(json.dumps({"kind": "x", "identity": 3, "list": [1, 2]}))
    place.path("runs/list.json").write_text("[1, 2, 3]")
    outcome = place.succeeds("verify runs")
    expect(outcome.out.count("not a record: other JSON") == 2 and "1 of 1 files" in outcome.out,
           "others' are left out", outcome)
    expect(place.run("verify runs/other.json").code == 1, "but what is named must be a record")
    place.refuses("show runs/other.json", "not a Shardstone record")
    record = place.path("runs/k.json")
    whole = record.read_bytes()
    for at in (*range(12), 40, 60, len(whole) // 2):
        record.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        outcome = place.run("verify runs")
        expect(outcome.code == 1 and "BAD     runs/k.json" in outcome.out, f"byte {at} changed", outcome)
    sealed = json.loads(whole)
    del sealed["seal"]
    for damaged in (whole[20:], whole[:100], b"", b"\0" * 100, json.dumps(sealed).encode()):
        record.write_bytes(damaged)
        outcome = place.run("verify runs")
        expect(outcome.code == 1 and "BAD     runs/k.json" in outcome.out, f"{damaged[:20]}...", outcome)
    record.unlink()
    expect(place.run("verify runs").code == 1, "a folder without any record is not good")


main({each.__name__: each for each in (
    damaged_journals_give_what_is_whole, hopeless_journals_are_no_circle, folders_name_journals,
    failures_go_with_their_record, foreign_files_are_left_out)})

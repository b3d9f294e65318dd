# SPDX-License-Identifier: BSD-3-Clause
"""What `shardstone submit` leaves as the argument of other commands: study_folder_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import functools
import json
import zipfile

from command import expect, main, without_progress
from killed_runs import columns
from studies import POINTS, write_study


def run_study(place):
    """Four trainings, beside submit.json and a trace, which are no records."""
    write_study(place)
    place.succeeds("submit small.toml --out runs")
    place.path("runs/trace.json").write_text(json.dumps({"traceEvents": []}))


def says_nothing(outcome):
    return without_progress(outcome.err) == ""


def bundled(place, zipped):
    with zipfile.ZipFile(place.path(zipped)) as archive:
        return [name for name in archive.namelist() if name.endswith(".h5")]


def records_of_a_study_are_taken(place):
    """By every command that reads records, without a word on what else lies there."""
    run_study(place)
    bundle = place.succeeds("bundle runs --out b.zip")
    expect(says_nothing(bundle) and bundle.out.count("measured   records/") == 4, "four records are bundled", bundle)
    names = bundled(place, "b.zip")
    expect(names == [f"records/{point}/record.h5" for point in POINTS], f"by the names of their points: {names}")
    expect(place.run("verify b.zip").code == 0, "and verified")
    scale = place.succeeds("scale runs --json scale.json")
    expect(says_nothing(scale), "scale passes over the others", scale)
    ranks = columns(json.loads(place.path("scale.json").read_text()), "scaling")["ranks"]
    expect(ranks == [1, 2], f"its curve has both points: {ranks}")
    expect(place.run("verify scale.json").code == 0, "its record is a good one")
    report = place.succeeds("report runs --out page.html")
    expect(says_nothing(report) and "[" in report.out and "submit.json" not in
           place.path("page.html").read_text(), "report as well", report)
    compare = place.succeeds("compare runs runs")
    expect(says_nothing(compare) and "left out" not in compare.out and "A: 4 runs" in compare.out, "compare too", compare)
    show = place.succeeds("show runs")
    expect(show.out.count("\nconfiguration ") == 4, "and show", show)
    place.path("to").mkdir()
    place.succeeds("convert runs --to jsonl --out to")
    made = sorted(file.name for file in place.path("to").iterdir())
    expect(made == [f"points-{point}-record.jsonl" for point in POINTS], f"convert names files by points: {made}")
    place.succeeds(f"convert runs/points/{POINTS[3]}/record.json --to jsonl --out .")
    expect(place.path("record.jsonl").read_bytes() == place.path(f"to/{made[3]}").read_bytes(), "each holds its own record")
    verify = place.succeeds("verify runs")
    expect(verify.out.count("not a record: other JSON") == 2, "verify names what it leaves out", verify)


def broken_records_of_a_study_are_named(place):
    """They are left out, and said to be, where what is named alone would end the command."""
    run_study(place)
    broken = f"runs/points/{POINTS[3]}/record.json"
    record = place.path(broken)
    whole = record.read_bytes()
    texts = [functools.partial(record.write_bytes, text) for text in (whole[:-30], b"", whole.replace(b"7", b"8", 1))]
    links = [functools.partial(record.symlink_to, target) for target in ("/nonexistent", "record.json")]
    for spoil in texts + links:
        record.unlink()
        spoil()
        for line in ("bundle runs --out b.zip --force", "scale runs", "report runs --out page.html --force"):
            outcome = place.succeeds(line)
            said = without_progress(outcome.err)
            expect(broken in said and said.count("\n") == 1 and "submit.json" not in said,
                   f"'{line}' names it and nothing else", outcome)
        compare = place.succeeds("compare runs runs")
        expect(f"left out of A: '{broken}'" in compare.out and "submit.json" not in compare.out, "compare", compare)
        expect(len(bundled(place, "b.zip")) == 3, "three are left")
        for line in (f"bundle {broken} --out c.zip", f"report {broken} --out p.html", f"scale {broken}",
                     f"compare runs {broken}"):
            place.refuses(line, broken)
    record.unlink()
    place.path("empty").mkdir()
    place.path("empty/submit.json").write_bytes(place.path("runs/submit.json").read_bytes())
    for line in ("bundle empty --out d.zip", "scale empty", "compare empty runs"):
        place.refuses(line, "the folder 'empty' holds no record")


main({each.__name__: each for each in (
    records_of_a_study_are_taken, broken_records_of_a_study_are_named)})

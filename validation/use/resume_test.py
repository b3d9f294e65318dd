# SPDX-License-Identifier: BSD-3-Clause
"""What a run that was ended had measured is not measured again: resume_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import pathlib
import random
import re

from command import expect, main
from killed_runs import (BATCH_LINE, BATCH_SIZE, INCOMPLETE, KERNEL_LINE, KERNELS, NUMERICS, PIPELINE,
                         PIPELINE_LINE, POINT, POINT_LINE, SELF_TEST, SELF_TEST_LINE, SWEEP, columns, detail_of_end,
                         record_in, recovered, rows, run_and_kill, run_and_stop)

MATRIX = "validate equivalence --quick --steps 2 --only dp=2"
LAYOUT_LINE = r"^ *\d+/\d+ "
SAMPLE = (*POINT, "time_s")
NEW_POINT_LINE = POINT_LINE + r"(?!.*earlier)"


def sweeps(place):
    place.succeeds(f"{SWEEP} --json whole.json --force", 2)
    whole = rows(place, "whole.json", "collectives", POINT)
    for turn, ranks in enumerate((2, 0, 2, 3)):
        for name in ("r.json", "again.json"):
            place.path(name).unlink(missing_ok=True)
        seen = run_and_kill(place, SWEEP, ranks, POINT_LINE, random.Random(turn).randint(1, 20))
        record = recovered(place, " of ")
        points = rows(place, "r.json", "collectives", POINT)
        # A line that is printed is in the journal a moment later: the last one may not be.
        expect(seen - 1 <= len(points) < len(whole), f"{len(points)} points of {seen} seen")
        checks = [c for c in record["verification"] if c["name"] != INCOMPLETE]
        expect(len(checks) == len(points), "every point has its check")
        outcome = place.run(f"{SWEEP} --json again.json --resume r.json", ranks)
        expect(outcome.code == 0, "the sweep goes on", outcome)
        shown = re.findall(POINT_LINE + r".*", outcome.out, re.MULTILINE)
        expect(len(re.findall("  earlier", outcome.out)) == len(points) and len(shown) > len(points),
               "and shows all points, those from before marked", outcome)
        expect_whole(place, "again.json", whole if ranks == 2 else None)
        expect_kept(place, record)


def expect_whole(place, name, whole):
    """Every point once, with its samples; the points of a whole sweep, where one on as many ranks is given."""
    points = rows(place, name, "collectives", POINT)
    expect(len(set(points)) == len(points), "no point twice")
    expect(set(rows(place, name, "samples", POINT, "samples")) == set(points), "samples of every point")
    if whole:
        expect(points == whole, "the rows of a whole one")
    place.succeeds(f"verify {name}")


def expect_kept(place, earlier):
    """again.json begins with what the earlier record holds, and names it."""
    again = record_in(place, "again.json")
    expect(again["identity"]["continues"][0]["id"] == earlier["identity"]["id"], "it names the first")
    for table, group, key in (("collectives", "derived", POINT), ("samples", "samples", SAMPLE)):
        held, before = columns(again, table, group), columns(earlier, table, group)
        for column in (*key, "time_s"):
            expect(held[column][:len(before[column])] == before[column],
                   f"{column} of '{table}' is not measured again")
    place.succeeds("report again.json --out page.html --force")
    provenance = place.path("page.html").read_text().split("Sources of the numbers")[1]
    said = f"{again['identity']['start_time']}, continues what was started {earlier['identity']['start_time']}<"
    expect(said in provenance, f"the report's provenance says '{said}'")
    place.path("page.html").unlink()


def journals_are_resumed(place):
    """From the journal itself; with anything else it is refused, and by itself nothing is lost."""
    run_and_kill(place, SWEEP, 2, POINT_LINE, 5)
    resume = "--json r.json --resume r.json.journal"
    place.refuses(f"{SWEEP} --json r.json", "recover r.json.journal.*--resume r.json.journal", 2)
    place.refuses(f"{SWEEP.replace('16K', '32K')} {resume}", "option 'largest': \"16K\" then", 2)
    place.refuses(f"{SWEEP} {resume}", "ranks: 2 then", 3)
    place.refuses(f"{SWEEP} --resume r.json.journal", "needs a file for the complete record", 2)
    place.refuses(f"validate equivalence {resume}", "of kind 'collectives'", 2)
    launched = f"{place.launcher} -n 2 $S {SWEEP} {resume}"
    outcome = place.shell(f"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling {launched}")
    expect(outcome.code == 2 and "its environment variables: {" in outcome.err
           and '"recursive_doubling"' in outcome.err.split("} then", 1)[-1], "other settings of MPI are refused",
           outcome)
    outcome = place.run(f"{SWEEP} {resume}", 2)
    expect(outcome.code == 0, "it goes on from the journal", outcome)
    expect(place.files() == ["r.json"], f"and the journal goes: {place.files()}")
    place.refuses(f"{SWEEP} --json again.json --resume r.json", "nothing is missing", 2)


def sweeps_go_on_twice(place):
    """Counts are of the whole sweep, whether the second run is stopped or killed; descriptions of a
    cluster come with the record."""
    without, _, described = SWEEP.partition(" --cluster ")
    place.path("m.toml").write_text(pathlib.Path(described).read_text())
    line = without + " --cluster m.toml"
    run_and_stop(place, f"{line} --json first.json", POINT_LINE, 3)
    out = run_and_stop(place, f"{without} --json second.json --resume first.json", NEW_POINT_LINE, 3)
    record = record_in(place, "second.json")
    points = rows(place, "second.json", "collectives", POINT)
    expect(len(points) >= 6 and f": {len(points)} of " in detail_of_end(record),
           f"{len(points)} points: {detail_of_end(record)}")
    expect(f"after {len(points)} of " in out, "the screen says the same", out)
    run_and_kill(place, f"{without} --resume second.json", 0, NEW_POINT_LINE, 3)
    third = recovered(place, " of ")
    points = rows(place, "r.json", "collectives", POINT)
    expect(f"{len(points)} of " in detail_of_end(third), f"{len(points)} points: {detail_of_end(third)}")
    chain = [run["id"] for run in third["identity"]["continues"]]
    expect(chain == [record_in(place, name)["identity"]["id"] for name in ("second.json", "first.json")],
           f"the newest first: {chain}")
    shown = place.succeeds("show r.json").out
    expect("continues what was started" in shown and shown.count(" and 20") == 1, "show says so", shown)
    expect("m.toml" in third["configuration"]["cluster"], "it knows its description")


def matrices(place):
    place.succeeds(f"{MATRIX} --json whole.json", 2)
    run_and_kill(place, MATRIX, 2, LAYOUT_LINE, 3)
    recovered(place, "layouts were judged")
    place.path("r.json").rename(place.path("part.json"))
    other = MATRIX.replace("dp=2", "tp=2")
    place.refuses(f"{other} --json r.json --resume part.json", "option 'only': \"dp=2\" then", 2)
    outcome = place.run(f"{MATRIX} --json r.json --resume part.json", 2)
    expect(outcome.code == 0 and "continues from part.json" in outcome.out, "the matrix goes on", outcome)
    expect(len(re.findall(LAYOUT_LINE + "(?!.*earlier)", outcome.out, re.MULTILINE)) <
           len(rows(place, "whole.json", "layouts", ("layout",))), "with what is missing only", outcome)
    expect(rows(place, "r.json", "layouts", ("layout", "arithmetic", "final_loss")) ==
           rows(place, "whole.json", "layouts", ("layout", "arithmetic", "final_loss")), "to the same rows")


def matrices_of_several_arithmetics(place):
    """A layout has a row for each; from the journal to the record of the same name."""
    line = "validate equivalence --steps 1 --only pp=2"
    run_and_kill(place, line, 2, LAYOUT_LINE, 2)
    outcome = place.run(f"{line} --json r.json --resume r.json.journal", 2)
    expect(outcome.code == 0 and place.files() == ["r.json"], "it takes its place", outcome)
    layouts = rows(place, "r.json", "layouts", ("layout", "arithmetic"))
    arithmetics = {arithmetic for _, arithmetic in layouts}
    count = len(layouts) // len(arithmetics)
    said = re.search(r"continues from .*: (\d+) of (\d+) layouts", outcome.out)
    expect(len(arithmetics) > 1 and said and 1 <= int(said[1]) <= 3 and int(said[2]) == count,
           f"{count} layouts in {len(arithmetics)} arithmetics", outcome)


def kill_and_resume(place, line, ranks, pattern, least, other):
    """Killed, refused with another option (and its name), gone on with: what the latter prints."""
    run_and_kill(place, line, ranks, pattern, least)
    resume = "--json r.json --resume r.json.journal"
    place.refuses(f"{other[0]} {resume}", f"cannot be continued: its option '{other[1]}'", ranks)
    outcome = place.run(f"{line} {resume}", ranks)
    # 1: a check on speed failed, as it may where the machine is busy.
    expect(outcome.code in (0, 1) and "continues from r.json.journal: " in outcome.out, "it goes on", outcome)
    expect(not place.path("r.json.journal").exists(), f"and the journal goes: {place.files()}")
    expect(record_in(place, "r.json")["identity"]["continues"], "it names the first run")
    expect_same_environment(place)
    place.refuses(f"{line} --json again.json --resume r.json", "nothing is missing", ranks)
    again = len([line for line in outcome.out.splitlines() if re.search(pattern, line) and "earlier" not in line])
    expect(again < len(re.findall(pattern, place.whole, re.MULTILINE)), "what is missing only", outcome)


def run_whole(place, line, ranks):
    outcome = place.run(f"{line} --json whole.json", ranks)
    expect(outcome.code in (0, 1), "an undisturbed run comes to its end", outcome)
    place.whole = outcome.out


def expect_same_environment(place):
    """A record that was gone on with tells as much of its surroundings as one of a single run."""
    found, whole = (set(record_in(place, name)["environment"]) for name in ("r.json", "whole.json"))
    passing = {"leftovers_cleared"}  # where another run was killed
    expect(found - passing == whole - passing, f"the environment tells as much: {found ^ whole}")


def expect_same(place, *tables):
    """Tables, by group, with the columns that name a row."""
    for group, table, key in tables:
        found, whole = (rows(place, name, table, key, group) for name in ("r.json", "whole.json"))
        expect(found == whole != [], f"'{table}' has the rows of an undisturbed run: {found}")


def repeats_bit_by_bit(place, line, pattern, least, other):
    run_whole(place, line, 2)
    kill_and_resume(place, line, 2, pattern, least, other)
    found, whole = (record_in(place, name) for name in ("r.json", "whole.json"))
    for part in ("derived", "samples", "verification"):
        expect(found[part] == whole[part], f"the {part} of an undisturbed run")


def batch_sizes(place):
    repeats_bit_by_bit(place, BATCH_SIZE, BATCH_LINE, 2, (f"{BATCH_SIZE} --order 2", "order"))


def numerics(place):
    repeats_bit_by_bit(place, NUMERICS, r"^(kernels|reductions|gradients|trajectories): ", 2,
                       (NUMERICS.replace("--steps 20", "--steps 21"), "steps"))


def self_tests(place):
    """Killed at one row, and stopped by a signal at another: to the same rows as undisturbed."""
    repeats_bit_by_bit(place, SELF_TEST, SELF_TEST_LINE, 2, (SELF_TEST.replace("0.95", "0.8"), "rates"))
    run_and_stop(place, f"{SELF_TEST} --json part.json", SELF_TEST_LINE, 2)
    kept = len(rows(place, "part.json", "simulated_trials", ("fault",), "samples"))
    said = detail_of_end(record_in(place, "part.json"))
    expect(2 <= kept < 15 and f"{kept} of 15 rows were counted" in said, f"{kept} rows: {said}")
    outcome = place.run(f"{SELF_TEST} --json again.json --resume part.json")
    expect(outcome.code == 0 and outcome.out.count("earlier") == kept, "it goes on, and tells which are new", outcome)
    again, whole = (record_in(place, name) for name in ("again.json", "whole.json"))
    for part in ("derived", "samples", "verification"):
        expect(again[part] == whole[part], f"the {part} of an undisturbed run on two ranks")


def pipelines(place):
    run_whole(place, PIPELINE, 2)
    kill_and_resume(place, PIPELINE, 2, PIPELINE_LINE, 4, (PIPELINE.replace("1,2,4", "1,2,8"), "micro_batches"))
    point = ("schedule", "micro_batches")
    expect_same(place, ("derived", "utilisation", point), ("samples", "pipeline_steps", point))
    checks = [[check["name"] for check in record_in(place, name)["verification"]]
              for name in ("r.json", "whole.json")]
    expect(checks[0] == checks[1], f"and its checks: {checks}")
    place.refuses(f"{PIPELINE} --json again.json --resume r.json --timeline t.svg", "--timeline", 2)


def kernels_go_on(place):
    run_whole(place, KERNELS, 0)
    kill_and_resume(place, KERNELS, 0, KERNEL_LINE, 2, (KERNELS.replace("layernorm", "gelu"), "filter"))
    tables = (("derived", "kernels", ("name", "size")), ("samples", "kernel_times", ("name", "size")),
              ("derived", "machine", ("quantity",)))
    expect_same(place, *tables)
    run_and_stop(place, f"{KERNELS} --json part.json", KERNEL_LINE, 3)
    place.run(f"{KERNELS} --json r.json --resume part.json --force")
    expect_same(place, *tables)
    expect_same_environment(place)


main({each.__name__: each for each in (sweeps, journals_are_resumed, sweeps_go_on_twice, matrices,
                                       matrices_of_several_arithmetics, batch_sizes, numerics,
                                       self_tests, pipelines, kernels_go_on)})

# SPDX-License-Identifier: BSD-3-Clause
"""What is said and left after a run was ended leads to its whole record: go_on_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import os
import pathlib
import re
import signal
import subprocess
import types

from command import expect, main
from killed_runs import (BATCH_LINE, BATCH_SIZE, KERNEL_LINE, KERNELS, NUMERICS, PIPELINE, PIPELINE_LINE, POINT,
                         POINT_LINE, SWEEP, command_in, expect_whole, ranks_of, record_in, rows, run_and_kill,
                         run_literally, signal_all, start_and_see)

RIVALS = "collectives --op all_reduce --algorithm auto,ring,mpi -b 4 -e 1K -f 4 --seconds 0.1"
DESCRIBED = SWEEP[SWEEP.index("--cluster"):]  # so that nothing is calibrated first
MATRIX = "validate equivalence --quick --steps 2 --only dp=2"
LAYOUT_LINE = r"^ *\d+/\d+ "


def stopped(place, line, ranks, pattern, least, output="--json r.json"):
    """Ends it by SIGINT to its ranks once so many lines were printed; what it printed."""
    job = start_and_see(place, f"{line} {output}", ranks, pattern, least)
    signal_all(processes(place, job), signal.SIGINT)
    out, err = job.communicate(timeout=60)
    expect(job.returncode == 130, "a stopped run says so", out + err)
    return out, err


def processes(place, job):
    """Those that run the command: the ranks, or without a launcher the job itself."""
    return list(ranks_of(place).values()) or [job.pid]


def lines_like(pattern, text):
    return re.findall(pattern, text, re.MULTILINE)


def findings_are_of_all(place):
    """Of a sweep that went on: its table, its findings and its counts are those of a whole one."""
    whole = place.succeeds(f"{RIVALS} {DESCRIBED} --json whole.json", 2).out
    compared = r"^all_reduce .*(?: times as long|undecided)"
    out, _ = stopped(place, f"{RIVALS} {DESCRIBED}", 2, POINT_LINE, 4)
    before = len(rows(place, "r.json", "collectives", POINT))
    again = place.succeeds(f"{RIVALS} --json again.json --resume r.json", 2).out
    held = rows(place, "again.json", "collectives", POINT)
    shown = lines_like(r"^ +[\d.]+ (?:B|KiB) +\d.*", again)
    expect(len(shown) == len(held) == len(lines_like(POINT_LINE, whole)), "every point is in the table", again)
    expect([line.rstrip().endswith("earlier") or "  earlier" in line for line in shown]
           == [True] * before + [False] * (len(held) - before), "those from before are marked, the others not", again)
    sizes = len({size for *_, size in held})
    expect(len(lines_like(compared, whole)) == 2 * sizes, "a whole one compares at every size, and judges auto", whole)
    expect(len(lines_like(compared, again)) == 2 * sizes, "and so does one that went on", again)
    # What the earlier rows show is what they showed when they were measured.
    for line in shown[4:before]:
        expect(line.split("  earlier")[0] in out, f"as it was shown: {line}", out)
    one_size = re.search(r"of (\d+) quiet point|undecided", again)
    expect(one_size, "the prediction is judged", again)


def disturbances_are_of_all(place):
    """Earlier rows that were disturbed are counted: here by changing them where nothing else does."""
    run_and_kill(place, SWEEP, 0, POINT_LINE, 4)
    journal = place.path("r.json.journal")
    lines = journal.read_text().splitlines(keepends=True)
    place.succeeds("recover r.json.journal")
    first = rows(place, "r.json", "collectives", (*POINT, "disturbed"))
    outcome = place.run(f"{SWEEP} --json r.json --resume r.json", 0)
    after = rows(place, "r.json", "collectives", (*POINT, "disturbed"))
    expect(after[:len(first)] == first and len(lines) > 3, "the earlier ones as they were")
    said = re.search(r"DISTURBED: (\d+) of (\d+) points", outcome.out)
    disturbed = sum(row[-1] == 1 for row in after)
    expect((said is None and disturbed == 0) or (int(said[1]), int(said[2])) == (disturbed, len(after)),
           f"{disturbed} of {len(after)} were", outcome)


def studies_show_all(place):
    """Every row is on the screen, those of the earlier run marked."""
    # Long enough that it is stopped on a busy machine, too, before its end.
    pipeline = PIPELINE.replace("--steps 6", "--steps 30")
    batch_size = BATCH_SIZE.replace("8,16,32,64", "8,16,32,64,128")
    for line, ranks, pattern, least in ((pipeline, 2, PIPELINE_LINE, 3), (batch_size, 2, BATCH_LINE, 2),
                                        (KERNELS, 0, KERNEL_LINE, 2), (MATRIX, 2, LAYOUT_LINE, 2)):
        stopped(place, line, ranks, pattern, least)
        outcome = place.run(f"{line} --json r.json --resume r.json", ranks)
        expect(outcome.code in (0, 1), f"'{line}' goes on", outcome)
        expect_whole(place)
        earlier = lines_like(r"^.*\bearlier\b.*$", outcome.out)
        table = next(name for name in ("utilisation", "batches", "kernels", "layouts")
                     if rows(place, "r.json", name, ()) or has_table(place, name))
        held = len(next(t["columns"][0].get("texts") or t["columns"][0]["numbers"]
                        for t in record_in(place, "r.json")["derived"] if t["name"] == table))
        fresh = [each for each in outcome.out.splitlines() if re.search(pattern, each) and "earlier" not in each]
        expect(len(earlier) >= least and len(earlier) + len(fresh) == held,
               f"{len(earlier)} earlier and {len(fresh)} new of {held} rows of {table}", outcome)
        place.path("r.json").unlink()


def has_table(place, name):
    return any(table["name"] == name for table in record_in(place, "r.json")["derived"])


def verdicts_are_shown_again(place):
    run_and_kill(place, NUMERICS, 2, r"^(kernels|reductions): ", 2)
    outcome = place.run(f"{NUMERICS} --json r.json --resume r.json.journal", 2)
    expect("kernels (earlier): " in outcome.out, "what was judged before is on the screen", outcome)
    verdicts = rows(place, "r.json", "verdicts", ("part", "subject"))
    shown = lines_like(r"^  \S+.*(?:pass|fail|undecided)", outcome.out)
    expect(len(shown) == len(verdicts), f"{len(shown)} of {len(verdicts)} verdicts are shown", outcome)


def description_may_be_given_again(place):
    described = pathlib.Path(DESCRIBED.split()[1]).read_text()
    place.path("m.toml").write_text(described)
    place.path("other.toml").write_text(described.replace("nodes = 4", "nodes = 5"))
    line = f"{RIVALS} --cluster m.toml"
    stopped(place, line, 2, POINT_LINE, 2)
    place.refuses(f"{RIVALS} --cluster other.toml --json r.json --resume r.json",
                  "--cluster other.toml: 'r.json' contains a different description .* omit --cluster", 2)
    place.succeeds(f"{line} --json r.json --resume r.json", 2)
    expect_whole(place)


def the_line_that_is_said_goes_on(place):
    """The last thing on stderr is the literal command, which makes the record whole under its name."""
    name = "it's r.json"
    for line, ranks, pattern in ((SWEEP, 2, POINT_LINE), (KERNELS, 0, KERNEL_LINE), (MATRIX, 2, LAYOUT_LINE)):
        launch = f"{place.launcher} -n {ranks} " if ranks else ""
        job = subprocess.Popen(["bash", "-c", f'exec {launch}{place.program} {line} --json "{name}" --force'],
                               cwd=place.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for read in job.stdout:
            if re.search(pattern, read):
                break
        signal_all(processes(place, job), signal.SIGTERM)
        out, err = job.communicate(timeout=60)
        expect(job.returncode == 130 and "to continue: " in err.splitlines()[-1], "its last line says how", out + err)
        command = command_in(err)
        expect(("mpiexec -n 2 " in command) == (ranks == 2) and "--force" not in command, command)
        outcome = run_literally(place, command)
        expect(outcome.code in (0, 1) and place.files() == [name], f"'{command}' goes on", outcome)
        expect_whole(place, name)
        place.path(name).unlink()
    _, err = stopped(place, f"{RIVALS} {DESCRIBED} --noise-floor", 2, POINT_LINE, 2)
    expect("to continue" not in err, "what cannot go on is not said to", err)


def the_line_holds_anywhere(place):
    """The run's own folder and variables are in the line, wherever it is read."""
    place.path("there").mkdir()
    described = pathlib.Path(DESCRIBED.split()[1])
    place.path("there/m.toml").write_text(described.read_text())
    program = f"env UCX_TLS=posix,self {place.launcher} -n 2 {place.program}"
    job = subprocess.Popen(["bash", "-c", f"cd there && exec {program} {RIVALS} --cluster m.toml --json r.json"],
                           cwd=place.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for read in job.stdout:
        if re.search(POINT_LINE, read):
            break
    signal_all(ranks_of(types.SimpleNamespace(folder=place.path("there"))).values(), signal.SIGKILL)
    job.communicate(timeout=60)
    outcome = place.succeeds("recover there/r.json.journal")
    expect(re.search(r"\d+ of \d+ points were measured", outcome.out), "it says of what", outcome)
    command = command_in(outcome.out)
    expect(command.startswith("cd ") and "UCX_TLS=posix,self mpiexec -n 2 " in command, command)
    outcome = run_literally(place, command)
    expect(outcome.code in (0, 1), f"'{command}' goes on", outcome)
    expect_whole(place, "there/r.json")


def stalls_and_recoveries_say_it(place):
    job = start_and_see(place, f"{SWEEP} --stall-after 1 --json r.json --hdf5 r.h5", 2, POINT_LINE, 3)
    victim = processes(place, job)[-1]
    os.kill(victim, signal.SIGSTOP)
    try:
        out, err = job.communicate(timeout=60)
    finally:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    expect(job.returncode != 0 and place.path("r.json").exists(), "a stall ends it with a record", out + err)
    log = place.path("r.json.failures.jsonl")
    expect(log.exists(), f"and a failure log: {place.files()}")
    outcome = run_literally(place, command_in(err))
    expect(outcome.code == 0, "it goes on, into both files", outcome)
    expect_whole(place)
    expect(not log.exists(), f"the log of what was replaced is gone: {place.files()}")
    for each in place.files():
        place.path(each).unlink()
    run_and_kill(place, SWEEP, 2, POINT_LINE, 3)
    outcome = place.succeeds("recover r.json.journal")
    expect(run_literally(place, command_in(outcome.out)).code == 0, "what recover says goes on", outcome)
    expect_whole(place)


def incomplete_records_are_told(place):
    """A rerun is told how to go on; recover of a record too; killed again, nothing is lost."""
    stopped(place, SWEEP, 0, POINT_LINE, 3)
    outcome = place.run(f"{SWEEP} --json r.json")
    expect(outcome.code == 2 and "holds an incomplete record" in outcome.err and "--resume r.json" in outcome.err
           and outcome.err.count("\n") == 1, "the rerun is told", outcome)
    place.refuses("recover r.json", "is already a record, of a run that ended early .*--resume r.json")
    before = len(rows(place, "r.json", "collectives", POINT))
    run_and_kill(place, f"{SWEEP} --resume r.json", 0, POINT_LINE + r"(?!.*earlier)", 3)
    expect(len(rows(place, "r.json", "collectives", POINT)) == before, "the old record is there until then")
    outcome = place.succeeds("recover r.json.journal")
    after = len(rows(place, "r.json", "collectives", POINT))
    expect(before + 2 <= after, f"{before} and then {after} points: recover replaces what the journal goes on from")
    expect(run_literally(place, command_in(outcome.out)).code == 0, "and it goes on", outcome)
    expect_whole(place)
    place.refuses("recover r.json", "is already a record, of a run that completed")
    place.refuses(f"{SWEEP} --json r.json", "'r.json' already exists: choose another file, or --force")
    place.path("other.json").write_text("{}")
    stopped(place, SWEEP, 0, POINT_LINE, 3, "--json part.json")
    place.refuses(f"{SWEEP} --json r.json --resume part.json", "'r.json' already exists")
    place.refuses(f"{SWEEP} --json other.json --resume part.json", "'other.json' already exists")


main({each.__name__: each for each in (
    findings_are_of_all, disturbances_are_of_all, studies_show_all, verdicts_are_shown_again,
    description_may_be_given_again, the_line_that_is_said_goes_on, the_line_holds_anywhere,
    stalls_and_recoveries_say_it, incomplete_records_are_told)})
